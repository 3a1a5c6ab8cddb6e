// expect: tenfold: an argument of a fused kernel binds no name: write u = U
// errors: 1
#include <tenfold/fuse.hpp>

using namespace tenfold;
using labels::e, labels::i;

int main() {
  constexpr input<"u"> u;
  constexpr output<"v"> v;
  tensor<double, 9, 3> U, V;
  fuse(e)(v(e, i) = u(e, i))(v = V, u = U, 3);
}
