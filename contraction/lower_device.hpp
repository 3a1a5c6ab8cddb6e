#pragma once

#include <algorithm>
#include <tenfold/backend/interface/select/device_programs.hpp>
#include <tenfold/contraction/device_values.hpp>
#include <tenfold/contraction/product_groups.hpp>
#include <vector>

/// plan -> device program.
///
/// Steps whose results carry the batch are one phase: blocks take elements of the batch through all
/// of them, and what one step leaves for the next lies in shared memory. Other steps are a phase
/// each, and what they leave lies in the workspace. Unlike `lower` this runs when the program runs:
/// on a device all text is compiled then.
namespace tenfold {

template <limits L>
class device_lowering : private device_values<L> {
  using base = device_values<L>;
  using base::extent, base::is_alias, base::is_final, base::lay, base::lay_out, base::n_,
      base::order_of, base::output, base::plan_, base::points, base::problem_, base::read,
      base::result_labels, base::root, base::scratch_entries, base::value, base::values_;
  using typename base::placed_value;

 public:
  device_lowering(const problem<L>& p, const contraction_plan<L>& plan,
                  const device_source* sources, const device_source& to,
                  const device_capabilities& d)
      : base(p, plan, sources, to), device_(d) {
    out_.type = p.type;
  }

  device_program run() {
    choose_batch();
    for (int s = 0; s < plan_.step_count; ++s) {
      values_.push_back(place_of_result(s));
      if (is_alias(s)) continue;
      if (contains(fused_, s)) continue;
      if (emit_product(s) || emit_shared_sums(s)) continue;
      device_phase phase;
      phase.plan_steps = bit(s);
      set_batch(phase, outermost(s));
      emit(phase, s);
      add(std::move(phase));
    }
    if (fused_ != 0) emit_fused();
    return std::move(out_);
  }

 private:
  placed_value place_of_result(int s) {
    if (is_final(s)) return output();
    if (is_alias(s)) return read(s);
    if (contains(fused_, s)) return {};  // emit_fused will say
    auto [p, entries] = lay(plan_.steps[s].order, 0, device_memory::global);
    p.whose = device_buffer::workspace;
    p.offset = out_.workspace_entries;
    out_.workspace_entries += entries;
    return p;
  }

  // --- what is fused ---

  /// Whether no step sums over a label, fixes it, or calls it by another name.
  bool stays(int label) const {
    for (int s = 0; s < plan_.step_count; ++s) {
      const plan_step<L>& step = plan_.steps[s];
      if (contains(step.contracted, label) || step.fixed_label == label) return false;
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
    const auto fits = [&] { return scratch_entries(fused, batch) <= room(); };
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

  /// Elements of the phase are the values of these labels.
  void set_batch(device_phase& phase, label_set labels) {
    batch_ = labels;
    std::vector<int> loops;
    for (int l = 0; l < problem_.label_count; ++l) {
      if (contains(labels, l)) loops.push_back(l);
    }
    const placed_value to = output();
    std::stable_sort(loops.begin(), loops.end(), [&](int x, int y) {
      return select::magnitude(to.stride[x]) > select::magnitude(to.stride[y]);
    });
    batch_order_ = loops;
    phase.batch_loops = static_cast<int>(loops.size());
    for (std::size_t i = 0; i < loops.size(); ++i) phase.extents[i] = extent(loops[i]);
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
      const step_loop loop{extent(l), a.stride[l], b.stride[l], c.stride[l]};
      if (contains(step.contracted, l)) {
        groups.sums.add(loop);
      } else {
        const bool in_a = contains(a.labels, l), in_b = contains(b.labels, l);
        (in_a && in_b ? groups.batch : in_a ? groups.rows : groups.columns).add(loop);
      }
    }
    for (auto* g : {&groups.batch, &groups.rows, &groups.columns, &groups.sums})
      g->count = fold(g->loops, g->count);
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
    if (select::device_shares_product(m.extent * n.extent * t.extent, k.extent) ||
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
  /// warp one sum, or a part of it. Parts wait in the workspace for a second phase that adds them
  /// up.
  bool emit_shared_sums(int s) {
    const plan_step<L>& said = plan_.steps[s];
    const index lines = points(result_labels(s)), terms = points(said.contracted);
    if (!select::device_shares_sums(lines, terms, device_)) return false;
    device_phase phase;
    phase.plan_steps = bit(s);
    set_batch(phase, 0);
    emit(phase, s, false);
    device_step& step = phase.steps[0];
    step.lanes = device_.warp;
    device_loop* const line_loops = phase.loops.data() + step.first_loop;
    device_loop* const sums = line_loops + step.line_loops;
    // The threads of a warp go along neighbours, or along the longest loop if those are few.
    if (sums[step.sum_loops - 1].extent < device_.warp) {
      device_loop* const longest =
          std::max_element(sums, sums + step.sum_loops,
                           [](const auto& x, const auto& y) { return x.extent < y.extent; });
      std::swap(*longest, sums[step.sum_loops - 1]);
    }
    const auto longest = static_cast<index>(sums[0].extent);
    const index parts = std::min(select::device_sum_parts(lines, terms, device_), longest);
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

  void emit_fused() {
    device_phase phase;
    phase.shares = true;
    set_batch(phase, fused_batch_);
    phase.element_entries = lay_out(fused_, batch_, [&](int s, index at) {
      placed_value p = lay(plan_.steps[s].order, batch_, device_memory::element).place;
      p.offset = at;
      value(n_ + s) = p;
    });
    for (int s = 0; s < plan_.step_count; ++s) {
      if (is_alias(s)) value(n_ + s) = read(s);
    }
    stage_tables(phase);
    for (int s = 0; s < plan_.step_count; ++s) {
      if (!contains(fused_, s) || is_alias(s)) continue;
      phase.plan_steps |= bit(s);
      emit(phase, s);
    }
    add(std::move(phase));
  }

  /// Inputs that all elements read come to shared memory once for each block, converted. Labels
  /// along which a thread reads a row lie next to each other, so that one load brings several.
  void stage_tables(device_phase& phase) {
    const index size = static_cast<index>(bytes_of(problem_.type));
    std::vector<int> staged;
    for (int v = 0; v < n_; ++v) {
      placed_value& x = value(v);
      if ((x.labels & batch_) != 0 || x.labels == 0 || x.mapped || !is_read_in_fused(v)) continue;
      auto [table, entries] = lay(problem_.inputs[v].order, 0, device_memory::block);
      if (entries * size > select::device_table_bytes ||
          (phase.block_entries + phase.element_entries + entries) * size >
              select::device_table_room(device_))
        continue;
      // The same entries under other labels are there already.
      const auto twin = std::find_if(staged.begin(), staged.end(), [&](int before) {
        return problem_.same[before] == problem_.same[v];
      });
      if (twin != staged.end()) {
        const placed_value& there = value(*twin);
        const auto &order = problem_.inputs[v].order, &its = problem_.inputs[*twin].order;
        bool alike = order.count == its.count;  // merged labels are those of one operand, too
        for (int i = 0; alike && i < order.count; ++i) alike = extent(order[i]) == extent(its[i]);
        if (alike) {
          x = base::renamed(there, its, order);
          continue;
        }
      }
      table.offset = phase.block_entries;
      phase.block_entries += entries;
      copy(phase, x, table);
      x = table;
      staged.push_back(v);
    }
    phase.first_step = static_cast<int>(phase.steps.size());
  }
  bool is_read_in_fused(int v) const {
    for (int s = 0; s < plan_.step_count; ++s) {
      if (contains(fused_, s) && !is_alias(s) && (plan_.steps[s].a == v || plan_.steps[s].b == v))
        return true;
    }
    return false;
  }

  // --- steps ---

  device_operand operand(device_phase& phase, const placed_value& x) {
    device_operand o;
    o.where = x.where;
    o.type = x.type;
    o.conjugated = x.conjugated;
    o.mapped = x.mapped;
    o.wide_map = x.wide_map;
    if (x.where != device_memory::global) {
      o.offset = x.offset;
      return o;
    }
    phase_place place{x.whose, x.slot, x.mapped, x.offset};
    place.type = x.type;
    for (std::size_t i = 0; i < batch_order_.size(); ++i)
      place.steps[i] = x.stride[batch_order_[i]];
    const auto at = std::find(phase.places.begin(), phase.places.end(), place);
    o.place = static_cast<int>(at - phase.places.begin());
    if (at == phase.places.end()) phase.places.push_back(place);
    return o;
  }

  void copy(device_phase& phase, const placed_value& from, const placed_value& to) {
    placed_step step{from, nullptr, nullptr, to};
    step.lines = from.labels;
    emit(phase, step);
  }

  /// A step with its values in place.
  struct placed_step {
    const placed_value& a;
    const placed_value *b, *add;
    placed_value to;
    label_set lines = 0, sums = 0;
    int sign = 1;
    bool is_last = false;
    bool by_rows = true;  ///< a thread may compute several rows
  };

  void emit(device_phase& phase, int s, bool by_rows = true) {
    const plan_step<L>& said = plan_.steps[s];
    const placed_value a = read(s);
    const auto given = [&](int v) { return v < 0 ? nullptr : &value(v); };
    placed_step step{a, given(said.b), given(said.c), value(n_ + s)};
    step.lines = result_labels(s) & ~batch_;
    step.sums = said.contracted;
    step.sign = said.sign;
    step.is_last = is_final(s);
    step.by_rows = by_rows;
    emit(phase, step);
  }

  void emit(device_phase& phase, const placed_step& said) {
    device_step step;
    step.a = operand(phase, said.a);
    if (said.b != nullptr) step.b = operand(phase, *said.b);
    if (said.add != nullptr) step.add = operand(phase, *said.add);
    step.to = operand(phase, said.to);
    step.sign = said.sign;
    step.scatters = said.is_last && said.to.mapped;
    step.finishes = said.is_last && !said.to.mapped;
    const auto along = [&](int l) {
      const auto stride = [&](const placed_value* x) { return x != nullptr ? x->stride[l] : 0; };
      return device_loop{extent(l), said.a.stride[l], stride(said.b), stride(said.add),
                         said.to.stride[l]};
    };
    label_set lines = said.lines;
    const int rows = row_label(said);
    if (rows >= 0) {
      lines &= ~bit(rows);
      step.rows = along(rows);
      step.row_count = extent(rows);
      const index most = select::device_rows_at_most(problem_.type);
      step.rows.extent = select::chunks(step.row_count, most).longer;
    }
    step.first_loop = static_cast<int>(phase.loops.size());
    step.line_loops = add_loops(
        phase, lines, along, [&](int l) { return select::magnitude(neighbours(said).stride[l]); });
    step.sum_loops = add_loops(phase, said.sums, along, [&](int l) {
      const device_loop x = along(l);
      return std::max(select::magnitude(x.a), select::magnitude(x.b));
    });
    phase.steps.push_back(step);
  }
  template <class Along, class Stride>
  int add_loops(device_phase& phase, label_set labels, const Along& along, const Stride& stride) {
    std::vector<int> order;
    for (int l = 0; l < problem_.label_count; ++l) {
      if (contains(labels, l) && extent(l) != 1) order.push_back(l);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](int x, int y) { return stride(x) > stride(y); });
    for (const int l : order) phase.loops.push_back(along(l));
    return static_cast<int>(order.size());
  }

  /// The operand whose neighbours neighbouring threads shall touch: the result where that is in the
  /// device's memory, else what is read there.
  const placed_value& neighbours(const placed_step& s) const {
    if (s.to.where == device_memory::global) return s.to;
    for (const placed_value* x : {&s.a, s.b}) {
      if (x != nullptr && x->where == device_memory::global && (x->labels & s.lines) != 0)
        return *x;
    }
    return s.to;
  }

  /// The label whose values one thread computes: one of the result that either a or b lacks, so
  /// that what the other brings is used for all of them. -1: none, or too few lines would be left.
  /// Where neighbours lie in the device's memory they are left to neighbouring threads.
  int row_label(const placed_step& s) const {
    if (s.b == nullptr || !s.by_rows) return -1;
    const label_set of_one = s.a.labels ^ s.b->labels;
    const placed_value& n = neighbours(s);
    int best = -1;
    double saved = 0;
    for (int l = 0; l < problem_.label_count; ++l) {
      if (!contains(s.lines & of_one, l) || extent(l) < 2) continue;
      if (n.where == device_memory::global && contains(n.labels, l) &&
          select::magnitude(n.stride[l]) == 1 && points(s.lines & n.labels) > extent(l))
        continue;
      // Of each term one load is saved for each row but the first.
      const index rows = std::min(extent(l), select::device_rows_at_most(problem_.type));
      const double now = 1 - 1 / static_cast<double>(rows);
      const placed_value& varies = contains(s.a.labels, l) ? s.a : *s.b;
      const bool small = varies.where == device_memory::block;
      if (now + small > saved) {
        saved = now + small;
        best = l;
      }
    }
    return best;
  }

  const device_capabilities& device_;
  device_program out_;
  label_set fused_ = 0, fused_batch_ = 0;  ///< steps, and the labels that are their batch
  label_set batch_ = 0;                    ///< of the phase that is made
  std::vector<int> batch_order_;           ///< the same, outermost first
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
