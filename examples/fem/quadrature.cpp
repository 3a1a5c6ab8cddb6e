#include "quadrature.hpp"

#include <cmath>
#include <cstddef>
#include <numbers>

namespace fem {
namespace {

/// The Legendre polynomial P_n on [-1, 1] and its derivative, for |x| < 1:
///     k P_k = (2k - 1) x P_{k-1} - (k - 1) P_{k-2},     (1 - x^2) P_n' = n (P_{n-1} - x P_n).
struct legendre {
  long double value = 1, slope = 0;

  legendre(int n, long double x) {
    long double before = 0;
    for (int k = 1; k <= n; ++k) {
      const long double next = ((2 * k - 1) * x * value - (k - 1) * before) / k;
      before = value;
      value = next;
    }
    slope = n * (before - x * value) / (1 - x * x);
  }
};

/// Newton's iteration x -= step(x), until a step no longer matters.
template <class Step>
long double newton(long double x, Step step) {
  for (int k = 0; k < 50; ++k) {
    const long double dx = step(x);
    x -= dx;
    if (std::fabs(dx) < 1e-18L) break;
  }
  return x;
}

/// Puts point i of n and its mirror image, from x <= 0 and the weight on [-1, 1], on [0, 1].
void put(quadrature& rule, int i, int n, long double x, long double weight) {
  const auto left = static_cast<std::size_t>(i), right = static_cast<std::size_t>(n - 1 - i);
  rule.points[left] = (1 + x) / 2;
  rule.points[right] = (1 - x) / 2;
  rule.weights[left] = rule.weights[right] = weight / 2;
}

quadrature empty_rule(int n) {
  const auto size = static_cast<std::size_t>(n);
  return {std::vector<long double>(size), std::vector<long double>(size)};
}

constexpr long double pi = std::numbers::pi_v<long double>;

}  // namespace

quadrature gauss_legendre(int n) {
  quadrature rule = empty_rule(n);
  for (int i = 0; i < (n + 1) / 2; ++i) {
    const long double guess = 2 * i + 1 == n ? 0 : -std::cos(pi * (i + 0.75L) / (n + 0.5L));
    const long double x = newton(guess, [n](long double t) {
      const legendre P(n, t);
      return P.value / P.slope;
    });
    const legendre P(n, x);
    put(rule, i, n, x, 2 / ((1 - x * x) * P.slope * P.slope));
  }
  return rule;
}

quadrature gauss_lobatto(int n) {
  const int m = n - 1;  // the zeros of P_m'; P_m'' from Legendre's equation
  quadrature rule = empty_rule(n);
  put(rule, 0, n, -1, 2.0L / (m * n));
  for (int i = 1; i < (n + 1) / 2; ++i) {
    const long double guess = 2 * i == m ? 0 : -std::cos(pi * i / m);
    const long double x = newton(guess, [m](long double t) {
      const legendre P(m, t);
      return P.slope * (1 - t * t) / (2 * t * P.slope - m * (m + 1) * P.value);
    });
    const legendre P(m, x);
    put(rule, i, n, x, 2 / (m * n * P.value * P.value));
  }
  return rule;
}

}  // namespace fem
