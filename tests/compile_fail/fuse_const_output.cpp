// expect: tenfold: the tensor that is bound to an output is const, or can only be read
#include <tenfold/fuse.hpp>

int main() {
  using tenfold::labels::e, tenfold::labels::i;
  constexpr tenfold::input<"u"> u;
  constexpr tenfold::output<"v"> v;
  tenfold::tensor<double, tenfold::dyn, 4> U(3);
  const tenfold::tensor<double, tenfold::dyn, 4> V(3);
  fuse(e)(v(e, i) = u(e, i))(v = V, u = U);
}
