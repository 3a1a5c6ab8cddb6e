// Random fused kernels, as data, lowered as the compiler lowers them, and the program simulated
// entry by entry against their statements: what a compiled kernel does, without compiling it.
//
//   fuzz_programs [SEED [CASES]]     case number i of seed s is case 0 of seed s + i
//
// The machine is drawn, too: its vectors, and caches so small that values are cut into slabs. A
// failing case is printed.
#include <algorithm>
#include <compiled.hpp>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <tenfold/backend/reference/contract.hpp>
#include <tenfold/contraction/lower.hpp>
#include <tenfold/dsel/planned_kernel.hpp>
#include <vector>

#include "draw_kernel.hpp"
#include "draw_operator.hpp"
#include "run_fuzz.hpp"
#include "simulate.hpp"

namespace tenfold::testing {
namespace {

/// What the programs that ran were made of.
struct seen_steps {
  index programs = 0, sandwiches = 0, slabs = 0, in_place = 0, in_halves = 0;

  void count(const program_view& p, int steps) {
    const auto has = [&](const auto& what) { return std::any_of(p.steps, p.steps + steps, what); };
    const auto is_sandwich = [](const program_step& s) { return s.sandwich > 1; };
    ++programs;
    sandwiches += has(is_sandwich);
    in_place += has([&](const program_step& s) {
      const operand_ref& to = (&s)[s.sandwich - 1].c;
      return is_sandwich(s) && s.b.where == to.where && s.b.offset == to.offset;
    });
    slabs += has([](const program_step& s) { return s.slabs.count > 1; });
    in_halves += has([](const program_step& s) {
      return s.kind == step_kind::contract && s.halves != reflection::none;
    });
  }
};

/// The operands of a case: dense, their axes row by row in memory, of some the batch innermost.
std::vector<operand_shape<max_rank>> shapes_of(const kernel_case& c, generator& g) {
  const bool knows_batch = chance(g, 0.3), interleaves = chance(g, 0.4);
  const reflection symmetry = chance(g, 0.3)   ? reflection::none
                              : chance(g, 0.5) ? reflection::odd
                                               : reflection::even;
  std::vector<operand_shape<max_rank>> shapes;
  for (int o = 0; o < c.k.operand_count; ++o) {
    const auto& axes = c.axes[static_cast<std::size_t>(o)];
    operand_shape<max_rank> shape;
    shape.type = scalar::f64;
    shape.rank = static_cast<int>(axes.size());
    index stride = 1;
    const bool batch_is_innermost = interleaves && chance(g, 0.9);
    for (const bool batch : {batch_is_innermost, !batch_is_innermost}) {
      for (std::size_t d = axes.size(); d-- > 0;) {
        if ((axes[d] == c.k.batch) != batch) continue;
        const index extent = c.extent_of(axes[d]);
        shape.extents[d] = batch && !knows_batch ? dyn : extent;
        shape.strides[d] = stride;
        stride *= std::max<index>(extent, 1);
      }
    }
    const bool is_matrix = shape.rank == 2 && axes[0] != c.k.batch && axes[1] != c.k.batch;
    if (is_matrix) shape.symmetry = symmetry;
    shapes.push_back(shape);
  }
  return shapes;
}

capabilities machine_of(generator& g) {
  capabilities caps = compiled(chance(g, 0.7) ? avx512_capabilities : avx2_capabilities);
  if (chance(g, 0.5)) caps.l1_bytes = 64;
  return caps;
}

/// Where an entry of the case lies.
std::size_t place_of(const operand_shape<max_rank>& shape, const index* at) {
  index place = 0;
  for (int d = 0; d < shape.rank; ++d) place += at[d] * shape.strides[static_cast<std::size_t>(d)];
  return static_cast<std::size_t>(place);
}

using lowered = dynamic_program<kernel_limits>;

/// Empty: right. Else what is wrong.
std::string run_case(const kernel_case& c, generator& g, seen_steps& seen) {
  const std::vector<operand_shape<max_rank>> shapes = shapes_of(c, g);
  std::vector<std::vector<whole>> values, memory;
  std::vector<std::vector<index>> extents;
  for (int o = 0; o < c.k.operand_count; ++o) {
    std::vector<index> extent;
    for (const int l : c.axes[static_cast<std::size_t>(o)]) extent.push_back(c.extent_of(l));
    std::vector<whole> dense(static_cast<std::size_t>(c.entries_of(o)));
    for (whole& x : dense) x = g();
    std::vector<whole> room(dense.size());
    std::size_t i = 0;
    reference::for_each_point(extent.data(), static_cast<int>(extent.size()), [&](const index* at) {
      room[place_of(shapes[static_cast<std::size_t>(o)], at)] = dense[i++];
    });
    values.push_back(std::move(dense));
    memory.push_back(std::move(room));
    extents.push_back(std::move(extent));
  }

  const kernel_extents sizes = extents_of(
      c.k, [&](int o) -> const auto& { return shapes[static_cast<std::size_t>(o)]; });
  std::unique_ptr<planned_kernel> planned;
  try {
    if (const diagnostic wrong = check(c.k)) throw_diagnostic(wrong, c.text);
    if (sizes.error) throw_diagnostic(sizes.error, c.text);
    planned = plan_kernel(c.k, c.text, shapes.data(), sizes.of);
  } catch (const backend_error&) {
    return "";  // it is too long
  } catch (const std::exception& refused) {
    return refused.what();
  }
  const problem<kernel_limits>& p = planned->bound.value;
  if (is_empty(p)) return "";
  const bool adds = c.k.adds_to_output();
  static lowered program;
  program = lower<lowered>(p, planned->plan, machine_of(g), !adds);
  if (!program.feasible) return "";

  simulated_memory operands;
  for (const unrolled_input& in :
       std::span(planned->unrolled.inputs, static_cast<std::size_t>(p.input_count)))
    operands.inputs.push_back(&memory[static_cast<std::size_t>(in.operand)]);
  const auto out = static_cast<std::size_t>(c.k.output());
  operands.output = &memory[out];
  std::vector<index> by_label;
  for (int l = 0; l < p.label_count; ++l)
    by_label.push_back(c.extent_of(planned->unrolled.label[l]));
  operands.extents = by_label.data();
  operands.adds = adds;
  try {
    simulation(program, operands, g).run();
  } catch (const not_simulated&) {
    return "";
  } catch (const std::out_of_range& wrong) {
    return wrong.what();
  }
  seen.count(program, program.step_count);

  run_statements(c, values);
  std::string wrong;
  std::size_t i = 0;
  reference::for_each_point(extents[out].data(), shapes[out].rank, [&](const index* at) {
    if (memory[out][place_of(shapes[out], at)] != values[out][i] && wrong.empty())
      wrong = "entry " + std::to_string(i) + " of the result is wrong";
    ++i;
  });
  return wrong;
}

int fuzz(std::uint64_t seed, index cases) {
  index failures = 0;
  seen_steps seen;
  for (index i = 0; i < cases && failures < 10; ++i) {
    const std::uint64_t at = seed + static_cast<std::uint64_t>(i);
    generator g(at);
    const kernel_case c = chance(g, 0.8) ? draw_operator(g) : draw_kernel(g);
    if (!is_complete(c)) continue;
    const std::string wrong = run_case(c, g, seen);
    if (wrong.empty()) continue;
    ++failures;
    print_failure(c, "programs", at, wrong);
  }
  std::printf(
      "%ld failures, %ld programs ran: %ld with sandwiches (%ld of them in place), %ld in slabs, "
      "%ld with matrices in halves\n",
      static_cast<long>(failures), static_cast<long>(seen.programs),
      static_cast<long>(seen.sandwiches), static_cast<long>(seen.in_place),
      static_cast<long>(seen.slabs), static_cast<long>(seen.in_halves));
  const bool saw_all =
      seen.sandwiches > 0 && seen.in_place > 0 && seen.slabs > 0 && seen.in_halves > 0;
  return failures == 0 && (saw_all || cases < 100) ? 0 : 1;
}

}  // namespace
}  // namespace tenfold::testing

int main(int argc, char** argv) {
  using namespace tenfold::testing;
  return run_fuzz("programs", argc, argv, fuzz);
}
