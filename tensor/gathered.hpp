#pragma once

#include <cassert>
#include <cstdint>
#include <string>
#include <type_traits>

#include <tenfold/tensor/error.hpp>
#include <tenfold/tensor/extents.hpp>
#include <tenfold/tensor/layout.hpp>
#include <tenfold/tensor/operand_traits.hpp>
#include <tenfold/tensor/view.hpp>

/// A batch whose entries lie anywhere in one array, each where a map says: in finite elements, the
/// degrees of freedom of the elements.
///
/// entry (b, i, j) = base[map[b][i][j]];  -1 in the map is no entry
namespace tenfold {

/// Throws shape_error: the array that a map points into has `size` < 0 entries.
[[noreturn]] inline void throw_negative_array(index size) {
  throw shape_error("tenfold: the map points into an array of " + std::to_string(size) +
                    " entries; a size cannot be negative");
}

/// Throws shape_error: the map has numbers, but no address.
[[noreturn]] inline void throw_null_map() {
  throw shape_error(
      "tenfold: index_map: the map has entries, but the address of its numbers is null");
}

/// Throws shape_error: the map has `value` where only -1 or an index below `size` can be.
[[noreturn]] inline void throw_map_out_of_range(index problem, index entry, index value,
                                                index size) {
  throw shape_error("tenfold: the map of problem " + std::to_string(problem) + " has " +
                    std::to_string(value) + " at entry " + std::to_string(entry) +
                    ", which is neither -1 nor an index into an array of " + std::to_string(size) +
                    " entries");
}

/// Throws shape_error: the extents n, the batch first, are not those of a map with `entries`
/// entries for each problem.
[[noreturn]] inline void throw_map_mismatch(index entries, const index* n, int rank) {
  std::string numbers;
  for (int i = 1; i < rank; ++i) numbers += (i > 1 ? " x " : "") + std::to_string(n[i]);
  throw shape_error("tenfold: the map has " + std::to_string(entries) +
                    " entries for each problem, which are not the extents " +
                    (rank > 1 ? numbers : "of a number"));
}

/// Where the entries of each problem lie in an array of `size` entries: [batch, entries] numbers of
/// type I, row-major, each an index below `size`, or -1 for an entry that is not there. I is
/// std::int32_t or std::int64_t.
///
/// The map refers to the numbers and does not own them: they must live, unchanged, as long as the
/// map and whatever was made from it. Their range is checked once, here.
template <class I>
class index_map {
  static_assert(std::is_same_v<I, std::int32_t> || std::is_same_v<I, std::int64_t>,
                "tenfold: the numbers of a map are std::int32_t or std::int64_t");

 public:
  using value_type = I;

  /// Throws shape_error if an extent is negative, if the address is null although there are
  /// numbers, or for the first number that is neither -1 nor in [0, size). O(batch entries).
  constexpr index_map(const I* numbers, index batch, index entries, index size)
      : index_map(unchecked(numbers, batch, entries, size)) {
    const index count = extents_.size();
    if (numbers == nullptr && count > 0) throw_null_map();
    for (index k = 0; k < count; ++k) {
      const index value = numbers[k];
      if (value < -1 || value >= size) {
        throw_map_out_of_range(k / entries, k % entries, value, size);
      }
    }
  }

  /// A map whose numbers lie where this processor cannot read them, in the memory of a device: for
  /// their range the caller answers. Throws shape_error if an extent is negative.
  static constexpr index_map unchecked(const I* numbers, index batch, index entries, index size) {
    if (size < 0) throw_negative_array(size);
    index_map map;
    map.numbers_ = numbers;
    map.extents_ = extents<dyn, dyn>(batch, entries);
    map.size_ = size;
    return map;
  }

  constexpr const I* data() const noexcept { return numbers_; }
  /// The number of problems.
  constexpr index batch() const noexcept { return extents_.extent(0); }
  /// The number of entries of each problem.
  constexpr index entries() const noexcept { return extents_.extent(1); }
  /// The number of entries of the array that the map points into.
  constexpr index size() const noexcept { return size_; }

 private:
  constexpr index_map() = default;

  const I* numbers_ = nullptr;
  extents<dyn, dyn> extents_{0, 0};
  index size_ = 0;
};

class scatter_order;  // scatter_order.hpp

/// Throws shape_error: the order was made for another map.
template <class Map, class Order>
[[noreturn]] void throw_order_mismatch(const Map& map, const Order& order) {
  const auto say = [](index batch, index entries, index size) {
    return std::to_string(batch) + " problems of " + std::to_string(entries) +
           " entries in an array of " + std::to_string(size);
  };
  throw shape_error("tenfold: the map has " + say(map.batch(), map.entries(), map.size()) +
                    ", the order in which they are added is one of " +
                    say(order.batch(), order.map_entries(), order.map_size()));
}

/// Refers to an entry that may not be there. One that is not reads as 0, and what is assigned to it
/// is dropped. `auto x = u(b, i)` is such a reference too; `T x = u(b, i)` is the number.
template <class T>
class gathered_reference {
 public:
  /// The entry at `at`; nullptr: none.
  constexpr explicit gathered_reference(T* at) noexcept : at_(at) {}
  constexpr gathered_reference(const gathered_reference&) noexcept = default;

  constexpr operator T() const noexcept { return at_ ? *at_ : T(0); }

  constexpr const gathered_reference& operator=(const T& x) const noexcept {
    if (at_) *at_ = x;
    return *this;
  }
  /// The number is copied, not the reference.
  constexpr const gathered_reference& operator=(const gathered_reference& x) const noexcept {
    return *this = T(x);
  }
  constexpr gathered_reference& operator=(const gathered_reference& x) noexcept {
    static_cast<const gathered_reference&>(*this) = T(x);
    return *this;
  }
  constexpr const gathered_reference& operator+=(const T& x) const { return *this = T(*this) + x; }
  constexpr const gathered_reference& operator-=(const T& x) const { return *this = T(*this) - x; }
  constexpr const gathered_reference& operator*=(const T& x) const { return *this = T(*this) * x; }

  friend constexpr bool operator==(const gathered_reference& a, const T& b) { return T(a) == b; }
  friend constexpr bool operator==(const gathered_reference& a, const gathered_reference& b) {
    return T(a) == T(b);
  }

 private:
  T* at_;
};

/// The entries of an array in the order of a map; neither is owned. `T` is const for entries that
/// are only read; E are the extents of a problem; the batch, that of the map, is the leading axis.
///
///     index_map map(numbers, elements, 8, nodes);    // [elements, 8], checked here
///     gathered<const double, 8> u(nodal, map);       // u(e, i) = nodal[map(e, i)]
///     gathered<double, 2, 2, 2> v(nodal, map);       // v(e, i, j, k), of the same map
///
/// Where the map has -1, an entry reads as 0 and is not written. Where it has a number more than
/// once, the entries are one: an operation that results in them adds what comes to each.
template <class T, index... E>
class gathered {
  /// Does every entry of the other have its place, and no more rights, in this one?
  template <class U, index... F>
  static constexpr bool generalises =
      !std::is_same_v<gathered<U, F...>, gathered> && std::is_convertible_v<U (*)[], T (*)[]> &&
      std::is_constructible_v<extents<dyn, E...>, const extents<dyn, F...>&>;

 public:
  using value_type = std::remove_const_t<T>;
  using element_type = T;
  /// The batch, then the extents of a problem.
  using extents_type = tenfold::extents<dyn, E...>;
  /// Maps indices to the numbers of the map.
  using mapping_type = layout_right::mapping<extents_type>;
  /// What an index gives: a number if entries are only read.
  using reference =
      std::conditional_t<std::is_const_v<T>, value_type, gathered_reference<value_type>>;

  static constexpr int rank() noexcept { return extents_type::rank(); }
  static constexpr index static_extent(int i) noexcept { return extents_type::static_extent(i); }
  static constexpr index static_stride(int i) noexcept { return mapping_type::static_stride(i); }

  /// The array that the map points into, its map, and the dynamic extents of a problem in order.
  /// Throws shape_error if one is negative, or if they are not those of the map: their product is
  /// not its entries for each problem.
  template <class I, index_like... N>
  requires(std::is_constructible_v<extents_type, index, N...>) constexpr gathered(
      T* base, const index_map<I>& map, N... n)
      : base_(base),
        map_(map.data()),
        wide_(sizeof(I) == sizeof(std::int64_t)),
        array_size_(map.size()),
        extents_(map.batch(), n...) {
    index all[sizeof...(E) + 1] = {}, product = 1;
    for (int i = 0; i < rank(); ++i) {
      all[i] = extents_.extent(i);
      if (i > 0) product *= all[i];
    }
    if (product != map.entries()) throw_map_mismatch(map.entries(), all, rank());
  }

  /// The same, and the order in which results are added to the array by many threads at once; it
  /// must live as long as this. Without one they are added by one thread, problem by problem.
  /// Throws shape_error also if it was made for a map with other numbers of problems or entries or
  /// for an array of another size. It must have been made for the same numbers.
  template <class I, class Order, index_like... N>
  requires(std::is_constructible_v<extents_type, index, N...>&&
               std::is_same_v<Order, scatter_order>) constexpr gathered(T* base,
                                                                        const index_map<I>& map,
                                                                        const Order& order, N... n)
      : gathered(base, map, n...) {
    if (order.batch() != map.batch() || order.map_entries() != map.entries() ||
        order.map_size() != map.size())
      throw_order_mismatch(map, order);
    order_ = &order;
  }
  /// An order without a name is gone with the statement.
  template <class I, class Order, index_like... N>
  requires(std::is_constructible_v<extents_type, index, N...>&&
               std::is_same_v<Order, scatter_order>) constexpr gathered(T* base,
                                                                        const index_map<I>& map,
                                                                        const Order&&, N... n)
      : gathered(base, map, n...) {
    static_assert(sizeof(I) == 0,
                  "tenfold: gathered refers to a temporary scatter_order, which is gone with the "
                  "statement: give the order a name");
  }

  /// The same entries seen as const, or with fewer extents in the type. Explicit where a run-time
  /// extent meets a fixed one; then it throws shape_error if they differ.
  template <class U, index... F>
  requires(generalises<U, F...>) constexpr explicit(
      !std::is_convertible_v<const extents<dyn, F...>&, extents_type>)
      gathered(const gathered<U, F...>& other)
      : base_(other.data()),
        map_(other.map()),
        wide_(other.wide_map()),
        array_size_(other.array_size()),
        order_(other.order()),
        extents_(other.extents()) {}

  /// The array that the map points into.
  constexpr T* data() const noexcept { return base_; }
  /// The number of its entries.
  constexpr index array_size() const noexcept { return array_size_; }
  /// The numbers of the map: std::int64_t if `wide_map()`, else std::int32_t.
  constexpr const void* map() const noexcept { return map_; }
  constexpr bool wide_map() const noexcept { return wide_; }
  /// The order in which results are added; nullptr: problem by problem.
  constexpr const scatter_order* order() const noexcept { return order_; }
  constexpr const extents_type& extents() const noexcept { return extents_; }
  /// The extent of axis i; axis 0 is the batch.
  constexpr index extent(int i) const noexcept { return extents_.extent(i); }
  /// The stride of axis i in numbers of the map.
  constexpr index stride(int i) const noexcept { return mapping_type(extents_).stride(i); }
  /// The number of entries, those that are not there among them.
  constexpr index size() const noexcept { return extents_.size(); }

  /// Entry (b, i, ...). Bounds are checked in debug builds only.
  template <index_like... I>
  constexpr reference operator()(I... i) const noexcept {
    static_assert(sizeof...(I) == sizeof...(E) + 1,
                  "tenfold: the number of indices is not the rank");
    assert(in_bounds(extents_, i...) && "tenfold: an index is out of bounds");
    const index k = mapping_type(extents_)(i...);
    const index place = wide_ ? static_cast<const std::int64_t*>(map_)[k]
                              : static_cast<const std::int32_t*>(map_)[k];
    T* const at = place < 0 ? nullptr : base_ + place;
    if constexpr (std::is_const_v<T>) {
      return at ? *at : value_type(0);
    } else {
      return reference(at);
    }
  }

 private:
  T* base_;
  const void* map_;
  bool wide_;
  index array_size_;
  const scatter_order* order_ = nullptr;
  [[no_unique_address]] extents_type extents_;
};

/// The traits of gathered entries: `data` is the array that the map points into, strides are those
/// of the map; `map(x)` are its numbers, std::int64_t if `wide_map(x)`, else std::int32_t;
/// `array_size(x)` is how many entries the array has, `order(x)` the order in which results are
/// added, or nullptr.
template <class T, index... E>
struct gathered_traits : strided_operand_traits<T, layout_right::mapping<extents<dyn, E...>>> {
  static constexpr batch_layout layout = batch_layout::gathered;
  template <class X>
  static constexpr const void* map(const X& x) noexcept {
    return x.map();
  }
  template <class X>
  static constexpr bool wide_map(const X& x) noexcept {
    return x.wide_map();
  }
  template <class X>
  static constexpr index array_size(const X& x) noexcept {
    return x.array_size();
  }
  template <class X>
  static constexpr const scatter_order* order(const X& x) noexcept {
    return x.order();
  }
};

template <class T, index... E>
struct operand_traits<gathered<T, E...>> : gathered_traits<T, E...> {};
template <class T, index... E>
struct operand_traits<const gathered<T, E...>> : gathered_traits<T, E...> {};

}  // namespace tenfold
