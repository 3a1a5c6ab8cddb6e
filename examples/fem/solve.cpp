#include "solve.hpp"

#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>

#include "bounds.hpp"
#include "conjugate_gradients.hpp"
#include "discretization.hpp"
#include "preconditioners.hpp"
#include "problem_error.hpp"
#include "solution.hpp"
#include "spaces.hpp"
#include "vtu.hpp"

namespace fem {

namespace {

constexpr int most_iterations = 20'000;

using clock = std::chrono::steady_clock;

double seconds_since(clock::time_point start) {
  return std::chrono::duration<double>(clock::now() - start).count();
}

/// The unknowns of u = A^-1 b by conjugate gradients with `precondition`. An iteration that is not
/// timed comes first: on a device it compiles what runs there for the first time.
template <class Space>
solve_cost solve_by(const matrix_action<typename Space::vector>& precondition, const Space& on,
                    const request& what, const vector& b, vector& u) {
  const auto& with = on.vectors();
  const auto A = action_of(on);
  auto x = with.zeros(), r = with.copied(b);
  conjugate_gradients solver(with);
  solver.solve(A, precondition, x, r, what.tolerance, 1, [](const iteration&) {});
  r = with.copied(b);
  const clock::time_point start = clock::now();
  const convergence state = solver.solve(
      A, precondition, x, r, what.tolerance, most_iterations,
      [&what](const iteration& now) { what.progress("iteration", now.number, now.residual); });
  const double seconds = seconds_since(start);
  if (!std::isfinite(state.residual))
    throw problem_error("the residual of conjugate gradients is no finite number");
  if (!state.reached) {
    throw problem_error("conjugate gradients do not converge within " +
                        std::to_string(state.iterations) + " iterations");
  }
  with.copy_back(x, u);
  return {state.iterations, seconds};
}

/// With Jacobi's preconditioner and with the one asked for; set-up ends where the former begins.
template <class Space>
void solve_in(const Space& on, clock::time_point start, const request& what, const vector& b,
              vector& u, outcome& result) {
  const auto cost_of = [&](const matrix_action<typename Space::vector>& precondition) {
    return solve_by(precondition, on, what, b, u);
  };
  const jacobi<Space> diagonal(on);
  result.setup_seconds = seconds_since(start);
  result.jacobi = result.chosen = cost_of(std::cref(diagonal));
  what.progress("preconditioner", 0, 1);
  if (what.by == preconditioning::chebyshev) {
    chebyshev<Space> polynomial(on);
    result.chosen = cost_of(std::ref(polynomial));
  } else if (what.by == preconditioning::multigrid) {
    multigrid<Space> cycle(on);
    result.chosen = cost_of(std::ref(cycle));
  }
}

}  // namespace

outcome solve(int p, const request& what) {
  const clock::time_point start = clock::now();

  what.progress("geometry", 0, 1);
  const discretization on(what.shape, p);

  // u is given on the boundary, b = M f - A u, and only the free rows count from here on.
  what.progress("right-hand side", 0, 1);
  vector u = on.at_nodes(solution);
  for_each_entry(on.unknowns(), [x = u.data()](index i) { x[i] = 0; });
  vector b(on.nodes());
  {
    vector given(on.nodes());
    on.apply_diffusion(u, given);
    on.apply_mass(on.at_nodes(forcing), b);
    for_each_entry(on.nodes(), [&](index i) { b(i) = i < on.unknowns() ? b(i) - given(i) : 0; });
  }

  outcome result;
  if (what.where) {
    solve_in(device_space(*what.where, on), start, what, b, u, result);
  } else {
    solve_in(host_space(on), start, what, b, u, result);
  }

  what.progress("error", 0, 1);
  result.unknowns = on.unknowns();
  result.l2_error = on.l2_distance(u, solution);

  // Operator: its data and map once, x read, y read and written; then 18 vectors.
  const symmetric_at_points& D = on.at_points().D;
  const restriction& map = on.nodes_of_elements();
  const auto nodes = static_cast<double>(on.nodes()), free = static_cast<double>(on.unknowns());
  const double map_bytes =
      static_cast<double>(map.blocks() * W * map.per_element()) * sizeof(std::int32_t);
  result.bytes = 8.0 * static_cast<double>(D.size()) + map_bytes + 3 * 8 * nodes + 18 * 8 * free;
  result.flops = on.diffusion_flops() + 13 * free;
  what.progress("bandwidth", 0, 1);
  result.bandwidth = read_bound(D.data(), D.size());

  if (what.output) {
    what.progress("writing", 0, 1);
    what.output->write([&](std::ostream& out) { write_vtu(out, on, u); });
  }
  return result;
}

}  // namespace fem
