// The rank is more than the plain data of so short an expression holds.
// expect: tenfold: operand {0} has rank {1}, its subscripts name {2} labels
// expect: tenfold::einsum_error<tenfold::operand<0>, tenfold::has_rank<9>, tenfold::labels_named<2>
// errors: 2
#include <tenfold/einsum.hpp>

int main() {
  tenfold::tensor<double, 1, 1, 1, 1, 1, 1, 1, 1, 1> A;
  return static_cast<int>(tenfold::einsum<"ij->ij">(A)(0, 0));
}
