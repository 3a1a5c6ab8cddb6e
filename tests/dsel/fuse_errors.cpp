#include <string>
#include <thrown.hpp>

#include <doctest/doctest.h>

#include <fuse_problems.hpp>

// What fused kernels refuse at a call.

namespace tenfold {
namespace {

TEST_CASE("a call of a fused kernel refuses extents that disagree and operands that overlap") {
  using labels::e, labels::i, labels::j;
  constexpr input<"u"> u;
  constexpr input<"A"> A;
  constexpr local<"g"> g;
  constexpr output<"v"> v;
  const auto twice = fuse(e)(g(e, i) = A(i, j) * u(e, j), v(e, i) = A(i, j) * g(e, j));
  const std::string said = "tenfold: \"g(e,i) = A(i,j) * u(e,j); v(e,i) = A(i,j) * g(e,j)\": ";
  tensor<double, dyn, 3> U(4), V(5);
  tensor<double, 3, 3> M;
  tensor<double, dyn, dyn> F(3, 4), X(5, 3);
  CHECK(testing::thrown_by<shape_error>([&] { twice(v = V, u = U, A = M); }) ==
        said + "label 'e' at position 28 has extent 5, at position 20 it has extent 4");
  CHECK(testing::thrown_by<shape_error>([&] { twice(v = V, u = X, A = F); }) ==
        said + "label 'j' at position 22 has extent 3, at position 13 it has extent 4");
  tensor<double, dyn, dyn> Y(4, 3), Z(4, 3), square(3, 3);
  Y.fill(0);
  square.fill(0);
  const auto planned = twice.plan(v = Z, u = Y, A = square);
  planned(v = Z, u = Y, A = square);
  tensor<double, dyn, dyn> longer(5, 3), wider(5, 3);
  CHECK(testing::thrown_by<shape_error>([&] { planned(v = longer, u = wider, A = square); }) ==
        said + "'u' at position 18 is not like the one that was planned for");
  tensor<double, dyn, 4> four(4);
  four.fill(0);
  tensor<double, dyn, dyn> five(4, 5);
  CHECK(testing::thrown_by<shape_error>([&] { twice(v = five, u = four, A = identity); }) ==
        said + "label 'j' at position 13 has extent 5, at position 22 it has extent 4");
  const strided_view<double, dyn, dyn> standing(Z.data(), {4, 3}, {0, 1});
  CHECK(testing::thrown_by<shape_error>([&] { twice(v = standing, u = Y, A = square); }) ==
        said + "label 'e' at position 28 has stride 0 in the output: its entries coincide");
  CHECK(testing::thrown_by<overlap_error>([&] { twice(v = U, u = U, A = M); }) ==
        said + "the output overlaps 'u' at position 18 in memory");
}

TEST_CASE("a plan for a unit matrix takes no other matrix, nor the other way round") {
  using labels::e, labels::i, labels::q;
  constexpr input<"u"> u;
  constexpr input<"B"> B;
  constexpr output<"v"> v;
  constexpr auto kernel = fuse(e)(v(e, q) = B(q, i) * u(e, i));
  tensor<double, dyn, dyn> V(2, 3), U(2, 3), M(3, 3);
  U.fill(1);
  M.fill(2);
  V.fill(9);
  const auto of_unit = kernel.plan(v = V, u = U, B = identity);
  const auto of_matrix = kernel.plan(v = V, u = U, B = M);
  const std::string told =
      "tenfold: \"v(e,q) = B(q,i) * u(e,i)\": 'B' at position 9 is not like the one that was "
      "planned for";
  CHECK(testing::thrown_by<shape_error>([&] { of_unit(v = V, u = U, B = M); }) == told);
  CHECK(testing::thrown_by<shape_error>([&] { of_matrix(v = V, u = U, B = identity); }) == told);
  CHECK(V(1, 2) == 9);
  of_unit(v = V, u = U, B = identity);
  CHECK(V(1, 2) == 1);
  of_matrix(v = V, u = U, B = M);
  CHECK(V(1, 2) == 6);
}

TEST_CASE("the extent of a stack that no operand tells is asked for") {
  using labels::d, labels::e, labels::i, labels::q;
  constexpr input<"u"> u;
  constexpr input<"B"> B;
  constexpr input<"G"> G;
  constexpr local<"g"> g;
  constexpr output<"v"> v;
  constexpr auto X = along<0>(G, B);
  constexpr auto kernel =
      fuse(e)(g(e, d, q) = X(d, q, i) * u(e, i), v(e, i) = X(d, q, i) * g(e, d, q));
  tensor<double, 4, 3> values, slopes;
  tensor<double, dyn, 3> U(5), V(5);
  U.fill(1);
  const std::string told =
      "tenfold: \"g(e,d,q) = along<0>(G,B)(d,q,i) * u(e,i); v(e,i) = along<0>(G,B)(d,q,i) * "
      "g(e,d,q)\": label 'd' at position 25 is that of a stack, and no operand tells its extent";
  CHECK(testing::thrown_by<shape_error>([&] { kernel(v = V, u = U, B = values, G = slopes); }) ==
        told);
  CHECK(testing::thrown_by<shape_error>(
            [&] { kernel.plan(v = V, u = U, B = values, G = slopes); }) == told);
  CHECK(testing::thrown_by<shape_error>(
            [&] { kernel.explain(v = V, u = U, B = values, G = slopes); }) == told);
}

TEST_CASE("extents that locals tie to others are compared") {
  using labels::e, labels::l, labels::m, labels::q, labels::r;
  constexpr input<"u"> u;
  constexpr input<"w"> w;
  constexpr input<"B"> B;
  constexpr local<"g"> g;
  constexpr local<"h"> h;
  constexpr output<"v"> v;
  constexpr auto kernel =
      fuse(e)(g(e, q) = w(e) * u(e, q), h(e, l) = B(l, r) * g(e, r), v(e, m) = w(e) * h(e, m));
  tensor<double, dyn> W(4);
  W.fill(2);
  tensor<double, dyn, dyn> U(4, 3), V(4, 3), five(4, 5);
  for (index i = 0; i < U.size(); ++i) U.data()[i] = static_cast<double>(i);
  kernel(v = V, u = U, w = W, B = identity);
  for (index i = 0; i < U.size(); ++i) CHECK(V.data()[i] == 4 * U.data()[i]);
  CHECK(testing::thrown_by<shape_error>([&] {
          kernel(v = five, u = U, w = W, B = identity);
        }).find("has extent 5") != std::string::npos);

  constexpr local<"p"> p;
  constexpr auto longer = fuse(e)(g(e, q) = w(e) * u(e, q), h(e, l) = B(l, r) * g(e, r),
                                  p(e, labels::p) = B(labels::p, labels::s) * h(e, labels::s),
                                  v(e, m) = w(e) * p(e, m));
  tensor<double, dyn, 3> three(4), result(4);
  for (index i = 0; i < three.size(); ++i) three.data()[i] = static_cast<double>(i);
  longer(v = result, u = three, w = W, B = identity);
  for (index i = 0; i < three.size(); ++i) CHECK(result.data()[i] == 4 * three.data()[i]);
}

}  // namespace
}  // namespace tenfold
