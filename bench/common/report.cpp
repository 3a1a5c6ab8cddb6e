#include "common/report.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "common/json.hpp"

namespace tenfold::bench {
namespace {

double mebibytes(std::size_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

}  // namespace

row rates(std::string case_name, char scalar, std::string layout, std::string where, double flops,
          const std::vector<candidate>& candidates, const std::vector<timing>& timings,
          limit bound) {
  const auto rate = [&](std::size_t i) { return flops / timings[i].seconds * 1e-9; };
  row r{std::move(case_name),
        std::string(1, scalar),
        std::move(layout),
        std::move(where),
        "GFLOP/s",
        rate(0),
        {},
        std::move(bound),
        timings[0].spread};
  for (std::size_t i = 1; i < candidates.size(); ++i) {
    r.peers.emplace_back(candidates[i].name, rate(i));
  }
  return r;
}

report::report(std::string suite, int argc, char** argv)
    : suite_(std::move(suite)), options_(read_options(argc, argv)), machine_(describe_machine()) {
  if (!options_.json.empty() && !std::ofstream(options_.json, std::ios::app)) {
    std::fprintf(stderr, "bench_%s: cannot write '%s'\n", suite_.c_str(), options_.json.c_str());
    std::exit(2);
  }
  std::printf("suite %s%s\n%s, %d cores; %s; %s\n", suite_.c_str(),
              options_.quick ? " (quick: a subset, fewer samples)" : "", machine_.cpu.c_str(),
              machine_.cores, machine_.compiler.c_str(), machine_.flags.c_str());
  std::printf("L1 %.0f KiB, L2 %.0f KiB, L3 %.0f MiB; %s\n", 1024 * mebibytes(machine_.l1),
              1024 * mebibytes(machine_.l2), mebibytes(machine_.l3), machine_.isa.c_str());
  if (machine_.isa.find("avx512") == std::string::npos) {
    std::printf("without AVX-512\n");
  }
  std::fflush(stdout);
}

void report::measure_machine() {
  if (!keep_to_one_core()) note("This process could not be confined to one core.");
  progress("measuring the peak of multiply-adds");
  peak_ = measure_peak(options_.quick);
  progress("measuring bandwidths");
  bandwidth_ = measure_bandwidths(machine_, options_.quick);
  clear_progress();
  std::printf("peak %.1f GFLOP/s double, %.1f float, one core\n", peak_->d, peak_->s);
  std::printf("%8s", "GB/s");
  for (const char* name : level_names) std::printf("%8s", name);
  for (std::size_t s = 0; s < stream_names.size(); ++s) {
    std::printf("\n%8s", stream_names[s]);
    for (std::size_t l = 0; l < level_names.size(); ++l) {
      std::printf("%8.1f", bandwidth_->rate[s][l]);
    }
  }
  std::printf("\n");
  std::fflush(stdout);
}

void report::describe(described_device d) {
  clear_progress();
  std::printf("%s, architecture %d, %d multiprocessors; memory %.0f GB/s, copy %.0f GB/s\n",
              d.name.c_str(), d.can.architecture, d.can.multiprocessors, d.can.bandwidth * 1e-9,
              d.copy);
  std::fflush(stdout);
  device_ = std::move(d);
}

void report::progress(const std::string& what) {
  if (isatty(STDERR_FILENO) != 0) {
    std::fprintf(stderr, "\r\033[K%s: %s", suite_.c_str(), what.c_str());
    progress_shown_ = true;
  } else {
    std::fprintf(stderr, "%s: %s\n", suite_.c_str(), what.c_str());
  }
  std::fflush(stderr);
}

void report::clear_progress() {
  if (progress_shown_) std::fprintf(stderr, "\r\033[K");
  progress_shown_ = false;
}

void report::missing(const std::string& peer) {
  note(peer + " is not installed: its column is empty.");
}

void report::note(std::string sentence) { notes_.push_back(std::move(sentence)); }

void report::add(row r) {
  clear_progress();
  if (r.unit == "s") {
    print_seconds(r);
  } else {
    print_rate(r);
  }
  std::fflush(stdout);
  rows_.push_back(std::move(r));
}

/// 17.3 ns, 4.21 us, 0.847 s
static std::string time_text(double seconds) {
  char text[32];
  if (seconds < 1e-6) {
    std::snprintf(text, sizeof text, "%.1f ns", seconds * 1e9);
  } else if (seconds < 1e-3) {
    std::snprintf(text, sizeof text, "%.2f us", seconds * 1e6);
  } else {
    std::snprintf(text, sizeof text, "%.3f s", seconds);
  }
  return text;
}

void report::print_rate(const row& r) const {
  if (rows_.empty()) {
    std::printf("\n%-24s %2s %-11s %-6s %-7s %8s %6s %8s %-11s %5s  %s\n", "case", "", "layout",
                "where", "unit", "tenfold", "spread", "bound", "", "of it",
                "peers (tenfold / peer)");
  }
  std::printf("%-24s %2s %-11s %-6s %-7s %8.2f %5.1f%% %8.2f %-11s %4.0f%% ", r.case_name.c_str(),
              r.scalar.c_str(), r.layout.c_str(), r.where.c_str(), r.unit.c_str(), r.tenfold,
              100 * r.spread, r.bound.value, r.bound.name.c_str(), 100 * r.tenfold / r.bound.value);
  for (const auto& [name, value] : r.peers) {
    std::printf("  %s %.2f (%.2f)", name.c_str(), value, r.tenfold / value);
  }
  std::printf("\n");
}

void report::print_seconds(const row& r) const {
  if (rows_.empty()) {
    std::printf("\n%-46s %9s %6s %9s %6s  %s\n", "case", "time", "spread", "budget", "of it",
                "beside it");
  }
  std::printf("%-46s %9s %5.1f%% %9s %5.0f%% ", r.case_name.c_str(), time_text(r.tenfold).c_str(),
              100 * r.spread, time_text(r.bound.value).c_str(), 100 * r.tenfold / r.bound.value);
  if (r.tenfold > r.bound.value) std::printf(" OVER");
  for (const auto& [name, value] : r.peers) {
    std::printf("  %s %s", name.c_str(), time_text(value).c_str());
  }
  std::printf("\n");
}

measured report::time(const std::vector<candidate>& candidates, char scalar, effort e) const {
  peak_loop peak = multiply_adds(scalar);
  std::vector<candidate> all = candidates;
  all.push_back(std::move(peak.loop));
  std::vector<timing> timings = time_alternately(all, e);
  const double rate = peak.flops / timings.back().seconds * 1e-9;
  timings.pop_back();
  return {std::move(timings), rate};
}

limit report::bound(double peak, double flops, double bytes, level l) const {
  double fastest = 0;
  const char* way = "";
  for (const stream s : {stream::copy, stream::copy_nt, stream::triad, stream::upd}) {
    const double rate = bandwidth_->at(s, l);
    if (rate <= fastest) continue;
    fastest = rate;
    way = stream_names[static_cast<std::size_t>(s)];
  }
  const double streamed = flops / bytes * fastest;
  if (streamed >= peak) return {peak, "peak"};
  return {streamed, std::string(way) + ' ' + level_names[static_cast<std::size_t>(l)]};
}

static void write_device(json_writer& json, const described_device& d) {
  json.open_object("device");
  json.value("name", d.name);
  json.value("architecture", d.can.architecture);
  json.value("multiprocessors", d.can.multiprocessors);
  json.value("threads", d.can.threads);
  json.value("blocks", d.can.blocks);
  json.value("registers", d.can.registers);
  json.value("shared_bytes", static_cast<double>(d.can.shared_bytes));
  json.value("shared_bytes_block", static_cast<double>(d.can.shared_bytes_block));
  json.value("reserved_bytes", static_cast<double>(d.can.reserved_bytes));
  json.value("bandwidth", d.can.bandwidth);
  json.value("warp", d.can.warp);
  json.value("clock", d.can.clock);
  json.close_object();
}

bool report::finish() {
  clear_progress();
  for (const std::string& n : notes_) std::printf("%s\n", n.c_str());
  std::fflush(stdout);
  // No failure: one filter may go to all suites.
  if (rows_.empty() && !options_.filter.empty())
    std::fprintf(stderr, "bench_%s: no case has '%s' in its name\n", suite_.c_str(),
                 options_.filter.c_str());
  if (options_.json.empty()) return true;

  std::ofstream file(options_.json);
  json_writer json(file);
  json.open_object();
  json.open_object("machine");
  json.value("CPU", machine_.cpu);
  json.value("cores", machine_.cores);
  json.value("compiler", machine_.compiler);
  json.value("flags", machine_.flags);
  if (device_) write_device(json, *device_);
  json.close_object();
  json.open_object("peak");
  if (peak_) {
    for (const auto& [scalar, rate] : {std::pair("d", peak_->d), std::pair("s", peak_->s)}) {
      json.open_object(scalar);
      json.value(machine_.isa, rate);
      json.close_object();
    }
  }
  json.close_object();
  json.open_object("bandwidth");
  if (bandwidth_) {
    for (std::size_t s = 0; s < stream_names.size(); ++s) {
      json.open_object(stream_names[s]);
      for (std::size_t l = 0; l < level_names.size(); ++l) {
        json.value(level_names[l], bandwidth_->rate[s][l]);
      }
      json.close_object();
    }
  }
  if (device_) {
    json.open_object("copy");
    json.value("device", device_->copy);
    json.close_object();
  }
  json.close_object();
  json.open_list("rows");
  for (const row& r : rows_) {
    json.open_object();
    json.value("case", r.case_name);
    json.value("scalar", r.scalar);
    json.value("layout", r.layout);
    json.value("where", r.where);
    json.value("unit", r.unit);
    json.value("tenfold", r.tenfold);
    json.open_object("peers");
    for (const auto& [name, value] : r.peers) json.value(name, value);
    json.close_object();
    json.value("bound", r.bound.value);
    json.value("spread", r.spread);
    json.close_object();
  }
  json.close_list();
  json.close_object();
  file.close();
  if (!file) {
    std::fprintf(stderr, "%s: cannot write %s\n", suite_.c_str(), options_.json.c_str());
    return false;
  }
  std::printf("%s\n", options_.json.c_str());
  return true;
}

}  // namespace tenfold::bench
