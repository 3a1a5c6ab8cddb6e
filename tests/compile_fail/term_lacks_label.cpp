// expect: tenfold: term {0} of the sum lacks the output label '{label}' at position {position}
// expect: tenfold::einsum_error<tenfold::label<'i'>, tenfold::at_position<9>, tenfold::term_of_sum<1>
// errors: 2
#include <tenfold/einsum.hpp>

int main() {
  tenfold::tensor<double, 3, 3> A, B;
  return static_cast<int>(tenfold::einsum<"ij + jk->ij">(A, B)(0, 0));
}
