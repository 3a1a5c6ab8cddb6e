#pragma once

#include <cassert>
#include <cstddef>
#include <limits>
#include <type_traits>

#include <tenfold/tensor/allocation.hpp>
#include <tenfold/tensor/extents.hpp>
#include <tenfold/tensor/layout.hpp>
#include <tenfold/tensor/scalar.hpp>
#include <tenfold/tensor/view.hpp>

/// The owning tensor.
namespace tenfold {

/// Static tensors of at most this many bytes hold their entries themselves; others allocate.
inline constexpr index inline_bytes = 16 * 1024;

/// What debug builds put where nothing has been written: NaN, the lowest number of an integer.
template <class T>
constexpr T unset_entry() noexcept {
  if constexpr (complex_of<T, float> || complex_of<T, double>) {
    using real = typename T::value_type;
    return T(std::numeric_limits<real>::quiet_NaN(), std::numeric_limits<real>::quiet_NaN());
  } else if constexpr (std::is_floating_point_v<T>) {
    return std::numeric_limits<T>::quiet_NaN();
  } else {
    return std::numeric_limits<T>::lowest();
  }
}

/// Marks entries as not yet written; does nothing when NDEBUG is defined.
template <class T>
constexpr void mark_unset([[maybe_unused]] T* data, [[maybe_unused]] index count) noexcept {
#ifndef NDEBUG
  for (index i = 0; i < count; ++i) data[i] = unset_entry<T>();
#endif
}

/// The entries of a small static tensor, in the object.
template <class T, class Extents>
class inline_entries {
 public:
  constexpr inline_entries() : inline_entries(Extents{}) {}
  constexpr explicit inline_entries(const Extents&) { mark_unset(entries_, count); }

  constexpr T* data() noexcept { return entries_; }
  constexpr const T* data() const noexcept { return entries_; }
  constexpr Extents extents() const noexcept { return Extents{}; }

 private:
  static constexpr index count = Extents{}.size();

  alignas(alignment) T entries_[count > 0 ? count : 1];
};

/// The entries of a large or dynamic tensor, in memory of their own. Copies are deep; what is moved
/// from has no entries, and its dynamic extents are 0.
template <class T, class Extents>
class heap_entries {
 public:
  heap_entries() requires(Extents::rank_dynamic() > 0) = default;
  heap_entries() requires(Extents::rank_dynamic() == 0) : heap_entries(Extents{}) {}
  explicit heap_entries(const Extents& e) : extents_(e), memory_(e.size()) {
    mark_unset(memory_.data(), memory_.count());
  }
  heap_entries(const heap_entries& other)
      : extents_(other.extents_), memory_(other.memory_.count()) {
    copy_entries(other);
  }
  heap_entries(heap_entries&& other) noexcept
      : extents_(other.extents_), memory_(static_cast<allocation<T>&&>(other.memory_)) {
    other.extents_ = Extents{};
  }
  heap_entries& operator=(const heap_entries& other) {
    if (this == &other) return *this;
    if (memory_.count() != other.memory_.count()) {
      memory_ = allocation<T>(other.memory_.count());
    }
    extents_ = other.extents_;
    copy_entries(other);
    return *this;
  }
  heap_entries& operator=(heap_entries&& other) noexcept {
    if (this == &other) return *this;
    memory_ = static_cast<allocation<T>&&>(other.memory_);
    extents_ = other.extents_;
    other.extents_ = Extents{};
    return *this;
  }
  ~heap_entries() = default;

  T* data() noexcept { return memory_.data(); }
  const T* data() const noexcept { return memory_.data(); }
  const Extents& extents() const noexcept { return extents_; }

 private:
  void copy_entries(const heap_entries& other) noexcept {
    if (other.memory_.count() == 0) return;
    // The builtin, because <cstring> declares ::index, which makes `index` ambiguous to a user who
    // writes `using namespace tenfold`.
    __builtin_memcpy(static_cast<void*>(memory_.data()), other.memory_.data(),
                     static_cast<std::size_t>(other.memory_.count()) * sizeof(T));
  }

  [[no_unique_address]] Extents extents_;
  allocation<T> memory_;
};

/// Is a tensor of these static extents small enough to hold its entries itself?
template <class T, index... E>
constexpr bool held_inline() noexcept {
  if constexpr (((E == dyn) || ...)) {
    return false;
  } else {
    return extents<E...>{}.size() <= inline_bytes / static_cast<index>(sizeof(T));
  }
}

/// A tensor that owns its entries: row-major, aligned to 64 bytes, not initialised (NaN in debug
/// builds).
///
///     tensor<double, 9, 8> B;                      // in the object, no allocation
///     tensor<double, dyn, 8, 8, 8> u(elements);    // dynamic extents where `dyn` stands
///     tensor<double> energy;                       // rank 0: one entry, converts to it
///
/// Fully static tensors up to `inline_bytes` hold their entries in the object. A copy is deep. A
/// moved-from tensor has no memory and must not be read (its dynamic extents are 0), save that
/// moving a tensor that holds its entries itself copies them. `T` is a scalar, or an integer for
/// maps.
template <class T, index... E>
class tensor {
  static_assert(scalar_type<T> || std::is_integral_v<T>,
                "tenfold: the entries of a tensor are float, double, complex or integers");
  static_assert(!std::is_const_v<T>, "tenfold: a tensor owns its entries; read through a view");

 public:
  using value_type = T;
  using element_type = T;
  using extents_type = tenfold::extents<E...>;
  using layout_type = layout_right;
  using mapping_type = layout_right::mapping<extents_type>;
  /// The view of all entries, and the one that only reads.
  using view_type = basic_view<T, extents_type, layout_right>;
  using const_view_type = basic_view<const T, extents_type, layout_right>;

  /// Do the entries lie in the object?
  static constexpr bool is_inline = held_inline<T, E...>();

  static constexpr int rank() noexcept { return extents_type::rank(); }
  static constexpr index static_extent(int i) noexcept { return extents_type::static_extent(i); }
  static constexpr index static_stride(int i) noexcept { return mapping_type::static_stride(i); }

  template <class... N>
  static constexpr bool one_number_for_each_dyn = std::is_constructible_v<extents_type, N...>;

  /// Static extents: all entries, not initialised. Dynamic ones: 0, and no allocation.
  /// Throws std::bad_alloc when the entries do not lie in the object.
  constexpr tensor() = default;

  /// The dynamic extents in order. Throws shape_error if one is negative or if the entries are more
  /// than an index can count, std::bad_alloc if memory is short.
  template <index_like... N>
  requires(sizeof...(N) > 0 && one_number_for_each_dyn<N...>) explicit tensor(N... n)
      : entries_(extents_type(n...)) {}
  template <index_like... N>
  requires(sizeof...(N) > 0 && sizeof...(E) > 0 &&
           !one_number_for_each_dyn<N...>) explicit tensor(N...) = delete;

  /// A tensor of these extents. Throws as above.
  constexpr explicit tensor(const extents_type& e) : entries_(e) {}

  /// Rank 0: the entry.
  constexpr explicit tensor(T value) requires(sizeof...(E) == 0) { *data() = value; }

  /// The first entry; nullptr when an empty tensor has no memory.
  constexpr T* data() noexcept { return entries_.data(); }
  constexpr const T* data() const noexcept { return entries_.data(); }
  constexpr extents_type extents() const noexcept { return entries_.extents(); }
  constexpr mapping_type mapping() const noexcept { return mapping_type(entries_.extents()); }
  /// The extent of axis i.
  constexpr index extent(int i) const noexcept { return entries_.extents().extent(i); }
  /// The stride of axis i in entries.
  constexpr index stride(int i) const noexcept { return mapping().stride(i); }
  /// The number of entries.
  constexpr index size() const noexcept { return entries_.extents().size(); }

  /// Entry (i, j, ...). Bounds are checked in debug builds only.
  template <index_like... I>
  constexpr T& operator()(I... i) noexcept {
    return data()[offset(i...)];
  }
  template <index_like... I>
  constexpr const T& operator()(I... i) const noexcept {
    return data()[offset(i...)];
  }

  /// A(i, j) with labels: part of an expression, see at_labels.
  template <class... I>
  requires labelled<I...>
  constexpr auto operator()(I... i) & { return labelled_entries(*this, i...); }
  template <class... I>
  requires labelled<I...>
  constexpr auto operator()(I... i) const& { return labelled_entries(*this, i...); }
  template <class... I>
  requires labelled<I...>
  constexpr auto operator()(I... i) && {
    return labelled_entries(static_cast<tensor&&>(*this), i...);
  }

  /// Rank 0: the entry.
  constexpr operator T() const noexcept requires(sizeof...(E) == 0) { return *data(); }

  /// Sets every entry to `value`.
  constexpr void fill(T value) noexcept {
    T* const entries = data();
    const index count = size();
    for (index i = 0; i < count; ++i) entries[i] = value;
  }
  /// Sets every entry to 0.
  constexpr void zero() noexcept { fill(T(0)); }

  /// The entries as a view, of any kind that the tensor's own view converts to.
  template <class U, class Extents, class Layout>
  requires std::is_convertible_v<view_type, basic_view<U, Extents, Layout>>
  constexpr operator basic_view<U, Extents, Layout>() { return view_type(data(), mapping()); }
  template <class U, class Extents, class Layout>
  requires std::is_convertible_v<const_view_type, basic_view<U, Extents, Layout>>
  constexpr operator basic_view<U, Extents, Layout>() const {
    return const_view_type(data(), mapping());
  }

 private:
  template <class... I>
  constexpr index offset(I... i) const noexcept {
    static_assert(sizeof...(I) == sizeof...(E), "tenfold: the number of indices is not the rank");
    assert(in_bounds(entries_.extents(), i...) && "tenfold: an index is out of bounds");
    return mapping()(i...);
  }

  std::conditional_t<is_inline, inline_entries<T, extents_type>, heap_entries<T, extents_type>>
      entries_;
};

/// `basic_view v = t;` is the view of all entries of t.
template <class T, index... E>
basic_view(tensor<T, E...>&) -> basic_view<T, extents<E...>, layout_right>;
template <class T, index... E>
basic_view(const tensor<T, E...>&) -> basic_view<const T, extents<E...>, layout_right>;
template <class T, index... E>
basic_view(const tensor<T, E...>&&)
    -> basic_view<entry_of_temporary<T>, extents<E...>, layout_right>;

}  // namespace tenfold
