// expect: tenfold: a factor of a product is a sum: multiply out, or assign the sum to a local first
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
  const auto twice = fuse(e)(v(e, i) = A(i, j) * (u(e, j) + u(e, j)));
  twice(v = V, u = U, A = M);
}
