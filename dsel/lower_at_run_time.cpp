#include <tenfold/contraction/lower.hpp>
#include <tenfold/dsel/at_run_time.hpp>

namespace tenfold::at_run_time {

template <class Program, limits L>
std::unique_ptr<Program> lower(const problem<L>& p, const contraction_plan<L>& plan,
                               const capabilities& machine, bool overwrites) {
  return std::make_unique<Program>(tenfold::lower<Program>(p, plan, machine, overwrites));
}

#define TENFOLD_LOWER_INTO(Program, L)                                                   \
  template std::unique_ptr<Program> lower(const problem<L>&, const contraction_plan<L>&, \
                                          const capabilities&, bool);
#define TENFOLD_LOWER(L)                   \
  TENFOLD_LOWER_INTO(short_program, L)     \
  TENFOLD_LOWER_INTO(static_program<L>, L) \
  TENFOLD_LOWER_INTO(dynamic_program<L>, L)
TENFOLD_LOWER(small_limits)
TENFOLD_LOWER(medium_limits)
TENFOLD_LOWER(large_limits)
TENFOLD_LOWER(with_sums(medium_limits))
TENFOLD_LOWER(with_sums(large_limits))
#undef TENFOLD_LOWER
#undef TENFOLD_LOWER_INTO

}  // namespace tenfold::at_run_time
