#include <doctest/doctest.h>

#include <limits>
#include <samples.hpp>
#include <set>
#include <string>
#include <tenfold/dsel/einsum.hpp>
#include <tenfold/dsel/fuse.hpp>
#include <tenfold/tensor/conjugated.hpp>
#include <tenfold/tensor/error.hpp>
#include <tenfold/tensor/reflection.hpp>
#include <thrown.hpp>

namespace tenfold {

/// Entries (e, i) of somebody else, 3 for each e, at strides that the type tells.
template <index S, index R>
struct rows_of_three {
  double* first;
  index count;
};
template <index S, index R>
struct traits_of_rows : strided_operand_traits<double, layout_right::mapping<extents<dyn, 3>>> {
  static constexpr std::array<index, 2> static_strides{S, R};
  static constexpr index extent(const rows_of_three<S, R>& x, int i) {
    return i == 0 ? x.count : 3;
  }
  static constexpr index stride(const rows_of_three<S, R>&, int i) { return i == 0 ? S : R; }
  static constexpr double* data(const rows_of_three<S, R>& x) { return x.first; }
};
template <index S, index R>
struct operand_traits<rows_of_three<S, R>> : traits_of_rows<S, R> {};
template <index S, index R>
struct operand_traits<const rows_of_three<S, R>> : traits_of_rows<S, R> {};

}  // namespace tenfold

namespace tenfold::testing {
namespace {

using matrix = strided_view<double, dyn, dyn>;

/// y = x^T with both in `memory`; whether it was refused.
bool is_refused(const matrix& y, const matrix& x) {
  std::vector<double> want;
  for (index i = 0; i < y.extent(0); ++i) {
    for (index j = 0; j < y.extent(1); ++j) want.push_back(x(j, i));
  }
  try {
    einsum("ij->ji", into(y), x);
  } catch (const overlap_error& e) {
    CHECK(std::string_view(e.what()) ==
          "tenfold: \"ij->ji\": the output overlaps operand 0 in memory");
    return true;
  }
  std::size_t n = 0;
  for (index i = 0; i < y.extent(0); ++i) {
    for (index j = 0; j < y.extent(1); ++j) CHECK(y(i, j) == want[n++]);
  }
  return false;
}

}  // namespace

TEST_CASE("an output that shares entries with an operand is refused and stays as it is") {
  tensor<double, 64> memory;
  for (index i = 0; i < 64; ++i) memory(i) = static_cast<double>(i);
  double* const m = memory.data();
  CHECK(is_refused({m, {4, 4}, {4, 1}}, {m, {4, 4}, {4, 1}}));
  CHECK(is_refused({m, {4, 4}, {4, 1}}, {m + 15, {4, 4}, {4, 1}}));
  CHECK(is_refused({m + 15, {4, 4}, {4, 1}}, {m, {4, 4}, {4, 1}}));
  CHECK(is_refused({m, {4, 4}, {8, 1}}, {m + 3, {4, 4}, {8, 1}}));
  CHECK(is_refused({m + 15, {4, 4}, {-4, -1}}, {m, {4, 4}, {4, 1}}));
  CHECK(is_refused({m, {4, 4}, {8, 2}}, {m + 2, {4, 4}, {8, 2}}));
  constexpr index huge = std::numeric_limits<index>::max();
  CHECK(is_refused({m, {1, 4}, {huge, 1}}, {m + 3, {4, 1}, {1, huge}}));
  for (index i = 0; i < 64; ++i) CHECK(memory(i) == static_cast<double>(i));
}

TEST_CASE("an output beside, between or among the entries of an operand is accepted") {
  tensor<double, 64> memory;
  for (index i = 0; i < 64; ++i) memory(i) = static_cast<double>(i);
  double* const m = memory.data();
  CHECK(!is_refused({m, {4, 4}, {4, 1}}, {m + 16, {4, 4}, {4, 1}}));
  CHECK(!is_refused({m + 16, {4, 4}, {4, 1}}, {m, {4, 4}, {4, 1}}));
  // Even and odd entries.
  CHECK(!is_refused({m, {4, 4}, {8, 2}}, {m + 1, {4, 4}, {8, 2}}));
  // The left and the right columns of one matrix, in either direction.
  CHECK(!is_refused({m, {4, 4}, {8, 1}}, {m + 4, {4, 4}, {8, 1}}));
  CHECK(!is_refused({m + 4, {4, 4}, {8, 1}}, {m, {4, 4}, {8, 1}}));
  CHECK(!is_refused({m + 31, {4, 4}, {-8, -1}}, {m, {4, 4}, {8, 1}}));
  // Every third row.
  CHECK(!is_refused({m, {5, 4}, {12, 1}}, {m + 4, {4, 5}, {1, 12}}));
  CHECK(!is_refused({m + 8, {5, 4}, {12, 1}}, {m + 4, {4, 5}, {1, 12}}));
  // One entry beside a broadcast.
  CHECK(!is_refused({m, {4, 4}, {4, 1}}, {m + 16, {4, 4}, {0, 0}}));
  // Strides of axes with one entry.
  constexpr index huge = std::numeric_limits<index>::max();
  CHECK(!is_refused({m, {1, 4}, {huge, 1}}, {m + 4, {4, 1}, {1, -huge}}));
  // No entries at all.
  CHECK(!is_refused({m, {0, 4}, {4, 1}}, {m, {4, 0}, {4, 1}}));
}

TEST_CASE("subscripts in the type look for overlap as well") {
  tensor<double, 4, 4> a;
  a.fill(1);
  CHECK_THROWS_AS((einsum<"ij->ji">(into(a), a)), overlap_error);
  CHECK_THROWS_WITH((einsum<"ij,jk->ik">(into(a), tensor<double, 4, 4>{}, a)),
                    "tenfold: \"ij,jk->ik\": the output overlaps operand 1 in memory");
  // A view of it, and one of its entries as a number: no objects that hold entries of their own.
  const view<const double, 4, 4> of_a(a);
  CHECK_THROWS_AS((einsum<"ij->ji">(into(a), of_a)), overlap_error);
  CHECK_THROWS_AS((einsum<",ij->ij">(into(a), a(0, 1), tensor<double, 4, 4>{})), overlap_error);
  CHECK_THROWS_AS((einsum<"ij->ji">(into(a), reflection_symmetric(a))), overlap_error);
  tensor<std::complex<double>, 4, 4> c;
  c.fill(1);
  CHECK_THROWS_AS((einsum<"ij->ji">(into(c), conj(c))), overlap_error);
  for (index i = 0; i < a.size(); ++i) CHECK(a.data()[i] == 1);

  tensor<double, dyn, 3> batch(10);
  batch.fill(1);
  const view<const double, dyn, 3> first(batch.data(), 5), late(batch.data() + 12, 5);
  const view<double, dyn, 3> last(batch.data() + 15, 5);
  CHECK_THROWS_AS((einsum<"ei->ei">(into(last), late)), overlap_error);
  einsum<"ei->ei">(into(last), first, alpha(2));
  CHECK(batch(4, 2) == 1);
  CHECK(batch(5, 0) == 2);
}

TEST_CASE("an output whose extents decide whether its entries coincide is asked at the call") {
  double memory[20] = {};
  tensor<double, dyn, 3> x(4);
  for (index i = 0; i < x.size(); ++i) x.data()[i] = static_cast<double>(i + 1);
  const auto copied = [](const auto& y, const auto& from) {
    using labels::e, labels::i;
    constexpr input<"u"> u;
    constexpr output<"v"> v;
    fuse(e)(v(e, i) = u(e, i))(v = y, u = from);
  };
  const std::string sentence = "the strides of the output do not keep its entries apart";
  const auto refusal = [&](auto f) {
    return thrown_by<overlap_error>(f).find(sentence) != std::string::npos;
  };
  const rows_of_three<2, 1> rows{memory, 4}, one_row{memory, 1};
  CHECK(refusal([&] { einsum<"ei->ei">(into(rows), x); }));
  CHECK(refusal([&] { einsum("ei->ei", into(rows), x); }));
  CHECK(refusal([&] { copied(rows, x); }));
  for (const double entry : memory) CHECK(entry == 0);
  tensor<double, dyn, 3> first(1);
  for (index i = 0; i < 3; ++i) first(0, i) = x(0, i);
  einsum<"ei->ei">(into(one_row), first);
  for (index i = 0; i < 3; ++i) CHECK(memory[i] == x(0, i));
  // Column by column, with room for rows that are not there.
  const rows_of_three<1, 6> columns{memory, 4}, tall{memory, 7};
  einsum<"ei->ei">(into(columns), x);
  for (index e = 0; e < 4; ++e)
    for (index i = 0; i < 3; ++i) CHECK(memory[e + 6 * i] == x(e, i));
  CHECK(refusal([&] { einsum<"ei->ei">(into(tall), tensor<double, dyn, 3>(7)); }));
  copied(columns, x);
  CHECK(memory[3 + 6 * 2] == x(3, 2));
}

TEST_CASE("no pair of views that share an entry is accepted") {
  generator g(1);
  std::vector<double> memory(400, 1.0);
  int accepted = 0, disjoint = 0;
  for (int n = 0; n < 20000; ++n) {
    index extents[2][3], strides[2][3];
    std::set<index> entries[2];
    index base[2] = {between(g, 150, 160), between(g, 150, 160)};
    for (int o = 0; o < 2; ++o) {
      index step = between(g, 1, 3);
      for (int d = 2; d >= 0; --d) {
        extents[o][d] = between(g, 1, 4);
        strides[o][d] = chance(g, 0.2) ? -step : step;
        if (o == 0 && chance(g, 0.05)) strides[o][d] = 0;
        step = chance(g, 0.7) ? step * (extents[o][d] + between(g, 0, 3)) : step * 2;
        if (step > 25) step = 25;
      }
      for (index i = 0; i < extents[o][0]; ++i)
        for (index j = 0; j < extents[o][1]; ++j)
          for (index k = 0; k < extents[o][2]; ++k)
            entries[o].insert(base[o] + i * strides[o][0] + j * strides[o][1] + k * strides[o][2]);
    }
    using cube = strided_view<double, dyn, dyn, dyn>;
    const cube x(memory.data() + base[0], {extents[0][0], extents[0][1], extents[0][2]},
                 {strides[0][0], strides[0][1], strides[0][2]});
    const cube y(memory.data() + base[1], {extents[1][0], extents[1][1], extents[1][2]},
                 {strides[1][0], strides[1][1], strides[1][2]});
    bool shares = false;
    for (const index at : entries[0]) shares = shares || entries[1].contains(at);
    const run_time_operand input = run_time_operand_of(x);
    bool refused = false;
    try {
      const auto shape = run_time_operand_of(y).shape;
      check_addresses("ijk->ijk", &input, 1, &shape, y.data());
    } catch (const overlap_error&) {
      refused = true;
    }
    if (shares) CHECK(refused);
    disjoint += !shares;
    accepted += !refused;
  }
  CAPTURE(disjoint);
  CHECK(accepted > disjoint / 2);  // 68 % when this was written
}

}  // namespace tenfold::testing
