#include <tenfold/contraction/bind_kernel.hpp>
#include <tenfold/dsel/at_run_time.hpp>
#include <tenfold/dsel/planned_kernel.hpp>

namespace tenfold {

std::unique_ptr<planned_kernel> plan_kernel(const kernel& k, std::string_view text,
                                            const operand_shape<max_rank>* shapes,
                                            const index* extents, path_ties ties) {
  const unrolled_size size = size_of_unrolled(k, extents);
  if (size.error) throw_diagnostic(size.error, text);
  if (size.open) throw_diagnostic(size.open, text);
  auto made = std::make_unique<planned_kernel>();
  unroll(k, extents, size.inputs, made->unrolled);
  made->bound = bind_kernel<kernel_limits, max_rank>(k, made->unrolled, shapes, extents);
  if (made->bound.error) throw_diagnostic(made->bound.error, text);
  const problem<kernel_limits>& p = made->bound.value;
  if (is_empty(p)) return made;
  made->plan = *at_run_time::make_plan<kernel_limits>(p, {}, ties);
  if (!made->plan.found) throw_diagnostic({diagnosis::too_long_program}, text);
  return made;
}

}  // namespace tenfold
