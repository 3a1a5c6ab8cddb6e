// expect: tenfold: a tensor with labels needs #include <tenfold/index_notation.hpp>
// errors: 3
// includes: its own
#include <tenfold/fuse.hpp>

void f(const tenfold::tensor<double, 3, 3>& A, tenfold::tensor<double, 3>& y) {
  using tenfold::labels::i, tenfold::labels::j;
  y(i) = A(i, j) * y(j);
}
