#include "bake_off.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <initializer_list>
#include <limits>
#include <slow_build.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "bounds.hpp"
#include "conjugate_gradients.hpp"
#include "domain.hpp"
#include "geometry.hpp"
#include "host_vectors.hpp"
#include "memory.hpp"
#include "mesh.hpp"
#include "operators.hpp"
#include "parallel.hpp"
#include "problem_error.hpp"
#include "restriction.hpp"

namespace {

using tenfold::testing::slow_build;

constexpr double eps = std::numeric_limits<double>::epsilon();

struct printed {
  int code;
  std::string out, err;
};

printed bp(std::initializer_list<std::string_view> arguments) {
  std::ostringstream out, err;
  const std::vector<std::string_view> words(arguments);
  const int code = fem::run_bake_off(words, out, err);
  return {code, out.str(), err.str()};
}

}  // namespace

TEST_CASE("the bake-off problems are solved, geometry stored or made of vertices") {
  for (int problem = 1; problem <= 6; ++problem) {
    for (const bool from_vertices : {false, true}) {
      CAPTURE(problem);
      CAPTURE(from_vertices);
      fem::bake_off what;
      what.problem = problem;
      what.degree = 3;
      what.elements = slow_build ? 27 : 64;
      what.iterations = slow_build ? 50 : 80;
      what.from_vertices = from_vertices;
      const fem::bake_off_outcome o = fem::run(what);
      const int n = slow_build ? 3 : 4, along = what.is_mass() ? 3 * n + 1 : 3 * n - 1;
      CHECK(o.unknowns == what.components() * along * along * along);
      // u is the solution of the mass problems; of the others up to the error of the elements.
      CHECK(o.error < (what.is_mass() ? 1e-3 : 0.1) * what.components());
      CHECK(o.residual < 1e-3);
    }
  }
}

TEST_CASE("bake-off problems of degrees that the compiler has not planned are solved") {
  for (const int problem : {1, 4, 5}) {
    for (const int degree : {9, 16}) {
      if (slow_build && degree == 16) continue;
      CAPTURE(problem);
      CAPTURE(degree);
      fem::bake_off what;
      what.problem = problem;
      what.degree = degree;
      what.elements = 1;
      what.iterations = slow_build ? 50 : 150;
      CHECK(fem::run(what).error < (problem == 1 ? 1e-3 : 0.05));
    }
  }
}

TEST_CASE("what is solved stays solved, however many iterations there are") {
  const struct {
    int problem, degree, elements;
  } cases[] = {{1, 1, 1}, {3, 2, 1}, {4, 2, 1}, {5, 2, 8}, {6, 1, 8}, {1, 2, 27}};
  for (const auto& c : cases) {
    for (const int iterations : {100, 1000}) {
      CAPTURE(c.problem);
      CAPTURE(iterations);
      fem::bake_off what;
      what.problem = c.problem;
      what.degree = c.degree;
      what.elements = c.elements;
      what.iterations = iterations;
      const fem::bake_off_outcome found = fem::run(what);
      CHECK(found.residual <= 1e-10);
      CHECK(found.error < 5);
    }
  }
}

TEST_CASE("a bake-off problem without unknowns, or too large, is refused") {
  const auto refusal = [](int problem, int degree, int elements) {
    fem::bake_off what;
    what.problem = problem;
    what.degree = degree;
    what.elements = elements;
    try {
      fem::run(what);
    } catch (const fem::problem_error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  CHECK(refusal(3, 1, 1) ==
        "one element of degree 1 has all its nodes on the boundary: no unknowns");
  const std::string large = refusal(2, 16, 1 << 30);
  CHECK(large.find("degree 16 on 1024^3 elements needs about ") == 0);
  CHECK(large.find("; choose fewer --elements or a smaller --degree") != large.npos);
  const fem::topology cube = fem::deformed_cube(0).shared;
  CHECK_NOTHROW(fem::check_memory_of_bake_off(4, 1, cube, 225, 6, 6, 1e15));
  CHECK_THROWS_AS(fem::check_memory_of_bake_off(4, 3, cube, 225, 6, 6, 1e15), fem::problem_error);
}

TEST_CASE("plain conjugate gradients stop moving where rounding begins") {
  const fem::index n = 8;
  const fem::host_vectors with(n, n);
  fem::vector x = fem::zeros(n), r = fem::zeros(n);
  for (fem::index i = 0; i < n; ++i) r(i) = 1;
  const fem::convergence done = fem::conjugate_gradients(with).solve(
      [&](const fem::vector& p, fem::vector& q) {
        for (fem::index i = 0; i < n; ++i) q(i) = static_cast<double>(i + 1) * p(i);
      },
      {}, x, r, 0, 1000, [](const fem::iteration&) {});
  CHECK(done.iterations == 1000);
  CHECK(done.residual <= 1e-15);
  for (fem::index i = 0; i < n; ++i)
    CHECK(std::fabs(x(i) * static_cast<double>(i + 1) - 1) <= 1e-14);
}

TEST_CASE("merged conjugate gradients do what plain ones do") {
  const fem::mesh shape = fem::cut(fem::deformed_cube(0.1), 4, 2);
  const fem::basis tables(2, fem::gauss_legendre(4));
  const fem::restriction all(shape, 2, 1, 1);
  REQUIRE(all.slabs().size() > 4);
  const fem::geometry at_points(shape, tables.rule, all.blocks(), false, true);
  const fem::element_operator A = fem::diffusion_operator(tables, all);
  const auto add = [&](const fem::slab& on, const double* x, double* y) {
    A.add(on, &at_points.D(on.first, 0, 0, 0, 0, 0), x, y);
  };
  const fem::index n = all.unknowns();
  fem::vector b = fem::zeros(all.size());
  for (fem::index i = 0; i < n; ++i) b(i) = std::cos(static_cast<double>(i));
  for (const int iterations : {1, 2, 3, 8, 15}) {
    CAPTURE(iterations);
    fem::vector r = b, x = fem::zeros(all.size()), residual = b;
    const fem::vector merged = fem::merged_conjugate_gradients({all, add, n}, r, iterations);
    const fem::host_vectors with(n, all.size());
    fem::conjugate_gradients(with).solve(
        [&](const fem::vector& p, fem::vector& q) {
          fem::add_up(all, q, [&](const fem::slab& on) { add(on, p.data(), q.data()); });
        },
        {}, x, residual, 0, iterations, [](const fem::iteration&) {});
    for (fem::index i = 0; i < n; ++i) CHECK(r(i) == doctest::Approx(residual(i)).epsilon(1e-6));
    const auto largest = [&](auto term) { return fem::largest_over_entries(n, term); };
    CHECK(largest([&](fem::index i) { return x(i) - merged(i); }) <=
          1e5 * eps * largest([&](fem::index i) { return x(i); }));
    for (fem::index i = n; i < all.size(); ++i) CHECK(merged(i) == 0);
  }
}

TEST_CASE("numbers made of vertices are those that are stored") {
  const fem::mesh shape = fem::cut(fem::kershaw(), 1, 1);
  const fem::quadrature rule = fem::gauss_legendre(4);
  const fem::restriction all(shape, 2);
  const fem::geometry stored(shape, rule, all.blocks(), true, true);
  const fem::trilinear_geometry made(shape, rule, all.blocks());
  std::vector<double> M(64 * fem::W), D(6 * 64 * fem::W);
  for (fem::index block = 0; block < all.blocks(); ++block) {
    made.scalars(block, M.data());
    made.matrices(block, D.data());
    for (std::size_t l = 0; l < M.size(); ++l) {
      const double exact = (&stored.M(block, 0, 0, 0, 0))[l];
      CHECK(std::fabs(M[l] - exact) <= 1000 * eps * std::fabs(exact));
    }
    for (std::size_t l = 0; l < D.size(); ++l) {
      const auto entry = [&](std::size_t cd) {
        return (&stored.D(block, 0, 0, 0, 0, 0))[cd * M.size() + l % M.size()];
      };
      const double trace = entry(0) + entry(3) + entry(5);
      CHECK(std::fabs(D[l] - entry(l / M.size())) <= 1000 * eps * trace);
    }
  }
}

TEST_CASE("bake-off problems have the same bits with 1, 2 and 3 threads") {
  for (const int problem : {2, 3}) {
    double residual = 0, error = 0;
    for (const int threads : {1, 2, 3}) {
      fem::bake_off what;
      what.problem = problem;
      what.degree = 2;
      what.elements = slow_build ? 512 : 1000;
      what.iterations = 12;
      fem::with_threads(threads, [&] {
        const fem::bake_off_outcome o = fem::run(what);
        if (threads > 1) CHECK((o.residual == residual && o.error == error));
        residual = o.residual;
        error = o.error;
      });
    }
  }
}

TEST_CASE("bp says all that makes its figures comparable") {
  const printed p = bp(
      {"--problem", "5", "--degree", "2", "--elements=27", "--iterations", "5", "--threads", "1"});
  CHECK(p.code == 0);
  CHECK(p.err == "");
  for (const char* said :
       {"BP5: diffusion, 1 component, degree 2, 3^3 Gauss-Lobatto points, 0 on the boundary",
        "unique DoFs     125, of 27 deformed elements", "stored, 6 numbers a point",
        "preconditioner  none", "iterations      5, fixed", "warm-up         one solve",
        "threads         1", "STREAM triad    ", "MB in an iteration", "times A x",
        "DoFs iterations / (threads s)  "}) {
    CAPTURE(said);
    CHECK(p.out.find(said) != p.out.npos);
  }
  // Linux says it in /sys, which a container need not have.
  const bool sizes_known = fem::last_cache_bytes() > 0;
  const char* said = sizes_known ? ": in cache" : "does not say how large its caches are";
  CHECK(p.out.find(said) != p.out.npos);
  CHECK(bp({"--help"}).out.find("--problem") != std::string::npos);
}

TEST_CASE("bp refuses bad options with one sentence") {
  const auto check_refused = [](std::initializer_list<std::string_view> arguments,
                                const std::string& sentence) {
    const printed p = bp(arguments);
    CHECK(p.code == 2);
    CHECK(p.err == "bp: " + sentence + "\n");
    CHECK(p.out == "");
  };
  check_refused({"--problem", "7"}, "--problem 7 is not between 1 and 6");
  check_refused({"--degree", "17"}, "--degree 17 is not between 1 and 16");
  check_refused({"--elements", "1000000000000"}, "--elements 1000000000000 is out of range");
  check_refused({"--elements", "100"}, "--elements 100 is not the cube of a whole number; 125 is");
  check_refused({"--geometry", "sphere"}, "--geometry is stored or vertices, not 'sphere'");
  check_refused({"--geometry"}, "--geometry needs a value");
  check_refused({"--speed", "9"}, "there is no option '--speed'; --help lists them");
}
