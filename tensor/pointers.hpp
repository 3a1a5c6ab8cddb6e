#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <type_traits>

#include <tenfold/tensor/extents.hpp>
#include <tenfold/tensor/layout.hpp>
#include <tenfold/tensor/operand_traits.hpp>
#include <tenfold/tensor/view.hpp>

/// A batch whose problems lie anywhere, each behind a pointer of its own.
///
/// entry (b, i, j) = list[b][i * ld + j]
namespace tenfold {

/// A list of pointers to equally shaped problems; neither the list nor the entries are owned. `T`
/// is const for entries that are only read; E are the extents of a problem, and `Layout` maps its
/// indices: entry (b, i, ...) = list[b][mapping(i, ...)]. The batch is the leading axis.
template <class T, class Layout, index... E>
class basic_pointers {
  static constexpr bool has_strides = std::is_same_v<Layout, layout_stride>;

  /// Can these N be the number of pointers and the dynamic extents, and is nothing else needed?
  template <class... N>
  static constexpr bool extents_of_batch =
      !has_strides && sizeof...(N) != 0 && std::is_constructible_v<extents<dyn, E...>, N...>;

  /// Does every entry of the other list have its place, and no more rights, in this one?
  template <class U, class OtherLayout, index... F>
  static constexpr bool generalises =
      !std::is_same_v<basic_pointers<U, OtherLayout, F...>, basic_pointers> &&
      std::is_convertible_v<U* const*, T* const*> &&
      std::is_constructible_v<extents<E...>, const extents<F...>&> &&
      (std::is_same_v<OtherLayout, Layout> || has_strides);

 public:
  using value_type = std::remove_const_t<T>;
  using element_type = T;
  /// The batch, then the extents of a problem.
  using extents_type = tenfold::extents<dyn, E...>;
  /// Maps the indices of a problem to its entries.
  using mapping_type = typename Layout::template mapping<extents<E...>>;
  /// One number per axis, and one per axis of a problem.
  using numbers = std::array<index, sizeof...(E) + 1>;
  using problem_numbers = std::array<index, sizeof...(E)>;

  static constexpr int rank() noexcept { return extents_type::rank(); }
  static constexpr index static_extent(int i) noexcept { return extents_type::static_extent(i); }
  static constexpr index static_stride(int i) noexcept {
    return i == 0 ? 1 : mapping_type::static_stride(i - 1);
  }

  /// The number of pointers, then the dynamic extents of a problem in order.
  /// Throws shape_error for a negative one, and if a problem spans more than 2^62 bytes.
  template <index_like... N>
  requires(extents_of_batch<N...>) constexpr explicit basic_pointers(T* const* list, N... n)
      : basic_pointers(list, extents_type(n...)) {}

  /// The number of pointers, and all extents of a problem; the strides in entries along its axes.
  /// Throws shape_error for an extent that is negative or not the one that the type fixes, and if a
  /// problem spans more than 2^62 bytes.
  constexpr basic_pointers(T* const* list, const numbers& all_extents,
                           const problem_numbers& strides) requires(has_strides)
      : basic_pointers(list, extents_type(all_extents), strides) {}

  /// Braces with more numbers or fewer: std::array would take 0 for those that are missing.
  template <std::size_t N, std::size_t S>
  requires(has_strides && (N != sizeof...(E) + 1 || S != sizeof...(E))) constexpr basic_pointers(
      T* const* list, const index (&)[N], const index (&)[S])
      : basic_pointers(list, numbers{}, problem_numbers{}) {
    static_assert(N == sizeof...(E) + 1 && S == sizeof...(E),
                  "tenfold: strided_pointers takes the number of pointers and all extents of a "
                  "problem, and a stride for each of its axes");
  }

  /// The same entries seen as const, with fewer extents in the type, or with strides of its own.
  /// Explicit where a run-time extent meets a fixed one; then it throws shape_error if they differ.
  template <class U, class OtherLayout, index... F>
  requires(generalises<U, OtherLayout, F...>) constexpr explicit(
      !std::is_convertible_v<const extents<F...>&, extents<E...>>)
      basic_pointers(const basic_pointers<U, OtherLayout, F...>& other)
      : list_(other.data()), batch_(other.extent(0)), mapping_(convert(other.mapping())) {}

  /// The pointers.
  constexpr T* const* data() const noexcept { return list_; }
  /// Where the entries of a problem lie behind its pointer.
  constexpr const mapping_type& mapping() const noexcept { return mapping_; }
  /// The extent of axis i; axis 0 is the batch.
  constexpr index extent(int i) const noexcept {
    return i == 0 ? batch_ : mapping_.extents().extent(i - 1);
  }
  /// From one pointer to the next for i = 0, in entries for the others.
  constexpr index stride(int i) const noexcept { return i == 0 ? 1 : mapping_.stride(i - 1); }
  /// The number of entries.
  constexpr index size() const noexcept { return batch_ * mapping_.extents().size(); }

  /// Entry (b, i, ...). Bounds are checked in debug builds only.
  template <index_like B, index_like... I>
  constexpr T& operator()(B b, I... i) const noexcept {
    static_assert(sizeof...(I) == sizeof...(E), "tenfold: the number of indices is not the rank");
    assert(in_bounds(extents<dyn>(batch_), b) && in_bounds(mapping_.extents(), i...) &&
           "tenfold: an index is out of bounds");
    return list_[static_cast<index>(b)][mapping_(i...)];
  }

 private:
  constexpr basic_pointers(T* const* list, const extents_type& e)
      : list_(list), batch_(e.extent(0)), mapping_(extents_of_problem(e)) {
    require_bytes<T>(mapping_);
  }
  constexpr basic_pointers(T* const* list, const extents_type& e, const problem_numbers& strides)
      : list_(list), batch_(e.extent(0)), mapping_(extents_of_problem(e), strides) {
    require_bytes<T>(mapping_);
  }

  static constexpr extents<E...> extents_of_problem(const extents_type& e) {
    problem_numbers n{};
    for (int i = 1; i < rank(); ++i) n[static_cast<std::size_t>(i - 1)] = e.extent(i);
    return extents<E...>(n);
  }
  template <class Mapping>
  static constexpr mapping_type convert(const Mapping& other) {
    if constexpr (has_strides) {
      problem_numbers strides{};
      for (int i = 1; i < rank(); ++i) {
        strides[static_cast<std::size_t>(i - 1)] = other.stride(i - 1);
      }
      return mapping_type(extents<E...>(other.extents()), strides);
    } else {
      return mapping_type(extents<E...>(other.extents()));
    }
  }

  T* const* list_;
  index batch_;
  [[no_unique_address]] mapping_type mapping_;
};

/// Row-major problems behind pointers, rows without a gap: `pointers<const double, dyn, 8>(list,
/// batch, rows)`.
template <class T, index... E>
using pointers = basic_pointers<T, layout_right, E...>;

/// Problems behind pointers with a stride for each axis. With a leading dimension ld:
/// `strided_pointers<double, 3, dyn>(list, {batch, 3, n}, {ld, 1})`.
template <class T, index... E>
using strided_pointers = basic_pointers<T, layout_stride, E...>;

/// The traits of problems behind pointers: `data` is the list of pointers, the stride of axis 0 is
/// one pointer, the others are of the entries of one problem.
template <class T, class Layout, index... E>
struct pointers_traits : strided_operand_traits<T, basic_pointers<T, Layout, E...>> {
  static constexpr batch_layout layout = batch_layout::pointers;
};

template <class T, class Layout, index... E>
struct operand_traits<basic_pointers<T, Layout, E...>> : pointers_traits<T, Layout, E...> {};
template <class T, class Layout, index... E>
struct operand_traits<const basic_pointers<T, Layout, E...>> : pointers_traits<T, Layout, E...> {};

}  // namespace tenfold
