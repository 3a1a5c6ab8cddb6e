#include <tenfold/backend/reference/contract.hpp>

#include <doctest/doctest.h>

#include <array>
#include <limits>
#include <vector>

// The reference is compared with results worked out by hand; everything else is compared with it.

namespace tenfold::reference {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// C[i][k] = sum_j A[i][j] B[j][k], all row-major; loops i, k, j.
loop_nest<3, 2> product(index m, index n, index k) {
  loop_nest<3, 2> nest;
  nest.loops = 3;
  nest.kept = 2;
  nest.operands = 2;
  nest.extent = {m, n, k};
  nest.stride[0] = {k, 0, 1};
  nest.stride[1] = {0, 1, n};
  nest.output_stride = {n, 1, 0};
  return nest;
}

}  // namespace

TEST_CASE("for_each_point visits every point once, the last loop running fastest") {
  const index extent[] = {2, 1, 3};
  std::vector<std::array<index, 3>> seen;
  for_each_point(extent, 3, [&](const index* i) { seen.push_back({i[0], i[1], i[2]}); });
  CHECK(seen == std::vector<std::array<index, 3>>{
                    {0, 0, 0}, {0, 0, 1}, {0, 0, 2}, {1, 0, 0}, {1, 0, 1}, {1, 0, 2}});
}

TEST_CASE("for_each_point of no loops is one point, of an empty loop none") {
  int points = 0;
  for_each_point(nullptr, 0, [&](const index*) { ++points; });
  CHECK(points == 1);
  const index extent[] = {3, 0, 2};
  for_each_point(extent, 3, [&](const index*) { ++points; });
  CHECK(points == 1);
}

TEST_CASE("the reference multiplies two matrices") {
  const double a[] = {1, 2, 3, 4, 5, 6};  // (2, 3)
  const double b[] = {1, 0, 2, 1, 0, 3};  // (3, 2)
  const double* const x[] = {a, b};
  double c[] = {nan, nan, nan, nan};
  contract<double>(product(2, 2, 3), x, c, 1.0, 0.0);
  CHECK(c[0] == 5);
  CHECK(c[1] == 11);
  CHECK(c[2] == 14);
  CHECK(c[3] == 23);
  contract<double>(product(2, 2, 3), x, c, 2.0, -1.0);
  CHECK(c[0] == 5);
  CHECK(c[3] == 23);
}

TEST_CASE("the reference sums nothing to zero and writes nothing where there is nothing") {
  const double* const x[] = {nullptr, nullptr};
  double c[] = {7, 8};
  contract<double>(product(1, 2, 0), x, c, 1.0, 0.0);
  CHECK(c[0] == 0);
  CHECK(c[1] == 0);
  contract<double>(product(0, 2, 5), x, static_cast<double*>(nullptr), 1.0, 0.0);
}

TEST_CASE("the reference takes any strides, any number of operands and accumulates in a wider type") {
  // trace(A) * s: the diagonal is the sum of the strides, s has no stride at all.
  loop_nest<1, 2> nest;
  nest.loops = 1;
  nest.operands = 2;
  nest.extent = {3};
  nest.stride[0] = {4};
  nest.stride[1] = {0};
  const float a[] = {1e8F, 0, 0, 0, 1, 0, 0, 0, -1e8F}, s[] = {3};
  const float* const x[] = {a, s};
  float y = 0;
  contract<double>(nest, x, &y, 1.0, 0.0);
  CHECK(y == 3);

  // x reversed: y[i] = x[2 - i].
  loop_nest<1, 1> reversed;
  reversed.loops = reversed.kept = reversed.operands = 1;
  reversed.extent = {3};
  reversed.stride[0] = {-1};
  reversed.output_stride = {1};
  const double forward[] = {1, 2, 3};
  const double* const last[] = {forward + 2};
  double back[3];
  contract<double>(reversed, last, back, 1.0, 0.0);
  CHECK(back[0] == 3);
  CHECK(back[2] == 1);
}

TEST_CASE("scale multiplies what the shape names and does not read it for beta = 0") {
  operand_shape<2> shape;
  shape.rank = 2;
  shape.extents = {2, 2};
  shape.strides = {3, 1};
  double y[] = {1, 2, 9, 3, 4, 9};
  scale(shape, y, 2.0);
  CHECK(y[0] == 2);
  CHECK(y[2] == 9);
  CHECK(y[4] == 8);
  y[1] = nan;
  scale(shape, y, 0.0);
  CHECK(y[1] == 0);
  CHECK(y[5] == 9);
}

}  // namespace tenfold::reference
