#pragma once

#include <array>
#include <cstddef>
#include <type_traits>

#include <tenfold/tensor/adaptors.hpp>
#include <tenfold/tensor/device.hpp>
#include <tenfold/tensor/extents.hpp>
#include <tenfold/tensor/layout.hpp>
#include <tenfold/tensor/scalar.hpp>
#include <tenfold/tensor/tensor.hpp>
#include <tenfold/tensor/view.hpp>

/// The door of the room: what the rest of the library asks of an operand, whatever its type.
///
/// The rooms above see operands through `operand_traits` and `operand_shape` only. A type becomes
/// an operand by its form (adaptors.hpp) or by a specialisation of `operand_traits`; nothing else
/// changes.
namespace tenfold {

/// What an operand of type `X` is; `X` is no reference, and const matters (a const tensor is an
/// input only). A specialisation has the members of `strided_operand_traits`, and where entries are
/// read as their conjugates, `is_conjugated`, which is true. Where `layout` is not strided, strides
/// and `data` mean what the header of that storage says, and there are more members: `block(x)` of
/// interleaved, `map(x)` and `wide_map(x)` of gathered operands. The primary template has those of
/// the form of `X` (adaptors.hpp), or none: `X` is no operand.
template <class X>
struct operand_traits : adapted_traits<X> {};

/// The traits of an operand with entries of type `T` (const if they are only read) where `Mapping`
/// says.
template <class T, class Mapping>
struct strided_operand_traits {
  /// The type of an entry, without const.
  using scalar_t = std::remove_const_t<T>;
  /// May entries be written?
  static constexpr bool is_writable = !std::is_const_v<T>;
  static constexpr int rank = Mapping::rank();

  using numbers = std::array<index, static_cast<std::size_t>(rank)>;
  /// The extents, `dyn` where known at run time only.
  static constexpr numbers static_extents = [] {
    numbers n{};
    for (int i = 0; i < rank; ++i) {
      n[static_cast<std::size_t>(i)] = Mapping::extents_type::static_extent(i);
    }
    return n;
  }();
  /// The strides in entries, `dyn` where known at run time only.
  static constexpr numbers static_strides = [] {
    numbers n{};
    for (int i = 0; i < rank; ++i) n[static_cast<std::size_t>(i)] = Mapping::static_stride(i);
    return n;
  }();

  static constexpr batch_layout layout = batch_layout::strided;
  static constexpr device space = device::cpu;

  /// The extent of axis i of x.
  template <class X>
  static constexpr index extent(const X& x, int i) noexcept {
    return x.extent(i);
  }
  /// The stride of axis i of x in entries.
  template <class X>
  static constexpr index stride(const X& x, int i) noexcept {
    return x.stride(i);
  }
  /// The address of entry (0, 0, ...) of x.
  template <class X>
  static constexpr auto data(X& x) noexcept {
    return x.data();
  }
};

template <class T, index... E>
struct operand_traits<tensor<T, E...>>
    : strided_operand_traits<T, layout_right::mapping<extents<E...>>> {};

template <class T, index... E>
struct operand_traits<const tensor<T, E...>>
    : strided_operand_traits<const T, layout_right::mapping<extents<E...>>> {};

template <class T, class Extents, class Layout>
struct operand_traits<basic_view<T, Extents, Layout>>
    : strided_operand_traits<T, typename Layout::template mapping<Extents>> {};

template <class T, class Extents, class Layout>
struct operand_traits<const basic_view<T, Extents, Layout>>
    : strided_operand_traits<T, typename Layout::template mapping<Extents>> {};

/// A number is an operand of rank 0, and an input only.
template <scalar_type T>
struct operand_traits<T> : strided_operand_traits<const T, layout_right::mapping<extents<>>> {
  static constexpr index extent(const T&, int) noexcept { return 1; }
  static constexpr index stride(const T&, int) noexcept { return 1; }
  static constexpr const T* data(const T& x) noexcept { return &x; }
};

/// The traits of the type of an expression: `X` may be a reference.
template <class X>
using operand_traits_of = operand_traits<std::remove_reference_t<X>>;

/// What can stand as an operand; `X` may be a reference.
template <class X>
concept tensor_like = requires(std::remove_reference_t<X>& x, int i) {
  requires scalar_type<typename operand_traits_of<X>::scalar_t>;
  operand_traits_of<X>::is_writable;
  operand_traits_of<X>::rank;
  operand_traits_of<X>::static_extents;
  operand_traits_of<X>::static_strides;
  operand_traits_of<X>::layout;
  operand_traits_of<X>::space;
  operand_traits_of<X>::extent(x, i);
  operand_traits_of<X>::stride(x, i);
  operand_traits_of<X>::data(x);
};

/// Is X (without const) a view, whose copies refer to the same entries and own none? Only what is
/// so for certain: what is written to the copy of an owner is lost. A view is copied as its bytes,
/// and const, which reaches the entries of a tensor, does not reach those of a view; Eigen's, which
/// hand it on, name the owner. To be specialised for views of which neither is true.
template <class X>
inline constexpr bool is_view = [] {
  if constexpr (scalar_type<X> || array_nest<X>::depth > 0 || !tensor_like<X> ||
                !tensor_like<const X>) {
    return false;
  } else {
    return names_another_owner<X> ||
           (std::is_trivially_copy_constructible_v<X> &&
            operand_traits<X>::is_writable == operand_traits<const X>::is_writable);
  }
}();

/// Is X (without const) a tensor of this library that owns its entries? What is written to one
/// without a name is lost.
template <class X>
inline constexpr bool owns_entries = false;
template <class T, index... E>
inline constexpr bool owns_entries<tensor<T, E...>> = true;

/// How what refers to an operand given as an X holds it: a view, and what is gone with the
/// statement, by value, a tensor with a name by reference.
template <class X>
using kept_operand = std::conditional_t<is_view<std::remove_cvref_t<X>>, std::remove_cvref_t<X>, X>;

/// Are the entries of X read as their complex conjugates? `X` may be a reference.
template <class X>
inline constexpr bool conjugates = [] {
  if constexpr (requires { operand_traits_of<X>::is_conjugated; }) {
    return operand_traits_of<X>::is_conjugated;
  } else {
    return false;
  }
}();

/// Is X (without const) an object that holds its entries? So they have an address, and lie apart
/// from those of every other such object. A number does not: it may be an entry of one; nor what is
/// made of one, as conj(x).
template <class X>
inline constexpr bool is_held = false;
template <class T, index... E>
inline constexpr bool is_held<tensor<T, E...>> = tensor<T, E...>::is_inline;

/// What is declared of the entries of X under reflection; `X` may be a reference.
template <class X>
inline constexpr reflection reflection_of = [] {
  if constexpr (requires { operand_traits_of<X>::symmetry; }) {
    return operand_traits_of<X>::symmetry;
  } else {
    return reflection::none;
  }
}();

/// What can stand as a result; `X` may be a reference.
template <class X>
concept writable_tensor_like = tensor_like<X> && operand_traits_of<X>::is_writable;

/// An operand as data, without its entries: what the planner sees. Numbers behind `rank` are 0, so
/// that equal shapes are equal.
template <int MaxRank>
struct operand_shape {
  static constexpr int max_rank = MaxRank;

  scalar type = scalar::f64;
  int rank = 0;
  /// The number of entries along each axis; `dyn` where not known yet.
  std::array<index, static_cast<std::size_t>(MaxRank)> extents{};
  /// The entries from one index to the next along each axis; `dyn` where not known yet.
  std::array<index, static_cast<std::size_t>(MaxRank)> strides{};
  batch_layout layout = batch_layout::strided;
  device space = device::cpu;
  /// Are the entries read as their complex conjugates?
  bool conjugated = false;
  reflection symmetry = reflection::none;
  /// The problems whose entries are neighbours, where `layout` is interleaved; `dyn` where not
  /// known yet.
  index block = 1;

  friend constexpr bool operator==(const operand_shape&, const operand_shape&) = default;
};

/// Writes what the type of an operand says into a shape of rank 0; `dyn` stands for what it does
/// not.
template <tensor_like X, int MaxRank>
constexpr void set_static_shape(operand_shape<MaxRank>& shape) noexcept {
  using traits = operand_traits_of<X>;
  static_assert(traits::rank <= MaxRank, "tenfold: the operand has too many axes");
  shape.type = scalar_of<typename traits::scalar_t>;
  shape.rank = traits::rank;
  shape.layout = traits::layout;
  shape.space = traits::space;
  shape.conjugated = conjugates<X>;
  shape.symmetry = reflection_of<X>;
  if constexpr (requires { traits::static_block; }) shape.block = traits::static_block;
  for (std::size_t i = 0; i < static_cast<std::size_t>(traits::rank); ++i) {
    shape.extents[i] = traits::static_extents[i];
    shape.strides[i] = traits::static_strides[i];
  }
}
template <tensor_like X, int MaxRank>
constexpr operand_shape<MaxRank> static_shape_of() noexcept {
  operand_shape<MaxRank> shape;
  set_static_shape<X>(shape);
  return shape;
}

/// Writes the shape of `x` in numbers into one of rank 0; no `dyn` is left. (In place: a copy of
/// room for all axes is a fifth of the time of a small call.)
template <tensor_like X, int MaxRank>
constexpr void set_shape(operand_shape<MaxRank>& shape, const X& x) noexcept {
  using traits = operand_traits_of<X>;
  set_static_shape<X>(shape);
  for (int i = 0; i < traits::rank; ++i) {
    shape.extents[static_cast<std::size_t>(i)] = traits::extent(x, i);
    shape.strides[static_cast<std::size_t>(i)] = traits::stride(x, i);
  }
  if constexpr (requires { traits::block(x); }) shape.block = traits::block(x);
}
template <int MaxRank, tensor_like X>
constexpr operand_shape<MaxRank> shape_of(const X& x) noexcept {
  operand_shape<MaxRank> shape;
  set_shape(shape, x);
  return shape;
}

}  // namespace tenfold
