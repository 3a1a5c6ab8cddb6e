#pragma once

#include <tenfold/backend/cuda/base.device.hpp>
#include <tenfold/backend/interface/device_variable_gemm.hpp>

/// What threads do for a product whose sizes the device alone knows: they bring rows of left and
/// columns of right to shared memory, and each multiplies a register tile. variable_gemm.device.hpp
/// says which, and when.
namespace tenfold::cuda {

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

}  // namespace tenfold::cuda
