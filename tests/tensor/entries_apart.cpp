#include <limits>
#include <tenfold/tensor/entries_apart.hpp>

namespace tenfold {
namespace {

template <int R>
constexpr bool apart(const index (&extents)[R], const index (&strides)[R], index entry = 1) {
  return entries_apart(extents, strides, R, entry);
}

static_assert(apart({3, 4}, {4, 1}) && apart({3, 4}, {1, 3}));
static_assert(apart({3, 4}, {-9, 2}) && apart({1, 4}, {0, 1}));
static_assert(apart({1, 4}, {std::numeric_limits<index>::max(), 1}), "never stepped over");
static_assert(!apart({3, 4}, {3, 1}) && !apart({3, 3}, {1, 1}));
static_assert(!apart({2, 2, 2}, {3, 2, 1}) && apart({2, 2, 2}, {4, 2, 1}));
static_assert(!apart({2}, {0}) && !apart({2}, {7}, 8) && apart({2}, {8}, 8));
static_assert(apart({0, 3}, {1, 1}), "no entries coincide");

}  // namespace
}  // namespace tenfold
