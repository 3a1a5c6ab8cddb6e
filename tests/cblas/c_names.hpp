#pragma once

#include <tenfold_cblas.h>

#include <complex>
#include <cstdint>
#include <tenfold/backend/batched_blas.hpp>
#include <type_traits>

/// The functions of the C interface by scalar and integer.
namespace tenfold::testing {

template <class T, class Int>
struct c_names;

#define TENFOLD_NAMES(S, T, SUFFIX, INT)                                              \
  template <>                                                                         \
  struct c_names<T, INT> {                                                            \
    static constexpr auto* batch = cblas_##S##gemm_batch##SUFFIX;                     \
    static constexpr auto* strided = cblas_##S##gemm_batch_strided##SUFFIX;           \
    static constexpr auto* info = tenfold_##S##gemm_batch_info##SUFFIX;               \
    static constexpr auto* interleaved = tenfold_##S##gemm_batch_interleaved##SUFFIX; \
    static constexpr auto* to = tenfold_##S##to_interleaved##SUFFIX;                  \
    static constexpr auto* from = tenfold_##S##from_interleaved##SUFFIX;              \
    static constexpr const char* batch_name = "cblas_" #S "gemm_batch" #SUFFIX;       \
  };
#define TENFOLD_NAMES_BOTH(S, T) \
  TENFOLD_NAMES(S, T, , int)     \
  TENFOLD_NAMES(S, T, _64, std::int64_t)
TENFOLD_NAMES_BOTH(s, float)
TENFOLD_NAMES_BOTH(d, double)
TENFOLD_NAMES_BOTH(c, std::complex<float>)
TENFOLD_NAMES_BOTH(z, std::complex<double>)
#undef TENFOLD_NAMES_BOTH
#undef TENFOLD_NAMES

/// f(scalar, integer) for all eight.
template <class F>
void for_each_name(const F& f) {
  const auto both = [&](auto t) {
    f(t, int{});
    f(t, std::int64_t{});
  };
  both(float{});
  both(double{});
  both(std::complex<float>{});
  both(std::complex<double>{});
}

/// alpha or beta as C passes it.
template <class T>
auto passed(const T& x) {
  if constexpr (std::is_floating_point_v<T>) {
    return x;
  } else {
    return static_cast<const void*>(&x);
  }
}

/// The entries of lists of addresses: those of complex numbers have no type.
template <class T>
using c_entry = std::conditional_t<std::is_floating_point_v<T>, T, void>;

inline constexpr CBLAS_LAYOUT layouts[] = {CblasRowMajor, CblasColMajor};
inline constexpr CBLAS_TRANSPOSE transposes[] = {CblasNoTrans, CblasTrans, CblasConjTrans};

inline order order_of(CBLAS_LAYOUT layout) {
  return layout == CblasRowMajor ? order::row_major : order::column_major;
}
inline op op_of(CBLAS_TRANSPOSE f) {
  return f == CblasNoTrans ? op::none : f == CblasTrans ? op::transpose : op::conjugate_transpose;
}

}  // namespace tenfold::testing
