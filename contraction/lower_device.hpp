#pragma once

#include <algorithm>
#include <tenfold/contraction/lower_fused.hpp>
#include <tenfold/contraction/product_groups.hpp>
#include <vector>

/// plan -> device program.
///
/// Steps whose results carry the batch are one phase (lower_fused.hpp). Other steps are a phase
/// each, and what they leave lies in the workspace. Unlike `lower` this runs when the program runs:
/// on a device all text is compiled then.
namespace tenfold {

template <limits L>
class device_lowering : private device_fusion<L> {
  using base = device_fusion<L>;
  using base::arrange, base::device_, base::emit, base::extent, base::fuse, base::in_shared_memory,
      base::is_alias, base::is_final, base::is_table, base::lay, base::lay_out, base::n_,
      base::operand, base::order_of, base::output, base::plan_, base::points, base::problem_,
      base::read, base::result_labels, base::root, base::set_batch, base::value, base::values_;
  using typename base::placed_value;

 public:
  device_lowering(const problem<L>& p, const contraction_plan<L>& plan,
                  const device_source* sources, const device_source& to,
                  const device_capabilities& d)
      : base(p, plan, sources, to, d) {
    out_.type = p.type;
  }

  device_program run() {
    values_.resize(static_cast<std::size_t>(n_ + plan_.step_count));
    choose_batch();
    for (int s = 0; s < plan_.step_count; ++s) {
      value(n_ + s) = place_of_result(s);
      if (is_alias(s)) continue;
      if (contains(fused_, s)) continue;
      if (emit_product(s) || emit_shared_sums(s) || emit_turned(s)) continue;
      device_phase phase;
      phase.plan_steps = bit(s);
      set_batch(phase, outermost(s));
      emit(phase, s);
      add(std::move(phase));
    }
    if (fused_ != 0) out_.phases.push_back(fuse(fused_, fused_batch_));
    return std::move(out_);
  }

 private:
  placed_value place_of_result(int s) {
    if (is_final(s)) return output();
    if (is_alias(s)) return read(s);
    if (contains(fused_, s)) return in_shared_memory(s, fused_batch_);  // `fuse` will say where
    auto [p, entries] = lay(plan_.steps[s].order, device_memory::global);
    p.whose = device_buffer::workspace;
    p.offset = out_.workspace_entries;
    out_.workspace_entries += entries;
    return p;
  }

  // --- what is fused ---

  /// Whether no step sums over a label, or calls it by another name.
  bool stays(int label) const {
    for (int s = 0; s < plan_.step_count; ++s) {
      const plan_step<L>& step = plan_.steps[s];
      if (contains(step.contracted, label)) return false;
      if (!step.renames) continue;
      const auto& was = order_of(step.a);
      for (int i = 0; i < was.count; ++i) {
        if ((was[i] == label) != (step.order[i] == label)) return false;
      }
    }
    return true;
  }
  label_set steps_that_carry(int label) const {
    label_set steps = 0;
    for (int s = 0; s < plan_.step_count; ++s) {
      if (contains(result_labels(s), label)) steps |= bit(s);
    }
    return steps;
  }
  int steps_in(label_set set) const {
    int n = 0;
    for (int s = 0; s < plan_.step_count; ++s) n += contains(set, s) && !is_alias(s);
    return n;
  }

  /// Finds the labels that most steps carry to the result, and fuses those steps if what they leave
  /// for each other fits into shared memory.
  void choose_batch() {
    const auto& order = plan_.steps[root()].order;
    int best = -1;
    for (int i = 0; i < order.count; ++i) {
      const int l = order[i];
      if (problem_.batch >= 0 ? l != problem_.batch : !stays(l)) continue;
      if (best < 0 || steps_in(steps_that_carry(l)) > steps_in(steps_that_carry(best))) best = l;
    }
    if (best < 0 || steps_in(steps_that_carry(best)) < 2) return;
    const label_set fused = steps_that_carry(best);
    label_set batch = bit(best);
    int loops = 1;
    const auto fits = [&] {
      const auto given = values_;
      for (int v = 0; v < n_; ++v)
        if (is_table(value(v), batch)) value(v).where = device_memory::block;
      for (int s = 0; s < plan_.step_count; ++s)
        value(n_ + s) = is_final(s) ? output() : is_alias(s) ? read(s) : in_shared_memory(s, batch);
      const index entries = lay_out(arrange(fused, batch), batch, 0, [](int, index, int) {});
      values_ = given;
      return entries <= room();
    };
    const auto fills = [&] {
      const index elements = points(batch);
      return elements >= select::device_elements_wanted(device_) ||
             plan_.flops <= select::device_idle_flops * static_cast<double>(elements);
    };
    for (int i = 0; i < order.count && (!fits() || !fills()) && loops < max_batch_loops; ++i) {
      const int l = order[i];
      if (contains(batch, l) || !stays(l) || steps_that_carry(l) != fused) continue;
      batch |= bit(l);
      ++loops;
    }
    if (!fits() || (!fills() && problem_.batch < 0)) return;
    fused_ = fused;
    fused_batch_ = batch;
  }
  index room() const {
    return device_.shared_bytes_block / static_cast<index>(bytes_of(problem_.type));
  }

  // --- phases ---

  void add(device_phase&& phase) {
    select::device_cut_phase(phase, problem_.type, device_);
    out_.phases.push_back(std::move(phase));
  }

  /// The label of a single step that counts its elements, so that another extent of it needs no
  /// other text: the leading one, where others are left for rows and for neighbours in memory.
  label_set outermost(int s) const {
    const auto& order = plan_.steps[s].order;
    return order.count > 2 ? bit(order[0]) : 0;
  }

  /// A phase for step s, if it is one product of matrices, or a batch of them.
  bool emit_product(int s) {
    const plan_step<L>& step = plan_.steps[s];
    if (step.b < 0 || step.c >= 0 || step.sign != 1 || step.contracted == 0) return false;
    const placed_value a = read(s), b = value(step.b), c = value(n_ + s);
    for (const placed_value* x : {&a, &b, &c}) {
      if (x->mapped || x->type != problem_.type) return false;
    }
    product_groups<L.labels> groups;
    for (int l = 0; l < problem_.label_count; ++l) {
      if (!contains(step.labels, l)) continue;
      groups.add(contains(step.contracted, l), contains(a.labels, l), contains(b.labels, l),
                 {extent(l), a.stride[l], b.stride[l], c.stride[l]});
    }
    groups.fold_each();
    if (groups.batch.count == 0) {
      for (auto* g : {&groups.rows, &groups.columns}) {
        if (g->count == 2 && groups.batch.count == 0)
          groups.batch.add(take_farthest(g->loops, g->count));
      }
    }
    const auto only = [](const auto& g) { return g.count == 0 ? step_loop{} : g.loops[0]; };
    if (groups.batch.count > 1 || groups.rows.count > 1 || groups.columns.count > 1 ||
        groups.sums.count != 1 || groups.rows.count + groups.columns.count == 0)
      return false;
    const step_loop m = only(groups.rows), n = only(groups.columns), k = only(groups.sums),
                    t = only(groups.batch);
    const auto matrix = [&](const placed_value& x, index row, index column, index problem) {
      matrix_batch made;
      made.row = row;
      made.column = column;
      made.shared = problem == 0;
      made.conjugated = x.conjugated;
      return made;
    };
    phase_product product;
    product.shape = {problem_.type,
                     m.extent,
                     n.extent,
                     k.extent,
                     matrix(a, m.a, k.a, t.a),
                     matrix(b, k.b, n.b, t.b),
                     matrix(c, m.c, n.c, t.c)};
    product.shape.c.shared = false;
    const index lines = m.extent * n.extent * t.extent;
    const bool is_vector = m.extent == 1 || n.extent == 1;
    if (select::device_shares_product(lines, k.extent) ||
        (is_vector && select::device_shares_sums(lines, k.extent, sums_neighbours(s), device_)) ||
        !select::device_product(product.shape, device_).possible)
      return false;
    product.problem_a = t.a;
    product.problem_b = t.b;
    product.problem_c = t.c;
    product.count = t.extent;
    product.finishes = is_final(s);
    device_phase phase;
    phase.plan_steps = bit(s);
    set_batch(phase, 0);
    product.a = operand(phase, a).place;
    product.b = operand(phase, b).place;
    product.c = operand(phase, c).place;
    phase.product = product;
    add(std::move(phase));
    return true;
  }

  /// A phase for step s, if its sums are so long and so few that warps share them: the threads of a
  /// warp one sum, or a part of it; or each thread a part, where neighbours in memory are terms of
  /// different sums. Parts wait in the workspace for a second phase that adds them up.
  bool emit_shared_sums(int s) {
    const plan_step<L>& said = plan_.steps[s];
    const index lines = points(result_labels(s)), terms = points(said.contracted);
    const bool by_warps = sums_neighbours(s);
    if (!select::device_shares_sums(lines, terms, by_warps, device_)) return false;
    device_phase phase;
    phase.plan_steps = bit(s);
    set_batch(phase, 0);
    emit(phase, s, false);
    device_step& step = phase.steps[0];
    if (by_warps) step.lanes = device_.warp;
    device_loop* const line_loops = phase.loops.data() + step.first_loop;
    device_loop* const sums = line_loops + step.line_loops;
    // The threads of a warp go along neighbours, or along the longest loop if those are few.
    if (by_warps && sums[step.sum_loops - 1].extent < device_.warp) {
      device_loop* const longest =
          std::max_element(sums, sums + step.sum_loops,
                           [](const auto& x, const auto& y) { return x.extent < y.extent; });
      std::swap(*longest, sums[step.sum_loops - 1]);
    }
    const auto longest = static_cast<index>(sums[0].extent);
    const index parts =
        std::min(select::device_sum_parts(lines, terms, step.lanes, device_), longest);
    if (parts < 2) {
      add(std::move(phase));
      return true;
    }
    step.part = (sums[0].extent + parts - 1) / parts;
    step.part_to = lines;

    device_phase rest = phase;
    device_step& last = rest.steps[0];
    placed_value partial;
    partial.whose = device_buffer::workspace;
    partial.offset = out_.workspace_entries;
    partial.type = problem_.type;
    out_.workspace_entries += lines * sum_parts(step, phase.loops.data());
    last.a = operand(rest, partial);
    last.b = {};
    last.part = last.part_to = 0;
    last.sign = 1;
    last.sum_loops = 1;
    rest.loops.resize(static_cast<std::size_t>(step.line_loops));
    index stride = 1;
    for (int l = step.line_loops - 1; l >= 0; --l) {
      line_loops[l].to = stride;
      rest.loops[static_cast<std::size_t>(l)].a = stride;
      stride *= line_loops[l].extent;
    }
    rest.loops.push_back({sum_parts(step, phase.loops.data()), lines});
    step.to = operand(phase, partial);
    step.add = {};
    step.finishes = step.scatters = false;
    add(std::move(phase));
    add(std::move(rest));
    return true;
  }

  /// A phase for step s, if it only puts entries in another order, in which others are neighbours:
  /// blocks take square parts of the plane of both kinds of neighbours through shared memory,
  /// reading one kind and writing the other side by side.
  bool emit_turned(int s) {
    const plan_step<L>& said = plan_.steps[s];
    const placed_value from = read(s), to = value(n_ + s);
    if (said.b >= 0 || said.c >= 0 || said.contracted != 0 || from.mapped || to.mapped ||
        from.labels != to.labels)
      return false;
    const auto neighbours_in = [&](const placed_value& x) {
      int found = -1;
      for (int l = 0; l < problem_.label_count; ++l)
        if (contains(x.labels, l) && x.stride[l] == 1 && extent(l) > 1) found = l;
      return found;
    };
    const int i = neighbours_in(from), j = neighbours_in(to);
    const index side = select::device_part_side(problem_.type);
    if (i < 0 || j < 0 || i == j || extent(i) < side / 2 || extent(j) < side / 2) return false;

    // The batch: the parts along both, and all other labels.
    device_phase phase;
    phase.plan_steps = bit(s);
    phase.shares = true;
    phase_place in{from.whose, from.slot, false, from.offset},
        out{to.whose, to.slot, false, to.offset};
    in.type = from.type;
    out.type = to.type;
    std::vector<int> rest;
    for (int l = 0; l < problem_.label_count; ++l)
      if (contains(from.labels, l) && extent(l) > 1 && l != i && l != j) rest.push_back(l);
    if (static_cast<int>(rest.size()) + 2 > max_batch_loops) return false;
    const auto add_batch = [&](index values, index of_from, index of_to) {
      phase.extents[phase.batch_loops] = values;
      in.steps[phase.batch_loops] = of_from;
      out.steps[phase.batch_loops] = of_to;
      return phase.batch_loops++;
    };
    for (const int l : rest) add_batch(extent(l), from.stride[l], to.stride[l]);
    device_loop part[2];  // along i, along j
    const int labels[] = {i, j};
    for (int k = 0; k < 2; ++k) {
      const int l = labels[k];
      part[k].extent = side;
      part[k].all = extent(l);
      part[k].batch_loop =
          add_batch((extent(l) + side - 1) / side, side * from.stride[l], side * to.stride[l]);
    }
    phase.places = {in, out};

    // In shared memory rows along j lie an odd number of entries apart.
    const index pitch = side + 1;
    phase.element_entries = side * pitch;
    const auto step_of = [&](const placed_value& x, const device_operand& a,
                             const device_operand& b) {
      device_step step;
      step.start = device_start::behind;
      step.a = a;
      step.to = b;
      const auto along = [&](int k) {
        device_loop loop = part[k];
        const index here = k == 0 ? pitch : 1, there = x.stride[labels[k]];
        loop.a = a.where == device_memory::global ? there : here;
        loop.to = b.where == device_memory::global ? there : here;
        return loop;
      };
      // A line for each thread: neighbours side by side, and rows across.
      const int fastest = x.stride[i] == 1 ? 0 : 1;
      step.first_loop = static_cast<int>(phase.loops.size());
      step.line_loops = 1;
      phase.loops.push_back(along(fastest));
      step.rows = along(1 - fastest);
      step.row_count = side;
      step.rows.extent = side * side / select::device_part_threads;
      phase.steps.push_back(step);
    };
    device_operand read_there, shared, written;
    read_there.where = written.where = device_memory::global;
    read_there.type = from.type;
    read_there.conjugated = from.conjugated;
    written.type = to.type;
    written.place = 1;
    shared.where = device_memory::element;
    shared.apart = phase.element_entries;
    step_of(from, read_there, shared);
    step_of(to, shared, written);
    phase.steps.back().sign = said.sign;
    phase.steps.back().finishes = is_final(s);
    phase.first_step = 1;
    phase.last_readers = {1};
    phase.threads = select::device_part_threads;
    select::device_set_resident(phase, problem_.type, device_);
    out_.phases.push_back(std::move(phase));
    return true;
  }

  /// Whether neighbours in what a step reads most of are terms of one sum.
  bool sums_neighbours(int s) const {
    const plan_step<L>& said = plan_.steps[s];
    const placed_value a = read(s);
    const placed_value& x =
        said.b >= 0 && points(value(said.b).labels) > points(a.labels) ? value(said.b) : a;
    for (int l = 0; l < problem_.label_count; ++l) {
      if (contains(result_labels(s), l) && contains(x.labels, l) &&
          select::magnitude(x.stride[l]) == 1 && extent(l) >= device_.warp)
        return false;
    }
    return true;
  }

  device_program out_;
  label_set fused_ = 0, fused_batch_ = 0;  ///< steps, and the labels that are their batch
};

/// The program of a plan; `sources` by input. The problem has no unknown extents, and is not empty.
template <limits L>
device_program lower_device(const problem<L>& p, const contraction_plan<L>& plan,
                            const device_source* sources, const device_source& output,
                            const device_capabilities& d) {
  return device_lowering<L>(p, plan, sources, output, d).run();
}

/// y := beta y, or, through a map, 0 wherever y has entries; nothing where it has none.
template <limits L>
device_program lower_scaling(const problem<L>& p, const device_source& output,
                             const device_capabilities& d) {
  device_program made;
  made.type = p.type;
  for (int i = 0; i < p.output.order.count; ++i) {
    if (p.extent[p.output.order[i]] == 0) return made;
  }
  device_phase phase;
  phase_place place{device_buffer::output};
  place.type = p.output.type;
  place.mapped = p.output.layout == batch_layout::gathered;
  place.offset = p.output.offset;
  phase.places.push_back(place);
  device_step step;
  step.to.where = device_memory::global;
  step.to.type = p.output.type;
  step.to.mapped = place.mapped;
  step.to.wide_map = place.mapped && output.wide_map;
  step.finishes = !place.mapped;
  for (int i = 0; i < p.output.order.count; ++i) {
    const int l = p.output.order[i];
    phase.loops.push_back({p.extent[l], 0, 0, 0, p.output.stride[l]});
  }
  step.line_loops = p.output.order.count;
  phase.steps.push_back(step);
  select::device_cut_phase(phase, p.type, d);
  made.phases.push_back(std::move(phase));
  return made;
}

}  // namespace tenfold
