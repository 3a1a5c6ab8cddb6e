#pragma once

#include <string>
#include <tenfold/backend/launch.hpp>
#include <tenfold/tensor/error.hpp>
#include <tenfold/tensor/interleaved.hpp>
#include <tenfold/tensor/operand_traits.hpp>
#include <utility>

/// Batches into and out of interleaved storage, at the speed of copying.
namespace tenfold {

namespace converting {

template <class X>
inline constexpr int rank = operand_traits_of<X>::rank;
template <class X>
inline constexpr bool is_interleaved = operand_traits_of<X>::layout == batch_layout::interleaved;

/// Whether the axes behind the batch are one run of entries.
template <class X>
bool is_dense(const X& x) {
  index stride = 1;
  for (int i = rank<X> - 1; i > 0; --i) {
    if (operand_traits_of<const X>::extent(x, i) > 1 &&
        operand_traits_of<const X>::stride(x, i) != stride)
      return false;
    stride *= operand_traits_of<const X>::extent(x, i);
  }
  return true;
}

/// Rows, columns and the strides of both: the last two axes, or all but the batch as one row.
template <class X>
matrix_batch layout_of(const X& x, bool as_row) {
  using traits = operand_traits_of<const X>;
  matrix_batch m;
  m.layout = traits::layout;
  m.column = as_row ? 1 : traits::stride(x, rank<X> - 1);
  m.row = as_row ? 1 : traits::stride(x, rank<X> - 2);
  if constexpr (requires { traits::block(x); }) m.block = traits::block(x);
  return m;
}
template <class X>
batch_place place_of(X& x) {
  using traits = operand_traits_of<X>;
  batch_place p{traits::data(x), traits::stride(x, 0)};
  if constexpr (requires { traits::map(x); }) {
    p.map = traits::map(x);
    p.wide_map = traits::wide_map(x);
  }
  return p;
}

template <class X, class Y>
void copy(const char* name, const X& x, Y& y) {
  using T = typename operand_traits_of<Y>::scalar_t;
  static_assert(std::is_same_v<typename operand_traits_of<const X>::scalar_t, T>,
                "tenfold: both batches must have one scalar");
  static_assert(rank<X> == rank<Y> && rank<X> >= 2,
                "tenfold: both batches must have one rank, the batch and at least one axis more");
  static_assert(!conjugates<X>, "tenfold: a conversion does not conjugate");
  batch_copy c;
  c.count = operand_traits_of<const X>::extent(x, 0);
  index entries = 1;
  for (int i = 0; i < rank<X>; ++i) {
    const index of_x = operand_traits_of<const X>::extent(x, i),
                of_y = operand_traits_of<Y>::extent(y, i);
    if (of_x != of_y) {
      throw shape_error(std::string("tenfold: ") + name + ": axis " + std::to_string(i) + " has " +
                        std::to_string(of_x) + " entries in x and " + std::to_string(of_y) +
                        " in y");
    }
    if (i > 0) entries *= of_x;
  }
  const bool as_row = rank<X> != 3 || (is_dense(x) && is_dense(y));
  if (rank<X> != 3 && !(is_dense(x) && is_dense(y))) {
    throw shape_error(std::string("tenfold: ") + name +
                      ": the axes behind the batch must be contiguous, or two");
  }
  c.rows = as_row ? 1 : operand_traits_of<const X>::extent(x, rank<X> - 2);
  c.columns = as_row ? entries : operand_traits_of<const X>::extent(x, rank<X> - 1);
  if (as_row) {
    c.from = layout_of(x, true);
    c.to = layout_of(y, true);
    c.from.row = c.to.row = entries;
  } else {
    c.from = layout_of(x, false);
    c.to = layout_of(y, false);
  }
  c.source = place_of(x);
  c.destination = place_of(y);
  if (entries > 0) launch(c, scalar_of<T>, best_instruction_set());
}

}  // namespace converting

/// y(b, i...) := x(b, i...): a batch in any layout into interleaved storage, whose pad in the last
/// block becomes 0. The two may not overlap. Threads are those of the caller's arena. Throws
/// shape_error if the extents differ.
template <tensor_like X, writable_tensor_like Y>
requires converting::is_interleaved<Y>
void to_interleaved(const X& x, Y&& y) { converting::copy("to_interleaved", x, y); }

/// The same as a new batch in blocks of W problems.
template <index W = 0, tensor_like X>
auto to_interleaved(const X& x) {
  using traits = operand_traits_of<const X>;
  using T = typename traits::scalar_t;
  constexpr index block = W == 0 ? simd_block<T> : W;
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    using result = interleaved<T, block, traits::static_extents[I + 1]...>;
    typename result::extents_type extents(std::array<index, sizeof...(I) + 1>{
        traits::extent(x, 0), traits::extent(x, static_cast<int>(I) + 1)...});
    result y(extents);
    to_interleaved(x, y);
    return y;
  }
  (std::make_index_sequence<static_cast<std::size_t>(traits::rank - 1)>{});
}

/// y(b, i...) := x(b, i...): an interleaved batch into one of any layout; gathered entries are
/// added to. Otherwise as to_interleaved.
template <tensor_like X, writable_tensor_like Y>
requires converting::is_interleaved<X>
void from_interleaved(const X& x, Y&& y) { converting::copy("from_interleaved", x, y); }

}  // namespace tenfold
