#include <algorithm>
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
  return x.layout == batch_layout::interleaved && x.column == 1 && x.row == columns &&
         y.column == 1;
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
  const auto copy_problem = [&](index b) {
    const T* const from = problem_address<T>(c.from, c.source, b);
    T* const to = problem_address<T>(c.to, c.destination, b);
    for (index i = 0; i < c.rows; ++i)
      for (index j = 0; j < c.columns; ++j)
        write_entry(c.to, c.destination, to, b, i, j,
                    b < c.count ? read_entry(c.from, c.source, from, b, i, j) : T(0));
  };
  // A block is whole tiles of V problems and what is left of it.
  const index block = into ? c.to.block : out_of ? c.from.block : v;
  const index whole = block / v, pieces = whole + (block % v != 0);
  const auto copy_piece = [&](index piece) {
    const index p = piece / pieces * block + piece % pieces * v,
                end = std::min({p + v, (piece / pieces + 1) * block, room});
    const int count = static_cast<int>(std::clamp<index>(c.count - p, 0, v));
    index b = p;
    if (piece % pieces < whole) {
      if (into)
        return read_tile<T>(problem_address<T>(c.to, c.destination, p), c.from, c.source, c.rows,
                            c.columns, p, count, block);
      if (out_of && count > 0) {
        write_tile<T>(problem_address<T>(c.from, c.source, p), c.to, c.destination, c.rows,
                      c.columns, p, count, block);
        b += count;
      }
    }
    for (; b < end; ++b) copy_problem(b);
  };
  // Problems of a gathered destination may share entries: one task adds them in order.
  const index all = (room + block - 1) / block * pieces;
  const double entries = static_cast<double>(c.rows * c.columns) * v;
  const index grain =
      c.to.layout == batch_layout::gathered ? all : select::tiles_per_task(8 * entries);
  parallel_tiles(all, grain, [&](index begin, index end) {
    for (index piece = begin; piece < end; ++piece) copy_piece(piece);
  });
}

}  // namespace

void copy(const batch_copy& c, scalar type) {
  with_type(type, [&]<class T>(std::type_identity<T>) { run_copy<T>(c); });
}

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
