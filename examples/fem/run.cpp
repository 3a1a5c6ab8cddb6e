#include "run.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <exception>
#include <memory>
#include <new>
#include <ostream>
#include <string>
#include <vector>

#include "bounds.hpp"
#include "domain.hpp"
#include "memory.hpp"
#include "mesh.hpp"
#include "options.hpp"
#include "parallel.hpp"
#include "plot.hpp"
#include "report.hpp"
#include "solve.hpp"
#include "vtu.hpp"

namespace fem {
namespace {

/// Degree p on meshes of 2^coarsest, ..., 2^finest elements per direction in each hexahedron.
struct series {
  int p, coarsest, finest;
};

/// What to solve. Without a --refine the finest meshes are such that the whole set takes seconds,
/// if that many hexahedra, refined once for the rate, leave it so.
std::vector<series> plan(const options& chosen, std::size_t hexahedra) {
  constexpr int usual[max_degree] = {5, 5, 4, 4, 3, 3, 3, 3, 3, 3};
  std::vector<series> all;
  for (int p = 1; p <= max_degree; ++p) {
    if (chosen.degree == 0 ? p > 6 : p != chosen.degree) continue;
    int finest = chosen.refine >= 0 ? chosen.refine : usual[p - 1];
    const auto elements = [hexahedra](int r) {
      return static_cast<double>(hexahedra) * std::pow(8, r);
    };
    while (chosen.refine < 0 && finest > 1 && elements(finest) > std::pow(8, usual[p - 1])) {
      --finest;
    }
    all.push_back({p, std::max(0, finest - 2), finest});
  }
  return all;
}

int solve_all(const options& chosen, std::ostream& out, std::ostream& err, bool terminal) {
  const domain whole = named_domain(chosen.mesh, chosen.deform);
  const std::vector<series> all = plan(chosen, whole.shared.hexahedra());
  for (const series& s : all) {
    check_memory(s.p, whole.shared, 1 << s.finest, !chosen.output.empty(), available_bytes());
  }
  std::unique_ptr<output_file> file;
  if (!chosen.output.empty()) file = std::make_unique<output_file>(chosen.output);
  std::unique_ptr<output_file> plot_file;
  if (!chosen.plot.empty()) plot_file = std::make_unique<output_file>(chosen.plot);
  panel errors{"L2 error", "DoFs", "error", {}};
  panel rates{"an iteration of conjugate gradients", "DoFs", "MDoF/s", {}};

  const double fma = fma_bound();
  out << "- div grad u = f on " << whole.name << ", " << elements_text(whole.shared, "n")
      << " of degree p, " << thread_count() << " threads, " << fma * 1e-9
      << " GFLOP/s of FMA at most\n";
  table results(out, fma, chosen.preconditioner == "jacobi" ? "" : chosen.preconditioner);
  progress_line progress(err, terminal);
  results.heading();
  for (const series& s : all) {
    errors.curves.push_back({"p = " + std::to_string(s.p), {}});
    rates.curves.push_back({"p = " + std::to_string(s.p), {}});
    for (int refine = s.coarsest; refine <= s.finest; ++refine) {
      const int n = 1 << refine;
      int geometry = s.p;
      for (const int limit : {chosen.geometry, whole.degree}) {
        if (limit != 0) geometry = std::min(geometry, limit);
      }
      const mesh shape = cut(whole, n, geometry);
      request what{shape};
      what.by = chosen.preconditioner == "jacobi"      ? preconditioning::jacobi
                : chosen.preconditioner == "chebyshev" ? preconditioning::chebyshev
                                                       : preconditioning::multigrid;
      what.where = chosen.where;
      what.progress = [&, where = "degree " + std::to_string(s.p) + ", " +
                                  elements_text(whole.shared, std::to_string(n))](
                          const char* stage, int iteration, double residual) {
        progress.say(where, stage, iteration, residual);
      };
      if (&s == &all.back() && refine == s.finest) what.output = file.get();
      const outcome o = solve(s.p, what);
      progress.clear();
      results.row(s.p, n, o);
      const auto unknowns = static_cast<double>(o.unknowns);
      errors.curves.back().points.push_back({unknowns, o.l2_error});
      rates.curves.back().points.push_back(
          {unknowns, 1e-6 * unknowns * o.jacobi.iterations / o.jacobi.seconds});
    }
  }
  if (plot_file) {
    plot_file->write([&](std::ostream& svg) { write_svg(svg, {errors, rates}); });
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
