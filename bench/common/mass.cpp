#include "common/mass.hpp"

#include <cmath>
#include <utility>

namespace tenfold::bench {
namespace {

using numbers = std::vector<long double>;

/// y(o, m, i) = sum_k a(m, k) x(o, k, i)
numbers contract(const numbers& a, const numbers& x, int outer, int rows, int columns, int inner) {
  numbers y(static_cast<std::size_t>(outer) * static_cast<std::size_t>(rows * inner));
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  for (int o = 0; o < outer; ++o) {
    for (int m = 0; m < rows; ++m) {
      for (int k = 0; k < columns; ++k) {
        for (int i = 0; i < inner; ++i) {
          y[at((o * rows + m) * inner + i)] +=
              a[at(m * columns + k)] * x[at((o * columns + k) * inner + i)];
        }
      }
    }
  }
  return y;
}

numbers apply(int p, const numbers& b, const numbers& u, const numbers& d) {
  const int P = p + 1, Q = p + 2;
  numbers transposed(b.size());
  for (int q = 0; q < Q; ++q) {
    for (int i = 0; i < P; ++i) {
      transposed[static_cast<std::size_t>(i * Q + q)] = b[static_cast<std::size_t>(q * P + i)];
    }
  }
  numbers x = contract(b, u, 1, Q, P, P * P);
  x = contract(b, x, Q, Q, P, P);
  x = contract(b, x, Q * Q, Q, P, 1);
  for (std::size_t q = 0; q < x.size(); ++q) x[q] *= d[q];
  x = contract(transposed, x, Q * Q, P, Q, 1);
  x = contract(transposed, x, Q, P, Q, P);
  return contract(transposed, x, 1, P, Q, P * P);
}

numbers absolute(numbers x) {
  for (long double& entry : x) entry = std::fabs(entry);
  return x;
}

}  // namespace

double mass_flops_per_element(int p) {
  const double P = p + 1, Q = p + 2;
  return 4 * (Q * P * P * P + Q * Q * P * P + Q * Q * Q * P) + Q * Q * Q;
}

double mass_entries_per_element(int p) {
  const double P = p + 1, Q = p + 2;
  return 2 * P * P * P + Q * Q * Q;
}

double mass_work(int p) { return 3.0 * (p + 1 + 2) + 2 + 3.0 * (p + 2 + 2); }

mass_reference mass_of_element(int p, const numbers& b, const numbers& u, const numbers& d) {
  return {apply(p, b, u, d), apply(p, absolute(b), absolute(u), absolute(d))};
}

}  // namespace tenfold::bench
