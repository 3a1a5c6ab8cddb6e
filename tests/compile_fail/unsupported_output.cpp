// expect: tenfold: the output is not a strided tensor in host memory
// expect: tenfold::einsum_error<>
// errors: 2
#include <tenfold/einsum.hpp>
#include <tenfold/tensor/pointers.hpp>

int main() {
  tenfold::tensor<double, 3, 3> A;
  double* const list[] = {A.data()};
  tenfold::pointers<double, 3, 3> y(list, 1);
  tenfold::einsum<"ij,jk->ijk">(into(y), A, A);
}
