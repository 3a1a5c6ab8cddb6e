#include <tenfold/tensor/allocation.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

using namespace tenfold;

static_assert(!std::is_copy_constructible_v<allocation<double>>);
static_assert(std::is_nothrow_move_constructible_v<allocation<double>>);

TEST_CASE("an allocation is aligned to 64 bytes") {
  for (tenfold::index n : {1, 3, 8, 1000, 100000}) {
    const allocation<float> a(n);
    CHECK(reinterpret_cast<std::uintptr_t>(a.data()) % 64 == 0);
    CHECK(a.count() == n);
    a.data()[0] = 1;
    a.data()[n - 1] = 2;
  }
}

TEST_CASE("an allocation of no entries has no memory") {
  CHECK(allocation<double>(0).data() == nullptr);
  CHECK(allocation<double>().data() == nullptr);
}

// What is left behind by a move is what these cases look at.
// NOLINTBEGIN(bugprone-use-after-move, performance-move-const-arg)
TEST_CASE("a moved-from allocation is empty, and moving onto itself changes nothing") {
  allocation<double> a(10);
  double* const p = a.data();
  allocation<double> b(std::move(a));
  CHECK(a.data() == nullptr);
  CHECK(a.count() == 0);
  CHECK(b.data() == p);
  allocation<double> c(3);
  c = std::move(b);
  CHECK(c.data() == p);
  CHECK(c.count() == 10);
  allocation<double>& same = c;
  c = std::move(same);
  CHECK(c.data() == p);
}

// NOLINTEND(bugprone-use-after-move, performance-move-const-arg)

TEST_CASE("more bytes than can be addressed are std::bad_alloc") {
  CHECK_THROWS_AS(allocation<double>(INT64_MAX / 2), std::bad_alloc);
  CHECK_THROWS_AS(allocation<double>(-1), std::bad_alloc);
}
