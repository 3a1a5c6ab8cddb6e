#pragma once

#include <array>
#include <string>
#include <type_traits>

#include <tenfold/tensor/error.hpp>
#include <tenfold/tensor/operand_traits.hpp>

/// A(e, 2, i): an operand with some of its axes fixed at an index.
namespace tenfold {

/// The address of an operand's first entry.
template <class X>
using pointer_into = decltype(operand_traits<X>::data(std::declval<X&>()));

/// The queue of an operand that has one, a device_tensor: it says in which memory the slice lies.
template <class X>
struct queue_of_slice {};
template <class X>
requires requires(X& x) { x.queue(); }
struct queue_of_slice<X> {
  std::remove_cvref_t<decltype(std::declval<X&>().queue())> where;
};

/// The entries of an `X` at fixed indices of all axes but `Axes`, which are the axes of the slice,
/// in this order. What the type of X says of them, this type says. Refers to the entries of X.
template <class X, int... Axes>
struct sliced : queue_of_slice<X> {
  pointer_into<X> data = nullptr;
  std::array<index, sizeof...(Axes)> extents{};
  std::array<index, sizeof...(Axes)> strides{};
};

/// Throws shape_error: axis `position` is fixed at `n`, which it does not have.
[[noreturn]] inline void throw_slice_out_of_bounds(int position, index n, index extent) {
  throw shape_error("tenfold: the index at position " + std::to_string(position) + " is " +
                    std::to_string(n) + ", but the extent there is " + std::to_string(extent));
}

/// The slice of x at indices `at`, of which those of the axes `Axes` are not read. Where x has no
/// address, neither has the slice. Throws shape_error when an index is not below the extent of its
/// axis.
template <int... Axes, class X>
constexpr sliced<X, Axes...> slice(
    X& x, const std::array<index, static_cast<std::size_t>(operand_traits<X>::rank)>& at) {
  using traits = operand_traits<X>;
  static_assert(traits::layout == batch_layout::strided, "tenfold: a slice needs strides");
  index offset = 0;
  for (int axis = 0; axis < traits::rank; ++axis) {
    const bool is_kept = (false || ... || (axis == Axes));
    if (is_kept) continue;
    const index n = at[static_cast<std::size_t>(axis)];
    const index extent = traits::extent(x, axis);
    if (n < 0 || n >= extent) throw_slice_out_of_bounds(axis, n, extent);
    offset += n * traits::stride(x, axis);
  }
  const auto first = traits::data(x);
  sliced<X, Axes...> made;
  made.data = first ? first + offset : first;
  made.extents = {traits::extent(x, Axes)...};
  made.strides = {traits::stride(x, Axes)...};
  if constexpr (requires { made.where; }) made.where = x.queue();
  return made;
}

template <class X, int... Axes>
struct sliced_traits : adapted_operand<std::remove_pointer_t<pointer_into<X>>, sizeof...(Axes)> {
  using numbers = std::array<index, sizeof...(Axes)>;
  static constexpr bool is_conjugated = conjugates<X>;
  static constexpr device space = operand_traits<X>::space;
  static constexpr numbers static_extents{
      operand_traits<X>::static_extents[static_cast<std::size_t>(Axes)]...};
  static constexpr numbers static_strides{
      operand_traits<X>::static_strides[static_cast<std::size_t>(Axes)]...};
  static constexpr index extent(const sliced<X, Axes...>& x, int i) noexcept {
    return x.extents[static_cast<std::size_t>(i)];
  }
  static constexpr index stride(const sliced<X, Axes...>& x, int i) noexcept {
    return x.strides[static_cast<std::size_t>(i)];
  }
  static constexpr pointer_into<X> data(const sliced<X, Axes...>& x) noexcept { return x.data; }
};

template <class X, int... Axes>
struct operand_traits<sliced<X, Axes...>> : sliced_traits<X, Axes...> {};
template <class X, int... Axes>
struct operand_traits<const sliced<X, Axes...>> : sliced_traits<X, Axes...> {};

}  // namespace tenfold
