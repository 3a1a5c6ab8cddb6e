#pragma once

#include <tenfold/backend/cuda/base.device.hpp>
#include <tenfold/backend/interface/device_variable_gemm.hpp>

/// Products of matrices of any sizes, which the device alone knows. device_variable_gemm.hpp says
/// how the work is cut.
namespace tenfold::cuda {

/// A part of op(A) and of op(B); behind their edges there are zeros.
template <class T, device_variable_gemm K>
struct variable_shared {
  T a[K.rows()][variable_pitch(K.panel)];
  T b[K.panel][variable_pitch(K.columns())];
};

/// op(X) in memory: entry (i, j) is data[i row + j column], of rows x columns.
template <class T>
struct stored_matrix {
  const T* data;
  long long row, column;
  long long rows, columns;
  bool conjugated;
};
template <class T>
TENFOLD_DEVICE stored_matrix<T> stored(const T* data, unsigned char op, bool by_row, long long rows,
                                       long long columns, long long ld) {
  const bool lies_by_row = by_row == (op == 0);
  return {data, lies_by_row ? ld : 1, lies_by_row ? 1 : ld, rows, columns, op == 2};
}

/// Brings Rows x Columns entries from (row, column) on into shared memory, neighbours in memory by
/// neighbouring threads.
template <int Threads, int Rows, int Columns, class T>
TENFOLD_DEVICE void stage(T (&to)[Rows][variable_pitch(Columns)], const stored_matrix<T>& x,
                          long long row, long long column, int t) {
  for (int e = t; e < Rows * Columns; e += Threads) {
    const int i = x.column == 1 ? e / Columns : e % Rows;
    const int j = x.column == 1 ? e % Columns : e / Rows;
    T value{};
    if (row + i < x.rows && column + j < x.columns)
      value = x.data[(row + i) * x.row + (column + j) * x.column];
    to[i][j] = x.conjugated ? conjugate(value) : value;
  }
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

// C(b) := alpha(b) op(A(b)) op(B(b)) + beta(b) C(b)          b < count
//   op(A) (m, k), op(B) (k, n), C (m, n), all of problem b, with leading dimensions
//   beta == 0: C is not read.   alpha == 0 or k == 0: A and B are not read
//   codes[b] := 0, or -i where argument i of problem b is illegal; its C is untouched then
// Grid: any number of blocks, of K.threads() threads, with shared_bytes(K, sizeof(T)). Every sum
// goes over rising k in one register: neither the grid nor the other problems change a bit.
template <class T, device_variable_gemm K>
TENFOLD_DEVICE void variable_gemm(const device_variable_arguments<T>& x) {
  static_assert(sizeof(variable_shared<T, K>) == shared_bytes(K, sizeof(T)));
  auto& memory = shared<variable_shared<T, K>>();
  const int t = thread_index(), r = t / K.threads_across, c = t % K.threads_across;
  bool is_used = false;  // what lies in shared memory may still be read
  for (long long b = block_index(); b < x.count; b += block_count()) {
    const device_gemm_problem<T> p = x.problems[b];
    const int wrong = wrong_argument(p, x.by_row);
    if (x.codes != nullptr && t == 0) x.codes[b] = -wrong;
    if (wrong != 0) continue;
    const long long k = is_zero(p.alpha) ? 0 : p.k;
    const auto left = stored(p.a, p.op_a, x.by_row, p.m, k, p.lda);
    const auto right = stored(p.b, p.op_b, x.by_row, k, p.n, p.ldb);
    const bool keeps = !is_zero(p.beta);
    for (long long row = 0; row < p.m; row += K.rows()) {
      for (long long column = 0; column < p.n; column += K.columns()) {
        T sum[K.thread_rows][K.thread_columns] = {};
        for (long long from = 0; from < k; from += K.panel) {
          if (is_used) wait_for_block();
          is_used = true;
          stage<K.threads(), K.rows(), K.panel>(memory.a, left, row, from, t);
          stage<K.threads(), K.panel, K.columns()>(memory.b, right, from, column, t);
          wait_for_block();
          const int depth = k - from < K.panel ? static_cast<int>(k - from) : K.panel;
          TENFOLD_UNROLL_BY(K.unroll)
          for (int l = 0; l < depth; ++l) {
            TENFOLD_UNROLL
            for (int i = 0; i < K.thread_rows; ++i) {
              TENFOLD_UNROLL
              for (int j = 0; j < K.thread_columns; ++j)
                sum[i][j] = multiply_add(memory.a[r + i * K.threads_down][l],
                                         memory.b[l][c + j * K.threads_across], sum[i][j]);
            }
          }
        }
        TENFOLD_UNROLL
        for (int i = 0; i < K.thread_rows; ++i) {
          TENFOLD_UNROLL
          for (int j = 0; j < K.thread_columns; ++j) {
            const long long at_row = row + r + i * K.threads_down,
                            at_column = column + c + j * K.threads_across;
            if (at_row >= p.m || at_column >= p.n) continue;
            T* const entry =
                p.c + (x.by_row ? at_row * p.ldc + at_column : at_row + at_column * p.ldc);
            T value = k > 0 ? multiply(p.alpha, sum[i][j]) : T{};
            if (keeps) value = multiply_add(p.beta, *entry, value);
            *entry = value;
          }
        }
      }
    }
  }
}

}  // namespace tenfold::cuda
