// expect: tenfold: more than {0} operands
// expect: tenfold::einsum_error<tenfold::label<','>, tenfold::at_position<63>, tenfold::at_most<32>
// errors: 2
#include <tenfold/einsum.hpp>

int main() {
  tenfold::tensor<double, 3, 3> A, B;
  return static_cast<int>(
      tenfold::einsum<"i,i,i,i,i,i,i,i,i,i,i,i,i,i,i,i,i,i,i,i,i,i,i,i,i,i,i,i,i,i,i,i,i">(A, B)(
          0, 0));
}
