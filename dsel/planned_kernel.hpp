#pragma once

#include <memory>
#include <string_view>
#include <tenfold/contraction/path.hpp>
#include <tenfold/contraction/plan.hpp>
#include <tenfold/contraction/unrolled_kernel.hpp>
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
std::unique_ptr<planned_kernel> plan_kernel(const kernel& k, std::string_view text,
                                            const operand_shape<max_rank>* shapes,
                                            const index* extents,
                                            path_ties ties = path_ties::outermost);

}  // namespace tenfold
