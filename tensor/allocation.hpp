/// Aligned memory with an owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>

#include <tenfold/tensor/extents.hpp>

namespace tenfold {

/// The alignment in bytes of everything that the library allocates: a cache line, a vector
/// register.
inline constexpr std::size_t alignment = 64;

/// Memory for a number of `T`, aligned to 64 bytes and not initialised. Moves, does not copy;
/// a moved-from allocation is empty. No entry is touched, so that pages go to who writes first.
template <class T>
class allocation {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T> &&
                    !std::is_const_v<T>,
                "tenfold: an allocation holds plain entries");

 public:
  constexpr allocation() noexcept = default;
  /// Memory for `count` >= 0 entries; 0 allocates nothing. Throws std::bad_alloc.
  explicit allocation(index count) {
    if (count == 0) return;
    if (count < 0 || count > INT64_MAX / static_cast<index>(sizeof(T))) throw std::bad_alloc();
    data_ = static_cast<T*>(
        ::operator new (static_cast<std::size_t>(count) * sizeof(T), std::align_val_t{alignment}));
    count_ = count;
  }
  allocation(allocation&& other) noexcept : data_(other.data_), count_(other.count_) {
    other.data_ = nullptr;
    other.count_ = 0;
  }
  allocation& operator=(allocation&& other) noexcept {
    if (this != &other) {
      release();
      data_ = other.data_;
      count_ = other.count_;
      other.data_ = nullptr;
      other.count_ = 0;
    }
    return *this;
  }
  ~allocation() { release(); }

  /// The first entry, or nullptr when empty.
  T* data() const noexcept { return data_; }
  /// The number of entries there is room for.
  index count() const noexcept { return count_; }

 private:
  void release() noexcept {
    if (data_) ::operator delete (data_, std::align_val_t{alignment});
  }

  T* data_ = nullptr;
  index count_ = 0;
};

}  // namespace tenfold
