#include <check_expression.hpp>
#include <slow_build.hpp>

// Every size of a matrix product at run time; the options in pairs.

namespace tenfold::testing {
namespace {

/// How one product is asked for.
struct way {
  bool transposed_a, transposed_b, transposed_c, padded_a, padded_b, padded_c;
  int alpha, beta;  ///< which of `factors`
};
constexpr double factors[] = {1, 0, -1, 2};

/// Ways in which any two options meet in every pair of their values: the columns of an orthogonal
/// array of strength 2 over GF(4), 16 rows; two options of two values share a column.
way way_of(int row) {
  const auto times = [](int a, int b) {  // in GF(4) = {0, 1, x, x + 1}
    constexpr int table[4][4] = {{0, 0, 0, 0}, {0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}};
    return table[a][b];
  };
  const int u = row / 4, v = row % 4;
  const auto column = [&](int c) { return u ^ times(c, v); };
  return {(u & 1) != 0, (v & 1) != 0, (column(1) & 1) != 0,
          (u & 2) != 0, (v & 2) != 0, (column(1) & 2) != 0,
          column(2),    column(3)};
}

/// C = alpha A B + beta C with small integers, which must be exact; the reference is three loops.
template <class T>
index wrong_entries(index m, index n, index k, const way& w, const std::vector<T>& numbers) {
  const auto make = [&](index rows, index columns, bool transposed, bool padded) {
    const index pad = padded ? 3 : 0;
    return transposed ? sample<T>({columns, rows}, {rows + pad, 1})
                      : sample<T>({rows, columns}, {columns + pad, 1});
  };
  sample<T> a = make(m, k, w.transposed_a, w.padded_a);
  sample<T> b = make(k, n, w.transposed_b, w.padded_b);
  sample<T> c = make(m, n, w.transposed_c, w.padded_c);
  std::size_t next = static_cast<std::size_t>(m + 7 * n + 31 * k);
  for (sample<T>* x : {&a, &b, &c}) {
    x->for_each([&](T& entry) { entry = numbers[next++ % numbers.size()]; });
  }
  const auto alpha = static_cast<T>(factors[w.alpha]), beta = static_cast<T>(factors[w.beta]);
  std::vector<T> want(static_cast<std::size_t>(m * n));
  const auto at = [](const sample<T>& x, bool transposed, index i, index j) {
    return x.data()[transposed ? i + j * x.strides()[0] : i * x.strides()[0] + j];
  };
  for (index i = 0; i < m; ++i) {
    for (index j = 0; j < n; ++j) {
      T sum = 0;
      for (index l = 0; l < k; ++l)
        sum += at(a, w.transposed_a, i, l) * at(b, w.transposed_b, l, j);
      want[static_cast<std::size_t>(i * n + j)] = alpha * sum + beta * at(c, w.transposed_c, i, j);
    }
  }
  if (beta == 0) c.fill(std::numeric_limits<T>::quiet_NaN());
  std::string text = w.transposed_a ? "ki," : "ik,";
  text += w.transposed_b ? "jk->" : "kj->";
  text += w.transposed_c ? "ji" : "ij";
  const run_time_operand inputs[] = {{a.shape(), a.data()}, {b.shape(), b.data()}};
  evaluate(text, inputs, 2, c.shape(), c.data(),
           {{static_cast<double>(alpha)}, {static_cast<double>(beta)}});
  index wrong = 0;
  for (index i = 0; i < m; ++i) {
    for (index j = 0; j < n; ++j) {
      wrong += !(at(c, w.transposed_c, i, j) == want[static_cast<std::size_t>(i * n + j)]);
    }
  }
  return wrong + c.spoilt_gaps();
}

/// A table of random small integers, so that drawing them costs nothing.
template <class T>
std::vector<T> small_integers() {
  generator g(1);
  std::vector<T> all(4099);
  fill(all.data(), static_cast<index>(all.size()), g, entries_kind::exact);
  return all;
}

constexpr index stride_through_sizes = slow_build ? 7 : 1;

}  // namespace

TEST_CASE("any two options meet in all their values") {
  bool met[8][8][4][4] = {};
  for (int row = 0; row < 16; ++row) {
    const way w = way_of(row);
    const int values[] = {w.transposed_a, w.transposed_b, w.transposed_c, w.padded_a,
                          w.padded_b,     w.padded_c,     w.alpha,        w.beta};
    for (int p = 0; p < 8; ++p) {
      for (int q = 0; q < 8; ++q) met[p][q][values[p]][values[q]] = true;
    }
  }
  for (int p = 0; p < 8; ++p) {
    for (int q = 0; q < p; ++q) {
      for (int i = 0; i < (p < 6 ? 2 : 4); ++i) {
        for (int j = 0; j < (q < 6 ? 2 : 4); ++j) {
          CAPTURE(p);
          CAPTURE(q);
          CHECK(met[p][q][i][j]);
        }
      }
    }
  }
}

TEST_CASE("products of all sizes from 1 to 33 are exact") {
  const auto doubles = small_integers<double>();
  const auto floats = small_integers<float>();
  int row = 0;
  index wrong = 0;
  for (index m = 1; m <= 33; ++m) {
    for (index n = 1; n <= 33; ++n) {
      for (index k = 1 + (m + n) % stride_through_sizes; k <= 33; k += stride_through_sizes) {
        const way w = way_of(++row % 16);
        const index here = row % 3 == 0 ? wrong_entries<float>(m, n, k, w, floats)
                                        : wrong_entries<double>(m, n, k, w, doubles);
        if (here > 0 && wrong == 0) {
          FAIL_CHECK("m = " << m << ", n = " << n << ", k = " << k << ", way " << row % 16);
        }
        wrong += here;
      }
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("products of prime sizes are exact in every way") {
  const auto doubles = small_integers<double>();
  const auto floats = small_integers<float>();
  const std::vector<index> primes =
      slow_build ? std::vector<index>{1, 37, 97} : std::vector<index>{1, 2, 37, 61, 97, 127};
  for (const index m : primes) {
    for (const index n : primes) {
      for (const index k : primes) {
        for (int row = 0; row < 16; ++row) {
          const index here = (row + m) % 2 == 0
                                 ? wrong_entries<float>(m, n, k, way_of(row), floats)
                                 : wrong_entries<double>(m, n, k, way_of(row), doubles);
          CAPTURE(m);
          CAPTURE(n);
          CAPTURE(k);
          CAPTURE(row);
          CHECK(here == 0);
        }
      }
    }
  }
}

}  // namespace tenfold::testing
