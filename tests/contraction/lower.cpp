#include <doctest/doctest.h>

#include <tenfold/contraction/fold.hpp>
#include <tenfold/contraction/lower.hpp>

#include "said.hpp"

using namespace tenfold;
using namespace tenfold::testing;

namespace {

constexpr limits S = small_limits, M = medium_limits;
constexpr capabilities machine = [] {
  capabilities c = avx512_capabilities;
  c.sandwiches = true;
  return c;
}();

template <limits L>
constexpr static_program<L> program_of(const problem<L>& p) {
  return lower<static_program<L>>(p, make_plan<L>(p), machine);
}

template <class Program>
constexpr int count(const Program& p, step_kind kind) {
  int n = 0;
  for (int s = 0; s < p.step_count; ++s) n += p.steps[static_cast<std::size_t>(s)].kind == kind;
  return n;
}

}  // namespace

// --- fold ---------------------------------------------------------------------------------------

TEST_CASE("fold merges loops that continue one another in every operand") {
  step_loop loops[] = {{3, 0, 20, 8}, {5, 0, 4, 1}, {1, 7, 7, 7}};
  CHECK(fold(loops, 3) == 2);  // 20 = 4 * 5 in b, but 8 != 1 * 5 in c
  step_loop merging[] = {{3, 0, 20, 5}, {5, 0, 4, 1}};
  CHECK(fold(merging, 2) == 1);
  CHECK(merging[0].extent == 15);
  CHECK(merging[0].b == 4);
}

// --- the mass operator --------------------------------------------------------------------------

TEST_CASE("the mass operator is one phase whose lanes are elements, with one sandwich") {
  constexpr auto p = program_of<M>(mass_operator<M>(4));
  static_assert(p.feasible);
  CHECK(p.phase_count == 1);
  CHECK(p.phases[0].width == 8);
  CHECK(p.phases[0].partial);
  CHECK(count(p, step_kind::contract) == 4);
  CHECK(count(p, step_kind::sandwich) == 1);
  CHECK(count(p, step_kind::pack) == 2);
  CHECK(count(p, step_kind::unpack) == 1);
  CHECK(p.workspace_entries == 0);
}

TEST_CASE("interleaved elements are neither packed nor unpacked") {
  constexpr auto problem = problem_of<M>(
      {"qi", "rj", "sk", "Eqrsw", "ql", "rm", "sn", "Eijkw"}, "Elmnw",
      {{'E', dyn}, {'w', 8}, {'q', 6}, {'r', 6}, {'s', 6}, {'i', 5}, {'j', 5}, {'k', 5},
       {'l', 5}, {'m', 5}, {'n', 5}});
  constexpr auto p = program_of<M>(problem);
  static_assert(p.feasible);
  CHECK(p.phase_count == 1);
  CHECK(p.phases[0].tile_count == 1);
  CHECK_FALSE(p.phases[0].partial);
  CHECK(count(p, step_kind::pack) + count(p, step_kind::unpack) == 0);
}

// --- which programs there are -------------------------------------------------------------------

static_assert(program_of<S>(problem_of<S>({"ij", "jk"}, "ik", {{'i', 3}, {'j', 3}, {'k', 3}}))
                  .unrolled,
              "27 products need no loop");
static_assert(!program_of<S>(problem_of<S>({"ij", "jk"}, "ik", {{'i', 9}, {'j', 9}, {'k', 9}}))
                   .unrolled);
static_assert(!program_of<S>(problem_of<S>({"ij", "jk"}, "ik", {{'i', 8}, {'j', dyn}, {'k', 8}}))
                   .feasible,
              "a contracted extent that is not known shapes the code");
static_assert(program_of<S>(problem_of<S>({"qi", "ei"}, "eq", {{'e', dyn}, {'q', 9}, {'i', 9}}))
                  .feasible,
              "a batch need not be known");

TEST_CASE("a last vector is drawn back only where the result is not read") {
  const auto p = problem_of<S>({"ij", "jk"}, "ik", {{'i', 16}, {'j', 16}, {'k', 20}});
  const auto plan = make_plan<S>(p);
  const auto written = lower<static_program<S>>(p, plan, machine, true);
  REQUIRE(written.phase_count == 2);
  CHECK(written.phases[1].overlaps);
  CHECK(count(written, step_kind::pack) == 0);
  const auto updated = lower<static_program<S>>(p, plan, machine, false);
  for (int f = 0; f < updated.phase_count; ++f) {
    CHECK_FALSE(updated.phases[static_cast<std::size_t>(f)].overlaps);
  }
}

TEST_CASE("what does not depend on the lanes is computed once, in a phase before") {
  // A B is the same for every e.
  const auto p = problem_of<S>({"ij", "jk", "ek"}, "ei", {{'e', 4096}, {'i', 9}, {'j', 2}, {'k', 9}});
  const auto plan = make_plan<S>(p);
  const auto program = lower<dynamic_program<S>>(p, plan, machine);
  REQUIRE(program.feasible);
  CHECK(plan.step_count == 2);
  double work = 0;
  for (int f = 0; f < program.phase_count; ++f) work += program.phases[static_cast<std::size_t>(f)].tile_flops;
  CHECK(work > 0);
}

TEST_CASE("a program that does not fit says so") {
  const auto p = mass_operator<M>(4);
  const auto tight = lower<program<1, 2, 2>>(p, make_plan<M>(p), machine);
  CHECK_FALSE(tight.feasible);
}
