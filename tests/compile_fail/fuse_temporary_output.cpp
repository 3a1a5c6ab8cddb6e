// expect: tenfold: the tensor that is bound to an output has no name: the result would be lost with it
// errors: 1
#include <tenfold/fuse.hpp>

using namespace tenfold;

void f(const tensor<double, dyn, 3>& U) {
  using labels::e, labels::i;
  constexpr input<"u"> u;
  constexpr output<"v"> v;
  fuse(e)(v(e, i) = u(e, i))(v = tensor<double, dyn, 3>(U.extent(0)), u = U);
}
