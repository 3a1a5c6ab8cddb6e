#include "report.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <ostream>

namespace fem {
namespace {

/// As std::printf prints it.
template <class... Values>
std::string print(const char* format, Values... values) {
  std::array<char, 256> text{};
  std::snprintf(text.data(), text.size(), format, values...);
  return text.data();
}

}  // namespace

void progress_line::say(const std::string& where, const char* stage, int iteration,
                        double residual) {
  const auto now = clock::now();
  if (now - last_ < std::chrono::milliseconds(terminal_ ? 100 : 10'000)) return;
  last_ = now;
  shown_ = true;
  std::string line = where + ": " + stage;
  if (iteration > 0) line += print(" %d, residual %.1e", iteration, residual);
  if (terminal_) {
    out_ << "\r\033[K" << line << std::flush;
  } else {
    out_ << line << std::endl;
  }
}

void progress_line::clear() {
  if (terminal_ && shown_) out_ << "\r\033[K" << std::flush;
  shown_ = false;
}

void table::heading() {
  out_ << print(
      " p    n      DoFs   L2 error   rate  set-up s  jacobi        s%s  MDoF/s  GFLOP/s  "
      "bandwidth     FMA\n",
      chosen_.empty() ? "" : print("%11s        s", chosen_.c_str()).c_str());
}

void table::row(int p, int n, const outcome& o) {
  if (p != degree_) {
    judge_degree();
    degree_ = p;
    rows_ = 0;
  }
  ++rows_;
  rate_ = std::log2(error_ / o.l2_error);
  error_ = o.l2_error;

  const double per_second = o.jacobi.iterations / o.jacobi.seconds;
  const std::string rate = rows_ > 1 ? print("%6.2f", rate_) : "      ";
  const std::string chosen =
      chosen_.empty() ? "" : print("%11d %8.3f", o.chosen.iterations, o.chosen.seconds);
  out_ << print("%2d  %3d %9lld   %.2e %s  %8.3f %7d %8.3f%s %7.1f %8.1f   %7.1f %%  %4.1f %%\n", p,
                n, static_cast<long long>(o.unknowns), o.l2_error, rate.c_str(), o.setup_seconds,
                o.jacobi.iterations, o.jacobi.seconds, chosen.c_str(),
                1e-6 * per_second * static_cast<double>(o.unknowns), 1e-9 * per_second * o.flops,
                100 * per_second * o.bytes / o.bandwidth, 100 * per_second * o.flops / fma_bound_)
       << std::flush;
}

void table::judge_degree() {
  if (rows_ < 2) return;
  has_rates_ = true;
  if (!(rate_ >= degree_ + 0.8) && !(error_ <= 1e-10)) {
    failures_ += print("degree %d: the error falls at rate %.2f, less than %.1f, and is %.1e\n",
                       degree_, rate_, degree_ + 0.8, error_);
  }
}

bool table::verdict() {
  judge_degree();
  rows_ = 0;
  out_
      << "Iterations of conjugate gradients and seconds by preconditioner. MDoF/s, GFLOP/s: of an\n"
         "iteration with jacobi's. bandwidth, FMA: the share of the time that its data takes\n"
         "to be read once, and of the fused multiply-adds possible; both bounds measured in this "
         "run.\n";
  if (!has_rates_) {
    out_ << "Of one mesh there is no rate: whether the error falls as it must is not known.\n";
    return true;
  }
  out_ << (failures_.empty() ? "Every error falls as it must: at the rate p + 0.8 or better on the "
                               "finest pair, or to below 1e-10.\n"
                             : failures_);
  return failures_.empty();
}

}  // namespace fem
