// expect: tenfold: label '{label}' at position {position} is one of a unit or diagonal matrix whose two labels cannot become one: both stay, or none does, or a local would have one twice
// expect: tenfold::einsum_error<tenfold::label<'c'>, tenfold::at_position<25>
// errors: 2
#include <tenfold/fuse.hpp>

using namespace tenfold;
using labels::c, labels::d, labels::e;

int main() {
  constexpr input<"u"> u;
  constexpr input<"D"> D;
  constexpr output<"v"> v;
  tensor<double, 9, 3> Dt, U;
  tensor<double, 9, 3, 3> V;
  const auto outer = fuse(e)(v(e, c, d) = diagonal(D)(e, c, d) * u(e, d));
  outer(v = V, u = U, D = Dt);
}
