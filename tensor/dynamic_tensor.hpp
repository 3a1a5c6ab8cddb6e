#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <string>
#include <tenfold/tensor/allocation.hpp>
#include <tenfold/tensor/error.hpp>
#include <tenfold/tensor/operand_traits.hpp>

/// Tensors that own what a text names: rank and extents are known when the program runs.
namespace tenfold {

/// Highest rank of an operand whose rank is known only when the program runs.
inline constexpr int max_rank = 32;

/// An owning row-major tensor whose rank, too, is known only when the program runs: what an
/// expression given as a string returns. Entries are not initialised. Moves, does not copy; a
/// moved-from tensor is empty: its extents are 0, and it has one at least.
template <scalar_type T>
class dynamic_tensor {
 public:
  using value_type = T;

  /// Allocates for the extents of `shape`; nothing else is asked of it. Throws shape_error if the
  /// entries are more than an index can count.
  explicit dynamic_tensor(const operand_shape<max_rank>& shape)
      : shape_(row_major(shape)), memory_(count(shape)) {
    mark_unset(memory_.data(), memory_.count());
  }
  dynamic_tensor(dynamic_tensor&& other) noexcept
      : shape_(other.shape_), memory_(static_cast<allocation<T>&&>(other.memory_)) {
    other.shape_ = without_entries(shape_.rank);
  }
  dynamic_tensor& operator=(dynamic_tensor&& other) noexcept {
    if (this == &other) return *this;
    shape_ = other.shape_;
    memory_ = static_cast<allocation<T>&&>(other.memory_);
    other.shape_ = without_entries(shape_.rank);
    return *this;
  }
  ~dynamic_tensor() = default;

  int rank() const noexcept { return shape_.rank; }
  index extent(int i) const noexcept { return shape_.extents[static_cast<std::size_t>(i)]; }
  index stride(int i) const noexcept { return shape_.strides[static_cast<std::size_t>(i)]; }
  index size() const noexcept { return memory_.count(); }
  T* data() noexcept { return memory_.data(); }
  const T* data() const noexcept { return memory_.data(); }
  const operand_shape<max_rank>& shape() const noexcept { return shape_; }

  /// The entry at (i...). Throws shape_error when there are not `rank()` indices. Bounds are
  /// checked in debug builds only.
  template <index_like... I>
  T& operator()(I... i) {
    return memory_.data()[offset(i...)];
  }
  template <index_like... I>
  const T& operator()(I... i) const {
    return memory_.data()[offset(i...)];
  }

  /// The same entries as a view of known rank, t.as<dyn, 3>(); those of a temporary tensor as a
  /// tensor of their own. Throws shape_error when the rank or a static extent differs.
  template <index... E>
  view<T, E...> as() & {
    return {memory_.data(), mapping<E...>()};
  }
  template <index... E>
  view<const T, E...> as() const& {
    return {memory_.data(), mapping<E...>()};
  }
  template <index... E>
  tensor<T, E...> as() && {
    tensor<T, E...> own(mapping<E...>().extents());
    std::copy_n(memory_.data(), memory_.count(), own.data());
    return own;
  }

  /// The entry of a tensor of rank 0. Throws shape_error for any other rank.
  operator T() const { return memory_.data()[offset()]; }

 private:
  /// An extent of 0 is passed over.
  static operand_shape<max_rank> row_major(const operand_shape<max_rank>& shape) {
    operand_shape<max_rank> own;
    own.type = scalar_of<T>;
    own.rank = shape.rank;
    index next = 1;
    for (int i = shape.rank - 1; i >= 0; --i) {
      const auto d = static_cast<std::size_t>(i);
      own.extents[d] = shape.extents[d];
      own.strides[d] = next;
      if (shape.extents[d] > 0 && __builtin_mul_overflow(next, shape.extents[d], &next))
        throw_too_many_entries(shape.extents.data(), shape.rank);
    }
    return own;
  }
  /// Of this rank, or of rank 1: a tensor of rank 0 has an entry.
  static operand_shape<max_rank> without_entries(int rank) noexcept {
    operand_shape<max_rank> own;
    own.type = scalar_of<T>;
    own.rank = rank > 0 ? rank : 1;
    for (int i = 0; i < own.rank; ++i) own.strides[static_cast<std::size_t>(i)] = 1;
    return own;
  }
  static index count(const operand_shape<max_rank>& shape) {
    index n = 1;
    for (int i = 0; i < shape.rank; ++i) n *= shape.extents[static_cast<std::size_t>(i)];
    return n;
  }

  void require_rank(int given) const {
    if (given != shape_.rank) {
      throw shape_error("tenfold: a tensor of rank " + std::to_string(shape_.rank) +
                        " was taken for one of rank " + std::to_string(given));
    }
  }

  template <class... I>
  index offset(I... i) const {
    require_rank(static_cast<int>(sizeof...(I)));
    index at = 0;
    std::size_t d = 0;
    [[maybe_unused]] const auto step = [&](index x) {
      assert(x >= 0 && x < shape_.extents[d] && "tenfold: an index is out of bounds");
      at += x * shape_.strides[d++];
    };
    (step(static_cast<index>(i)), ...);
    return at;
  }

  template <index... E>
  auto mapping() const {
    require_rank(static_cast<int>(sizeof...(E)));
    std::array<index, sizeof...(E)> numbers{};
    for (std::size_t i = 0; i < sizeof...(E); ++i) numbers[i] = shape_.extents[i];
    return layout_right::mapping<extents<E...>>(extents<E...>(numbers));
  }

  operand_shape<max_rank> shape_;
  allocation<T> memory_;
};

}  // namespace tenfold
