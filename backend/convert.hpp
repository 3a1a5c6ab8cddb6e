#pragma once

#include <string>
#include <tenfold/backend/batch_operand.hpp>
#include <tenfold/backend/launch.hpp>
#include <tenfold/tensor/error.hpp>
#include <tenfold/tensor/interleaved.hpp>
#include <utility>

/// Batches into and out of interleaved storage, at the speed of copying.
namespace tenfold {

namespace converting {

template <class X>
inline constexpr bool is_interleaved = operand_traits_of<X>::layout == batch_layout::interleaved;

/// Whether the axes behind the batch are one run of entries.
template <int R>
bool is_dense(const operand_shape<R>& x) {
  index stride = 1;
  for (std::size_t i = R - 1; i > 0; --i) {
    if (x.extents[i] > 1 && x.strides[i] != stride) return false;
    stride *= x.extents[i];
  }
  return true;
}

/// The matrices are the last two axes, or all but the batch as one row.
template <class X, class Y>
void copy(const char* name, const X& x, Y& y) {
  using T = typename operand_traits_of<Y>::scalar_t;
  constexpr int rank = operand_traits_of<X>::rank;
  static_assert(std::is_same_v<typename operand_traits_of<const X>::scalar_t, T>,
                "tenfold: both batches must have one scalar");
  static_assert(rank == operand_traits_of<Y>::rank && rank >= 2,
                "tenfold: both batches must have one rank, the batch and at least one axis more");
  static_assert(!conjugates<X>, "tenfold: a conversion does not conjugate");
  static_assert(
      operand_traits_of<X>::space == device::cpu && operand_traits_of<Y>::space == device::cpu,
      "tenfold: both batches of a conversion must lie in the host's memory");
  const operand_shape<rank> from = shape_of<rank>(x), to = shape_of<rank>(y);
  index entries = 1;
  for (std::size_t i = 0; i < rank; ++i) {
    if (from.extents[i] != to.extents[i]) {
      throw shape_error(std::string("tenfold: ") + name + ": axis " + std::to_string(i) + " has " +
                        std::to_string(from.extents[i]) + " entries in x and " +
                        std::to_string(to.extents[i]) + " in y");
    }
    if (i > 0) entries *= from.extents[i];
  }
  const bool dense = is_dense(from) && is_dense(to);
  if (rank != 3 && !dense) {
    throw shape_error(std::string("tenfold: ") + name +
                      ": the axes behind the batch must be contiguous, or two");
  }
  batch_copy c;
  c.count = from.extents[0];
  c.from = matrices_of(from);
  c.to = matrices_of(to);
  c.source = place_of(x);
  c.destination = place_of(y);
  if (dense) {
    c.rows = 1;
    c.columns = c.from.row = c.to.row = entries;
    c.from.column = c.to.column = 1;
  } else {
    c.rows = from.extents[rank - 2];
    c.columns = from.extents[rank - 1];
  }
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
