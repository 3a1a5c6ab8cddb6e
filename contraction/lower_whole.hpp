#pragma once

#include <tenfold/contraction/program_builder.hpp>
#include <utility>

/// A step of the plan -> a phase that is one step of the program, run as a whole (whole_steps.hpp).
/// Labels of unknown extent become the tile loops of the phase.
namespace tenfold {

template <limits L, class Program>
class whole_lowering : protected program_builder<L, Program> {
  using base = program_builder<L, Program>;

 protected:
  using base::before_conversion, base::end_of_sum, base::is_final, base::labels_of,
      base::whole_kind;
  using base::caps_, base::n_, base::out_, base::plan_, base::points_, base::problem_;
  using typename base::place;

  constexpr whole_lowering(const problem<L>& p, const contraction_plan<L>& plan,
                           const capabilities& caps, bool overwrites)
      : base(p, plan, caps, overwrites) {}

  /// The values that the step reads from memory.
  constexpr std::array<int, 3> values_read_by(int s) const {
    const plan_step<L>& ps = plan_.steps[s];
    return {before_conversion(ps.a), ps.b < 0 ? -1 : before_conversion(ps.b), ps.c};
  }

  /// Whether the sizes are known that must be: of a product in blocks all, else those of what is
  /// summed and of what waits in the workspace.
  constexpr bool has_known_sizes(int s) const {
    const plan_step<L>& ps = plan_.steps[s];
    label_set needed = whole_kind(s) == step_kind::blocked ? ps.labels : ps.contracted;
    for (const int v : values_read_by(s)) {
      if (v >= n_) needed |= labels_of(v);
    }
    if (!is_final(s)) needed |= ps.order.set();
    return base::is_known(needed);
  }

  constexpr void emit_whole(int s) {
    const int end = end_of_sum(s);
    if (!is_final(end) && plan_.steps[s].c < 0) base::wait_in_workspace(end);
    program_phase* const phase = base::next_phase();
    if (phase == nullptr) return;
    phase->step_count = 1;
    phase->tile_flops = pair_flops(points_(plan_.steps[s].labels), plan_.steps[s].b >= 0);
    switch (whole_kind(s)) {
      case step_kind::blocked:
        return emit_blocked(s, *phase);
      case step_kind::reduce:
        return emit_reduce(s, *phase);
      default:
        return emit_pointwise(s, *phase);
    }
  }

 private:
  using loops_of_labels = loop_group<L.labels>;

  /// What is the same for all kinds. The result of a sum lies where its last term leaves it.
  constexpr program_step& append_whole(step_kind kind, int s, const place& a, const place& b,
                                       const place& c) {
    const plan_step<L>& ps = plan_.steps[s];
    program_step& step = base::append(kind, s);
    step.a = a.ref;
    step.b = b.ref;
    step.c = c.ref;
    step.c.value = n_ + s;
    step.sign = ps.sign;
    step.accumulates = ps.c >= 0;
    if (c.ref.where == buffer::output) step.finish = epilogue::update;
    return step;
  }

  constexpr bool add_tile_loops(program_phase& phase, label_set labels) {
    for (int l = 0; l < problem_.label_count; ++l) {
      if (!contains(labels, l) || problem_.extent[l] != dyn) continue;
      if (phase.tile_count == max_tile_loops)
        out_.feasible = false;
      else
        base::add_tile_loop(phase, l);
    }
    return out_.feasible;
  }

  /// The product that step s is.
  constexpr void emit_blocked(int s, program_phase& phase) {
    const plan_step<L>& ps = plan_.steps[s];
    const int va = before_conversion(ps.a), vb = before_conversion(ps.b);
    place a = base::external({}, va), b = base::external({}, vb);
    const place c = base::external({}, n_ + end_of_sum(s));
    if (!out_.feasible) return;

    product_groups<L.labels> g = base::groups_of(s);
    if (g.arrange(problem_.type, caps_)) std::swap(a, b);

    program_step& step = append_whole(step_kind::blocked, s, a, b, c);
    const index m = g.rows.extent(), n = g.columns.extent(), k = g.sums.extent();
    const index lanes = select::neighbours(caps_.lanes(problem_.type), problem_.type);
    step.blocks = select::blocks_of(m, n, k, problem_.type, caps_, g.transposed_together(lanes));
    step.blocks.run = g.run;
    step.row_count = g.rows.count;
    step.column_count = g.columns.count;
    base::set_loops(step, g.batch.loops, g.batch.count, g.sums.loops, g.sums.count);
    base::add_loops(g.rows.loops, g.rows.count);
    base::add_loops(g.columns.loops, g.columns.count);
    phase.scratch_entries =
        select::blocked_scratch(step.blocks, m, n, g.behind(), problem_.type, caps_);
  }

  /// The sum that step s is. Rows are labels of A alone, to which one part of B belongs.
  constexpr void emit_reduce(int s, program_phase& phase) {
    const plan_step<L>& ps = plan_.steps[s];
    if (!add_tile_loops(phase, ps.order.set())) return;
    const auto [va, vb] = base::reduced_operands_of(ps);
    const place a = base::external({}, va), b = vb < 0 ? place{} : base::external({}, vb);
    const place c = base::external({}, n_ + s);
    if (!out_.feasible) return;

    loops_of_labels rows, outer, sums;
    for (int l = 0; l < problem_.label_count; ++l) {
      if (!contains(ps.order.set(), l) || problem_.extent[l] == dyn) continue;
      (vb >= 0 && contains(labels_of(vb), l) ? outer : rows)
          .add({problem_.extent[l], a.stride[l], b.stride[l], c.stride[l]});
    }
    sums.count = base::contracted_loops(ps, {va, vb}, sums.loops);
    program_step& step = append_whole(step_kind::reduce, s, a, b, c);
    step.k = take(sums.loops, sums.count, base::run_of(sums.loops, sums.count, vb >= 0));
    sums.sort_by(&step_loop::a);
    rows.sort_by(&step_loop::a);
    if (rows.count > 0) step.m = rows.loops[--rows.count];
    for (int l = 0; l < rows.count; ++l) outer.add(rows.loops[l]);
    outer.sort_by(&step_loop::a);
    base::set_loops(step, outer.loops, outer.count, sums.loops, sums.count);
    const index results = outer.extent() * step.m.extent;
    step.blocks.parts = select::sum_parts(results, sums.extent() * step.k.extent,
                                          sums.count > 0 ? sums.extent() : step.k.extent);
    if (phase.tile_count > 0) step.blocks.parts = 1;
    if (step.blocks.parts > 1) {
      constexpr index some = select::reduced_rows;
      phase.scratch_entries =
          step.blocks.parts * outer.extent() * ((step.m.extent + some - 1) / some * some);
    }
  }

  /// The copy, or the product entry by entry, that step s is.
  constexpr void emit_pointwise(int s, program_phase& phase) {
    const plan_step<L>& ps = plan_.steps[s];
    const label_set labels = ps.order.set();
    if (!add_tile_loops(phase, labels)) return;
    const place a = base::external({}, before_conversion(ps.a)), c = base::external({}, n_ + s);
    const place b = ps.b < 0 ? place{} : base::external({}, before_conversion(ps.b));
    if (!out_.feasible) return;
    loops_of_labels loops;
    for (int l = 0; l < problem_.label_count; ++l) {
      if (contains(labels, l) && problem_.extent[l] != dyn)
        loops.add({problem_.extent[l], a.stride[l], b.stride[l], c.stride[l]});
    }
    loops.sort_by(&step_loop::c);
    program_step& step = append_whole(step_kind::pointwise, s, a, b, c);
    if (loops.count > 0) step.n = loops.loops[--loops.count];
    int m = loops.nearer(&step_loop::a, step.n);
    if (m < 0) m = loops.nearer(&step_loop::b, step.n);
    if (m >= 0) step.m = take(loops.loops, loops.count, m);
    base::set_loops(step, loops.loops, loops.count, nullptr, 0);
    phase.scratch_entries = select::pointwise_scratch(problem_.type);
  }
};

}  // namespace tenfold
