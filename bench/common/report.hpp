#pragma once

#include <optional>
#include <string>
#include <tenfold/backend/interface/device_capabilities.hpp>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/bandwidth.hpp"
#include "common/machine.hpp"
#include "common/options.hpp"
#include "common/peak.hpp"
#include "common/timing.hpp"

namespace tenfold::bench {

/// The letter of a scalar in tables, that of BLAS.
template <class T>
constexpr char scalar_letter = std::is_floating_point_v<T> ? (sizeof(T) == 8 ? 'd' : 's')
                                                           : (sizeof(T) == 16 ? 'z' : 'c');

/// What limits a case.
struct limit {
  double value;
  std::string name;  ///< "peak", "triad DRAM", "budget"
};

/// One line of a table.
struct row {
  std::string case_name;
  std::string scalar;  ///< "d", "s", "z", "c"
  std::string layout;  ///< "strided", "interleaved", "pointers", "gathered"
  std::string where;   ///< "cache", "memory"
  std::string unit;    ///< "GFLOP/s", "GB/s", "GDoF/s": more is better; "s": less is
  double tenfold;
  std::vector<std::pair<std::string, double>> peers;  ///< those that are there
  limit bound;
  double spread;  ///< relative inter-quartile range of Tenfold's samples
};

/// The row of a case of `flops` per pass, in GFLOP/s: the first candidate is Tenfold, the others
/// are its peers.
row rates(std::string case_name, char scalar, std::string layout, std::string where, double flops,
          const std::vector<candidate>&, const std::vector<timing>&, limit bound);

/// What candidates took, and what the machine could do meanwhile.
struct measured {
  std::vector<timing> timings;
  double peak;  ///< of multiply-adds, GFLOP/s; that of a complex scalar is that of its parts
};

/// The device that a suite computes on.
struct described_device {
  std::string name;
  device_capabilities can;
  double copy;  ///< GB/s within its memory, read and written
};

/// Prints a suite as a table while it runs and writes it as JSON at the end.
class report {
 public:
  /// Reads the command line and describes the machine.
  report(std::string suite, int argc, char** argv);

  /// Confines the process to one core, measures its peak and bandwidth, prints them, and keeps them
  /// for bound(). A suite that does not compare with them leaves this out.
  void measure_machine();

  /// For a suite that computes on a device: prints it and keeps it for the JSON.
  void describe(described_device);

  /// A line on stderr that says what is being done. It is replaced by the next.
  void progress(const std::string& what);

  /// A peer that is not on this machine: the table says so, the rows do not have it.
  void missing(const std::string& peer);

  /// A sentence that belongs under the table.
  void note(std::string sentence);

  void add(row);

  /// Times candidates alternately, and the peak of multiply-adds beside them.
  measured time(const std::vector<candidate>&, char scalar, effort) const;

  /// min(peak, flops / bytes * bandwidth at the level), GFLOP/s, with the peak at that time. The
  /// bandwidth is that of the way of streaming that fits: the fastest of those that write as well
  /// as read.
  limit bound(double peak, double flops, double bytes, level) const;

  /// The bandwidth of a way of streaming, GB/s.
  double bandwidth(stream s, level l) const { return bandwidth_->at(s, l); }

  /// Prints the notes, writes the JSON. False when it cannot be written.
  [[nodiscard]] bool finish();

  const options& settings() const { return options_; }
  const machine& where() const { return machine_; }
  /// Those added so far.
  const std::vector<row>& rows() const { return rows_; }

 private:
  void print_rate(const row&) const;
  void print_seconds(const row&) const;
  void clear_progress();

  std::string suite_;
  options options_;
  machine machine_;
  std::optional<peak_rates> peak_;
  std::optional<bandwidths> bandwidth_;
  std::optional<described_device> device_;
  std::vector<row> rows_;
  std::vector<std::string> notes_;
  bool progress_shown_ = false;
};

}  // namespace tenfold::bench
