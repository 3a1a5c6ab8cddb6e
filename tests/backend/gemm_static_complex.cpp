#include <doctest/doctest.h>

#include <complex>

#include "operands.hpp"

// Complex products whose sizes and strides the types of the operands tell. Small integers: every
// result is exact.

namespace tenfold::testing {
namespace {

constexpr index batch = 19;

using c32 = std::complex<float>;
using c64 = std::complex<double>;

}  // namespace

TEST_CASE("operands with sizes in their types are conjugated on the way") {
  using lanes = in_blocks<8>;
  using map = in_array<std::int64_t>;
  constexpr op n = op::none, t = op::transpose, h = op::conjugate_transpose;
  const sizes s{batch, 3, 5};
  const c64 alpha(2, 1), beta(-1, 2);
  const index wrong[] = {
      call_of<h, n>::errors<c64, 3, 5, 4, in_tensor, lanes, lanes>(s, 4, alpha, 0),
      call_of<n, h>::errors<c64, 3, 5, 4, lanes, in_tensor, lanes>(s, 4, alpha, beta),
      call_of<h, h>::errors<c64, 3, 5, 4, lanes, lanes, in_tensor>(s, 4, 1, beta),
      call_of<n, t, true, false>::errors<c64, 3, 5, 4, in_matrix, lanes, lanes>(s, 4, 1, 0),
      call_of<h, t, true, true>::errors<c64, 3, 5, 4, behind_pointers, map, map>(s, 4, alpha, beta),
      call_of<n, n, false, true>::errors<c64, 3, 5, 4, in_blocks<3>, in_blocks<12>, in_blocks<3>>(
          s, 4, alpha, beta),
      call_of<t, n, true, false>::errors<c64, 3, 5, 4, map, in_matrix, in_blocks<12>>(s, 4, alpha,
                                                                                      0),
      call_of<n, h>::errors<c32, 3, 5, 4, in_blocks<16>, in_tensor, in_blocks<16>>(s, 4, {2, 1},
                                                                                   0)};
  for (const index w : wrong) CHECK(w == 0);
}

TEST_CASE("complex square products of sizes in the types") {
  const index wrong[] = {
      call_of<op::none, op::none>::errors<c64, 2, 2, 2, in_tensor, in_tensor, in_tensor>(
          {batch, 2, 2}, 2, {2, 1}, {-1, 2}),
      call_of<op::none, op::none>::errors<c64, 9, 9, 9, in_tensor, in_tensor, in_tensor>(
          {batch, 9, 9}, 9, {2, 1}, {-1, 2}),
      call_of<op::none, op::none>::errors<c32, 5, 5, 5, in_tensor, in_tensor, in_tensor>(
          {batch, 5, 5}, 5, {2, 1}, 0)};
  for (const index w : wrong) CHECK(w == 0);
}

}  // namespace tenfold::testing
