#pragma once

/// What sizes of matrices with leading dimensions go together. This header is read by NVRTC too and
/// includes nothing of the standard library.
namespace tenfold {

/// Entries from one line of storage to where the next may begin at the earliest: those of a row, or
/// of a column.
constexpr long long gemm_line(bool by_row, bool transposed, long long rows, long long columns) {
  return by_row != transposed ? columns : rows;
}

/// Which size of C (m, n) := op(A) (m, k) op(B) (k, n) is wrong, counted as in cblas_gemm: 4 m,
/// 5 n, 6 k, 9 lda, 11 ldb, 14 ldc; 0: none.
constexpr int wrong_gemm_size(bool by_row, bool transposes_a, bool transposes_b, long long m,
                              long long n, long long k, long long lda, long long ldb,
                              long long ldc) {
  const auto is_short = [](long long ld, long long line) { return ld < (line < 1 ? 1 : line); };
  if (m < 0) return 4;
  if (n < 0) return 5;
  if (k < 0) return 6;
  if (is_short(lda, gemm_line(by_row, transposes_a, m, k))) return 9;
  if (is_short(ldb, gemm_line(by_row, transposes_b, k, n))) return 11;
  if (is_short(ldc, gemm_line(by_row, false, m, n))) return 14;
  return 0;
}

}  // namespace tenfold
