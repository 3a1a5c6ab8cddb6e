#include <tenfold/contraction/lower.hpp>
#include <tenfold/dsel/at_run_time.hpp>

namespace tenfold::at_run_time {

template <class Program, limits L>
std::unique_ptr<Program> lower(const problem<L>& p, const contraction_plan<L>& plan,
                               const capabilities& machine, bool overwrites) {
  return std::make_unique<Program>(tenfold::lower<Program>(p, plan, machine, overwrites));
}

template std::unique_ptr<short_program> lower(const problem<small_limits>&,
                                              const contraction_plan<small_limits>&,
                                              const capabilities&, bool);
template std::unique_ptr<dynamic_program<small_limits>> lower(const problem<small_limits>&,
                                                              const contraction_plan<small_limits>&,
                                                              const capabilities&, bool);
template std::unique_ptr<short_program> lower(const problem<medium_limits>&,
                                              const contraction_plan<medium_limits>&,
                                              const capabilities&, bool);
template std::unique_ptr<dynamic_program<medium_limits>> lower(
    const problem<medium_limits>&, const contraction_plan<medium_limits>&, const capabilities&,
    bool);
template std::unique_ptr<short_program> lower(const problem<large_limits>&,
                                              const contraction_plan<large_limits>&,
                                              const capabilities&, bool);
template std::unique_ptr<dynamic_program<large_limits>> lower(const problem<large_limits>&,
                                                              const contraction_plan<large_limits>&,
                                                              const capabilities&, bool);
template std::unique_ptr<short_program> lower(const problem<with_sums(medium_limits)>&,
                                              const contraction_plan<with_sums(medium_limits)>&,
                                              const capabilities&, bool);
template std::unique_ptr<dynamic_program<with_sums(medium_limits)>> lower(
    const problem<with_sums(medium_limits)>&, const contraction_plan<with_sums(medium_limits)>&,
    const capabilities&, bool);
template std::unique_ptr<short_program> lower(const problem<with_sums(large_limits)>&,
                                              const contraction_plan<with_sums(large_limits)>&,
                                              const capabilities&, bool);
template std::unique_ptr<dynamic_program<with_sums(large_limits)>> lower(
    const problem<with_sums(large_limits)>&, const contraction_plan<with_sums(large_limits)>&,
    const capabilities&, bool);

}  // namespace tenfold::at_run_time
