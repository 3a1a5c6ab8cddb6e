// expect: tenfold: the labels that occur once in term {0} of the sum are not those of term 0: write the output behind '->'
// expect: tenfold::einsum_error<tenfold::term_of_sum<1>
// errors: 2
#include <tenfold/einsum.hpp>

int main() {
  tenfold::tensor<double, 3, 3> A, B;
  return static_cast<int>(tenfold::einsum<"ij - jk">(A, B)(0, 0));
}
