#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <emulated_device.hpp>
#include <initializer_list>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "bake_off.hpp"
#include "bake_off_operators.hpp"
#include "device_matrix.hpp"
#include "domain.hpp"
#include "geometry.hpp"
#include "mesh.hpp"
#include "preconditioners.hpp"
#include "run.hpp"
#include "solve.hpp"
#include "spaces.hpp"

// The programs on a device, an emulated one: what they compute here, but for the order of sums.

namespace {

using tenfold::emulation::emulated_device;

/// One that counts how often memory is asked for.
struct counting_device : emulated_device {
  int allocations = 0;

  void* allocate(std::size_t bytes) override {
    ++allocations;
    return emulated_device::allocate(bytes);
  }
};

/// The largest difference, as a share of the largest entry.
double difference(const fem::vector& x, const fem::vector& y) {
  return fem::largest_over_entries(x.size(), [&](fem::index i) { return x(i) - y(i); }) /
         fem::largest_over_entries(x.size(), [&](fem::index i) { return x(i); });
}

/// A x here and on a device. Nine elements do not fill their blocks of eight.
void check_matrix(emulated_device& machine, int p, bool is_mass, bool is_collocated,
                  int components) {
  CAPTURE(p);
  CAPTURE(is_mass);
  CAPTURE(is_collocated);
  CAPTURE(components);
  const fem::mesh shape = fem::cut(fem::deformed_cube(0.1), 2, p);
  const fem::basis tables(p,
                          is_collocated ? fem::gauss_lobatto(p + 1) : fem::gauss_legendre(p + 2));
  const fem::restriction all(shape, p, components);
  const fem::geometry at_points(shape, tables.rule, all.blocks(), is_mass, !is_mass);
  const fem::element_operator A =
      is_mass ? fem::any_mass_operator(tables, all) : fem::any_diffusion_operator(tables, all);
  const double* const numbers = is_mass ? at_points.M.data() : at_points.D.data();
  const fem::index of_block =
      (is_mass ? 1 : 6) * tables.Q1D() * tables.Q1D() * tables.Q1D() * fem::W;
  fem::vector x(all.size()), y(all.size()), got(all.size());
  for (fem::index i = 0; i < x.size(); ++i) x(i) = std::cos(static_cast<double>(i));
  fem::add_up(all, y, [&](const fem::slab& on) {
    A.add(on, numbers + on.first * of_block, x.data(), y.data());
  });

  const auto where = tenfold::on(machine);
  const fem::device_matrix there(where, is_mass, tables, all, numbers);
  const auto x_there = copied(where, x);
  auto y_there = fem::device_vectors(where, all.unknowns(), x.size()).zeros();
  there.add(x_there, y_there);
  y_there.copy_to(got);
  CHECK(difference(y, got) < 1e-13);
}

}  // namespace

TEST_CASE("the matrices on a device are those that are here") {
  emulated_device machine;
  check_matrix(machine, 2, true, false, 1);
  check_matrix(machine, 1, true, false, 3);
  check_matrix(machine, 2, false, false, 1);
  check_matrix(machine, 2, false, true, 1);
  check_matrix(machine, 1, false, false, 3);
}

TEST_CASE("bake-off problems on a device have the residuals and errors that they have here") {
  emulated_device machine;
  for (const int problem : {1, 4, 5}) {
    CAPTURE(problem);
    fem::bake_off what;
    what.problem = problem;
    what.degree = 2;
    what.elements = 8;
    what.iterations = 6;
    const fem::bake_off_outcome here = fem::run(what);
    what.where = tenfold::on(machine);
    const fem::bake_off_outcome there = fem::run(what);
    CHECK(there.unknowns == here.unknowns);
    CHECK(there.residual == doctest::Approx(here.residual).epsilon(1e-6));
    CHECK(there.error == doctest::Approx(here.error).epsilon(1e-8));
  }
}

TEST_CASE("Chebyshev iterations and a V-cycle on a device are those that are here") {
  emulated_device machine;
  const fem::mesh shape = fem::cut(fem::deformed_cube(0.1), 3, 2);
  const fem::discretization on(shape, 2);
  const fem::host_space here(on);
  const fem::device_space there(tenfold::on(machine), on);
  fem::vector r = fem::zeros(on.nodes());
  for (fem::index i = 0; i < on.unknowns(); ++i) r(i) = std::cos(static_cast<double>(i));
  const auto applied_here = [&](auto& precondition) {
    fem::vector z = here.vectors().zeros();
    precondition(r, z);
    return z;
  };
  const auto applied_there = [&](auto& precondition) {
    const auto r_there = there.vectors().copied(r);
    auto z_there = there.vectors().zeros();
    precondition(r_there, z_there);
    fem::vector z = fem::zeros(on.nodes());
    there.vectors().copy_back(z_there, z);
    return z;
  };
  fem::chebyshev smoother(here);
  fem::chebyshev smoother_there(there);
  CHECK(smoother_there.largest_eigenvalue() ==
        doctest::Approx(smoother.largest_eigenvalue()).epsilon(1e-10));
  CHECK(difference(applied_here(smoother), applied_there(smoother_there)) < 1e-12);
  fem::multigrid cycle(here);
  fem::multigrid cycle_there(there);
  CHECK(difference(applied_here(cycle), applied_there(cycle_there)) < 1e-12);
}

TEST_CASE("a second V-cycle on a device takes no memory") {
  counting_device machine;
  const fem::mesh shape = fem::cut(fem::deformed_cube(0.1), 3, 2);
  const fem::discretization on(shape, 2);
  const fem::device_space there(tenfold::on(machine), on);
  fem::multigrid cycle(there);
  fem::vector some = fem::zeros(on.nodes());
  for (fem::index i = 0; i < on.unknowns(); ++i) some(i) = std::cos(static_cast<double>(i));
  const auto r = there.vectors().copied(some);
  auto z = there.vectors().zeros();
  cycle(r, z);
  const int before = machine.allocations;
  REQUIRE(before > 0);
  cycle(r, z);
  CHECK(machine.allocations == before);
}

TEST_CASE("Poisson's equation on a device has the error and the iterations that it has here") {
  emulated_device machine;
  // On one element there is one unknown of degree 2 and none of degree 1.
  for (const int n : {1, 3}) {
    CAPTURE(n);
    const fem::mesh shape = fem::cut(fem::deformed_cube(0.1), n, 2);
    fem::request what{shape};
    for (const auto by : {fem::preconditioning::chebyshev, fem::preconditioning::multigrid}) {
      what.by = by;
      what.where.reset();
      const fem::outcome here = fem::solve(2, what);
      what.where = tenfold::on(machine);
      const fem::outcome there = fem::solve(2, what);
      CHECK(there.jacobi.iterations == here.jacobi.iterations);
      CHECK(there.chosen.iterations == here.chosen.iterations);
      CHECK(there.l2_error == doctest::Approx(here.l2_error).epsilon(1e-9));
    }
  }
}

TEST_CASE("the programs say what is wrong with a device in one sentence") {
  using words = std::vector<std::string_view>;
  const auto bp = [](const words& arguments) {
    std::ostringstream out, err;
    CHECK(fem::run_bake_off(arguments, out, err) == 2);
    CHECK(out.str() == "");
    return err.str();
  };
  const auto poisson = [](const words& arguments) {
    std::ostringstream out, err;
    CHECK(fem::run(arguments, out, err, false) == 2);
    CHECK(out.str() == "");
    return err.str();
  };
  CHECK(bp({"--device", "gpu"}) == "bp: --device is cpu or cuda, not 'gpu'\n");
  CHECK(poisson({"--device=tpu"}) == "poisson: --device is cpu or cuda, not 'tpu'\n");
  // Without a GPU what is missing is told; with one, what does not go together.
  const std::string vertices = bp({"--device", "cuda", "--geometry", "vertices"});
  CHECK((vertices.find("bp: tenfold: ") == 0 ||
         vertices == "bp: --geometry vertices is not for --device cuda: there it is stored\n"));
}
