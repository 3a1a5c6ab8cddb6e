// expect: tenfold: a view of a temporary batch, which is gone with the statement
// errors: 1
#include <tenfold/batched_blas.hpp>

int main() {
  tenfold::interleaved_view C = tenfold::interleaved<double, 8, 3, 3>(5);
  return C(0, 0, 0) > 0;
}
