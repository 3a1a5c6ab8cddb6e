#pragma once

#include <tenfold/backend/cuda/base.device.hpp>
#include <tenfold/backend/interface/device_gemm.hpp>

/// Matrices of a batch in the memory of a device: single entries, and tiles of them on their way
/// into shared memory and out of it.
namespace tenfold::cuda {

// ---- one matrix ---------------------------------------------------------------------------------

/// Number e of a map.
template <bool Wide>
TENFOLD_DEVICE long long number_in_map(const void* map, long long e) {
  if constexpr (Wide)
    return static_cast<const long long*>(map)[e];
  else
    return static_cast<const int*>(map)[e];
}

/// The matrix of problem b, seen from one of its entries. Offsets from there count entries as rows
/// and columns do; those that the compiler knows become part of an instruction.
template <class T, device_matrix X>
class one_matrix {
 public:
  using R = real<T>;

  one_matrix() = default;
  TENFOLD_DEVICE one_matrix(const device_place& p, long long b, long long offset) {
    // C is written by way of the same type as A and B, which are only read.
    data_ = static_cast<R*>(const_cast<void*>(p.data));
    if constexpr (X.shared) b = 0;
    if constexpr (X.layout == batch_layout::strided) {
      data_ += reals * (b * p.problem + offset);
    } else if constexpr (X.layout == batch_layout::pointers) {
      data_ = static_cast<R*>(static_cast<void* const*>(p.data)[b]) + reals * offset;
    } else if constexpr (X.layout == batch_layout::interleaved) {
      apart_ = X.block == 0 ? p.block : X.block;
      data_ += reals * (b / apart_ * p.problem + offset * apart()) + b % apart_;
    } else {
      map_ = p.map;
      first_ = b * p.problem + offset;
    }
  }
  /// Becomes that of problem b, which is `by` further, seen from the same entry.
  TENFOLD_DEVICE void advance(const device_place& p, long long b, int by, long long offset) {
    if constexpr (X.layout == batch_layout::strided)
      data_ += X.shared ? 0 : reals * by * p.problem;
    else
      *this = one_matrix(p, b, offset);
  }

  static constexpr int at_once = X.at_once(sizeof(T));

  static TENFOLD_DEVICE long long offset(long long i, long long j) {
    return i * X.row + j * X.column;
  }

  /// The number that a map has for an entry; -1: there is none.
  TENFOLD_DEVICE long long number(long long offset) const {
    return number_in_map<X.wide_map>(map_, first_ + offset);
  }
  /// Where an entry lies, of complex ones the real part; null where a map says that there is none.
  TENFOLD_DEVICE R* place(long long offset) const {
    if constexpr (X.layout == batch_layout::gathered) {
      const long long to = number(offset);
      return to < 0 ? nullptr : data_ + reals * to;
    } else if constexpr (X.layout == batch_layout::interleaved) {
      return data_ + reals * (offset * apart());
    } else {
      return data_ + reals * offset;
    }
  }
  /// From the real part of an entry to its imaginary part.
  TENFOLD_DEVICE long long apart() const {
    return X.layout != batch_layout::interleaved ? 1 : X.block == 0 ? apart_ : X.block;
  }

  /// The entry as it is in memory; 0 where a map says that there is none.
  TENFOLD_DEVICE T load(long long offset) const {
    const R* const from = place(offset);
    if (X.layout == batch_layout::gathered && from == nullptr) return T{};
    if constexpr (is_complex<T>)
      return {from[0], from[apart()]};
    else
      return *from;
  }
  /// The entries that are read at once, as they are in memory.
  TENFOLD_DEVICE void load(long long offset, T* to) const {
    if constexpr (X.bytes > static_cast<int>(sizeof(R)))
      read_together<X.bytes / sizeof(R)>(reinterpret_cast<R*>(to), place(offset));
    else
      *to = load(offset);
  }
  TENFOLD_DEVICE void store(long long offset, const T* from) const {
    if constexpr (X.bytes > static_cast<int>(sizeof(R)))
      write_together<X.bytes / sizeof(R)>(place(offset), reinterpret_cast<const R*>(from));
    else
      store(offset, *from);
  }
  TENFOLD_DEVICE void store(long long offset, T value) const {
    static_assert(X.layout != batch_layout::gathered, "several problems may meet in an entry");
    R* const to = place(offset);
    if constexpr (is_complex<T>) {
      to[0] = value.re;
      to[apart()] = value.im;
    } else {
      *to = value;
    }
  }

 private:
  static constexpr int reals = is_complex<T> ? 2 : 1;

  R* data_ = nullptr;  // that entry; gathered: what the map counts from
  const void* map_ = nullptr;
  long long first_ = 0;  // gathered: which number of the map is that of the entry
  long long apart_ = 1;
};

/// An entry as it enters a product.
template <device_matrix X, class T>
TENFOLD_DEVICE T factor(T x) {
  if constexpr (X.conjugated)
    return conjugate(x);
  else
    return x;
}

/// Addresses of a list, or numbers of a map, that a thread reads before it waits for the first of
/// them: what is read by them is on its way after two latencies of the memory, not after two for
/// each.
inline constexpr int looked_up_together = 8;

// ---- tiles in shared memory ---------------------------------------------------------------------

/// Which tiles a group has at a time, of matrices of one operand: from (row, column) of problem
/// `first` + p on, but not beyond the matrix and not beyond the last problem.
struct tile_range {
  long long first;    ///< the first problem
  int problems;       ///< that there are
  int row, column;    ///< the first of the tiles
  int rows, columns;  ///< that there are
};

/// How Threads threads go through Problems tiles of Rows x Columns entries, each thread through
/// AtOnce neighbours at once. At a time they take a box of these, as long as may be in the
/// direction in which entries are neighbours in memory, then in the next. Some threads may have
/// nothing to do then; but from one round to the next a thread goes a way that the compiler knows:
/// addresses of all rounds are those of the first and constants. Where it is not gone often the
/// code is short.
template <device_matrix X, int Rows, int Columns, int Problems, int Threads, int AtOnce,
          bool Often = true>
struct tile_walk {
  static constexpr device_matrix matrix = X;
  static constexpr bool by_problems = X.layout == batch_layout::interleaved && Problems > 1;
  static constexpr bool by_rows =
      (X.row < 0 ? -X.row : X.row) < (X.column < 0 ? -X.column : X.column);

  static constexpr bool often = Often;
  static constexpr int least(int x, int y) { return x < y ? x : y; }
  static constexpr int rounds_of(int all, int at_once) { return (all + at_once - 1) / at_once; }

  // The box: of neighbours, of lines of them, and of matrices; interleaved problems are neighbours
  // before all others.
  static_assert(AtOnce == 1 || (!by_rows && Columns % AtOnce == 0));
  static constexpr int neighbours = by_rows ? Rows : Columns / AtOnce,
                       lines = by_rows ? Columns : Rows;
  static constexpr int left = by_problems ? Threads / least(Problems, Threads) : Threads;
  static constexpr int box_n = least(neighbours, left), box_l = least(lines, left / box_n);
  static constexpr int box_p = least(Problems, Threads / box_n / box_l);
  static constexpr int in_box = box_p * box_n * box_l;
  /// Rounds through one matrix, and matrices that one thread comes to.
  static constexpr int rounds_n = rounds_of(neighbours, box_n);
  static constexpr int rounds = rounds_n * rounds_of(lines, box_l);
  static constexpr int matrices = rounds_of(Problems, box_p);

  /// Problem p, row i and column j of a tile; what lies between two of them.
  struct position {
    int p, i, j;
  };
  /// Where thread t begins.
  static TENFOLD_DEVICE position first(unsigned t) {
    constexpr unsigned n = box_n, l = box_l, p = box_p;
    const unsigned in_matrix = by_problems ? t / p : t % (n * l);
    const auto at_n = static_cast<int>(in_matrix % n) * AtOnce,
               at_l = static_cast<int>(in_matrix / n);
    return {static_cast<int>(by_problems ? t % p : t / (n * l)), by_rows ? at_n : at_l,
            by_rows ? at_l : at_n};
  }
  /// From there to where it is in a round.
  static TENFOLD_DEVICE constexpr position way(int round) {
    const int at_n = round % rounds_n * box_n * AtOnce, at_l = round / rounds_n * box_l;
    return {0, by_rows ? at_n : at_l, by_rows ? at_l : at_n};
  }
  /// Whether thread t, which began there, has an entry in a round.
  static TENFOLD_DEVICE bool has(unsigned t, const position& from, int round, const tile_range& r) {
    const position on = way(round);
    return round < rounds && (in_box == Threads || t < in_box) && from.i + on.i < r.rows &&
           from.j + on.j < r.columns;
  }

  /// Calls f(matrix, p) for each matrix that a thread, which began there, comes to; it is seen from
  /// the thread's first entry.
  template <class T, class F>
  static TENFOLD_DEVICE void for_each_matrix(const device_place& place, const tile_range& r,
                                             const position& from, const F& f) {
    if (from.p >= r.problems) return;
    const long long offset = one_matrix<T, X>::offset(r.row + from.i, r.column + from.j);
    if constexpr (X.layout == batch_layout::pointers) {
      constexpr int some = least(looked_up_together, matrices);
      TENFOLD_UNROLL_BY(matrices <= 64 ? matrices : 8)
      for (int q = 0; q < matrices; q += some) {
        // Nothing is asked before an address is read: the compiler would wait for each of them.
        one_matrix<T, X> x[some];
        TENFOLD_UNROLL
        for (int s = 0; s < some; ++s) {
          const int p = from.p + (q + s) * box_p;
          x[s] = one_matrix<T, X>(place, r.first + (p < r.problems ? p : from.p), offset);
        }
        TENFOLD_UNROLL
        for (int s = 0; s < some; ++s) {
          const int p = from.p + (q + s) * box_p;
          if (p < r.problems) f(x[s], p);
        }
      }
    } else {
      one_matrix<T, X> x(place, r.first + from.p, offset);
      f(x, from.p);
      TENFOLD_UNROLL_BY(!Often ? 1 : matrices <= 64 ? matrices : 8)
      for (int q = 1; q < matrices; ++q) {
        const int p = from.p + q * box_p;
        if (p < r.problems) {
          x.advance(place, r.first + p, box_p, offset);
          f(x, p);
        }
      }
    }
  }
  /// Calls f(round) for the first of every Some rounds.
  template <int Some, class F>
  static TENFOLD_DEVICE void for_each_round(const F& f) {
    TENFOLD_UNROLL_BY(!Often ? 1 : rounds <= 64 ? rounds : 8)
    for (int round = 0; round < rounds; round += Some) f(round);
  }
};

/// What lies side by side as a matrix of one row.
constexpr device_matrix as_line(device_matrix x, int entries) {
  x.row = entries;
  x.column = 1;
  return x;
}
/// The same matrix for code that takes its numbers one by one.
constexpr device_matrix by_number(device_matrix x) {
  x.bytes = 0;
  return x;
}

/// Calls f(walk, range) for the tiles of `range` as the lines that their operand has. A group that
/// has less than all problems may end in the middle of what is copied at once.
template <class T, device_matrix X, int Rows, int Columns, int Problems, int Threads, class F>
TENFOLD_DEVICE void in_lines(const tile_range& range, const F& f) {
  constexpr int matrices = X.shared ? 1 : Problems, at_once = X.at_once(sizeof(T));
  if constexpr (X.run == device_run::row) {
    f(tile_walk<X, Rows, Columns, matrices, Threads, at_once>(), range);
  } else if constexpr (X.run == device_run::matrix) {
    constexpr int line = Rows * Columns;
    f(tile_walk<as_line(X, line), 1, line, matrices, Threads, at_once>(),
      tile_range{range.first, range.problems, 0, range.row * Columns, 1, range.rows * Columns});
  } else {
    constexpr int line = matrices * Rows * Columns;
    if (range.problems == Problems)
      f(tile_walk<as_line(X, line), 1, line, 1, Threads, at_once>(),
        tile_range{range.first, 1, 0, 0, 1, line});
    else
      f(tile_walk<by_number(X), Rows, Columns, matrices, Threads, 1, false>(), range);
  }
}

/// Begins to copy what matrix X has at once from there into shared memory.
template <device_matrix X, class T>
TENFOLD_DEVICE void copy_entry(T* to, const real<T>* from, long long apart) {
  if constexpr (X.bytes > static_cast<int>(sizeof(real<T>))) {
    copy_together<X.bytes / sizeof(real<T>)>(reinterpret_cast<real<T>*>(to), from);
  } else if constexpr (is_complex<T>) {
    copy_async(&to->re, from);
    copy_async(&to->im, from + apart);
  } else {
    copy_async(to, from);
  }
}

/// Begins to bring the tiles of `range` into shared memory, by such a walk.
template <class walk, class T>
TENFOLD_DEVICE void stage(walk, T* to, const device_place& from, const tile_range& range,
                          unsigned t) {
  using matrix = one_matrix<T, walk::matrix>;
  const auto first = walk::first(t);
  walk::template for_each_matrix<T>(from, range, first, [&](const matrix& x, int p) {
    T* const there = to + p * walk::matrix.apart + first.i * walk::matrix.pitch + first.j;
    walk::template for_each_round<1>([&](int round) {
      if (!walk::has(t, first, round, range)) return;
      const auto on = walk::way(round);
      copy_entry<walk::matrix>(there + on.i * walk::matrix.pitch + on.j,
                               x.place(x.offset(on.i, on.j)), x.apart());
    });
  });
}
/// The same for matrices through a map: rounds of one matrix and those of the next are one
/// sequence, in which some numbers of the map are read at a time, in place of those that are not
/// there the first one.
template <class walk, class T>
TENFOLD_DEVICE void stage_mapped(walk, T* to, const device_place& from, const tile_range& range,
                                 unsigned t) {
  using matrix = one_matrix<T, walk::matrix>;
  constexpr int all = walk::matrices * walk::rounds, some = walk::least(looked_up_together, all);
  const auto first = walk::first(t);
  const auto problem = [&](int at) { return first.p + at / walk::rounds * walk::box_p; };
  TENFOLD_UNROLL_BY(all <= 64 ? all : 1)
  for (int done = 0; done < all; done += some) {
    bool has[some];
    long long number[some];
    TENFOLD_UNROLL
    for (int s = 0; s < some; ++s) {
      const int at = done + s, round = at % walk::rounds;
      has[s] = at < all && problem(at) < range.problems && walk::has(t, first, round, range);
      const auto on = walk::way(round);
      const int p = has[s] ? problem(at) : 0, i = has[s] ? first.i + on.i : 0,
                j = has[s] ? first.j + on.j : 0;
      number[s] = matrix(from, range.first + p, matrix::offset(range.row, range.column))
                      .number(matrix::offset(i, j));
    }
    TENFOLD_UNROLL
    for (int s = 0; s < some; ++s) {
      if (!has[s]) continue;
      const auto on = walk::way((done + s) % walk::rounds);
      T* const place = to + problem(done + s) * walk::matrix.apart +
                       (first.i + on.i) * walk::matrix.pitch + first.j + on.j;
      const bool is_there = number[s] >= 0;
      copy_or_clear(place, static_cast<const T*>(from.data) + (is_there ? number[s] : 0), is_there);
    }
  }
}
template <class T, device_matrix X, int Rows, int Columns, int Problems, int Threads>
TENFOLD_DEVICE void stage(T* to, const device_place& from, const tile_range& range, unsigned t) {
  in_lines<T, X, Rows, Columns, Problems, Threads>(range, [&](auto walk, const tile_range& lines) {
    if constexpr (X.layout == batch_layout::gathered)
      stage_mapped(walk, to, from, lines, t);
    else
      stage(walk, to, from, lines, t);
  });
}

}  // namespace tenfold::cuda
