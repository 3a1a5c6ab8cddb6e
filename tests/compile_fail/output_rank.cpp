// expect: tenfold: the output has rank {0}, its subscripts name {1} labels
// expect: tenfold::einsum_error<tenfold::has_rank<1>, tenfold::labels_named<2>
// errors: 2
#include <tenfold/einsum.hpp>

int main() {
  tenfold::tensor<double, 3, 3> A, B;
  tenfold::tensor<double, 3> y;
  tenfold::einsum<"ij,jk->ik">(tenfold::into(y), A, B);
}
