#include "solve.hpp"

#include <chrono>
#include <cstdint>
#include <string>

#include "bounds.hpp"
#include "conjugate_gradients.hpp"
#include "device_matrix.hpp"
#include "discretization.hpp"
#include "preconditioners.hpp"
#include "problem_error.hpp"
#include "solution.hpp"
#include "vtu.hpp"

namespace fem {

namespace {

constexpr int most_iterations = 20'000;

}  // namespace

outcome solve(int p, const request& what) {
  using clock = std::chrono::steady_clock;
  const auto seconds_since = [](clock::time_point start) {
    return std::chrono::duration<double>(clock::now() - start).count();
  };
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
  jacobi diagonal(on);

  outcome result;
  result.setup_seconds = seconds_since(start);
  const vector given = u;
  const auto tell = [&what](int k, double residual) { what.progress("iteration", k, residual); };
  /// u = A^-1 b by conjugate gradients, `iterate(u, r)`.
  const auto solved_by = [&](const std::function<convergence(vector&, vector&)>& iterate) {
    u = given;
    vector r = b;
    const clock::time_point solving = clock::now();
    const convergence state = iterate(u, r);
    if (!state.reached) {
      throw problem_error("conjugate gradients do not converge within " +
                          std::to_string(state.iterations) + " iterations");
    }
    return solve_cost{state.iterations, seconds_since(solving)};
  };
  const auto solve_with = [&](const matrix_action& precondition) {
    return solved_by([&](vector& x, vector& r) {
      return conjugate_gradients(
          [&on](const vector& d, vector& image) { on.apply_diffusion(d, image); }, precondition, x,
          r, on.unknowns(), what.tolerance, most_iterations, tell);
    });
  };
  const auto solve_there = [&](const device_matrix& A) {
    return solved_by([&](vector& x, vector& r) {
      const tenfold::device_queue& where = A.queue();
      const auto inverse = copied(where, diagonal.inverse());
      auto x_there = copied(where, x), r_there = copied(where, r);
      const convergence state = conjugate_gradients(A, &inverse, x_there, r_there, on.unknowns(),
                                                    what.tolerance, most_iterations, tell);
      x_there.copy_to(x);
      return state;
    });
  };
  if (what.where) {
    result.jacobi = solve_there(device_matrix(*what.where, false, on.tables(),
                                              on.nodes_of_elements(), on.at_points().D.data()));
  } else {
    result.jacobi = solve_with([&](const vector& r, vector& z) { diagonal(r, z); });
  }
  result.chosen = result.jacobi;
  what.progress("preconditioner", 0, 1);
  if (what.by == preconditioning::chebyshev) {
    chebyshev polynomial(on);
    result.chosen = solve_with([&](const vector& r, vector& z) { polynomial(r, z); });
  } else if (what.by == preconditioning::multigrid) {
    multigrid cycle(on);
    result.chosen = solve_with([&](const vector& r, vector& z) { cycle(r, z); });
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
