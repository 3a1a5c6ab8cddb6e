#pragma once

#include <tenfold/backend/cuda/base.device.hpp>
#include <tenfold/backend/interface/device_transpose.hpp>

/// Entries in an order in which others are neighbours: square parts go through shared memory, so
/// that neighbouring threads read neighbours and write neighbours.
namespace tenfold::cuda {

/// A part, by rows of x; an odd number of entries apart, so that columns meet no bank twice.
template <class T, int Side>
struct transposed_part {
  T entry[Side][Side + 1];
};

/// N entries side by side, of which N times the threads are touched at a time.
template <int N, class S>
TENFOLD_DEVICE void read_neighbours(S* to, const S* from) {
  if constexpr (N == 1)
    *to = *from;
  else
    read_past_cache<N>(to, from);
}
template <int N, class S>
TENFOLD_DEVICE void write_neighbours(S* to, const S* from) {
  if constexpr (N == 1)
    *to = *from;
  else
    write_past_cache<N>(to, from);
}

/// Reads a part into shared memory: `rows` and `columns` of it are there; Whole: all. What a thread
/// reads of a whole part is on its way, eight times N entries, before any is waited for.
template <class T, device_transpose K, int N, bool Whole>
TENFOLD_DEVICE void read_part(transposed_part<T, K.side>& part,
                              const device_transpose_arguments<T>& a, long long x, int rows,
                              int columns) {
  using S = typename scalar_type_of<K.from>::type;
  constexpr int each = K.side * K.side / (K.threads * N), at_once = Whole && each > 8 ? 8
                                                                    : Whole           ? each
                                                                                      : 1;
  const S* const from = static_cast<const S*>(a.x) + x;
  TENFOLD_UNROLL_BY(1)
  for (int first = 0; first < each; first += at_once) {
    S read[at_once][N];
    TENFOLD_UNROLL
    for (int k = 0; k < at_once; ++k) {
      const int e = ((first + k) * K.threads + thread_index()) * N, i = e / K.side, j = e % K.side;
      if (Whole || (i < rows && j < columns)) read_neighbours<N>(read[k], from + i * a.x_row + j);
    }
    TENFOLD_UNROLL
    for (int k = 0; k < at_once; ++k) {
      const int e = ((first + k) * K.threads + thread_index()) * N, i = e / K.side, j = e % K.side;
      if (!Whole && (i >= rows || j >= columns)) continue;
      TENFOLD_UNROLL
      for (int n = 0; n < N; ++n) part.entry[i][j + n] = as<T>(read[k][n]);
    }
  }
}

/// Writes it by columns. Adds: beta is not 0.
template <class T, device_transpose K, int N, bool Whole, bool Adds>
TENFOLD_DEVICE void write_part(const transposed_part<T, K.side>& part,
                               const device_transpose_arguments<T>& a, long long y, int rows,
                               int columns) {
  using S = typename scalar_type_of<K.to>::type;
  constexpr int each = K.side * K.side / (K.threads * N);
  S* const to = static_cast<S*>(a.y) + y;
  TENFOLD_UNROLL_BY(Whole && !Adds ? 8 : 1)
  for (int k = 0; k < each; ++k) {
    const int e = (k * K.threads + thread_index()) * N, j = e / K.side, i = e % K.side;
    if (!Whole && (i >= rows || j >= columns)) continue;
    S written[N];
    if constexpr (Adds) read_neighbours<N>(written, to + j * a.y_row + i);
    TENFOLD_UNROLL
    for (int n = 0; n < N; ++n) {
      T value = part.entry[i + n][j];
      if constexpr (K.conjugated) value = conjugate(value);
      if constexpr (K.sign < 0) value = negate(value);
      if constexpr (K.finishes) value = multiply(a.alpha, value);
      if constexpr (Adds) value = multiply_add(a.beta, as<T>(written[n]), value);
      written[n] = as<S>(value);
    }
    write_neighbours<N>(to + j * a.y_row + i, written);
  }
}

template <class T, device_transpose K, int N, bool Whole>
TENFOLD_DEVICE void transpose_part(const device_transpose_arguments<T>& a, long long x, long long y,
                                   int rows, int columns) {
  auto& part = shared<transposed_part<T, K.side>>();
  read_part<T, K, N, Whole>(part, a, x, rows, columns);
  wait_for_block();
  if constexpr (K.finishes) {
    if (!is_zero(a.beta)) {
      write_part<T, K, N, Whole, true>(part, a, y, rows, columns);
      return;
    }
  }
  write_part<T, K, N, Whole, false>(part, a, y, rows, columns);
}

// Grid: any number of blocks of K.threads threads; neighbouring blocks take parts side by side in
// x.
template <class T, device_transpose K>
TENFOLD_DEVICE void transpose(const device_transpose_arguments<T>& a) {
  const long long across = (a.columns + K.side - 1) / K.side, down = (a.rows + K.side - 1) / K.side;
  long long parts = across * down;
  for (int l = 0; l < a.loops; ++l) parts *= a.extents[l];
  for (long long p = block_index(); p < parts; p += block_count()) {
    long long rest = p / across;
    const long long j = (p - rest * across) * K.side, i = rest % down * K.side;
    rest /= down;
    long long x = i * a.x_row + j, y = j * a.y_row + i;
    for (int l = a.loops - 1; l >= 0; --l) {
      const long long further = rest / a.extents[l], value = rest - further * a.extents[l];
      x += value * a.x_steps[l];
      y += value * a.y_steps[l];
      rest = further;
    }
    const auto left = [](long long all, long long first) {
      return static_cast<int>(all - first < K.side ? all - first : K.side);
    };
    const int rows = left(a.rows, i), columns = left(a.columns, j);
    if (rows < K.side || columns < K.side) {
      transpose_part<T, K, 1, false>(a, x, y, rows, columns);
    } else if constexpr (K.at_once == 1) {
      transpose_part<T, K, 1, true>(a, x, y, rows, columns);
    } else {
      if (a.together)
        transpose_part<T, K, K.at_once, true>(a, x, y, rows, columns);
      else
        transpose_part<T, K, 1, true>(a, x, y, rows, columns);
    }
    wait_for_block();
  }
}

}  // namespace tenfold::cuda
