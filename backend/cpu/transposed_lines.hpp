#pragma once

#include <algorithm>
#include <cstdint>
#include <tenfold/backend/cpu/collected_lines.hpp>
#include <tenfold/backend/cpu/loop_walk.hpp>
#include <tenfold/backend/cpu/parallel.hpp>
#include <tenfold/backend/cpu/scratch.hpp>
#include <tenfold/backend/cpu/update.hpp>
#include <tenfold/backend/cpu/whole_steps.hpp>

namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

/// to[i * to_m + j] := x[i + j * n] in blocks of P x P, the last ones drawn back so that they end
/// with the tile.
template <int P, class T, bool Conjugated, class X>
void copy_transposed(T* to, index to_m, const X* x, index n, index rows, index columns) {
  if (rows >= P && columns >= P) {
    for (index j = 0; j < columns; j += P) {
      j = std::min(j, columns - P);
      for (index i = 0; i < rows; i += P) {
        i = std::min(i, rows - P);
        pack_block<T, P, Conjugated, P>(to + i * to_m + j, to_m, x + i + j * n, n);
      }
    }
  } else if constexpr (P > 1) {
    copy_transposed<P / 2, T, Conjugated>(to, to_m, x, n, rows, columns);
  }
}

/// C(x, m, n) := alpha A(x, m, n) on its way past the caches, where entries of A are nearest along
/// m and those of C along n. A piece is a line of A for each of few n: few streams that are read in
/// order, and lines that are written whole. The pieces of a tile follow one another along m; those
/// some ahead are fetched into L2, since L1 has no room for lines whose distances are a power of 2.
///
/// Orders 240 and 256 reversed in double precision, Zen 4, one core: 37 and 30 GB/s, copying in
/// order 44; by tiles of 128 x 32 in scratch 19 and 18. Of 256 in single precision 20 and 15: the
/// lines of a piece have 8 places in each cache.
///
/// Of lines that two rows share parts are written into the caches, which takes as long as a line
/// from memory: they are fetched, too, and where rows follow one another they wait for the rest.
template <class T>
class transposed_lines {
 public:
  /// m.a = n.c = 1, and there is as much as select::transposes_lines asks for.
  transposed_lines(const step_loop& m, const step_loop& n, const loop_list& outer,
                   const program_step& step, const step_arguments<T>& args)
      : m_(m), n_(n), ref_(step.a), args_(args), loops_(outer) {
    const auto are_lines = [](index stride) { return stride % in_line == 0; };
    const bool is_copy =
        args.alpha == T(1) && reinterpret_cast<std::uintptr_t>(args.c) % sizeof(T) == 0;
    bool whole = is_copy && entries_to_line(args.c) == 0 && are_lines(m.c);
    for (int l = 0; l < outer.count(); ++l) whole = whole && are_lines(outer.data()[l].c);
    if (whole && n.extent >= in_line)
      way_ = way::lines;
    else if (is_copy && m.c == n.extent && n.extent <= most_collected)
      way_ = way::collected;
    rows_ = in_parts(m.extent, select::transposed_rows);
    columns_ = way_ == way::collected
                   ? n.extent
                   : in_parts(n.extent, (way_ == way::lines ? 2 : most_lines) * in_line);
    loops_.add(tiles_of(m, rows_));
    loops_.add(tiles_of(n, columns_));
  }

  void run() const {
    const index grain = std::max<index>(1, select::pointwise_task / (rows_ * columns_));
    parallel_tiles(loops_.extent(), grain, [&](index begin, index end) {
      const index room =
          way_ == way::collected ? collected_lines<T>::room_for(2 * in_line * columns_) : 0;
      const scratch_block memory(static_cast<std::size_t>(room) * sizeof(T));
      collected_lines<T> lines(memory.as<T>(), room);
      loop_walk here(loops_, begin);
      tile_place at = place_of(here);
      for (index i = begin; i < end; ++i) {
        here.next();
        const tile_place next = i + 1 < end ? place_of(here) : at;
        with_entries<T>(ref_, [&]<class X, bool Conjugated>(std::type_identity<X>,
                                                            std::bool_constant<Conjugated>) {
          tile<Conjugated>(at, next, static_cast<const X*>(args_.a), lines);
        });
        at = next;
      }
      lines.write_all();
      streams_end();
    });
  }

 private:
  static constexpr index in_line = line / index{sizeof(T)};
  static constexpr index ahead = select::transposed_ahead * in_line;
  static constexpr index most_lines = 8;  ///< of a row in a piece
  static constexpr index most_collected = select::collected_row / index{sizeof(T)};

  /// How the rows of pieces are written: they are lines; they follow one another; anything else.
  enum class way { lines, collected, runs };

  static constexpr index whole_pieces(index rows) {
    return (rows + in_line - 1) / in_line * in_line;
  }
  /// Whole pieces in a part of so many entries, the parts as even as can be.
  static index in_parts(index extent, index most) {
    const index parts = (extent + most - 1) / most;
    return whole_pieces((extent + parts - 1) / parts);
  }

  /// Where a tile lies in A and C, its size, and how many columns are before it and, with its own,
  /// behind.
  struct tile_place {
    index a;
    T* c;
    index rows, columns, before, left;
  };
  tile_place place_of(const loop_walk& here) const {
    const int last = loops_.count() - 1;
    const index row = here.at(last - 1) * rows_, column = here.at(last) * columns_;
    return {here.a,
            args_.c + here.c,
            std::min(rows_, m_.extent - row),
            std::min(columns_, n_.extent - column),
            column,
            n_.extent - column};
  }

  template <bool Conjugated, class X>
  void tile(const tile_place& at, const tile_place& next, const X* a,
            collected_lines<T>& lines) const {
    const index rows = whole_pieces(at.rows), distance = std::min(rows, ahead);
    for (index i = 0; i < at.rows; i += in_line) {
      const index later = i + distance;
      later < rows ? fetch(a, at, later) : fetch(a, next, later - rows);
      if (way_ == way::collected) {
        // Less than half a piece at the end goes with the one before it.
        const index left = at.rows - i;
        if (i > 0 && left < in_line / 2) break;
        const index count = left < in_line + in_line / 2 ? left : in_line;
        copy_transposed<block_entries<T>, T, Conjugated>(
            lines.next(at.c + i * m_.c, count * n_.extent), n_.extent, a + at.a + i, n_.a, count,
            n_.extent);
        continue;
      }
      // The last piece is drawn back so that it ends with the tile, unless that has no other.
      const index count = std::min(at.rows, in_line), first = std::min(i, at.rows - count);
      T* const c = at.c + first * m_.c;
      const X* const x = a + at.a + first;
      if (way_ == way::lines && count == in_line)
        write_lines<Conjugated>(c, x, at.columns);
      else
        write_runs<Conjugated>(at, c, x, count);
    }
  }

  /// The lines of A of the piece that begins with a row, and those of C of which it writes a part.
  /// Addresses are numbers: a piece may end behind the tensors.
  template <class X>
  [[gnu::always_inline]] void fetch(const X* a, const tile_place& at, index row) const {
    const auto address = [](const auto* x, index distance) {
      return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(x) +
                                           static_cast<std::uintptr_t>(distance) * sizeof(*x));
    };
    const index columns = way_ == way::runs ? std::min(at.columns + in_line, at.left) : at.columns;
    for (index j = 0; j < columns; ++j) __builtin_prefetch(address(a, at.a + row + j * n_.a), 0, 2);
    if (way_ != way::runs) return;
    for (index i = row; i < row + in_line; ++i) {
      if (at.before == 0) __builtin_prefetch(address(at.c, i * m_.c), 1);
      if (at.columns == at.left) __builtin_prefetch(address(at.c, i * m_.c + at.left - 1), 1);
    }
  }

  /// A piece whose rows are lines of C, from registers; what does not fill a line is left in
  /// caches.
  template <bool Conjugated, class X>
  [[gnu::always_inline]] void write_lines(T* c, const X* x, index columns) const {
    constexpr int p = block_entries<T>;
    const index whole = columns / in_line * in_line;
    for (index i = 0; i < in_line; i += p) {
      for (index j = 0; j < whole; j += p) {
        entry_row<T, p> row[p];
#pragma GCC unroll 16
        for (int l = 0; l < p; ++l) row[l] = load_row<T, p, Conjugated>(x + i + (j + l) * n_.a);
        transpose<p, moved_unit<T>::count>(row);
#pragma GCC unroll 16
        for (int l = 0; l < p; ++l) stream_row<T, p>(c + (i + l) * m_.c + j, row[l]);
      }
    }
    if (whole < columns)
      copy_transposed<p, T, Conjugated>(c + whole, m_.c, x + whole * n_.a, n_.a, in_line,
                                        columns - whole);
  }

  /// A piece, of fewer rows, too, by way of scratch (lines put together from two blocks in
  /// registers, by permutations, were 0.5 to 0.9 as fast). Where lines of C do not end with the
  /// tile each row takes what ends its last line from the columns behind, and leaves what began its
  /// first one to the tile before.
  template <bool Conjugated, class X>
  void write_runs(const tile_place& at, T* c, const X* x, index count) const {
    constexpr index most = (most_lines + 1) * in_line;
    alignas(line) std::byte memory[sizeof(T) * in_line * most];
    T* const s = reinterpret_cast<T*>(memory);
    const index columns = std::min(at.columns + in_line - 1, at.left);
    copy_transposed<block_entries<T>, T, Conjugated>(s, most, x, n_.a, count, columns);
    for (index i = 0; i < count; ++i, c += m_.c) {
      const index begin = at.before == 0 ? 0 : std::min(entries_to_line(c), columns);
      const index end = std::min(at.columns + entries_to_line(c + at.columns), at.left);
      T* const from = s + i * most + begin;
      if (args_.alpha != T(1)) update_run(from, from, end - begin, args_.alpha, T(0));
      stream_run(c + begin, from, end - begin);
    }
  }

  step_loop m_, n_;
  const operand_ref& ref_;
  const step_arguments<T>& args_;
  way way_ = way::runs;
  index rows_, columns_;
  loop_list loops_;  ///< outer ones, tiles of m, tiles of n
};

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
