// expect: tenfold: accumulate<T> takes float or double; complex operands stay complex
// errors: 1
#include <tenfold/einsum.hpp>

int main() {
  tenfold::tensor<float, 3, 3> A, B;
  return static_cast<int>(tenfold::einsum<"ij,jk->ik">(A, B, tenfold::accumulate<int>)(0, 0));
}
