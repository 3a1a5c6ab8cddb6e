// expect: one_number_for_each_dyn
// errors: 1
#include <tenfold/tensor/tensor.hpp>

void f() { tenfold::tensor<double, tenfold::dyn, 8> u(100, 8); }
