// expect: tenfold: the output is not a strided tensor in host memory
// expect: tenfold::einsum_error<>
// errors: 2
#include <tenfold/explain.hpp>
#include <tenfold/tensor/pointers.hpp>

int main() {
  tenfold::tensor<double, 3, 3> A;
  double* const list[] = {A.data()};
  tenfold::pointers<double, 3, 3> y(list, 1);
  return static_cast<int>(tenfold::explain<"ij,jk->ijk">(into(y), A, A).allocations);
}
