// expect: tenfold: label '{label}' at position {position} is one more than {0} different labels
// expect: tenfold::einsum_error<tenfold::label<'l', '2', '2'>, tenfold::at_position<115>, tenfold::at_most<64>
// errors: 2
#include <tenfold/einsum.hpp>

int main() {
  tenfold::tensor<double, 3, 3> A, B;
  return static_cast<int>(
      tenfold::einsum<"abcdefghijklmnopqrstuvwxyz,ABCDEFGHIJKLMNOPQRSTUVWXYZ,[l10][l11][l12][l13]["
                      "l14][l15][l16][l17][l18][l19][l20][l21][l22]">(A, B)(0, 0));
}
