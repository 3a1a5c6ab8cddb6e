// The module around TBLIS; bench/contract/CMakeLists.txt makes it where TBLIS is found.
#include "tblis_module.hpp"

#include <tblis/tblis.h>

#include <algorithm>
#include <array>

namespace {

/// Extents and strides in TBLIS's own integers.
class tensor {
 public:
  tensor(char scalar, double factor, const tblis_operand& x) {
    std::copy_n(x.extents, x.rank, extents_.begin());
    std::copy_n(x.strides, x.rank, strides_.begin());
    if (scalar == 'd')
      tblis::tblis_init_tensor_scaled_d(&tensor_, factor, x.rank, extents_.data(),
                                        static_cast<double*>(x.data), strides_.data());
    else
      tblis::tblis_init_tensor_scaled_s(&tensor_, static_cast<float>(factor), x.rank,
                                        extents_.data(), static_cast<float*>(x.data),
                                        strides_.data());
  }
  tblis::tblis_tensor* get() { return &tensor_; }

 private:
  std::array<tblis::len_type, 64> extents_{};
  std::array<tblis::stride_type, 64> strides_{};
  tblis::tblis_tensor tensor_{};
};

void multiply(char scalar, const tblis_operand& a, const tblis_operand& b, const tblis_operand& c) {
  tensor ta(scalar, 1, a), tb(scalar, 1, b), tc(scalar, 0, c);
  tblis::tblis_tensor_mult(tblis_single, nullptr, ta.get(), a.labels, tb.get(), b.labels, tc.get(),
                           c.labels);
}

void assign(char scalar, const tblis_operand& a, const tblis_operand& c) {
  tensor ta(scalar, 1, a), tc(scalar, 0, c);
  tblis::tblis_tensor_add(tblis_single, nullptr, ta.get(), a.labels, tc.get(), c.labels);
}

constexpr tblis_module this_module{TBLIS_VERSION, multiply, assign};

}  // namespace

const tblis_module* open_tblis() { return &this_module; }

/// Whether TBLIS may take its kernels for two vector units of AVX-512, 4 being yes. It asks for the
/// vendor, and for processors by names of 2017: on later ones of Intel it takes kernels for AVX2,
/// on those of AMD from Zen 3 on none at all, and aborts. This function, found first, asks for
/// AVX-512.
namespace tblis {
int skx2_check();
int skx2_check() {
  const bool has = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                   __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
  return has ? 4 : -1;
}
}  // namespace tblis
