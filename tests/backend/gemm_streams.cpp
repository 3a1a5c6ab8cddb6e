#include <doctest/doctest.h>

#include <memory>
#include <slow_build.hpp>
#include <string>
#include <tiny_caches.hpp>
#include <vector>

#include "batches.hpp"

// Batches that come from beyond the caches: what is fetched ahead is not written, and results that
// go past the caches are those of any other batch, bit by bit.

namespace tenfold::testing {
namespace {

/// Memory at multiples of a cache line.
memory_source aligned_memory(std::vector<std::unique_ptr<std::byte[]>>& kept) {
  return [&kept](std::size_t bytes) {
    kept.push_back(std::make_unique<std::byte[]>(bytes + 64));
    std::byte* const at = kept.back().get();
    return at + -reinterpret_cast<std::uintptr_t>(at) % 64;
  };
}

template <class T>
std::vector<T> entries_of(const product<T>& p) {
  std::vector<T> all;
  for (index b = 0; b < p.arguments.count; ++b)
    for (index i = 0; i < p.shape.m; ++i)
      for (index j = 0; j < p.shape.n; ++j) all.push_back(p.c.at(b, i, j));
  return all;
}

template <class T>
void check(index m, index n, index k, index count, const storage& a, const storage& b,
           const storage& c, bool aligned) {
  for (const auto isa : instruction_sets()) {
    for (const T beta : {T(0), T(1)}) {
      generator g(static_cast<unsigned>(m + 31 * n + 1000 * k));
      std::vector<std::unique_ptr<std::byte[]>> kept;
      product<T> p(m, n, k, count, a, b, c, entries_kind::random, g,
                   aligned ? aligned_memory(kept) : memory_source{});
      p.arguments.beta = beta;
      CHECK(p.errors(isa) == 0);
      const std::vector<T> known = entries_of(p);
      const tiny_caches none;
      CHECK_MESSAGE(p.errors(isa) == 0, text_of(a), ", ", text_of(b), ", ", text_of(c));
      const std::vector<T> streamed = entries_of(p);
      CHECK(std::memcmp(known.data(), streamed.data(), known.size() * sizeof(T)) == 0);
    }
  }
}

}  // namespace

TEST_CASE("results that go past the caches are the same") {
  for_each_scalar([](auto t) {
    using T = decltype(t);
    using enum batch_layout;
    const storage dense{}, apart{.gap = 1}, columns{.by_column = true}, shared{.shared = true},
        listed{.layout = pointers}, blocks{.layout = interleaved, .block = natural_block<T>},
        wide_blocks{.layout = interleaved, .block = 2 * natural_block<T>},
        widest_blocks{.layout = interleaved, .block = 4 * natural_block<T>};
    using list = std::vector<index>;
    const list orders = !std::is_same_v<T, double> ? (slow_build ? list{3} : list{3, 17})
                        : slow_build               ? list{1, 8, 17}
                                                   : list{1, 2, 5, 8, 9, 12, 16, 17, 25};
    for (const index n : orders) {
      for (const bool aligned : {false, true}) {
        const index count = n > 8 ? natural_block<T> + 3 : 11 * natural_block<T> + 1;
        for (const storage& s : {dense, apart, columns, listed, blocks, wide_blocks, widest_blocks})
          check<T>(n, n, n, count, s, s, s, aligned);
        check<T>(n, n + 3, 4, count, shared, dense, dense, aligned);
        check<T>(n, n + 3, 4, count, shared, blocks, blocks, aligned);
        check<T>(n, 2, n, count, dense, shared, dense, aligned);
        check<T>(n, n, n, count, listed, dense, dense, aligned);
        // B is brought into rows, some at a time.
        check<T>(n, n, n, 40, dense, columns, dense, aligned);
        check<T>(n, n, n, 40, listed, columns, dense, aligned);
        check<T>(n, n, n, count, dense, {.by_column = true, .shared = true}, dense, aligned);
        check<T>(n, n, n, count, blocks, dense, dense, aligned);
      }
    }
  });
}

}  // namespace tenfold::testing
