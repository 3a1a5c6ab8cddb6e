#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <type_traits>

#include <tenfold/tensor/extents.hpp>
#include <tenfold/tensor/layout.hpp>

/// Entries that somebody else owns, seen as a tensor.
namespace tenfold {

/// Is every index inside the extents?
template <class Extents, class... I>
constexpr bool in_bounds(const Extents& e, I... i) noexcept {
  [[maybe_unused]] int axis = 0;
  return (... && (static_cast<index>(i) >= 0 && static_cast<index>(i) < e.extent(axis++)));
}

/// A tensor over memory that it does not own: a pointer to the entry (0, 0, ...) and a mapping.
/// `T` is const for entries that are only read. Copying a view copies no entry; with static extents
/// and no strides of its own it is one pointer large.
template <class T, class Extents, class Layout>
class basic_view {
  /// Can these N be the dynamic extents, and is nothing else needed?
  template <class... N>
  static constexpr bool dynamic_extents =
      !std::is_same_v<Layout, layout_stride> && sizeof...(N) != 0 &&
      std::is_constructible_v<Extents, N...>;

  /// Does every entry of the other view have its place, and no more rights, in this one?
  template <class U, class OtherExtents, class OtherLayout>
  static constexpr bool generalises =
      !std::is_same_v<basic_view<U, OtherExtents, OtherLayout>, basic_view> &&
      std::is_convertible_v<U (*)[], T (*)[]> &&
      std::is_constructible_v<Extents, const OtherExtents&> &&
      (std::is_same_v<OtherLayout, Layout> || std::is_same_v<Layout, layout_stride>);

 public:
  using value_type = std::remove_const_t<T>;
  using element_type = T;
  using extents_type = Extents;
  using layout_type = Layout;
  using mapping_type = typename Layout::template mapping<Extents>;
  /// One number per axis.
  using numbers = std::array<index, static_cast<std::size_t>(Extents::rank())>;

  static constexpr int rank() noexcept { return Extents::rank(); }
  static constexpr index static_extent(int i) noexcept { return Extents::static_extent(i); }
  static constexpr index static_stride(int i) noexcept { return mapping_type::static_stride(i); }

  /// All extents are in the type. Throws shape_error, as every constructor that is given a pointer,
  /// if the entries span more than 2^62 bytes.
  constexpr explicit basic_view(T* data) requires(
      std::is_default_constructible_v<mapping_type>&& Extents::rank_dynamic() == 0)
      : basic_view(data, mapping_type()) {}

  /// The dynamic extents in order. Throws shape_error for a negative one.
  template <index_like... N>
  requires(dynamic_extents<N...>) constexpr explicit basic_view(T* data, N... n)
      : basic_view(data, mapping_type(Extents(n...))) {}

  /// All extents, also those that the type fixes, and the stride of each axis in entries.
  /// Throws shape_error for an extent that is negative or not the one that the type fixes.
  constexpr basic_view(T* data, const numbers& all_extents,
                       const numbers& strides) requires std::is_same_v<Layout, layout_stride>
      : basic_view(data, mapping_type(Extents(all_extents), strides)) {}

  /// Braces with more numbers or fewer: std::array would take 0 for those that are missing.
  template <std::size_t N, std::size_t S>
  requires(std::is_same_v<Layout, layout_stride>&& Extents::rank() > 0 &&
           (N != static_cast<std::size_t>(Extents::rank()) ||
            S !=
                static_cast<std::size_t>(Extents::rank()))) constexpr basic_view(T* data,
                                                                                 const index (&)[N],
                                                                                 const index (&)[S])
      : basic_view(data, numbers{}, numbers{}) {
    static_assert(N == static_cast<std::size_t>(Extents::rank()) && N == S,
                  "tenfold: a strided_view takes an extent and a stride for each axis, those that "
                  "its type fixes, too");
  }

  constexpr basic_view(T* data, const mapping_type& mapping) : data_(data), mapping_(mapping) {
    require_bytes<T>(mapping_);
  }

  /// The same entries seen as const, with fewer extents in the type, or with strides of its own.
  /// Explicit where a run-time extent meets a fixed one; then it throws shape_error if they differ.
  template <class U, class OtherExtents, class OtherLayout>
  requires(generalises<U, OtherExtents, OtherLayout>) constexpr explicit(
      !std::is_convertible_v<const OtherExtents&, Extents>)
      basic_view(const basic_view<U, OtherExtents, OtherLayout>& other)
      : data_(other.data()), mapping_(convert(other.mapping())) {}

  /// The address of entry (0, 0, ...).
  constexpr T* data() const noexcept { return data_; }
  constexpr const mapping_type& mapping() const noexcept { return mapping_; }
  /// The extent of axis i.
  constexpr index extent(int i) const noexcept { return mapping_.extents().extent(i); }
  /// The stride of axis i in entries.
  constexpr index stride(int i) const noexcept { return mapping_.stride(i); }
  /// The number of entries.
  constexpr index size() const noexcept { return mapping_.extents().size(); }

  /// Entry (i, j, ...). Bounds are checked in debug builds only.
  template <index_like... I>
  constexpr T& operator()(I... i) const noexcept {
    static_assert(sizeof...(I) == static_cast<std::size_t>(Extents::rank()),
                  "tenfold: the number of indices is not the rank");
    assert(in_bounds(mapping_.extents(), i...) && "tenfold: an index is out of bounds");
    return data_[mapping_(i...)];
  }

  /// v(i, j) with labels: part of an expression, see at_labels.
  template <class... I>
  requires labelled<I...>
  constexpr auto operator()(I... i) const { return labelled_entries(basic_view(*this), i...); }

 private:
  template <class Mapping>
  static constexpr mapping_type convert(const Mapping& other) {
    if constexpr (std::is_same_v<Layout, layout_stride>) {
      numbers strides{};
      for (int i = 0; i < rank(); ++i) strides[static_cast<std::size_t>(i)] = other.stride(i);
      return mapping_type(Extents(other.extents()), strides);
    } else {
      return mapping_type(Extents(other.extents()));
    }
  }

  T* data_;
  [[no_unique_address]] mapping_type mapping_;
};

/// In place of the entries' type in what would be a view of a temporary tensor, and so of nothing
/// from the next statement on.
template <class T>
struct entry_of_temporary;

/// No such view can be made. Members are declared so that nothing more is said where it is used.
template <class T, class Extents, class Layout>
class basic_view<entry_of_temporary<T>, Extents, Layout> {
  static_assert(sizeof(Extents) == 0,
                "tenfold: a view of a temporary tensor, which is gone with the statement: give the "
                "tensor a name");

 public:
  template <class X>
  basic_view(const X&);
  template <class... I>
  T& operator()(I...) const;
};

/// Row-major entries at a pointer: `view<const double, dyn, 8>(pointer, rows)`.
template <class T, index... E>
using view = basic_view<T, extents<E...>, layout_right>;

/// Entries at a pointer with a stride for each axis:
/// `strided_view<double, 3, dyn>(pointer, {3, n}, {1, 3})`.
template <class T, index... E>
using strided_view = basic_view<T, extents<E...>, layout_stride>;

}  // namespace tenfold
