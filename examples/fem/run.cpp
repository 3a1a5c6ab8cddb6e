// Copyright The Tenfold authors. Distributed under the Boost Software License, Version 1.0.

#include "run.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <new>
#include <ostream>
#include <string>
#include <vector>

#include "bounds.hpp"
#include "memory.hpp"
#include "options.hpp"
#include "parallel.hpp"
#include "report.hpp"
#include "solve.hpp"
#include "vtu.hpp"

namespace fem {
namespace {

/// Degree p on meshes of 2^coarsest, ..., 2^finest elements per direction.
struct series {
  int p, coarsest, finest;
};

/// What to solve. Without a --refine the finest meshes are such that the whole set takes seconds.
std::vector<series> plan(const options& chosen) {
  constexpr int usual[max_degree] = {5, 5, 4, 4, 3, 3, 3, 3, 3, 3};
  std::vector<series> all;
  for (int p = 1; p <= max_degree; ++p) {
    if (chosen.degree == 0 ? p > 6 : p != chosen.degree) continue;
    const int finest = chosen.refine >= 0 ? chosen.refine : usual[p - 1];
    all.push_back({p, std::max(0, finest - 2), finest});
  }
  return all;
}

int solve_all(const options& chosen, std::ostream& out, std::ostream& err, bool terminal) {
  const std::vector<series> all = plan(chosen);
  for (const series& s : all) {
    check_memory(s.p, static_cast<double>(1L << s.finest), !chosen.output.empty(),
                 available_bytes());
  }
  std::unique_ptr<output_file> file;
  if (!chosen.output.empty()) file = std::make_unique<output_file>(chosen.output);

  const double fma = fma_bound();
  out << "- div grad u = f on a cube deformed by " << chosen.deform
      << ", n^3 elements of degree p, " << thread_count() << " threads, " << fma * 1e-9
      << " GFLOP/s of FMA at most\n";
  table results(out, fma);
  progress_line progress(err, terminal);
  results.heading();
  for (const series& s : all) {
    for (int refine = s.coarsest; refine <= s.finest; ++refine) {
      const int n = 1 << refine;
      request what;
      what.shape = {n, chosen.geometry == 0 ? s.p : std::min(chosen.geometry, s.p), chosen.deform};
      what.progress = [&, where = "degree " + std::to_string(s.p) + ", " + std::to_string(n) +
                                  "^3 elements"](const char* stage, int iteration,
                                                 double residual) {
        progress.say(where, stage, iteration, residual);
      };
      if (&s == &all.back() && refine == s.finest) what.output = file.get();
      const outcome o = solve(s.p, what);
      progress.clear();
      results.row(s.p, n, o);
    }
  }
  return results.verdict() ? 0 : 1;
}

}  // namespace

int run(std::span<const std::string_view> arguments, std::ostream& out, std::ostream& err,
        bool terminal) {
  const auto fail = [&](const std::string& why) {
    err << (terminal ? "\r\033[K" : "") << "poisson: " << why << std::endl;
    return 2;
  };
  try {
    const options chosen = parse_options(arguments);
    if (chosen.help) {
      out << usage();
      return 0;
    }
    int code = 0;
    with_threads(chosen.threads, [&] { code = solve_all(chosen, out, err, terminal); });
    return code;
  } catch (const std::bad_alloc&) {
    return fail("the memory ran out; choose a smaller --refine or --degree");
  } catch (const std::exception& e) {
    return fail(e.what());
  }
}

}  // namespace fem
