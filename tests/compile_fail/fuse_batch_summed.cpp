// expect: tenfold: the batch label '{label}' at position {position} is summed: the left side of statement {0} lacks it
// expect: tenfold::einsum_error<tenfold::label<'e'>, tenfold::at_position<18>, tenfold::of_statement<0>
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
  const auto twice = fuse(e)(g(i) = A(i, j) * u(e, j), v(e, i) = A(i, j) * g(j) * u(e, j));
  twice(v = V, u = U, A = M);
}
