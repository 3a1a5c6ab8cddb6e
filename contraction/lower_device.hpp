#pragma once

#include <algorithm>
#include <optional>
#include <tenfold/backend/interface/select/library_products.hpp>
#include <tenfold/contraction/lower_fused.hpp>
#include <tenfold/contraction/product_groups.hpp>
#include <vector>

/// plan -> device program.
///
/// Steps whose results carry the batch are one phase (lower_fused.hpp). Other steps, and products
/// of large matrices, are a phase each, and what they leave lies in the workspace. Unlike `lower`
/// this runs when the program runs: on a device all text is compiled then.
namespace tenfold {

template <limits L>
class device_lowering : private device_fusion<L> {
  using base = device_fusion<L>;
  using base::arrange, base::device_, base::emit, base::extent, base::fuse, base::in_shared_memory,
      base::is_alias, base::is_final, base::is_table, base::labels_of, base::lay, base::lay_out,
      base::n_, base::operand, base::order_of, base::output, base::plan_, base::points,
      base::problem_, base::read, base::result_labels, base::root, base::set_batch, base::value,
      base::values_;
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

  /// After `run`: entries of the workspace that elements need, and not all of them alike.
  index entries_of_elements(const device_program& made) const {
    return made.workspace_entries - std::min(common_entries_, made.workspace_entries);
  }

 private:
  bool in_slabs(int s) const { return slab_ >= 0 && contains(result_labels(s), slab_); }

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
    if (problem_.batch >= 0 && !contains(result_labels(s), problem_.batch))
      common_entries_ += entries;
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
    const label_set carrying = steps_that_carry(best);
    label_set fused = carrying;
    label_set batch = bit(best);
    int loops = 1;
    const auto fits = [&] {
      const auto given = values_;
      for (int v = 0; v < n_; ++v)
        if (is_table(value(v), batch)) value(v).where = device_memory::block;
      for (int s = 0; s < plan_.step_count; ++s) {
        value(n_ + s) = is_final(s)   ? output()
                        : is_alias(s) ? read(s)
                        : contains(fused, s)
                            ? in_shared_memory(s, batch)
                            : lay(plan_.steps[s].order, device_memory::global).place;
      }
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
      if (contains(batch, l) || !stays(l) || steps_that_carry(l) != carrying) continue;
      batch |= bit(l);
      ++loops;
    }
    if (!fits() || (!fills() && problem_.batch < 0)) return;
    if (problem_.batch < 0) {
      // Those that stand alone run before all that is fused.
      const label_set alone = products_alone(fused, batch);
      fused &= ~alone;
      if ((alone & readers_of(fused)) != 0 || steps_in(fused) < 2 || !fits()) return;
    }
    fused_ = fused;
    fused_batch_ = batch;
  }

  /// Steps that read the result of one of these, or of a step that does.
  label_set readers_of(label_set steps) const {
    label_set readers = 0;
    for (int s = 0; s < plan_.step_count; ++s) {
      const plan_step<L>& step = plan_.steps[s];
      for (const int v : {step.a, step.b, step.c})
        if (v >= n_ && contains(steps | readers, v - n_)) readers |= bit(s);
    }
    return readers;
  }

  /// Of these steps, elements of this batch, the products that are launches of their own.
  label_set products_alone(label_set fused, label_set batch) {
    const auto given = values_;
    for (int s = 0; s < plan_.step_count; ++s)
      value(n_ + s) = is_final(s)   ? output()
                      : is_alias(s) ? read(s)
                                    : lay(plan_.steps[s].order, device_memory::global).place;
    const auto bytes = [&](label_set labels) {
      return static_cast<double>(points(labels)) * static_cast<double>(bytes_of(problem_.type));
    };
    const auto room = static_cast<double>(select::device_table_room(device_));
    label_set products = 0;
    double in_blocks = 0, alone = 0, passed = 0;
    for (int s = 0; s < plan_.step_count; ++s) {
      if (!contains(fused, s) || is_alias(s)) continue;
      const plan_step<L>& step = plan_.steps[s];
      if (!is_final(s)) passed += bytes(result_labels(s));
      for (const int v : {step.a, step.b, step.c})
        if (v >= n_ && contains(fused, v - n_)) passed += bytes(labels_of(v));
      const auto product = product_of(s);
      if (!product || is_table(value(step.a), batch) || is_table(value(step.b), batch)) continue;
      products |= bit(s);
      select::device_chained_product x;
      x.products = static_cast<double>(points(result_labels(s) | step.contracted));
      for (const int v : {step.a, step.b}) {
        const label_set labels = labels_of(v);
        const bool is_common = (labels & batch) != batch;
        if (is_common && bytes(labels & ~batch) > room) x.again += bytes(labels | batch);
      }
      x.by_library = suits_library(*product);
      in_blocks += select::device_seconds_in_blocks(x, problem_.type, device_);
      alone += select::device_seconds_alone(x, problem_.type, device_);
    }
    values_ = given;
    const int more = steps_in(fused) - 1;
    return select::device_separates(in_blocks, alone, passed, more, device_) ? products : 0;
  }
  static bool suits_library(const phase_product& x) {
    const index least = std::min({x.problem_a, x.problem_b, x.problem_c});
    return select::library_product_of(x.shape, least).possible;
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
  /// The same before its operands are places of a phase.
  std::optional<phase_product> product_of(int s) const {
    const plan_step<L>& step = plan_.steps[s];
    if (step.b < 0 || step.c >= 0 || step.sign != 1 || step.contracted == 0) return {};
    const placed_value a = read(s), b = value(step.b), c = value(n_ + s);
    for (const placed_value* x : {&a, &b, &c}) {
      if (x->mapped || x->type != problem_.type) return {};
    }
    product_groups<L.labels> groups;
    for (int l = 0; l < problem_.label_count; ++l) {
      if (!contains(step.labels, l) || l == slab_) continue;
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
    if (in_slabs(s)) {
      // Elements are the outermost problems, so that a text does not say how many there are.
      const index elements = extent(slab_);
      auto& batch = groups.batch;
      if (batch.count > 1) return {};
      step_loop& t = batch.loops[0];
      if (batch.count == 0)
        t = {1, a.stride[slab_], b.stride[slab_], c.stride[slab_]};
      else if (elements > 1 &&
               (a.stride[slab_] != t.a * t.extent || b.stride[slab_] != t.b * t.extent ||
                c.stride[slab_] != t.c * t.extent))
        return {};
      batch.count = 1;
      t.extent *= elements;
    }
    const auto only = [](const auto& g) { return g.count == 0 ? step_loop{} : g.loops[0]; };
    if (groups.batch.count > 1 || groups.rows.count > 1 || groups.columns.count > 1 ||
        groups.sums.count != 1 || groups.rows.count + groups.columns.count == 0)
      return {};
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
      return {};
    product.problem_a = t.a;
    product.problem_b = t.b;
    product.problem_c = t.c;
    product.count = t.extent;
    product.finishes = is_final(s);
    return product;
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
  std::vector<stretch> in_workspace_;      ///< stages are phases
  index common_entries_ = 0;               ///< there, of values without the batch
  int slab_ = -1;                          ///< a label
  label_set fused_ = 0, fused_batch_ = 0;  ///< steps, and the labels that are their batch
};

/// The program of a plan; `sources` by input. The problem has no unknown extents, and is not empty.
template <limits L>
device_program lower_device(const problem<L>& p, const contraction_plan<L>& plan,
                            const device_source* sources, const device_source& output,
                            const device_capabilities& d) {
  device_lowering<L> lowering(p, plan, sources, output, d);
  device_program whole = lowering.run();
  const int batch = lowering.slab_label();
  const index bytes = lowering.entries_of_elements(whole) * static_cast<index>(bytes_of(p.type));
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
