#pragma once

#include <tenfold/contraction/fold.hpp>
#include <tenfold/contraction/lower_product.hpp>
#include <tenfold/contraction/lower_whole.hpp>
#include <utility>

/// plan -> tile program.
///
/// From the root down, the steps of the plan are gathered into phases (phases.hpp). Within a phase
/// each pairwise step folds to
///   [outer][k][n lanes] -> [outer][m][n lanes],
/// because intermediates keep the label order of the operand that carries the lanes.
namespace tenfold {

/// Room for the programs of expressions within L: tight where compile time pays for it (a program
/// that does not fit is planned at run time), ample at run time.
template <limits L>
using static_program = program<6, L.most_steps() + L.operands + 6, 2 * L.most_steps()>;
template <limits L>
using dynamic_program = program<6 * L.operands, 24 * L.operands, 24 * L.operands * L.rank>;

template <limits L, class Program>
class lowering : private whole_lowering<L, Program> {
  using base = whole_lowering<L, Program>;
  using base::aligned, base::append, base::end_of_sum, base::external, base::external_stride,
      base::for_each_external, base::in_tile, base::inner, base::is_final, base::is_foreign,
      base::is_whole, base::scatters, base::labels_of, base::lanes_direct, base::last_use,
      base::without_renaming, base::may_overlap, base::next_phase, base::order_of, base::set_loops,
      base::tile_work, base::uses;
  using base::caps_, base::n_, base::out_, base::overwrites_, base::plan_, base::points_,
      base::problem_;
  using typename base::place;

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

  // --- emitting a phase --------------------------------------------------------------------

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

  /// The matrix that step s applies in halves, or -1; `k` and `q` as axis_matrix says.
  constexpr int matrix_in_halves(const phase_shape& shape, int s, int& k, int& q) const {
    if (shape.lane < 0 || shape.vectors > 1 || is_complex(problem_.type)) return -1;
    const int v = axis_matrix(shape, s, k, q);
    if (v < 0 || v >= n_ || is_foreign(v)) return -1;
    if (problem_.inputs[v].symmetry == reflection::none) return -1;
    const index columns = problem_.extent[k], rows = problem_.extent[q];
    if (rows == dyn || columns == dyn || !select::has_halves(rows, columns)) return -1;
    return v;
  }
  constexpr int matrix_in_halves(const phase_shape& shape, int s) const {
    int k = 0, q = 0;
    return matrix_in_halves(shape, s, k, q);
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

  /// Scratch, first fit among regions that live at the same time.
  struct region {
    index begin = 0, end = 0;
  };
  constexpr int allocate(index entries, index& peak) {
    index at = 0;
    for (bool moved = true; moved;) {
      moved = false;
      for (int r = 0; r < region_count_; ++r) {
        if (at < regions_[r].end && regions_[r].begin < at + entries) {
          at = regions_[r].end;
          moved = true;
        }
      }
    }
    int slot = 0;
    while (slot < region_count_ && regions_[slot].end != 0) ++slot;
    if (slot == region_count_) ++region_count_;
    regions_[slot] = {at, at + aligned(entries < 1 ? 1 : entries)};
    if (regions_[slot].end > peak) peak = regions_[slot].end;
    return slot;
  }
  /// Frees a region. Within slabs none is free before the last one: what lies there may be read
  /// again, and what comes to lie there would be written over.
  constexpr void release(int slot) {
    if (slot < 0) return;
    if (slabs_.last >= 0) {
      waiting_[waiting_count_++] = slot;
    } else {
      regions_[slot] = {};
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
    region_count_ = 0;
    for (place& copy : copies_) copy = {};
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

  /// Steps that run as one, column by column: a product along an axis, products entry by entry of
  /// what it makes and others, and the product along the same axis of one of their sums.
  struct sandwich {
    int products = 0;  ///< how many; 0: it is none
    int sum = 0;       ///< the last step of the one that the last step reads
    int back = 0;      ///< the last step; between it and the products steps may rename
    int k = 0, q = 0;  ///< labels of the first step: what it sums, and the axis
    int m = 0;         ///< label of the last step: the axis of the result
  };

  /// What runs as one from a step on: a sandwich, products entry by entry, a step.
  struct unit_of_steps {
    int last = 0;
    sandwich as{};
  };
  constexpr unit_of_steps unit_from(const phase_shape& shape, int s) const {
    if (const sandwich w = sandwich_at(shape, s); w.products > 0) return {w.back, w};
    const int count = entry_wise_run(shape, s);
    return {count > 1 ? s + count - 1 : s};
  }

  /// Emits it; returns the step behind it.
  constexpr int emit_unit(const phase_shape& shape, int s, place* results, index& peak) {
    if (!contains(shape.members, s)) return s + 1;
    const auto& [last, as] = units_[s];
    if (as.products > 0) {
      emit_sandwich(shape, s, as, results, peak);
    } else if (last > s) {
      emit_together(shape, s, last - s + 1, results, peak);
    } else {
      emit_contract(shape, s, results, peak);
    }
    return last + 1;
  }

  // --- slabs: steps that run for one value of a label after the other ------------------------

  /// Steps up to `last` that may run slab by slab, and the label of each.
  struct slab_run {
    int last = -1;
    int passed = 0;  ///< results that one of the steps leaves for another
    std::int8_t label[L.most_steps()] = {};
  };

  /// The best run of slabs that begins with step s: the one in which most results are left for a
  /// later step, of labels that do equally well the outermost. Never along the innermost label: no
  /// entries of a slab would be neighbours.
  constexpr slab_run slabs_from(const phase_shape& shape, int s) const {
    slab_run best;
    if (!caps_.compiled || shape.lane < 0 || shape.vectors > 1 || slabs_.last >= 0 ||
        !contains(shape.members, s) || plan_.steps[s].renames)
      return best;
    const auto& order = plan_.steps[s].order;
    int innermost = -1;
    for (int i = 0; i < order.count; ++i) {
      if (in_tile(shape, order[i])) innermost = order[i];
    }
    for (int i = 0; i < order.count; ++i) {
      if (!in_tile(shape, order[i]) || order[i] == innermost) continue;
      const slab_run run = slabs_along(shape, s, order[i]);
      if (run.passed > best.passed) best = run;
    }
    bool in_halves = false;
    for (int t = s; t <= best.last; ++t)
      in_halves = in_halves || (contains(shape.members, t) && matrix_in_halves(shape, t) >= 0);
    if (!select::runs_in_slabs(bytes_of_run(shape, s, best), in_halves, caps_)) return {};
    return best;
  }

  /// The run from step s on whose slabs are, there, the values of a label. It begins and ends with
  /// what passes something to other steps.
  constexpr slab_run slabs_along(const phase_shape& shape, int s, int label) const {
    slab_run run;
    run.last = s - 1;
    const int end_of_first = units_[s].last;
    bool first_passes = false;
    for (int t = s; t <= shape.root;) {
      if (!contains(shape.members, t)) {
        ++t;
        continue;
      }
      const auto& [last, as] = units_[t];
      // The last step of a sandwich may know the label under another name.
      const int alike = as.products > 0 ? t + as.products : last;
      int reads = 0;
      bool fits = true;
      for (int u = t; u <= last && fits; ++u) {
        fits = fits_slab(shape, s, u, label, run) && (u > alike || run.label[u] == run.label[t]);
        for (const int v : {plan_.steps[u].a, plan_.steps[u].b}) {
          if (plan_.steps[u].renames || label_in_run(shape, s, t, v, run) < 0) continue;
          ++reads;
          first_passes = first_passes || without_renaming(shape, v) <= n_ + end_of_first;
        }
      }
      if (!fits) break;
      run.passed += reads;
      if (reads > 0) run.last = last;
      t = last + 1;
    }
    return first_passes ? run : slab_run{};
  }

  /// The label along which a value that the run has made since step s, and before step `end`, is
  /// cut into slabs; -1: it has not.
  constexpr int label_in_run(const phase_shape& shape, int s, int end, int value,
                             const slab_run& run) const {
    const bool made = value >= n_ + s && value < n_ + end && contains(shape.members, value - n_);
    return made ? int{run.label[value - n_]} : -1;
  }

  /// Whether step u can go on with a run that began with step s, under the label of the step before
  /// it or that of what it reads.
  constexpr bool fits_slab(const phase_shape& shape, int s, int u, int& label,
                           slab_run& run) const {
    const plan_step<L>& step = plan_.steps[u];
    run.label[u] = -1;
    if (step.renames) {
      const int from = label_in_run(shape, s, u, step.a, run);
      if (from >= 0)
        run.label[u] = static_cast<std::int8_t>(step.order[order_of(step.a).find(from)]);
      return true;
    }
    if (step.b < 0 || step.fixed_label >= 0) return false;
    bool is_said = false;
    for (const int v : {step.a, step.b, step.c}) {
      const int known = label_in_run(shape, s, u, v, run);
      if (known < 0) continue;
      if (is_said && known != label) return false;
      label = known;
      is_said = true;
    }
    if (!contains(step.order.set(), label)) return false;
    for (const int v : {step.a, step.b}) {
      const bool moves = contains(labels_of(v), label);
      if (contains(labels_of(v), shape.lane) != moves) return false;
      // What waits for this phase may have to be packed, each time that it is read.
      if (v >= n_ && !contains(shape.members, v - n_)) return false;
    }
    run.label[u] = static_cast<std::int8_t>(label);
    return true;
  }

  /// Bytes that the steps of a run touch.
  constexpr double bytes_of_run(const phase_shape& shape, int s, const slab_run& run) const {
    bool counted[L.operands + L.most_steps()] = {};
    double entries = 0;
    for (int t = s; t <= run.last; ++t) {
      const plan_step<L>& step = plan_.steps[t];
      if (!contains(shape.members, t) || step.renames) continue;
      for (const int v : {step.a, step.b, n_ + end_of_sum(t)}) {
        bool& known = counted[without_renaming(shape, v)];
        if (known || !contains(labels_of(v), shape.lane)) continue;
        known = true;
        double of_value = shape.width;
        for (int i = 0; i < order_of(v).count; ++i) {
          const int l = order_of(v)[i];
          if (in_tile(shape, l)) of_value *= points_(bit(l));
        }
        entries += of_value;
      }
    }
    return entries * static_cast<double>(bytes_of(problem_.type));
  }

  constexpr void emit_slabs(const phase_shape& shape, int s, const slab_run& run, place* results,
                            index& peak) {
    // What is packed is packed whole, before the first slab.
    for (int t = s; t <= run.last; ++t) {
      if (!contains(shape.members, t)) continue;
      for (const int v : {plan_.steps[t].a, plan_.steps[t].b}) {
        if (v >= 0 && v < n_) operand(shape, v, results, peak, t);
      }
    }
    const int first = out_.step_count;
    slabs_ = run;
    for (int t = s; t <= run.last && out_.feasible;) {
      phase_shape one = shape;
      one.slab = run.label[t];
      t = emit_unit(one, t, results, peak);
    }
    slabs_ = {};
    if (!out_.feasible) return;
    const auto loop = [&](int t) -> slab_loop& {
      return out_.steps[static_cast<std::size_t>(t)].slabs;
    };
    loop(first).steps = out_.step_count - first;
    for (int t = first; t < out_.step_count; ++t) loop(t).count = problem_.extent[run.label[s]];
    for (int r = 0; r < waiting_count_; ++r) release(waiting_[r]);
    waiting_count_ = 0;
    if (run.last == shape.root && results[shape.root].ref.where == buffer::scratch)
      leave(shape, shape.root, results[shape.root]);
  }

  /// Whether a step behind the slabs reads the result that step s begins or adds to.
  constexpr bool leaves_slabs(const phase_shape& shape, int s) const {
    const int end = end_of_sum(s);
    return end == shape.root || end > slabs_.last || last_use(shape, n_ + end) > slabs_.last;
  }

  /// Says how far an operand of a step is from itself in the next slab.
  static constexpr void move_by_slabs(const phase_shape& shape, operand_ref& x, const place& p) {
    if (shape.slab >= 0) x.slab_stride = p.stride[shape.slab];
  }

  /// The strides of labels in scratch, [labels of `order`...][vectors][width]; returns the entries.
  constexpr index lay_out(const phase_shape& shape, const label_list<L.labels>& order,
                          index* strides) const {
    const index vectors = index{shape.width} * shape.vectors;
    index stride = vectors;
    for (int i = order.count - 1; i >= 0; --i) {
      if (!inner(shape, order[i])) continue;
      const index bytes = stride * static_cast<index>(bytes_of(problem_.type));
      // Runs that are packed lie side by side.
      if (stride != vectors && problem_.extent[order[i]] > 2 && bytes % select::crowded_bytes == 0)
        stride += vectors;
      strides[order[i]] = stride;
      stride *= out_.unrolled && stride == 1
                    ? select::padded_row(problem_.extent[order[i]], problem_.type,
                                         caps_.lanes(problem_.type))
                    : problem_.extent[order[i]];
    }
    return stride;
  }

  /// Fresh scratch of that form.
  constexpr place in_scratch(const phase_shape& shape, const label_list<L.labels>& order,
                             index& peak) {
    place p;
    p.region = allocate(lay_out(shape, order, p.stride), peak);
    p.ref.where = buffer::scratch;
    p.ref.type = problem_.type;
    p.ref.how = access::lanes;
    p.ref.offset = regions_[p.region].begin;
    return p;
  }

  /// The inner labels of an external value in the order of memory, outermost first, so that the
  /// copy beside it runs along both.
  constexpr label_list<L.labels> memory_order(const phase_shape& shape, int value) const {
    label_list<L.labels> sorted;
    const auto& order = order_of(value);
    const auto distance = [&](int l) {
      const index s = external_stride(value, l);
      return s < 0 && s != dyn ? -s : s;
    };
    for (int i = 0; i < order.count; ++i) {
      if (!inner(shape, order[i])) continue;
      int at = sorted.count++;
      for (; at > 0 && distance(order[i]) > distance(sorted[at - 1]); --at) {
        sorted.id[at] = sorted.id[at - 1];
      }
      sorted.id[at] = static_cast<std::uint8_t>(order[i]);
    }
    return sorted;
  }

  constexpr bool needs_packing(const phase_shape& shape, int value, const place& p) const {
    if (p.ref.where == buffer::scratch) return false;
    return is_foreign(value) || p.ref.mapped ||
           (shape.lane >= 0 && p.ref.how == access::lanes &&
            (shape.pack_all || p.ref.lane_stride != 1));
  }

  /// Copies between memory and scratch, one run after another.
  constexpr void emit_copy(const phase_shape& shape, step_kind kind, int value, const place& from,
                           const place& to, int origin) {
    auto& step = append(kind, origin);
    step.a = from.ref;
    step.c = to.ref;
    step_loop loops[L.labels + 1] = {};
    int count = 0;
    const auto order = memory_order(shape, value);
    for (int i = 0; i < order.count; ++i) {
      loops[count++] = {problem_.extent[order[i]], from.stride[order[i]], 0, to.stride[order[i]]};
    }
    // The entries that a map leads to may be neighbours along its last label.
    if ((from.ref.mapped || to.ref.mapped) && count > 0) step.n = loops[--count];
    count = fold(loops, count);
    if (step.n.extent == 1 && count > 0) step.n = loops[--count];
    set_loops(step, loops, count, nullptr, 0);
    if (kind == step_kind::unpack && is_final(value - n_)) step.finish = epilogue::update;
  }

  /// A value as a step reads it: in scratch, in place, or packed just now.
  constexpr place operand(const phase_shape& shape, int value, place* results, index& peak,
                          int origin) {
    if (value >= n_ && contains(shape.members, value - n_)) return results[value - n_];
    const int first = without_renaming(shape, value);
    if (value < n_ && copies_[first].packed) {
      return renamed(copies_[first], order_of(first), order_of(value));
    }
    place p = external(shape, value);
    if (!needs_packing(shape, value, p)) return p;
    place copy = in_scratch(shape, memory_order(shape, value), peak);
    copy.ref.value = value;
    emit_copy(shape, step_kind::pack, value, p, copy, origin);
    copy.packed = true;
    if (value < n_) copies_[first] = renamed(copy, order_of(value), order_of(first));
    return copy;
  }

  /// A place whose labels `from` are in turn called `to`.
  static constexpr place renamed(const place& p, const label_list<L.labels>& from,
                                 const label_list<L.labels>& to) {
    place other = p;
    for (index& stride : other.stride) stride = 0;
    for (int i = 0; i < from.count; ++i) other.stride[to[i]] = p.stride[from[i]];
    return other;
  }

  /// Where step s leaves its result: the terms of a sum in one place. That of the phase goes
  /// through scratch also where the rest of the lanes does so, and alpha and beta meet the sum of
  /// all terms there, not the first one.
  constexpr place result(const phase_shape& shape, int s, const place* results, index& peak) {
    const bool at_root = end_of_sum(s) == shape.root;
    if (plan_.steps[s].c >= 0) return results[plan_.steps[s].c - n_];
    const bool as_rest = shape.has_rest && !overwrites_ && s != shape.root;
    if (at_root && !as_rest) {
      const place memory = external(shape, n_ + shape.root);
      if (!needs_packing(shape, n_ + shape.root, memory)) return memory;
    }
    phase_shape kept = shape;
    if (leaves_slabs(shape, s)) kept.slab = -1;
    place p = in_scratch(kept, at_root ? memory_order(kept, n_ + shape.root) : plan_.steps[s].order,
                         peak);
    p.ref.value = n_ + s;
    return p;
  }

  constexpr void finish(const phase_shape& shape, int s, program_step& step, const place& c,
                        place* results) {
    results[s] = c;
    step.sign = plan_.steps[s].sign;
    step.accumulates = plan_.steps[s].c >= 0;
    if (c.ref.where == buffer::output) step.finish = epilogue::update;
    if (s == shape.root && c.ref.where == buffer::scratch && slabs_.last < 0) leave(shape, s, c);
  }

  /// Copies the result of the phase, which is in scratch, to its place in memory.
  constexpr void leave(const phase_shape& shape, int s, const place& c) {
    emit_copy(shape, step_kind::unpack, n_ + s, c, external(shape, n_ + s), s);
    release(c.region);
  }

  /// Frees the scratch of an operand of step s behind its last use.
  constexpr void release_operand(const phase_shape& shape, int s, int value, const place& p) {
    const int first = without_renaming(shape, value);
    if (last_use(shape, first) > s) return;
    if (first < n_) copies_[first] = {};
    if (runs_together_) {
      kept_[kept_count_++] = p;
    } else {
      release(p.region);
    }
  }

  /// The stride of an operand in the phase that takes the other part of the lane loop. Contracted
  /// loops fold only where they fold in both, so that every entry is summed in the same order and
  /// no bit depends on where a tile ends.
  constexpr index sibling_stride(const phase_shape& shape, int value, const place& p,
                                 int label) const {
    if (value < 0) return 0;
    if (shape.lane < 0 || !contains(labels_of(value), label) ||
        !contains(labels_of(value), shape.lane) ||
        (value >= n_ && contains(shape.members, value - n_)))
      return p.stride[label];
    const bool packed = is_foreign(value) || !lanes_direct(value, shape.lane);
    if (packed ? shape.vectors == shape.other_vectors : !shape.has_rest) return p.stride[label];
    if (!packed && shape.pack_all) return external_stride(value, label);
    phase_shape other = shape;
    other.vectors = packed ? shape.other_vectors : 1;
    index strides[L.labels] = {};
    other.slab = -1;
    lay_out(other, memory_order(other, value), strides);
    return strides[label];
  }

  /// Whether a, not b, carries the lanes; without lanes, what neighbours in the result come from;
  /// or has more columns.
  constexpr bool carries_lanes(const phase_shape& shape, int a, int b) const {
    const label_set la = labels_of(a), lb = labels_of(b);
    const bool lanes_a = shape.lane >= 0 && contains(la, shape.lane);
    const bool lanes_b = shape.lane >= 0 && contains(lb, shape.lane);
    if (lanes_a != lanes_b) return lanes_a;
    const int unit = out_.unrolled ? base::unit_label(n_ + shape.root) : -1;
    if (unit >= 0 && contains(la, unit) != contains(lb, unit)) return contains(la, unit);
    return points_(la & ~lb) > points_(lb & ~la);
  }

  constexpr void emit_contract(const phase_shape& shape, int s, place* results, index& peak) {
    const plan_step<L>& ps = plan_.steps[s];
    // By convention B carries the lanes; where both or none do, B is the one with more columns.
    // A step with one operand calls it A.
    const bool turned = ps.b >= 0 && carries_lanes(shape, ps.a, ps.b);
    const int va = turned ? ps.b : ps.a, vb = turned ? ps.a : ps.b;
    const int in_halves = matrix_in_halves(shape, s);
    place a = in_halves >= 0 ? halves_[va] : operand(shape, va, results, peak, s);
    if (ps.renames) {
      a = renamed(a, order_of(va), ps.order);
      // In scratch it is the same memory.
      if (s != shape.root && without_renaming(shape, n_ + s) != n_ + s) {
        results[s] = a;
        return;
      }
    }
    place b;
    if (vb >= 0) b = operand(shape, vb, results, peak, s);
    // A conversion alone is done by packing.
    if (vb < 0 && a.packed && ps.contracted == 0 && ps.c < 0 && ps.sign == 1 &&
        ps.fixed_label < 0 && end_of_sum(s) == s && s != shape.root) {
      a.ref.value = n_ + s;
      results[s] = a;
      if (va < n_) copies_[without_renaming(shape, va)] = {};
      return;
    }
    if (ps.fixed_label >= 0) a.ref.offset += ps.fixed_value * a.stride[ps.fixed_label];
    const place c = result(shape, s, results, peak);
    if (!out_.feasible) return;
    if (shape.width == 1) a.ref.how = access::uniform;

    auto& step = append(step_kind::contract, s);
    step.a = a.ref;
    step.b = b.ref;
    step.c = c.ref;
    move_by_slabs(shape, step.a, a);
    move_by_slabs(shape, step.b, b);
    move_by_slabs(shape, step.c, c);
    if (in_halves >= 0) step.halves = problem_.inputs[va].symmetry;
    const label_set la = ps.renames ? ps.order.set() : labels_of(va);
    const label_set lb = vb >= 0 ? labels_of(vb) : 0;
    step_loop rows[L.labels + 1] = {}, columns[L.labels + 1] = {}, shared[L.labels + 1] = {},
                              sums[2 * (L.labels + 1)] = {};  // once more as the sibling sees them
    int row_count = 0, column_count = 0, shared_count = 0, sum_count = 0;
    for (int i = 0; i < ps.order.count; ++i) {
      const int l = ps.order[i];
      if (!inner(shape, l)) continue;
      const step_loop loop{problem_.extent[l], a.stride[l], b.stride[l], c.stride[l]};
      if (runs_together_) {
        shared[shared_count++] = loop;
      } else if (contains(la & ~lb, l)) {
        rows[row_count++] = loop;
      } else if (contains(lb & ~la, l)) {
        columns[column_count++] = loop;
      } else {
        shared[shared_count++] = loop;
      }
    }
    if (shape.vectors > 1) {
      const index w = shape.width;
      if (a.ref.how == access::uniform) {
        columns[column_count++] = {shape.vectors, 0, w, w};
      } else {
        (vb < 0 ? rows[row_count++] : shared[shared_count++]) = {shape.vectors, w, w, w};
      }
    }
    for (const bool second : {false, true}) {  // both may be one value: a square
      const int v = second ? vb : va;
      for (int i = 0; v >= 0 && i < order_of(v).count; ++i) {
        const int l = order_of(v)[i];
        if (!contains(ps.contracted, l) || (second && contains(la, l))) continue;
        sums[sum_count] = {problem_.extent[l], a.stride[l], b.stride[l]};
        sums[L.labels + 1 + sum_count++] = {problem_.extent[l], sibling_stride(shape, va, a, l),
                                            sibling_stride(shape, vb, b, l)};
      }
    }
    row_count = fold(rows, row_count);
    column_count = fold(columns, column_count);
    shared_count = fold(shared, shared_count);
    sum_count = fold(sums, sum_count, 2, L.labels + 1);
    // Sums that go on along another loop than the vectors read lines in parts, several times.
    const bool goes_near = shape.vectors > 1 && sum_count > 0;
    const auto near = [&](step_loop* loops, int& count) {
      return goes_near ? take_nearest(loops, count, &step_loop::a) : take_longest(loops, count);
    };
    if (vb < 0 && row_count > 0) {
      step.n = near(rows, row_count);
      step.a_varies = true;
    } else if (column_count > 0) {
      step.n = shape.vectors > 1 ? take_nearest(columns, column_count, &step_loop::b)
               : out_.unrolled   ? take_neighbours(columns, column_count)
                                 : take_longest(columns, column_count);
    } else if (shared_count > 0 && row_count == 0) {
      step.n = near(shared, shared_count);
      step.a_varies = true;
    }
    if (vb >= 0 && row_count > 0) step.m = take_longest(rows, row_count);
    if (sum_count > 0) step.k = take_longest(sums, sum_count);
    step_loop outer[L.labels + 1] = {};
    int outer_count = 0;
    index vectors = step.n.extent;
    for (int i = 0; i < column_count; ++i) vectors *= columns[i].extent;
    const bool listed =
        shared_count == 0 && lists_rows(shape, step, rows, row_count, sums, sum_count, vectors);
    for (int i = 0; i < shared_count; ++i) outer[outer_count++] = shared[i];
    for (int i = 0; i < row_count && !listed; ++i) outer[outer_count++] = rows[i];
    for (int i = 0; i < column_count; ++i) outer[outer_count++] = columns[i];
    set_loops(step, outer, outer_count, sums, sum_count);
    if (listed) {
      step.row_count = row_count;
      base::add_loops(rows, row_count);
    }
    release_operand(shape, s, va, a);
    if (vb >= 0) release_operand(shape, s, vb, b);
    finish(shape, s, step, c, results);
  }

  /// Whether register tiles of a step, for all of whose columns A is the same, take its rows, m and
  /// these loops, through tables.
  constexpr bool lists_rows(const phase_shape& shape, const program_step& step,
                            const step_loop* rows, int row_count, const step_loop* sums,
                            int sum_count, index vectors) const {
    if (caps_.compiled || is_complex(problem_.type) || shape.width == 1 || row_count == 0 ||
        step.a.how != access::uniform || step.b.where == buffer::none ||
        step.halves != reflection::none)
      return false;
    index m = step.m.extent, k = step.k.extent;
    for (int i = 0; i < row_count; ++i) m *= rows[i].extent;
    for (int i = 0; i < sum_count; ++i) k *= sums[i].extent;
    return select::lists_rows(m, k, vectors);
  }

  // --- products entry by entry, side by side ------------------------------------------------

  /// How many steps from s on, at most as many as registers name well, are products over the same
  /// entries without a sum, left in scratch.
  constexpr int entry_wise_run(const phase_shape& shape, int s) const {
    if (shape.lane < 0 || shape.vectors > 1) return 1;
    const label_set entries = plan_.steps[s].order.set();
    int count = 0;
    for (int t = s; t < shape.root && count < select::most_together; ++t, ++count) {
      const plan_step<L>& step = plan_.steps[t];
      if (!contains(shape.members, t) || step.b < 0 || step.contracted != 0 ||
          step.fixed_label >= 0 || end_of_sum(t) == shape.root || step.order.set() != entries ||
          !has_entries_of(shape, step.a, entries) || !has_entries_of(shape, step.b, entries)) {
        break;
      }
      // What the run reads of itself must be the sum that the step before it began.
      for (const int v : {step.a, step.b}) {
        if (v >= n_ + s || (v >= n_ && !contains(shape.members, v - n_))) return count;
      }
      if (step.c >= n_ + s && step.c != n_ + t - 1) return count;
    }
    return count;
  }

  /// Whether a value has lanes and is repeated along what else it lacks of the entries.
  constexpr bool has_entries_of(const phase_shape& shape, int value, label_set entries) const {
    return (labels_of(value) & ~entries) == 0 && contains(labels_of(value), shape.lane);
  }

  /// The steps as they are alone, packing first. Where they run together, results take the places
  /// of operands that nothing reads any more: all of an entry is read before any of it is written,
  /// and what is written is in L1.
  constexpr void emit_together(const phase_shape& shape, int s, int count, place* results,
                               index& peak) {
    for (int t = s; t < s + count; ++t) {
      for (const int v : {plan_.steps[t].a, plan_.steps[t].b}) operand(shape, v, results, peak, t);
    }
    runs_together_ = true;
    kept_count_ = 0;
    const int first = out_.step_count;
    for (int t = s; t < s + count && out_.feasible; ++t) emit_contract(shape, t, results, peak);
    runs_together_ = false;
    if (!out_.feasible) return;
    const auto step = [&](int i) -> program_step& {
      return out_.steps[static_cast<std::size_t>(i)];
    };
    const auto around = [&](int i) {
      return step(i).outer_count == 0 ? step_loop{}
                                      : out_.loops[static_cast<std::size_t>(step(i).first_loop)];
    };
    bool alike = out_.step_count == first + count;
    for (int i = first; i < out_.step_count; ++i) {
      alike = alike && step(i).outer_count <= 1 && step(i).n.extent == step(first).n.extent &&
              step(i).n.c == step(first).n.c && around(i).extent == around(first).extent &&
              around(i).c == around(first).c && step(i).a_varies &&
              step(i).a.how == access::lanes && step(i).b.how == access::lanes &&
              step(i).c.where == buffer::scratch;
    }
    if (alike) {
      step(first).together = count;
      for (int t = s; t < s + count; ++t) reuse_operand(shape, s, t, first, results);
    }
    for (int r = 0; r < kept_count_; ++r) release(kept_[r].region);
  }

  /// Moves the result of step t, if it is the end of a sum that begins in step s or behind it, to
  /// where an operand of the same form was; `first` is the first step of the program that runs
  /// together with it.
  constexpr void reuse_operand(const phase_shape& shape, int s, int t, int first, place* results) {
    place& to = results[t];
    int begin = t;
    while (plan_.steps[begin].c >= n_ + s) begin = plan_.steps[begin].c - n_;
    if (plan_.steps[begin].c >= 0) return;
    if (to.region < 0 || (t < shape.root && plan_.steps[t + 1].c == n_ + t)) return;
    for (int r = 0; r < kept_count_; ++r) {
      const place from = kept_[r];
      bool fits = from.region >= 0;
      for (int l = 0; l < problem_.label_count; ++l) fits = fits && from.stride[l] == to.stride[l];
      if (!fits) continue;
      for (int i = first; i < out_.step_count; ++i) {
        operand_ref& c = out_.steps[static_cast<std::size_t>(i)].c;
        if (c.where == buffer::scratch && c.offset == to.ref.offset) c.offset = from.ref.offset;
      }
      release(to.region);
      to.region = from.region;
      to.ref.offset = from.ref.offset;
      for (int other = 0; other < kept_count_; ++other) {
        if (kept_[other].region == from.region) kept_[other].region = -1;
      }
      return;
    }
  }

  // --- the sandwich: along an axis there, entry by entry, and back, column by column ----------

  /// The matrix of step s if the step applies a uniform matrix to the value that carries the lanes
  /// along one axis (q <- k), all other labels passing through; else -1.
  constexpr int axis_matrix(const phase_shape& shape, int s, int& k, int& q) const {
    const plan_step<L>& ps = plan_.steps[s];
    if (ps.b < 0) return -1;
    const bool lanes_a = contains(labels_of(ps.a), shape.lane);
    const int matrix = lanes_a ? ps.b : ps.a, data = lanes_a ? ps.a : ps.b;
    const label_set lm = labels_of(matrix), ld = labels_of(data);
    const label_set rows = lm & ~ld, sums = ps.contracted;
    if (contains(lm, shape.lane) || !contains(ld, shape.lane)) return -1;
    if (lm != (rows | sums) || (sums & ~ld) != 0) return -1;
    if (rows == 0 || (rows & (rows - 1)) != 0 || sums == 0 || (sums & (sums - 1)) != 0) return -1;
    for (int l = 0; l < problem_.label_count; ++l) {
      if (contains(rows, l)) q = l;
      if (contains(sums, l)) k = l;
    }
    return matrix;
  }

  constexpr sandwich sandwich_at(const phase_shape& shape, int s) const {
    if (!caps_.compiled || shape.lane < 0 || shape.vectors > 1) return {};
    sandwich w;
    const plan_step<L>& there = plan_.steps[s];
    if (there.sign != 1 || there.c >= 0 || end_of_sum(s) != s) return {};
    if (axis_matrix(shape, s, w.k, w.q) < 0) return {};
    const int products = entry_wise_run(shape, s + 1), end = s + 1 + products;
    if (products == 0 || plan_.steps[s + 1].order.set() != there.order.set()) return {};
    w.back = end;
    while (w.back < shape.root && is_only_a_name(shape, w.back)) ++w.back;
    if (w.back > shape.root || !contains(shape.members, w.back)) return {};
    int q = 0;
    const int matrix = axis_matrix(shape, w.back, q, w.m);
    if (matrix < 0) return {};
    const plan_step<L>& back = plan_.steps[w.back];
    const int read = back.a == matrix ? back.b : back.a;
    w.sum = without_renaming(shape, read) - n_;
    if (w.sum <= s || w.sum >= end || under_name(n_ + w.sum, read, w.q) != q) return {};
    // What stays in registers is not added to anything, and read by these steps alone.
    int begin = w.sum;
    while (plan_.steps[begin].c > n_ + s) begin = plan_.steps[begin].c - n_;
    if (plan_.steps[begin].c >= 0 || end_of_sum(w.sum) != w.sum) return {};
    if (last_use(shape, n_ + s) >= end || last_use(shape, n_ + w.sum) != w.back) return {};
    for (const int l : {w.k, w.q, w.m}) {
      if (problem_.extent[l] > select::sandwich_extent) return {};
    }
    if (symmetry_of_step(shape, s) != symmetry_of_step(shape, w.back)) return {};
    w.products = products;
    return w;
  }

  /// Whether step s is of the phase, and leaves the entries of a value of it under other labels.
  constexpr bool is_only_a_name(const phase_shape& shape, int s) const {
    return contains(shape.members, s) && plan_.steps[s].renames &&
           without_renaming(shape, n_ + s) != n_ + s;
  }
  /// What a label of a value is called in another that is the same under other labels.
  constexpr int under_name(int value, int other, int label) const {
    return order_of(other)[order_of(value).find(label)];
  }

  /// In which halves step s applies its matrix.
  constexpr reflection symmetry_of_step(const phase_shape& shape, int s) const {
    const int v = matrix_in_halves(shape, s);
    return v < 0 ? reflection::none : problem_.inputs[v].symmetry;
  }

  constexpr void emit_sandwich(const phase_shape& shape, int s, const sandwich& w, place* results,
                               index& peak) {
    // The first step, the products and the last step, and where what they read and leave lies. A is
    // a matrix, or of a product what does not come from the registers.
    struct part {
      int step = 0, value_a = 0, value_b = 0;
      place a, b, c;
    };
    constexpr int most = select::most_together + 2;
    part parts[most];
    const int last = w.products + 1;
    phase_shape behind = shape;
    if (slabs_.last >= 0) behind.slab = slabs_.label[w.back];
    const reflection halves = symmetry_of_step(shape, s);
    for (int i = 0; i <= last; ++i) {
      part& x = parts[i];
      x.step = i < last ? s + i : w.back;
      const phase_shape& in = i < last ? shape : behind;
      const plan_step<L>& ps = plan_.steps[x.step];
      const bool is_product = i > 0 && i < last;
      int k = 0, q = 0;
      const int matrix = is_product ? -1 : axis_matrix(in, x.step, k, q);
      const bool turned = is_product ? ps.a == n_ + s : ps.b == matrix;
      x.value_a = turned ? ps.b : ps.a;
      x.value_b = turned ? ps.a : ps.b;
      x.a = !is_product && halves != reflection::none
                ? halves_[matrix]
                : operand(in, x.value_a, results, peak, x.step);
      x.b = i < last ? operand(in, x.value_b, results, peak, x.step) : results[w.sum];
      if (i < last && ps.c < 0 && (i == 0 || end_of_sum(x.step) == w.sum)) {
        x.c.ref.where = buffer::registers;
        x.c.ref.how = access::lanes;
        x.c.ref.type = problem_.type;
        x.c.ref.value = n_ + x.step;
      } else {
        x.c = result(in, x.step, results, peak);
      }
      results[x.step] = x.c;
    }
    if (!out_.feasible) return;

    const auto back_name = [&](int l) { return under_name(n_ + w.sum, parts[last].value_b, l); };
    // [step][loop]
    step_loop columns[most * L.labels] = {};
    int count = 0;
    const auto& order = plan_.steps[s].order;
    for (int j = 0; j < order.count; ++j) {
      const int l = order[j];
      if (l == w.q || !inner(shape, l)) continue;
      for (int i = 0; i < last; ++i) {
        const part& x = parts[i];
        columns[i * L.labels + count] = {problem_.extent[l], x.a.stride[l], x.b.stride[l],
                                         x.c.stride[l]};
      }
      columns[last * L.labels + count] = {problem_.extent[l], 0, 0,
                                          parts[last].c.stride[back_name(l)]};
      ++count;
    }
    count = fold(columns, count, last + 1, L.labels);
    const int first = out_.step_count;
    for (int i = 0; i <= last; ++i) {
      const part& x = parts[i];
      auto& step = append(step_kind::contract, x.step);
      step.a = x.a.ref;
      step.b = x.b.ref;
      step.c = x.c.ref;
      move_by_slabs(shape, step.a, x.a);
      move_by_slabs(shape, step.b, x.b);
      move_by_slabs(i < last ? shape : behind, step.c, x.c);
      const index points = problem_.extent[w.q];
      if (i == 0) {
        step.m = {points, x.a.stride[w.q], 0, 0};
        step.k = {problem_.extent[w.k], x.a.stride[w.k], x.b.stride[w.k], 0};
        step.halves = halves;
      } else if (i < last) {
        step.m = {points, x.a.stride[w.q], x.b.stride[w.q], x.c.stride[w.q]};
        step.a_varies = true;
      } else {
        step.m = {problem_.extent[w.m], x.a.stride[w.m], 0, x.c.stride[w.m]};
        step.k = {points, x.a.stride[back_name(w.q)], 0, 0};
        step.halves = halves;
      }
      int outer = count;
      step_loop* const loops = columns + i * L.labels;
      if (outer > 0) step.n = take_longest(loops, outer);
      set_loops(step, loops, outer, nullptr, 0);
      if (i < last) finish(shape, x.step, step, x.c, results);
    }
    if (!out_.feasible) return;
    program_step& begin = out_.steps[static_cast<std::size_t>(first)];
    begin.sandwich = last + 1;
    // Columns are read before they are written.
    runs_together_ = true;
    kept_count_ = 0;
    for (int i = 1; i < last; ++i) {
      release_operand(shape, parts[i].step, parts[i].value_a, parts[i].a);
      release_operand(shape, parts[i].step, parts[i].value_b, parts[i].b);
    }
    runs_together_ = false;
    for (int i = 1; i < last; ++i) reuse_operand(shape, s + 1, parts[i].step, first, results);
    for (int r = 0; r < kept_count_; ++r) release(kept_[r].region);
    release_operand(shape, s, parts[0].value_b, parts[0].b);
    for (int t = s + w.products + 1; t < w.back; ++t) emit_contract(shape, t, results, peak);
    finish(behind, w.back, out_.steps[static_cast<std::size_t>(out_.step_count - 1)], parts[last].c,
           results);
  }

  unit_of_steps units_[L.most_steps()] = {};  ///< of the phase at hand, from each step on
  label_set lowered_ = 0;       ///< roots of the phases that are there, as a set of steps
  bool runs_together_ = false;  ///< steps entry by entry; regions are freed behind them: these
  place kept_[2 * L.most_steps()] = {};
  int kept_count_ = 0;
  slab_run slabs_{};  ///< that the step at hand is in, if any
  int waiting_[4 * L.most_steps()] = {};
  int waiting_count_ = 0;          ///< regions that are freed behind the last slab: these
  place halves_[L.operands] = {};  ///< of inputs: their halves, once they are there
  place copies_[L.operands] = {};  ///< of inputs: the packed ones of the phase at hand
  int region_count_ = 0;
  region regions_[L.most_steps() + 4] = {};
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
