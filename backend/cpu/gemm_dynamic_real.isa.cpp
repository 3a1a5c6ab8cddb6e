#include <tenfold/backend/cpu/gemm_dynamic.hpp>

/// Of real numbers.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

template gemm_kernel<float> dynamic_kernel(const gemm_shape&, select::gemm_path,
                                           const gemm_tuning&);
template gemm_kernel<double> dynamic_kernel(const gemm_shape&, select::gemm_path,
                                            const gemm_tuning&);

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
