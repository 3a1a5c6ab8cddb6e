#pragma once

#include <array>
#include <string_view>
#include <tenfold/contraction/explain_products.hpp>

/// Everything that planning decided -> explanation. What was decided is read off the plan and the
/// program; why is asked of the functions of select that decided it.
namespace tenfold {

template <limits M, limits L, class Program>
class explaining : private explaining_products<M, L, Program> {
  using base = explaining_products<M, L, Program>;
  using base::bytes, base::classify, base::intensity, base::labels_of, base::name, base::points,
      base::product, base::put, base::put_unmerged, base::times_unknown, base::type_of, base::whole,
      base::workspace;
  using base::caps_, base::entry_, base::n_, base::out_, base::overwrites_, base::plan_,
      base::problem_, base::program_, base::static_tiles_, base::text_;

 public:
  /// `program` may be null: then only the call will tell. `extents` by label are those of the call,
  /// `dyn` where not known; `overwrites` is what the program was lowered with; `static_tiles` says
  /// which micro-kernels will run.
  constexpr explaining(const statements<L>& said, const label_names<L>& names,
                       std::string_view text, const problem<L>& p, const contraction_plan<L>& plan,
                       const Program* program, const capabilities& caps, const index* extents,
                       bool overwrites, bool static_tiles)
      : base(names, text, p, plan, program, caps, overwrites, static_tiles), said_(said) {
    for (int l = 0; l < p.label_count; ++l) {
      out_.extents[l] = extents[l];
      out_.outside[l] = p.outside[l];
    }
  }

  /// The same of a fused kernel: its inputs have names.
  constexpr explanation<M> run(const explained_input* sources) {
    for (int o = 0; o < n_; ++o) out_.sources[o] = sources[o];
    out_.kernel = text_;
    return run();
  }

  constexpr explanation<M> run() {
    out_.type = problem_.type;
    out_.machine = caps_;
    out_.label_count = problem_.label_count;
    out_.input_count = n_;
    out_.step_count = plan_.step_count;
    for (int l = 0; l < problem_.label_count; ++l) name(l);
    label_set all = 0;
    for (int s = 0; s < L.statements && s < said_.count; ++s) {
      for (int f = 0; f < said_.list[s].factor_count; ++f) {
        const term<L>& factor = said_.list[s].factors[f];
        if (factor.source < n_) {
          out_.inputs[factor.source] = put(factor.labels);
          if (f > 0) out_.before[factor.source] = ',';
        } else if (s > 0 && said_.list[s].kind == statement_kind::sum) {
          const int first = said_.list[factor.source - n_].factors[0].source;
          if (factor.sign < 0 || f > 0) out_.before[first] = factor.sign < 0 ? '-' : '+';
        }
      }
    }
    for (int o = 0; o < n_; ++o) {
      all |= problem_.inputs[o].labels;
      if (problem_.twin[o] == o && !out_.sources[o].again) {
        out_.input_bytes.add(bytes(problem_.inputs[o].labels, problem_.inputs[o].type));
      }
    }
    out_.result = put(said_.list[said_.count - 1].result);
    out_.output_bytes.add(bytes(problem_.output.labels, problem_.output.type));
    out_.naive_flops.add(times_unknown(plan_.naive_flops, all));
    for (int s = 0; s < plan_.step_count; ++s) from_plan(s);
    if (program_ != nullptr) {
      out_.workspace_bytes = program_->workspace_entries * entry_;
      for (int f = 0; f < program_->phase_count; ++f) phase(f);
    }
    for (int s = 0; s < plan_.step_count; ++s) {
      explained_step& step = out_.steps[s];
      for (const explained_operand* x : {&step.a, &step.b, &step.c}) {
        if (x->value < 0 || x->how == reach::registers) continue;
        if (step.kernel == micro_kernel::renamed) continue;
        step.bytes.add(bytes(labels_of(x->value), type_of(x->value)));
      }
      out_.flops.add(step.flops);
      amount flops;
      flops.add(step.flops);
      step.intensity = intensity(flops, step.bytes);
    }
    amount traffic = out_.input_bytes;
    traffic.add(out_.output_bytes);
    out_.intensity = intensity(out_.flops, traffic);
    return out_;
  }

 private:
  constexpr void from_plan(int s) {
    const plan_step<L>& step = plan_.steps[s];
    explained_step& e = out_.steps[s];
    e.a.value = step.a;
    e.b.value = step.b;
    e.c.value = n_ + s;
    e.adds_to = step.c;
    e.sign = step.sign;
    e.order = put_unmerged(step.order);
    e.flops = times_unknown(step.flops, step.labels);
    e.first = e.last = s;
    if (step.renames && s + 1 < plan_.step_count) e.kernel = micro_kernel::renamed;
    classify(e, step);
  }

  // --- phases ------------------------------------------------------------------------------

  constexpr const program_phase& phase_at(int f) const {
    return program_->phases[static_cast<std::size_t>(f)];
  }
  constexpr const program_step& step_at(int i) const {
    return program_->steps[static_cast<std::size_t>(i)];
  }

  constexpr void phase(int f) {
    const program_phase& from = phase_at(f);
    if (f >= explanation<M>::max_phases) return;
    explained_phase& to = out_.phases[out_.phase_count++];
    if (step_at(from.first_step).kind == step_kind::halve) {
      to.halved = from.step_count;
      return;
    }
    int root = 0;
    for (int i = 0; i < from.step_count; ++i) {
      const program_step& step = step_at(from.first_step + i);
      const bool copies = step.kind == step_kind::pack || step.kind == step_kind::unpack;
      if (copies && !converts(step)) continue;
      root = step.origin;
      to.steps |= bit(root);
    }
    for (int other = 0; other < f; ++other) {
      if (out_.phases[other].steps == to.steps) to.remainder = true;
    }
    if (from.lane.slot >= 0 && from.width > 1) to.lane = from.lane.slot;
    label_list<max_tile_loops> tiles;
    for (int t = 0; t < from.tile_count; ++t) {
      tiles.push(from.tiles[static_cast<std::size_t>(t)].slot);
    }
    to.tiles = put_unmerged(tiles);
    to.width = from.width;
    to.vectors = from.vectors;
    to.partial = from.partial;
    to.overlaps = from.overlaps;
    to.tile_flops = from.tile_flops;
    to.task_tiles = static_cast<double>(select::tiles_per_task(from.tile_flops));
    to.scratch_bytes = from.scratch_entries * entry_;
    if (to.scratch_bytes > out_.scratch_bytes) out_.scratch_bytes = to.scratch_bytes;
    const program_step& only = step_at(from.first_step);
    if (only.kind == step_kind::gemm) return product(to, only);
    if (is_whole(only.kind)) return whole(to, only);
    costs(to, root);
    if (to.remainder) return;
    std::array<int, 2> together{};  // plan steps that run together: from, to
    int end_of_sandwich = 0;
    for (int i = 0; i < from.step_count; ++i) {
      const program_step& step = step_at(from.first_step + i);
      if (step.slabs.steps > 0 && to.slab_count < explained_phase::max_slabs) {
        const program_step& last = step_at(from.first_step + i + step.slabs.steps - 1);
        to.in_slabs[to.slab_count++] = {step.origin, last.origin, step.slabs.count};
      }
      if (converts(step)) conversion(f, step);
      if (step.sandwich > 1) {
        sandwich(f, from.first_step + i);
        end_of_sandwich = i + step.sandwich;
      }
      if (i < end_of_sandwich) continue;
      if (step.kind == step_kind::contract) contract(f, step);
      if (step.together > 1) together = {step.origin, step.origin + step.together};
      if (step.kind == step_kind::contract && step.origin < together[1]) {
        explained_step& e = out_.steps[step.origin];
        e.kernel = micro_kernel::together;
        e.first = together[0];
        e.last = together[1] - 1;
      }
    }
  }

  /// Why these lanes: what select says of each candidate.
  constexpr void costs(explained_phase& to, int root) {
    if (program_->unrolled) return;
    const phases<L> ask(problem_, plan_, caps_, overwrites_);
    to.scalar_cost = ask.cost_of(root, -1);
    to.cost = to.lane < 0 ? to.scalar_cost : ask.cost_of(root, to.lane);
    to.scalar_possible = ask.may_take(root, -1);
    const auto& order = plan_.steps[root].order;
    for (int i = 0; i < order.count; ++i) {
      if (order[i] == to.lane || !ask.may_take(root, order[i])) continue;
      const double cost = ask.cost_of(root, order[i]);
      if (to.other < 0 || cost < to.other_cost) {
        to.other = order[i];
        to.other_cost = cost;
      }
    }
  }

  /// What a value is a name of: the result that a renamed one is, the first of inputs with the same
  /// entries.
  constexpr int stored(int value) const {
    while (value >= n_ && out_.steps[value - n_].kernel == micro_kernel::renamed)
      value = plan_.steps[value - n_].a;
    return value >= 0 && value < n_ ? problem_.same[value] : value;
  }

  constexpr explained_operand reached(int f, const program_step& step, const operand_ref& ref,
                                      bool result) const {
    explained_operand x;
    x.value = ref.value;
    if (ref.where == buffer::registers) {
      x.how = reach::registers;
      return x;
    }
    const program_phase& in = phase_at(f);
    if (ref.where != buffer::scratch) {
      x.how = ref.how == lane_access::uniform && in.width > 1 ? reach::broadcast : reach::in_place;
      return x;
    }
    x.how = reach::scratch;
    for (int i = 0; i < in.step_count; ++i) {
      const program_step& copy = step_at(in.first_step + i);
      const bool from = copy.kind == step_kind::pack && stored(copy.c.value) == stored(ref.value);
      const bool to = copy.kind == step_kind::unpack && copy.a.value == ref.value;
      if (copy.origin > step.origin || !(result ? to : from)) continue;
      x.how = copy.a.mapped || copy.c.mapped ? reach::mapped : reach::packed;
      x.apart = result ? copy.c.lane_stride : copy.a.lane_stride;
    }
    return x;
  }

  constexpr void contract(int f, const program_step& step) {
    explained_step& e = out_.steps[step.origin];
    e.a = reached(f, step, step.a, false);
    if (step.b.where != buffer::none) e.b = reached(f, step, step.b, false);
    e.c = reached(f, step, step.c, true);
    classify(e, plan_.steps[step.origin]);
    const program_phase& in = phase_at(f);
    e.kernel = program_->unrolled ? micro_kernel::unrolled : micro_kernel::register_tile;
    if (step.halves != reflection::none) return halves(e, f, step);
    const select::tile_choice tile =
        static_tiles_ ? select::choose_tile(step.m.extent, step.n.extent, sums(step),
                                            caps_.registers_for(problem_.type),
                                            step.a.how == lane_access::lanes)
                      : select::tile_choice{is_row(step) ? select::dynamic_row(problem_.type)
                                                         : select::dynamic_tile(problem_.type),
                                            select::tile_reason::library};
    if (step.row_count > 0)
      listed(e, f, step);
    else
      shape(e, f, in.width, tile.shape, step);
    e.why = e.rows == e.row_extent && e.columns == e.column_extent ? select::tile_reason::no_more
                                                                   : tile.why;
    if (step.c.where == buffer::workspace) workspace(e, step.origin);
  }

  constexpr void listed(explained_step& e, int f, const program_step& step) {
    const program_phase& in = phase_at(f);
    program_step all = step;
    const int first = step.first_loop + step.outer_count + step.k_outer_count;
    for (int i = 0; i < step.row_count; ++i)
      all.m.extent *= program_->loops[static_cast<std::size_t>(first + i)].extent;
    const int rows = select::chunks(all.m.extent, select::listed_rows).longer;
    shape(e, f, in.width, {rows, select::listed_columns(rows)}, all);
  }

  /// The processor that the micro-kernels are compiled for, as far as it is known.
  constexpr processor compiled_for() const {
    return caps_.compiled ? caps_.model : processor::other;
  }

  constexpr void halves(explained_step& e, int f, const program_step& step) {
    e.kernel = micro_kernel::even_odd;
    e.why = select::tile_reason::registers;
    const program_phase& in = phase_at(f);
    const int columns =
        select::even_odd_columns(step.m.extent, caps_.registers_for(problem_.type), compiled_for());
    shape(e, f, in.width, {2 * select::most_pairs, columns}, step);
    if (step.c.where == buffer::workspace) workspace(e, step.origin);
    count_halves(e, step.m.extent, step.k.extent, step.halves);
  }
  constexpr void count_halves(explained_step& e, index rows, index columns, reflection kind) {
    if (kind == reflection::none) return;
    e.in_halves = true;
    const auto m = static_cast<double>(rows), k = static_cast<double>(columns);
    e.flops.factor *= select::even_odd_flops(m, k, kind) / (2 * m * k);
  }

  /// Whether packing is all that a step of the plan asks for.
  constexpr bool converts(const program_step& step) const {
    if (step.kind != step_kind::pack) return false;
    for (int i = 0; i < program_->step_count; ++i) {
      const program_step& other = step_at(i);
      if (other.kind == step_kind::contract && other.origin == step.origin) return false;
    }
    return plan_.steps[step.origin].b < 0;
  }

  constexpr void conversion(int f, const program_step& step) {
    explained_step& e = out_.steps[step.origin];
    e.a.value = plan_.steps[step.origin].a;
    e.a.how = reach::in_place;
    e.c.how = reach::scratch;
    e.kernel = micro_kernel::conversion;
    e.phase = f;
    e.width = phase_at(f).width;
  }

  /// The sandwich of phase f that begins with a step of the program.
  constexpr void sandwich(int f, int first) {
    const program_step& there = step_at(first);
    const int last = first + there.sandwich - 1;
    const program_step& back = step_at(last);
    const bool in_halves = there.halves != reflection::none;
    const int columns =
        select::sandwich_columns(there.m.extent, back.m.extent, in_halves, there.sandwich - 2,
                                 caps_.registers_for(problem_.type), compiled_for());
    for (int s = first; s <= last; ++s) {
      const program_step& step = step_at(s);
      explained_step& e = out_.steps[step.origin];
      e.a = reached(f, step, step.a, false);
      e.b = reached(f, step, step.b, false);
      e.c = reached(f, step, step.c, true);
      classify(e, plan_.steps[step.origin]);
      e.kernel = micro_kernel::sandwich;
      e.first = there.origin;
      e.last = back.origin;
      const index rows = step.m.extent;
      shape(e, f, phase_at(f).width, {static_cast<int>(rows), columns}, step);
      if (s == first || s == last) count_halves(e, rows, step.k.extent, step.halves);
      e.in_halves = in_halves;
      if (step.c.where == buffer::workspace) workspace(e, step.origin);
    }
  }

  /// The tile as it runs: rows and columns are cut into nearly equal parts.
  static constexpr void shape(explained_step& e, int f, int width, select::tile_shape tile,
                              const program_step& step) {
    e.phase = f;
    e.width = width;
    e.row_extent = step.m.extent;
    e.column_extent = step.n.extent;
    e.rows = select::chunks(step.m.extent, tile.m).longer;
    e.columns = select::chunks(step.n.extent, tile.n).longer;
  }

  const statements<L>& said_;
};

}  // namespace tenfold
