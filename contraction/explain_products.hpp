#pragma once

#include <tenfold/contraction/explained_values.hpp>

/// Phases that are one step -> explanation: batched products, and what runs as a whole.
namespace tenfold {

template <limits M, limits L, class Program>
class explaining_products : protected explained_values<M, L, Program> {
  using base = explained_values<M, L, Program>;

 protected:
  using base::caps_, base::n_, base::out_, base::overwrites_, base::plan_, base::problem_,
      base::program_, base::static_tiles_;
  using base::classify, base::in_tiles, base::labels_of, base::workspace;
  using base::explained_values;

  struct chosen_product {
    gemm_shape said;
    select::gemm_choice choice;
  };
  /// The batched product that a step is, or the one product of which its problems are the rows.
  constexpr chosen_product product_of(const explained_phase& in, const program_step& step,
                                      int width) const {
    const auto choice_of = [&](const gemm_shape& s) {
      return select::gemm(s, width, select::tuning_of(caps_, s));
    };
    const gemm_shape s = gemm_of(step, problem_.type);
    const gemm_shape turned = transposed(s);
    const bool are_turned = !select::are_rows_of_one(s) && select::are_rows_of_one(turned);
    if (!are_turned && !select::are_rows_of_one(s)) return {s, choice_of(s)};
    const index count =
        in.tiles.count == 0 ? 1 : nominal(out_.extents[out_.orders[in.tiles.begin]]);
    const operand_ref& rows = are_turned ? step.b : step.a;
    const gemm_shape one = select::one_of_rows(are_turned ? turned : s, count, rows.tile_stride[0],
                                               step.c.tile_stride[0]);
    select::gemm_choice choice = choice_of(select::as_many_rows(one));
    choice.transposed = choice.transposed != are_turned;
    return {are_turned ? transposed(one) : one, choice};
  }

  /// A batched product: its lanes, and the register tile of one problem or of one tile of problems.
  constexpr void product(explained_phase& in, const program_step& step) {
    explained_step& e = out_.steps[step.origin];
    const int width = caps_.lanes(problem_.type);
    const auto [said, choice] = product_of(in, step, width);
    const gemm_tuning tuned = select::tuning_of(caps_, said);
    const bool by_lanes = choice.path == select::gemm_path::by_lanes;
    const gemm_shape s = choice.transposed ? transposed(said) : said;
    const select::gemm_scratch copied =
        by_lanes ? select::lanes_scratch(s, width) : select::columns_scratch(s, width);
    const bool uniform = !by_lanes || select::is_uniform(s.a, s.type);
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
    const select::product_tiling over =
        by_lanes ? select::tiling_by_lanes(s, width, caps_.registers, tuned)
                 : select::tiling_by_columns(s,
                                             select::code_by_columns(s, width, caps_.registers,
                                                                     caps_.model, tuned, carried),
                                             width, caps_.registers, !overwrites_);
    e.width = in.width = over.lanes;
    e.row_extent = over.rows;
    e.column_extent = over.columns;
    e.rows = over.tile.m;
    e.columns = over.tile.n;
    e.why = over.why;
    const label_set from = by_lanes ? in_tiles(in) : choice.transposed ? e.m : e.n;
    for (int l = problem_.label_count - 1; l >= 0 && in.lane < 0; --l) {
      if (contains(from & plan_.steps[step.origin].labels, l)) in.lane = l;
    }
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
    const select::tile_shape streamed = select::streamed_tile(caps_.registers, problem_.type);
    if (streamed != tile && select::takes_streamed_tile(step.blocks.k)) e.streamed = streamed;
    const auto& order = plan_.steps[s].order;
    for (int i = order.count - 1; i >= 0 && in.lane < 0; --i) {
      if (contains(turned ? e.m : e.n, order[i])) in.lane = order[i];
    }
    in.vectors = tile.n;
  }
};

}  // namespace tenfold
