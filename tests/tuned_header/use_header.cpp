#include <tenfold/backend/cpu/gemm_static.hpp>

// What static sizes are built with, where a header says so.

namespace tenfold {

constexpr gemm_shape square(index n) {
  gemm_shape s{scalar::f64, n, n, n, {}, {}, {}};
  for (matrix_batch* x : {&s.a, &s.b, &s.c}) {
    x->row = n;
    x->column = 1;
  }
  return s;
}
constexpr gemm_tuning built(index n) {
  return select::built_in(cpu::compiled_set, cpu::compiled_model, class_of(square(n)));
}
static_assert(built(12).columns_rows == 3);
static_assert(built(16) == built(12));
static_assert(built(17) ==
              select::shipped_static(class_of(square(17)), cpu::compiled_set, cpu::compiled_model));
static_assert(built(8) ==
              select::shipped_static(class_of(square(8)), cpu::compiled_set, cpu::compiled_model));

constexpr cpu::static_tiles tiles =
    cpu::tiles_of<double>(square(12), select::gemm_path::by_columns, built(12));
static_assert(tiles.tile.m == 3);
static_assert(tiles.unroll == 0);
static_assert(cpu::tiles_of<double>(square(8), select::gemm_path::by_columns, built(8)).tile.m > 3);

}  // namespace tenfold
