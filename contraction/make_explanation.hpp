#pragma once

#include <array>
#include <string_view>
#include <tenfold/contraction/explanation.hpp>
#include <tenfold/contraction/lower.hpp>
#include <tenfold/contraction/merge_labels.hpp>

/// Everything that planning decided -> explanation. What was decided is read off the plan and the
/// program; why is asked of the functions of select that decided it.
namespace tenfold {

template <limits M, limits L, class Program>
class explaining {
 public:
  /// `program` may be null: then only the call will tell. `extents` by label are those of the call,
  /// `dyn` where not known; `overwrites` is what the program was lowered with; `static_tiles` says
  /// which micro-kernels will run.
  constexpr explaining(const statements<L>& said, const label_names<L>& names,
                       std::string_view text, const problem<L>& p, const contraction_plan<L>& plan,
                       const Program* program, const capabilities& caps, const index* extents,
                       bool overwrites, bool static_tiles)
      : said_(said),
        names_(names),
        text_(text),
        problem_(p),
        plan_(plan),
        program_(program),
        caps_(caps),
        overwrites_(overwrites),
        static_tiles_(static_tiles),
        n_(p.input_count) {
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
  // --- labels, points, bytes ---------------------------------------------------------------

  constexpr void name(int l) {
    label_text& to = out_.names[l];
    const label_name& from = names_.name[l];
    to.length = from.length <= label_text::max_length ? from.length : label_text::max_length;
    for (int i = 0; i < to.length; ++i) {
      to.text[i] = text_[static_cast<std::size_t>(from.begin + i)];
    }
    if (from.length > to.length) to.text[to.length - 1] = '~';
  }

  template <int R>
  constexpr label_order put(const label_list<R>& labels) {
    const label_order at{out_.order_count, labels.count};
    for (int i = 0; i < labels.count; ++i) {
      out_.orders[out_.order_count++] = static_cast<std::uint8_t>(labels[i]);
    }
    return at;
  }
  /// The same of what planning made: labels that it had merged are told as they were said.
  template <int R>
  constexpr label_order put_unmerged(const label_list<R>& labels) {
    label_list<L.labels> said;
    for (int i = 0; i < labels.count; ++i)
      for_each_merged(problem_, labels[i], [&](int each) { said.push(each); });
    return put(said);
  }

  constexpr label_set labels_of(int value) const {
    return value < n_ ? problem_.inputs[value].labels : plan_.steps[value - n_].order.set();
  }

  constexpr monomial points(label_set merged) const {
    const label_set labels = before_merging(problem_, merged);
    monomial m{1, 0};
    for (int l = 0; l < problem_.label_count; ++l) {
      if (!contains(labels, l)) continue;
      if (out_.extents[l] == dyn) {
        m.unknown |= bit(l);
      } else {
        m.factor *= static_cast<double>(out_.extents[l]);
      }
    }
    return m;
  }
  constexpr monomial bytes(label_set labels, scalar type) const {
    monomial m = points(labels);
    m.factor *= static_cast<double>(bytes_of(type));
    return m;
  }
  constexpr scalar type_of(int value) const {
    if (value < n_) return problem_.inputs[value].type;
    return value == n_ + plan_.step_count - 1 ? problem_.output.type : problem_.type;
  }
  /// Work that the plan counted once for each value of the labels that it did not know.
  constexpr monomial times_unknown(double work, label_set labels) const {
    label_set left_out = 0;
    for (int l = 0; l < problem_.label_count; ++l) {
      if (contains(labels, l) && problem_.extent[l] == dyn) left_out |= bit(l);
    }
    monomial m = points(left_out);
    m.factor *= work;
    return m;
  }

  static constexpr double intensity(const amount& flops, const amount& bytes) {
    const label_set many = flops.unknown() | bytes.unknown();
    const double per = bytes.factor_of(many);
    return per > 0 ? flops.factor_of(many) / per : 0;
  }

  // --- steps -------------------------------------------------------------------------------

  constexpr void classify(explained_step& e, const plan_step<L>& step) {
    const label_set a = labels_of(e.a.value), b = e.b.value >= 0 ? labels_of(e.b.value) : 0;
    const label_set kept = step.labels & ~step.contracted;
    e.batch = before_merging(problem_, a & b & kept);
    e.m = before_merging(problem_, a & ~b & kept);
    e.n = before_merging(problem_, b & ~a & kept);
    e.k = before_merging(problem_, step.contracted);
    e.batch_extent = points(e.batch);
    e.m_extent = points(e.m);
    e.n_extent = points(e.n);
    e.k_extent = points(e.k);
  }

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
    if (step.renames) e.kernel = micro_kernel::renamed;
    if (!step.renames) classify(e, step);
  }

  // --- phases ------------------------------------------------------------------------------

  constexpr void phase(int f) {
    const program_phase& from = program_->phases[static_cast<std::size_t>(f)];
    if (f >= explanation<M>::max_phases) return;
    explained_phase& to = out_.phases[out_.phase_count++];
    if (program_->steps[static_cast<std::size_t>(from.first_step)].kind == step_kind::halve) {
      to.halved = from.step_count;
      return;
    }
    int root = 0;
    for (int i = 0; i < from.step_count; ++i) {
      const program_step& step = program_->steps[static_cast<std::size_t>(from.first_step + i)];
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
    const program_step& only = program_->steps[static_cast<std::size_t>(from.first_step)];
    if (only.kind == step_kind::gemm) return product(to, only);
    if (is_whole(only.kind)) return whole(to, only);
    costs(to, root);
    if (to.remainder) return;
    std::array<int, 2> together{};  // plan steps that run together: from, to
    int end_of_sandwich = 0;
    for (int i = 0; i < from.step_count; ++i) {
      const program_step& step = program_->steps[static_cast<std::size_t>(from.first_step + i)];
      if (step.slabs.steps > 0 && to.slab_count < explained_phase::max_slabs) {
        const auto last = static_cast<std::size_t>(from.first_step + i + step.slabs.steps - 1);
        to.in_slabs[to.slab_count++] = {step.origin, program_->steps[last].origin,
                                        step.slabs.count};
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

  /// The batched product that a step is, or the one product of which its problems are the rows.
  constexpr gemm_shape product_of(const explained_phase& in, const program_step& step) const {
    const gemm_shape s = gemm_of(step, problem_.type);
    const index count =
        in.tiles.count == 0 ? 1 : nominal(out_.extents[out_.orders[in.tiles.begin]]);
    if (select::are_rows_of_one(s))
      return select::one_of_rows(s, count, step.a.tile_stride[0], step.c.tile_stride[0]);
    if (const gemm_shape turned = transposed(s); select::are_rows_of_one(turned))
      return transposed(
          select::one_of_rows(turned, count, step.b.tile_stride[0], step.c.tile_stride[0]));
    return s;
  }

  /// A batched product: its lanes, and the register tile of one problem or of one tile of problems.
  constexpr void product(explained_phase& in, const program_step& step) {
    explained_step& e = out_.steps[step.origin];
    const int width = caps_.lanes(problem_.type);
    const gemm_shape said = product_of(in, step);
    const gemm_tuning tuned = select::tuning_of(caps_, said);
    const select::gemm_choice choice = select::gemm(said, width, tuned);
    const bool by_lanes = choice.path == select::gemm_path::by_lanes;
    const gemm_shape s = choice.transposed ? transposed(said) : said;
    const select::gemm_scratch copied =
        by_lanes ? select::lanes_scratch(s, width) : select::columns_scratch(s, width);
    const bool uniform = !by_lanes || s.a.shared;
    const auto reached_as = [&](index in_scratch, bool broadcast, const operand_ref& ref) {
      explained_operand x;
      x.value = ref.value;
      x.how = in_scratch > 0 ? reach::packed : broadcast ? reach::broadcast : reach::in_place;
      // The entries that become lanes are those of neighbouring problems, or columns.
      if (in_scratch > 0)
        x.apart = by_lanes ? ref.tile_stride[0] : &ref == &step.c ? s.c.column : s.b.column;
      return x;
    };
    e.a = reached_as(choice.transposed ? copied.b : copied.a, choice.transposed ? false : uniform,
                     step.a);
    e.b = reached_as(choice.transposed ? copied.a : copied.b, choice.transposed ? uniform : false,
                     step.b);
    e.c = reached_as(copied.c, false, step.c);
    classify(e, plan_.steps[step.origin]);
    e.kernel = by_lanes ? micro_kernel::gemm_by_lanes : micro_kernel::gemm_by_columns;
    e.phase = out_.phase_count - 1;
    const bool carried =
        !(static_tiles_ && select::has_static_code(gemm_of(step, problem_.type), width, tuned));
    const bool known = !by_lanes && !carried && overwrites_;
    const bool by_rows = !by_lanes && !carried && select::multiplies_by_rows(s, width);
    const bool flat = known && !by_rows && select::flattens_rows(s, width, caps_.registers);
    const int lanes = by_lanes || flat ? width
                      : by_rows        ? select::lanes_of_rows(s.n, width, problem_.type)
                      : !carried && tuned.narrows != 0
                          ? select::narrow_neighbours(s.n, width, problem_.type)
                          : select::neighbours(width, problem_.type);
    e.width = lanes;
    e.row_extent = s.m;
    e.column_extent = by_lanes ? s.n : (s.n + lanes - 1) / lanes;
    select::kept_columns kept;
    if (known && !flat && !by_rows) kept = select::keep_columns(s, lanes, caps_.registers);
    if (kept.vectors > 0) e.column_extent = kept.of;
    if (flat || by_rows) {  // all of C is one row
      e.row_extent = 1;
      e.column_extent = (s.m * s.n + lanes - 1) / lanes;
    }
    const select::tile_shape tile =
        by_lanes  ? select::lanes_tile(s.m, s.n, caps_.registers, problem_.type, uniform, tuned)
        : flat    ? select::flat_tile(s.m, s.n, width)
        : by_rows ? select::tile_shape{1, static_cast<int>(e.column_extent)}
        : kept.vectors > 0
            ? select::tile_shape{select::chunks(s.m, select::kept_rows).longer, kept.vectors}
            : select::columns_tile(s.m, e.column_extent, caps_.registers, problem_.type, tuned,
                                   carried);
    e.rows = tile.m;
    e.columns = tile.n;
    e.why = by_rows               ? select::tile_reason::rows
            : flat                ? select::tile_reason::flattened
            : kept.transposed > 0 ? select::tile_reason::transposed
            : kept.vectors > 0    ? select::tile_reason::kept
            : e.rows == e.row_extent && e.columns == e.column_extent
                ? select::tile_reason::no_more
                : select::tile_reason::registers;
    const label_set from = by_lanes ? in_tiles(in) : choice.transposed ? e.m : e.n;
    for (int l = problem_.label_count - 1; l >= 0 && in.lane < 0; --l) {
      if (contains(from & plan_.steps[step.origin].labels, l)) in.lane = l;
    }
    in.width = lanes;
  }

  /// A step that runs as a whole; what it reads of another scalar it converts on the way.
  constexpr void whole(explained_phase& in, const program_step& step) {
    const int s = step.origin;
    explained_step& e = out_.steps[s];
    classify(e, plan_.steps[s]);
    e.phase = out_.phase_count - 1;
    e.blocks = step.blocks;
    const reach how = step.kind == step_kind::blocked ? reach::panels : reach::in_place;
    for (explained_operand* x : {&e.a, &e.b}) {
      if (x->value < 0) continue;
      x->how = how;
      if (x->value == step.a.value || x->value == step.b.value) continue;
      explained_step& copy = out_.steps[x->value - n_];
      copy.kernel = micro_kernel::conversion;
      copy.a.how = copy.c.how = how;
      copy.phase = e.phase;
      in.steps |= bit(x->value - n_);
    }
    e.c.how = reach::in_place;
    e.width = in.width = select::neighbours(caps_.lanes(problem_.type), problem_.type);
    if (step.c.where == buffer::workspace && plan_.steps[s].c < 0) workspace(e, s);
    switch (step.kind) {
      case step_kind::blocked:
        return blocked(in, e, step);
      case step_kind::reduce:
        e.kernel = micro_kernel::reduce;
        in.lane = nearest_label(e.k, step.a.value);
        return;
      default:
        e.kernel = micro_kernel::pointwise;
        in.lane = nearest_label(plan_.steps[s].labels, n_ + s);
    }
  }
  /// The label, one of some, along which entries of a value are neighbours; -1: there is none.
  constexpr int nearest_label(label_set of, int value) const {
    const bool is_result = value == n_ + plan_.step_count - 1;
    if (value >= n_ && !is_result) {
      const auto& order = plan_.steps[value - n_].order;
      return order.count > 0 && contains(of, order[order.count - 1]) ? order[order.count - 1] : -1;
    }
    const auto& x = is_result ? problem_.output : problem_.inputs[value];
    int best = -1;
    for (int l = 0; l < problem_.label_count; ++l) {
      if (contains(of & x.labels, l) && x.stride[l] == 1) best = l;
    }
    return best;
  }

  /// A product in blocks.
  constexpr void blocked(explained_phase& in, explained_step& e, const program_step& step) {
    const int s = step.origin;
    e.kernel = micro_kernel::blocked;
    // Columns are those of the operand that the step calls B.
    const label_set n = e.n & plan_.steps[s].labels;
    const bool turned = step.b.value >= 0 && (labels_of(step.b.value) & n) != n;
    index rows = 1, columns = 1;
    const step_loop* const loops =
        program_->loops.data() + step.first_loop + step.outer_count + step.k_outer_count;
    for (int l = 0; l < step.row_count; ++l) rows *= loops[l].extent;
    for (int l = 0; l < step.column_count; ++l) columns *= loops[step.row_count + l].extent;
    const select::tile_shape tile = select::blocked_tile(caps_.registers, problem_.type);
    e.row_extent = rows;
    e.column_extent = (columns + e.width - 1) / e.width;
    e.rows = tile.m;
    e.columns = tile.n;
    e.why = select::tile_reason::registers;
    const auto& order = plan_.steps[s].order;
    for (int i = order.count - 1; i >= 0 && in.lane < 0; --i) {
      if (contains(turned ? e.m : e.n, order[i])) in.lane = order[i];
    }
    in.vectors = tile.n;
  }
  constexpr label_set in_tiles(const explained_phase& in) const {
    label_set all = 0;
    for (int i = 0; i < in.tiles.count; ++i) all |= bit(out_.orders[in.tiles.begin + i]);
    return all;
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

  constexpr explained_operand reached(int f, const program_step& step, const operand_ref& ref,
                                      bool result) const {
    explained_operand x;
    x.value = ref.value;
    if (ref.where == buffer::registers) {
      x.how = reach::registers;
      return x;
    }
    if (ref.where != buffer::scratch) {
      const program_phase& in = program_->phases[static_cast<std::size_t>(f)];
      x.how = ref.how == lane_access::uniform && in.width > 1 ? reach::broadcast : reach::in_place;
      return x;
    }
    x.how = reach::scratch;
    const program_phase& in = program_->phases[static_cast<std::size_t>(f)];
    for (int i = 0; i < in.step_count; ++i) {
      const program_step& copy = program_->steps[static_cast<std::size_t>(in.first_step + i)];
      const bool from = copy.kind == step_kind::pack && copy.c.value == ref.value;
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
    const program_phase& in = program_->phases[static_cast<std::size_t>(f)];
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
    const program_phase& in = program_->phases[static_cast<std::size_t>(f)];
    program_step all = step;
    const int first = step.first_loop + step.outer_count + step.k_outer_count;
    for (int i = 0; i < step.row_count; ++i)
      all.m.extent *= program_->loops[static_cast<std::size_t>(first + i)].extent;
    const int rows = select::chunks(all.m.extent, select::listed_rows).longer;
    shape(e, f, in.width, {rows, select::listed_columns(rows)}, all);
  }

  constexpr void halves(explained_step& e, int f, const program_step& step) {
    e.kernel = micro_kernel::even_odd;
    e.why = select::tile_reason::registers;
    const program_phase& in = program_->phases[static_cast<std::size_t>(f)];
    const int columns = select::even_odd_columns(step.m.extent, caps_.registers_for(problem_.type));
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
      const program_step& other = program_->steps[static_cast<std::size_t>(i)];
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
    e.width = program_->phases[static_cast<std::size_t>(f)].width;
  }

  /// The sandwich of phase f that begins with a step of the program.
  constexpr void sandwich(int f, int first) {
    const auto at = [&](int s) -> const program_step& {
      return program_->steps[static_cast<std::size_t>(s)];
    };
    const program_step& there = at(first);
    const int last = first + there.sandwich - 1;
    const program_step& back = at(last);
    const bool in_halves = there.halves != reflection::none;
    const int columns =
        select::sandwich_columns(there.m.extent, back.m.extent, in_halves, there.sandwich - 2,
                                 caps_.registers_for(problem_.type));
    for (int s = first; s <= last; ++s) {
      const program_step& step = at(s);
      explained_step& e = out_.steps[step.origin];
      e.a = reached(f, step, step.a, false);
      e.b = reached(f, step, step.b, false);
      e.c = reached(f, step, step.c, true);
      classify(e, plan_.steps[step.origin]);
      e.kernel = micro_kernel::sandwich;
      e.first = there.origin;
      e.last = back.origin;
      const index rows = step.m.extent;
      shape(e, f, program_->phases[static_cast<std::size_t>(f)].width,
            {static_cast<int>(rows), columns}, step);
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

  constexpr void workspace(explained_step& e, int s) const {
    e.workspace_bytes = static_cast<index>(bytes(plan_.steps[s].order.set(), problem_.type).factor);
  }

  const statements<L>& said_;
  const label_names<L>& names_;
  std::string_view text_;
  const problem<L>& problem_;
  const contraction_plan<L>& plan_;
  const Program* program_;
  const capabilities& caps_;
  bool overwrites_;
  bool static_tiles_;
  int n_;
  index entry_ = static_cast<index>(bytes_of(problem_.type));
  explanation<M> out_{};
};

}  // namespace tenfold
