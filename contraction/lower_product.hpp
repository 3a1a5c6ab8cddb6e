#pragma once

#include <tenfold/backend/interface/program.hpp>
#include <tenfold/backend/interface/select.hpp>
#include <tenfold/contraction/cost.hpp>
#include <tenfold/contraction/plan.hpp>
#include <tenfold/contraction/product_groups.hpp>

/// A plan that is one batched product of matrices -> a program of one step.
namespace tenfold {

/// C[t][m][n] := sum_k A[t][m][k] B[t][k][n] as loops over the operands; extent 1 of t: no batch.
struct product_loops {
  bool found = false;
  int a = -1, b = -1;  ///< inputs
  step_loop t, m, n, k;
  int batch_label = 0;
};

/// The input that a value of the plan is, but for its conjugation; else -1.
template <limits L>
constexpr int input_of(const problem<L>& p, const contraction_plan<L>& plan, int value) {
  if (value >= p.input_count) {
    const plan_step<L>& copy = plan.steps[value - p.input_count];
    if (copy.b >= 0 || copy.c >= 0 || copy.contracted != 0 || copy.sign != 1 || copy.renames)
      return -1;
    value = copy.a;
  }
  return value < p.input_count && p.inputs[value].type == p.type ? value : -1;
}

/// The one product of matrices, or batch of matrices times vectors, that the whole plan is. One
/// batch label, or what of the rows or columns does not fold into one loop, is t.
template <limits L>
constexpr product_loops find_product(const problem<L>& p, const contraction_plan<L>& plan,
                                     const capabilities& caps) {
  const plan_step<L>& last = plan.steps[plan.step_count - 1];
  if (last.b < 0 || last.c >= 0 || last.sign != 1) return {};
  const int va = input_of(p, plan, last.a), vb = input_of(p, plan, last.b);
  if (va < 0 || vb < 0 || p.output.type != p.type) return {};
  const int inputs = p.input_count;
  if (plan.step_count != 1 + (last.a >= inputs) + (last.b >= inputs && last.b != last.a)) return {};
  const bound_operand<L>&a = p.inputs[va], &b = p.inputs[vb];
  for (const bound_operand<L>* x : {&a, &b, &p.output}) {
    if (x->layout != batch_layout::strided) return {};
  }
  if (a.offset == dyn || b.offset == dyn || p.output.offset == dyn) return {};
  if (last.contracted == 0) return {};

  const auto stride = [](const bound_operand<L>& x, int l) {
    return contains(x.labels, l) ? x.stride[l] : 0;
  };
  product_groups<L.labels> groups;
  loop_group<L.labels>&batch = groups.batch, &rows = groups.rows, &columns = groups.columns,
  &sums = groups.sums;
  int open = -1;
  step_loop t{};
  for (int l = 0; l < p.label_count; ++l) {
    if (!contains(last.labels, l)) continue;
    const step_loop loop{p.extent[l], stride(a, l), stride(b, l), stride(p.output, l)};
    if (loop.a == dyn || loop.b == dyn || loop.c == dyn) return {};
    if (loop.extent == dyn) {
      if (open >= 0 || contains(last.contracted, l)) return {};
      open = l;
      t = loop;
    } else {
      groups.add(contains(last.contracted, l), contains(a.labels, l), contains(b.labels, l), loop);
    }
  }
  groups.fold_each();
  if (open < 0 && batch.count == 1) {
    t = batch.loops[--batch.count];
  } else if (open < 0 && rows.count == 2) {
    t = take_farthest(rows.loops, rows.count);
  } else if (open < 0 && columns.count == 2) {
    t = take_farthest(columns.loops, columns.count);
  }
  const step_loop &m = rows.loops[0], &n = columns.loops[0], &k = sums.loops[0];
  // In a batch one side may be a vector.
  if (t.extent != 1 && rows.count + columns.count == 1 && sums.count == 1) {
    const bool has_rows = rows.count == 1;
    if (!select::is_batch_of_vectors((has_rows ? m : n).extent, k.extent,
                                     (has_rows ? m.a : n.b) == 1, t.a == 0 || t.b == 0, p.type,
                                     caps))
      return {};
    (has_rows ? columns : rows).add({});
  }
  if (rows.count != 1 || columns.count != 1 || sums.count != 1 || batch.count != 0) return {};
  // One narrow product fills no lanes, neither those of its columns nor those of a problem.
  const auto along = [](const step_loop& x) { return x.c < 0 ? -x.c : x.c; };
  const bool turned = along(m) < along(n);
  if (t.extent == 1 &&
      select::is_narrow((turned ? m : n).extent, (turned ? n : m).extent, p.type, caps))
    return {};
  // Neighbouring problems are lanes already.
  if (t.extent != 1 && (t.c == 1 || t.c == -1)) return {};
  return {true, va, vb, t, m, n, k, open < 0 ? 0 : open};
}

/// The step that it is.
template <limits L>
constexpr program_step product_step(const problem<L>& p, const contraction_plan<L>& plan,
                                    const product_loops& loops) {
  const int root = plan.step_count - 1;
  const auto refer = [&](const bound_operand<L>& x, buffer where, int value, index along) {
    operand_ref r;
    r.where = where;
    r.slot = value < p.input_count ? value : 0;
    r.offset = x.offset;
    r.tile_stride[0] = along;
    r.value = value;
    r.type = p.type;
    r.conjugated = x.conjugated;
    return r;
  };
  program_step step;
  step.kind = step_kind::gemm;
  step.origin = root;
  step.a = refer(p.inputs[loops.a], buffer::input, loops.a, loops.t.a);
  step.b = refer(p.inputs[loops.b], buffer::input, loops.b, loops.t.b);
  step.c = refer(p.output, buffer::output, p.input_count + root, loops.t.c);
  step.m = loops.m;
  step.n = loops.n;
  step.k = loops.k;
  step.finish = epilogue::update;
  return step;
}

/// Whether it is better blocked.
constexpr bool is_better_blocked(const product_loops& loops, const gemm_shape& shape,
                                 const capabilities& caps) {
  const index batch = nominal(loops.t.extent);
  if (batch == 1) return select::is_large(shape);
  const bool moves_a = loops.t.a != 0, moves_b = loops.t.b != 0;
  // Where neighbours in memory are problems of the batch, a copy of each problem would take one
  // entry of each line.
  const auto is_unit = [](index stride) { return stride == 1 || stride == -1; };
  const bool across_lines = is_unit(loops.t.a) || is_unit(loops.t.b), shares = !moves_a || !moves_b;
  const index own =
      (moves_a ? shape.m * shape.k : 0) + (moves_b ? shape.k * shape.n : 0) + shape.m * shape.n;
  if (!(shares && across_lines) &&
      select::is_batch(loops.t.extent, shares, own * static_cast<index>(bytes_of(shape.type)),
                       caps))
    return false;
  // What moves one operand along the batch makes its side longer.
  const auto t = static_cast<double>(batch), m = static_cast<double>(shape.m),
             n = static_cast<double>(shape.n), k = static_cast<double>(shape.k);
  return select::is_blocked(moves_b ? m : m * t, moves_a ? n : n * t, k, across_lines, shape.type,
                            caps);
}

/// Adds a phase of its own for the whole plan to `out`, if it is one product and there is room;
/// not one that is better blocked, where it `may_be_blocked`.
template <limits L, class Program>
constexpr bool lower_product(const problem<L>& p, const contraction_plan<L>& plan,
                             const capabilities& caps, bool may_be_blocked, Program& out) {
  const product_loops loops = find_product(p, plan, caps);
  if (!loops.found || out.phase_count == Program::max_phases ||
      out.step_count == Program::max_steps)
    return false;
  const program_step step = product_step(p, plan, loops);
  const gemm_shape shape = gemm_of(step, p.type);
  if (may_be_blocked && is_better_blocked(loops, shape, caps)) return false;
  program_phase& phase = out.phases[static_cast<std::size_t>(out.phase_count++)];
  out.steps[static_cast<std::size_t>(out.step_count)] = step;
  phase.first_step = out.step_count++;
  phase.step_count = 1;
  phase.tile_count = loops.t.extent == 1 ? 0 : 1;
  if (phase.tile_count == 1) phase.tiles[0] = {loops.t.extent, loops.batch_label};

  const int width = caps.lanes(p.type);
  const select::gemm_choice choice = select::gemm(shape, width, select::tuning_of(caps, shape));
  const gemm_shape oriented = choice.transposed ? transposed(shape) : shape;
  phase.scratch_entries = choice.path == select::gemm_path::by_lanes
                              ? select::lanes_scratch(oriented, width).entries()
                              : select::columns_scratch(oriented, width).entries();
  phase.tile_flops =
      pair_flops(static_cast<double>(step.m.extent) * static_cast<double>(step.n.extent) *
                     static_cast<double>(step.k.extent),
                 true);
  return true;
}

}  // namespace tenfold
