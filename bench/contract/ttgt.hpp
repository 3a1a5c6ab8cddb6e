#pragma once

#include <optional>
#include <string>
#include <utility>

#include "contract/cblas.hpp"
#include "contract/contraction.hpp"

namespace tenfold::bench {

/// Transpose-transpose-GEMM-transpose: permutes A and B into matrices, multiplies them, and
/// permutes their product into C. For contractions that are a matrix product but for the order of
/// entries.
///
/// The labels of rows, columns and sums can stand in the order of either tensor that has them: the
/// order is that which leaves most entries where they are. A tensor that is a matrix, or a
/// transposed one, is not permuted.
template <class T>
class ttgt {
 public:
  ttgt(contraction_data<T>& data, cblas_gemm<T>* gemm) : data_(data), gemm_(gemm) {
    const contraction& x = data.x;
    const auto in_order_of = contraction::of;
    index least = -1;
    for (const std::string& m : {in_order_of(x.a, x.c, true), in_order_of(x.c, x.a, true)})
      for (const std::string& n : {in_order_of(x.b, x.c, true), in_order_of(x.c, x.b, true)})
        for (const std::string& k : {in_order_of(x.a, x.b, true), in_order_of(x.b, x.a, true)}) {
          matrix a(x.a, m, k), b(x.b, k, n), c(x.c, m, n);
          const index moved = (a.labels != x.a ? data.a.size() : 0) +
                              (b.labels != x.b ? data.b.size() : 0) +
                              (c.labels != x.c ? data.c.size() : 0);
          if (least >= 0 && moved >= least) continue;
          least = moved;
          a_ = std::move(a), b_ = std::move(b), c_ = std::move(c);
        }
    a_.permuted = permuted(a_, x.a);
    b_.permuted = permuted(b_, x.b);
    c_.permuted = permuted(c_, x.c);
    a_.permutation = x.a + "->" + a_.labels;
    b_.permutation = x.b + "->" + b_.labels;
    c_.permutation = c_.labels + "->" + x.c;
  }

  void operator()() {
    const index m = data_.x.m(), n = data_.x.n(), k = data_.x.k();
    if (a_.permuted) einsum(a_.permutation, into(*a_.permuted), data_.a);
    if (b_.permuted) einsum(b_.permutation, into(*b_.permuted), data_.b);
    const T* const a = (a_.permuted ? *a_.permuted : data_.a).data();
    const T* const b = (b_.permuted ? *b_.permuted : data_.b).data();
    T* const c = (c_.permuted ? *c_.permuted : data_.c).data();
    // Where C lies column after column, its transpose is B^T A^T.
    if (c_.lies == order::rows)
      multiply(gemm_, m, n, k, a, a_.lies, b, b_.lies, c);
    else
      multiply(gemm_, n, m, k, b, turned(b_.lies), a, turned(a_.lies), c);
    if (c_.permuted) einsum(c_.permutation, into(data_.c), *c_.permuted);
  }

 private:
  struct matrix {
    matrix() = default;
    /// Of a tensor with these labels. Its last label stays the last where it can: such a
    /// permutation moves whole lines.
    matrix(const std::string& tensor, const std::string& rows, const std::string& columns)
        : lies(tensor != rows + columns && !rows.empty() && rows.back() == tensor.back()
                   ? order::columns
                   : order::rows),
          labels(lies == order::rows ? rows + columns : columns + rows) {}

    order lies = order::rows;
    std::string labels, permutation;
    std::optional<dynamic_tensor<T>> permuted;
  };

  std::optional<dynamic_tensor<T>> permuted(const matrix& x, const std::string& tensor) const {
    if (x.labels == tensor) return std::nullopt;
    return dynamic_tensor<T>(shape_of<T>(data_.x, x.labels));
  }
  static order turned(order o) { return o == order::rows ? order::columns : order::rows; }

  contraction_data<T>& data_;
  cblas_gemm<T>* gemm_;
  matrix a_, b_, c_;
};

}  // namespace tenfold::bench
