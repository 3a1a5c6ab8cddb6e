#include <tenfold/contraction/lower_device.hpp>
#include <tenfold/contraction/unrolled_kernel.hpp>
#include <tenfold/dsel/at_run_time.hpp>

namespace tenfold::at_run_time {

template <limits L>
device_program lower_device(const problem<L>& p, const contraction_plan<L>& plan,
                            const device_source* sources, const device_source& output,
                            const device_capabilities& d) {
  return tenfold::lower_device(p, plan, sources, output, d);
}

template device_program lower_device(const problem<small_limits>&,
                                     const contraction_plan<small_limits>&, const device_source*,
                                     const device_source&, const device_capabilities&);
template device_program lower_device(const problem<medium_limits>&,
                                     const contraction_plan<medium_limits>&, const device_source*,
                                     const device_source&, const device_capabilities&);
template device_program lower_device(const problem<large_limits>&,
                                     const contraction_plan<large_limits>&, const device_source*,
                                     const device_source&, const device_capabilities&);
template device_program lower_device(const problem<with_sums(medium_limits)>&,
                                     const contraction_plan<with_sums(medium_limits)>&,
                                     const device_source*, const device_source&,
                                     const device_capabilities&);
template device_program lower_device(const problem<with_sums(large_limits)>&,
                                     const contraction_plan<with_sums(large_limits)>&,
                                     const device_source*, const device_source&,
                                     const device_capabilities&);
template device_program lower_device(const problem<kernel_limits>&,
                                     const contraction_plan<kernel_limits>&, const device_source*,
                                     const device_source&, const device_capabilities&);

}  // namespace tenfold::at_run_time
