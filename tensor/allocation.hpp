#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>

#include <tenfold/tensor/extents.hpp>

#if defined(__linux__)
#include <sys/mman.h>
#endif

/// Aligned memory with an owner.
namespace tenfold {

/// The alignment in bytes of everything that the library allocates: a cache line, a vector
/// register.
inline constexpr std::size_t alignment = 64;

/// From this size on memory is aligned to large pages and the system is asked for them: a stream of
/// quadrature data ran at 1.05 to 1.3 times the rate (Zen 5, pages of 2 MiB instead of 4 KiB).
inline constexpr std::size_t large_page = std::size_t{1} << 21;
inline constexpr std::size_t large_pages_from = 2 * large_page;

/// Memory for a number of `T`, aligned to 64 bytes or more and not initialised. Moves, does not
/// copy; a moved-from allocation is empty. No entry is touched, so that pages go to who writes
/// first.
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
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(T);
    void* const memory = ::operator new(bytes, alignment_of(count));
#if defined(__linux__)
    // Advice: where it is refused, memory is what it would have been.
    if (bytes >= large_pages_from) ::madvise(memory, bytes, MADV_HUGEPAGE);
#endif
    data_ = static_cast<T*>(memory);
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
    if (data_) ::operator delete(data_, alignment_of(count_));
  }
  static std::align_val_t alignment_of(index count) noexcept {
    const bool large = static_cast<std::size_t>(count) * sizeof(T) >= large_pages_from;
    return std::align_val_t{large ? large_page : alignment};
  }

  T* data_ = nullptr;
  index count_ = 0;
};

}  // namespace tenfold
