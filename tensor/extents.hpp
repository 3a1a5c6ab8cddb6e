#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include <tenfold/tensor/error.hpp>

/// How many entries a tensor has along each axis: in the type where it is known there, in the
/// object where it is not.
namespace tenfold {

/// Every extent, stride, offset and subscript value of the library.
using index = std::int64_t;

/// Stands where an extent or a stride is known at run time only. It is no number that either could
/// be: strides may be negative, so -1 would not do.
inline constexpr index dyn = std::numeric_limits<index>::min();

/// What may be given as an extent or an index: an integer or an unscoped enumerator. Not whatever
/// converts to one: a tensor of rank 0 converts to a number, and a label is no index.
template <class I>
concept index_like = std::is_integral_v<I> ||(std::is_enum_v<I>&& std::is_convertible_v<I, index>);

/// What stands in place of an index and makes `A(i, j)` an expression instead of an entry: a type
/// that says so. This room has none; who has them also has the function `at_labels(A, i, j)`, found
/// where the labels are, that makes the expression.
template <class I>
concept index_label = I::is_index_label;

/// Labels, and among them indices that fix an axis.
template <class... I>
concept labelled = (index_label<I> || ...) && ((index_label<I> || index_like<I>)&&...);

/// What labels make of a tensor where index notation is not included: nothing, in silence.
struct no_notation {
  template <class R>
  constexpr void operator=(const R&) const {}
  template <class R>
  constexpr void operator+=(const R&) const {}
  template <class R>
  constexpr void operator-=(const R&) const {}
  template <class R>
  friend constexpr no_notation operator*(const no_notation&, const R&) {
    return {};
  }
};

/// A(i, j) with labels: at_labels(A, i, j).
template <class X, class... I>
constexpr auto labelled_entries(X&& A, I... i) {
  constexpr bool has_notation = requires { at_labels(static_cast<X&&>(A), i...); };
  static_assert(has_notation,
                "tenfold: a tensor with labels needs #include <tenfold/index_notation.hpp>; in a "
                "fused kernel stand names, input<\"u\"> u, and the tensor is bound at the call");
  if constexpr (has_notation)
    return at_labels(static_cast<X&&>(A), i...);
  else
    return no_notation{};
}

/// Throws shape_error: the extent `n` at `position` is negative.
[[noreturn]] inline void throw_negative_extent(int position, index n) {
  throw shape_error("tenfold: the extent at position " + std::to_string(position) + " is " +
                    std::to_string(n) + "; an extent cannot be negative");
}

/// Throws shape_error: the extent at `position` is `n`, but the type fixes another one.
[[noreturn]] inline void throw_extent_mismatch(int position, index n, index fixed) {
  throw shape_error("tenfold: the extent at position " + std::to_string(position) + " is " +
                    std::to_string(n) + ", but the type fixes it to " + std::to_string(fixed));
}

/// Throws shape_error: the `rank` numbers at `n` multiply to more than an index can hold.
[[noreturn]] inline void throw_too_many_entries(const index* n, int rank) {
  std::string numbers;
  for (int i = 0; i < rank; ++i) numbers += (i ? " x " : "") + std::to_string(n[i]);
  throw shape_error("tenfold: the extents " + numbers + " multiply to more than 2^63 - 1 entries");
}

/// The extents of a tensor of rank sizeof...(E); `dyn` among the E stands for one that the object
/// holds. The object holds nothing else: with static extents only it is empty.
///
/// No extent is negative, and the product of those that are not zero fits in an index (so that no
/// stride derived from them overflows).
template <index... E>
class extents {
  static_assert(((E >= 0 || E == dyn) && ...),
                "tenfold: an extent is a number >= 0, or tenfold::dyn");

  template <class... N>
  static constexpr bool one_for_each_dyn = sizeof...(N) > 0 &&
                                           sizeof...(N) ==
                                               (0 + ... + static_cast<std::size_t>(E == dyn));

  /// Can other extents, F, be equal to these?
  template <index... F>
  static constexpr bool compatible() noexcept {
    if constexpr (sizeof...(F) != sizeof...(E) || std::is_same_v<extents<F...>, extents>) {
      return false;
    } else {
      return ((E == dyn || F == dyn || E == F) && ...);
    }
  }
  /// Does a dynamic one among F meet a fixed one here?
  template <index... F>
  static constexpr bool narrows() noexcept {
    if constexpr (sizeof...(F) != sizeof...(E)) {
      return false;
    } else {
      return ((E != dyn && F == dyn) || ...);
    }
  }

 public:
  /// The number of axes.
  static constexpr int rank() noexcept { return static_cast<int>(sizeof...(E)); }
  /// The number of axes whose extent is known at run time only.
  static constexpr int rank_dynamic() noexcept { return (0 + ... + static_cast<int>(E == dyn)); }
  /// The extent of axis i, or `dyn`.
  static constexpr index static_extent(int i) noexcept { return static_[i]; }

  /// All dynamic extents are 0.
  constexpr extents() noexcept requires(rank_dynamic() > 0) = default;
  constexpr extents() requires(rank_dynamic() == 0) {
    static_assert(fit(static_), "tenfold: the extents multiply to more than 2^63 - 1 entries");
  }

  /// The dynamic extents in order.
  /// Throws shape_error if one is negative, or if the entries are more than an index can count.
  template <index_like... N>
  requires(one_for_each_dyn<N...>) constexpr explicit extents(N... n)
      : dynamic_{{static_cast<index>(n)...}} {
    check();
  }

  /// The extents of all axes, those that the type fixes among them.
  /// Throws shape_error as above, and if one differs from what the type fixes.
  constexpr explicit extents(const std::array<index, sizeof...(E)>& all) { assign(all.data()); }

  /// The same extents, known otherwise. Explicit where a run-time extent meets a fixed one; then it
  /// throws shape_error if they differ.
  template <index... F>
  requires(compatible<F...>()) constexpr explicit(narrows<F...>())
      extents(const extents<F...>& other) {
    index all[sizeof...(E) + 1] = {};
    for (int i = 0; i < rank(); ++i) all[i] = other.extent(i);
    assign(all);
  }

  /// The extent of axis i.
  constexpr index extent(int i) const noexcept {
    if constexpr (rank_dynamic() == 0) {
      return static_[i];
    } else {
      return static_[i] == dyn ? dynamic_.at[slots_.at[i]] : static_[i];
    }
  }

  /// The number of entries: the product of the extents, 1 for rank 0.
  constexpr index size() const noexcept {
    index product = 1;
    for (int i = 0; i < rank(); ++i) product *= extent(i);
    return product;
  }

  friend constexpr bool operator==(const extents&, const extents&) = default;

 private:
  template <int N>
  struct list {
    index at[N] = {};
    friend constexpr bool operator==(const list&, const list&) = default;
  };
  template <int N>
  requires(N == 0) struct list<N> {
    friend constexpr bool operator==(const list&, const list&) = default;
  };
  struct slot_table {
    int at[sizeof...(E) + 1] = {};
  };

  /// Does the product of the extents that are neither 0 nor dyn fit in an index?
  static constexpr bool fit(const index* all) noexcept {
    index product = 1;
    for (int i = 0; i < rank(); ++i) {
      if (all[i] > 0 && __builtin_mul_overflow(product, all[i], &product)) return false;
    }
    return true;
  }

  static constexpr slot_table make_slots() noexcept {
    slot_table slots;
    for (int i = 0, next = 0; i < rank(); ++i) {
      if (static_[i] == dyn) slots.at[i] = next++;
    }
    return slots;
  }

  constexpr void assign(const index* all) {
    for (int i = 0; i < rank(); ++i) {
      if (static_[i] != dyn && all[i] != static_[i]) {
        throw_extent_mismatch(i, all[i], static_[i]);
      }
      if constexpr (rank_dynamic() > 0) {
        if (static_[i] == dyn) dynamic_.at[slots_.at[i]] = all[i];
      }
    }
    check();
  }

  constexpr void check() const {
    index all[sizeof...(E) + 1] = {};
    for (int i = 0; i < rank(); ++i) {
      all[i] = extent(i);
      if (all[i] < 0) throw_negative_extent(i, all[i]);
    }
    if (!fit(all)) throw_too_many_entries(all, rank());
  }

  static constexpr index static_[sizeof...(E) + 1] = {E..., 0};
  static constexpr slot_table slots_ = make_slots();

  [[no_unique_address]] list<rank_dynamic()> dynamic_;
};

}  // namespace tenfold
