// expect: tenfold: gathered refers to a temporary scatter_order, which is gone with the statement
// errors: 1
#include <tenfold/fuse.hpp>

void f(double* array, const tenfold::index_map<std::int32_t>& map) {
  tenfold::gathered<double, 8> v(array, map, tenfold::scatter_order(map));
}
