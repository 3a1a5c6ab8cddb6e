#include <doctest/doctest.h>

#include <initializer_list>
#include <tiny_caches.hpp>
#include <vector>

#include "operands.hpp"

// Products whose sizes the types of the operands tell, of many sizes. Small integers: every result
// is exact.

namespace tenfold::testing {
namespace {

constexpr index batch = 18;

template <class T, class Kind, op OpA, op OpB, index... N>
void check_squares() {
  const index wrong[] = {call_of<OpA, OpB>::template errors<T, N, N, N, Kind, Kind, Kind>(
      {batch, N, N}, N, T(1), T(0))...};
  for (const index w : wrong) CHECK(w == 0);
}

template <class T, class A, class B, class C, index M, index N, index K>
void check_rectangle() {
  const index wrong =
      call_of<op::none, op::none>::errors<T, M, N, K, A, B, C>({batch, M, N}, K, T(2), T(-1));
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("square products of sizes in the types, row by row") {
  check_squares<double, in_tensor, op::none, op::none, 1, 2, 3, 5, 8, 9, 17, 33>();
  check_squares<float, in_tensor, op::none, op::none, 2, 4, 8>();
  check_squares<float, in_tensor, op::transpose, op::none, 15, 17>();
  check_squares<double, behind_pointers, op::none, op::transpose, 6>();
}

TEST_CASE("square products of sizes in the types, lane by lane") {
  check_squares<double, in_blocks<8>, op::none, op::none, 2, 5, 13>();
  check_squares<float, in_blocks<16>, op::none, op::transpose, 7>();
  check_squares<float, in_blocks<3>, op::none, op::transpose, 4>();
}

TEST_CASE(
    "rectangular products of sizes in the types, matrices shared by all problems among them") {
  using t = in_tensor;
  using l = in_blocks<8>;
  using s = in_matrix;
  check_rectangle<double, s, t, t, 9, 64, 8>();
  check_rectangle<double, t, s, t, 3, 20, 17>();
  check_rectangle<double, s, l, l, 5, 3, 7>();
  check_rectangle<double, t, t, t, 1, 10, 6>();
  check_rectangle<double, t, t, t, 10, 1, 6>();
  check_rectangle<double, t, t, t, 64, 2, 70>();
  check_rectangle<double, l, l, l, 1, 1, 20>();
  check_rectangle<double, l, l, l, 9, 27, 35>();
}

TEST_CASE("interleaved products whose lines of B meet in the caches") {
  check_squares<double, in_blocks<8>, op::none, op::none, 32>();
}

TEST_CASE("products of sizes in the types that come from memory and go there") {
  using t = in_tensor;
  const tiny_caches none;
  check_squares<double, t, op::none, op::none, 3, 8, 16, 24>();
  check_squares<float, t, op::none, op::none, 4, 32>();
  check_squares<double, in_blocks<8>, op::none, op::none, 5, 14, 21>();
  check_squares<std::complex<double>, in_blocks<8>, op::none, op::none, 17>();
}

TEST_CASE("results that go past the caches begin anywhere") {
  constexpr index count = 5, n = 16, most = 11;
  const std::vector<double> a = integers<double>(count * n * n, 1),
                            b = integers<double>(count * n * n, 2);
  const view<const double, dyn, n, n> A(a.data(), count), B(b.data(), count);
  for (index offset = 0; offset < most; ++offset) {
    const auto product = [&] {
      std::vector<double> c(count * n * n + most, -1);
      gemm(1.0, A, B, 0.0, view<double, dyn, n, n>(c.data() + offset, count));
      return c;
    };
    const std::vector<double> want = product();
    const tiny_caches none;
    CHECK(product() == want);
  }
}

TEST_CASE("one product of two matrices with sizes in their types") {
  const index wrong =
      call_of<op::none, op::transpose>::errors<double, 4, 6, 5, in_matrix, in_matrix, in_matrix>(
          {1, 4, 6}, 5, 2, -1);
  CHECK(wrong == 0);
}

}  // namespace tenfold::testing
