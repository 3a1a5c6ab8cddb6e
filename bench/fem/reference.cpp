#include "fem/reference.hpp"

#include <cmath>
#include <cstddef>

namespace tenfold::bench {
namespace {

using numbers = std::vector<long double>;

/// A table and its transpose, rows by columns.
struct table {
  int rows, columns;
  numbers entries;

  template <class At>
  table(int m, int k, bool absolute, At at) : rows(m), columns(k) {
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < k; ++j) {
        entries.push_back(absolute ? std::fabs(at(i, j)) + std::fabs(at(i, k - 1 - j)) : at(i, j));
      }
    }
  }
};

/// y := a x along one axis of x, which has `outer` times a.columns times `inner` entries.
numbers along_axis(const table& a, const numbers& x, int outer, int inner) {
  numbers y(static_cast<std::size_t>(outer * a.rows * inner));
  for (int o = 0; o < outer; ++o) {
    for (int m = 0; m < a.rows; ++m) {
      for (int k = 0; k < a.columns; ++k) {
        for (int i = 0; i < inner; ++i) {
          y[static_cast<std::size_t>((o * a.rows + m) * inner + i)] +=
              a.entries[static_cast<std::size_t>(m * a.columns + k)] *
              x[static_cast<std::size_t>((o * a.columns + k) * inner + i)];
        }
      }
    }
  }
  return y;
}

/// a along all three axes.
numbers along_all(const table& a, numbers x) {
  x = along_axis(a, x, 1, a.columns * a.columns);
  x = along_axis(a, x, a.rows, a.columns);
  return along_axis(a, x, a.rows * a.rows, 1);
}

numbers apply(operator_kind kind, const fem_tables& t, bool absolute, const numbers& u,
              const numbers& d) {
  const int P = t.P(), Q = t.Q();
  const table there(Q, P, absolute, [&](int q, int i) { return t.value(q, i); });
  const table back(P, Q, absolute, [&](int i, int q) { return t.value(q, i); });
  numbers x = along_all(there, u);
  const std::size_t points = x.size();
  if (kind == operator_kind::mass) {
    for (std::size_t q = 0; q < points; ++q) x[q] *= d[q];
    return along_all(back, x);
  }
  const table slope(Q, Q, absolute, [&](int q, int r) { return t.slope(q, r); });
  const table slope_back(Q, Q, absolute, [&](int r, int q) { return t.slope(q, r); });
  const numbers gradient[3] = {along_axis(slope, x, 1, Q * Q), along_axis(slope, x, Q, Q),
                               along_axis(slope, x, Q * Q, 1)};
  constexpr std::size_t entry[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
  numbers sum(points);
  for (std::size_t c = 0; c < 3; ++c) {
    numbers flux(points);
    for (std::size_t b = 0; b < 3; ++b) {
      for (std::size_t q = 0; q < points; ++q) {
        flux[q] += d[entry[c][b] * points + q] * gradient[b][q];
      }
    }
    const int outer = c == 0 ? 1 : c == 1 ? Q : Q * Q;
    const numbers part = along_axis(slope_back, flux, outer, Q * Q / outer);
    for (std::size_t q = 0; q < points; ++q) sum[q] += part[q];
  }
  return along_all(back, sum);
}

numbers absolutes(numbers x) {
  for (long double& entry : x) entry = std::fabs(entry);
  return x;
}

}  // namespace

element_result apply_to_element(operator_kind kind, const fem_tables& t, const numbers& u,
                                const numbers& d) {
  return {apply(kind, t, false, u, d), apply(kind, t, true, absolutes(u), absolutes(d))};
}

double element_work(operator_kind kind, int p) {
  const double P = p + 1, Q = points_of(kind, p);
  const double interpolations = 3 * (P + 2) + 3 * (Q + 2);
  if (kind == operator_kind::mass) return interpolations + 2;
  const double stiffness = (Q + 2) + (3 + 2) + 3 * (Q + 2);
  return kind == operator_kind::diffusion ? interpolations + stiffness : stiffness;
}

}  // namespace tenfold::bench
