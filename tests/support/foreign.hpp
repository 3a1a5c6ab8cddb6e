#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <vector>

/// Tensors of the forms that other libraries give theirs, with what an adaptor asks of them and
/// nothing more: for machines that have none of these libraries.
namespace foreign {

// --- std::mdspan ---

inline constexpr std::size_t dynamic_extent = static_cast<std::size_t>(-1);

template <std::size_t... E>
class extents {
 public:
  using index_type = int;
  static constexpr std::size_t rank() noexcept { return sizeof...(E); }
  static constexpr std::size_t static_extent(std::size_t i) noexcept {
    constexpr std::size_t all[] = {E..., 0};
    return all[i];
  }
  constexpr explicit extents(const std::array<int, sizeof...(E)>& n) : n_(n) {}
  constexpr int extent(std::size_t i) const noexcept { return n_[i]; }

 private:
  std::array<int, sizeof...(E)> n_;
};

/// Row-major, rows padded to a multiple of `Padding`.
template <int Padding>
struct layout_padded {
  template <class Extents>
  class mapping {
   public:
    static constexpr bool is_always_exhaustive() noexcept { return Padding == 1; }
    static constexpr bool is_always_strided() noexcept { return true; }
    constexpr explicit mapping(const Extents& e) : extents_(e) {}
    constexpr const Extents& extents() const noexcept { return extents_; }
    constexpr int stride(std::size_t i) const noexcept requires(Extents::rank() > 0) {
      int product = 1;
      for (std::size_t k = Extents::rank() - 1; k > i; --k) {
        const int n = extents_.extent(k);
        product *= k == Extents::rank() - 1 ? (n + Padding - 1) / Padding * Padding : n;
      }
      return product;
    }

   private:
    Extents extents_;
  };
};
using layout_right = layout_padded<1>;

/// A layout without strides: the triangle of a symmetric matrix.
struct layout_packed {
  template <class Extents>
  class mapping {
   public:
    static constexpr bool is_always_exhaustive() noexcept { return true; }
    static constexpr bool is_always_strided() noexcept { return false; }
    constexpr explicit mapping(const Extents& e) : extents_(e) {}
    constexpr const Extents& extents() const noexcept { return extents_; }
    constexpr int stride(std::size_t) const noexcept { return 0; }

   private:
    Extents extents_;
  };
};

/// `Reference` is what the accessor gives: T& where it does nothing.
template <class T, class Extents, class Layout = layout_right, class Reference = T&>
class mdspan {
 public:
  using element_type = T;
  using reference = Reference;
  using extents_type = Extents;
  using mapping_type = typename Layout::template mapping<Extents>;
  mdspan(T* data, const std::array<int, Extents::rank()>& n) : data_(data), mapping_(Extents(n)) {}
  static constexpr std::size_t rank() noexcept { return Extents::rank(); }
  static constexpr bool is_always_strided() noexcept { return mapping_type::is_always_strided(); }
  constexpr int extent(std::size_t i) const noexcept { return mapping_.extents().extent(i); }
  constexpr int stride(std::size_t i) const noexcept { return mapping_.stride(i); }
  constexpr T* const& data_handle() const noexcept { return data_; }

 private:
  T* data_;
  mapping_type mapping_;
};

// --- Eigen ---

inline constexpr int dynamic = -1;

/// Owns its entries; `Order` 1 is row-major, as a row vector must be.
template <class T, int Rows, int Cols, int Order = Rows == 1 && Cols != 1>
class matrix {
 public:
  using PlainObject = matrix;
  enum {
    RowsAtCompileTime = Rows,
    ColsAtCompileTime = Cols,
    IsRowMajor = Order,
    InnerStrideAtCompileTime = 1,
    OuterStrideAtCompileTime = Order ? Cols : Rows
  };
  using value_type = T;
  matrix(long rows, long cols)
      : rows_(rows), cols_(cols), entries_(static_cast<std::size_t>(rows * cols)) {}
  long rows() const { return rows_; }
  long cols() const { return cols_; }
  long size() const { return rows_ * cols_; }
  long innerStride() const { return 1; }
  long outerStride() const { return Order ? cols_ : rows_; }
  T* data() { return entries_.data(); }
  const T* data() const { return entries_.data(); }
  T& operator()(long i, long j) {
    return entries_[static_cast<std::size_t>(Order ? i * cols_ + j : i + j * rows_)];
  }
  T& operator[](long i) { return entries_[static_cast<std::size_t>(i)]; }

 private:
  long rows_, cols_;
  std::vector<T> entries_;
};

/// Column-major entries of somebody else, with strides of which the type fixes none.
template <class T, int Rows, int Cols>
class map {
 public:
  using PlainObject = matrix<std::remove_const_t<T>, Rows, Cols>;
  enum {
    RowsAtCompileTime = Rows,
    ColsAtCompileTime = Cols,
    IsRowMajor = 0,
    InnerStrideAtCompileTime = dynamic,
    OuterStrideAtCompileTime = 0
  };
  map(T* data, long rows, long cols, long inner, long outer)
      : data_(data), rows_(rows), cols_(cols), inner_(inner), outer_(outer) {}
  long rows() const { return rows_; }
  long cols() const { return cols_; }
  long innerStride() const { return inner_; }
  long outerStride() const { return outer_; }
  T* data() { return data_; }
  const T* data() const { return data_; }

 private:
  T* data_;
  long rows_, cols_, inner_, outer_;
};

/// A sum of matrices, not yet computed: it has no entries.
struct matrix_expression {
  using value_type = double;
  enum { RowsAtCompileTime = 3, ColsAtCompileTime = 3, IsRowMajor = 0 };
  long rows() const { return 3; }
  long cols() const { return 3; }
  long size() const { return 9; }
};

// --- xtensor ---

/// `Shape` is an array where the rank is in the type, and a vector where it is not.
template <class T, class Shape>
class shaped {
 public:
  using value_type = T;
  shaped(T* data, const Shape& shape, const Shape& strides, std::size_t offset = 0)
      : data_(data), shape_(shape), strides_(strides), offset_(offset) {}
  const Shape& shape() const { return shape_; }
  const Shape& strides() const { return strides_; }
  std::size_t data_offset() const { return offset_; }
  std::size_t size() const { return 0; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T& operator[](std::size_t i) { return data_[i]; }
  T* begin() { return data_; }

 private:
  T* data_;
  Shape shape_, strides_;
  std::size_t offset_;
};

}  // namespace foreign
