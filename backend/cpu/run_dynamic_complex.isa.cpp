#include <complex>
#include <tenfold/backend/cpu/run_dynamic.hpp>

/// Of complex numbers.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

template void run_dynamic(const program_view&, const program_arguments<std::complex<float>>&);
template void run_dynamic(const program_view&, const program_arguments<std::complex<double>>&);

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
