#pragma once

#include <tenfold/backend/cpu/dynamic_contract.hpp>
#include <tenfold/backend/cpu/gemm.hpp>
#include <tenfold/backend/cpu/parallel.hpp>
#include <tenfold/backend/cpu/parts.hpp>
#include <tenfold/backend/cpu/scratch.hpp>
#include <tenfold/backend/cpu/whole_steps.hpp>

/// Runs a program that is data: the same walk as run_static, the micro-kernels from a table of
/// register tiles whose contracted loop has a run-time count. Real and complex numbers are two
/// sources, as in gemm_dynamic.hpp.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

template <class T, int W>
class dynamic_runner : dynamic_contract<T, W> {
  using base = dynamic_contract<T, W>;
  using base::args_, base::phase_, base::program_, base::workspace_;

 public:
  dynamic_runner(const program_view& p, const program_phase& phase,
                 const program_arguments<T>& args, T* workspace)
      : base(p, phase, args, workspace) {}

  void run() {
    const phase_range range = range_of(phase_, args_.extents);
    const program_step& first = program_.steps[phase_.first_step];
    if (first.kind == step_kind::gemm) {
      const auto place = [&](const operand_ref& x) {
        return batch_place{this->template address<T>(x, nullptr, {}), x.tile_stride[0]};
      };
      return gemm(gemm_of(first, program_.type),
                  gemm_arguments<T>{place(first.a), place(first.b), place(first.c), range.count,
                                    args_.alpha, args_.beta});
    }
    if (is_whole(first.kind))
      return run_whole(phase_, first, program_.loops + first.first_loop, args_, workspace_);
    this->make_ready(range);
    auto body = [&](index begin, index end) {
      const scratch_block block(static_cast<std::size_t>(phase_.scratch_entries) * sizeof(T));
      slab_position at;
      for (index i = begin; i < end; ++i) {
        move_to(at, phase_, range, i);
        run_steps(phase_.first_step, phase_.step_count, block.as<T>(), at);
      }
    };
    if (phase_.scatters) return for_each_part(args_, program_.phases, phase_, range, body);
    parallel_tiles(range.count, select::tiles_per_task(phase_.tile_flops), body);
  }

 private:
  void run_steps(int first, int count, T* scratch, slab_position& at, bool in_slab = false) const {
    for (int s = first; s < first + count;) {
      const program_step& step = program_.steps[s];
      if (!in_slab && step.slabs.steps > 0) {
        for (; at.slab < step.slabs.count; ++at.slab)
          run_steps(s, step.slabs.steps, scratch, at, true);
        at.slab = 0;
        s += step.slabs.steps;
      } else if (step.together > 1) {
        this->run_together(&step, scratch, at);
        s += step.together;
      } else {
        run_step(step, scratch, at);
        ++s;
      }
    }
  }

  void run_step(const program_step& step, T* scratch, const slab_position& at) const {
    const step_loop* const loops = program_.loops + step.first_loop;
    if (step.a.mapped || step.c.mapped) return this->run_mapped(step, loops, scratch, at);
    switch (step.kind) {
      case step_kind::contract:
        return this->run_contract(step, loops, scratch, at);
      case step_kind::pack:
        return this->run_pack(step, loops, scratch, at);
      case step_kind::unpack:
        return this->run_unpack(step, loops, scratch, at);
      case step_kind::gemm:
      case step_kind::blocked:
      case step_kind::pointwise:
      case step_kind::reduce:
        return;  // phases of their own
      case step_kind::halve:
        return halve(this->template address<T>(step.a, scratch, at), step.m.a, step.k.a,
                     this->template address<T>(step.c, scratch, at), step.m.c, step.k.c,
                     step.m.extent, step.k.extent, step.halves);
    }
  }
};

template <class T>
void run_dynamic(const program_view& p, const program_arguments<T>& args) {
  const scratch_block workspace(static_cast<std::size_t>(p.workspace_entries) * sizeof(T));
  for (int f = 0; f < p.phase_count; ++f) {
    const program_phase& phase = p.phases[f];
    if (phase.width == 1) {
      dynamic_runner<T, 1>(p, phase, args, workspace.as<T>()).run();
    } else {
      dynamic_runner<T, lanes<T>>(p, phase, args, workspace.as<T>()).run();
    }
  }
}

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
