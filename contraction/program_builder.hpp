#pragma once

#include <tenfold/contraction/slabs.hpp>

/// A program in the making: its phases, steps and loops, and where values of the plan lie.
namespace tenfold {

template <limits L, class Program>
class program_builder : protected slabs<L> {
  using base = slabs<L>;

 protected:
  using base::external_stride, base::is_final, base::is_mapped, base::labels_of, base::order_of;
  using base::n_, base::problem_;

  constexpr program_builder(const problem<L>& p, const contraction_plan<L>& plan,
                            const capabilities& caps, bool overwrites)
      : base(p, plan, caps, overwrites) {}

  /// A value outside the scratch of the phase at hand, or inside it.
  struct place {
    operand_ref ref{};
    index stride[L.labels] = {};  ///< by label
    bool packed = false;          ///< `ref` is the packed copy of an external operand
    int region = -1;              ///< its scratch region, freed after use
  };

  /// One more phase, whose steps are still to come; nullptr, and an infeasible program, where there
  /// is no room.
  constexpr program_phase* next_phase() {
    tile_count_ = 0;
    if (out_.phase_count == Program::max_phases) {
      out_.feasible = false;
      return nullptr;
    }
    program_phase& phase = out_.phases[static_cast<std::size_t>(out_.phase_count++)];
    phase.first_step = out_.step_count;
    return &phase;
  }
  constexpr void add_tile_loop(program_phase& phase, int label) {
    tile_label_[tile_count_] = label;
    phase.tiles[static_cast<std::size_t>(tile_count_++)] = {problem_.extent[label], label};
    phase.tile_count = tile_count_;
  }

  constexpr program_step& append(step_kind kind, int origin) {
    if (out_.step_count == Program::max_steps) {
      out_.feasible = false;
      overflow_ = {};
      return overflow_;
    }
    auto& step = out_.steps[static_cast<std::size_t>(out_.step_count++)];
    step.kind = kind;
    step.origin = origin;
    return step;
  }

  constexpr void set_loops(program_step& step, const step_loop* outer, int outer_count,
                           const step_loop* contracted, int contracted_count) {
    step.first_loop = out_.loop_count;
    step.outer_count = outer_count;
    step.k_outer_count = contracted_count;
    add_loops(outer, outer_count);
    add_loops(contracted, contracted_count);
  }
  constexpr void add_loops(const step_loop* loops, int count) {
    if (out_.loop_count + count > Program::max_loops) {
      out_.feasible = false;
      return;
    }
    for (int i = 0; i < count; ++i)
      out_.loops[static_cast<std::size_t>(out_.loop_count++)] = loops[i];
  }

  /// A value where it lies in memory.
  constexpr place external(const phase_shape& shape, int value) {
    place p;
    p.ref.value = value;
    if (value < n_) {
      p.ref.where = buffer::input;
      p.ref.slot = value;
    } else if (is_final(value - n_)) {
      p.ref.where = buffer::output;
    } else {
      p.ref.where = buffer::workspace;
      p.ref.offset = workspace_[value - n_];
    }
    p.ref.type = problem_.type;
    p.ref.mapped = is_mapped(value);
    if (value < n_) {
      p.ref.offset = problem_.inputs[value].offset;
      if (p.ref.offset == dyn) out_.feasible = false;
      p.ref.type = problem_.inputs[value].type;
      p.ref.conjugated = problem_.inputs[value].conjugated;
    } else if (is_final(value - n_)) {
      p.ref.type = problem_.output.type;
    }
    const auto& order = order_of(value);
    for (int i = 0; i < order.count; ++i) {
      p.stride[order[i]] = external_stride(value, order[i]);
      if (p.stride[order[i]] == dyn) out_.feasible = false;
    }
    for (int t = 0; t < tile_count_; ++t) {
      if (contains(labels_of(value), tile_label_[t])) {
        p.ref.tile_stride[static_cast<std::size_t>(t)] = p.stride[tile_label_[t]];
      }
    }
    if (shape.lane >= 0 && contains(labels_of(value), shape.lane)) {
      p.ref.how = lane_access::lanes;
      p.ref.lane_stride = p.stride[shape.lane];
    }
    if (shape.width == 1) p.ref.how = lane_access::lanes;
    return p;
  }

  /// Makes room for the result of step s, which other phases read.
  constexpr void wait_in_workspace(int s) {
    workspace_[s] = out_.workspace_entries;
    index entries = 1;
    for (int i = 0; i < order_of(n_ + s).count; ++i) {
      const index extent = problem_.extent[order_of(n_ + s)[i]];
      if (extent == dyn) out_.feasible = false;
      entries *= extent;
    }
    out_.workspace_entries += aligned(entries);
  }

  static constexpr index aligned(index entries) { return (entries + 15) / 16 * 16; }

  Program out_{};

 private:
  program_step overflow_{};
  index workspace_[L.most_steps()] = {};
  int tile_count_ = 0;  ///< of the phase at hand
  int tile_label_[max_tile_loops] = {};
};

}  // namespace tenfold
