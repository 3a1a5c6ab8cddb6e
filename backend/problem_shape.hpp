#pragma once

#include <tenfold/backend/check_gemm.hpp>
#include <tenfold/backend/interface/gemm.hpp>

/// Problems of matrices with leading dimensions as descriptors.
namespace tenfold::batched_blas {

/// How op(X) lies in matrices with the leading dimension `ld`. Nothing steps over that of a single
/// line, so it may be anything: the length of the line stands for it.
inline matrix_batch stored(batch_layout where, order layout, op f, index rows, index columns,
                           index ld, bool conjugates) {
  const bool by_row = (layout == order::row_major) == (f == op::none);
  const index lines = by_row ? rows : columns, line = by_row ? columns : rows;
  const index step = lines > 1 ? ld : line;
  matrix_batch x;
  x.layout = where;
  x.row = by_row ? step : 1;
  x.column = by_row ? 1 : step;
  x.conjugated = conjugates && f == op::conjugate_transpose;
  return x;
}

/// The shape of problems of these terms; without reading operands k is 0.
inline gemm_shape shape_of_terms(batch_layout where, order layout, const problem_terms& p,
                                 scalar type) {
  gemm_shape s{type, p.m, p.n, p.k, {}, {}, {}};
  const bool complex = is_complex(type);
  s.c = stored(where, layout, op::none, p.m, p.n, p.ldc, complex);
  if (reads_operands(p)) {
    s.a = stored(where, layout, p.op_a, p.m, p.k, p.lda, complex);
    s.b = stored(where, layout, p.op_b, p.k, p.n, p.ldb, complex);
  } else {
    s.k = 0;
    s.a.shared = s.b.shared = true;
  }
  return s;
}

/// The same of a strided batch, where stride 0 of A or B is one matrix for all.
inline gemm_shape shape_of_strides(order layout, const problem_terms& p, scalar type,
                                   index stride_a, index stride_b) {
  gemm_shape s = shape_of_terms(batch_layout::strided, layout, p, type);
  if (reads_operands(p)) {
    s.a.shared = stride_a == 0;
    s.b.shared = stride_b == 0;
  }
  return s;
}

/// What is said of a problem, or of those of a group, but for their addresses.
template <class X>
problem_terms terms_of(const X& x) {
  return {x.op_a, x.op_b, x.m, x.n, x.k, x.lda, x.ldb, x.ldc, x.alpha != decltype(x.alpha)(0)};
}

template <class T>
gemm_arguments<T> arguments_of(const problem_terms& p, batch_place a, batch_place b, batch_place c,
                               index count, T alpha, T beta) {
  if (!reads_operands(p)) return {{}, {}, c, count, T(1), beta};
  return {a, b, c, count, alpha, beta};
}

}  // namespace tenfold::batched_blas
