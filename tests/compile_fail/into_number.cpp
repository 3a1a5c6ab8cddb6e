// expect: tenfold: a result of into(...) that is one number is a tensor of rank 0, tensor<double>
// errors: 1
#include <tenfold/einsum.hpp>

void f(const tenfold::tensor<double, 3>& a) {
  double r = 0;
  tenfold::einsum<"i,i->">(tenfold::into(r), a, a);
}
