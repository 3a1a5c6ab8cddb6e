#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <tenfold/tensor/device.hpp>
#include <tenfold/tensor/extents.hpp>
#include <tenfold/tensor/layout.hpp>
#include <tenfold/tensor/scalar.hpp>

/// Tensors of others, as operands without a copy: recognised by their form, so that no header of
/// theirs is included and no name of theirs is known.
///
/// - nested array: `T[N]`, `std::array<T, N>`, the one in the other; one axis for each;
/// - mdspan: `extents_type`, `data_handle()`, `extent(i)`, `stride(i)`; `rank()` axes;
/// - matrix (Eigen): `rows()`, `cols()`, `innerStride()`, `outerStride()`, `data()`; two axes, a
///   vector has one;
/// - shaped (xtensor): `shape()` and `strides()` of a size in their types, `data()`;
/// - contiguous (span, vector): `data()`, `size()`, `x[i]`, `begin()`; one axis, and those of the
///   nested array that an element is.
///
/// A type has one form at most: they are asked for in this order, and a type that bears the mark of
/// one but lacks the rest of it (a matrix expression without entries, a tensor whose rank only the
/// run tells) is no operand at all, rather than one of a later form.
namespace tenfold {

/// What all adaptors say alike; `T` is the type of an entry, const if it is only read.
template <class T, int Rank>
struct adapted_operand {
  using scalar_t = std::remove_const_t<T>;
  using numbers = std::array<index, static_cast<std::size_t>(Rank)>;
  static constexpr bool is_writable = !std::is_const_v<T>;
  static constexpr int rank = Rank;
  static constexpr batch_layout layout = batch_layout::strided;
  static constexpr device space = device::cpu;
};

/// A number of another library, which says "known at run time only" by -1 or by the largest of an
/// unsigned type.
template <class N>
constexpr index static_or_dyn(N n) noexcept {
  return static_cast<index>(n) < 0 ? dyn : static_cast<index>(n);
}

// --- Nested arrays ---

/// Arrays in arrays: `entry` is what lies innermost, const where the outermost array is.
template <class X>
struct array_nest {
  using entry = X;
  static constexpr int depth = 0;
  static constexpr void list_extents(index*) noexcept {}
};
template <class X, std::size_t N>
struct array_level {
  using entry = typename array_nest<X>::entry;
  static constexpr int depth = 1 + array_nest<X>::depth;
  /// Writes the extents, outermost first.
  static constexpr void list_extents(index* to) noexcept {
    *to = static_cast<index>(N);
    array_nest<X>::list_extents(to + 1);
  }
};
template <class X, std::size_t N>
struct array_nest<X[N]> : array_level<X, N> {};
template <class X, std::size_t N>
struct array_nest<std::array<X, N>> : array_level<X, N> {};
template <class X, std::size_t N>
struct array_nest<const std::array<X, N>> : array_level<const X, N> {};

/// The extents of `First...` and behind them those of the nest `X`.
template <class X, auto... First>
constexpr auto nest_extents() noexcept {
  std::array<index, sizeof...(First) + static_cast<std::size_t>(array_nest<X>::depth)> n{First...};
  array_nest<X>::list_extents(n.data() + sizeof...(First));
  return n;
}

/// Row-major strides; those behind a run-time extent of axis 0 are static.
template <std::size_t Rank>
constexpr std::array<index, Rank> row_major_strides(
    const std::array<index, Rank>& extents) noexcept {
  std::array<index, Rank> n{};
  index stride = 1;
  for (std::size_t i = Rank; i-- > 0;) {
    n[i] = stride;
    if (extents[i] > 0) stride *= extents[i];
  }
  return n;
}

template <class X>
struct nested_array_operand : adapted_operand<typename array_nest<X>::entry, array_nest<X>::depth> {
  using entry = typename array_nest<X>::entry;
  static constexpr auto static_extents = nest_extents<X>();
  static constexpr auto static_strides = row_major_strides(static_extents);
  static constexpr index extent(const X&, int i) noexcept {
    return static_extents[static_cast<std::size_t>(i)];
  }
  static constexpr index stride(const X&, int i) noexcept {
    return static_strides[static_cast<std::size_t>(i)];
  }
  static entry* data(X& x) noexcept { return reinterpret_cast<entry*>(&x); }
};

// --- Shaped like std::mdspan ---

template <class X>
concept marked_mdspan = requires(const X& x) {
  typename X::extents_type;
  x.data_handle();
};

/// Does a layout say of itself that not every axis has a stride?
template <class X>
concept denies_strides = requires {
  requires !X::is_always_strided();
};

/// Its entries are plain memory (no accessor that computes them), and every axis has a stride.
template <class X>
concept strided_mdspan = marked_mdspan<X> && !denies_strides<X> && requires(const X& x) {
  requires scalar_type<typename X::element_type>;
  requires std::is_same_v<typename X::reference, typename X::element_type&>;
  requires std::is_same_v < std::remove_cvref_t<decltype(x.data_handle())>,
  typename X::element_type* > ;
  X::extents_type::static_extent(0);
  x.extent(0);
  x.stride(0);
};

/// The stride of axis I when every run-time extent is `Probe`.
template <class X, int I, int Probe>
constexpr index probed_stride() {
  using extents_type = typename X::extents_type;
  using number = typename extents_type::index_type;
  std::array<number, static_cast<std::size_t>(X::rank())> n{};
  for (std::size_t i = 0; i < n.size(); ++i) {
    const index fixed = static_or_dyn(extents_type::static_extent(i));
    n[i] = static_cast<number>(fixed == dyn ? Probe : fixed);
  }
  return static_cast<index>(typename X::mapping_type(extents_type(n)).stride(I));
}

/// The stride of axis I if the type fixes it. A layout without gaps has as stride the product of
/// the extents of some axes: it is the same for two values of the run-time extents only if none of
/// them is a factor.
template <class X, int I>
constexpr index static_mdspan_stride() {
  if constexpr (requires {
                  requires X::mapping_type::is_always_exhaustive();
                  typename std::integral_constant<index, probed_stride<X, I, 2>()>;
                }) {
    constexpr index stride = probed_stride<X, I, 2>();
    return stride == probed_stride<X, I, 3>() ? stride : dyn;
  } else {
    return dyn;
  }
}

template <class X>
struct mdspan_operand : adapted_operand<typename X::element_type, static_cast<int>(X::rank())> {
  using numbers = std::array<index, static_cast<std::size_t>(X::rank())>;
  static constexpr numbers static_extents = [] {
    numbers n{};
    for (std::size_t i = 0; i < n.size(); ++i) {
      n[i] = static_or_dyn(X::extents_type::static_extent(i));
    }
    return n;
  }();
  static constexpr numbers static_strides = []<int... I>(std::integer_sequence<int, I...>) {
    return numbers{static_mdspan_stride<X, I>()...};
  }
  (std::make_integer_sequence<int, static_cast<int>(X::rank())>{});
  static constexpr index extent(const X& x, int i) noexcept {
    return static_cast<index>(x.extent(static_cast<std::size_t>(i)));
  }
  static constexpr index stride(const X& x, int i) noexcept {
    if constexpr (X::rank() == 0)
      return 1;  // such a mapping has no strides
    else
      return static_cast<index>(x.stride(static_cast<std::size_t>(i)));
  }
  static constexpr typename X::element_type* data(const X& x) noexcept { return x.data_handle(); }
};

// --- Matrices of the form that Eigen gives them ---

template <class X>
concept marked_matrix = requires(const X& x) {
  x.rows();
  x.cols();
};

/// Its entries lie in memory (an expression that would compute them does not qualify).
template <class X>
concept strided_matrix = marked_matrix<X> && requires(X& x) {
  requires scalar_type<std::remove_pointer_t<decltype(x.data())>>;
  requires std::is_pointer_v<decltype(x.data())>;
  x.innerStride();
  x.outerStride();
  static_cast<index>(X::RowsAtCompileTime);
  static_cast<index>(X::ColsAtCompileTime);
  static_cast<bool>(X::IsRowMajor);
};

/// A matrix with one row or one column in its type is a vector: rank 1, as in Eigen.
template <class X>
inline constexpr bool is_vector = static_cast<index>(X::RowsAtCompileTime) == 1 ||
                                  static_cast<index>(X::ColsAtCompileTime) == 1;

template <class X>
struct matrix_operand : adapted_operand<std::remove_pointer_t<decltype(std::declval<X&>().data())>,
                                        is_vector<X> ? 1 : 2> {
 private:
  static constexpr index rows = static_or_dyn(static_cast<index>(X::RowsAtCompileTime));
  static constexpr index cols = static_or_dyn(static_cast<index>(X::ColsAtCompileTime));
  static constexpr bool row_major = static_cast<bool>(X::IsRowMajor);
  static constexpr bool is_column = cols == 1;

  /// Of strides, 0 too says that the type does not fix them.
  static constexpr index inner = [] {
    if constexpr (requires { X::InnerStrideAtCompileTime; }) {
      const auto n = static_cast<index>(X::InnerStrideAtCompileTime);
      return n > 0 ? n : dyn;
    } else {
      return dyn;
    }
  }();
  static constexpr index outer = [] {
    if constexpr (requires { X::OuterStrideAtCompileTime; }) {
      const auto n = static_cast<index>(X::OuterStrideAtCompileTime);
      return n > 0 ? n : dyn;
    } else {
      return dyn;
    }
  }();

 public:
  using numbers = std::array<index, is_vector<X> ? 1 : 2>;
  static constexpr numbers static_extents = [] {
    if constexpr (is_vector<X>) {
      return numbers{is_column ? rows : cols};
    } else {
      return numbers{rows, cols};
    }
  }();
  static constexpr numbers static_strides = [] {
    if constexpr (is_vector<X>) {
      return numbers{inner};
    } else {
      return row_major ? numbers{outer, inner} : numbers{inner, outer};
    }
  }();
  static constexpr index extent(const X& x, int i) noexcept {
    const bool of_rows = is_vector<X> ? is_column : i == 0;
    return static_cast<index>(of_rows ? x.rows() : x.cols());
  }
  static constexpr index stride(const X& x, int i) noexcept {
    const bool of_outer = !is_vector<X> && (i == 0) == row_major;
    return static_cast<index>(of_outer ? x.outerStride() : x.innerStride());
  }
  static constexpr auto data(X& x) noexcept { return x.data(); }
};

// --- Shaped like the tensors of xtensor ---

template <class X>
concept marked_shape = requires(const X& x) {
  x.shape();
};

/// Its rank is part of the type of its shape.
template <class X>
concept strided_shape = marked_shape<X> && requires(X& x) {
  requires std::tuple_size<std::remove_cvref_t<decltype(x.shape())>>::value ==
      std::tuple_size<std::remove_cvref_t<decltype(x.strides())>>::value;
  requires scalar_type<std::remove_pointer_t<decltype(x.data())>>;
  requires std::is_pointer_v<decltype(x.data())>;
  static_cast<index>(x.shape()[0]);
  static_cast<index>(x.strides()[0]);
};

template <class X>
struct shaped_operand
    : adapted_operand<
          std::remove_pointer_t<decltype(std::declval<X&>().data())>,
          static_cast<int>(
              std::tuple_size<std::remove_cvref_t<decltype(std::declval<X&>().shape())>>::value)> {
  using numbers =
      std::array<index,
                 std::tuple_size<std::remove_cvref_t<decltype(std::declval<X&>().shape())>>::value>;
  static constexpr numbers static_extents = [] {
    numbers n{};
    for (index& e : n) e = dyn;
    return n;
  }();
  static constexpr numbers static_strides = static_extents;
  static constexpr index extent(const X& x, int i) noexcept {
    return static_cast<index>(x.shape()[static_cast<std::size_t>(i)]);
  }
  static constexpr index stride(const X& x, int i) noexcept {
    return static_cast<index>(x.strides()[static_cast<std::size_t>(i)]);
  }
  /// Of a slice, `data()` is where the sliced tensor begins, and `data_offset()` where the slice
  /// does.
  static constexpr auto data(X& x) noexcept {
    if constexpr (requires { x.data_offset(); }) {
      return x.data() + static_cast<index>(x.data_offset());
    } else {
      return x.data();
    }
  }
};

// --- Contiguous: spans and vectors ---

/// `x[i]` is what lies at `x.data() + i`: a scalar or nested arrays of it.
template <class X>
concept contiguous_entries = requires(X& x) {
  requires std::is_pointer_v<decltype(x.data())>;
  requires std::is_same_v<decltype(x[0]), decltype(*x.data())>;
  requires scalar_type<typename array_nest<std::remove_pointer_t<decltype(x.data())>>::entry>;
  static_cast<index>(x.size());
  x.begin();
};

/// The number of elements if it is part of the type, as that of std::span<T, 3> is.
template <class X>
constexpr index static_size() noexcept {
  if constexpr (requires { typename std::integral_constant<std::size_t, X::extent>; }) {
    return static_or_dyn(X::extent);
  } else {
    return dyn;
  }
}

template <class X>
struct contiguous_operand
    : adapted_operand<
          typename array_nest<std::remove_pointer_t<decltype(std::declval<X&>().data())>>::entry,
          1 + array_nest<std::remove_pointer_t<decltype(std::declval<X&>().data())>>::depth> {
  using element = std::remove_pointer_t<decltype(std::declval<X&>().data())>;
  using entry = typename array_nest<element>::entry;
  static constexpr auto static_extents = nest_extents<element, static_size<X>()>();
  static constexpr auto static_strides = row_major_strides(static_extents);
  static constexpr index extent(const X& x, int i) noexcept {
    return i == 0 ? static_cast<index>(x.size()) : static_extents[static_cast<std::size_t>(i)];
  }
  static constexpr index stride(const X&, int i) noexcept {
    return static_strides[static_cast<std::size_t>(i)];
  }
  static constexpr entry* data(X& x) noexcept {
    if constexpr (std::is_same_v<entry, element>) {
      return x.data();
    } else {
      return reinterpret_cast<entry*>(x.data());
    }
  }
};

// --- Who owns the entries ---

/// Whether X shows entries of the tensor that it names, as views of Eigen do. An owner names a
/// type, too, and not always its own, but changes its size and keeps what it holds.
template <class X>
concept names_another_owner = requires {
  typename X::PlainObject;
  requires !std::is_same_v<typename X::PlainObject, X>;
  requires !requires(X & x) { x.conservativeResize(1, 1); };
};

// --- The one form of a type ---

enum class operand_form : unsigned char { none, nested_array, mdspan, matrix, shaped, contiguous };

/// The one form of `X`: a single chain of questions, so that no two forms can claim a type.
template <class X>
constexpr operand_form form_of() noexcept {
  if constexpr (array_nest<X>::depth > 0) {
    return scalar_type<typename array_nest<X>::entry> ? operand_form::nested_array
                                                      : operand_form::none;
  } else if constexpr (!std::is_class_v<X>) {
    return operand_form::none;
  } else if constexpr (marked_mdspan<X>) {
    return strided_mdspan<X> ? operand_form::mdspan : operand_form::none;
  } else if constexpr (marked_matrix<X>) {
    return strided_matrix<X> ? operand_form::matrix : operand_form::none;
  } else if constexpr (marked_shape<X>) {
    return strided_shape<X> ? operand_form::shaped : operand_form::none;
  } else if constexpr (contiguous_entries<X>) {
    return operand_form::contiguous;
  } else {
    return operand_form::none;
  }
}

/// The traits of a tensor of a known form; of any other type, none.
template <class X, operand_form = form_of<X>()>
struct adapted_traits {};
template <class X>
struct adapted_traits<X, operand_form::nested_array> : nested_array_operand<X> {};
template <class X>
struct adapted_traits<X, operand_form::mdspan> : mdspan_operand<X> {};
template <class X>
struct adapted_traits<X, operand_form::matrix> : matrix_operand<X> {};
template <class X>
struct adapted_traits<X, operand_form::shaped> : shaped_operand<X> {};
template <class X>
struct adapted_traits<X, operand_form::contiguous> : contiguous_operand<X> {};

}  // namespace tenfold
