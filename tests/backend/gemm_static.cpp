#include <doctest/doctest.h>

#include <tuple>

#include "operands.hpp"

// Products whose sizes and strides the types of the operands tell; each shape is code of its own.
// Small integers: every result is exact.

namespace tenfold::testing {
namespace {

constexpr index batch = 19;

using kinds =
    std::tuple<in_tensor, batch_first<batch>, in_blocks<8>, in_blocks<12>, in_array<std::int32_t>>;

/// Kinds I and J with the one that makes every pair of kinds occur in every pair of places.
template <int I, int J>
void check_kinds() {
  using A = std::tuple_element_t<I, kinds>;
  using B = std::tuple_element_t<J, kinds>;
  using C = std::tuple_element_t<(I + 2 * J) % 5, kinds>;
  constexpr index m = 1 + (I + J) % 5, n = 1 + (2 * I + J) % 7, k = 1 + (3 * I + 2 * J) % 6;
  constexpr op fa = J % 2 == 0 ? op::none : op::transpose;
  constexpr op fb = I % 2 == 0 ? op::none : op::transpose;
  CAPTURE(I);
  CAPTURE(J);
  const index wrong =
      call_of<fa, fb>::template errors<double, m, n, k, A, B, C>({batch, m, n}, k, 2, -1);
  CHECK(wrong == 0);
}

template <int I, int... J>
void check_row(std::integer_sequence<int, J...>) {
  (check_kinds<I, J>(), ...);
}

}  // namespace

TEST_CASE("operands of all kinds with sizes in their types are multiplied in any pairing") {
  [&]<int... I>(std::integer_sequence<int, I...> all) { (check_row<I>(all), ...); }
  (std::make_integer_sequence<int, 5>{});
}

}  // namespace tenfold::testing
