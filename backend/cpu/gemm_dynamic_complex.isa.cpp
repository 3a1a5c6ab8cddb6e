#include <complex>
#include <tenfold/backend/cpu/gemm_dynamic.hpp>

/// Of complex numbers.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

template gemm_kernel<std::complex<float>> dynamic_kernel(const gemm_shape&, select::gemm_path,
                                                         const gemm_tuning&);
template gemm_kernel<std::complex<double>> dynamic_kernel(const gemm_shape&, select::gemm_path,
                                                          const gemm_tuning&);

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
