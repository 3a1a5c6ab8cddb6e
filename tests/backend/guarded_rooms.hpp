#pragma once

#include <doctest/doctest.h>

#if defined(__unix__)
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <functional>
#include <vector>

namespace tenfold::testing {

/// Rooms of some pages, each between two that may not be touched; used again and again.
class guarded_rooms {
 public:
  guarded_rooms(int rooms, std::size_t bytes)
      : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
    room_ = (bytes + page_ - 1) / page_ * page_;
    size_ = static_cast<std::size_t>(rooms) * (room_ + page_) + page_;
    void* const all = mmap(nullptr, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(all != MAP_FAILED);
    begin_ = static_cast<std::byte*>(all);
    for (int i = 0; i < rooms; ++i) {
      rooms_.push_back(begin_ + page_ + static_cast<std::size_t>(i) * (room_ + page_));
      REQUIRE(mprotect(rooms_.back(), room_, PROT_READ | PROT_WRITE) == 0);
    }
  }
  ~guarded_rooms() { munmap(begin_, size_); }
  guarded_rooms(const guarded_rooms&) = delete;

  /// Memory that starts or ends with a room, from the first room on.
  std::function<std::byte*(std::size_t)> source(bool at_end) {
    next_ = 0;
    return [this, at_end](std::size_t bytes) {
      REQUIRE(next_ < rooms_.size());
      REQUIRE(bytes <= room_);
      std::byte* const room = rooms_[next_++];
      return at_end ? room + (room_ - bytes) : room;
    };
  }

 private:
  std::size_t page_, room_, size_;
  std::byte* begin_;
  std::vector<std::byte*> rooms_;
  std::size_t next_ = 0;
};

}  // namespace tenfold::testing
#endif
