#include <doctest/doctest.h>

#include <slow_build.hpp>

#include <vector>

#include "batches.hpp"

// Batched products of every size, on every instruction set that the CPU has.

namespace tenfold::testing {
namespace {

/// Where the entries of one operand of whole numbers lie: entry (i, j) of problem b is
/// at(b) + i row + j column.
struct places {
  index row, column, problem, block;
  bool by_lanes;

  places(index rows, index columns, bool by_column, index gap, index lanes) : by_lanes(lanes > 1) {
    const index ld = (by_column ? rows : columns) + (by_lanes ? 0 : gap);
    row = by_column ? 1 : ld;
    column = by_column ? ld : 1;
    block = lanes;
    problem = by_lanes ? rows * columns * lanes : (by_column ? columns : rows) * ld + gap;
  }
  index at(index b) const { return b / block * problem + b % block; }
  matrix_batch shape() const {
    matrix_batch x;
    if (by_lanes) x.layout = batch_layout::interleaved;
    x.row = row;
    x.column = column;
    x.block = block;
    return x;
  }
};

/// Products of whole numbers in double, of any size up to `most`, on all instruction sets.
class exact_products {
 public:
  static constexpr index most = 33, problems = 9;

  exact_products()
      : a_(integers<double>(2 * 8 * (most + 3) * (most + 3), 1)),
        b_(integers<double>(2 * 8 * (most + 3) * (most + 3), 2)),
        c_(integers<double>(2 * 8 * (most + 3) * (most + 3), 3)),
        now_(c_.size()),
        want_(c_.size()) {}

  /// The products that are wrong, of both ways to fill the lanes.
  index errors(index m, index n, index k) {
    ++calls_;
    const bool ta = calls_ % 3 == 0, tb = calls_ % 5 < 2, tc = calls_ % 7 == 0;
    const index gap = calls_ % 4;
    const index few = calls_ % 4 == 0 ? problems : 2;
    return errors(m, n, k, few, {m, k, ta, gap, 1}, {k, n, tb, gap, 1}, {m, n, tc, gap, 1}) +
           errors(m, n, k, problems, {m, k, ta, gap, 8}, {k, n, tb, gap, 8}, {m, n, tc, gap, 8});
  }

 private:
  index errors(index m, index n, index k, index count, const places& a, const places& b,
               const places& c) {
    const gemm_shape shape{scalar::f64, m, n, k, a.shape(), b.shape(), c.shape()};
    const double alpha = calls_ % 2 == 0 ? 1 : -2, beta = static_cast<double>(calls_ % 3) - 1;
    want_ = c_;
    for (index p = 0; p < count; ++p)
      for (index i = 0; i < m; ++i)
        for (index j = 0; j < n; ++j) {
          const double* const x = a_.data() + a.at(p) + i * a.row * a.block;
          const double* const y = b_.data() + b.at(p) + j * b.column * b.block;
          double sum = 0;
          for (index l = 0; l < k; ++l) sum += x[l * a.column * a.block] * y[l * b.row * b.block];
          double& z =
              want_[static_cast<std::size_t>(c.at(p) + (i * c.row + j * c.column) * c.block)];
          z = alpha * sum + beta * z;
        }
    index wrong = 0;
    for (const auto isa : instruction_sets()) {
      now_ = c_;
      launch(shape,
             gemm_arguments<double>{{a_.data(), a.problem},
                                    {b_.data(), b.problem},
                                    {now_.data(), c.problem},
                                    count,
                                    alpha,
                                    beta},
             isa);
      if (c.by_lanes) {  // but for the pad
        const index pad = (count + c.block - 1) / c.block * c.block;
        for (index p = count; p < pad; ++p)
          for (index e = 0; e < m * n; ++e) {
            const auto at = static_cast<std::size_t>(c.at(p) + e * c.block);
            now_[at] = want_[at];
          }
      }
      wrong += now_ != want_;
    }
    return wrong;
  }

  std::vector<double> a_, b_, c_, now_, want_;
  index calls_ = 0;
};

std::vector<index> some_sizes() {
  return {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 23, 24, 25, 31, 32, 33};
}

/// Random products of some sizes, each operand transposed or not, conjugated or not.
template <class T>
void check_random_sizes(const std::vector<index>& sizes, int cases) {
  generator g(7);
  const auto size = [&] {
    return sizes[static_cast<std::size_t>(between(g, 0, static_cast<index>(sizes.size()) - 1))];
  };
  for (int i = 0; i < cases; ++i) {
    const index m = size(), n = size(), k = size(),
                count = chance(g, 0.2) ? natural_block<T> + 1 : 2;
    const auto how = [&] {
      storage s{.by_column = chance(g, 0.5), .gap = between(g, 0, 2)};
      if (chance(g, 0.4))
        s = {.layout = batch_layout::interleaved,
             .by_column = s.by_column,
             .block = natural_block<T>};
      return s;
    };
    const storage a = how(), b = how(), c = how();
    product<T> p(m, n, k, count, a, b, c, entries_kind::random, g);
    p.arguments.alpha = draw_factor<T>(g);
    p.arguments.beta = draw_factor<T>(g);
    if constexpr (is_complex_type<T>) {
      p.shape.a.conjugated = chance(g, 0.5);
      p.shape.b.conjugated = chance(g, 0.5);
    }
    for (const auto isa : instruction_sets()) {
      const index wrong = p.errors(isa);
      CHECK_MESSAGE(wrong == 0, m, " x ", n, " x ", k, ", ", count, " problems, instruction set ",
                    static_cast<int>(isa), "; A ", text_of(a), "; B ", text_of(b), "; C ",
                    text_of(c));
    }
  }
}

}  // namespace

TEST_CASE("products of whole numbers are exact for every size from 1 to 33") {
  exact_products products;
  constexpr index every = slow_build ? 29 : 1;
  index wrong = 0;
  for (index m = 1; m <= exact_products::most; ++m)
    for (index n = 1; n <= exact_products::most; ++n)
      for (index k = 1 + (m + 2 * n) % every; k <= exact_products::most; k += every)
        wrong += products.errors(m, n, k);
  CHECK(wrong == 0);
}

TEST_CASE("products of all scalars are as exact as the work allows") {
  for_each_scalar([](auto t) { check_random_sizes<decltype(t)>(some_sizes(), 150); });
}

TEST_CASE("products of large prime sizes are as exact as the work allows") {
  for_each_scalar([](auto t) { check_random_sizes<decltype(t)>({1, 2, 13, 37, 41, 61, 67}, 12); });
}

}  // namespace tenfold::testing
