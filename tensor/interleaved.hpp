#pragma once

#include <cassert>
#include <cstddef>
#include <type_traits>

#include <tenfold/tensor/extents.hpp>
#include <tenfold/tensor/layout.hpp>
#include <tenfold/tensor/operand_traits.hpp>
#include <tenfold/tensor/scalar.hpp>
#include <tenfold/tensor/tensor.hpp>
#include <tenfold/tensor/view.hpp>

/// A batch whose problems lie side by side: entry (i, j) of W problems, then the next entry.
///
/// Real entries: entry (b, i, j) is number ((b / W) m n + i n + j) W + b % W. Complex entries: the
/// real part is real number 2 ((b / W) m n + i n + j) W + b % W, the imaginary part lies W behind
/// it: W real parts, then their W imaginary parts.
///
/// The batch is the leading axis; any number of axes may follow it. ceil(batch / W) whole blocks
/// are held; the lanes of the last block behind the batch are the pad.
namespace tenfold {

/// The natural number of problems in a block, on every instruction set: the real numbers in a cache
/// line. 8 for double and complex<double>, 16 for float and complex<float>.
template <scalar_type T>
inline constexpr index simd_block = index{64} / static_cast<index>(sizeof(real_type<T>));

/// Where the entries of an interleaved batch lie: W problems in a block, or all of them where W is
/// `dyn`; E are the extents of a problem. Extents and strides are those of operand_traits: from one
/// block to the next along axis 0, of the entries of one problem along the others.
template <index W, index... E>
class interleaved_mapping {
  static_assert(W == dyn || W > 0, "tenfold: a block is a number of problems > 0, or tenfold::dyn");

 public:
  /// The batch, then the extents of a problem.
  using extents_type = tenfold::extents<dyn, E...>;

  static constexpr int rank() noexcept { return extents_type::rank(); }
  static constexpr int rank_dynamic() noexcept { return extents_type::rank_dynamic(); }
  /// The number of problems in a block, or `dyn`.
  static constexpr index static_block() noexcept { return W; }
  /// The stride of axis i in entries, or `dyn`.
  static constexpr index static_stride(int i) noexcept {
    const index stride = row_major::static_stride(i);
    if (i > 0) return stride;
    return stride == dyn || W == dyn ? dyn : stride * W;
  }

  /// No problems; the other dynamic extents are 0 too.
  constexpr interleaved_mapping() = default;
  /// Throws shape_error if the blocks have more entries than an index can count.
  constexpr explicit interleaved_mapping(const extents_type& e) : extents_(e) { check(); }

  constexpr const extents_type& extents() const noexcept { return extents_; }
  /// The number of problems.
  constexpr index batch() const noexcept { return extents_.extent(0); }
  /// The number of problems in a block; fully interleaved: the batch, at least 1.
  constexpr index block() const noexcept {
    if constexpr (W == dyn) {
      return batch() > 0 ? batch() : 1;
    } else {
      return W;
    }
  }
  /// The number of blocks: ceil(batch / block).
  constexpr index blocks() const noexcept {
    return batch() / block() + (batch() % block() != 0 ? 1 : 0);
  }
  /// The number of entries of one problem.
  constexpr index problem_size() const noexcept {
    index product = 1;
    for (int i = 1; i < rank(); ++i) product *= extents_.extent(i);
    return product;
  }
  /// The number of entries in memory, the pad among them.
  constexpr index size() const noexcept { return blocks() * problem_size() * block(); }
  /// The stride of axis i in entries.
  constexpr index stride(int i) const noexcept {
    const index stride = row_major(extents_).stride(i);
    return i > 0 ? stride : stride * block();
  }
  /// The entries before the run of `block()` neighbours that entry (b, i, ...) is one of:
  /// ((b / W) m n + i n + j) W.
  template <index_like... I>
  constexpr index run(index b, I... i) const noexcept {
    return row_major(extents_)(b / block(), i...) * block();
  }
  /// The place of problem b among its neighbours: b % W.
  constexpr index lane(index b) const noexcept { return b % block(); }

  friend constexpr bool operator==(const interleaved_mapping&,
                                   const interleaved_mapping&) = default;

 private:
  using row_major = layout_right::mapping<extents_type>;

  constexpr void check() const {
    index n[static_cast<std::size_t>(rank()) + 1] = {blocks() > 0 ? blocks() : 1, block()};
    for (int i = 1; i < rank(); ++i) n[i + 1] = extents_.extent(i);
    index product = 1;
    for (const index extent : n) {
      if (extent > 0 && __builtin_mul_overflow(product, extent, &product)) {
        throw_too_many_entries(n, rank() + 1);
      }
    }
  }

  [[no_unique_address]] extents_type extents_;
};

/// Refers to a complex number whose parts do not lie side by side. Reads as the number, and what is
/// assigned to it is written. `auto z = x(b, i, j)` is such a reference too; `T z = x(b, i, j)` is
/// the number.
template <class T>
class split_reference {
 public:
  using real = real_type<T>;

  /// The real part at `at`, the imaginary part `distance` reals behind it.
  constexpr split_reference(real* at, index distance) noexcept : at_(at), distance_(distance) {}
  constexpr split_reference(const split_reference&) noexcept = default;

  constexpr operator T() const noexcept { return T(at_[0], at_[distance_]); }

  constexpr const split_reference& operator=(const T& z) const noexcept {
    at_[0] = z.real();
    at_[distance_] = z.imag();
    return *this;
  }
  /// The number is copied, not the reference.
  constexpr const split_reference& operator=(const split_reference& z) const noexcept {
    return *this = T(z);
  }
  constexpr split_reference& operator=(const split_reference& z) noexcept {
    static_cast<const split_reference&>(*this) = T(z);
    return *this;
  }
  constexpr const split_reference& operator+=(const T& z) const { return *this = T(*this) + z; }
  constexpr const split_reference& operator-=(const T& z) const { return *this = T(*this) - z; }
  constexpr const split_reference& operator*=(const T& z) const { return *this = T(*this) * z; }

  friend constexpr bool operator==(const split_reference& a, const T& b) { return T(a) == b; }
  friend constexpr bool operator==(const split_reference& a, const split_reference& b) {
    return T(a) == T(b);
  }

 private:
  real* at_;
  index distance_;
};

/// An interleaved batch over memory that it does not own. `T` is const for entries that are only
/// read; W is the number of problems in a block, `dyn`: all of them; E are the extents of a
/// problem.
///
///     interleaved_view<const double, 8, 3, 3> A(pointer, batch);        // [batch, 3, 3]
///     interleaved_view<double, dyn, dyn, 3> B(pointer, batch, rows);    // [batch, rows, 3]
///
/// For complex entries the pointer says where the numbers lie, but points at no entry: a block of
/// W entries is W real parts, then W imaginary ones.
template <class T, index W, index... E>
class interleaved_view {
  static_assert(scalar_type<T>, "tenfold: interleaved entries are float, double or complex");
  static constexpr bool is_split = is_complex(scalar_of<T>);

  /// Can these N be the batch and the dynamic extents?
  template <class... N>
  static constexpr bool extents_of_batch =
      sizeof...(N) != 0 && std::is_constructible_v<extents<dyn, E...>, N...>;

  /// Does every entry of the other view have its place, and no more rights, in this one?
  template <class U, index... F>
  static constexpr bool generalises =
      !std::is_same_v<interleaved_view<U, W, F...>, interleaved_view> &&
      std::is_convertible_v<U (*)[], T (*)[]> &&
      std::is_constructible_v<extents<dyn, E...>, const extents<dyn, F...>&>;

 public:
  using value_type = std::remove_const_t<T>;
  using element_type = T;
  using mapping_type = interleaved_mapping<W, E...>;
  using extents_type = typename mapping_type::extents_type;
  /// What an index gives: T&, but for complex entries a split_reference, or when const a number.
  using reference = std::conditional_t<
      !is_split, T&,
      std::conditional_t<std::is_const_v<T>, value_type, split_reference<value_type>>>;

  static constexpr int rank() noexcept { return mapping_type::rank(); }
  static constexpr index static_extent(int i) noexcept { return extents_type::static_extent(i); }
  static constexpr index static_stride(int i) noexcept { return mapping_type::static_stride(i); }

  /// The batch, then the dynamic extents of a problem in order.
  /// Throws shape_error if one is negative, if there are more entries than an index can count, or
  /// if they span more than 2^62 bytes.
  template <index_like... N>
  requires(extents_of_batch<N...>) constexpr explicit interleaved_view(T* data, N... n)
      : interleaved_view(data, mapping_type(extents_type(n...))) {}

  constexpr interleaved_view(T* data, const mapping_type& mapping)
      : data_(data), mapping_(mapping) {
    require_bytes<T>(mapping_, mapping_.size() - 1);
  }

  /// The same entries seen as const, or with fewer extents in the type. Explicit where a run-time
  /// extent meets a fixed one; then it throws shape_error if they differ.
  template <class U, index... F>
  requires(generalises<U, F...>) constexpr explicit(
      !std::is_convertible_v<const extents<dyn, F...>&, extents_type>)
      interleaved_view(const interleaved_view<U, W, F...>& other)
      : data_(other.data()), mapping_(extents_type(other.mapping().extents())) {}

  /// Where the first block begins.
  constexpr T* data() const noexcept { return data_; }
  constexpr const mapping_type& mapping() const noexcept { return mapping_; }
  /// The extent of axis i; axis 0 is the batch.
  constexpr index extent(int i) const noexcept { return mapping_.extents().extent(i); }
  /// In entries: from one block to the next for i = 0, within a problem for the others.
  constexpr index stride(int i) const noexcept { return mapping_.stride(i); }
  /// The number of problems in a block; fully interleaved: the batch, at least 1.
  constexpr index block() const noexcept { return mapping_.block(); }
  /// The number of blocks.
  constexpr index blocks() const noexcept { return mapping_.blocks(); }
  /// The number of entries, without the pad.
  constexpr index size() const noexcept { return mapping_.extents().size(); }

  /// Entry (b, i, ...). Bounds are checked in debug builds only.
  template <index_like B, index_like... I>
  constexpr reference operator()(B b, I... i) const noexcept {
    static_assert(sizeof...(I) == sizeof...(E), "tenfold: the number of indices is not the rank");
    assert(in_bounds(mapping_.extents(), b, i...) && "tenfold: an index is out of bounds");
    const index problem = static_cast<index>(b);
    const index run = mapping_.run(problem, i...), lane = mapping_.lane(problem);
    if constexpr (!is_split) {
      return data_[run + lane];
    } else {
      using real = real_type<T>;
      using part = std::conditional_t<std::is_const_v<T>, const real, real>;
      part* const at = reinterpret_cast<part*>(data_) + 2 * run + lane;
      if constexpr (std::is_const_v<T>) {
        return value_type(at[0], at[block()]);
      } else {
        return reference(at, block());
      }
    }
  }

 private:
  T* data_;
  [[no_unique_address]] mapping_type mapping_;
};

/// No view of a temporary batch can be made, see entry_of_temporary.
template <class T, index W, index... E>
class interleaved_view<entry_of_temporary<T>, W, E...> {
  static_assert(sizeof(T) == 0,
                "tenfold: a view of a temporary batch, which is gone with the statement: give the "
                "batch a name");

 public:
  template <class X>
  interleaved_view(const X&);
  template <class... I>
  T& operator()(I...) const;
};

/// An interleaved batch that owns its entries: aligned to 64 bytes, not initialised (NaN in debug
/// builds), but the pad is 0. W is the number of problems in a block, `dyn`: all of them; E are the
/// extents of a problem.
///
///     interleaved<double, simd_block<double>, 3, 3> A(batch);    // [batch, 3, 3]
///     interleaved<double, 8, dyn, 3> B(batch, rows);             // [batch, rows, 3]
///
/// A copy is deep; a moved-from batch is empty (no problems; dynamic extents 0).
template <class T, index W, index... E>
class interleaved {
  static_assert(!std::is_const_v<T>, "tenfold: a tensor owns its entries; read through a view");

  /// Can these N be the batch and the dynamic extents?
  template <class... N>
  static constexpr bool extents_of_batch =
      sizeof...(N) != 0 && std::is_constructible_v<extents<dyn, E...>, N...>;

 public:
  using value_type = T;
  using element_type = T;
  using mapping_type = interleaved_mapping<W, E...>;
  using extents_type = typename mapping_type::extents_type;
  /// The view of all entries, and the one that only reads.
  using view_type = interleaved_view<T, W, E...>;
  using const_view_type = interleaved_view<const T, W, E...>;
  using reference = typename view_type::reference;
  using const_reference = typename const_view_type::reference;

  static constexpr int rank() noexcept { return mapping_type::rank(); }
  static constexpr index static_extent(int i) noexcept { return extents_type::static_extent(i); }
  static constexpr index static_stride(int i) noexcept { return mapping_type::static_stride(i); }

  /// No problems, and no allocation.
  interleaved() = default;

  /// The batch, then the dynamic extents of a problem in order.
  /// Throws shape_error if one is negative or if there are more entries than an index can count,
  /// std::bad_alloc if memory is short.
  template <index_like... N>
  requires(extents_of_batch<N...>) explicit interleaved(N... n) : interleaved(extents_type(n...)) {}

  /// A batch of these extents, the number of problems first. Throws as above.
  explicit interleaved(const extents_type& e) : entries_(mapping_type(e)) { clear_pad(); }

  /// Where the first block begins; nullptr when an empty batch has no memory.
  T* data() noexcept { return entries_.data(); }
  const T* data() const noexcept { return entries_.data(); }
  const mapping_type& mapping() const noexcept { return entries_.extents(); }
  /// The extent of axis i; axis 0 is the batch.
  index extent(int i) const noexcept { return mapping().extents().extent(i); }
  /// In entries: from one block to the next for i = 0, within a problem for the others.
  index stride(int i) const noexcept { return mapping().stride(i); }
  /// The number of problems in a block; fully interleaved: the batch, at least 1.
  index block() const noexcept { return mapping().block(); }
  /// The number of blocks.
  index blocks() const noexcept { return mapping().blocks(); }
  /// The number of entries, without the pad.
  index size() const noexcept { return mapping().extents().size(); }

  /// Entry (b, i, ...): T&, but for complex entries a split_reference, or when const a number.
  /// Bounds are checked in debug builds only.
  template <index_like B, index_like... I>
  reference operator()(B b, I... i) noexcept {
    return view_type(data(), mapping())(b, i...);
  }
  template <index_like B, index_like... I>
  const_reference operator()(B b, I... i) const noexcept {
    return const_view_type(data(), mapping())(b, i...);
  }

  /// The entries as a view, of any kind that the batch's own view converts to.
  template <class U, index... F>
  requires std::is_convertible_v<view_type, interleaved_view<U, W, F...>>
  operator interleaved_view<U, W, F...>() { return view_type(data(), mapping()); }
  template <class U, index... F>
  requires std::is_convertible_v<const_view_type, interleaved_view<U, W, F...>>
  operator interleaved_view<U, W, F...>() const { return const_view_type(data(), mapping()); }

 private:
  /// In the reals, entries and parts alike are rows of `block()` lanes.
  void clear_pad() noexcept {
    using real = real_type<T>;
    const index used = mapping().lane(extent(0));
    if (used == 0) return;
    const index parts = is_complex(scalar_of<T>) ? 2 : 1;
    const index rows = mapping().problem_size() * parts;
    real* row = reinterpret_cast<real*>(data()) + (blocks() - 1) * rows * block();
    for (index r = 0; r < rows; ++r, row += block()) {
      for (index lane = used; lane < block(); ++lane) row[lane] = 0;
    }
  }

  heap_entries<T, mapping_type> entries_;
};

/// `interleaved_view v = x;` is the view of all entries of x.
template <class T, index W, index... E>
interleaved_view(interleaved<T, W, E...>&) -> interleaved_view<T, W, E...>;
template <class T, index W, index... E>
interleaved_view(const interleaved<T, W, E...>&) -> interleaved_view<const T, W, E...>;
template <class T, index W, index... E>
interleaved_view(const interleaved<T, W, E...>&&)
    -> interleaved_view<entry_of_temporary<T>, W, E...>;

/// The traits of an interleaved batch. Strides are those of interleaved_mapping; `data` is where
/// the first block begins; `static_block` and `block(x)` are the number of problems in a block.
template <class T, index W, index... E>
struct interleaved_traits : strided_operand_traits<T, interleaved_mapping<W, E...>> {
  static constexpr batch_layout layout = batch_layout::interleaved;
  /// W, or `dyn`.
  static constexpr index static_block = W;
  template <class X>
  static constexpr index block(const X& x) noexcept {
    return x.block();
  }
};

template <class T, index W, index... E>
struct operand_traits<interleaved<T, W, E...>> : interleaved_traits<T, W, E...> {};
template <class T, index W, index... E>
inline constexpr bool owns_entries<interleaved<T, W, E...>> = true;
template <class T, index W, index... E>
struct operand_traits<const interleaved<T, W, E...>> : interleaved_traits<const T, W, E...> {};
template <class T, index W, index... E>
struct operand_traits<interleaved_view<T, W, E...>> : interleaved_traits<T, W, E...> {};
template <class T, index W, index... E>
struct operand_traits<const interleaved_view<T, W, E...>> : interleaved_traits<T, W, E...> {};

}  // namespace tenfold
