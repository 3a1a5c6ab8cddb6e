#pragma once

#include <tenfold/backend/cuda/base.device.hpp>
#include <tenfold/backend/interface/device_transpose.hpp>

/// Entries in an order in which others are neighbours: square parts go through shared memory, so
/// that neighbouring threads read neighbours and write neighbours.
namespace tenfold::cuda {

/// A part, by rows of x; an odd number of entries apart, so that single entries of columns, of 8
/// bytes at most, meet no bank twice.
template <class T, int Side>
struct transposed_part {
  T entry[Side][Side + 1];
};

/// N entries side by side.
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

/// How often a thread touches N entries of a part, and how many of these are on their way before
/// any is waited for: fewer where registers go to asking which are there, or to what is added to.
template <device_transpose K, int N, bool Plain>
struct part_of_thread {
  static constexpr int each = K.side * K.side / (K.threads * N), most = Plain ? 8 : 2,
                       ahead = each < most ? each : most;
  static_assert(each * K.threads * N == K.side * K.side && each % ahead == 0 && K.side % N == 0);

  int slow, fast;  ///< where the first of number k lies, of x by rows, of y by columns
  TENFOLD_DEVICE explicit part_of_thread(int k) {
    const int e = (k * K.threads + thread_index()) * N;
    slow = e / K.side;
    fast = e % K.side;
  }
};

/// Reads a part into shared memory: `rows` and `columns` of it are there; Whole: all.
template <class T, device_transpose K, int N, bool Whole>
TENFOLD_DEVICE void read_part(transposed_part<T, K.side>& part,
                              const device_transpose_arguments<T>& a, long long x, int rows,
                              int columns) {
  using S = typename scalar_type_of<K.from>::type;
  using mine = part_of_thread<K, N, Whole>;
  const S* const from = static_cast<const S*>(a.x) + x;
  TENFOLD_UNROLL_BY(1)
  for (int first = 0; first < mine::each; first += mine::ahead) {
    S read[mine::ahead][N];
    TENFOLD_UNROLL
    for (int k = 0; k < mine::ahead; ++k) {
      const mine at(first + k);
      if (Whole || (at.slow < rows && at.fast < columns))
        read_neighbours<N>(read[k], from + at.slow * a.x_row + at.fast);
    }
    TENFOLD_UNROLL
    for (int k = 0; k < mine::ahead; ++k) {
      const mine at(first + k);
      if (!Whole && (at.slow >= rows || at.fast >= columns)) continue;
      TENFOLD_UNROLL
      for (int n = 0; n < N; ++n) part.entry[at.slow][at.fast + n] = as<T>(read[k][n]);
    }
  }
}

/// Writes it by columns. Adds: beta is not 0.
template <class T, device_transpose K, int N, bool Whole, bool Adds>
TENFOLD_DEVICE void write_part(const transposed_part<T, K.side>& part,
                               const device_transpose_arguments<T>& a, long long y, int rows,
                               int columns) {
  using S = typename scalar_type_of<K.to>::type;
  using mine = part_of_thread<K, N, Whole && !Adds>;
  S* const to = static_cast<S*>(a.y) + y;
  TENFOLD_UNROLL_BY(1)
  for (int first = 0; first < mine::each; first += mine::ahead) {
    S written[mine::ahead][N];
    TENFOLD_UNROLL
    for (int k = 0; Adds && k < mine::ahead; ++k) {
      const mine at(first + k);
      if (Whole || (at.slow < columns && at.fast < rows))
        read_neighbours<N>(written[k], to + at.slow * a.y_row + at.fast);
    }
    TENFOLD_UNROLL
    for (int k = 0; k < mine::ahead; ++k) {
      const mine at(first + k);
      if (!Whole && (at.slow >= columns || at.fast >= rows)) continue;
      TENFOLD_UNROLL
      for (int n = 0; n < N; ++n) {
        T value = part.entry[at.fast + n][at.slow];
        if constexpr (K.conjugated) value = conjugate(value);
        if constexpr (K.sign < 0) value = negate(value);
        if constexpr (K.finishes) value = multiply(a.alpha, value);
        if constexpr (Adds) value = multiply_add(a.beta, as<T>(written[k][n]), value);
        written[k][n] = as<S>(value);
      }
      write_neighbours<N>(to + at.slow * a.y_row + at.fast, written[k]);
    }
  }
}

template <class T, device_transpose K, int N, bool Whole>
TENFOLD_DEVICE void transpose_part(const device_transpose_arguments<T>& a, long long x, long long y,
                                   int rows, int columns) {
  auto& part = shared<transposed_part<T, K.side>>();
  static_assert(sizeof part == device_transpose_bytes(K, sizeof(T)));
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
