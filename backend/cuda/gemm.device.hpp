#pragma once

#include <tenfold/backend/cuda/base.device.hpp>
#include <tenfold/backend/cuda/matrix.device.hpp>
#include <tenfold/backend/interface/device_gemm.hpp>

/// The batched matrix product, one text for all sizes: from a thread to each problem to a block to
/// each tile of a large C. device_gemm.hpp says how the work is cut.
namespace tenfold::cuda {

// What a group has in shared memory. Bases, because a base without members takes no room.
template <class T, device_gemm K>
struct staged_a {
  staged_matrices<T, K.a, K.rows, K.panel, K.problems> a;
};
template <class T, device_gemm K>
struct staged_b {
  staged_matrices<T, K.b, K.panel, K.columns, K.problems> b;
};
template <class T, device_gemm K>
struct staged_c {
  staged_matrices<T, K.c, K.rows, K.columns, K.problems> c;
};
template <class X, bool Is>
struct if_staged {};
template <class X>
struct if_staged<X, true> : X {};

template <class T, device_gemm K>
struct gemm_group : if_staged<staged_a<T, K>, K.a.staged>,
                    if_staged<staged_b<T, K>, K.b.staged>,
                    if_staged<staged_c<T, K>, K.c.staged> {};
template <class T, device_gemm K>
struct gemm_shared {
  gemm_group<T, K> group[K.groups];
};

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

// C(b) := alpha A(b) B(b) + beta C(b)          b < count
//   A (m, k), B (k, n), C (m, n) of any layout
//   beta == 0: C is not read.   alpha == 0 or k == 0: A and B are not read
//   gathered C: alpha A(b) B(b) is added to what the map names, in any order, and beta is not
//   looked at; scale_gathered has been there before
// Grid: any number of blocks, of K.threads_of_block() threads, with shared_bytes(K, sizeof(T)).
// Every sum goes over rising k in one register, so that neither the grid nor a problem's place in
// the batch changes a bit of a product.
template <class T, device_gemm K>
TENFOLD_DEVICE void gemm(const device_gemm_arguments<T>& x) {
  static_assert(K.problems == 1 || K.tasks() == 1, "tasks of one group are tiles or problems");
  static_assert(K.threads >= K.threads_of_task() * K.problems, "every task has its threads");
  static_assert(K.scope == device_scope::block ? K.groups == 1 : K.threads == 32,
                "who waits together is a group");
  constexpr bool stages_factors = K.a.staged || K.b.staged, stages = stages_factors || K.c.staged;
  static_assert(!stages || sizeof(gemm_shared<T, K>) == shared_bytes(K, sizeof(T)));

  constexpr int across = K.threads_across(), down = K.threads_down();
  const int group = thread_index() / K.threads, t = thread_index() % K.threads;
  const int p = t / K.threads_of_task();            // task of the group
  const int r = t / across % down, c = t % across;  // place in the task
  auto& memory = shared<gemm_shared<T, K>>().group[stages ? group : 0];
  const bool has_products = K.k > 0 && !is_zero(x.alpha);

  const long long tasks = x.count * K.tasks();
  const long long step = block_count() * K.groups * K.problems;
  for (long long task = (block_index() * K.groups + group) * K.problems; task < tasks;
       task += step) {
    const long long b = task / K.tasks();
    const int tile = static_cast<int>(task % K.tasks());
    const int row = tile / K.tasks_across() * K.rows, column = tile % K.tasks_across() * K.columns;
    const int rows = part_from(row, K.m, K.rows);  // of this tile
    const int columns = part_from(column, K.n, K.columns);
    const int problems = tasks - task < K.problems ? static_cast<int>(tasks - task) : K.problems;
    const bool works = p < problems;

    // A register tile that juts out computes its last row or column again and does not store it.
    int rows_at[K.thread_rows], columns_at[K.thread_columns];
    TENFOLD_UNROLL
    for (int i = 0; i < K.thread_rows; ++i)
      rows_at[i] = r + i * down < rows ? r + i * down : rows - 1;
    TENFOLD_UNROLL
    for (int j = 0; j < K.thread_columns; ++j)
      columns_at[j] = c + j * across < columns ? c + j * across : columns - 1;

    T sum[K.thread_rows][K.thread_columns] = {};
    for (int from = 0; has_products && from < K.k; from += K.panel) {
      const int depth = part_from(from, K.k, K.panel);
      if (stages_factors && from > 0) wait_for_group<K>();  // until the last panel is read
      if constexpr (K.a.staged)
        stage<T, K.a, K.rows, K.panel, K.problems, K.threads, K.loads>(
            memory.a, x.a, {b, problems, row, from, rows, depth}, t);
      if constexpr (K.b.staged)
        stage<T, K.b, K.panel, K.columns, K.problems, K.threads, K.loads>(
            memory.b, x.b, {b, problems, from, column, depth, columns}, t);
      if (stages_factors) wait_for_group<K>();
      if (works) {
        TENFOLD_UNROLL_BY(K.unroll)
        for (int l = 0; l < depth; ++l) {
          T left[K.thread_rows], right[K.thread_columns];
          TENFOLD_UNROLL
          for (int i = 0; i < K.thread_rows; ++i) {
            if constexpr (K.a.staged)
              left[i] = memory.a.at(p, rows_at[i], l);
            else
              left[i] = factor<T, K.a>(x.a, b + p, row + rows_at[i], from + l);
          }
          TENFOLD_UNROLL
          for (int j = 0; j < K.thread_columns; ++j) {
            if constexpr (K.b.staged)
              right[j] = memory.b.at(p, l, columns_at[j]);
            else
              right[j] = factor<T, K.b>(x.b, b + p, from + l, column + columns_at[j]);
          }
          TENFOLD_UNROLL
          for (int i = 0; i < K.thread_rows; ++i) {
            TENFOLD_UNROLL
            for (int j = 0; j < K.thread_columns; ++j)
              sum[i][j] = multiply_add(left[i], right[j], sum[i][j]);
          }
        }
      }
    }

    const auto finish = [&](long long at, int i, int j, T product) {
      if constexpr (K.c.layout == batch_layout::gathered) {
        if (has_products) add_to<T, K.c>(x.c, at, i, j, multiply(x.alpha, product));
      } else {
        T value = has_products ? multiply(x.alpha, product) : T{};
        if (!is_zero(x.beta)) value = multiply_add(x.beta, load<T, K.c>(x.c, at, i, j), value);
        store<T, K.c>(x.c, at, i, j, value);
      }
    };
    const auto each = [&](const auto& f) {
      TENFOLD_UNROLL
      for (int i = 0; i < K.thread_rows; ++i) {
        TENFOLD_UNROLL
        for (int j = 0; j < K.thread_columns; ++j)
          if (r + i * down < rows && c + j * across < columns)
            f(r + i * down, c + j * across, sum[i][j]);
      }
    };
    if constexpr (!K.c.staged) {
      if (works) each([&](int i, int j, T s) { finish(b + p, row + i, column + j, s); });
    } else {
      // By way of shared memory, so that neighbouring threads write neighbours.
      if (works) each([&](int i, int j, T s) { memory.c.at(p, i, j) = s; });
      wait_for_group<K>();
      for (int e = t; e < K.problems * K.rows * K.columns; e += K.threads) {
        const tile_entry at = nth_entry<K.c, K.rows, K.columns, K.problems>(e);
        if (at.p < problems && at.i < rows && at.j < columns)
          finish(b + at.p, row + at.i, column + at.j, memory.c.at(at.p, at.i, at.j));
      }
    }

    // The next task may take the place of this one in shared memory when that has been read:
    // factors have been when all wait for products, and products when all wait for the next task's
    // factors.
    const bool is_read = K.c.staged ? stages_factors && has_products : !stages_factors;
    if (!is_read && task + step < tasks) wait_for_group<K>();
  }
}

}  // namespace tenfold::cuda
