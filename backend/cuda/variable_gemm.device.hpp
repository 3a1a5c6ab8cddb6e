#pragma once

#include <tenfold/backend/cuda/base.device.hpp>
#include <tenfold/backend/interface/device_variable_gemm.hpp>

/// Products of matrices of any sizes, which the device alone knows. device_variable_gemm.hpp says
/// how the work is cut.
namespace tenfold::cuda {

/// What a block has in shared memory.
template <class T, device_variable_gemm K>
struct variable_shared {
  T room[K.room];
  T alpha[variable_problems], beta[variable_problems];
  device_variable_lines factor[2 * variable_problems];  // left, right of one problem, of the next
  device_variable_result result[variable_problems];
  device_variable_product alone;
};

// ---- numbers ------------------------------------------------------------------------------------

/// e / n as quotient(e, reciprocal_of(n)), for e n < 2^31: the reciprocal is less than 1 / 2^31 too
/// large, and e times that less than what e / n lacks to the next whole number, 1 / n.
TENFOLD_DEVICE unsigned reciprocal_of(int n) {
  return (0x7fffffffu + static_cast<unsigned>(n)) / static_cast<unsigned>(n);
}
TENFOLD_DEVICE int quotient(int e, unsigned reciprocal) {
  return static_cast<int>(
      static_cast<unsigned long long>(2u * static_cast<unsigned>(e)) * reciprocal >> 32);
}
TENFOLD_DEVICE int ceil_div(int x, int y) { return (x + y - 1) / y; }
template <class N>
TENFOLD_DEVICE constexpr N least(N x, N y) {
  return x < y ? x : y;
}

/// The first of [from, to) that is beyond something, as all behind it are; `to`: none.
template <class F>
TENFOLD_DEVICE int first_beyond(int from, int to, const F& is_beyond) {
  while (from < to) {
    const int middle = (from + to) / 2;
    if (is_beyond(middle))
      to = middle;
    else
      from = middle + 1;
  }
  return from;
}

// ---- problems -----------------------------------------------------------------------------------

/// What is wrong with a problem, as wrong_gemm_size, with 2, 3 for an op that is none and 8, 10, 13
/// for a null A, B, C that would be read or written.
template <class T>
TENFOLD_DEVICE int wrong_argument(const device_gemm_problem<T>& p, bool by_row) {
  if (p.op_a > 2) return 2;
  if (p.op_b > 2) return 3;
  const int size =
      wrong_gemm_size(by_row, p.op_a != 0, p.op_b != 0, p.m, p.n, p.k, p.lda, p.ldb, p.ldc);
  if (size != 0 || p.m == 0 || p.n == 0) return size;
  const bool reads = p.k > 0 && !is_zero(p.alpha);
  if (reads && p.a == nullptr) return 8;
  if (reads && p.b == nullptr) return 10;
  return p.c == nullptr ? 13 : 0;
}

template <class T>
TENFOLD_DEVICE device_variable_product product_of(const device_gemm_problem<T>& p, bool by_row) {
  const long long depth = is_zero(p.alpha) ? 0 : p.k;
  const long long ldc = (by_row ? p.m : p.n) > 1 ? p.ldc : 0;  // one row has no next one
  const device_variable_factor a{p.a, p.lda, by_row == (p.op_a == 0), p.op_a == 2},
      b{p.b, p.ldb, by_row == (p.op_b != 0), p.op_b == 2};
  if (by_row) return {a, b, p.m, p.n, depth, p.c, ldc};
  return {b, a, p.n, p.m, depth, p.c, ldc};
}

// ---- factors into the room ----------------------------------------------------------------------

/// How `outer` rows of left, or columns of right, come to the room from (first, from) on, `depth`
/// contracted values of each.
template <class T, int Together>
TENFOLD_DEVICE device_variable_lines lines_of(const device_variable_factor& x, long long first,
                                              int outer, long long from, int depth, int pitch) {
  device_variable_lines lines{};
  if (depth == 0) return lines;
  const int length = x.along ? depth : outer;
  const T* const data =
      static_cast<const T*>(x.data) + (x.along ? first * x.ld + from : from * x.ld + first);
  lines.data = data;
  lines.lines = static_cast<short>(x.along ? outer : depth);
  lines.ld = lines.lines > 1 ? x.ld : 0;  // behind a single line there need not be an address
  lines.reciprocal = reciprocal_of(length);
  lines.length = static_cast<short>(length);
  lines.pitch = static_cast<short>(pitch);
  lines.along = x.along;
  const auto address = reinterpret_cast<unsigned long long>(data);
  if (is_complex<T> && address % sizeof(T) != 0)
    lines.at_once = 0;
  else if (x.along && address % (Together * sizeof(T)) == 0 && x.ld % Together == 0 &&
           length % Together == 0)
    lines.at_once = Together;
  else
    lines.at_once = 1;
  return lines;
}

/// Begins to copy them, N entries at once, by `threads` threads of which this is number t.
/// Neighbours in memory go to neighbouring threads: these have some lines at a time, or part of
/// one. A few threads may have none then, but from one line to the next a thread only adds.
template <int N, class T>
TENFOLD_DEVICE void copy_entries(T* room, const device_variable_lines& x, int t, int threads) {
  constexpr int at_once = N == 0 ? 1 : N, reals = is_complex<T> ? 2 : 1, some = 4;
  using R = real<T>;
  const int width = at_once * threads, length = x.length;
  const bool is_short = length <= width;
  const int step = is_short ? quotient(width, x.reciprocal) : 1;
  const int line = is_short ? quotient(at_once * t, x.reciprocal) : 0;
  if (line >= step) return;
  const int to_line = x.along ? x.pitch : 1, to_entry = x.along ? 1 : x.pitch;
  const long long way = step * x.ld;
  const int way_there = step * to_line;
  for (int entry = at_once * t - line * length; entry < length; entry += width) {
    const T* from = static_cast<const T*>(x.data) + (line * x.ld + entry);
    T* to = room + (line * to_line + entry * to_entry);
    const auto copy = [&] {
      if constexpr (N == 0)
        copy_async(to, from);
      else
        copy_together<N * reals>(reinterpret_cast<R*>(to), reinterpret_cast<const R*>(from));
      from += way;
      to += way_there;
    };
    int left = x.lines - line;
    TENFOLD_UNROLL_BY(1)
    for (; left > (some - 1) * step; left -= some * step) {
      TENFOLD_UNROLL
      for (int s = 0; s < some; ++s) copy();
    }
    TENFOLD_UNROLL_BY(1)
    for (; left > 0; left -= step) copy();
  }
}
template <int Together, class T>
TENFOLD_DEVICE void copy_lines(T* room, const device_variable_lines& x, int t, int threads) {
  if (Together > 1 && x.at_once == Together)
    copy_entries<Together>(room, x, t, threads);
  else if (!is_complex<T> || x.at_once != 0)
    copy_entries<1>(room, x, t, threads);
  else
    copy_entries<0>(room, x, t, threads);
}

// ---- register tiles -----------------------------------------------------------------------------

/// What a thread has of C: entries (row + i down, column + j across).
struct variable_tile {
  int row, column, down, across;
};
/// Register tile t of down x across, band by band: a band is two rows of tiles, and goes column by
/// column. Then of the lanes of a warp those that differ in the last bit of their number read the
/// same column of right, those that differ in the next one the same row of left.
constexpr int variable_band = 2;
TENFOLD_DEVICE variable_tile tile_of(int t, int down, int across, unsigned reciprocal_of_band) {
  const int band = quotient(t, reciprocal_of_band), in_band = t - band * variable_band * across;
  const int row = variable_band * band;
  const bool is_whole = row + 1 < down;
  return {is_whole ? row + in_band % variable_band : row,
          is_whole ? in_band / variable_band : in_band, down, across};
}

/// N neighbours in shared memory, which lie at a multiple of their bytes.
template <int N, class T>
TENFOLD_DEVICE void read_entries(T* to, const T* from) {
  constexpr int reals = is_complex<T> ? 2 : 1;
  read_together<N * reals>(reinterpret_cast<real<T>*>(to), reinterpret_cast<const real<T>*>(from));
}

/// Rows of left and columns of right, from the next contracted value on, as a thread finds them in
/// the room, and how they enter.
template <class T, int Rows, int Columns>
struct variable_operands {
  const T *left[Rows], *right[Columns];
  bool conjugates_left, conjugates_right;
};

/// Those of a register tile of `rows` x `columns` entries, whose factors begin there. Beyond the
/// last row and column is that one again; what comes of it is not written.
template <device_variable_gemm K, class T>
TENFOLD_DEVICE variable_operands<T, K.thread_rows, K.thread_columns> operands_of(
    const variable_tile& at, const T* left, int rows, const T* right, int columns, int pitch) {
  variable_operands<T, K.thread_rows, K.thread_columns> x;
  TENFOLD_UNROLL
  for (int i = 0; i < K.thread_rows; ++i)
    x.left[i] = left + least(at.row + i * at.down, rows - 1) * pitch;
  TENFOLD_UNROLL
  for (int j = 0; j < K.thread_columns; ++j)
    x.right[j] = right + least(at.column + j * at.across, columns - 1) * pitch;
  return x;
}

/// sum(i, j) += left(i, l) right(l, j) for the next N contracted values l, one after another.
template <int N, class T, int Rows, int Columns>
TENFOLD_DEVICE void add_some(T (&sum)[Rows][Columns], variable_operands<T, Rows, Columns>& x) {
  T left[Rows][N], right[Columns][N];
  TENFOLD_UNROLL
  for (int i = 0; i < Rows; ++i) {
    read_entries<N>(left[i], x.left[i]);
    x.left[i] += N;
  }
  TENFOLD_UNROLL
  for (int j = 0; j < Columns; ++j) {
    read_entries<N>(right[j], x.right[j]);
    x.right[j] += N;
  }
  TENFOLD_UNROLL
  for (int s = 0; s < N; ++s) {
    if constexpr (is_complex<T>) {
      TENFOLD_UNROLL
      for (int i = 0; i < Rows; ++i)
        left[i][s] = x.conjugates_left ? conjugate(left[i][s]) : left[i][s];
      TENFOLD_UNROLL
      for (int j = 0; j < Columns; ++j)
        right[j][s] = x.conjugates_right ? conjugate(right[j][s]) : right[j][s];
    }
    TENFOLD_UNROLL
    for (int i = 0; i < Rows; ++i) {
      TENFOLD_UNROLL
      for (int j = 0; j < Columns; ++j)
        sum[i][j] = multiply_add(left[i][s], right[j][s], sum[i][j]);
    }
  }
}
/// The same for `depth` of them.
template <device_variable_gemm K, class T>
TENFOLD_DEVICE void add_products(T (&sum)[K.thread_rows][K.thread_columns],
                                 variable_operands<T, K.thread_rows, K.thread_columns> x,
                                 int depth) {
  TENFOLD_UNROLL_BY(K.unroll)
  for (; depth >= K.together; depth -= K.together) add_some<K.together>(sum, x);
  if constexpr (K.together > 1) {
    TENFOLD_UNROLL_BY(1)
    for (; depth > 0; --depth) add_some<1>(sum, x);
  }
}

/// C := alpha sum + beta C for what a thread has of C, of which rows x columns are at `c`.
template <class T, int Rows, int Columns>
TENFOLD_DEVICE void finish(const T (&sum)[Rows][Columns], const variable_tile& at, T* c,
                           long long ldc, int rows, int columns, T alpha, T beta) {
  const bool keeps = !is_zero(beta);
  T* to[Columns];
  bool has[Columns];
  TENFOLD_UNROLL
  for (int j = 0; j < Columns; ++j) {
    const int column = at.column + j * at.across;
    to[j] = in_device_memory(c + (at.row * ldc + column));
    has[j] = column < columns;
  }
  TENFOLD_UNROLL
  for (int i = 0; i < Rows; ++i) {
    if (at.row + i * at.down >= rows) break;
    T value[Columns];
    TENFOLD_UNROLL
    for (int j = 0; j < Columns; ++j) value[j] = multiply(alpha, sum[i][j]);
    // All is read before some is written, lest every entry be waited for.
    if (keeps) {
      TENFOLD_UNROLL
      for (int j = 0; j < Columns; ++j)
        if (has[j]) value[j] = multiply_add(beta, *to[j], value[j]);
    }
    TENFOLD_UNROLL
    for (int j = 0; j < Columns; ++j) {
      if (has[j]) *to[j] = value[j];
      to[j] += at.down * ldc;
    }
  }
}

// ---- problems that fit into the room ------------------------------------------------------------

/// The longest side of a problem that goes with others: its register tiles can be counted, and
/// quotient() finds them.
inline constexpr int variable_side = 1024;

/// Reads the problems from `first` on, checks them, and writes down what all threads need to know.
/// The first warp does it, a lane for each problem.
template <device_variable_gemm K, class T>
TENFOLD_DEVICE void describe(variable_shared<T, K>& memory, const device_variable_arguments<T>& x,
                             long long first, int problems, int lane) {
  int entries = 0, tiles = 0, left_entries = 0;
  if (lane < problems) {
    const device_gemm_problem<T> p = x.problems[first + lane];
    const int wrong = wrong_argument(p, x.by_row);
    if (x.codes != nullptr) x.codes[first + lane] = -wrong;
    device_variable_result result{};
    device_variable_lines left{}, right{};
    if (wrong == 0 && p.m > 0 && p.n > 0) {
      const device_variable_product product = product_of(p, x.by_row);
      result.alone = product.rows > variable_side || product.columns > variable_side ||
                     product.depth > variable_side ||
                     (product.depth > 0 &&
                      variable_entries(product.rows, product.columns,
                                       static_cast<int>(product.depth), K.together) > K.room);
      if (!result.alone) {
        const int rows = static_cast<int>(product.rows),
                  columns = static_cast<int>(product.columns),
                  depth = static_cast<int>(product.depth),
                  pitch = variable_pitch(depth, K.together);
        const int down = ceil_div(rows, K.thread_rows),
                  across = ceil_div(columns, K.thread_columns);
        left = lines_of<T, K.together>(product.left, 0, rows, 0, depth, pitch);
        right = lines_of<T, K.together>(product.right, 0, columns, 0, depth, pitch);
        result.data = product.c;
        result.ld = product.ldc;
        result.reciprocal = reciprocal_of(variable_band * across);
        result.rows = static_cast<short>(rows);
        result.columns = static_cast<short>(columns);
        result.depth = static_cast<short>(depth);
        result.down = static_cast<short>(down);
        result.across = static_cast<short>(across);
        result.conjugates_left = product.left.conjugated;
        result.conjugates_right = product.right.conjugated;
        tiles = down * across;
        left_entries = depth > 0 ? rows * pitch : 0;
        entries = depth > 0 ? (rows + columns) * pitch : 0;
      }
    }
    memory.alpha[lane] = p.k > 0 ? p.alpha : T{};  // with no products there is no infinity
    memory.beta[lane] = p.beta;
    memory.result[lane] = result;
    memory.factor[2 * lane] = left;
    memory.factor[2 * lane + 1] = right;
  }
  // Sums over the lanes up to each.
  int entries_end = entries, tiles_end = tiles;
  TENFOLD_UNROLL
  for (int step = 1; step < variable_problems; step *= 2) {
    const int entries_before = of_lane(entries_end, lane - step),
              tiles_before = of_lane(tiles_end, lane - step);
    if (lane < step) continue;
    entries_end += entries_before;
    tiles_end += tiles_before;
  }
  if (lane >= problems) return;
  memory.result[lane].entries_end = entries_end;
  memory.result[lane].tiles_end = tiles_end;
  memory.factor[2 * lane].place = entries_end - entries;
  memory.factor[2 * lane + 1].place = entries_end - entries + left_entries;
}

/// Begins to bring the factors of problems [first, last), the first of which goes to the begin of
/// the room. Threads share a factor in groups of 4 to 32, so that each copies some four of its
/// entries if that is possible.
template <device_variable_gemm K, class T>
TENFOLD_DEVICE void bring(variable_shared<T, K>& memory, int first, int last, int begin, int t) {
  const int factors = 2 * (last - first), entries = memory.result[last - 1].entries_end - begin;
  int bits = 2;
  while (bits < 5 && (4 << bits) * factors < entries) ++bits;
  for (int f = t >> bits; f < factors; f += K.threads >> bits) {
    const device_variable_lines lines = memory.factor[2 * first + f];
    copy_lines<K.together>(memory.room + (lines.place - begin), lines, t & ((1 << bits) - 1),
                           1 << bits);
  }
}

/// Computes problems [first, last), whose factors are in the room: their register tiles are one
/// list.
template <device_variable_gemm K, class T>
TENFOLD_DEVICE void compute(const variable_shared<T, K>& memory, int first, int last, int begin,
                            int t) {
  const int before = first > 0 ? memory.result[first - 1].tiles_end : 0;
  const int end = memory.result[last - 1].tiles_end;
  for (int tile = before + t; tile < end; tile += K.threads) {
    const int p = first_beyond(
        first, last - 1, [&](int problem) { return memory.result[problem].tiles_end > tile; });
    const device_variable_result& result = memory.result[p];
    const variable_tile at = tile_of(tile - (p > 0 ? memory.result[p - 1].tiles_end : 0),
                                     result.down, result.across, result.reciprocal);
    auto x = operands_of<K>(at, memory.room + (memory.factor[2 * p].place - begin), result.rows,
                            memory.room + (memory.factor[2 * p + 1].place - begin), result.columns,
                            memory.factor[2 * p].pitch);
    x.conjugates_left = result.conjugates_left;
    x.conjugates_right = result.conjugates_right;
    T sum[K.thread_rows][K.thread_columns] = {};
    add_products<K>(sum, x, result.depth);
    finish(sum, at, static_cast<T*>(result.data), result.ld, result.rows, result.columns,
           memory.alpha[p], memory.beta[p]);
  }
}

// ---- problems that do not -----------------------------------------------------------------------

/// A part of such a problem: a tile of C, of which each thread has a register tile at most, and
/// some of the contracted values.
struct variable_part {
  long long row, column, from;
};

/// Register tiles in one direction of such a part, at most `most`: as even parts as possible.
TENFOLD_DEVICE int even_part(long long tiles, int most) {
  const long long parts = (tiles + most - 1) / most;
  return static_cast<int>((tiles + parts - 1) / parts);
}
/// Register tiles across a part, at most: as many as are down, where C has so many.
constexpr int variable_across(int threads) {
  int across = 1;
  while (4 * across * across <= threads) across *= 2;
  return across;
}

/// Computes problem p of those that the block has before it, memory.alone, with all threads: while
/// a part is computed, the next one is on its way into the other half of the room.
template <device_variable_gemm K, class T>
TENFOLD_DEVICE void compute_alone(variable_shared<T, K>& memory, int p, int t) {
  constexpr int half = K.room / 2, most_across = variable_across(K.threads);
  // Every part has room for some contracted values.
  constexpr int most_down =
      least(K.threads, (half / K.together - most_across * K.thread_columns) / K.thread_rows);
  static_assert(most_down >= K.threads / most_across && half % K.together == 0);
  const device_variable_product& x = memory.alone;
  const int across = even_part((x.columns + K.thread_columns - 1) / K.thread_columns, most_across);
  const int down =
      even_part((x.rows + K.thread_rows - 1) / K.thread_rows, least(most_down, K.threads / across));
  const int rows = down * K.thread_rows, columns = across * K.thread_columns;
  const int pitch = ((half / (rows + columns) / K.together - 1) | 1) * K.together;
  const auto rows_of = [&](const variable_part& part) {
    return static_cast<int>(least<long long>(rows, x.rows - part.row));
  };
  const auto columns_of = [&](const variable_part& part) {
    return static_cast<int>(least<long long>(columns, x.columns - part.column));
  };
  const auto depth_of = [&](const variable_part& part) {
    return static_cast<int>(least<long long>(pitch, x.depth - part.from));
  };

  T sum[K.thread_rows][K.thread_columns] = {};
  variable_part ahead{0, 0, 0}, now = ahead;
  bool is_brought = false;  // the part that is to be computed
  for (int begin = 0;; begin = half - begin) {
    const bool goes_on = ahead.row < x.rows;
    if (goes_on) {
      // Not unrolled: the code is long, and a part has many entries.
      TENFOLD_UNROLL_BY(1)
      for (int f = 0; f < 2; ++f) {
        const bool is_left = f == 0;
        const auto lines = lines_of<T, K.together>(
            is_left ? x.left : x.right, is_left ? ahead.row : ahead.column,
            is_left ? rows_of(ahead) : columns_of(ahead), ahead.from, depth_of(ahead), pitch);
        copy_lines<K.together>(memory.room + begin + (is_left ? 0 : rows * pitch), lines, t,
                               K.threads);
      }
    }
    close_copies();
    const bool is_last = now.from + pitch >= x.depth;
    if (is_brought && t < down * across) {
      const variable_tile at = tile_of(t, down, across, reciprocal_of(variable_band * across));
      const T* const brought = memory.room + (half - begin);
      auto operands =
          operands_of<K>(at, brought, rows_of(now), brought + rows * pitch, columns_of(now), pitch);
      operands.conjugates_left = x.left.conjugated;
      operands.conjugates_right = x.right.conjugated;
      add_products<K>(sum, operands, depth_of(now));
      if (is_last) {
        finish(sum, at, static_cast<T*>(x.c) + now.row * x.ldc + now.column, x.ldc, rows_of(now),
               columns_of(now), memory.alpha[p], memory.beta[p]);
        TENFOLD_UNROLL
        for (auto& line : sum) {
          TENFOLD_UNROLL
          for (T& s : line) s = T{};
        }
      }
    }
    if (!goes_on) break;
    wait_for_copies<0>();
    wait_for_block();
    is_brought = true;
    now = ahead;
    ahead.from += pitch;
    if (ahead.from < x.depth) continue;
    ahead.from = 0;
    ahead.column += columns;
    if (ahead.column < x.columns) continue;
    ahead.column = 0;
    ahead.row += rows;
  }
}

// C(b) := alpha(b) op(A(b)) op(B(b)) + beta(b) C(b)          b < count
//   op(A) (m, k), op(B) (k, n), C (m, n), all of problem b, with leading dimensions
//   beta == 0: C is not read.   alpha == 0 or k == 0: A and B are not read
//   codes[b] := 0, or -i where argument i of problem b is illegal; its C is untouched then
// Grid: any number of blocks, of K.threads threads, with shared_bytes(K, sizeof(T)). Every sum goes
// over rising k in one register: neither the grid nor the other problems change a bit.
//
// A block takes `group` problems at a time, in rounds: it brings the factors of as many as fit into
// its room, then computes them. Other blocks of the multiprocessor compute meanwhile.
template <class T, device_variable_gemm K>
TENFOLD_DEVICE void variable_gemm(const device_variable_arguments<T>& x) {
  static_assert(sizeof(variable_shared<T, K>) == shared_bytes(K, sizeof(T)));
  static_assert(K.threads % variable_problems == 0, "lanes of whole warps read the problems");
  static_assert(K.together * sizeof(T) <= 16);
  auto& memory = shared<variable_shared<T, K>>();
  const int t = thread_index();
  bool is_used = false;  // what lies in shared memory may still be read
  for (long long b = block_index() * x.group; b < x.count; b += block_count() * x.group) {
    const int problems = static_cast<int>(least<long long>(x.group, x.count - b));
    if (is_used) wait_for_block();
    is_used = true;
    if (t < variable_problems) describe<K>(memory, x, b, problems, t);
    wait_for_block();
    for (int first = 0, last = 0; first < problems; first = last) {
      const int begin = first > 0 ? memory.result[first - 1].entries_end : 0;
      last = first_beyond(first + 1, problems, [&](int problem) {
        return memory.result[problem].entries_end - begin > K.room;
      });
      if (first > 0) wait_for_block();
      bring<K>(memory, first, last, begin, t);
      close_copies();
      wait_for_copies<0>();
      wait_for_block();
      compute<K>(memory, first, last, begin, t);
    }
    for (int i = 0; i < problems; ++i) {
      if (!memory.result[i].alone) continue;
      wait_for_block();
      if (t == 0) memory.alone = product_of(x.problems[b + i], x.by_row);
      wait_for_block();
      compute_alone<K>(memory, i, t);
    }
  }
}

}  // namespace tenfold::cuda
