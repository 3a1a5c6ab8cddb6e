// expect: tenfold: '{label}' at position {position} is neither a strided nor a gathered tensor in host memory
// expect: tenfold::einsum_error<tenfold::label<'D'>, tenfold::at_position<18>
// errors: 2
#include <tenfold/fuse.hpp>

using namespace tenfold;
using labels::c, labels::d, labels::e;

int main() {
  constexpr input<"u"> u;
  constexpr input<"D"> D;
  constexpr output<"v"> v;
  tensor<double, 9, 3> U, V;
  const auto product = fuse(e)(v(e, c) = diagonal(D)(e, c, d) * u(e, d));
  product(v = V, u = U, D = identity);
}
