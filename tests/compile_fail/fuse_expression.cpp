// expect: tenfold: a fused kernel is made of statements: g(e, q) = B(q, i) * u(e, i)
// errors: 1
#include <tenfold/fuse.hpp>

void f(const tenfold::tensor<double, tenfold::dyn, 3>& U) {
  using tenfold::labels::e, tenfold::labels::i;
  constexpr tenfold::input<"u"> u;
  const auto kernel = tenfold::fuse(e)(u(e, i) * u(e, i));
  kernel(u = U);
}
