// expect: tenfold: a strided_view takes an extent and a stride for each axis, those that its type fixes, too
// errors: 1
#include <tenfold/tensor/view.hpp>

void f(const double* p) { tenfold::strided_view<const double, 3, 4> w(p, {3, 4}, {1}); }
