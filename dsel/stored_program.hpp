#pragma once

#include <tenfold/backend/interface/program.hpp>
#include <tenfold/dsel/run_time.hpp>
#include <vector>

/// What plans made at run time keep.
namespace tenfold {

/// A program in as much memory as it needs.
struct stored_program {
  std::vector<program_phase> phases;
  std::vector<program_step> steps;
  std::vector<step_loop> loops;
  scalar type = scalar::f64;
  index workspace_entries = 0;

  template <int P, int S, int N>
  void keep(const program<P, S, N>& p) {
    phases.assign(p.phases.begin(), p.phases.begin() + p.phase_count);
    steps.assign(p.steps.begin(), p.steps.begin() + p.step_count);
    loops.assign(p.loops.begin(), p.loops.begin() + p.loop_count);
    type = p.type;
    workspace_entries = p.workspace_entries;
  }
  program_view view() const {
    program_view v;
    v.type = type;
    v.phases = phases.data();
    v.steps = steps.data();
    v.loops = loops.data();
    v.phase_count = static_cast<int>(phases.size());
    v.workspace_entries = workspace_entries;
    return v;
  }
};

/// Whether two shapes ask for the same addresses.
inline bool alike(const operand_shape<max_rank>& x, const operand_shape<max_rank>& y) {
  if (x.type != y.type || x.rank != y.rank || x.layout != y.layout || x.space != y.space ||
      x.conjugated != y.conjugated || x.symmetry != y.symmetry || x.block != y.block) {
    return false;
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(x.rank); ++i) {
    if (x.extents[i] != y.extents[i] || x.strides[i] != y.strides[i]) return false;
  }
  return true;
}

}  // namespace tenfold
