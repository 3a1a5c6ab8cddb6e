#include <doctest/doctest.h>

#include <initializer_list>
#include <tiny_caches.hpp>

#include "operands.hpp"

// Products of sizes in the types whose A is one for all problems, or whose B stays in registers.
// Small integers: every result is exact. Compiled for SSE2 and AVX2, too, as test_backend_sse2 and
// test_backend_avx2.

namespace tenfold::testing {
namespace {

/// B stays in registers where C is not read, and from select::packed_problems on the last columns
/// may be transposed.
template <class T, class A, class B, class C, index M, index N, index K>
void check_kept(std::initializer_list<index> counts = {1, 3, 4, 5, 18}) {
  for (const index count : counts) {
    CAPTURE(count);
    const auto errors = [&](T alpha, T beta) {
      return call_of<op::none, op::none>::errors<T, M, N, K, A, B, C>({count, M, N}, K, alpha,
                                                                      beta);
    };
    CHECK(errors(T(1), T(0)) == 0);
    CHECK(errors(T(1), T(1)) == 0);
    CHECK(errors(T(-3), T(0)) == 0);
  }
}

}  // namespace

TEST_CASE("products whose rows pass while B stays in registers") {
  using t = in_tensor;
  using s = in_matrix;
  using p = behind_pointers;
  SUBCASE("a row is whole vectors") { check_kept<double, s, t, t, 13, 16, 5>(); }
  SUBCASE("a row is part of a vector") { check_kept<double, s, t, t, 25, 5, 4>(); }
  SUBCASE("a row ends in a narrower vector") { check_kept<double, t, t, t, 11, 11, 11>(); }
  SUBCASE("a row is several groups of vectors") { check_kept<double, s, t, t, 6, 43, 5>(); }
  SUBCASE("one row") { check_kept<double, t, t, t, 1, 64, 9>(); }
  SUBCASE("B is one for all") { check_kept<float, t, s, t, 14, 13, 12>(); }
  SUBCASE("one column is left over, of as many rows as lanes") {
    check_kept<double, s, t, t, 16, 9, 8>();
  }
  SUBCASE("one column is left over, of fewer rows") { check_kept<double, s, t, t, 6, 25, 5>(); }
  SUBCASE("one column is left over, of more rows") { check_kept<double, s, t, t, 81, 9, 7>(); }
  SUBCASE("two columns are left over") { check_kept<double, s, t, t, 20, 10, 9>(); }
  SUBCASE("one column of float is left over") { check_kept<float, s, t, t, 19, 17, 7>(); }
  SUBCASE("four columns of float are left over") { check_kept<float, s, t, t, 37, 20, 6>(); }
  SUBCASE("the problems lie anywhere") { check_kept<double, s, p, p, 17, 9, 6>(); }
}

// From select::flat_problems on.
TEST_CASE("products whose rows, end to end, are vectors") {
  using t = in_tensor;
  using s = in_matrix;
  using p = behind_pointers;
  const std::initializer_list<index> counts = {1, 31, 32, 33};
  SUBCASE("two rows are a vector, the factors fit the registers") {
    check_kept<double, s, t, t, 16, 4, 3>(counts);
  }
  SUBCASE("five turns, a part of a vector is left") {
    check_kept<double, s, t, t, 25, 5, 4>(counts);
    check_kept<float, s, t, t, 25, 5, 4>(counts);
  }
  SUBCASE("three turns") { check_kept<double, s, t, t, 36, 6, 5>(counts); }
  SUBCASE("several parts of a turn") { check_kept<double, s, t, t, 64, 4, 7>(counts); }
  SUBCASE("one row less than a vector is long") { check_kept<float, s, t, t, 47, 15, 2>(counts); }
  SUBCASE("eleven turns, of which some end in the next row") {
    check_kept<float, s, t, t, 21, 11, 4>(counts);
  }
  SUBCASE("more vectors than a loop is unrolled for") {
    check_kept<double, s, t, t, 300, 2, 2>(counts);
  }
  SUBCASE("the problems lie anywhere") {
    check_kept<double, s, p, p, 33, 3, 6>(counts);
    check_kept<double, s, p, p, 36, 6, 5>(counts);
  }
}

TEST_CASE("products whose rows pass that come from memory and go there") {
  using t = in_tensor;
  using s = in_matrix;
  const tiny_caches none;
  check_kept<double, s, t, t, 64, 8, 7>();
  check_kept<double, s, behind_pointers, behind_pointers, 20, 10, 9>();
}

}  // namespace tenfold::testing
