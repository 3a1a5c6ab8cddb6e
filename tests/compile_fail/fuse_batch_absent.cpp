// expect: tenfold: output '{label}' at position {position} lacks the batch label
// expect: tenfold::einsum_error<tenfold::label<'v'>, tenfold::at_position<0>
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
  const auto twice = fuse(e)(v(i, j) = A(i, j));
  twice(v = V, u = U, A = M);
}
