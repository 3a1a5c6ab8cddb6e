#include <complex>
#include <tenfold/backend/cpu/batch_tile.hpp>
#include <tenfold/backend/cpu/pack.hpp>
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

/// Problems that the storage has room for: an interleaved batch ends with a whole block.
index with_pad(const matrix_batch& x, index count) {
  if (x.layout != batch_layout::interleaved) return count;
  return (count + x.block - 1) / x.block * x.block;
}

/// Problems from `count` on are the pad of an interleaved destination: they become 0.
template <class T>
void run_copy(const batch_copy& c) {
  constexpr index v = lanes<T>;
  const bool into = takes_runs<T>(c.to, c.from, c.columns),
             out_of = takes_runs<T>(c.from, c.to, c.columns);
  const index room = with_pad(c.to, c.count);
  const auto copy_tile = [&](index p) {
    const index left = c.count - p;
    const int count = static_cast<int>(left < 0 ? 0 : left < v ? left : v);
    if (into)
      return read_tile<T>(problem_address<T>(c.to, c.destination, p), c.from, c.source, c.rows,
                          c.columns, p, count, c.to.block);
    index b = p;
    if (out_of && count > 0) {
      write_tile<T>(problem_address<T>(c.from, c.source, p), c.to, c.destination, c.rows, c.columns,
                    p, count, c.from.block);
      b += count;
    }
    for (; b < p + v && b < room; ++b)
      for (index i = 0; i < c.rows; ++i)
        for (index j = 0; j < c.columns; ++j)
          write_entry<T>(c.to, c.destination, b, i, j,
                         b < c.count ? read_entry<T>(c.from, c.source, b, i, j) : T(0));
  };
  // Problems of a gathered destination may share entries: one task adds them in order.
  const index tiles = (room + v - 1) / v;
  const double entries = static_cast<double>(c.rows * c.columns) * v;
  const index grain =
      c.to.layout == batch_layout::gathered ? tiles : select::tiles_per_task(8 * entries);
  parallel_tiles(tiles, grain, [&](index begin, index end) {
    for (index tile = begin; tile < end; ++tile) copy_tile(tile * v);
  });
}

}  // namespace

void copy(const batch_copy& c, scalar type) {
  with_type(type, [&]<class T>(std::type_identity<T>) { run_copy<T>(c); });
}

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
