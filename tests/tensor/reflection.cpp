#include <tenfold/tensor/reflection.hpp>

#include <doctest/doctest.h>

#include <complex>
#include <string>

namespace tenfold {
namespace {

using matrix = tensor<double, 3, 2>;

// B(2 - q, 1 - i) = s B(q, i)
matrix table(double s) {
  matrix B;
  B(0, 0) = 1;
  B(0, 1) = 2;
  B(1, 0) = 5;
  B(1, 1) = s * 5;
  B(2, 0) = s * 2;
  B(2, 1) = s * 1;
  return B;
}

static_assert(tensor_like<reflected<const matrix&, reflection::even>>);
static_assert(!writable_tensor_like<reflected<matrix&, reflection::even>>);
static_assert(reflection_of<reflected<const matrix&, reflection::odd>> == reflection::odd);
static_assert(reflection_of<matrix> == reflection::none);
static_assert(std::is_same_v<decltype(reflection_symmetric(std::declval<view<double, 3, 2>&>())),
                             reflected<view<double, 3, 2>, reflection::even>>);
static_assert(is_view<reflected<matrix&, reflection::even>>);
static_assert(!is_view<reflected<matrix, reflection::even>>);
static_assert(static_shape_of<reflected<const matrix&, reflection::even>, 2>().symmetry ==
              reflection::even);
static_assert(!reflectable_matrix<tensor<double, 3>>, "two axes");
static_assert(!reflectable_matrix<tensor<std::complex<double>, 3, 3>>, "real");

std::string sentence_of(const matrix& B, reflection kind) {
  try {
    require_reflection(B, kind);
  } catch (const structure_error& wrong) {
    return wrong.what();
  }
  return "";
}

TEST_CASE("a declared symmetry is checked") {
  CHECK(sentence_of(table(1), reflection::even).empty());
  CHECK(sentence_of(table(-1), reflection::odd).empty());
  CHECK(sentence_of(table(1), reflection::odd) ==
        "tenfold: a matrix is declared reflection_antisymmetric, but its entry (0, 0) is 1 and its "
        "entry (2, 1) is 1: their sum is more than rounding, 1.11022302e-12");
  tensor<double, 3, 3> middle;
  middle.fill(0);
  middle(1, 1) = 2;
  CHECK_THROWS_WITH_AS(require_reflection(middle, reflection::odd),
                       "tenfold: a matrix is declared reflection_antisymmetric, but its entry (1, "
                       "1) in the middle is 2, not 0",
                       structure_error);
  matrix nearly = table(1);
  nearly(1, 0) *= 1 + 1e-14;
  CHECK(sentence_of(nearly, reflection::even).empty());
  nearly(1, 0) *= 1.5;
  CHECK(sentence_of(nearly, reflection::even) ==
        "tenfold: a matrix is declared reflection_symmetric, but its entry (1, 0) is 7.5 and its "
        "entry "
        "(1, 1) is 5, further apart than rounding, 1.66533454e-12");
}

TEST_CASE("a declared matrix without an address is refused where it has entries") {
  CHECK_THROWS_WITH_AS(
      require_reflection(view<const double, 3, 2>(nullptr), reflection::odd),
      "tenfold: a matrix declared reflection_antisymmetric has entries, but its address is null",
      shape_error);
  CHECK_NOTHROW(require_reflection(view<const double, dyn, 2>(nullptr, 0), reflection::even));
}

#ifndef NDEBUG
TEST_CASE("a false declaration is refused where it is made") {
  const matrix B = table(1);
  CHECK_THROWS_AS(reflection_antisymmetric(B), structure_error);
  CHECK_NOTHROW(reflection_symmetric(B));
}
#endif

TEST_CASE("a declaration hands on what it is made of") {
  const matrix B = table(1);
  const auto declared = reflection_symmetric(B);
  using traits = operand_traits_of<decltype(declared)>;
  CHECK(traits::data(declared) == B.data());
  CHECK(traits::extent(declared, 0) == 3);
  CHECK(traits::stride(declared, 0) == 2);
  const auto kept = reflection_symmetric(table(1));  // a temporary is kept
  CHECK(operand_traits_of<decltype(kept)>::data(kept)[2] == 5);
}

}  // namespace
}  // namespace tenfold
