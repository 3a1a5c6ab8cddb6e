// expect: tenfold: what is bound to an output is no operand, whose entries are float, double or complex numbers
// errors: 2
#include <tenfold/fuse.hpp>

using namespace tenfold;
using labels::e, labels::i;

int main() {
  constexpr input<"u"> u;
  constexpr output<"v"> v;
  tensor<double, 9, 3> U, V;
  tensor<int, 9, 3> W;
  fuse(e)(v(e, i) = u(e, i))(v = W, u = U);
}
