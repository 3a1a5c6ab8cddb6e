// expect: tenfold: '{label}' at position {position} is assigned to a second time: add to it with +=
// expect: tenfold::einsum_error<tenfold::label<'v'>, tenfold::at_position<26>
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
  tensor<double, 3, 3> M;
  const auto twice = fuse(e)(v(e, i) = A(i, j) * u(e, j), v(e, i) = u(e, i));
  twice(v = V, u = U, A = M);
}
