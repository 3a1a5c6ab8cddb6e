// expect: tenfold: an argument is neither an operand, whose entries are float, double or complex numbers, nor an option; into(y) comes first
// errors: 1
#include <tenfold/einsum.hpp>

int main() {
  tenfold::tensor<double, 3, 3> A;
  tenfold::tensor<int, 3, 3> B;
  tenfold::einsum("ij,jk->ik", A, B);
}
