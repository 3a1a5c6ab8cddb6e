// expect: tenfold: what is bound to an input is neither an operand, whose entries are float, double or complex numbers, nor identity
// errors: 2
#include <tenfold/fuse.hpp>
#include <vector>

using namespace tenfold;
using labels::e, labels::i;

int main() {
  constexpr input<"u"> u;
  constexpr output<"v"> v;
  tensor<double, 9, 3> U, V;
  std::vector<int> numbers(3);
  constexpr input<"w"> w;
  fuse(e)(v(e, i) = u(e, i) * w(i))(v = V, u = U, w = numbers);
}
