#include <tenfold/contraction/make_plan.hpp>

#include <doctest/doctest.h>

#include <letters.hpp>

namespace tenfold::testing {
namespace {

constexpr limits S = small_limits, M = medium_limits;

template <limits L>
constexpr contraction_plan<L> plan_of(std::string_view text, std::initializer_list<index> extents) {
  return make_plan<L>(problem_from<L>(text, extents));
}

// --- the mass operator: sum factorization with the textbook flops ---

constexpr std::string_view mass = "qi,rj,sk,eqrs,ql,rm,sn,eijk->elmn";

constexpr contraction_plan<M> mass_plan(index d, index q) {
  //                       q  i  r  j  s  k  e    l  m  n
  return plan_of<M>(mass, {q, d, q, d, q, d, dyn, d, d, d});
}

/// Three interpolations D^3 -> D^2 Q -> D Q^2 -> Q^3, a product per point, three projections.
constexpr double textbook(double d, double q) {
  const double there = 2 * (d * d * d * q + d * d * q * q + d * q * q * q);
  return 2 * there + q * q * q;
}

/// The way back mirrors the way there, so that the two steps beside the product per point are on
/// one axis, and that is the outermost.
template <limits L>
constexpr bool mirrors(const contraction_plan<L>& p) {
  constexpr int i = 1, j = 3, k = 5, q = 0, r = 2, s = 4;
  constexpr label_set order[] = {bit(k), bit(j), bit(i), 0, bit(q), bit(r), bit(s)};
  for (int n = 0; n < 7; ++n) {
    if (p.steps[n].contracted != order[n]) return false;
  }
  return p.step_count == 7;
}

template <index... P>
constexpr bool mass_is_textbook(std::integer_sequence<index, P...>) {
  return ((mass_plan(P + 2, P + 3).flops == textbook(P + 2, P + 3)) && ...);
}
static_assert(mass_is_textbook(std::make_integer_sequence<index, 8>{}), "p = 1 to 8");
static_assert(mass_plan(4, 4).flops == textbook(4, 4), "as many points as nodes");
static_assert(mass_plan(4, 6).flops == textbook(4, 6));
static_assert(mirrors(mass_plan(3, 4)));
static_assert(mirrors(mass_plan(8, 9)));
static_assert(mass_plan(3, 4).naive_flops == 4. * 4 * 4 * 3 * 3 * 3 * 3 * 3 * 3 * 8);

// --- room ---

constexpr limits with_steps(int steps) { return {5, 12, 8, 1, steps}; }
template <int Steps>
constexpr bool has_room(std::string_view text) {
  const auto plan = plan_of<with_steps(Steps)>(text, {2, 2, 2, 2, 2, 2, 2, 2});
  return plan.found && plan.step_count <= Steps;
}
static_assert(has_room<3>("ij,jk,kl,lm->im") && !has_room<2>("ij,jk,kl,lm->im"),
              "where steps are too many, no plan is found");
static_assert(has_room<5>("ab,cd,ef->ace") && !has_room<4>("ab,cd,ef->ace"),
              "each factor is summed alone");

// --- other known costs ---

static_assert(plan_of<S>("ij,jk->ik", {3, 4, 5}).flops == 120);
static_assert(plan_of<S>("ij,jk->ik", {3, 4, 5}).naive_flops == 120);
static_assert(plan_of<S>("ij,ij->ij", {3, 4}).flops == 12, "a product without a sum");
static_assert(plan_of<S>(",ij,->ij", {3, 4}).step_count == 2, "operands that share no label");
static_assert(plan_of<S>("i,j,k->ijk", {3, 4, 5}).flops == 12 + 60);
static_assert(plan_of<S>("ij->", {3, 4}).flops == 12, "a sum without a product");
static_assert(plan_of<S>("ij->ji", {3, 4}).flops == 0);
static_assert(plan_of<S>("ii->i", {3}).flops == 0);
static_assert(plan_of<S>("eij,ej->ei", {dyn, 3, 4}).flops == 24, "per entry of an unknown batch");
static_assert(plan_of<S>("ij,jk,kl->il", {100, 2, 100, 2}).flops ==
              2 * (2. * 100 * 2 + 100. * 2 * 2));
static_assert(plan_of<S>("ij,jk,kl->il", {2, 100, 2, 100}).flops ==
              2 * (2. * 100 * 2 + 2. * 2 * 100));

// --- labels of one operand are summed before anything is multiplied ---

constexpr auto private_label = plan_of<S>("ij,kl->il", {3, 4, 5, 6});
static_assert(private_label.step_count == 3);
static_assert(private_label.steps[0].a == 0 && private_label.steps[0].b < 0);
static_assert(private_label.steps[0].contracted == bit(1));
static_assert(private_label.steps[1].a == 1 && private_label.steps[1].contracted == bit(2));
static_assert(private_label.steps[2].contracted == 0);
static_assert(private_label.flops == 12 + 30 + 18);

// --- the last step writes the output's order, the others that of their carrier ---

static_assert(plan_of<S>("ij,jk->ki", {3, 4, 5}).steps[0].order.id[0] == 2);
constexpr auto chain = plan_of<M>("qi,rj,eij->erq", {4, 3, 4, 3, 9});
static_assert(chain.step_count == 2);
static_assert(chain.steps[0].order[0] == 4, "e stays in front");
static_assert(chain.steps[1].order[1] == 2 && chain.steps[1].order[2] == 0);

// --- sums, slices, shared sub-contractions ---

constexpr limits T = with_sums(small_limits);

constexpr auto sum = plan_of<T>("ij,jk - ik + kl -> ik", {3, 4, 5, 6});
static_assert(sum.step_count == 3);
static_assert(sum.steps[0].a == 0 && sum.steps[0].b == 1 && sum.steps[0].c == -1);
static_assert(sum.steps[1].a == 2 && sum.steps[1].b == -1,
              "a term of one operand is added as it is");
static_assert(sum.steps[1].c == 4 && sum.steps[1].sign == -1);
static_assert(sum.steps[2].a == 3 && sum.steps[2].c == 5 && sum.steps[2].sign == 1);
static_assert(sum.steps[2].contracted == bit(3), "what a term alone has is summed on the way");
static_assert(sum.flops == 2 * 3 * 4 * 5 + 3 * 5 + 5 * 6);

/// AB appears in both terms; whether the operands are the same is for the problem to say.
constexpr limits U = with_sums(medium_limits);
constexpr contraction_plan<U> two_terms(bool same) {
  problem<U> p = problem_from<U>("ij,jk,kl + ij,jk,km,ml -> il", {2, 9, 9, 9, 9});
  if (same) {
    p.twin[3] = 0;
    p.twin[4] = 1;
  }
  return make_plan<U>(p);
}
static_assert(two_terms(false).step_count == 5);
static_assert(two_terms(true).step_count == 4, "AB is computed once");
static_assert(two_terms(true).flops == two_terms(false).flops - 2 * 2 * 9 * 9);

/// A + A: the second term is the first one, read again.
constexpr auto twice = [] {
  problem<T> p = problem_from<T>("ij,jk + ij,jk -> ik", {3, 4, 5});
  p.twin[2] = 0;
  p.twin[3] = 1;
  return make_plan<T>(p);
}();
static_assert(twice.step_count == 3);
static_assert(twice.steps[0].b == 1, "AB");
static_assert(twice.steps[1].a == 4 && twice.steps[1].b == -1 && twice.steps[1].c == -1);
static_assert(twice.steps[2].a == 4 && twice.steps[2].b == -1 && twice.steps[2].c == 5);

// --- the same data for the same meaning ---

static_assert(plan_of<M>(mass, {4, 3, 4, 3, 4, 3, 9, 3, 3, 3}) ==
              plan_of<M>("AB,CD,EF,gACE,AH,CI,EJ,gBDF->gHIJ", {4, 3, 4, 3, 4, 3, 9, 3, 3, 3}));
static_assert(plan_of<S>("ij,jk->ik", {3, 4, 5}) != plan_of<S>("ij,jk->ki", {3, 4, 5}));

}  // namespace

TEST_CASE("a plan made at run time is the plan made by the compiler") {
  constexpr auto by_the_compiler = mass_plan(5, 6);
  volatile index d = 5;
  const index n = d;
  CHECK(mass_plan(n, n + 1) == by_the_compiler);
  constexpr auto of_few = plan_of<S>("ij,kl->il", {3, 4, 5, 6});
  CHECK(plan_of<S>("ij,kl->il", {3, n - 1, n, n + 1}) == of_few);
}

TEST_CASE("the room that a plan has does not change it") {
  const auto small = plan_of<S>("ab,bcd,cd,de->ae", {3, 4, 5, 6, 7});
  const auto large = plan_of<large_limits>("ab,bcd,cd,de->ae", {3, 4, 5, 6, 7});
  REQUIRE(small.step_count == large.step_count);
  CHECK(small.flops == large.flops);
  for (int s = 0; s < small.step_count; ++s) {
    CHECK(small.steps[s].a == large.steps[s].a);
    CHECK(small.steps[s].b == large.steps[s].b);
    CHECK(small.steps[s].labels == large.steps[s].labels);
    CHECK(small.steps[s].contracted == large.steps[s].contracted);
    CHECK(small.steps[s].order.set() == large.steps[s].order.set());
  }
}

TEST_CASE("the greedy search beyond ten operands finds the order of a chain") {
  const auto p = plan_of<large_limits>("ab,bc,cd,de,ef,fg,gh,hi,ij,jk,kl,l->a",
                                       {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2});
  CHECK(p.step_count == 11);
  CHECK(p.flops == 11 * 8);  // from the vector back, each a 2 x 2 matrix times a vector
}

TEST_CASE("an intermediate may have more labels than any operand") {
  // Wherever the pair abcdefgh, hijkl comes first, its product has 11 labels; operands hold 8.
  const auto p = plan_of<S>("abcdefgh,hijkl,abcdijkl,efg->", {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2});
  CHECK(p.step_count == 3);
  const auto outer = plan_of<M>("abcdef,ghijkl,mnopqr,agm->bhn",
                                {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2});
  CHECK(outer.step_count >= 3);
}

}  // namespace tenfold::testing
