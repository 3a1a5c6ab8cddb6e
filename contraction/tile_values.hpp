#pragma once

#include <tenfold/contraction/fold.hpp>
#include <tenfold/contraction/lower_whole.hpp>

/// Where values of the plan lie while a tile is computed: in place, or in scratch, packed first
/// where they must be; and the steps of the program that copy them there and back.
namespace tenfold {

template <limits L, class Program>
class tile_values : protected whole_lowering<L, Program> {
  using base = whole_lowering<L, Program>;

 protected:
  using base::aligned, base::append, base::end_of_sum, base::external, base::external_stride,
      base::inner, base::is_final, base::is_foreign, base::labels_of, base::lanes_direct,
      base::last_use, base::order_of, base::set_loops, base::without_renaming;
  using base::caps_, base::n_, base::out_, base::overwrites_, base::plan_, base::problem_;
  using typename base::place;
  using typename base::slab_run;

  using base::base;

  /// No scratch is taken yet, and nothing packed.
  constexpr void begin_tile() {
    region_count_ = 0;
    for (place& copy : copies_) copy = {};
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

  /// Where step s leaves its result: the terms of a sum in one place. That of the phase goes
  /// through scratch also where the rest of the lanes does so, and alpha and beta meet the sum of
  /// all terms there, not the first one. `over`: scratch, its strides by the labels of the result,
  /// which the result takes if its entries lie there alike.
  constexpr place result(const phase_shape& shape, int s, const place* results, index& peak,
                         const place& over = {}) {
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
                         peak, over);
    p.ref.value = n_ + s;
    return p;
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
      kept_[kept_count_] = p;
      kept_[kept_count_++].ref.value = value;  // the place of a sum knows its first term only
    } else {
      release(p.region);
    }
  }

  /// Whether a step of the program, from `first` on, reads what lies in scratch at `from` at other
  /// entries than those at `to` that are written beside it.
  constexpr bool is_read_across(index from, index to, int first) const {
    const auto step = [&](int i) -> const program_step& {
      return out_.steps[static_cast<std::size_t>(i)];
    };
    const auto lies_at = [](const operand_ref& x, index offset) {
      return x.where == buffer::scratch && x.offset == offset;
    };
    int writes = first;
    while (!lies_at(step(writes).c, to)) ++writes;
    const auto reads_across = [&](int i, index step_loop::*by) {
      bool across = step(i).n.*by != step(writes).n.c;
      for (int l = 0; l < step(i).outer_count; ++l)
        across = across || out_.loops[static_cast<std::size_t>(step(i).first_loop + l)].*by !=
                               out_.loops[static_cast<std::size_t>(step(writes).first_loop + l)].c;
      return across;
    };
    for (int i = first; i < out_.step_count; ++i) {
      if ((lies_at(step(i).a, from) && reads_across(i, &step_loop::a)) ||
          (lies_at(step(i).b, from) && reads_across(i, &step_loop::b)))
        return true;
    }
    return false;
  }

  /// Whether the steps that run slab by slab now cut a value along one of its labels, so that what
  /// a slab writes over it no later slab reads.
  constexpr bool is_cut_alike(const phase_shape& shape, int value) const {
    const int first = without_renaming(shape, value);
    int cut = -1;
    for (int t = slabs_.first; t <= slabs_.last; ++t) {
      if (!contains(shape.members, t) || plan_.steps[t].renames) continue;
      for (const int v : {plan_.steps[t].a, plan_.steps[t].b}) {
        if (v < 0 || without_renaming(shape, v) != first) continue;
        const int along = order_of(first)[order_of(v).find(slabs_.label[t])];
        if (cut >= 0 && along != cut) return false;
        cut = along;
      }
    }
    return true;
  }

  /// Moves the result of step t, if it is the end of a sum that begins in step s or behind it, to
  /// where an operand of the same form was, which all read entry by entry; `first` is the first
  /// step of the program that runs together with it.
  constexpr void reuse_operand(const phase_shape& shape, int s, int t, int first, place* results) {
    place& to = results[t];
    int begin = t;
    while (plan_.steps[begin].c >= n_ + s) begin = plan_.steps[begin].c - n_;
    if (plan_.steps[begin].c >= 0) return;
    if (to.region < 0 || (t < shape.root && plan_.steps[t + 1].c == n_ + t)) return;
    for (int r = 0; r < kept_count_; ++r) {
      const place from = kept_[r];
      if (!lies_alike(to, from) || !is_cut_alike(shape, from.ref.value) ||
          is_read_across(from.ref.offset, to.ref.offset, first))
        continue;
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

  /// Says how far an operand of a step is from itself in the next slab.
  static constexpr void move_by_slabs(const phase_shape& shape, operand_ref& x, const place& p) {
    if (shape.slab >= 0) x.slab_stride = p.stride[shape.slab];
  }

  /// A place whose labels `from` are in turn called `to`.
  static constexpr place renamed(const place& p, const label_list<L.labels>& from,
                                 const label_list<L.labels>& to) {
    place other = p;
    for (index& stride : other.stride) stride = 0;
    for (int i = 0; i < from.count; ++i) other.stride[to[i]] = p.stride[from[i]];
    return other;
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

 private:
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
    if (slot == most_regions) {
      out_.feasible = false;
      return 0;
    }
    if (slot == region_count_) ++region_count_;
    regions_[slot] = {at, at + aligned(entries < 1 ? 1 : entries)};
    if (regions_[slot].end > peak) peak = regions_[slot].end;
    return slot;
  }

  /// Whether a step behind the slabs reads the result that step s begins or adds to.
  constexpr bool leaves_slabs(const phase_shape& shape, int s) const {
    const int end = end_of_sum(s);
    return end == shape.root || end > slabs_.last || last_use(shape, n_ + end) > slabs_.last;
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

  /// Scratch of that form: that of `over`, if it has it, or fresh.
  constexpr place in_scratch(const phase_shape& shape, const label_list<L.labels>& order,
                             index& peak, const place& over = {}) {
    place p;
    const index entries = lay_out(shape, order, p.stride);
    p.region = lies_alike(p, over) ? over.region : allocate(entries, peak);
    p.ref.where = buffer::scratch;
    p.ref.type = problem_.type;
    p.ref.how = lane_access::lanes;
    p.ref.offset = regions_[p.region].begin;
    return p;
  }

  /// Whether `other` is scratch in which every entry lies where it does in p.
  constexpr bool lies_alike(const place& p, const place& other) const {
    bool alike = other.region >= 0;
    for (int l = 0; l < problem_.label_count; ++l) alike = alike && p.stride[l] == other.stride[l];
    return alike;
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
           (shape.lane >= 0 && p.ref.how == lane_access::lanes &&
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

 protected:
  bool runs_together_ = false;  ///< steps entry by entry; regions are freed behind them: these
  place kept_[2 * L.most_steps()] = {};
  int kept_count_ = 0;
  slab_run slabs_{};  ///< that the step at hand is in, if any
  int waiting_[4 * L.most_steps()] = {};
  int waiting_count_ = 0;          ///< regions that are freed behind the last slab: these
  place halves_[L.operands] = {};  ///< of inputs: their halves, once they are there
  place copies_[L.operands] = {};  ///< of inputs: the packed ones of the phase at hand

 private:
  /// Of each step its result and what is packed for it, where nothing is freed before the last.
  static constexpr int most_regions = 3 * L.most_steps();
  int region_count_ = 0;
  region regions_[most_regions] = {};
};

}  // namespace tenfold
