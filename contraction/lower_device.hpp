#pragma once

#include <algorithm>
#include <tenfold/contraction/choose_batch.hpp>
#include <vector>

/// plan -> device program.
///
/// Steps whose results carry the batch are one phase (lower_fused.hpp). Other steps, and products
/// of large matrices, are a phase each, and what they leave lies in the workspace. Unlike `lower`
/// this runs when the program runs: on a device all text is compiled then.
namespace tenfold {

template <limits L>
class device_lowering : private device_batching<L> {
  using base = device_batching<L>;
  using base::choose_batch, base::device_, base::emit, base::extent, base::fuse, base::fused_,
      base::fused_batch_, base::in_shared_memory, base::in_slabs, base::is_alias, base::is_final,
      base::lay, base::n_, base::operand, base::output, base::plan_, base::points, base::problem_,
      base::product_of, base::read, base::result_labels, base::root, base::set_batch, base::slab_,
      base::stays, base::sums_neighbours, base::value, base::values_;
  using typename base::placed_value, typename base::stretch;

 public:
  device_lowering(const problem<L>& p, const contraction_plan<L>& plan,
                  const device_source* sources, const device_source& to,
                  const device_capabilities& d)
      : base(p, plan, sources, to, d) {
    out_.type = p.type;
  }

  /// `slab`: the label that counts the elements of a slab, if there are slabs. Then the steps that
  /// carry it count them by the batch loop of their phases, and by nothing else.
  device_program run(int slab = -1) {
    slab_ = slab;
    values_.resize(static_cast<std::size_t>(n_ + plan_.step_count));
    choose_batch();
    for (int s = 0; s < plan_.step_count; ++s) {
      value(n_ + s) = place_of_result(s);
      if (is_alias(s)) continue;
      if (contains(fused_, s)) continue;
      if (emit_product(s) || emit_shared_sums(s) || emit_transpose(s)) continue;
      device_phase phase;
      phase.plan_steps = bit(s);
      set_batch(phase, in_slabs(s) ? bit(slab_) : outermost(s));
      emit(phase, s);
      if (is_of_vectors(s)) name_strides(phase);
      add(std::move(phase));
    }
    if (fused_ != 0) out_.phases.push_back(fuse(fused_, fused_batch_));
    for (device_phase& phase : out_.phases)
      for (int s = 0; s < plan_.step_count; ++s)
        phase.in_slabs = phase.in_slabs || (contains(phase.plan_steps, s) && in_slabs(s));
    place_workspace();
    return std::move(out_);
  }

  /// After `run`: the label by which the elements can be taken slab by slab, where each step is a
  /// launch: that of the batch, if nothing is summed over it and it is outermost in all that
  /// carries it; or -1.
  int slab_label() const {
    const int l = problem_.batch;
    if (l < 0 || fused_ != 0 || !stays(l) || !contains(result_labels(root()), l)) return -1;
    for (int s = 0; s < plan_.step_count; ++s)
      if (contains(result_labels(s), l) && plan_.steps[s].order[0] != l) return -1;
    return l;
  }

  /// After `run`: entries of the workspace that its elements need, without what they have in
  /// common.
  index entries_of_elements() const {
    std::vector<stretch> alone;
    for (const std::size_t i : of_elements_) {
      alone.push_back(in_workspace_[i]);
      alone.back().begin = 0;
    }
    return base::place(alone);
  }

 private:
  placed_value place_of_result(int s) {
    if (is_final(s)) return output();
    if (is_alias(s)) return read(s);
    if (contains(fused_, s)) return in_shared_memory(s, fused_batch_);  // `fuse` will say where
    auto [p, entries] = lay(plan_.steps[s].order, device_memory::global);
    take_workspace(p, entries, s);
    return p;
  }

  // --- the workspace ---

  /// A value of step s in the workspace: behind all others, until all phases are made.
  void take_workspace(placed_value& p, index entries, int s) {
    p.whose = device_buffer::workspace;
    p.offset = out_.workspace_entries;
    out_.workspace_entries += entries;
    in_workspace_.push_back({entries, static_cast<int>(out_.phases.size()), 0, p.offset});
    if (problem_.batch >= 0 && contains(result_labels(s), problem_.batch))
      of_elements_.push_back(in_workspace_.size() - 1);
  }
  /// Places what lies there anew: each from the phase that writes it to the last one that reads it.
  void place_workspace() {
    const std::vector<stretch> was = in_workspace_;
    const auto at = [&](const phase_place& x) {
      const auto behind = std::find_if(was.begin(), was.end(),
                                       [&](const stretch& y) { return y.begin > x.offset; });
      return static_cast<std::size_t>(behind - was.begin()) - 1;
    };
    const auto for_each_place = [&](const auto& f) {
      for (std::size_t i = 0; i < out_.phases.size(); ++i) {
        for (phase_place& x : out_.phases[i].places)
          if (x.where == device_buffer::workspace) f(static_cast<int>(i), x);
      }
    };
    for (stretch& x : in_workspace_) x.begin = 0;
    for_each_place([&](int i, const phase_place& x) { in_workspace_[at(x)].last_stage = i; });
    for (stretch& x : in_workspace_) {
      const auto by = out_.phases.begin() + x.first_stage;
      if (slab_ < 0 || by->in_slabs) continue;
      // It is written once, for all slabs.
      x.first_stage = 0;
      x.last_stage = static_cast<int>(out_.phases.size());
    }
    out_.workspace_entries = base::place(in_workspace_);
    for_each_place([&](int, phase_place& x) {
      const std::size_t of = at(x);
      x.offset += in_workspace_[of].begin - was[of].begin;
    });
  }

  // --- phases ---

  void add(device_phase&& phase) {
    select::device_cut_phase(phase, problem_.type, device_);
    out_.phases.push_back(std::move(phase));
  }

  /// The label of a single step that counts its elements, so that another extent of it needs no
  /// other text: the leading one, where others are left for rows and for neighbours in memory; or
  /// the only one of a step that sums nothing, whose entries threads then go through one by one, as
  /// they would its lines.
  label_set outermost(int s) const {
    const auto& order = plan_.steps[s].order;
    return order.count > 2 || is_of_vectors(s) ? bit(order[0]) : 0;
  }
  bool is_of_vectors(int s) const {
    return plan_.steps[s].order.count == 1 && plan_.steps[s].contracted == 0;
  }

  /// Names how far the elements of a single step lie apart, which are the entries of vectors: they
  /// lie as far apart whatever their number, and products of numbers that are known are cheap.
  static void name_strides(device_phase& phase) {
    device_step& step = phase.steps[0];
    for (device_operand* x : {&step.a, &step.b, &step.add, &step.to}) {
      if (x->where == device_memory::global)
        x->apart = phase.places[static_cast<std::size_t>(x->place)].steps[0];
    }
  }

  /// A phase for step s, if it is one product of matrices, or a batch of them.
  bool emit_product(int s) {
    auto product = product_of(s);
    if (!product) return false;
    device_phase phase;
    phase.plan_steps = bit(s);
    set_batch(phase, in_slabs(s) ? bit(slab_) : 0);
    product->a = operand(phase, read(s)).place;
    product->b = operand(phase, value(plan_.steps[s].b)).place;
    product->c = operand(phase, value(n_ + s)).place;
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
    if (in_slabs(s) && !by_warps) return false;
    device_phase phase;
    phase.plan_steps = bit(s);
    set_batch(phase, in_slabs(s) ? bit(slab_) : 0);
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
    if (parts < 2 || in_slabs(s)) {
      add(std::move(phase));
      return true;
    }
    step.part = (sums[0].extent + parts - 1) / parts;
    step.part_to = lines;

    device_phase rest = phase;
    device_step& last = rest.steps[0];
    placed_value partial;
    partial.type = problem_.type;
    take_workspace(partial, lines * sum_parts(step, phase.loops.data()), s);
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

  /// A phase for step s, if it only puts entries in another order, in which others are neighbours.
  bool emit_transpose(int s) {
    const plan_step<L>& said = plan_.steps[s];
    const placed_value from = read(s), to = value(n_ + s);
    if (in_slabs(s) || said.b >= 0 || said.c >= 0 || said.contracted != 0 || from.mapped ||
        to.mapped || from.labels != to.labels)
      return false;
    const auto neighbours_in = [&](const placed_value& x) {
      int found = -1;
      for (int l = 0; l < problem_.label_count; ++l)
        if (contains(x.labels, l) && x.stride[l] == 1 && extent(l) > 1) found = l;
      return found;
    };
    phase_transpose x;
    x.how = select::device_transposition(problem_.type, from.type, to.type);
    const int j = neighbours_in(from), i = neighbours_in(to);
    if (i < 0 || j < 0 || i == j || extent(i) < x.how.side / 2 || extent(j) < x.how.side / 2)
      return false;
    x.how.conjugated = from.conjugated;
    x.how.sign = said.sign;
    x.how.finishes = is_final(s);
    x.rows = extent(i);
    x.columns = extent(j);
    x.x_row = from.stride[i];
    x.y_row = to.stride[j];
    for (int l = 0; l < problem_.label_count; ++l) {
      if (!contains(from.labels, l) || extent(l) == 1 || l == i || l == j) continue;
      if (x.loops == max_transpose_loops) return false;
      x.extents[x.loops] = extent(l);
      x.x_steps[x.loops] = from.stride[l];
      x.y_steps[x.loops++] = to.stride[l];
    }
    device_phase phase;
    phase.plan_steps = bit(s);
    set_batch(phase, 0);
    x.x = operand(phase, from).place;
    x.y = operand(phase, to).place;
    phase.transpose = x;
    out_.phases.push_back(std::move(phase));
    return true;
  }

  device_program out_;
  std::vector<stretch> in_workspace_;     ///< stages are phases
  std::vector<std::size_t> of_elements_;  ///< of these, those that carry the batch
};

/// The program of a plan; `sources` by input. The problem has no unknown extents, and is not empty.
template <limits L>
device_program lower_device(const problem<L>& p, const contraction_plan<L>& plan,
                            const device_source* sources, const device_source& output,
                            const device_capabilities& d) {
  device_lowering<L> lowering(p, plan, sources, output, d);
  device_program whole = lowering.run();
  const int batch = lowering.slab_label();
  const index bytes = lowering.entries_of_elements() * static_cast<index>(bytes_of(p.type));
  if (batch < 0 || bytes <= select::device_slab_bytes(d)) return whole;
  problem<L> of_slab = p;
  of_slab.extent[batch] = select::device_slab_elements(p.extent[batch], bytes, d);
  device_program made = device_lowering<L>(of_slab, plan, sources, output, d).run(batch);
  made.elements = p.extent[batch];
  made.slab_elements = of_slab.extent[batch];
  return made;
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
  device_step step;
  step.to.where = device_memory::global;
  step.to.type = p.output.type;
  step.to.mapped = place.mapped;
  step.to.wide_map = place.mapped && output.wide_map;
  step.finishes = !place.mapped;
  // Elements are the values of the leading label: another extent of it needs no other text.
  for (int i = 0; i < p.output.order.count; ++i) {
    const int l = p.output.order[i];
    if (i > 0) {
      phase.loops.push_back({p.extent[l], 0, 0, 0, p.output.stride[l]});
      continue;
    }
    phase.batch_loops = 1;
    phase.extents[0] = p.extent[l];
    place.steps[0] = step.to.apart = p.output.stride[l];
  }
  step.line_loops = static_cast<int>(phase.loops.size());
  phase.places.push_back(place);
  phase.steps.push_back(step);
  select::device_cut_phase(phase, p.type, d);
  made.phases.push_back(std::move(phase));
  return made;
}

}  // namespace tenfold
