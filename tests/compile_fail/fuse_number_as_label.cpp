// expect: tenfold: in a fused kernel a name takes labels, B(q, i), and no numbers: bind a view of the part that is meant
// errors: 1
#include <tenfold/fuse.hpp>

using namespace tenfold;
using labels::e, labels::i;

int main() {
  constexpr input<"u"> u;
  constexpr output<"v"> v;
  tensor<double, 9, 3> U, V;
  constexpr input<"B"> B;
  tensor<double, 3, 3> M;
  fuse(e)(v(e, i) = B(i, 0) * u(e, i))(v = V, u = U, B = M);
}
