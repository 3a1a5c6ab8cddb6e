#include <tenfold/contraction/lower.hpp>

#include <doctest/doctest.h>

#include <compiled.hpp>
#include <letters.hpp>

namespace tenfold::testing {
namespace {

constexpr limits S = small_limits, M = medium_limits;

constexpr capabilities compiled_avx512 = compiled(avx512_capabilities);

template <limits L>
constexpr static_program<L> program_of(std::string_view text, std::initializer_list<index> extents,
                                       const capabilities& caps = compiled_avx512,
                                       bool overwrites = true, scalar type = scalar::f64) {
  const problem<L> p = problem_from<L>(text, extents, type);
  const contraction_plan<L> plan = make_plan<L>(p);
  return lower<static_program<L>>(p, plan, caps, overwrites);
}

template <class Program>
constexpr int count(const Program& p, step_kind kind) {
  int n = 0;
  for (int s = 0; s < p.step_count; ++s) n += p.steps[static_cast<std::size_t>(s)].kind == kind;
  return n;
}

template <class Program>
constexpr int count_sandwiches(const Program& p) {
  int n = 0;
  for (int s = 0; s < p.step_count; ++s) n += p.steps[static_cast<std::size_t>(s)].sandwich > 1;
  return n;
}

/// Whether the first sandwich writes its columns where it reads them.
template <class Program>
constexpr bool goes_in_place(const Program& p) {
  for (int s = 0; s < p.step_count; ++s) {
    const program_step& there = p.steps[static_cast<std::size_t>(s)];
    if (there.sandwich <= 1) continue;
    const program_step& back = p.steps[static_cast<std::size_t>(s + there.sandwich - 1)];
    return there.b.where == buffer::scratch && back.c.where == buffer::scratch &&
           there.b.offset == back.c.offset;
  }
  return false;
}

/// Which steps write alpha and beta into the output: exactly those that end a phase of the root.
template <class Program>
constexpr bool finishes_once_per_phase(const Program& p) {
  for (int f = 0; f < p.phase_count; ++f) {
    const program_phase& phase = p.phases[static_cast<std::size_t>(f)];
    for (int s = 0; s < phase.step_count; ++s) {
      const auto& step = p.steps[static_cast<std::size_t>(phase.first_step + s)];
      const bool last = s + 1 == phase.step_count && step.c.where == buffer::output;
      if ((step.finish == epilogue::update) != last) return false;
      if ((step.c.where == buffer::output) != last) return false;
    }
  }
  return true;
}

/// How many steps run slab by slab, in slabs of so many.
template <class Program>
constexpr int count_in_slabs(const Program& p, index slabs) {
  int n = 0;
  for (int s = 0; s < p.step_count; ++s) {
    const slab_loop& loop = p.steps[static_cast<std::size_t>(s)].slabs;
    if (loop.count == slabs) n += loop.steps;
  }
  return n;
}

// --- the mass operator ---

constexpr std::string_view mass = "qi,rj,sk,eqrs,ql,rm,sn,eijk->elmn";
constexpr auto mass_program = program_of<M>(mass, {4, 3, 4, 3, 4, 3, dyn, 3, 3, 3});
static_assert(mass_program.feasible, "the number of elements may be told by the call");
static_assert(mass_program.phase_count == 1, "everything in one loop over tiles");
static_assert(mass_program.workspace_entries == 0, "no intermediate leaves the cache");
static_assert(mass_program.phases[0].width == 8, "lanes from the elements");
static_assert(mass_program.phases[0].lane.extent == dyn && mass_program.phases[0].lane.slot == 6);
static_assert(mass_program.phases[0].partial, "any number of elements");
static_assert(count(mass_program, step_kind::pack) == 2, "u and D are transposed on the way");
static_assert(count(mass_program, step_kind::unpack) == 1);
static_assert(count(mass_program, step_kind::contract) == 7);
static_assert(count_sandwiches(mass_program) == 1, "three of the seven steps run as one");
static_assert(finishes_once_per_phase(mass_program));
static_assert(count_in_slabs(mass_program, 3) == 0, "all of it is in L1");

/// The operator of degree 7 with matrices that are symmetric under reflection, or not.
constexpr static_program<M> mass_of_degree_7(bool symmetric, const capabilities& caps) {
  problem<M> p = problem_from<M>(mass, {9, 8, 9, 8, 9, 8, dyn, 8, 8, 8}, scalar::f64);
  for (int i = 0; i < p.input_count && symmetric; ++i) {
    if (p.inputs[i].order.count == 2) p.inputs[i].symmetry = reflection::even;
  }
  return lower<static_program<M>>(p, make_plan<M>(p), caps, true);
}
constexpr auto slab_mass = mass_of_degree_7(true, compiled_avx512);
static_assert(count_in_slabs(slab_mass, 8) == 4, "two steps before the sandwich, two behind it");
static_assert(count_in_slabs(mass_of_degree_7(false, compiled_avx512), 8) == 0);
static_assert(count_in_slabs(mass_of_degree_7(true, avx512_capabilities), 8) == 0,
              "programs of the library have none");

constexpr auto plain_mass =
    program_of<M>(mass, {4, 3, 4, 3, 4, 3, dyn, 3, 3, 3}, avx2_capabilities);
static_assert(count_sandwiches(plain_mass) == 0, "only where there is a micro-kernel");
static_assert(count(plain_mass, step_kind::contract) == 7);
static_assert(plain_mass.phases[0].width == 4);

constexpr auto large_mass = program_of<M>(mass, {14, 13, 14, 13, 14, 13, dyn, 13, 13, 13});
static_assert(large_mass.feasible && count_sandwiches(large_mass) == 0,
              "longer axes than the micro-kernel unrolls");

// --- interleaved data: lanes from a label that is contiguous everywhere ---

constexpr auto interleaved =
    program_of<M>("qi,rj,sk,eqrsw,ql,rm,sn,eijkw->elmnw", {4, 3, 4, 3, 4, 3, dyn, 8, 3, 3, 3});
static_assert(interleaved.feasible && interleaved.phase_count == 1);
static_assert(interleaved.phases[0].lane.slot == 7 && !interleaved.phases[0].partial);
static_assert(interleaved.phases[0].tile_count == 1 && interleaved.phases[0].tiles[0].slot == 6);
static_assert(count(interleaved, step_kind::pack) == 0, "no packing");
static_assert(count(interleaved, step_kind::unpack) == 0);
static_assert(interleaved.step_count == 7);
static_assert(finishes_once_per_phase(interleaved));
static_assert(interleaved.phases[0].scratch_entries <= 8 * (3 * 3 * 4 + 3 * 4 * 4) + 32,
              "what lives at the same time, not more");
static_assert(goes_in_place(interleaved) && goes_in_place(slab_mass));
static_assert(!goes_in_place(program_of<M>("qi,rj,sk,eqrsw,ql,rm,sn,eijkw->elmnw",
                                           {4, 3, 4, 3, 4, 3, dyn, 8, 3, 3, 2})),
              "fewer entries come back");

constexpr auto half_interleaved =
    program_of<M>("qi,eiw->eqw", {4, 3, dyn, 8}, compiled_avx512, true, scalar::f32);
static_assert(half_interleaved.feasible, "8 entries are half a vector of floats");

// --- steps that run as a whole ---

// A run-time batch stays static whatever is summed: what would wait in memory for such a step is
// not of known size.
static_assert(program_of<S>("eij,ej->e", {dyn, 64, 64}).feasible);
static_assert(program_of<S>("eij,ej,ei->e", {dyn, 100, 100}).feasible);
static_assert(program_of<S>("ei,ei,ej->ej", {dyn, 128, 8}).feasible);
static_assert(program_of<S>("ij,jk->ik", {dyn, 10, 12}).feasible);
static_assert(program_of<S>("eij,ej,ei->e", {100000, 100, 100}).workspace_entries == 0,
              "nor is it more than L2 holds");

// --- matrix products ---

// A plan that is one product of matrices is one step, whatever its batch is; select says how it
// runs.
constexpr auto product = program_of<S>("ij,jk->ik", {32, 33, 64});
static_assert(product.feasible && product.phase_count == 1 && product.step_count == 1);
static_assert(product.steps[0].kind == step_kind::gemm && product.phases[0].tile_count == 0);
static_assert(gemm_of(product.steps[0], scalar::f64) ==
              gemm_shape{scalar::f64,
                         32,
                         64,
                         33,
                         {batch_layout::strided, 33, 1, 1, true},
                         {batch_layout::strided, 64, 1, 1, true},
                         {batch_layout::strided, 64, 1, 1, true}});
static_assert(finishes_once_per_phase(product));

constexpr auto is_product = [](const auto& p, index batch) {
  return p.step_count == 1 && p.steps[0].kind == step_kind::gemm && p.phases[0].tile_count == 1 &&
         p.phases[0].tiles[0].extent == batch;
};
static_assert(is_product(program_of<S>("eij,ejk->eik", {dyn, 9, 10, 11}), dyn));
static_assert(is_product(program_of<S>("eij,ekj->eki", {dyn, 9, 10, 11}), dyn), "transposed");
static_assert(is_product(program_of<S>("qi,eijk->eqjk", {9, 8, dyn, 7, 6}), dyn), "one A for all");
static_assert(is_product(program_of<S>("sk,eqrk->eqrs", {9, 8, dyn, 7, 6}), dyn), "one B for all");
static_assert(is_product(program_of<S>("eij,jk->eik", {dyn, 16, 16, 16}), dyn), "of any size");
static_assert(is_product(program_of<S>("efij,efjk->efik", {6, 7, 9, 10, 11}), 42),
              "labels that merge in all operands are one batch");
static_assert(is_product(program_of<S>("ij,aibc->ajbc", {9, 8, 5, 7, 6}), 5),
              "rows that do not fold into one loop are a batch");
static_assert(is_product(program_of<S>("eji,ej->ei", {dyn, 9, 10}), dyn), "B may be vectors");
static_assert(is_product(program_of<S>("eji,j->ei", {dyn, 9, 10}), dyn), "one vector for all");
static_assert(!is_product(program_of<S>("eij,ej->ei", {dyn, 9, 10}), dyn), "not of rows");
static_assert(!is_product(program_of<S>("ej,ej->e", {dyn, 9}), dyn),
              "vectors alone are no product");
static_assert(!is_product(program_of<S>("ije,jke->ike", {9, 10, 11, 8}), 8),
              "problems that are neighbours are lanes");
static_assert(!is_product(program_of<S>("eikl,eklj->eij", {dyn, 9, 3, 4, 8}), dyn) ||
              program_of<S>("eikl,eklj->eij", {dyn, 9, 3, 4, 8}).steps[0].k.extent == 12);

constexpr auto tiny = program_of<S>("ij,jk->ik", {3, 3, 3});
static_assert(tiny.unrolled && tiny.phases[0].width == 1, "so little that nothing is dispatched");
static_assert(tiny.phases[0].scratch_entries == 0 && tiny.workspace_entries == 0);

// A last tile that is not full: drawn back where the output is not read, else through scratch.
constexpr auto drawn_back = program_of<S>("j,jk->k", {32, 67});
static_assert(drawn_back.phase_count >= 2);
static_assert(drawn_back.phases[static_cast<std::size_t>(drawn_back.phase_count - 1)].overlaps);
static_assert(count(drawn_back, step_kind::unpack) == 0);
constexpr auto read_first = program_of<S>("j,jk->k", {32, 67}, compiled_avx512, false);
static_assert(count(read_first, step_kind::unpack) == 1);
static_assert(read_first.phases[static_cast<std::size_t>(read_first.phase_count - 1)].partial);
static_assert(finishes_once_per_phase(read_first));

// --- what must be known ---

static_assert(!program_of<S>("ij,jk->ik", {3, dyn, 4}).feasible, "a sum needs its extent");
static_assert(!program_of<S>("ij,jk->ik", {dyn, dyn, dyn}).feasible);
static_assert(!program_of<S>("eij,ejk->ik", {dyn, 3, 4, 5}).feasible);
static_assert(!program_of<S>("ije,je->ie", {3, 4, dyn}).feasible, "the stride of i is not known");
static_assert(program_of<S>("eij,ejk->eik", {dyn, 3, 4, 5}).feasible);
static_assert(program_of<S>("efij,efjk->efik", {dyn, 2, 3, 4, 5}).feasible);
static_assert(!program_of<S>("eik,ekl,lj->eij", {dyn, 3, 4, 5, 64}).feasible ||
                  program_of<S>("eik,ekl,lj->eij", {dyn, 3, 4, 5, 64}).workspace_entries == 0,
              "no intermediate of unknown size crosses phases");

// --- the same program for the same meaning ---

static_assert(program_of<S>("ij,jk->ik", {9, 10, 19}) == program_of<S>("XY,YZ->XZ", {9, 10, 19}));
static_assert(program_of<S>("ij,jk->ik", {9, 10, 19}) != program_of<S>("ij,kj->ik", {9, 10, 19}));

/// No two values that live in a phase at the same time share scratch, and all of it is counted.
template <class Program>
bool scratch_is_disjoint(const Program& p) {
  for (int f = 0; f < p.phase_count; ++f) {
    const program_phase& phase = p.phases[static_cast<std::size_t>(f)];
    for (int s = phase.first_step; s < phase.first_step + phase.step_count; ++s) {
      const auto& step = p.steps[static_cast<std::size_t>(s)];
      const auto end = [&](const operand_ref& ref, index step_loop::*stride) {
        index reach = ref.offset + phase.width;
        bool empty = false;
        const auto add = [&](const step_loop& l) {
          reach += (l.extent - 1) * l.*stride;
          empty = empty || l.extent == 0;
        };
        for (const step_loop* l : {&step.m, &step.n, &step.k}) add(*l);
        for (int i = 0; i < step.outer_count + step.k_outer_count + step.row_count; ++i) {
          add(p.loops[static_cast<std::size_t>(step.first_loop + i)]);
        }
        return empty ? ref.offset : reach;
      };
      const std::pair<const operand_ref*, index step_loop::*> operands[] = {
          {&step.a, &step_loop::a}, {&step.b, &step_loop::b}};
      if (step.c.where != buffer::scratch) continue;
      const index c_end = end(step.c, &step_loop::c);
      if (c_end > phase.scratch_entries) return false;
      for (const auto& [ref, stride] : operands) {
        if (ref->where != buffer::scratch) continue;
        if (ref->offset < c_end && step.c.offset < end(*ref, stride)) return false;
      }
    }
  }
  return true;
}

}  // namespace

TEST_CASE("a program lowered at run time is the program lowered by the compiler") {
  volatile index three = 3;
  const index n = three;
  CHECK(program_of<M>(mass, {n + 1, n, n + 1, n, n + 1, n, dyn, n, n, n}) == mass_program);
  CHECK(program_of<S>("ij,jk->ik", {n, n, n}) == tiny);
}

TEST_CASE("a program is the same in any room that holds it") {
  const problem<M> p = problem_from<M>(mass, {4, 3, 4, 3, 4, 3, 100, 3, 3, 3});
  const contraction_plan<M> plan = make_plan<M>(p);
  const auto small = lower<static_program<M>>(p, plan, avx512_capabilities);
  const auto large = lower<dynamic_program<M>>(p, plan, avx512_capabilities);
  REQUIRE(small.step_count == large.step_count);
  REQUIRE(small.phase_count == large.phase_count);
  for (std::size_t s = 0; s < static_cast<std::size_t>(small.step_count); ++s) {
    CHECK(small.steps[s] == large.steps[s]);
  }
  for (std::size_t f = 0; f < static_cast<std::size_t>(small.phase_count); ++f) {
    CHECK(small.phases[f] == large.phases[f]);
  }
}

TEST_CASE("a program that does not fit its room says so") {
  const problem<M> p = problem_from<M>(mass, {4, 3, 4, 3, 4, 3, 100, 3, 3, 3});
  const contraction_plan<M> plan = make_plan<M>(p);
  CHECK(!lower<program<1, 3, 24>>(p, plan, avx512_capabilities).feasible);
  CHECK(!lower<program<3, 12, 1>>(p, plan, avx512_capabilities).feasible);
  CHECK(lower<program<3, 12, 24>>(p, plan, avx512_capabilities).feasible);
}

TEST_CASE("what is known when programs run is always feasible, and scratch never overlaps") {
  const std::string_view texts[] = {
      "ab,bc->ac",
      "ab,bc->ca",
      "abc,cbd->ad",
      "abc,bcd,de->ae",
      "aab,bc->c",
      "ab,cd->",
      "abc->b",
      "abcd->dcba",
      "ab,ac,ad->bcd",
      "a,b,c->cab",
      "abcd,bcde,cdea->ae",
      "ab,bc,cd,da->",
      "abc,ade,bdf,cef->",
      "a,ab,abc,abcd->d",
      "abcd,dcba->ac",
  };
  for (const std::string_view text : texts) {
    for (const index n : {0, 1, 2, 3, 7, 8, 9, 17}) {
      for (const capabilities& caps : {sse2_capabilities, avx2_capabilities, compiled_avx512}) {
        for (const bool overwrites : {false, true}) {
          CAPTURE(text);
          CAPTURE(n);
          CAPTURE(caps.vector_bytes);
          const problem<S> p = problem_from<S>(text, {n, n, n, n, n, n});
          const contraction_plan<S> plan = make_plan<S>(p);
          const auto program = lower<dynamic_program<S>>(p, plan, caps, overwrites);
          CHECK(program.feasible);
          CHECK(scratch_is_disjoint(program));
          CHECK(finishes_once_per_phase(program));
        }
      }
    }
  }
}

TEST_CASE("an intermediate that another phase needs lies in the workspace") {
  const auto p = problem_from<S>("eik,ekl,lj->eij", {19, 3, 4, 5, 64});
  const contraction_plan<S> plan = make_plan<S>(p);
  const auto program = lower<dynamic_program<S>>(p, plan, avx512_capabilities);
  REQUIRE(program.feasible);
  CHECK(program.workspace_entries >= 19 * 3 * 5);
  int writes = 0, reads = 0;
  for (int s = 0; s < program.step_count; ++s) {
    const auto& step = program.steps[static_cast<std::size_t>(s)];
    writes += step.c.where == buffer::workspace;
    reads += step.a.where == buffer::workspace || step.b.where == buffer::workspace;
    CHECK(!(reads > 0 && step.c.where == buffer::workspace));
  }
  CHECK(writes > 0);
  CHECK(reads > 0);
}

}  // namespace tenfold::testing
