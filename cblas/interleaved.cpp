#include <tenfold/backend/check_gemm.hpp>
#include <tenfold/backend/launch.hpp>
#include <tenfold/tensor/error.hpp>

#include "c_call.hpp"

// Interleaved batches, and the way into and out of that storage.

namespace tenfold::c_interface {
namespace {

using namespace batched_blas;

/// Entries of a block, and so from one block to the next. That the whole batch is less than 2^62
/// bytes is the duty of the argument at `position`.
template <class T>
index entries_of_block(index rows, index columns, index block, index count, int position) {
  index entries = 0, bytes = 0;
  const bool beyond = __builtin_mul_overflow(rows, columns, &entries) ||
                      __builtin_mul_overflow(entries, block, &entries) ||
                      __builtin_mul_overflow(entries, (count - 1) / block + 1, &bytes) ||
                      __builtin_mul_overflow(bytes, 2 * static_cast<index>(sizeof(T)), &bytes);
  require(!beyond, position);
  return entries;
}

/// op(X) for matrices that are stored as (rows, columns).
template <class T>
matrices interleaved(const void* data, order stored, op f, index rows, index columns, index block,
                     index count, int position) {
  matrices x;
  x.how.layout = batch_layout::interleaved;
  x.how.row = stored == order::row_major ? columns : 1;
  x.how.column = stored == order::row_major ? 1 : rows;
  x.how.block = block;
  if (f != op::none) x.how = transposed(x.how);
  x.how.conjugated = is_complex(scalar_of<T>) && f == op::conjugate_transpose;
  x.place = {data, entries_of_block<T>(rows, columns, block, count, position)};
  x.rows = rows;
  x.columns = columns;
  x.count = count;
  return x;
}

/// tenfold_Sgemm_batch_interleaved
template <class T>
void multiply_interleaved(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb,
                          index m, index n, index k, factor<T> alpha, const void* a, const void* b,
                          factor<T> beta, void* c, index block, index count) {
  const order stored = order_of(layout);
  const op op_a = op_of(transa, 2), op_b = op_of(transb, 3);
  require(m >= 0, 4);
  require(n >= 0, 5);
  require(k >= 0, 6);
  const T factor_ab = value_of<T>(alpha, 7), factor_c = value_of<T>(beta, 10);
  require(block > 0, 12);
  require(count >= 0, 13);
  if (m == 0 || n == 0 || count == 0) return;
  const bool reads = k > 0 && factor_ab != T(0);
  require(!reads || a != nullptr, 8);
  require(!reads || b != nullptr, 9);
  require(c != nullptr, 11);

  const auto operand = [&](const void* data, op f, index rows, index columns, int position) {
    if (f != op::none) std::swap(rows, columns);
    return interleaved<T>(data, stored, f, rows, columns, block, count, position);
  };
  const index terms = reads ? k : 0;
  const matrices x = operand(a, op_a, m, terms, 8), y = operand(b, op_b, terms, n, 9);
  const matrices z = operand(c, op::none, m, n, 11);
  call_sizes sizes;
  try {
    sizes = check(x, op_a, y, op_b, z, scalar_of<T>, reads);
  } catch (const overlap_error&) {
    throw illegal_argument{11};
  }
  multiply(sizes, x, y, z, factor_ab, factor_c);
}

/// tenfold_Sto_interleaved, or else tenfold_Sfrom_interleaved. Both storages have the same lines.
template <class T>
void convert(bool to, CBLAS_LAYOUT layout, index m, index n, const void* a, index lda,
             index stridea, const void* x, index block, index count) {
  const bool by_row = order_of(layout) == order::row_major;
  require(m >= 0, 2);
  require(n >= 0, 3);
  const index lines = by_row ? m : n, line = by_row ? n : m;
  require(lda >= line && lda > 0, 5);
  require(block > 0, 8);
  require(count >= 0, 9);
  if (m == 0 || n == 0 || count == 0) return;
  require(a != nullptr, 4);
  require(x != nullptr, 7);
  constexpr index bytes = sizeof(T);
  require(is_addressable(lines, lines > 1 ? lda : line, bytes), 5);
  require(is_addressable(count, count > 1 ? stridea : 0, bytes), 4);
  const batch_place at_x{x, entries_of_block<T>(m, n, block, count, 7)};

  batch_copy copy;
  const bool dense = lda == line;  // then a problem is one run of entries
  copy.rows = dense ? 1 : lines;
  copy.columns = dense ? lines * line : line;
  copy.count = count;
  matrix_batch apart, together;
  apart.row = lda;
  apart.column = together.column = 1;
  together.layout = batch_layout::interleaved;
  together.row = copy.columns;
  together.block = block;
  const batch_place at_a{a, stridea};
  copy.from = to ? apart : together;
  copy.to = to ? together : apart;
  copy.source = to ? at_a : at_x;
  copy.destination = to ? at_x : at_a;
  try {
    check_copy("conversion", copy, scalar_of<T>);
  } catch (const overlap_error&) {
    throw illegal_argument{to ? 7 : 4};
  }
  launch(copy, scalar_of<T>, best_instruction_set());
}

}  // namespace
}  // namespace tenfold::c_interface

using namespace tenfold;
using namespace tenfold::c_interface;

#define TENFOLD_DEFINE(S, T, SUFFIX, INT)                                                         \
  void tenfold_##S##gemm_batch_interleaved##SUFFIX(                                               \
      TENFOLD_INTERLEAVED(entry<T>, factor<T>, INT)) {                                            \
    run("tenfold_" #S "gemm_batch_interleaved" #SUFFIX, [&] {                                     \
      multiply_interleaved<T>(layout, transa, transb, m, n, k, alpha, a, b, beta, c, block,       \
                              batch_size);                                                        \
    });                                                                                           \
  }                                                                                               \
  void tenfold_##S##to_interleaved##SUFFIX(TENFOLD_CONVERSION(const entry<T>, entry<T>, INT)) {   \
    run("tenfold_" #S "to_interleaved" #SUFFIX,                                                   \
        [&] { convert<T>(true, layout, m, n, a, lda, stridea, x, block, batch_size); });          \
  }                                                                                               \
  void tenfold_##S##from_interleaved##SUFFIX(TENFOLD_CONVERSION(entry<T>, const entry<T>, INT)) { \
    run("tenfold_" #S "from_interleaved" #SUFFIX,                                                 \
        [&] { convert<T>(false, layout, m, n, a, lda, stridea, x, block, batch_size); });         \
  }
TENFOLD_DEFINE_ALL(TENFOLD_DEFINE)
