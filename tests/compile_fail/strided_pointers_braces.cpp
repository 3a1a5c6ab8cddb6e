// expect: tenfold: strided_pointers takes the number of pointers and all extents of a problem, and a stride for each of its axes
// errors: 1
#include <tenfold/tensor/pointers.hpp>

void f(const double* const* p) {
  tenfold::strided_pointers<const double, 3, 3> w(p, {2, 3, 3}, {1});
}
