// expect: tenfold: label '{label}' at position {position} has extent {0}, at position {2} it has extent {1}
// expect: tenfold::einsum_error<tenfold::label<'j'>, tenfold::at_position<22>, tenfold::has_extent<3>, tenfold::and_extent<4>, tenfold::at_position<13>
// errors: 2
#include <tenfold/fuse.hpp>

using namespace tenfold;
using labels::e, labels::i, labels::j;

int main() {
  constexpr input<"u"> u;
  constexpr input<"A"> A;
  constexpr local<"g"> g;
  constexpr output<"v"> v;
  tensor<double, 9, 3> U, V;
  tensor<double, 3, 4> M;
  const auto twice = fuse(e)(g(e, i) = A(i, j) * u(e, j), v(e, i) = A(i, j) * g(e, j));
  twice(v = V, u = U, A = M);
}
