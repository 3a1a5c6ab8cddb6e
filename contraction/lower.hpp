#pragma once

#include <tenfold/contraction/lower_product.hpp>
#include <tenfold/contraction/lower_steps.hpp>
#include <utility>

/// plan -> tile program.
///
/// From the root down, the steps of the plan are gathered into phases (phases.hpp). Within a phase
/// each pairwise step folds to
///   [outer][k][n lanes] -> [outer][m][n lanes],
/// because intermediates keep the label order of the operand that carries the lanes.
///
/// The classes, each the base of the next, and what each of them knows or does:
///   plan_values      the values of the plan
///   whole_steps      which steps are a phase of their own
///   phases           which of the others run together, and along which lanes
///   step_units       which steps of a phase run as one
///   slabs            which run slab by slab
///   program_builder  the program in the making
///   whole_lowering   (lower_whole.hpp) emits steps that are a phase of their own
///   tile_values      where values lie while a tile is computed
///   step_lowering    (lower_steps.hpp) emits the steps of a tile
///   lowering         emits the phases, from the root down
namespace tenfold {

/// Room for the programs of expressions within L: tight where compile time pays for it (a program
/// that does not fit is planned at run time), ample at run time.
template <limits L>
using static_program = program<6, L.most_steps() + L.operands + 6, 2 * L.most_steps()>;
template <limits L>
using dynamic_program = program<6 * L.operands, 24 * L.operands, 24 * L.operands * L.rank>;

template <limits L, class Program>
class lowering : private step_lowering<L, Program> {
  using base = step_lowering<L, Program>;
  using base::aligned, base::append, base::emit_slabs, base::emit_unit, base::external,
      base::for_each_external, base::is_final, base::is_whole, base::labels_of, base::lanes_direct,
      base::matrix_in_halves, base::may_overlap, base::next_phase, base::scatters, base::slabs_from,
      base::tile_work, base::unit_from;
  using base::caps_, base::halves_, base::n_, base::out_, base::plan_, base::points_,
      base::problem_, base::units_;
  using typename base::place;
  using typename base::slab_run;

 public:
  constexpr lowering(const problem<L>& p, const contraction_plan<L>& plan, const capabilities& caps,
                     bool overwrites)
      : base(p, plan, caps, overwrites) {}

  constexpr Program run() {
    out_.type = problem_.type;
    const int root = plan_.step_count - 1;
    out_.unrolled = is_unrolled();
    if (out_.unrolled || base::is_reduced(root) ||
        !lower_product(problem_, plan_, caps_, base::is_blocked(root), out_))
      lower_phase(root);
    return out_;
  }

 private:
  /// Whether all of it is a few scalars or vectors in a row, without a loop over tiles.
  constexpr bool is_unrolled() const {
    if (some_extent_is(problem_, dyn)) return false;
    double points = 0;
    for (int s = 0; s < plan_.step_count; ++s) {
      if (is_whole(s)) return false;
      points += points_(plan_.steps[s].labels);
    }
    return select::is_unrolled(plan_.flops, points, plan_.step_count, problem_.type, caps_);
  }

  constexpr void lower_phase(int root) {
    if (contains(lowered_, root)) return;
    lowered_ |= bit(root);
    if (is_whole(root)) {
      out_.feasible = out_.feasible && base::has_known_sizes(root);
      for (const int v : base::values_read_by(root)) {
        if (v >= n_ && out_.feasible) lower_phase(v - n_);
      }
      if (out_.feasible) base::emit_whole(root);
      return;
    }
    phase_shape shape = base::choose(root, out_.unrolled);
    out_.feasible = out_.feasible && shape.found;
    if (!out_.feasible) return;
    for_each_external(shape, [&](int v) {
      if (v >= n_ && v != n_ + root) lower_phase(v - n_);
    });
    if (!out_.feasible) return;
    if (!is_final(root)) base::wait_in_workspace(root);
    if (!out_.feasible) return;
    if (shape.lane < 0) return emit(shape, 0, false);

    emit_halves(shape);
    bool direct = false;
    for_each_external(shape, [&](int v) {
      direct = direct || (contains(labels_of(v), shape.lane) && lanes_direct(v, shape.lane));
    });
    const index extent = problem_.extent[shape.lane];
    const int span = shape.width * shape.vectors;
    if (!direct) {
      if (shape.vectors == 1) return emit(shape, 0, true);
      emit(shape, 0, false);
      if (extent % span == 0) return;
      phase_shape rest = shape;
      std::swap(rest.vectors, rest.other_vectors);
      return emit(rest, span, true);
    }
    shape.has_rest = (extent == dyn || extent % shape.width != 0) &&
                     !may_overlap(shape.root, shape.width, extent);
    phase_shape one = shape;
    std::swap(one.vectors, one.other_vectors);
    phase_shape rest = one;
    rest.pack_all = true;
    if (extent == dyn || extent >= span) emit(shape, 0, false);
    if (shape.vectors > 1 && extent % span >= shape.width) emit(one, span, false);
    if (extent != dyn && extent % shape.width == 0) return;
    if (!shape.has_rest) {
      emit(one, 0, false);
      out_.phases[static_cast<std::size_t>(out_.phase_count - 1)].overlaps = true;
    } else {
      emit(rest, shape.width, true);
    }
  }

  /// Halves the matrices that steps of the phase apply so, once for all its tiles.
  constexpr void emit_halves(const phase_shape& shape) {
    program_phase* phase = nullptr;
    for (int s = 0; s <= shape.root; ++s) {
      if (!contains(shape.members, s)) continue;
      int k = 0, q = 0;
      const int v = matrix_in_halves(shape, s, k, q);
      if (v < 0 || halves_[v].ref.value >= 0) continue;
      if (phase == nullptr) phase = next_phase();
      if (phase == nullptr) return;
      const place whole = external({}, v);
      const index rows = problem_.extent[q], columns = problem_.extent[k];
      place& made = halves_[v];
      made.ref.value = v;
      made.ref.where = buffer::workspace;
      made.ref.offset = out_.workspace_entries;
      made.ref.type = problem_.type;
      made.stride[q] = columns;
      made.stride[k] = 1;
      out_.workspace_entries += aligned(rows * columns);
      auto& step = append(step_kind::halve, s);
      step.a = whole.ref;
      step.c = made.ref;
      step.m = {rows, whole.stride[q], 0, columns};
      step.k = {columns, whole.stride[k], 0, 1};
      step.halves = problem_.inputs[v].symmetry;
      phase->step_count = out_.step_count - phase->first_step;
    }
  }

  constexpr void emit(const phase_shape& shape, int skip_span, bool partial) {
    program_phase* const next = next_phase();
    if (next == nullptr) return;
    program_phase& phase = *next;
    const auto& order = plan_.steps[shape.root].order;
    for (int i = 0; i < order.count; ++i) {
      if (contains(shape.tiles, order[i])) base::add_tile_loop(phase, order[i]);
    }
    if (shape.lane >= 0) phase.lane = {problem_.extent[shape.lane], shape.lane};
    phase.width = shape.width;
    phase.vectors = shape.vectors;
    phase.skip_span = skip_span;
    phase.partial = partial;
    phase.tile_flops = tile_work(shape);
    phase.scatters = scatters(shape.root);
    base::begin_tile();
    for (int s = 0; s <= shape.root; ++s) {
      if (contains(shape.members, s)) units_[s] = unit_from(shape, s);
    }
    index peak = 0;

    place results[L.most_steps()] = {};
    for (int s = 0; s <= shape.root && out_.feasible;) {
      if (const slab_run run = slabs_from(shape, s); run.last > s) {
        emit_slabs(shape, s, run, results, peak);
        s = run.last + 1;
      } else {
        s = emit_unit(shape, s, results, peak);
      }
    }
    phase.step_count = out_.step_count - phase.first_step;
    phase.scratch_entries = peak;
  }

  label_set lowered_ = 0;  ///< roots of the phases that are there, as a set of steps
};

/// plan -> program for the given capabilities. `overwrites`: the result is not read (beta = 0).
/// The result is not `feasible` when an extent or stride that shapes the code is not known, or when
/// the program does not fit in `Program`.
template <class Program, limits L>
constexpr Program lower(const problem<L>& p, const contraction_plan<L>& plan,
                        const capabilities& caps, bool overwrites = true) {
  return lowering<L, Program>(p, plan, caps, overwrites).run();
}

}  // namespace tenfold
