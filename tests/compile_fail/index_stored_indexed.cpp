// expect: tenfold: a stored expression refers to a temporary tensor, which is gone
// errors: 1
#include <tenfold/index_notation.hpp>
#include <vector>

using namespace tenfold::labels;

int main() {
  tenfold::tensor<double, 4> y;
  auto stored = tenfold::indexed(std::vector<double>(4));
  y(i) = stored(i);
}
