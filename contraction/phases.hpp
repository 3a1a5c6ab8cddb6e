#pragma once

#include <tenfold/backend/interface/program.hpp>
#include <tenfold/backend/interface/select.hpp>
#include <tenfold/contraction/whole_steps.hpp>

/// Which steps of a plan run together, and along which label they are vectorized.
///
/// A phase picks the label that becomes its lanes and the labels that become its tile loops among
/// those of its root's result; every step whose result carries all of them belongs to the phase,
/// any other is the root of a phase of its own, run before.
namespace tenfold {

/// What a phase consists of.
struct phase_shape {
  int root = 0;
  int lane = -1;          ///< label, or none
  label_set tiles = 0;    ///< labels of the tile loops
  label_set members = 0;  ///< steps, as a set
  int width = 1, vectors = 1;
  int other_vectors = 1;  ///< of the phase that takes the other part of the lane loop
  bool pack_all = false;  ///< even contiguous lanes go through pack and unpack
  bool found = false;     ///< no unknown extent stays inside a tile
  bool has_rest = false;  ///< there is such a phase, and it packs even contiguous lanes
  int slab = -1;          ///< label of whose values the step at hand sees one at a time (slab_loop)
};

/// Reads a plan and chooses its phases; what each choice costs, select says.
template <limits L>
class phases : protected whole_steps<L> {
  using base = whole_steps<L>;

 public:
  constexpr phases(const problem<L>& p, const contraction_plan<L>& plan, const capabilities& caps,
                   bool overwrites)
      : base(p, plan, caps), overwrites_(overwrites) {}

  /// What select says of taking the lanes of the phase under step `root` from label `lane` (-1:
  /// from none). For explain.
  constexpr double cost_of(int root, int lane) const {
    return select::lane_cost(candidate(root, lane), caps_.lanes(problem_.type));
  }
  /// Whether these lanes could be taken: no unknown extent would stay inside a tile. For explain.
  constexpr bool may_take(int root, int lane) const {
    return covers_unknown(shape_with(root, lane));
  }

  /// The cheapest lanes that leave no unknown extent inside a tile; none `found`, if there are
  /// none.
  constexpr phase_shape choose(int root, bool unrolled) const {
    phase_shape best = shape_with(root, -1);
    best.found = covers_unknown(best);
    double least = cost_of(root, -1);
    const auto& order = plan_.steps[root].order;
    for (int i = order.count - 1; i >= 0 && !unrolled; --i) {
      const double cost = cost_of(root, order[i]);
      if (best.found && cost >= least) continue;
      const phase_shape shape = shape_with(root, order[i]);
      if (!covers_unknown(shape)) continue;
      best = shape;
      best.found = true;
      least = cost;
    }
    return best;
  }

 protected:
  using base::caps_, base::n_, base::plan_, base::points_, base::problem_;
  using base::end_of_sum, base::external_stride, base::is_final, base::is_foreign, base::is_mapped,
      base::is_whole, base::labels_of, base::order_of, base::scatters;

  // --- values in a phase ---------------------------------------------------------------------

  /// The value that a renamed one is, where both are of the phase. Of inputs, the first with the
  /// same entries that takes the lanes and tile loops from the same axes.
  constexpr int without_renaming(const phase_shape& shape, int value) const {
    while (value >= n_ && contains(shape.members, value - n_) && plan_.steps[value - n_].renames) {
      const int before = plan_.steps[value - n_].a;
      if (before >= n_ && !contains(shape.members, before - n_)) break;
      value = before;
    }
    if (value >= n_) return value;
    const int first = problem_.same[value];
    const auto &from = order_of(first), &to = order_of(value);
    for (int i = 0; i < to.count; ++i) {
      if (from[i] != to[i] && (!in_tile(shape, from[i]) || !in_tile(shape, to[i]))) return value;
    }
    return first;
  }

  /// The last step of the phase that reads a value, under any labels; -1: none does.
  constexpr int last_use(const phase_shape& shape, int value) const {
    for (int t = shape.root; t >= 0; --t) {
      if (!contains(shape.members, t)) continue;
      for (const int read : {plan_.steps[t].a, plan_.steps[t].b}) {
        if (read >= 0 && without_renaming(shape, read) == value) return t;
      }
    }
    return -1;
  }

  constexpr bool lanes_direct(int value, int lane) const {
    return external_stride(value, lane) == 1 && !is_mapped(value);
  }

  // --- choosing a phase --------------------------------------------------------------------

  /// The labels of a result that name the same axes before step s: all, unless it renames. Only
  /// those may be lanes or tile loops of its phase, which have one name for all steps.
  constexpr label_set kept_by(int s) const {
    const plan_step<L>& step = plan_.steps[s];
    if (!step.renames) return ~label_set{0};
    label_set kept = 0;
    for (int i = 0; i < step.order.count; ++i) {
      if (order_of(step.a)[i] == step.order[i]) kept |= bit(step.order[i]);
    }
    return kept;
  }

  /// The steps below `root` whose results carry and keep `labels`, reached through such steps.
  constexpr label_set members_of(int root, label_set labels) const {
    label_set members = bit(root);
    for (int s = root; s >= 0; --s) {
      if (!contains(members, s)) continue;
      for (const int v : {plan_.steps[s].a, plan_.steps[s].b, plan_.steps[s].c}) {
        if (v >= n_ && (labels_of(v) & kept_by(v - n_) & labels) == labels && !is_whole(v - n_))
          members |= bit(v - n_);
      }
    }
    return members;
  }

  /// Applies f to the values from outside that the members read, and to the result (true).
  template <class F>
  constexpr void for_each_external(const phase_shape& shape, F f) const {
    for (int s = 0; s <= shape.root; ++s) {
      if (!contains(shape.members, s)) continue;
      for (const int v : {plan_.steps[s].a, plan_.steps[s].b}) {
        if (v >= 0 && (v < n_ || !contains(shape.members, v - n_))) f(v);
      }
    }
    f(n_ + shape.root);
  }

  constexpr select::lane_candidate candidate(int root, int lane) const {
    select::lane_candidate c;
    phase_shape shape;
    shape.root = root;
    shape.members = lane < 0 ? members_of(root, 0) : members_of(root, bit(lane));
    const int width = caps_.lanes(problem_.type);
    const index extent = lane < 0 ? 1 : nominal(problem_.extent[lane]);
    const auto vectors = static_cast<double>((extent + width - 1) / width);
    const label_set feeding_root = feeding(root);
    for (int s = 0; s <= root; ++s) {
      const double points = points_(plan_.steps[s].labels);
      if (lane >= 0 && contains(shape.members, s)) {
        c.vector_operations += points / static_cast<double>(extent < 1 ? 1 : extent) * vectors;
      } else if (contains(feeding_root, s)) {
        (lane < 0 ? c.vector_operations : c.operations_before) += points;
      }
    }
    if (lane < 0) return c;
    const auto left =
        may_overlap(root, width, problem_.extent[lane]) ? 0 : static_cast<double>(extent % width);
    for_each_external(shape, [&](int v) {
      const double entries = points_(labels_of(v));
      if (v >= n_ && v != n_ + root) c.waiting_entries += entries;
      if (!contains(labels_of(v), lane)) return;
      if (!lanes_direct(v, lane)) {
        double* kind = &c.scattered_entries;
        for (int i = 0; i < order_of(v).count && !is_mapped(v); ++i) {
          const int l = order_of(v)[i];
          if (external_stride(v, l) != 1) continue;
          const bool touch = extent >= width && !is_foreign(v) &&
                             select::runs_touch(problem_.extent[l], external_stride(v, lane), width,
                                                problem_.type);
          kind = touch ? &c.touching_entries : &c.packed_entries;
        }
        *kind += entries;
      } else {
        c.partial_entries += entries / static_cast<double>(extent < 1 ? 1 : extent) * left;
      }
    });
    return c;
  }

  /// The steps that feed `root`, and it itself.
  constexpr label_set feeding(int root) const {
    label_set steps = bit(root);
    for (int s = root; s >= 0; --s) {
      if (!contains(steps, s)) continue;
      for (const int v : {plan_.steps[s].a, plan_.steps[s].b, plan_.steps[s].c}) {
        if (v >= n_) steps |= bit(v - n_);
      }
    }
    return steps;
  }

  constexpr phase_shape shape_with(int root, int lane) const {
    phase_shape shape;
    shape.root = root;
    shape.lane = lane;
    const label_set shared = lane < 0 ? 0 : bit(lane);
    shape.members = members_of(root, shared);
    if (lane >= 0) shape.width = caps_.lanes(problem_.type);
    choose_tiles(shape, shared);
    choose_vectors(shape);
    return shape;
  }

  constexpr bool covers_unknown(const phase_shape& shape) const {
    if (shape.lane >= 0 && !contains(kept_by(shape.root), shape.lane)) return false;
    label_set labels = 0;
    for (int s = 0; s <= shape.root; ++s) {
      if (contains(shape.members, s)) labels |= plan_.steps[s].labels;
    }
    for (int l = 0; l < problem_.label_count; ++l) {
      if (contains(labels, l) && in_tile(shape, l) &&
          (problem_.extent[l] == dyn || l == problem_.batch)) {
        return false;
      }
    }
    // Nor may an intermediate of unknown size wait for this phase, or one of a fused kernel's
    // batch.
    bool known = true;
    for_each_external(shape, [&](int v) {
      // What is read through a map is read lane by lane.
      if (shape.lane >= 0 && is_mapped(v) && !contains(labels_of(v), shape.lane)) known = false;
      if (v < n_ || v == n_ + shape.root) return;
      if (problem_.batch >= 0 && contains(labels_of(v), problem_.batch)) known = false;
      for (int i = 0; i < order_of(v).count; ++i) {
        known = known && problem_.extent[order_of(v)[i]] != dyn;
      }
    });
    return known;
  }

  constexpr double tile_work(const phase_shape& shape) const {
    double flops = 0;
    for (int s = 0; s <= shape.root; ++s) {
      if (!contains(shape.members, s)) continue;
      const label_set inner = plan_.steps[s].labels & ~shape.tiles;
      const double lanes = shape.lane < 0 ? 1 : static_cast<double>(shape.width * shape.vectors);
      const label_set rest = shape.lane < 0 ? inner : inner & ~bit(shape.lane);
      const double points = points_(rest) * lanes;
      flops += plan_.steps[s].b < 0 ? points : pair_flops(points, plan_.steps[s].contracted != 0);
    }
    return flops;
  }

  /// Tile loops are labels that two inputs share (batches), or any that all steps of a chain carry;
  /// taken outermost first while a tile keeps enough work. Unknown extents always.
  constexpr void choose_tiles(phase_shape& shape, label_set shared) const {
    const auto& order = plan_.steps[shape.root].order;
    label_set common = ~label_set{0};
    int count = 0;
    for (int s = 0; s <= shape.root; ++s) {
      if (!contains(shape.members, s)) continue;
      common &= plan_.steps[s].order.set() & kept_by(s);
      ++count;
    }
    int tiles = 0;
    for (int i = 0; i < order.count && tiles < max_tile_loops; ++i) {
      const int l = order[i];
      if (contains(shared, l) || !contains(common, l)) continue;
      // The tiles of what is added through a map follow the batch.
      if (scatters(shape.root) && l != problem_.batch && !contains(shape.tiles, problem_.batch)) {
        continue;
      }
      int holders = 0;
      for_each_external(shape, [&](int v) { holders += contains(labels_of(v), l); });
      // The result is one of the holders.
      const plan_step<L>& step = plan_.steps[shape.root];
      const bool by_rows = shape.lane >= 0 && reads_once(step);
      if (holders < 3 && count < 2 && step.b >= 0 && l != problem_.batch && !by_rows) continue;
      phase_shape with = shape;
      with.tiles |= bit(l);
      if (problem_.extent[l] == dyn || l == problem_.batch ||
          tile_work(with) >= select::tile_flops) {
        shape.tiles = with.tiles;
        ++tiles;
      }
    }
  }

  /// Several vectors per tile pay where every operand is used in place, the lanes contiguous, and
  /// no other label would give a second column to the micro-kernel; and for the only step of a
  /// phase that packs, whose tiles would have too little work for three steps of the program. A
  /// matrix in halves is applied to one vector at a time, in all tiles.
  constexpr void choose_vectors(phase_shape& shape) const {
    if (shape.lane < 0 || problem_.extent[shape.lane] == dyn || is_symmetric(shape.root)) return;
    bool direct = shape.members == bit(shape.root);
    for_each_external(shape, [&](int v) {
      direct = direct && !is_foreign(v) &&  // which is packed
               (!contains(labels_of(v), shape.lane) || lanes_direct(v, shape.lane));
    });
    const plan_step<L>& step = plan_.steps[shape.root];
    if (!direct) {
      if (shape.members == bit(shape.root) && problem_.batch < 0)
        shape.vectors =
            select::packed_vectors(problem_.extent[shape.lane], shape.width, tile_work(shape));
      return;
    }
    if (step.b >= 0) {
      const bool in_a = contains(labels_of(step.a), shape.lane);
      const bool in_b = contains(labels_of(step.b), shape.lane);
      const label_set moving = labels_of(in_a ? step.a : step.b);
      const label_set still = in_a && in_b ? 0 : labels_of(in_a ? step.b : step.a);
      const label_set others = moving & ~still & ~step.contracted & ~shape.tiles & ~bit(shape.lane);
      if (others != 0 && !reads_once(step)) return;
    }
    shape.vectors = select::lane_vectors(problem_.extent[shape.lane], shape.width,
                                         step.contracted != 0, reads_once(step));
  }

  /// Whether a step reads a matrix that is declared symmetric under reflection.
  constexpr bool is_symmetric(int s) const {
    for (const int v : {plan_.steps[s].a, plan_.steps[s].b}) {
      if (v >= 0 && v < n_ && problem_.inputs[v].symmetry != reflection::none) return true;
    }
    return false;
  }

  /// A sum like that of a matrix times a vector: one operand has no label of its own in the result,
  /// so no entry of the other is used twice, and its memory is to be read row by row.
  constexpr bool reads_once(const plan_step<L>& step) const {
    if (step.b < 0 || step.contracted == 0) return false;
    const label_set la = labels_of(step.a), lb = labels_of(step.b);
    return (la & ~lb & ~step.contracted) == 0 || (lb & ~la & ~step.contracted) == 0;
  }

  /// Whether a last tile may compute values again that another tile has left: the result is not
  /// read, and there is one whole vector to draw back over. Phases run one after another, so no two
  /// threads write one entry at a time.
  constexpr bool may_overlap(int root, int width, index extent) const {
    return (overwrites_ || !is_final(root)) && !scatters(root) && extent != dyn && extent >= width;
  }

  /// Whether a tile holds all values of a label, but for the lanes.
  constexpr bool in_tile(const phase_shape& shape, int label) const {
    return label != shape.lane && !contains(shape.tiles, label);
  }
  /// Whether the step at hand runs over them.
  constexpr bool inner(const phase_shape& shape, int label) const {
    return label != shape.slab && in_tile(shape, label);
  }

  bool overwrites_;  ///< the result is not read
};

}  // namespace tenfold
