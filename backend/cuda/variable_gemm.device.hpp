#pragma once

#include <tenfold/backend/cuda/variable_tile.device.hpp>
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

// ---- problems -----------------------------------------------------------------------------------

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
