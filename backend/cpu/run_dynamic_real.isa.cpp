#include <tenfold/backend/cpu/run_dynamic.hpp>

/// Of real numbers.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

template void run_dynamic(const program_view&, const program_arguments<float>&);
template void run_dynamic(const program_view&, const program_arguments<double>&);

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
