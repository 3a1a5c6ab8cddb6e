#pragma once

#include <functional>
#include <string>
#include <tenfold/backend/interface/capabilities.hpp>
#include <vector>

#include "knobs.hpp"
#include "trial.hpp"

namespace tenfold::tune {

/// The user wants the program to end.
struct interrupted {};

/// What was found for a class, beside what it started from.
struct finding {
  size_class which;
  gemm_tuning found;  ///< for run-time sizes
  gemm_tuning fixed;  ///< for static sizes, see for_fixed
  struct comparison {
    sample on;
    double rate;   ///< GFLOP/s with the values found
    double ratio;  ///< to the rate of those that the search started from
    double noise;  ///< by which the ratio may be wrong
  };
  std::vector<comparison> compared;

  /// Geometric mean of the ratios.
  double mean() const;
};

struct search_options {
  instruction_set set = instruction_set::baseline;
  processor model = processor::other;  ///< what is shipped for it serves static sizes
  int cores = 1;                       ///< that may be used
  double seconds = 9;  ///< for the search of a class; choices that do not fit are left out
  /// Is called between samples of time with what is being done; may throw `interrupted`.
  std::function<void(const std::string&)> progress;
  /// Is called with a sentence on what should not be.
  std::function<void(const std::string&)> warn;
};

/// Finds values for a class, from `start` on.
///
/// Knob by knob, the others as found so far. All choices by which some sample does something else
/// are screened: a few short samples of time beside the best so far. The best two are timed longer
/// beside it, in turns; one that is faster in the mean by more than noise, and on no sample slower
/// by more than noise, takes its place. No choice is timed before all its results are right. At the
/// end the values found are compared with `start` on all samples of the class; while one is slower
/// by more than noise, the last choice that was taken is taken back.
///
/// Static sizes are searched apart, from what is shipped on: their code is other code.
///
/// Throws std::runtime_error, with a sentence, if results are wrong with `start`. Choices with
/// wrong results are reported by `warn` and never taken.
finding search(const size_class&, const gemm_tuning& start, arena&, const search_options&);

/// Values that were found before beside others, on the samples of run-time sizes: no search. Throws
/// std::runtime_error if results are wrong with one of them.
finding compare(const size_class&, const gemm_tuning& start, const gemm_tuning& found, arena&,
                const search_options&);

}  // namespace tenfold::tune
