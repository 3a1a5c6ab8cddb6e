#include <tenfold/tensor/dynamic_tensor.hpp>
#include <tenfold/tensor/tensor.hpp>

#include <doctest/doctest.h>

#include <type_traits>
#include <utility>

using namespace tenfold;

namespace {

dynamic_tensor<double> made(int rank) {
  operand_shape<max_rank> shape;
  shape.rank = rank;
  for (std::size_t i = 0; i < static_cast<std::size_t>(rank); ++i) shape.extents[i] = 3;
  return dynamic_tensor<double>(shape);
}

void check_empty(const dynamic_tensor<double>& t, int rank) {
  CHECK(t.size() == 0);
  CHECK(t.data() == nullptr);
  CHECK(t.rank() == rank);
  for (int i = 0; i < rank; ++i) CHECK(t.extent(i) == 0);
}

}  // namespace

static_assert(!std::is_copy_constructible_v<dynamic_tensor<double>>);
static_assert(std::is_nothrow_move_constructible_v<dynamic_tensor<double>>);
static_assert(std::is_nothrow_move_assignable_v<dynamic_tensor<double>>);

TEST_CASE("a tensor of run-time rank is row-major, and seen as a view of a known rank") {
  auto t = made(2);
  t(1, 2) = 7;
  CHECK(t.data()[5] == 7);
  CHECK(t.as<dyn, 3>()(1, 2) == 7);
  static_assert(std::is_same_v<decltype(t.as<3, 3>()), view<double, 3, 3>>);
  static_assert(std::is_same_v<decltype(std::as_const(t).as<3, 3>()), view<const double, 3, 3>>);
  CHECK_THROWS_WITH_AS(t.as<dyn>(), "tenfold: a tensor of rank 2 was taken for one of rank 1",
                       shape_error);
}

TEST_CASE("of a temporary tensor of run-time rank the entries stay, as those of a tensor") {
  auto t = made(2);
  for (index i = 0; i < 9; ++i) t.data()[i] = static_cast<double>(i);
  const auto own = std::move(t).as<3, dyn>();
  static_assert(std::is_same_v<decltype(own), const tensor<double, 3, dyn>>);
  CHECK(own.extent(1) == 3);
  CHECK(own(1, 2) == 5);
  CHECK(own(2, 2) == 8);
  CHECK_THROWS_AS((made(2).as<4, dyn>()), shape_error);
}

TEST_CASE("a moved-from tensor of run-time rank is empty") {
  auto t = made(2);
  t(2, 1) = 5;
  const double* const entries = t.data();
  auto taken = std::move(t);
  check_empty(t, 2);
  CHECK(taken.data() == entries);
  CHECK(taken.extent(1) == 3);
  CHECK(taken(2, 1) == 5);
  t = std::move(taken);
  check_empty(taken, 2);
  CHECK(t(2, 1) == 5);
  auto& same = t;
  t = std::move(same);
  CHECK(t(2, 1) == 5);
  // A tensor of rank 0 has an entry; what is left of one has not.
  auto number = made(0);
  auto other = std::move(number);
  check_empty(number, 1);
  CHECK(other.size() == 1);
}
