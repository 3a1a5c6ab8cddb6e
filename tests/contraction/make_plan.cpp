#include <doctest/doctest.h>

#include <limits>
#include <random>
#include <string>
#include <tenfold/contraction/make_plan.hpp>
#include <vector>

#include "said.hpp"

using namespace tenfold;
using namespace tenfold::testing;

namespace {

constexpr limits S = small_limits, M = medium_limits;

/// Multiply-adds of the three interpolations and three projections, and the scaling, per element.
constexpr double textbook_flops(double p) {
  const double n = p + 1, q = p + 2;
  return 4 * (q * n * n * n + q * q * n * n + q * q * q * n) + q * q * q;
}

template <index P>
constexpr bool plans_the_textbook() {
  return make_plan<M>(mass_operator<M>(P)).flops == textbook_flops(P);
}

}  // namespace

// --- the mass operator is sum factorization -----------------------------------------------------

static_assert(plans_the_textbook<1>());
static_assert(plans_the_textbook<2>());
static_assert(plans_the_textbook<3>());
static_assert(plans_the_textbook<4>());
static_assert(plans_the_textbook<5>());
static_assert(plans_the_textbook<6>());
static_assert(plans_the_textbook<7>());
static_assert(plans_the_textbook<8>());

TEST_CASE("the way back of the mass operator mirrors the way there") {
  constexpr contraction_plan<M> plan = make_plan<M>(mass_operator<M>(4));
  REQUIRE(plan.step_count == 7);
  // The matrices in order: along k, j, i; the scaling; along i, j, k.
  const int expected[] = {2, 1, 0, 3, 4, 5, 6};
  for (int s = 0; s < 7; ++s) {
    CAPTURE(s);
    const plan_step<M>& step = plan.steps[s];
    CHECK((step.a == expected[s] || step.b == expected[s]));
  }
  CHECK(plan.steps[3].contracted == 0);
}

// --- one operand, two operands ------------------------------------------------------------------

static_assert(make_plan<S>(problem_of<S>({"ij", "jk"}, "ik", {{'i', 3}, {'j', 4}, {'k', 5}})).flops ==
              120);
static_assert(make_plan<S>(problem_of<S>({"ii"}, "", {{'i', 7}})).flops == 7, "a sum adds");
static_assert(make_plan<S>(problem_of<S>({"ij"}, "ji", {})).flops == 0, "a copy computes nothing");
static_assert(make_plan<S>(problem_of<S>({"i", "i"}, "i", {{'i', 9}})).flops == 9,
              "an entry-wise product only multiplies");
static_assert(make_plan<S>(problem_of<S>({"ij", "jk"}, "ik", {})) ==
                  make_plan<S>(problem_of<S>({"ab", "bc"}, "ac", {})),
              "letters do not matter");
static_assert(make_plan<S>(problem_of<S>({"ebi", "ei"}, "eb", {{'e', dyn}})).flops == 8,
              "an extent that is not known counts as one");

TEST_CASE("labels of one operand alone are summed before anything is multiplied") {
  constexpr auto plan =
      make_plan<S>(problem_of<S>({"ijx", "jk"}, "ik", {{'i', 10}, {'j', 10}, {'k', 10}, {'x', 10}}));
  REQUIRE(plan.step_count == 2);
  CHECK(plan.steps[0].b < 0);
  CHECK(plan.steps[0].order.count == 2);
  CHECK(plan.flops == 1000 + 2000);
}

// --- the search ---------------------------------------------------------------------------------

namespace {

struct chain {
  std::vector<std::string> factors;
  std::string result;
  std::vector<letter_extent> extents;
};

double points(label_set set, const std::vector<index>& extent) {
  double n = 1;
  for (std::size_t l = 0; l < extent.size(); ++l) {
    if (contains(set, static_cast<int>(l))) n *= static_cast<double>(extent[l]);
  }
  return n;
}

/// The least cost of any pairwise tree without an outer product, by trying them all.
double exhaustive(std::vector<label_set> live, label_set output, const std::vector<index>& extent) {
  if (live.size() == 1) return 0;
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < live.size(); ++i) {
    for (std::size_t j = i + 1; j < live.size(); ++j) {
      if ((live[i] & live[j]) == 0) continue;
      label_set needed = output;
      std::vector<label_set> rest;
      for (std::size_t k = 0; k < live.size(); ++k) {
        if (k == i || k == j) continue;
        needed |= live[k];
        rest.push_back(live[k]);
      }
      const label_set both = live[i] | live[j], result = both & needed;
      const double here =
          pair_flops(points(both, extent), result != both) + points(result, extent);
      rest.push_back(result);
      const double total = here + exhaustive(rest, output, extent);
      if (total < best) best = total;
    }
  }
  return best;
}

}  // namespace

TEST_CASE("dynamic programming finds what trying every tree finds") {
  std::mt19937 engine(7);
  for (int round = 0; round < 200; ++round) {
    const int n = 3 + round % 3, label_count = 6;
    problem<M> p;
    p.input_count = n;
    p.label_count = label_count;
    std::vector<index> extent;
    for (int l = 0; l < label_count; ++l) {
      extent.push_back(static_cast<index>(2 + engine() % 6));
      p.extent[l] = extent.back();
    }
    path_value<M> leaves[M.operands] = {};
    std::vector<label_set> live;
    label_set all = 0;
    for (int o = 0; o < n; ++o) {
      // Each shares a label with the next, so that the graph is connected.
      label_set set = bit(o) | bit(o + 1) | (engine() & 0x3f);
      leaves[o].labels = set;
      for (int l = 0; l < label_count; ++l) {
        if (contains(set, l)) leaves[o].order.push(l);
      }
      live.push_back(set);
      all |= set;
    }
    const label_set output = all & engine();
    const index_space<M> space(p, 1);
    const contraction_path<M> path = find_path<M>(leaves, n, output, space);
    REQUIRE(path.count == n - 1);
    std::vector<label_set> values = live;
    double cost = 0;
    for (int s = 0; s < path.count; ++s) {
      label_set needed = output;
      const auto a = static_cast<std::size_t>(path.a[s]), b = static_cast<std::size_t>(path.b[s]);
      for (int t = s; t < path.count; ++t) {
        for (const std::size_t v : {std::size_t{path.a[t]}, std::size_t{path.b[t]}}) {
          if (v < values.size() && v != a && v != b) needed |= values[v];
        }
      }
      const label_set both = values[a] | values[b], result = both & needed;
      cost += pair_flops(points(both, extent), result != both) + points(result, extent);
      values.push_back(result);
    }
    CHECK(cost == exhaustive(live, output, extent));
  }
}

TEST_CASE("expressions that fall apart are planned too") {
  constexpr auto plan = make_plan<S>(problem_of<S>({"i", "j", "k"}, "ijk", {}));
  CHECK(plan.step_count == 2);
  constexpr auto scaled = make_plan<S>(problem_of<S>({"", "ij", ""}, "ij", {}));
  CHECK(scaled.step_count == 2);
}

TEST_CASE("beyond ten operands the search is greedy and still finds the chain's order") {
  constexpr limits L = large_limits;
  const auto p = problem_of<L>({"ab", "bc", "cd", "de", "ef", "fg", "gh", "hi", "ij", "jk", "kl", "l"},
                               "a", {});
  const auto plan = make_plan<L>(p);
  CHECK(plan.step_count == 11);
  // From the vector back: eleven products of a 2 x 2 matrix with a vector.
  CHECK(plan.flops == 11 * 8);
}
