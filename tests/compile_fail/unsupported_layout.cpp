// expect: tenfold: operand {0} is not a strided tensor in host memory
// expect: tenfold::einsum_error<tenfold::operand<1>
// errors: 2
#include <tenfold/explain.hpp>
#include <tenfold/tensor/pointers.hpp>

int main() {
  tenfold::tensor<double, 3, 3> A;
  double* const list[] = {A.data()};
  const tenfold::pointers<double, 3, 3> B(list, 1);
  return static_cast<int>(tenfold::explain<"ij,ejk->ik">(A, B).allocations);
}
