#pragma once

#include <tenfold/backend/cuda/base.device.hpp>
#include <tenfold/backend/interface/device_gemm.hpp>

/// Matrices of a batch in the memory of a device: single entries, and tiles of them on their way
/// into shared memory and out of it.
namespace tenfold::cuda {

// ---- one entry ----------------------------------------------------------------------------------

/// Where entry (i, j) of problem b lies, in reals; the imaginary part is `apart` further. -1:
/// nowhere.
template <class T, device_matrix X>
struct entry_place {
  real<T>* data;
  long long at;
  long long apart;
};

/// Number e of a map.
template <bool Wide>
TENFOLD_DEVICE long long number_in_map(const void* map, long long e) {
  if constexpr (Wide)
    return static_cast<const long long*>(map)[e];
  else
    return static_cast<const int*>(map)[e];
}

template <class T, device_matrix X>
TENFOLD_DEVICE entry_place<T, X> place_of(const device_place& p, long long b, int i, int j) {
  constexpr int reals = is_complex<T> ? 2 : 1;
  using R = real<T>;
  const long long at = i * X.row + j * X.column;
  // C is written by way of the same type as A and B, which are only read.
  auto* const data = static_cast<R*>(const_cast<void*>(p.data));
  if constexpr (X.layout == batch_layout::strided) {
    return {data, reals * (b * p.problem + at), 1};
  } else if constexpr (X.layout == batch_layout::pointers) {
    return {static_cast<R*>(static_cast<void* const*>(p.data)[b]), reals * at, 1};
  } else if constexpr (X.layout == batch_layout::interleaved) {
    const long long block = X.block == 0 ? p.block : X.block;
    return {data, reals * (b / block * p.problem + at * block) + b % block, block};
  } else {
    const long long to = number_in_map<X.wide_map>(p.map, b * p.problem + at);
    return {data, to < 0 ? -1 : reals * to, 1};
  }
}

/// The entry as it is in memory; 0 where a map says that there is none.
template <class T, device_matrix X>
TENFOLD_DEVICE T load(const device_place& p, long long b, int i, int j) {
  const auto x = place_of<T, X>(p, X.shared ? 0 : b, i, j);
  if (X.layout == batch_layout::gathered && x.at < 0) return T{};
  if constexpr (is_complex<T>)
    return {x.data[x.at], x.data[x.at + x.apart]};
  else
    return x.data[x.at];
}
/// The entry as it enters a product.
template <class T, device_matrix X>
TENFOLD_DEVICE T factor(const device_place& p, long long b, int i, int j) {
  const T x = load<T, X>(p, b, i, j);
  if constexpr (X.conjugated)
    return conjugate(x);
  else
    return x;
}
template <class T, device_matrix X>
TENFOLD_DEVICE void store(const device_place& p, long long b, int i, int j, T value) {
  static_assert(X.layout != batch_layout::gathered, "several problems may meet in an entry");
  const auto x = place_of<T, X>(p, b, i, j);
  if constexpr (is_complex<T>) {
    x.data[x.at] = value.re;
    x.data[x.at + x.apart] = value.im;
  } else {
    x.data[x.at] = value;
  }
}

/// Adds to the entry, to which other threads may add too; nothing where a map says that there is
/// none.
template <class T, device_matrix X>
TENFOLD_DEVICE void add_to(const device_place& p, long long b, int i, int j, T value) {
  const auto x = place_of<T, X>(p, b, i, j);
  if (x.at < 0) return;
  if constexpr (is_complex<T>) {
    atomic_add(x.data + x.at, value.re);
    atomic_add(x.data + x.at + x.apart, value.im);
  } else {
    atomic_add(x.data + x.at, value);
  }
}

// ---- tiles in shared memory ---------------------------------------------------------------------

/// The matrices of one operand of one group: entry (i, j) of matrix p is matrix[p].entry[i][j].
template <class T, int Rows, int Columns, int Odd>
struct staged_matrix {
  T entry[Rows][staged_pitch(Columns)];
  T unused[Odd];
};
template <class T, int Rows, int Columns>
struct staged_matrix<T, Rows, Columns, 0> {
  T entry[Rows][staged_pitch(Columns)];
};
template <class T, device_matrix X, int Rows, int Columns, int Problems>
struct staged_matrices {
  static constexpr int count = X.shared ? 1 : Problems;
  staged_matrix<T, Rows, Columns, staged_entries(Rows, Columns) - Rows * staged_pitch(Columns)>
      matrix[count];

  TENFOLD_DEVICE T& at(int p, int i, int j) { return matrix[X.shared ? 0 : p].entry[i][j]; }
};

/// Which index runs fastest when threads go through Problems tiles of Rows x Columns entries side
/// by side: the one that runs along memory.
template <device_matrix X>
inline constexpr bool problems_are_neighbours = X.layout == batch_layout::interleaved;
template <device_matrix X>
inline constexpr bool rows_are_neighbours = (X.row < 0 ? -X.row : X.row) <
                                            (X.column < 0 ? -X.column : X.column);

/// Problem p, row i and column j of a tile.
struct tile_entry {
  int p, i, j;
};
template <device_matrix X, int Rows, int Columns, int Problems>
TENFOLD_DEVICE tile_entry nth_entry(int e) {
  if constexpr (problems_are_neighbours<X>)
    return {e % Problems, e / Problems / Columns, e / Problems % Columns};
  else if constexpr (rows_are_neighbours<X>)
    return {e / (Rows * Columns), e % Rows, e / Rows % Columns};
  else
    return {e / (Rows * Columns), e / Columns % Rows, e % Columns};
}

/// Which tiles a group has at a time, of matrices of one operand: from (row, column) of problem
/// `first` + p / tiles on, but not beyond the matrix and not beyond the last problem.
struct tile_range {
  long long first;    ///< the first problem
  int problems;       ///< that there are
  int row, column;    ///< the first of the tiles
  int rows, columns;  ///< that there are
};

/// Brings the tiles of `range` into shared memory; a thread does every Threads-th entry from t on.
/// Loads of them are on their way at a time: stores to shared memory would hold back the loads
/// behind them.
template <class T, device_matrix X, int Rows, int Columns, int Problems, int Threads, int Loads>
TENFOLD_DEVICE void stage(staged_matrices<T, X, Rows, Columns, Problems>& to,
                          const device_place& from, const tile_range& range, int t) {
  constexpr int problems = X.shared ? 1 : Problems;
  constexpr int total = problems * Rows * Columns;
  constexpr int rounds = (total + Threads - 1) / Threads, at_once = rounds < Loads ? rounds : Loads;
  const auto for_each = [&](int e, const auto& f) {
    TENFOLD_UNROLL
    for (int s = 0; s < at_once; ++s, e += Threads) {
      const tile_entry x = nth_entry<X, Rows, Columns, problems>(e);
      if (e < total && x.p < range.problems && x.i < range.rows && x.j < range.columns) f(s, x);
    }
  };
  for (int e = t; e < total; e += at_once * Threads) {
    T value[at_once] = {};
    for_each(e, [&](int s, const tile_entry& x) {
      value[s] = factor<T, X>(from, range.first + x.p, range.row + x.i, range.column + x.j);
    });
    for_each(e, [&](int s, const tile_entry& x) { to.at(x.p, x.i, x.j) = value[s]; });
  }
}

}  // namespace tenfold::cuda
