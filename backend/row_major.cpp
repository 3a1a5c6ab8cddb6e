#include <complex>
#include <string>
#include <tenfold/backend/batched_blas.hpp>
#include <tenfold/backend/check_gemm.hpp>
#include <tenfold/backend/launch.hpp>
#include <tenfold/backend/row_major.hpp>
#include <tenfold/backend/with_scalar.hpp>
#include <tenfold/tensor/error.hpp>

namespace tenfold {

namespace {

/// Whether the axes behind the batch are one run of entries.
bool is_dense(const operand_shape<max_rank>& x) {
  index stride = 1;
  for (auto i = static_cast<std::size_t>(x.rank - 1); i > 0; --i) {
    if (x.extents[i] > 1 && x.strides[i] != stride) return false;
    stride *= x.extents[i];
  }
  return true;
}
index entries_of_problem(const operand_shape<max_rank>& x) {
  index entries = 1;
  for (auto i = static_cast<std::size_t>(x.rank - 1); i > 0; --i) entries *= x.extents[i];
  return entries;
}

/// All that lies behind the batch as one row of so many entries.
matrix_batch as_rows(const operand_shape<max_rank>& x, index entries) {
  matrix_batch m;
  m.layout = x.layout;
  m.block = x.block;
  m.row = entries;
  m.column = 1;
  return m;
}

/// Row-major entries at `data`, of the extents of x.
any_batch row_major_like(const operand_shape<max_rank>& x, const void* data) {
  any_batch y{x, {data, entries_of_problem(x)}};
  y.shape.layout = batch_layout::strided;
  y.shape.block = operand_shape<max_rank>{}.block;
  y.shape.conjugated = false;
  index stride = 1;
  for (auto i = static_cast<std::size_t>(x.rank); i-- > 0; stride *= x.extents[i])
    y.shape.strides[i] = stride;
  return y;
}

/// What of a batch is null; empty: nothing.
std::string missing_in(const any_batch& x) {
  if (x.place.data == nullptr) return "its address";
  if (x.shape.layout == batch_layout::gathered && x.place.map == nullptr) return "its map";
  if (x.shape.layout != batch_layout::pointers) return {};
  for (index b = 0; b < x.shape.extents[0]; ++b) {
    if (static_cast<const void* const*>(x.place.data)[b] == nullptr)
      return "the address of problem " + std::to_string(b);
  }
  return {};
}

void require_memory(const char* name, const char* operand, const any_batch& x) {
  if (lacks_memory(x)) throw_lacks_memory(std::string("tenfold: ") + name + ": " + operand, x);
}

}  // namespace

bool lacks_memory(const any_batch& x) {
  return x.shape.extents[0] > 0 && entries_of_problem(x.shape) > 0 && !missing_in(x).empty();
}

void throw_lacks_memory(const std::string& subject, const any_batch& x) {
  throw shape_error(subject + " has entries, but " + missing_in(x) + " is null");
}

void copy_entries(const char* name, const any_batch& x, const any_batch& y) {
  const operand_shape<max_rank>&from = x.shape, &to = y.shape;
  for (std::size_t i = 0; i < static_cast<std::size_t>(from.rank); ++i) {
    if (from.extents[i] != to.extents[i])
      throw shape_error(std::string("tenfold: ") + name + ": axis " + std::to_string(i) + " has " +
                        std::to_string(from.extents[i]) + " entries in x and " +
                        std::to_string(to.extents[i]) + " in y");
  }
  const index entries = entries_of_problem(from);
  if (entries == 0 || from.extents[0] == 0) return;
  batch_copy c;
  c.count = from.extents[0];
  c.source = x.place;
  c.destination = y.place;
  if (is_dense(from) && is_dense(to)) {
    c.rows = 1;
    c.columns = entries;
    c.from = as_rows(from, entries);
    c.to = as_rows(to, entries);
  } else if (from.rank == 3) {
    c.rows = from.extents[1];
    c.columns = from.extents[2];
    c.from = matrices_of(from);
    c.to = matrices_of(to);
  } else {
    throw shape_error(std::string("tenfold: ") + name +
                      ": the axes behind the batch must be contiguous, or two");
  }
  require_memory(name, "x", x);
  require_memory(name, "y", y);
  batched_blas::check_copy(name, c, from.type);
  launch(c, from.type, best_instruction_set());
}

void to_row_major(void* to, const any_batch& x) {
  copy_entries("einsum", x, row_major_like(x.shape, to));
  if (!x.shape.conjugated) return;
  with_scalar(x.shape.type, [&](auto zero) {
    using T = decltype(zero);
    const index count = x.shape.extents[0] * entries_of_problem(x.shape);
    if constexpr (is_complex(scalar_of<T>))
      for (index i = 0; i < count; ++i) static_cast<T*>(to)[i] = std::conj(static_cast<T*>(to)[i]);
  });
}

void from_row_major(const any_batch& y, const void* from) {
  copy_entries("einsum", row_major_like(y.shape, from), y);
}

void add_row_major(const any_batch& y, const void* from, std::complex<double> beta) {
  const index entries = entries_of_problem(y.shape);
  if (entries == 0 || y.shape.extents[0] == 0) return;
  require_memory("einsum", "y", y);
  with_scalar(y.shape.type, [&](auto zero) {
    using T = decltype(zero);
    // As the product of the number 1 and each row.
    const T one(1);
    batched_blas::matrices unit, x, sum;
    unit.how.row = unit.how.column = 1;
    unit.how.shared = true;
    unit.place.data = &one;
    x.how.row = entries;
    x.how.column = 1;
    x.place = {from, entries};
    sum.how = as_rows(y.shape, entries);
    sum.place = y.place;
    T factor;
    if constexpr (is_complex(scalar_of<T>))
      factor = T(beta);
    else
      factor = static_cast<T>(beta.real());
    batched_blas::multiply<T>({1, entries, 1, y.shape.extents[0]}, unit, x, sum, T(1), factor);
  });
}

}  // namespace tenfold
