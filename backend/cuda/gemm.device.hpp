#pragma once

#include <tenfold/backend/cuda/base.device.hpp>
#include <tenfold/backend/cuda/matrix.device.hpp>
#include <tenfold/backend/interface/device_gemm.hpp>

/// The batched matrix product, one text for all sizes: from a thread to each problem to a block to
/// each tile of a large C. device_gemm.hpp says how the work is cut.
namespace tenfold::cuda {

/// What a group has in shared memory: as staged_entries(K) lists it.
template <class T, device_gemm K>
struct gemm_group {
  T entry[staged_entries(K)];
};
template <class T, device_gemm K>
struct gemm_shared {
  gemm_group<T, K> group[K.groups];
};
template <class T, device_gemm K>
TENFOLD_DEVICE T* memory_of_group(unsigned group) {
  if constexpr (staged_entries(K) > 0) {
    static_assert(sizeof(gemm_shared<T, K>) == shared_bytes(K, sizeof(T)));
    return shared<gemm_shared<T, K>>().group[group].entry;
  } else {
    return nullptr;
  }
}

/// The length of the part that begins at `from`, of parts of `most` of an extent.
TENFOLD_DEVICE constexpr int part_from(int from, int extent, int most) {
  return extent % most == 0 || extent - from > most ? most : extent - from;
}

/// Waits for the threads of the group.
#if defined(__CUDACC__)
template <device_gemm K>
TENFOLD_DEVICE void wait_for_group() {
  if constexpr (K.scope == device_scope::warp)
    wait_for_warp();
  else
    wait_for_block();
}
#else
template <device_gemm K>
inline void wait_for_group(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  if constexpr (K.scope == device_scope::warp)
    wait_for_warp(file, line);
  else
    wait_for_block(file, line);
}
#endif

/// What a group does between two barriers: one panel of the sums of its tasks.
template <device_gemm K>
struct gemm_stage {
  long long task;  ///< the first of the group
  int from = 0;    ///< the first of the contracted values
  int buffer = 0;

  /// Goes on to the next stage, which may be that of tasks `step` further.
  TENFOLD_DEVICE void advance(long long step) {
    buffer = buffer + 1 < K.buffers ? buffer + 1 : 0;
    from = is_last() ? 0 : from + K.panel;
    if (from == 0) task += step;
  }
  TENFOLD_DEVICE bool is_last() const { return K.panels() == 1 || from + K.panel >= K.k; }
  TENFOLD_DEVICE int depth() const { return part_from(from, K.k, K.panel); }
};

/// The tile of C of some task: of problem b, and of the next ones where a group has several.
struct gemm_tile {
  long long b;
  int problems;
  int row, column;
  int rows, columns;
};
template <device_gemm K>
TENFOLD_DEVICE gemm_tile tile_of(long long task, long long tasks) {
  const int tile = static_cast<int>(task % K.tasks());
  const int row = tile / K.tasks_across() * K.rows, column = tile % K.tasks_across() * K.columns;
  return {task / K.tasks(),
          tasks - task < K.problems ? static_cast<int>(tasks - task) : K.problems,
          row,
          column,
          part_from(row, K.m, K.rows),
          part_from(column, K.n, K.columns)};
}

/// C := alpha sum + beta C for some entries of C, as many at once as the matrix C has. at(s, f)
/// calls f(matrix, offset) with the place of entry s and its neighbours, if there is one. What is
/// read of C is all read before some of it is written, lest every entry be waited for.
template <class T, device_matrix C, int Entries, class At>
TENFOLD_DEVICE void finish(const device_gemm_arguments<T>& x, bool has_products, T (&sum)[Entries],
                           const At& at) {
  const T alpha = has_products ? x.alpha : T{};
  using matrix = one_matrix<T, C>;
  constexpr int at_once = matrix::at_once;
  const auto each = [&](const auto& f) {
    TENFOLD_UNROLL
    for (int s = 0; s < Entries; s += at_once)
      at(s, [&](const matrix& c, long long offset) { f(c, offset, sum + s); });
  };
  TENFOLD_UNROLL
  for (int s = 0; s < Entries; ++s) sum[s] = multiply(alpha, sum[s]);
  if constexpr (C.layout == batch_layout::gathered) {
    constexpr int some = Entries < looked_up_together ? Entries : looked_up_together;
    if (!has_products) return;
    TENFOLD_UNROLL
    for (int first = 0; first < Entries; first += some) {
      const int end = first + some < Entries ? first + some : Entries;
      real<T>* places[some] = {};
      TENFOLD_UNROLL
      for (int s = first; s < end; ++s)
        at(s, [&](const matrix& c, long long offset) { places[s - first] = c.place(offset); });
      TENFOLD_UNROLL
      for (int s = first; s < end; ++s)
        if (places[s - first] != nullptr)
          atomic_add(reinterpret_cast<T*>(places[s - first]), sum[s]);
    }
  } else {
    if (!is_zero(x.beta)) {
      each([&](const matrix& c, long long offset, T* v) {
        T old[at_once];
        c.load(offset, old);
        TENFOLD_UNROLL
        for (int s = 0; s < at_once; ++s) v[s] = multiply_add(x.beta, old[s], v[s]);
      });
    }
    each([](const matrix& c, long long offset, const T* v) { c.store(offset, v); });
  }
}

/// The same for tiles whose sums wait in shared memory, by a walk through them.
template <device_gemm K, class walk, class T>
TENFOLD_DEVICE void write_tiles(walk, const device_gemm_arguments<T>& x, bool has_products,
                                const T* sums, const tile_range& range, unsigned t) {
  using matrix = one_matrix<T, walk::matrix>;
  const auto first = walk::first(t);
  walk::template for_each_matrix<T>(x.c, range, first, [&](const matrix& to, int task) {
    const T* const from = sums + task * K.c.apart + first.i * K.c.pitch + first.j;
    constexpr int wide = matrix::at_once,
                  some = walk::often ? walk::least(wide > 1 ? 4 : 8, walk::rounds) : 1;
    walk::template for_each_round<some>([&](int round) {
      T value[some * wide] = {};
      TENFOLD_UNROLL
      for (int s = 0; s < some; ++s) {
        const auto on = walk::way(round + s);
        if (walk::has(t, first, round + s, range))
          read_together<wide>(value + s * wide, from + on.i * K.c.pitch + on.j);
      }
      finish<T, walk::matrix>(x, has_products, value, [&](int s, const auto& f) {
        const int at = round + s / wide;
        const auto on = walk::way(at);
        if (walk::has(t, first, at, range)) f(to, to.offset(on.i, on.j));
      });
    });
  });
}

// C(b) := alpha A(b) B(b) + beta C(b)          b < count
//   A (m, k), B (k, n), C (m, n) of any layout
//   beta == 0: C is not read.   alpha == 0 or k == 0: A and B are not read
//   gathered C: alpha A(b) B(b) is added to what the map names, in any order, and beta is not
//   looked at; scale_gathered has been there before
// Grid: any number of blocks, of K.threads_of_block() threads, with shared_bytes(K, sizeof(T)).
// Every sum goes over rising k in one register, so that neither the grid nor a problem's place in
// the batch changes a bit of a product.
//
// All panels of all tasks of a group are one sequence of stages. With several buffers there is one
// barrier to a stage: behind it all see what was copied for this stage, and none reads any more
// what the stage before had, so that copies for a later one may go there while this one is
// computed.
template <class T, device_gemm K>
TENFOLD_DEVICE void gemm(const device_gemm_arguments<T>& x) {
  static_assert(K.problems == 1 || K.tasks() == 1, "tasks of one group are tiles or problems");
  static_assert(K.threads >= K.threads_of_task() * K.problems, "every task has its threads");
  static_assert(K.scope == device_scope::block ? K.groups == 1 : K.threads == 32,
                "who waits together is a group");
  static_assert(K.thread_columns % K.together == 0, "a thread has all of what is together");
  static_assert(K.c.staged || K.together % K.c.at_once(sizeof(T)) == 0, "and writes it at once");
  constexpr bool a_stays = stays(K, K.a), b_stays = stays(K, K.b);
  constexpr bool brings_a = K.a.staged && !a_stays, brings_b = K.b.staged && !b_stays;
  constexpr bool brings = brings_a || brings_b, stages = brings || K.c.staged;

  constexpr int across = K.threads_across(), down = K.threads_down();
  const auto in_block = static_cast<unsigned>(thread_index());
  const unsigned group = in_block / K.threads, t = in_block % K.threads;
  const int p = static_cast<int>(t / K.threads_of_task());  // task of the group
  const int r = static_cast<int>(t / across % down),
            c = static_cast<int>(t % across) * K.together;  // place there
  T* const memory = memory_of_group<T, K>(group);
  T* const buffers = memory + staying_entries(K);
  const auto a_in = [&](int buffer) {
    return a_stays ? memory : buffers + buffer * buffer_entries(K);
  };
  const auto b_in = [&](int buffer) {
    return b_stays ? memory + (a_stays ? staged_a(K) : 0)
                   : buffers + buffer * buffer_entries(K) + (a_stays ? 0 : staged_a(K));
  };
  const bool has_products = K.k > 0 && !is_zero(x.alpha);

  const long long tasks = x.count * K.tasks();
  const long long step = block_count() * (K.groups * K.problems);
  gemm_stage<K> now{(block_index() * K.groups + group) * K.problems}, ahead = now;
  T sum[K.thread_rows * K.thread_columns] = {};
  int to_fill = brings ? K.buffers - 1 : 0;  // buffers, before the first stage is computed
  if ((a_stays || b_stays) && has_products && now.task < tasks) {
    if constexpr (a_stays)
      stage<T, K.a, K.rows, K.panel, K.problems, K.threads>(a_in(0), x.a, {0, 1, 0, 0, K.m, K.k},
                                                            t);
    if constexpr (b_stays)
      stage<T, K.b, K.panel, K.columns, K.problems, K.threads>(b_in(0), x.b, {0, 1, 0, 0, K.k, K.n},
                                                               t);
    if constexpr (!brings) {
      close_copies();
      wait_for_copies<0>();
      wait_for_group<K>();
    }
  }
  while (now.task < tasks) {
    if (stages && to_fill == 0) {
      if constexpr (brings && K.buffers > 1) wait_for_copies<K.buffers - 2>();
      wait_for_group<K>();
    }
    if constexpr (brings) {
      if (has_products && ahead.task < tasks) {
        const gemm_tile to = tile_of<K>(ahead.task, tasks);
        const int depth = ahead.depth();
        if constexpr (brings_a)
          stage<T, K.a, K.rows, K.panel, K.problems, K.threads>(
              a_in(ahead.buffer), x.a, {to.b, to.problems, to.row, ahead.from, to.rows, depth}, t);
        if constexpr (brings_b)
          stage<T, K.b, K.panel, K.columns, K.problems, K.threads>(
              b_in(ahead.buffer), x.b,
              {to.b, to.problems, ahead.from, to.column, depth, to.columns}, t);
      }
      close_copies();
      ahead.advance(step);
      if (to_fill > 0) {
        --to_fill;
        continue;
      }
      if constexpr (K.buffers == 1) {
        wait_for_copies<0>();
        wait_for_group<K>();
      }
    }

    const gemm_tile at = tile_of<K>(now.task, tasks);
    const bool works = p < at.problems;
    if (works && has_products) {
      // Places of unstaged factors end with the matrix; register tiles may jut out of it.
      const auto row_at = [&](int i) {
        return at.row + (r + i * down < at.rows ? r + i * down : at.rows - 1);
      };
      const auto column_at = [&](int j) {
        const int column = c + K.way_to_column(j);
        return at.column + (column < at.columns ? column : at.columns - 1);
      };
      const one_matrix<T, K.a> a(x.a, at.b + p, 0);
      const one_matrix<T, K.b> b(x.b, at.b + p, 0);
      const T* const rows = a_in(now.buffer) + (K.a.shared ? 0 : p * K.a.apart) + r * K.a.pitch;
      const T* const columns = b_in(now.buffer) + (K.b.shared ? 0 : p * K.b.apart) + c;
      const int depth = now.depth();
      TENFOLD_UNROLL_BY(K.unroll)
      for (int l = 0; l < depth; ++l) {
        T left[K.thread_rows], right[K.thread_columns];
        TENFOLD_UNROLL
        for (int i = 0; i < K.thread_rows; ++i) {
          if constexpr (K.a.staged)
            left[i] = factor<K.a>(rows[i * down * K.a.pitch + l]);
          else
            left[i] = factor<K.a>(a.load(a.offset(row_at(i), now.from + l)));
        }
        TENFOLD_UNROLL
        for (int j = 0; j < K.thread_columns; ++j) {
          if constexpr (K.b.staged)
            right[j] = factor<K.b>(columns[l * K.b.pitch + K.way_to_column(j)]);
          else
            right[j] = factor<K.b>(b.load(b.offset(now.from + l, column_at(j))));
        }
        TENFOLD_UNROLL
        for (int i = 0; i < K.thread_rows; ++i) {
          TENFOLD_UNROLL
          for (int j = 0; j < K.thread_columns; ++j) {
            T& s = sum[i * K.thread_columns + j];
            s = multiply_add(left[i], right[j], s);
          }
        }
      }
    }

    if (now.is_last()) {
      const auto has = [&](int i, int j) {
        return works && r + i * down < at.rows && c + K.way_to_column(j) < at.columns;
      };
      if constexpr (!K.c.staged) {
        if (works) {
          using matrix = one_matrix<T, K.c>;
          const matrix to(x.c, at.b + p, matrix::offset(at.row + r, at.column + c));
          finish<T, K.c>(x, has_products, sum, [&](int s, const auto& f) {
            const int i = s / K.thread_columns, j = s % K.thread_columns;
            if (has(i, j)) f(to, to.offset(i * down, K.way_to_column(j)));
          });
        }
      } else {
        // By way of shared memory, so that neighbouring threads write neighbours.
        if constexpr (is_in_buffer(K)) wait_for_group<K>();
        T* const products =
            buffers + (is_in_buffer(K) ? now.buffer : K.buffers) * buffer_entries(K);
        T* const mine = products + p * K.c.apart + r * K.c.pitch + c;
        TENFOLD_UNROLL
        for (int i = 0; i < K.thread_rows; ++i) {
          TENFOLD_UNROLL
          for (int j = 0; j < K.thread_columns; ++j)
            if (has(i, j))
              mine[i * down * K.c.pitch + K.way_to_column(j)] = sum[i * K.thread_columns + j];
        }
        wait_for_group<K>();
        const tile_range range{at.b, at.problems, at.row, at.column, at.rows, at.columns};
        in_lines<T, K.c, K.rows, K.columns, K.problems, K.threads>(
            range, [&](auto walk, const tile_range& lines) {
              write_tiles<K>(walk, x, has_products, products, lines, t);
            });
      }
      TENFOLD_UNROLL
      for (T& s : sum) s = T{};
    }
    now.advance(step);
  }
}

}  // namespace tenfold::cuda
