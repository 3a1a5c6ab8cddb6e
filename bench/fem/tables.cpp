#include "fem/tables.hpp"

#include <cmath>
#include <numbers>

namespace tenfold::bench {
namespace {

struct legendre {
  long double value, slope;
};

/// P_n and P_n' at x in (-1, 1), by the three-term recurrence.
legendre legendre_at(int n, long double x) {
  long double before = 1, here = x;
  for (int k = 2; k <= n; ++k) {
    const long double next = ((2 * k - 1) * x * here - (k - 1) * before) / k;
    before = here;
    here = next;
  }
  return {here, n * (x * here - before) / (x * x - 1)};
}

/// The polynomials on `nodes` at x, or their derivatives, by the products that define them.
long double lagrange(const std::vector<long double>& nodes, std::size_t i, long double x) {
  long double product = 1;
  for (std::size_t j = 0; j < nodes.size(); ++j) {
    if (j != i) product *= (x - nodes[j]) / (nodes[i] - nodes[j]);
  }
  return product;
}

long double lagrange_slope(const std::vector<long double>& nodes, std::size_t i, long double x) {
  long double sum = 0;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    if (k == i) continue;
    long double product = 1 / (nodes[i] - nodes[k]);
    for (std::size_t j = 0; j < nodes.size(); ++j) {
      if (j != i && j != k) product *= (x - nodes[j]) / (nodes[i] - nodes[j]);
    }
    sum += product;
  }
  return sum;
}

}  // namespace

quadrature_rule gauss_legendre(int n) {
  quadrature_rule rule;
  for (int i = 0; i < n; ++i) {
    long double x = -std::cos(std::numbers::pi_v<long double> * (i + 0.75L) / (n + 0.5L));
    for (int step = 0; step < 8; ++step) {
      const legendre at = legendre_at(n, x);
      x -= at.value / at.slope;
    }
    const long double slope = legendre_at(n, x).slope;
    rule.points.push_back((1 + x) / 2);
    rule.weights.push_back(1 / ((1 - x * x) * slope * slope));
  }
  return rule;
}

quadrature_rule gauss_lobatto(int n) {
  quadrature_rule rule;
  const long double end = 1.0L / (n * (n - 1));
  rule.points.push_back(0);
  rule.weights.push_back(end);
  for (int i = 1; i + 1 < n; ++i) {
    // Newton's method for P'_{n-1}, whose derivative follows from Legendre's equation.
    long double x = -std::cos(std::numbers::pi_v<long double> * i / (n - 1));
    for (int step = 0; step < 8; ++step) {
      const legendre at = legendre_at(n - 1, x);
      const long double curvature =
          (2 * x * at.slope - static_cast<long double>(n) * (n - 1) * at.value) / (1 - x * x);
      x -= at.slope / curvature;
    }
    const long double value = legendre_at(n - 1, x).value;
    rule.points.push_back((1 + x) / 2);
    rule.weights.push_back(end / (value * value));
  }
  rule.points.push_back(1);
  rule.weights.push_back(end);
  return rule;
}

fem_tables::fem_tables(int p, bool collocated)
    : nodes(gauss_lobatto(p + 1)), rule(collocated ? nodes : gauss_legendre(p + 2)) {
  for (const long double x : rule.points) {
    for (std::size_t i = 0; i < nodes.points.size(); ++i) {
      values_.push_back(lagrange(nodes.points, i, x));
    }
    for (std::size_t r = 0; r < rule.points.size(); ++r) {
      slopes_.push_back(lagrange_slope(rule.points, r, x));
    }
  }
}

}  // namespace tenfold::bench
