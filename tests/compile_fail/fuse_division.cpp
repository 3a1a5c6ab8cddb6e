// expect: tenfold: operator / is not kernel notation: sums of products are written with + - * and assigned with = += -=
// errors: 1
#include <tenfold/fuse.hpp>

using namespace tenfold;
using labels::e, labels::i;

int main() {
  constexpr input<"u"> u;
  constexpr output<"v"> v;
  tensor<double, 9, 3> U, V;
  fuse(e)(v(e, i) = u(e, i) / 2.0)(v = V, u = U);
}
