#include <doctest/doctest.h>

#include <foreign.hpp>
#include <samples.hpp>
#include <span>
#include <tenfold/dsel/einsum.hpp>
#include <vector>
#if __has_include(<Eigen/Core>)
#include <Eigen/Core>
#endif

/// einsum over the tensors of others, named by their form, and into them.
namespace tenfold::testing {
namespace {

/// y := A b and then y := 2 A b + y, as a literal and as a string, where A is 3 x 4, b has 4
/// entries and y has 3, all exact. `at_*` read one entry.
template <class Y, class A, class B, class AtY, class AtA, class AtB>
void check_product(Y& y, const A& a, const B& b, AtY at_y, AtA at_a, AtB at_b) {
  const auto product = [&](index i) {
    double sum = 0;
    for (index j = 0; j < 4; ++j) sum += at_a(i, j) * at_b(j);
    return sum;
  };
  einsum<"ij,j->i">(into(y), a, b);
  for (index i = 0; i < 3; ++i) CHECK(at_y(i) == product(i));
  einsum<"ij,j->i">(into(y), a, b, alpha(2), beta(1));
  for (index i = 0; i < 3; ++i) CHECK(at_y(i) == 3 * product(i));
  einsum("ij,j->i", into(y), a, b);
  for (index i = 0; i < 3; ++i) CHECK(at_y(i) == product(i));
  const auto z = einsum<"ij,j->i">(a, b);
  for (index i = 0; i < 3; ++i) CHECK(z(i) == product(i));
}

generator make_generator() { return generator(5); }

double draw_one(generator& g) { return draw<double>(g, entries_kind::exact); }

TEST_CASE("C arrays are operands and results") {
  auto g = make_generator();
  double a[3][4], b[4], y[3] = {};
  for (auto& row : a) {
    for (double& x : row) x = draw_one(g);
  }
  for (double& x : b) x = draw_one(g);
  check_product(
      y, a, b, [&](index i) { return y[i]; }, [&](index i, index j) { return a[i][j]; },
      [&](index j) { return b[j]; });
  static_assert(decltype(einsum<"ij,j->i">(a, b))::static_extent(0) == 3);
}

TEST_CASE("nested std::arrays are operands and results") {
  auto g = make_generator();
  std::array<std::array<double, 4>, 3> a;
  std::array<double, 4> b;
  std::array<double, 3> y{};
  for (auto& row : a) {
    for (double& x : row) x = draw_one(g);
  }
  for (double& x : b) x = draw_one(g);
  const auto at = [](auto& x) { return [&](index i) { return x[static_cast<std::size_t>(i)]; }; };
  check_product(
      y, a, b, at(y),
      [&](index i, index j) { return a[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]; },
      at(b));
}

TEST_CASE("spans and vectors are operands and results") {
  auto g = make_generator();
  std::vector<std::array<double, 4>> a(3);
  std::vector<double> memory(4), y(3);
  for (auto& row : a) {
    for (double& x : row) x = draw_one(g);
  }
  for (double& x : memory) x = draw_one(g);
  const std::span<const double> b(memory);
  const auto at_a = [&](index i, index j) {
    return a[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
  };
  const auto at_b = [&](index j) { return memory[static_cast<std::size_t>(j)]; };
  const auto at_y = [&](index i) { return y[static_cast<std::size_t>(i)]; };
  check_product(y, a, b, at_y, at_a, at_b);
  const std::span<double, 3> part(y);
  check_product(part, a, memory, at_y, at_a, at_b);
}

TEST_CASE("tensors shaped like std::mdspan are operands and results") {
  auto g = make_generator();
  double memory[3 * 8], b[4], c[3] = {};
  for (double& x : memory) x = draw_one(g);
  for (double& x : b) x = draw_one(g);
  using foreign::dynamic_extent;
  const foreign::mdspan<const double, foreign::extents<dynamic_extent, dynamic_extent>,
                        foreign::layout_padded<8>>
      a(memory, {3, 4});
  foreign::mdspan<double, foreign::extents<3>> y(c, {3});
  check_product(
      y, a, b, [&](index i) { return c[i]; }, [&](index i, index j) { return memory[8 * i + j]; },
      [&](index j) { return b[j]; });
}

TEST_CASE("matrices and vectors of Eigen's form are operands and results") {
  auto g = make_generator();
  foreign::matrix<double, foreign::dynamic, foreign::dynamic> a(3, 4);
  foreign::matrix<double, 1, foreign::dynamic> b(1, 4);
  foreign::matrix<double, 3, 1> y(3, 1);
  for (long i = 0; i < 3; ++i) {
    for (long j = 0; j < 4; ++j) a(i, j) = draw_one(g);
  }
  for (long j = 0; j < 4; ++j) b[j] = draw_one(g);
  const auto at_y = [&](index i) { return y[i]; };
  const auto at_a = [&](index i, index j) { return a(i, j); };
  const auto at_b = [&](index j) { return b[j]; };
  check_product(y, a, b, at_y, at_a, at_b);
  const foreign::map<double, 3, 4> mapped(a.data(), 3, 4, 1, 3);
  check_product(y, mapped, b, at_y, at_a, at_b);
}

TEST_CASE("tensors with a shape are operands and results") {
  auto g = make_generator();
  double memory[40], c[10] = {}, b[4];
  for (double& x : memory) x = draw_one(g);
  for (double& x : b) x = draw_one(g);
  foreign::shaped<double, std::array<std::size_t, 2>> a(memory, {3, 4}, {9, 2}, 5);
  foreign::shaped<double, std::array<std::size_t, 1>> y(c, {3}, {2}, 1);
  check_product(
      y, a, b, [&](index i) { return c[1 + 2 * i]; },
      [&](index i, index j) { return memory[5 + 9 * i + 2 * j]; }, [&](index j) { return b[j]; });
}

TEST_CASE("pointers with extents, and with strides, are operands and results") {
  auto g = make_generator();
  double memory[40], b[4], c[10] = {};
  for (double& x : memory) x = draw_one(g);
  for (double& x : b) x = draw_one(g);
  const auto at_b = [&](index j) { return b[j]; };
  view<double, dyn> y(c, 3);
  check_product(
      y, view<const double, dyn, 4>(memory, 3), view<const double, 4>(b),
      [&](index i) { return c[i]; }, [&](index i, index j) { return memory[4 * i + j]; }, at_b);
  strided_view<double, 3> reversed(c + 9, {3}, {-2});
  check_product(
      reversed, strided_view<const double, dyn, dyn>(memory, {3, 4}, {1, 7}), b,
      [&](index i) { return c[9 - 2 * i]; }, [&](index i, index j) { return memory[i + 7 * j]; },
      at_b);
}

TEST_CASE("an extent that does not fit is found in the tensors of others too") {
  std::vector<double> b(5), y(3);
  double a[3][4] = {};
  CHECK_THROWS_WITH_AS(
      einsum<"ij,j->i">(into(y), a, b),
      "tenfold: \"ij,j->i\": label 'j' at position 3 has extent 5 in operand 1 and extent 4 in "
      "operand 0",
      shape_error);
  std::vector<double> fits(4);
  CHECK_THROWS_AS(einsum<"ij,j->i">(into(std::span(fits).first(3)), a, fits), overlap_error);
}

#if __has_include(<Eigen/Core>)
TEST_CASE("Eigen's matrices, blocks and maps are operands and results") {
  auto g = make_generator();
  Eigen::MatrixXd a(3, 4), large(5, 6);
  Eigen::Vector4d b;
  Eigen::VectorXd y(3);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 4; ++j) a(i, j) = draw_one(g);
  }
  for (int j = 0; j < 4; ++j) b(j) = draw_one(g);
  large.setZero();
  large.block(1, 2, 3, 4) = a;
  const auto at_y = [&](index i) { return y(i); };
  const auto at_a = [&](index i, index j) { return a(i, j); };
  const auto at_b = [&](index j) { return b(j); };
  check_product(y, a, b, at_y, at_a, at_b);
  check_product(y, large.block(1, 2, 3, 4), b, at_y, at_a, at_b);
  check_product(y, Eigen::Map<const Eigen::MatrixXd>(a.data(), 3, 4), b, at_y, at_a, at_b);
}
#endif

}  // namespace
}  // namespace tenfold::testing
