#pragma once

#include <memory>
#include <tenfold/backend/interface/device_capabilities.hpp>
#include <tenfold/backend/interface/device_program.hpp>
#include <tenfold/contraction/device_values.hpp>
#include <tenfold/contraction/lower.hpp>
#include <tenfold/contraction/path.hpp>
#include <tenfold/contraction/plan.hpp>

/// The planner as functions, for what is planned when the program runs: compiled once, for the
/// limits that with_limits chooses and for those of kernels. (Its text is constexpr for the
/// compiler's own planning; a file that instantiates it for all limits takes g++ a minute.)
namespace tenfold::at_run_time {

/// As tenfold::make_plan.
template <limits L>
std::unique_ptr<contraction_plan<L>> make_plan(const problem<L>& p, const path_options& options,
                                               path_ties ties = path_ties::outermost);

/// Room for most programs, tried first: more costs time to clear.
using short_program = program<3, 12, 24>;

/// As tenfold::lower. Program: short_program, dynamic_program<L>, or, to explain what a compiler
/// planned, static_program<L>.
template <class Program, limits L>
std::unique_ptr<Program> lower(const problem<L>& p, const contraction_plan<L>& plan,
                               const capabilities& machine, bool overwrites);

/// As tenfold::lower_device.
template <limits L>
device_program lower_device(const problem<L>& p, const contraction_plan<L>& plan,
                            const device_source* sources, const device_source& output,
                            const device_capabilities& d);

}  // namespace tenfold::at_run_time
