#include <doctest/doctest.h>

#if defined(__unix__)
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <tenfold/backend/batched_blas.hpp>
#include <tenfold/tensor/view.hpp>
#include <vector>

#include "batches.hpp"

// Operands that begin or end with a page beside pages that nobody may touch: a product reads and
// writes its operands only.

namespace tenfold::testing {
namespace {

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
  memory_source source(bool at_end) {
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

template <class T>
void check_layout(const storage& a, const storage& b, const storage& c, guarded_rooms& rooms) {
  generator g(1);
  for (index n = 1; n <= 20; ++n) {
    for (const bool at_end : {false, true}) {
      const index m = between(g, 1, 20), k = between(g, 1, 20);
      const index count = n % 3 == 0 ? natural_block<T> + 1 : n % 3;
      const memory_source source = rooms.source(at_end);
      product<T> p(n % 2 == 0 ? n : m, n % 2 == 0 ? m : n, k, count, a, b, c, entries_kind::exact,
                   g, source);
      p.arguments.beta = n % 4 < 2 ? T(0) : T(-1);
      for (const auto isa : instruction_sets()) {
        const index wrong = p.errors(isa);
        CHECK_MESSAGE(wrong == 0, n, " ", m, " ", k, "; ", text_of(a), "; ", text_of(b), "; ",
                      text_of(c));
      }
    }
  }
}

/// A product of ones whose sizes are in the types.
template <class T, index N>
void check_static(guarded_rooms& rooms) {
  constexpr index count = 5;
  for (const bool at_end : {false, true}) {
    const memory_source source = rooms.source(at_end);
    const auto make = [&](T value) {
      auto* const entries = reinterpret_cast<T*>(source(sizeof(T) * N * N * count));
      std::fill_n(entries, N * N * count, value);
      return view<T, dyn, N, N>(entries, count);
    };
    const auto a = make(T(1)), b = make(T(2)), c = make(T(3));
    gemm(T(1), a, b, T(-1), c);
    index wrong = 0;
    for (index i = 0; i < c.size(); ++i) wrong += c.data()[i] != T(2 * N - 3);
    CHECK(wrong == 0);
  }
}

}  // namespace

TEST_CASE("operands with sizes in their types beside pages that may not be touched") {
  guarded_rooms rooms(3, 5 * 17 * 17 * 8);
  check_static<double, 3>(rooms);
  check_static<double, 7>(rooms);
  check_static<double, 9>(rooms);
  check_static<float, 5>(rooms);
  check_static<float, 17>(rooms);
  check_static<std::complex<double>, 3>(rooms);
}

TEST_CASE("small matrices, times a vector each, beside pages that may not be touched") {
  guarded_rooms rooms(3, 11 * 9 * 9 * 8);
  const auto check = [&]<class T>(T, index m, index k, index count) {
    generator g(2);
    for (const bool at_end : {false, true}) {
      const memory_source source = rooms.source(at_end);
      product<T> p(m, 1, k, count, {}, {}, {}, entries_kind::exact, g, source);
      for (const auto isa : instruction_sets()) CHECK(p.errors(isa) == 0);
    }
  };
  for (index k = 2; k <= 9; ++k)
    for (const index m : {1, 2, 3, 5, 9})
      for (const index count : {1, 2, 11}) {
        check(0.0, m, k, count);
        check(0.0f, m, k, count);
      }
}

TEST_CASE("operands beside pages that may not be touched") {
  using enum batch_layout;
  guarded_rooms rooms(60, 20 * 20 * 18 * 16);
  for_each_scalar([&](auto t) {
    using T = decltype(t);
    const storage dense{}, columns{.by_column = true}, listed{.layout = pointers},
        listed_columns{.layout = pointers, .by_column = true},
        lanes{.layout = interleaved, .block = natural_block<T>},
        odd_lanes{.layout = interleaved, .block = 3}, last{.batch_last = true},
        map{.layout = gathered};
    for (const auto& [a, b, c] : {std::array{dense, dense, dense},
                                  {columns, columns, columns},
                                  {columns, dense, dense},
                                  {dense, columns, columns},
                                  {listed, listed, listed},
                                  {listed_columns, listed, listed_columns},
                                  {listed, listed_columns, listed},
                                  {lanes, lanes, lanes},
                                  {listed, lanes, listed},
                                  {lanes, listed, lanes},
                                  {odd_lanes, odd_lanes, odd_lanes},
                                  {last, last, last},
                                  {map, listed, map}})
      check_layout<T>(a, b, c, rooms);
  });
}

}  // namespace tenfold::testing
#endif
