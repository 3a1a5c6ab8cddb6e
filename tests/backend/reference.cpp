#include <tenfold/backend/reference/contract.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <complex>
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

TEST_CASE(
    "the reference takes any strides, any number of operands and accumulates in a wider type") {
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

TEST_CASE("the reference takes operands of any scalar, conjugated or not") {
  using c32 = std::complex<float>;
  using c64 = std::complex<double>;
  using wide = std::complex<long double>;
  // y = sum_i a_i b_i conj(c_i) conj(d_i), of which a and b are real.
  loop_nest<1, 4> nest;
  nest.loops = 1;
  nest.operands = 4;
  nest.extent = {2};
  nest.stride = {{{1}, {1}, {1}, {-1}}};
  nest.type = {scalar::f32, scalar::f64, scalar::c32, scalar::c64};
  nest.conjugated = {false, false, true, true};
  const float a[] = {2, 3};
  const double b[] = {1, -1};
  const c32 c[] = {{1, 1}, {0, 2}};
  const c64 d[] = {{5, 0}, {1, -1}};  // read from its end
  const void* const x[] = {a, b, c, d + 1};
  c64 y(nan, nan);
  contract<wide>(nest, x, &y, wide(1), wide(0));
  // 2 (1 - i)(1 + i) - 3 (-2i) 5
  CHECK(y == c64(4, 30));
  contract<wide>(nest, x, &y, wide(0, 1), wide(2));
  CHECK(y == c64(-30 + 8, 4 + 60));

  nest.operands = 2;
  double real = nan;
  contract<long double>(nest, x, &real, 1.0L, 0.0L);
  CHECK(real == -1);
}

TEST_CASE("the reference conjugates operands of one type where the nest says so") {
  using c32 = std::complex<float>;
  loop_nest<1, 2> nest;
  nest.loops = 1;
  nest.operands = 2;
  nest.extent = {2};
  nest.stride = {{{1}, {1}}};
  nest.conjugated = {true, false};
  const c32 a[] = {{1, 2}, {3, -1}};
  const c32* const x[] = {a, a};
  c32 y;
  contract<std::complex<double>>(nest, x, &y, {1, 0}, {0, 0});
  CHECK(y == c32(15, 0));
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

  using c64 = std::complex<double>;
  c64 z[] = {{1, 2}, {nan, nan}, 9, 3, c64(0, 1), 9};
  shape.extents = {2, 1};
  scale(shape, z, c64(0, 1));
  CHECK(z[0] == c64(-2, 1));
  CHECK(std::isnan(z[1].real()));
  CHECK(z[3] == c64(0, 3));
  shape.extents = {2, 2};
  scale(shape, z, c64(0));
  CHECK(z[1] == c64(0));
  CHECK(z[5] == c64(9));
}

}  // namespace tenfold::reference
