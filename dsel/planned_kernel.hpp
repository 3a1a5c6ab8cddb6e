#pragma once

#include <memory>
#include <string_view>
#include <tenfold/contraction/bind_kernel.hpp>
#include <tenfold/contraction/make_plan.hpp>
#include <tenfold/dsel/run_time.hpp>

/// A fused kernel on its way to a program, where its extents are known when the program runs: the
/// stops that all machines share.
namespace tenfold {

struct planned_kernel {
  unrolled_kernel<kernel_limits> unrolled;
  bind_result<kernel_limits> bound;
  contraction_plan<kernel_limits> plan;  ///< unless the problem is empty
};

/// Unrolls, binds and plans. Throws what is wrong, and backend_error for a kernel that is too long.
inline std::unique_ptr<planned_kernel> plan_kernel(const kernel& k, std::string_view text,
                                                   const operand_shape<max_rank>* shapes,
                                                   const index* extents,
                                                   path_ties ties = path_ties::outermost) {
  const unrolled_size size = size_of_unrolled(k, extents);
  if (size.error) throw_diagnostic(size.error, text);
  if (size.is_open) throw_diagnostic({diagnosis::unknown_extent}, text);
  auto made = std::make_unique<planned_kernel>();
  unroll(k, extents, size.inputs, made->unrolled);
  made->bound = bind_kernel<kernel_limits, max_rank>(k, made->unrolled, shapes, extents);
  if (made->bound.error) throw_diagnostic(made->bound.error, text);
  const problem<kernel_limits>& p = made->bound.value;
  if (is_empty(p)) return made;
  made->plan = make_plan<kernel_limits>(p, {}, ties);
  if (!made->plan.found) throw_diagnostic({diagnosis::too_long_program}, text);
  return made;
}

}  // namespace tenfold
