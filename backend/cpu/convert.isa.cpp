#include <complex>
#include <tenfold/backend/cpu/batch_tile.hpp>
#include <tenfold/backend/cpu/parallel.hpp>

/// Copies of a batch from one layout to another, a tile of V problems at a time, transposed in
/// registers; between an interleaved batch and runs in memory without a step between.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {
namespace {

/// Whether tiles of V problems of x lie where a transposition of y's runs leaves them.
template <class T>
bool takes_runs(const matrix_batch& x, const matrix_batch& y, index columns) {
  return x.layout == batch_layout::interleaved && x.block % lanes<T> == 0 && x.column == 1 &&
         x.row == columns && y.column == 1;
}

template <class T>
void run_copy(const batch_copy& c) {
  constexpr index v = lanes<T>;
  const bool into = takes_runs<T>(c.to, c.from, c.columns),
             out_of = takes_runs<T>(c.from, c.to, c.columns);
  const double entries = static_cast<double>(c.rows * c.columns) * v;
  parallel_tiles((c.count + v - 1) / v, select::tiles_per_task(8 * entries),
                 [&](index begin, index end) {
                   for (index tile = begin; tile < end; ++tile) {
                     const index p = tile * v, left = c.count - p;
                     const int count = static_cast<int>(left < v ? left : v);
                     if (into) {
                       read_tile<T>(problem_address<T>(c.to, c.destination, p), c.from, c.source,
                                    c.rows, c.columns, p, count, c.to.block);
                     } else if (out_of) {
                       write_tile<T>(problem_address<T>(c.from, c.source, p), c.to, c.destination,
                                     c.rows, c.columns, p, count, c.from.block);
                     } else {
                       for (int l = 0; l < count; ++l)
                         for (index i = 0; i < c.rows; ++i)
                           for (index j = 0; j < c.columns; ++j)
                             write_entry<T>(c.to, c.destination, p + l, i, j,
                                            read_entry<T>(c.from, c.source, p + l, i, j));
                     }
                   }
                 });
}

}  // namespace

void copy(const batch_copy& c, scalar type) {
  switch (type) {
    case scalar::f32:
      return run_copy<float>(c);
    case scalar::f64:
      return run_copy<double>(c);
    case scalar::c32:
      return run_copy<std::complex<float>>(c);
    case scalar::c64:
      return run_copy<std::complex<double>>(c);
  }
}

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
