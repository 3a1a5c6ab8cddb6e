#include <complex>
#include <tenfold/backend/cpu/loop_walk.hpp>
#include <tenfold/backend/cpu/whole_steps.hpp>

namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

template <class T>
void run_whole(const program_phase& phase, const program_step& of_phase, const step_loop* loops,
               const program_arguments<T>& args, T* workspace) {
  // The tile loops become the outermost ones.
  const phase_range range = range_of(phase, args.extents);
  if (range.count == 0) return;
  program_step step = of_phase;
  loop_list all;
  for (int t = 0; t < phase.tile_count; ++t) {
    const auto i = static_cast<std::size_t>(t);
    all.add({range.tiles[i], step.a.tile_stride[i], step.b.tile_stride[i], step.c.tile_stride[i]});
  }
  all.add(loops, step.outer_count + step.k_outer_count + step.row_count + step.column_count);
  step.outer_count += phase.tile_count;

  const auto address = [&](const operand_ref& ref) -> const std::byte* {
    const void* base = nullptr;
    if (ref.where == buffer::input) base = args.inputs[ref.slot];
    if (ref.where == buffer::output) base = args.output;
    if (ref.where == buffer::workspace) base = workspace;
    return static_cast<const std::byte*>(base) +
           ref.offset * static_cast<index>(bytes_of(ref.type));
  };
  step_arguments<T> at{address(step.a), address(step.b),
                       reinterpret_cast<T*>(const_cast<std::byte*>(address(step.c)))};
  if (step.finish == epilogue::update) {
    at.alpha = args.alpha;
    at.beta = args.beta;
  }
  if (step.sign < 0) at.alpha = -at.alpha;
  if (step.accumulates) at.beta = T(1);
  switch (step.kind) {
    case step_kind::pointwise:
      return run_pointwise(step, all.data(), at);
    case step_kind::reduce:
      return run_reduce(step, all.data(), at);
    default:
      return run_blocked(step, all.data(), at);
  }
}

template void run_whole(const program_phase&, const program_step&, const step_loop*,
                        const program_arguments<float>&, float*);
template void run_whole(const program_phase&, const program_step&, const step_loop*,
                        const program_arguments<double>&, double*);
template void run_whole(const program_phase&, const program_step&, const step_loop*,
                        const program_arguments<std::complex<float>>&, std::complex<float>*);
template void run_whole(const program_phase&, const program_step&, const step_loop*,
                        const program_arguments<std::complex<double>>&, std::complex<double>*);

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
