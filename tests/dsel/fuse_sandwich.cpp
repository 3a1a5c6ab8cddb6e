#include <compiled.hpp>
#include <complex>
#include <tenfold/tensor/reflection.hpp>

#include <doctest/doctest.h>

#include <fuse_problems.hpp>

// Along an axis there, products entry by entry, and back along it: what runs column by column.

namespace tenfold {
namespace {

using labels::e, labels::q, labels::r, labels::j, labels::l, labels::n;
constexpr input<"u"> u;
constexpr input<"G"> G;
constexpr input<"A"> A;
constexpr input<"B"> B;
constexpr input<"C"> C;
constexpr local<"x"> x;
constexpr local<"y"> y;
constexpr local<"f"> f;
constexpr local<"g"> g;
constexpr output<"v"> v;

/// What is made at a point of the coefficients and the derivatives there.
template <class T>
struct at_point {
  T f, g, rest;
};

/// A square of points: x and y are derivatives of u along its axes, f and g go back along them.
template <class T, int N>
struct square_problem {
  tensor<T, N, N> matrix;
  tensor<T, dyn, N, N> U, V, W, a, b, c;

  square_problem(index elements, int reflected)
      : U(elements), V(elements), W(elements), a(elements), b(elements), c(elements) {
    fill(matrix, 1);
    if (reflected != 0) reflect(matrix, reflected);
    fill(U, 2);
    fill(V, 3);
    fill(a, 4);
    fill(b, 5);
    fill(c, 6);
    W = V;
  }

  /// W = or += G^T f along the one axis + G^T g along the other + rest.
  template <class Products>
  void expect(bool adds, Products products) {
    for (index one = 0; one < U.extent(0); ++one) {
      at_point<T> points[N][N];
      for (int i = 0; i < N; ++i) {
        for (int k = 0; k < N; ++k) {
          T at_x = 0, at_y = 0;
          for (int m = 0; m < N; ++m) {
            at_x += matrix(k, m) * U(one, i, m);
            at_y += matrix(i, m) * U(one, m, k);
          }
          points[i][k] = products(at_x, at_y, a(one, i, k), b(one, i, k), c(one, i, k));
        }
      }
      for (int i = 0; i < N; ++i) {
        for (int k = 0; k < N; ++k) {
          T sum = adds ? W(one, i, k) : T(0);
          sum += points[i][k].rest;
          for (int m = 0; m < N; ++m)
            sum += matrix(m, k) * points[i][m].f + matrix(m, i) * points[m][k].g;
          W(one, i, k) = sum;
        }
      }
    }
  }
};

/// How many steps of a kernel run in sandwiches where vectors have eight lanes.
template <class Kernel, class Problem, class Matrix>
int steps_in_sandwiches(const Kernel& kernel, Problem& p, const Matrix& declared) {
  const auto told = kernel.explain(testing::compiled(avx512_capabilities), v = p.V, u = p.U,
                                   A = p.a, B = p.b, C = p.c, G = declared);
  int count = 0;
  for (int s = 0; s < told.step_count; ++s) count += told.steps[s].kernel == micro_kernel::sandwich;
  return count;
}

template <class T, int N, bool Adds, class Kernel, class Products>
void check(const Kernel& kernel, int steps, Products products) {
  for (const int reflected : {0, 1, -1}) {
    for (const index elements : {1, 8, 19}) {
      CAPTURE(reflected);
      CAPTURE(elements);
      square_problem<T, N> p(elements, reflected);
      p.expect(Adds, products);
      const auto run = [&](const auto& declared) {
        CHECK(steps_in_sandwiches(kernel, p, declared) == steps);
        kernel(v = p.V, u = p.U, A = p.a, B = p.b, C = p.c, G = declared);
      };
      if constexpr (std::is_floating_point_v<T>) {
        if (reflected > 0) run(reflection_symmetric(p.matrix));
        if (reflected < 0) run(reflection_antisymmetric(p.matrix));
      } else if (reflected != 0) {
        continue;
      }
      if (reflected == 0) run(p.matrix);
      CHECK(same(p.V, p.W));
    }
  }
}

/// Statements between the derivatives and what follows.
template <class... Statements>
constexpr auto between_derivatives(const Statements&... statements) {
  return fuse(e)(y(e, q, r) = G(q, j) * u(e, j, r), x(e, q, r) = G(r, j) * u(e, q, j),
                 statements...);
}
constexpr auto back = G(q, l) * g(e, q, n) + G(r, n) * f(e, l, r);

template <class T, int N>
void check_symmetric() {
  // f stays in registers, g does not.
  constexpr auto kernel = between_derivatives(
      g(e, q, r) = A(e, q, r) * y(e, q, r) + B(e, q, r) * x(e, q, r),
      f(e, q, r) = B(e, q, r) * y(e, q, r) + C(e, q, r) * x(e, q, r), v(e, l, n) = back);
  check<T, N, false>(kernel, 6, [](T at_x, T at_y, T a, T b, T c) {
    return at_point<T>{b * at_y + c * at_x, a * at_y + b * at_x, T(0)};
  });
}

TEST_CASE("a symmetric matrix at each point, between derivatives and back") {
  check_symmetric<double, 5>();
  check_symmetric<double, 4>();
  check_symmetric<float, 3>();
  check_symmetric<std::complex<double>, 3>();
}

TEST_CASE(
    "the sum that goes back may be any, its terms may have signs, and the result be added to") {
  constexpr auto kernel = between_derivatives(
      f(e, q, r) = C(e, q, r) * x(e, q, r) - B(e, q, r) * y(e, q, r),
      g(e, q, r) = -A(e, q, r) * y(e, q, r) - B(e, q, r) * x(e, q, r), v(e, l, n) += back);
  check<double, 5, true>(kernel, 6, [](double at_x, double at_y, double a, double b, double c) {
    return at_point<double>{c * at_x - b * at_y, -a * at_y - b * at_x, 0};
  });
}

TEST_CASE("a product may read what is in registers twice, or not at all") {
  constexpr auto kernel = between_derivatives(
      g(e, q, r) = A(e, q, r) * y(e, q, r) + B(e, q, r) * y(e, q, r),
      f(e, q, r) = x(e, q, r) * x(e, q, r) + C(e, q, r) * y(e, q, r), v(e, l, n) = back);
  check<double, 4, false>(kernel, 6, [](double at_x, double at_y, double a, double b, double c) {
    return at_point<double>{at_x * at_x + c * at_y, (a + b) * at_y, 0};
  });
}

TEST_CASE("what others read does not stay in registers") {
  constexpr auto derivative_again =
      between_derivatives(g(e, q, r) = A(e, q, r) * y(e, q, r) + B(e, q, r) * x(e, q, r),
                          f(e, q, r) = B(e, q, r) * y(e, q, r) + C(e, q, r) * x(e, q, r),
                          v(e, l, n) = back + x(e, l, n));
  check<double, 4, false>(derivative_again, 0,
                          [](double at_x, double at_y, double a, double b, double c) {
                            return at_point<double>{b * at_y + c * at_x, a * at_y + b * at_x, at_x};
                          });
  constexpr auto sum_again =
      between_derivatives(g(e, q, r) = A(e, q, r) * y(e, q, r) + B(e, q, r) * x(e, q, r),
                          f(e, q, r) = B(e, q, r) * y(e, q, r) + C(e, q, r) * x(e, q, r),
                          v(e, l, n) = back + f(e, l, n));
  check<double, 4, false>(sum_again, 0, [](double at_x, double at_y, double a, double b, double c) {
    return at_point<double>{b * at_y + c * at_x, a * at_y + b * at_x, b * at_y + c * at_x};
  });
}

TEST_CASE("a sandwich leaves a sum that is read behind it as it is") {
  constexpr local<"sum"> sum;
  constexpr auto kernel =
      fuse(e)(sum(e, j, r) = A(e, j, r) * u(e, j, r) + B(e, j, r) * u(e, j, r),
              x(e, q, r) = G(q, j) * sum(e, j, r), f(e, q, r) = C(e, q, r) * x(e, q, r),
              v(e, l, r) = G(q, l) * f(e, q, r) + sum(e, l, r));
  constexpr int N = 4;
  square_problem<double, N> p(19, 0);
  kernel(v = p.V, u = p.U, A = p.a, B = p.b, C = p.c, G = p.matrix);
  for (index one = 0; one < 19; ++one) {
    for (int k = 0; k < N; ++k) {
      double sums[N] = {}, want[N] = {};
      for (int i = 0; i < N; ++i)
        want[i] = sums[i] = (p.a(one, i, k) + p.b(one, i, k)) * p.U(one, i, k);
      for (int i = 0; i < N; ++i) {
        double at = 0;
        for (int m = 0; m < N; ++m) at += p.matrix(i, m) * sums[m];
        for (int m = 0; m < N; ++m) want[m] += p.matrix(i, m) * p.c(one, i, k) * at;
      }
      for (int m = 0; m < N; ++m) p.W(one, m, k) = want[m];
    }
  }
  CHECK(same(p.V, p.W));
}

}  // namespace
}  // namespace tenfold
