#include <algorithm>
#include <cstdint>
#include <tenfold/backend/cpu/caches.hpp>
#include <tenfold/backend/cpu/collected_lines.hpp>
#include <tenfold/backend/cpu/loop_walk.hpp>
#include <tenfold/backend/cpu/parallel.hpp>
#include <tenfold/backend/cpu/scratch.hpp>
#include <tenfold/backend/cpu/short_tiles.hpp>
#include <tenfold/backend/cpu/transposed_lines.hpp>
#include <tenfold/backend/cpu/update.hpp>
#include <tenfold/backend/cpu/whole_steps.hpp>

/// Whatever has no sum: axes in another order, diagonals, broadcasts, outer products, products
/// entry by entry. The loop n, along which entries of C are nearest, and the loop m, along which
/// those of an operand are, are cut into tiles of some lines of both; what is read and written of a
/// tile stays in L1, so each line of memory is touched once (as P. Springer, T. Su, P. Bientinesi,
/// HPTT: a high-performance tensor transposition C++ library, 2017, does).
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {
namespace {

/// A tile of an operand as rows of T: where entry (i, j) is at row + i * m + j * n.
template <class T>
struct placed_rows {
  const T* row = nullptr;
  index m = 0, n = 0;  ///< n: 0 or 1
};

/// An operand, read tile by tile.
template <class T>
class source {
 public:
  source(const operand_ref& ref, const void* base, index m, index n)
      : ref_(ref), base_(base), m_(m), n_(n) {}

  /// Whether its entries are rows of T where they lie.
  bool is_in_place() const { return (n_ == 0 || n_ == 1) && lies_as<T>(ref_); }

  /// Its tile at a distance: in place, or copied to `to`, entry (i, j) to i * to_m + j.
  placed_rows<T> rows(T* to, index to_m, index distance, index rows, index columns) const {
    if (is_in_place()) return {static_cast<const T*>(base_) + distance, m_, n_};
    copy(to, to_m, distance, rows, columns);
    return {to, to_m, 1};
  }

  void copy(T* to, index to_m, index distance, index rows, index columns) const {
    with_entries<T>(
        ref_, [&]<class X, bool Conjugated>(std::type_identity<X>, std::bool_constant<Conjugated>) {
          const X* const x = static_cast<const X*>(base_) + distance;
          if (m_ == 1 && n_ != 1)
            return copy_transposed<block_entries<T>, T, Conjugated>(to, to_m, x, n_, rows, columns);
          for (index i = 0; i < rows; ++i)
            copy_run<T, Conjugated>(to + i * to_m, x + i * m_, columns, n_);
        });
  }

 private:
  const operand_ref& ref_;
  const void* base_;
  index m_, n_;
};

/// to[i * to_m + j] := a(i, j) b(i, j) for i < rows, j < columns; a factor that is not EachA or
/// EachB is the same for a row.
template <bool EachA, bool EachB, class T>
[[gnu::always_inline]] inline void multiply_rows(T* to, index to_m, placed_rows<T> a,
                                                 placed_rows<T> b, index rows, index columns) {
  constexpr int w = lanes<T>;
  const index whole = columns / w * w;
  const auto rest = static_cast<int>(columns - whole);
  const auto entries = [&](const T* x, index j, auto same, auto each)
      __attribute__((always_inline)) {
    if constexpr (!each)
      return same;
    else
      return j < whole ? load<T, w>(x + j) : load_partial<T, w>(x + j, rest);
  };
  for (index i = 0; i < rows; ++i) {
    const auto all_a = broadcast<T, w>(a.row[0]), all_b = broadcast<T, w>(b.row[0]);
    const auto product = [&](index j) __attribute__((always_inline)) {
      return entries(a.row, j, all_a, std::bool_constant<EachA>{}) *
             entries(b.row, j, all_b, std::bool_constant<EachB>{});
    };
    for (index j = 0; j < whole; j += w) store<T, w>(to + j, product(j));
    if (rest > 0) store_partial<T, w>(to + whole, product(whole), rest);
    a.row += a.m;
    b.row += b.m;
    to += to_m;
  }
}
template <class T>
void multiply_rows(T* to, index to_m, const placed_rows<T>& a, const placed_rows<T>& b, index rows,
                   index columns) {
  if (a.n == 0)
    b.n == 0 ? multiply_rows<false, false>(to, to_m, a, b, rows, columns)
             : multiply_rows<false, true>(to, to_m, a, b, rows, columns);
  else
    b.n == 0 ? multiply_rows<true, false>(to, to_m, a, b, rows, columns)
             : multiply_rows<true, true>(to, to_m, a, b, rows, columns);
}

template <class T>
class entry_wise {
 public:
  entry_wise(const step_loop& m, const step_loop& n, const loop_list& outer,
             const program_step& step, const step_arguments<T>& args)
      : m_(m),
        n_(n),
        a_(step.a, args.a, m.a, n.a),
        b_(step.b, args.b, m.b, n.b),
        has_b_(step.b.where != buffer::none),
        args_(args),
        is_plain_(args.alpha == T(1) && args.beta == T(0)),
        loops_(outer) {
    double bytes = touched(&step_loop::c) + touched(&step_loop::a);
    if (has_b_) bytes += touched(&step_loop::b);
    const bool streams =
        n_.c == 1 && args.beta == T(0) && select::writes_past_caches(bytes, caches().l3);
    const bool transposes = !a_.is_in_place() || (has_b_ && !b_.is_in_place());
    const select::pointwise_tile tile =
        select::pointwise_tile_of(m_.extent, n_.extent, transposes, scalar_of<T>, streams);
    tile_m_ = tile.m;
    tile_n_ = tile.n;
    const index row_bytes = n_.extent * index{sizeof(T)};
    collects_ = streams && is_plain_ && tile.m == m_.extent && tile.n == n_.extent && goes_on() &&
                select::collects_lines(row_bytes, transposes) &&
                collected_lines<T>::room_for(m_.extent * n_.extent) <= area;
    streams_ = collects_ || (streams && row_bytes >= line);
    loops_.add(tiles_of(m_, tile_m_));
    loops_.add(tiles_of(n_, tile_n_));
  }

  void run() const {
    const index grain = std::max<index>(1, select::pointwise_task / (tile_m_ * tile_n_));
    parallel_tiles(loops_.extent(), grain, [&](index begin, index end) {
      const scratch_block rows(static_cast<std::size_t>(3 * area) * sizeof(T));
      collected_lines<T> lines(rows.as<T>() + 2 * area, area);
      loop_walk here(loops_, begin);
      const int last = loops_.count() - 1;
      for (index i = begin; i < end; ++i) {
        const index row = here.at(last - 1) * tile_m_, column = here.at(last) * tile_n_;
        const tile_place at{here.a,
                            here.b,
                            args_.c + here.c,
                            rows.as<T>(),
                            std::min(tile_m_, m_.extent - row),
                            std::min(tile_n_, n_.extent - column),
                            column,
                            n_.extent - column};
        here.next();
        if (collects_) {
          tile_place waiting = at;
          waiting.c = lines.next(at.c, at.rows * at.columns);
          tile(waiting);
        } else {
          streams_ ? stream_tile(at) : tile(at);
        }
      }
      lines.write_all();
      if (streams_) streams_end();
    });
  }

 private:
  /// Whether the results of a value of the loop around are in one piece, and those of the next one
  /// follow.
  bool goes_on() const {
    const bool in_one = m_.extent == 1 || m_.c == n_.extent;
    return in_one && loops_.count() > 0 &&
           loops_.data()[loops_.count() - 1].c == m_.extent * n_.extent &&
           reinterpret_cast<std::uintptr_t>(args_.c) % sizeof(T) == 0;
  }

  /// Bytes of an operand, as if it were of T.
  double touched(index step_loop::*operand) const {
    double entries = static_cast<double>(m_.*operand == 0 ? 1 : m_.extent) *
                     static_cast<double>(n_.*operand == 0 ? 1 : n_.extent);
    for (int l = 0; l < loops_.count(); ++l) {
      const step_loop& loop = loops_.data()[l];
      if (loop.*operand != 0) entries *= static_cast<double>(loop.extent);
    }
    return entries * static_cast<double>(sizeof(T));
  }

  /// Entries of scratch for one tile.
  static constexpr index area = select::pointwise_scratch(scalar_of<T>) / 3;

  /// Where a tile lies in the operands, scratch of three of them, its size, and how many columns
  /// are before it and, with its own, behind.
  struct tile_place {
    index a, b;
    T* c;
    T* scratch;
    index rows, columns, before, left;
  };

  /// A tile of an operand, `columns` wide, copied to part `part` of scratch if need be.
  placed_rows<T> rows_of(const source<T>& x, index distance, const tile_place& at, index columns,
                         int part) const {
    return x.rows(at.scratch + part * area, columns, distance, at.rows, columns);
  }

  /// Calls f(i, entries, step) for the rows of a tile of A B, `columns` wide: entries `step` apart,
  /// 0 or 1.
  template <class F>
  [[gnu::always_inline]] void for_each_row(const tile_place& at, index columns, F f) const {
    T* const s = at.scratch;
    const placed_rows<T> a = rows_of(a_, at.a, at, columns, 0);
    if (!has_b_) {
      for (index i = 0; i < at.rows; ++i) f(i, a.row + i * a.m, a.n);
      return;
    }
    const placed_rows<T> b = rows_of(b_, at.b, at, columns, 1);
    for (index i = 0; i < at.rows; ++i) {
      T* const product = s + 2 * area;
      multiply_rows<T>(product, 0, {a.row + i * a.m, a.m, a.n}, {b.row + i * b.m, b.m, b.n}, 1,
                       columns);
      f(i, product, 1);
    }
  }

  void tile(const tile_place& at) const {
    if (is_plain_ && n_.c == 1) {
      if (!has_b_) return a_.copy(at.c, m_.c, at.a, at.rows, at.columns);
      return multiply_rows(at.c, m_.c, rows_of(a_, at.a, at, at.columns, 0),
                           rows_of(b_, at.b, at, at.columns, 1), at.rows, at.columns);
    }
    for_each_row(at, at.columns, [&](index i, const T* s, index step) {
      T* const c = at.c + i * m_.c;
      if (n_.c == 1 && step == 1) return update_run(c, s, at.columns, args_.alpha, args_.beta);
      for (index j = 0; j < at.columns; ++j)
        update_entry(c[j * n_.c], s[j * step], args_.alpha, args_.beta);
    });
  }

  /// Past the caches in whole lines: where those of C do not end with the tile, each row takes what
  /// ends its last line from the columns behind, and leaves what began its first one to the tile
  /// before (lines in two parts: 8 GB/s instead of 13 for 5001 x 4999, Granite Rapids).
  void stream_tile(const tile_place& at) const {
    index columns = at.columns;
    for (index i = 0; i < at.rows; ++i)
      columns = std::max(columns, at.columns + entries_to_line(at.c + i * m_.c + at.columns));
    columns = std::min(columns, at.left);
    T* const copy = at.scratch + 2 * area;
    for_each_row(at, columns, [&](index i, const T* s, index step) {
      T* const c = at.c + i * m_.c;
      const index begin = at.before == 0 ? 0 : std::min(entries_to_line(c), columns);
      const index end = std::min(at.columns + entries_to_line(c + at.columns), at.left);
      if (step == 0 || !is_plain_) {
        for (index j = begin; j < end; ++j) copy[j] = s[j * step];
        update_run(copy + begin, copy + begin, end - begin, args_.alpha, T(0));
        s = copy;
      }
      stream_run(c + begin, s + begin, end - begin);
    });
  }

  step_loop m_, n_;
  source<T> a_, b_;
  bool has_b_;
  const step_arguments<T>& args_;
  bool is_plain_;  ///< alpha is 1 and beta 0
  bool streams_;   ///< results go past the caches
  bool collects_;  ///< they do so over several tiles, each of which is in one piece
  index tile_m_, tile_n_;
  loop_list loops_;  ///< outer ones, tiles of m, tiles of n
};

}  // namespace

template <class T>
void run_pointwise(const program_step& step, const step_loop* loops,
                   const step_arguments<T>& args) {
  const bool has_b = step.b.where != buffer::none;
  // Without a loop of its own, rows are those of the innermost loop around.
  const bool has_m = step.m.extent > 1 || step.outer_count == 0;
  const step_loop& m = has_m ? step.m : loops[step.outer_count - 1];
  const int outer_count = has_m ? step.outer_count : step.outer_count - 1;
  const auto is_in_rows = [](index n) { return n == 0 || n == 1; };
  const bool transposes = !is_in_rows(step.n.a) || (has_b && !is_in_rows(step.n.b));
  const index tile = m.extent * step.n.extent;
  const bool is_short = tile < select::short_tile;
  if ((is_short || select::is_short_by_lanes(m.extent, step.n.extent, transposes, lanes<T>)) &&
      outer_count > 0 && lies_as<T>(step.a) && (!has_b || lies_as<T>(step.b))) {
    loop_list all;
    all.add(loops, outer_count);
    all.add(m);
    for (int l = all.count() - 1; l > 0 && all.data()[l - 1].c < all.data()[l].c; --l)
      std::swap(all.data()[l - 1], all.data()[l]);
    all.add(step.n);
    if (is_short || short_tiles<T>::pays(all, tile, has_b)) {
      const short_tiles<T> tiles(all, tile, has_b, args);
      if (is_short || tiles.by_vectors()) return tiles.run();
    }
  }
  loop_list outer;
  outer.add(loops, outer_count);
  if (!has_b && m.a == 1 && step.n.a != 0 && step.n.a != 1 && step.n.c == 1 && args.beta == T(0) &&
      select::transposes_lines(m.extent, step.n.extent, scalar_of<T>) &&
      select::writes_past_caches(2.0 * static_cast<double>(sizeof(T)) *
                                     static_cast<double>(m.extent * step.n.extent) *
                                     static_cast<double>(outer.extent()),
                                 caches().l3))
    return transposed_lines<T>(m, step.n, outer, step, args).run();
  entry_wise<T>(m, step.n, outer, step, args).run();
}

template void run_pointwise(const program_step&, const step_loop*, const step_arguments<float>&);
template void run_pointwise(const program_step&, const step_loop*, const step_arguments<double>&);
template void run_pointwise(const program_step&, const step_loop*,
                            const step_arguments<std::complex<float>>&);
template void run_pointwise(const program_step&, const step_loop*,
                            const step_arguments<std::complex<double>>&);

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
