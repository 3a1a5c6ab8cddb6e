#pragma once

#include <tenfold/backend/batch_operand.hpp>
#include <tenfold/backend/row_major.hpp>
#include <tenfold/tensor/interleaved.hpp>
#include <utility>

/// Batches into and out of interleaved storage, at the speed of copying.
namespace tenfold {

namespace converting {

template <class X>
inline constexpr bool is_interleaved = operand_traits_of<X>::layout == batch_layout::interleaved;

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
  copy_entries(name, {shape_of<max_rank>(x), place_of(x)}, {shape_of<max_rank>(y), place_of(y)});
}

}  // namespace converting

/// y(b, i...) := x(b, i...): a batch in any layout into interleaved storage, whose pad in the last
/// block becomes 0. Threads are those of the caller's arena. Throws shape_error if the extents
/// differ, if an address of entries or a map is null, and unless the axes behind the batch are
/// contiguous in both, or two; overlap_error if y meets x or itself, of which entries that a map
/// names are looked at only in a library built without NDEBUG.
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
