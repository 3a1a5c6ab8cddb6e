#pragma once

/// What the user sees: a progress line, a table, a verdict.

#include <chrono>
#include <iosfwd>
#include <string>
#include <utility>

#include "solve.hpp"

namespace fem {

/// One line that says what is being done: rewritten in place on a terminal, ten times a second;
/// elsewhere a new line every ten seconds.
class progress_line {
 public:
  progress_line(std::ostream& out, bool terminal) : out_(out), terminal_(terminal) {}

  /// `where` says which problem it is.
  void say(const std::string& where, const char* stage, int iteration, double residual);
  /// Leaves an empty line on a terminal.
  void clear();

 private:
  using clock = std::chrono::steady_clock;

  std::ostream& out_;
  bool terminal_, shown_ = false;
  clock::time_point last_ = clock::now();
};

/// The table of a run: for each degree a row per mesh.
class table {
 public:
  /// `chosen` is the preconditioner that has columns beside Jacobi's; empty: none.
  table(std::ostream& out, double fma_bound, std::string chosen = "")
      : out_(out), fma_bound_(fma_bound), chosen_(std::move(chosen)) {}

  void heading();
  /// The row of degree p on n^3 elements; n doubles from row to row of a degree.
  void row(int p, int n, const outcome& o);
  /// Does the error fall as it must: on the finest pair of meshes of each degree with rate
  /// p + 0.8 or better, unless it is below 1e-10? Prints a sentence for each degree that fails.
  bool verdict();

 private:
  void judge_degree();

  std::ostream& out_;
  double fma_bound_;
  std::string chosen_;
  int degree_ = 0, rows_ = 0;
  bool has_rates_ = false;
  double error_ = 0, rate_ = 0;
  std::string failures_;
};

}  // namespace fem
