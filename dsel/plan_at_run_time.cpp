#include <tenfold/contraction/make_plan.hpp>
#include <tenfold/contraction/unrolled_kernel.hpp>
#include <tenfold/dsel/at_run_time.hpp>

namespace tenfold::at_run_time {

template <limits L>
std::unique_ptr<contraction_plan<L>> make_plan(const problem<L>& p, const path_options& options,
                                               path_ties ties) {
  return std::make_unique<contraction_plan<L>>(tenfold::make_plan<L>(p, options, ties));
}

template std::unique_ptr<contraction_plan<small_limits>> make_plan(const problem<small_limits>&,
                                                                   const path_options&, path_ties);
template std::unique_ptr<contraction_plan<medium_limits>> make_plan(const problem<medium_limits>&,
                                                                    const path_options&, path_ties);
template std::unique_ptr<contraction_plan<large_limits>> make_plan(const problem<large_limits>&,
                                                                   const path_options&, path_ties);
template std::unique_ptr<contraction_plan<with_sums(medium_limits)>> make_plan(
    const problem<with_sums(medium_limits)>&, const path_options&, path_ties);
template std::unique_ptr<contraction_plan<with_sums(large_limits)>> make_plan(
    const problem<with_sums(large_limits)>&, const path_options&, path_ties);
template std::unique_ptr<contraction_plan<kernel_limits>> make_plan(const problem<kernel_limits>&,
                                                                    const path_options&, path_ties);

}  // namespace tenfold::at_run_time
