#pragma once

#include <tenfold/backend/cpu/gemm.hpp>
#include <tenfold/backend/cpu/pack.hpp>
#include <tenfold/backend/interface/gemm.hpp>
#include <tenfold/backend/interface/select.hpp>

/// Matrices of a batch on their way into and out of scratch: one at a time, row by row, or V of
/// them side by side, one in each SIMD lane.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

/// Reals in one entry.
template <class T>
inline constexpr int parts = is_complex_type<T> ? 2 : 1;

/// The address of entry (0, 0) of problem b; of interleaved ones the first real of its lane.
/// A gathered operand has no such address.
template <class T>
[[gnu::always_inline]] inline T* problem_address(const matrix_batch& x, const batch_place& p,
                                                 index b) {
  auto* const data = static_cast<T*>(const_cast<void*>(p.data));
  switch (x.layout) {
    case batch_layout::strided:
      return data + b * p.problem;
    case batch_layout::pointers:
      return const_cast<T*>(static_cast<const T* const*>(p.data)[b]);
    case batch_layout::interleaved:
      return reinterpret_cast<T*>(reinterpret_cast<real<T>*>(data + b / x.block * p.problem) +
                                  b % x.block);
    case batch_layout::gathered:
      break;
  }
  return data;
}

/// Whether problem_address and strides reach the entries of one problem as scalars of T.
template <class T>
constexpr bool has_strides(const matrix_batch& x) {
  return select::has_strides(x, scalar_of<T>);
}

/// Where entry (i, j) of a gathered problem lies; -1: nowhere.
inline index gathered_at(const batch_place& p, index at) {
  return p.wide_map ? static_cast<index>(static_cast<const std::int64_t*>(p.map)[at])
                    : static_cast<index>(static_cast<const std::int32_t*>(p.map)[at]);
}

/// One entry of problem b, whatever the layout; `base` is its problem_address.
template <class T>
inline T read_entry(const matrix_batch& x, const batch_place& p, const T* base, index b, index i,
                    index j) {
  const index at = i * x.row + j * x.column;
  if (x.layout == batch_layout::gathered) {
    const index to = gathered_at(p, b * p.problem + at);
    return to < 0 ? T(0) : static_cast<const T*>(p.data)[to];
  }
  if constexpr (is_complex_type<T>) {
    if (x.layout == batch_layout::interleaved) {
      const auto* const r = reinterpret_cast<const real<T>*>(base) + 2 * at * x.block;
      return T(r[0], r[x.block]);
    }
  }
  return base[at * x.block];
}
template <class T>
inline T read_entry(const matrix_batch& x, const batch_place& p, index b, index i, index j) {
  return read_entry<T>(x, p, problem_address<T>(x, p, b), b, i, j);
}

/// Writes one entry; where it is gathered, adds to it.
template <class T>
inline void write_entry(const matrix_batch& x, const batch_place& p, T* base, index b, index i,
                        index j, T value) {
  const index at = i * x.row + j * x.column;
  if (x.layout == batch_layout::gathered) {
    const index to = gathered_at(p, b * p.problem + at);
    if (to >= 0) static_cast<T*>(const_cast<void*>(p.data))[to] += value;
    return;
  }
  if constexpr (is_complex_type<T>) {
    if (x.layout == batch_layout::interleaved) {
      auto* const r = reinterpret_cast<real<T>*>(base) + 2 * at * x.block;
      r[0] = value.real();
      r[x.block] = value.imag();
      return;
    }
  }
  base[at * x.block] = value;
}
template <class T>
inline void write_entry(const matrix_batch& x, const batch_place& p, index b, index i, index j,
                        T value) {
  write_entry<T>(x, p, problem_address<T>(x, p, b), b, i, j, value);
}

// ---- V runs <-> lanes ---------------------------------------------------------------------------

/// S[x * stride + first + l] := run[first + l][x] for x < P and l < P.
template <int P, class R>
[[gnu::always_inline]] inline void runs_to_lanes(R* s, index stride, R* const* runs, index x) {
  typename short_vec<R, P>::type row[P];
#pragma GCC unroll 16
  for (int l = 0; l < P; ++l) std::memcpy(&row[l], runs[l] + x, sizeof(row[l]));
  transpose<P, 1>(row);
#pragma GCC unroll 16
  for (int i = 0; i < P; ++i) std::memcpy(s + (x + i) * stride, &row[i], sizeof(row[i]));
}
/// The way back.
template <int P, class R>
[[gnu::always_inline]] inline void lanes_to_runs(const R* s, index stride, R* const* runs,
                                                 index x) {
  typename short_vec<R, P>::type row[P];
#pragma GCC unroll 16
  for (int i = 0; i < P; ++i) std::memcpy(&row[i], s + (x + i) * stride, sizeof(row[i]));
  transpose<P, 1>(row);
#pragma GCC unroll 16
  for (int l = 0; l < P; ++l) std::memcpy(runs[l] + x, &row[l], sizeof(row[l]));
}

/// Calls f<P>(lane, x) for blocks of P lanes and P entries that together are V lanes and n entries;
/// the last block of a run is drawn back so that it ends with the run. Runs below P go in smaller
/// blocks; what remains below 2 goes as f<1>.
template <int V, int P, class F>
[[gnu::always_inline]] inline void for_each_block(index n, const F& f) {
  if constexpr (P > 1) {
    if (n < P) return for_each_block<V, P / 2>(n, f);
  }
  for (int lane = 0; lane < V; lane += P) {
    index x = 0;
    for (; x + P <= n; x += P) f.template operator()<P>(lane, x);
    if (x < n) f.template operator()<P>(lane, n - P);
  }
}

/// S[x * stride + l] := runs[l][x]   for x < n and all V lanes; complex numbers are runs of pairs.
template <class R>
inline void runs_to_lanes(R* s, index stride, R* const* runs, index n) {
  for_each_block<lanes<R>, lanes<R>>(
      n, [&]<int P>(int lane, index x) { runs_to_lanes<P>(s + lane, stride, runs + lane, x); });
}
template <class R>
inline void lanes_to_runs(const R* s, index stride, R* const* runs, index n) {
  for_each_block<lanes<R>, lanes<R>>(
      n, [&]<int P>(int lane, index x) { lanes_to_runs<P>(s + lane, stride, runs + lane, x); });
}

// ---- V problems <-> a tile of lanes -------------------------------------------------------------

/// Whether V problems can be moved run by run.
constexpr bool has_runs(const matrix_batch& x) {
  return (x.layout == batch_layout::strided || x.layout == batch_layout::pointers) &&
         (x.column == 1 || x.row == 1);
}

/// Calls f(first real in the tile of a lane, runs, length) for V runs of reals, one of each problem
/// from b on, that are contiguous in memory and in the tile.
template <class T, class F>
[[gnu::always_inline]] inline void for_each_run(const matrix_batch& x, const batch_place& p,
                                                index rows, index columns, index b, const F& f) {
  using R = real<T>;
  constexpr int v = lanes<T>;
  R* problems[v];
  for (int l = 0; l < v; ++l) problems[l] = reinterpret_cast<R*>(problem_address<T>(x, p, b + l));
  const bool by_row = x.column == 1;
  index outer = by_row ? rows : columns, inner = by_row ? columns : rows;
  const index step = by_row ? x.row : x.column;
  if (step == inner) {
    inner *= outer;
    outer = 1;
  }
  for (index i = 0; i < outer; ++i) {
    R* runs[v];
    for (int l = 0; l < v; ++l) runs[l] = problems[l] + i * step * parts<T>;
    f(i * inner * parts<T>, runs, inner * parts<T>);
  }
}

/// Whether V problems are neighbours, entry by entry.
template <class T>
constexpr bool problems_touch(const matrix_batch& x, const batch_place& p) {
  return x.layout == batch_layout::strided && p.problem == 1;
}

/// V neighbouring complex numbers <-> V real and V imaginary parts, in the order of memory.
template <class R, int... I>
[[gnu::always_inline]] inline void pairs_to_parts(const R* pairs, R* re, R* im,
                                                  std::integer_sequence<int, I...>) {
  typename short_vec<R, sizeof...(I)>::type low, high, part;
  std::memcpy(&low, pairs, sizeof low);
  std::memcpy(&high, pairs + sizeof...(I), sizeof high);
  part = __builtin_shufflevector(low, high, (2 * I)...);
  std::memcpy(re, &part, sizeof part);
  part = __builtin_shufflevector(low, high, (2 * I + 1)...);
  std::memcpy(im, &part, sizeof part);
}
template <class R, int... I>
[[gnu::always_inline]] inline void parts_to_pairs(const R* re, const R* im, R* pairs,
                                                  std::integer_sequence<int, I...>) {
  constexpr int v = sizeof...(I);
  typename short_vec<R, v>::type low, high, half;
  std::memcpy(&low, re, sizeof low);
  std::memcpy(&high, im, sizeof high);
  half = __builtin_shufflevector(low, high, (I / 2 + I % 2 * v)...);
  std::memcpy(pairs, &half, sizeof half);
  half = __builtin_shufflevector(low, high, (v / 2 + I / 2 + I % 2 * v)...);
  std::memcpy(pairs + v, &half, sizeof half);
}

/// S(i, j)[l] := entry (i, j) of problem b + l, l < count; 0 for count <= l < V. Lanes lie `stride`
/// reals apart, V in scratch; a complex entry is a row of real parts, then one of imaginary parts.
/// S is in order_in_tile.
template <class T>
inline void read_tile(T* s, const matrix_batch& x, const batch_place& p, index rows, index columns,
                      index b, int count, index stride = lanes<T>) {
  using R = real<T>;
  constexpr int v = lanes<T>;
  auto* const to = reinterpret_cast<R*>(s);
  if (has_runs(x) && count == v) {
    return for_each_run<T>(x, p, rows, columns, b, [&](index first, R* const* runs, index n) {
      runs_to_lanes(to + first * stride, stride, runs, n);
    });
  }
  const tile_order order = order_in_tile(x, rows, columns);
  for (index i = 0; i < rows; ++i)
    for (index j = 0; j < columns; ++j) {
      R* const entry = to + (i * order.row + j * order.column) * parts<T> * stride;
      if constexpr (is_complex_type<T>) {
        if (problems_touch<T>(x, p) && count == v) {
          const T* const from = problem_address<T>(x, p, b) + i * x.row + j * x.column;
          pairs_to_parts(reinterpret_cast<const R*>(from), entry, entry + stride,
                         std::make_integer_sequence<int, v>{});
          continue;
        }
      }
      for (int l = 0; l < v; ++l) {
        const T value = l < count ? read_entry<T>(x, p, b + l, i, j) : T(0);
        if constexpr (is_complex_type<T>) {
          entry[l] = value.real();
          entry[stride + l] = value.imag();
        } else {
          entry[l] = value;
        }
      }
    }
}

/// Entry (i, j) of problem b + l := S(i, j)[l], l < count; gathered entries are added to.
template <class T>
inline void write_tile(const T* s, const matrix_batch& x, const batch_place& p, index rows,
                       index columns, index b, int count, index stride = lanes<T>) {
  using R = real<T>;
  constexpr int v = lanes<T>;
  const auto* const from = reinterpret_cast<const R*>(s);
  if (has_runs(x) && count == v) {
    return for_each_run<T>(x, p, rows, columns, b, [&](index first, R* const* runs, index n) {
      lanes_to_runs(from + first * stride, stride, runs, n);
    });
  }
  const tile_order order = order_in_tile(x, rows, columns);
  const auto at = [&](index i, index j) {
    return from + (i * order.row + j * order.column) * parts<T> * stride;
  };
  if constexpr (is_complex_type<T>) {
    if (problems_touch<T>(x, p) && count == v) {
      for (index i = 0; i < rows; ++i)
        for (index j = 0; j < columns; ++j) {
          T* const to = problem_address<T>(x, p, b) + i * x.row + j * x.column;
          parts_to_pairs(at(i, j), at(i, j) + stride, reinterpret_cast<R*>(to),
                         std::make_integer_sequence<int, v>{});
        }
      return;
    }
  }
  for (int l = 0; l < count; ++l)
    for (index i = 0; i < rows; ++i)
      for (index j = 0; j < columns; ++j) {
        const R* const entry = at(i, j);
        if constexpr (is_complex_type<T>)
          write_entry<T>(x, p, b + l, i, j, T(entry[l], entry[stride + l]));
        else
          write_entry<T>(x, p, b + l, i, j, entry[l]);
      }
}

// ---- one problem <-> a matrix in scratch --------------------------------------------------------

/// S[i * ld + j] := entry (i, j) of problem b.
template <class T>
inline void read_matrix(T* s, index ld, const matrix_batch& x, const batch_place& p, index rows,
                        index columns, index b) {
  using U = typename moved_unit<T>::type;
  if constexpr (moved_unit<T>::count == 1) {
    constexpr int v = lanes<U>;
    if (has_runs(x) && x.row == 1 && x.column != 1) {
      auto* const from = reinterpret_cast<U*>(problem_address<T>(x, p, b));
      index j = 0;
      for (; j + v <= columns; j += v) {
        U* runs[v];
        for (int l = 0; l < v; ++l) runs[l] = from + (j + l) * x.column;
        runs_to_lanes(reinterpret_cast<U*>(s) + j, ld, runs, rows);
      }
      for (; j < columns; ++j)
        for (index i = 0; i < rows; ++i)
          s[i * ld + j] = reinterpret_cast<T*>(from)[i + j * x.column];
      return;
    }
  }
  for (index i = 0; i < rows; ++i)
    for (index j = 0; j < columns; ++j) s[i * ld + j] = read_entry<T>(x, p, b, i, j);
}

/// Entry (i, j) of problem b := S[i * ld + j]; gathered entries are added to.
template <class T>
inline void write_matrix(const T* s, index ld, const matrix_batch& x, const batch_place& p,
                         index rows, index columns, index b) {
  for (index i = 0; i < rows; ++i)
    for (index j = 0; j < columns; ++j) write_entry<T>(x, p, b, i, j, s[i * ld + j]);
}

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
