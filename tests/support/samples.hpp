#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <tenfold/tensor/dynamic_tensor.hpp>
#include <tenfold/tensor/operand_traits.hpp>
#include <vector>

/// Entries for tests, and tensors of any rank and strides to hold them.
namespace tenfold::testing {

using generator = std::mt19937_64;

/// A whole number in [low, high].
inline index between(generator& g, index low, index high) {
  return low + static_cast<index>(g() % static_cast<std::uint64_t>(high - low + 1));
}
inline bool chance(generator& g, double probability) {
  return static_cast<double>(g() >> 11) * 0x1p-53 < probability;
}

/// What entries, or the parts of complex ones, are drawn from; never zero, so that no entry can
/// stand for another that is missing.
enum class entries_kind : unsigned char {
  random,  ///< +-[1/4, 1)
  exact    ///< -2, -1, 1, 2: sums of products are exact in every scalar type
};

template <class T>
T draw(generator& g, entries_kind kind) {
  if constexpr (is_complex(scalar_of<T>)) {
    const auto re = draw<typename T::value_type>(g, kind);
    return T(re, draw<typename T::value_type>(g, kind));
  } else {
    const bool negative = (g() & 1) != 0;
    const T size = kind == entries_kind::exact
                       ? static_cast<T>(1 + (g() & 1))
                       : static_cast<T>(0.25 + 0.75 * (static_cast<double>(g() >> 11) * 0x1p-53));
    return negative ? -size : size;
  }
}

template <class T>
void fill(T* entries, index count, generator& g, entries_kind kind) {
  for (index i = 0; i < count; ++i) entries[i] = draw<T>(g, kind);
}

/// A tensor whose rank and strides are known at run time only, in memory that ends where its last
/// entry ends: an address sanitizer sees every step beside it. Entries between those of the tensor
/// hold `gap`.
template <class T>
class sample {
 public:
  static constexpr T gap = T(-77777);

  /// `strides` of any sign; 0 repeats entries.
  sample(std::vector<index> extents, std::vector<index> strides)
      : extents_(std::move(extents)), strides_(std::move(strides)) {
    index low = 0, high = 1;
    for (std::size_t i = 0; i < extents_.size(); ++i) {
      if (extents_[i] == 0) {
        low = high = 0;
        break;
      }
      ((strides_[i] < 0) ? low : high) += (extents_[i] - 1) * strides_[i];
    }
    origin_ = -low;
    memory_.assign(static_cast<std::size_t>(high - low), gap);
    memory_.shrink_to_fit();
  }
  /// Row-major.
  explicit sample(const std::vector<index>& extents) : sample(extents, row_major(extents)) {}

  static std::vector<index> row_major(const std::vector<index>& extents) {
    std::vector<index> strides(extents.size());
    index stride = 1;
    for (std::size_t i = extents.size(); i-- > 0;) {
      strides[i] = stride;
      stride *= std::max<index>(extents[i], 1);
    }
    return strides;
  }

  /// Calls f with each entry, the last axis running fastest.
  template <class F>
  void for_each(F f) {
    std::vector<index> at(extents_.size());
    for (const index n : extents_) {
      if (n == 0) return;
    }
    while (true) {
      f(data()[std::inner_product(at.begin(), at.end(), strides_.begin(), index{0})]);
      std::size_t d = at.size();
      while (d-- > 0 && ++at[d] == extents_[d]) at[d] = 0;
      if (d > at.size()) return;
    }
  }
  void fill(generator& g, entries_kind kind) {
    for_each([&](T& x) { x = draw<T>(g, kind); });
  }
  void fill(T value) {
    for_each([&](T& x) { x = value; });
  }
  /// The entries in row-major order.
  std::vector<T> entries() {
    std::vector<T> all;
    for_each([&](T& x) { all.push_back(x); });
    return all;
  }
  /// How many numbers between the entries are no longer `gap`; overwrites the entries.
  index spoilt_gaps() {
    fill(gap);
    return static_cast<index>(
        std::count_if(memory_.begin(), memory_.end(), [](T x) { return !(x == gap); }));
  }

  T* data() { return memory_.data() + origin_; }
  const T* data() const { return memory_.data() + origin_; }
  const std::vector<T>& memory() const { return memory_; }
  const std::vector<index>& extents() const { return extents_; }
  const std::vector<index>& strides() const { return strides_; }

  operand_shape<max_rank> shape() const {
    operand_shape<max_rank> s;
    s.type = scalar_of<T>;
    s.rank = static_cast<int>(extents_.size());
    std::copy(extents_.begin(), extents_.end(), s.extents.begin());
    std::copy(strides_.begin(), strides_.end(), s.strides.begin());
    return s;
  }

 private:
  std::vector<index> extents_, strides_;
  index origin_ = 0;
  std::vector<T> memory_;
};

}  // namespace tenfold::testing
