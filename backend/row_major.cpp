#include <complex>
#include <tenfold/backend/batched_blas.hpp>
#include <tenfold/backend/launch.hpp>
#include <tenfold/backend/row_major.hpp>
#include <tenfold/backend/with_scalar.hpp>
#include <tenfold/tensor/error.hpp>

namespace tenfold {

namespace {

/// The matrices of a batch: all that lies behind it as one row where that is contiguous, else the
/// last two axes.
struct matrices_of_batch {
  matrix_batch how;
  index rows = 1, columns = 1, count = 0;

  explicit matrices_of_batch(const operand_shape<max_rank>& x) : count(x.extents[0]) {
    how.layout = x.layout;
    how.block = x.block;
    bool contiguous = true;
    for (auto i = static_cast<std::size_t>(x.rank - 1); i > 0; --i) {
      contiguous = contiguous && (x.extents[i] == 1 || x.strides[i] == columns);
      columns *= x.extents[i];
    }
    how.row = columns;
    how.column = 1;
    if (contiguous) return;
    if (x.rank != 3)
      throw backend_error(
          "tenfold: a batch of rank " + std::to_string(x.rank) +
          " that no strides reach is read where the axes behind the batch are contiguous, or two");
    rows = x.extents[1];
    columns = x.extents[2];
    how.row = x.strides[1];
    how.column = x.strides[2];
  }
  matrix_batch row_major() const {
    matrix_batch x;
    x.row = columns;
    x.column = 1;
    return x;
  }
};

}  // namespace

void to_row_major(void* to, const any_batch& x) {
  const matrices_of_batch m(x.shape);
  const index entries = m.rows * m.columns;
  if (m.count * entries == 0) return;
  launch(batch_copy{m.rows, m.columns, m.count, m.how, m.row_major(), x.place, {to, entries}},
         x.shape.type, best_instruction_set());
  if (!x.shape.conjugated) return;
  with_scalar(x.shape.type, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (is_complex(scalar_of<T>))
      for (index i = 0; i < m.count * entries; ++i)
        static_cast<T*>(to)[i] = std::conj(static_cast<T*>(to)[i]);
  });
}

void from_row_major(const any_batch& y, const void* from) {
  const matrices_of_batch m(y.shape);
  const index entries = m.rows * m.columns;
  if (m.count * entries == 0) return;
  launch(batch_copy{m.rows, m.columns, m.count, m.row_major(), m.how, {from, entries}, y.place},
         y.shape.type, best_instruction_set());
}

void add_row_major(const any_batch& y, const void* from, std::complex<double> beta) {
  const matrices_of_batch m(y.shape);
  const index entries = m.rows * m.columns;
  with_scalar(y.shape.type, [&](auto zero) {
    using T = decltype(zero);
    // As the product of the number 1 and each row.
    const T one(1);
    batched_blas::matrices unit, x, sum;
    unit.how.row = unit.how.column = 1;
    unit.how.shared = true;
    unit.place.data = &one;
    x.how = m.row_major();
    x.place = {from, entries};
    sum.how = m.how;
    sum.place = y.place;
    T factor;
    if constexpr (is_complex(scalar_of<T>))
      factor = T(beta);
    else
      factor = static_cast<T>(beta.real());
    batched_blas::multiply<T>({m.rows, m.columns, 1, m.count}, unit, x, sum, T(1), factor);
  });
}

}  // namespace tenfold
