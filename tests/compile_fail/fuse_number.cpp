// expect: tenfold: in a fused kernel stand names with labels, u(e, i), and no tensors or numbers
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
  const auto twice = fuse(e)(v(e, i) = 2.0 * u(e, i));
  twice(v = V, u = U, A = M);
}
