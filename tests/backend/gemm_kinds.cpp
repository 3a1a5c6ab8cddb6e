#include <doctest/doctest.h>

#include <complex>
#include <tuple>
#include <utility>

#include "operands.hpp"

// Batched products of operands of all kinds whose types do not tell their sizes. Small integers:
// every result is exact.

namespace tenfold::testing {
namespace {

using kinds = std::tuple<in_tensor, in_blocks<8>, in_blocks<3>, in_blocks<dyn>, behind_pointers,
                         behind_strided_pointers, in_array<std::int64_t>>;

template <class T, int I, int J>
void check_kinds() {
  using A = std::tuple_element_t<I, kinds>;
  using B = std::tuple_element_t<J, kinds>;
  using C = std::tuple_element_t<(I + 2 * J) % 7, kinds>;
  constexpr index m = J % 2 == 0 ? dyn : 3, n = I % 2 == 0 ? 4 : dyn, k = dyn;
  constexpr op fa = J % 3 == 0 ? op::none : J % 3 == 1 ? op::transpose : op::conjugate_transpose;
  constexpr op fb = I % 3 == 0 ? op::none : I % 3 == 1 ? op::transpose : op::conjugate_transpose;
  using call = call_of<fa, fb, I % 2 == 0, J % 2 == 0>;
  for (const index count : {0, 1, 7, 8, 9, 16, 17}) {
    for (const index l : {0, 1, 6}) {
      const T alpha = number<T>(2, 1), beta = count % 3 == 0 ? T(0) : number<T>(-1, 1);
      CAPTURE(I);
      CAPTURE(J);
      CAPTURE(count);
      CAPTURE(l);
      const index wrong = call::template errors<T, m, n, k, A, B, C>({count, 3, 4}, l, alpha, beta);
      CHECK(wrong == 0);
    }
  }
}

template <class T, int I, int... J>
void check_row(std::integer_sequence<int, J...>) {
  (check_kinds<T, I, J>(), ...);
}

}  // namespace

TEST_CASE("operands of all kinds with sizes of the call are multiplied in any pairing") {
  [&]<int... I>(std::integer_sequence<int, I...> all) { (check_row<double, I>(all), ...); }
  (std::make_integer_sequence<int, 7>{});
}

TEST_CASE("complex operands with sizes of the call are conjugated on the way") {
  check_row<std::complex<double>, 0>(std::make_integer_sequence<int, 7>{});
  check_kinds<std::complex<float>, 1, 1>();
  check_kinds<std::complex<float>, 3, 2>();
  check_kinds<std::complex<float>, 4, 6>();
}

}  // namespace tenfold::testing
