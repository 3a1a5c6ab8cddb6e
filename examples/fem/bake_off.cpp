#include "bake_off.hpp"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <new>
#include <numbers>
#include <ostream>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "bake_off_operators.hpp"
#include "bounds.hpp"
#include "conjugate_gradients.hpp"
#include "device_matrix.hpp"
#include "domain.hpp"
#include "geometry.hpp"
#include "host_vectors.hpp"
#include "memory.hpp"
#include "mesh.hpp"
#include "parallel.hpp"
#include "problem_error.hpp"
#include "restriction.hpp"
#include "vector.hpp"

namespace fem {
namespace {

constexpr double pi = std::numbers::pi;

domain moved_cube() {
  return {
      "a cube", topology(std::vector<corners>{{0, 1, 2, 3, 4, 5, 6, 7}}), [](int, const point& X) {
        const double shift = 0.1 * std::sin(pi * X[0]) * std::sin(pi * X[1]) * std::sin(pi * X[2]);
        return point{X[0] + shift, X[1] + shift, X[2] + shift};
      }};
}

double solution_of_bake_off(const point& x) {
  return std::sin(pi * x[0]) * std::sin(pi * (1 + 2 * x[1])) * std::sin(pi * (2 + 3 * x[2]));
}

/// Elements along each axis.
int cube_root(int elements) {
  const int n = static_cast<int>(std::lround(std::cbrt(elements)));
  if (n * n * n != elements) {
    throw problem_error("--elements " + std::to_string(elements) +
                        " is not the cube of a whole number; " + std::to_string(n * n * n) + " is");
  }
  return n;
}

/// The numbers at the points of a slab, where they are stored or as they are made.
class numbers_at_points {
 public:
  numbers_at_points(const bake_off& what, const mesh& shape, const quadrature& rule,
                    const restriction& all)
      : is_mass_(what.is_mass()) {
    const auto Q = static_cast<index>(rule.points.size());
    block_size_ = (is_mass_ ? 1 : 6) * Q * Q * Q * W;
    if (what.from_vertices) {
      vertices_ = std::make_unique<trilinear_geometry>(shape, rule, all.blocks());
      bytes_ = 24.0 * 8 * W * static_cast<double>(all.blocks());
    } else {
      stored_ = std::make_unique<geometry>(shape, rule, all.blocks(), is_mass_, !is_mass_);
      bytes_ = 8.0 * static_cast<double>(block_size_ * all.blocks());
    }
  }

  const double* operator()(const slab& on) const {
    if (stored_) return stored() + on.first * block_size_;
    static thread_local vector made;
    if (made.size() < on.count * block_size_) made = vector(on.count * block_size_);
    for (index b = 0; b < on.count; ++b) {
      double* const to = made.data() + b * block_size_;
      if (is_mass_) {
        vertices_->scalars(on.first + b, to);
      } else {
        vertices_->matrices(on.first + b, to);
      }
    }
    return made.data();
  }

  double bytes() const { return bytes_; }

  /// Those of all blocks, where they are stored.
  const double* stored() const { return is_mass_ ? stored_->M.data() : stored_->D.data(); }

 private:
  bool is_mass_;
  index block_size_;
  double bytes_;
  std::unique_ptr<geometry> stored_;
  std::unique_ptr<trilinear_geometry> vertices_;
};

/// The mass matrix times the entries of x.
vector mass_times(const mesh& shape, const basis& tables, const restriction& all, const vector& x) {
  const geometry at_points(shape, tables.rule, all.blocks(), true, false);
  const element_operator mass = any_mass_operator(tables, all);
  vector y(all.size());
  add_up(all, y, [&](const slab& on) {
    mass.add(on, &at_points.M(on.first, 0, 0, 0, 0), x.data(), y.data());
  });
  return y;
}

double seconds_of(const std::function<void()>& work) {
  using clock = std::chrono::steady_clock;
  const clock::time_point start = clock::now();
  work();
  return std::chrono::duration<double>(clock::now() - start).count();
}

/// A x = b solved a second time, and timed.
struct timed_solve {
  vector x, r;                                       ///< r = b - A x
  double solve_seconds = 0, all_matrix_seconds = 0;  ///< of as many A x as there are iterations
};

timed_solve solve_here(const slab_matrix& A, const vector& b, int iterations) {
  timed_solve t;
  t.r = b;
  merged_conjugate_gradients(A, t.r, iterations);
  t.r = b;
  t.solve_seconds = seconds_of([&] { t.x = merged_conjugate_gradients(A, t.r, iterations); });
  vector y = t.r;
  const auto multiply = [&] {
    add_up(A.all, y, [&](const slab& on) { A.add(on, t.x.data(), y.data()); });
  };
  multiply();
  t.all_matrix_seconds = seconds_of([&] {
    for (int k = 0; k < iterations; ++k) multiply();
  });
  return t;
}

/// On a device; that b goes there and x comes back is not timed.
timed_solve solve_there(const device_matrix& A, const device_vectors& with, const vector& b,
                        int iterations) {
  device_vector x = with.zeros(), r = with.zeros();
  conjugate_gradients solver(with);
  const auto multiply = [&](const device_vector& p, device_vector& q) {
    with.clear(q);
    A.add(p, q);
  };
  const auto solve = [&] {
    r.copy_from(b);
    with.queue().wait();
    return seconds_of([&] {
      solver.solve(multiply, {}, x, r, 0, iterations, [](const iteration&) {});
      with.queue().wait();
    });
  };
  timed_solve t{zeros(b.size()), zeros(b.size()), 0, 0};
  solve();
  t.solve_seconds = solve();
  with.copy_back(x, t.x);
  with.copy_back(r, t.r);
  multiply(x, r);
  with.queue().wait();
  t.all_matrix_seconds = seconds_of([&] {
    for (int k = 0; k < iterations; ++k) multiply(x, r);
    with.queue().wait();
  });
  return t;
}

}  // namespace

bake_off_outcome run(const bake_off& what) {
  const int p = what.degree, n = cube_root(what.elements);
  if (!what.is_mass() && n * p == 1)
    throw problem_error("one element of degree 1 has all its nodes on the boundary: no unknowns");
  const domain cube = moved_cube();
  check_memory_of_bake_off(p, what.components(), cube.shared, n, p + (what.is_collocated() ? 1 : 2),
                           what.from_vertices ? 0
                           : what.is_mass()   ? 1
                                              : 6,
                           available_bytes());
  const mesh shape = cut(cube, n, what.from_vertices ? 1 : p);
  const basis tables(p, what.is_collocated() ? gauss_lobatto(p + 1) : gauss_legendre(p + 2));
  const restriction all(shape, p, what.components());
  const index unknowns = what.is_mass() ? all.size() : all.unknowns();

  vector u(all.size());
  {
    const std::vector<point> x = positions(shape, all, tables.nodes.points);
    const index components = what.components();
    for_each_entry(all.size(), [&](index i) {
      u(i) = static_cast<double>(i % components + 1) *
             solution_of_bake_off(x[static_cast<std::size_t>(i / components)]);
    });
  }
  vector b = mass_times(shape, tables, all, u);
  const double factor = what.is_mass() ? 1 : 14 * pi * pi;
  for_each_entry(all.size(), [&](index i) { b(i) = i < unknowns ? factor * b(i) : 0; });

  const numbers_at_points numbers(what, shape, tables.rule, all);
  bake_off_outcome result;
  result.unknowns = unknowns;
  result.geometry_bytes = numbers.bytes();
  result.matrix_bytes = 3 * 8.0 * static_cast<double>(all.size()) + numbers.bytes() +
                        4.0 * static_cast<double>(all.blocks() * W * all.per_element());

  const timed_solve solved = [&] {
    if (what.where) {
      const device_matrix A(*what.where, what.is_mass(), tables, all, numbers.stored());
      return solve_there(A, device_vectors(*what.where, unknowns, all.size()), b, what.iterations);
    }
    const element_operator A =
        what.is_mass() ? any_mass_operator(tables, all) : any_diffusion_operator(tables, all);
    const auto add = [&](const slab& on, const double* x, double* y) {
      A.add(on, numbers(on), x, y);
    };
    return solve_here({all, add, unknowns}, b, what.iterations);
  }();
  result.iteration_seconds = solved.solve_seconds / what.iterations;
  result.matrix_seconds = solved.all_matrix_seconds / what.iterations;
  const host_vectors with(unknowns, all.size());
  const auto norm = [&](const vector& v) { return std::sqrt(with.dot(v, v)); };
  result.residual = norm(solved.r) / norm(b);
  result.error = largest_over_entries(unknowns, [&](index i) { return solved.x(i) - u(i); });
  return result;
}

namespace {

bake_off parse(std::span<const std::string_view> arguments) {
  bake_off what;
  for_each_option(arguments, [&](std::string_view name, const option_value& value) {
    if (name == "--help" || name == "-h") {
      what.help = true;
    } else if (name == "--problem") {
      what.problem = whole_number(name, value(), 1, 6);
    } else if (name == "--degree") {
      what.degree = whole_number(name, value(), 1, 16);
    } else if (name == "--elements") {
      what.elements = whole_number(name, value(), 1, 1 << 30);
      cube_root(what.elements);
    } else if (name == "--device") {
      what.where = named_device(name, value());
    } else if (name == "--iterations") {
      what.iterations = whole_number(name, value(), 1, 1'000'000);
    } else if (name == "--threads") {
      what.threads = whole_number(name, value(), 1, 1024);
    } else if (name == "--geometry") {
      const std::string_view geometry = value();
      if (geometry != "stored" && geometry != "vertices") {
        throw problem_error("--geometry is stored or vertices, not '" + std::string(geometry) +
                            "'");
      }
      what.from_vertices = geometry == "vertices";
    } else {
      return false;
    }
    return true;
  });
  if (what.where && what.from_vertices)
    throw problem_error("--geometry vertices is not for --device cuda: there it is stored");
  return what;
}

constexpr const char* usage =
    "bp: a bake-off problem of CEED, a fixed number of iterations of conjugate gradients\n"
    "\n"
    "  --problem B     1 mass, 3 diffusion, 5 diffusion with the nodes as points; 2, 4 and 6 the\n"
    "                  same for fields of 3 components (3)\n"
    "  --degree P      polynomial degree, 1 to 16 (4)\n"
    "  --elements E    elements of the cube, n^3 (4096)\n"
    "  --geometry G    stored: numbers at the points are read; vertices: made of the 8 vertices\n"
    "                  of an element each time (stored)\n"
    "  --device D      cpu; cuda: the first NVIDIA GPU, with geometry stored (cpu)\n"
    "  --iterations N  (100)\n"
    "  --threads T     threads (without it: all of the machine); results do not depend on T\n"
    "  --help          this text\n";

void report(const bake_off& what, const bake_off_outcome& o, double triad, std::ostream& out) {
  const auto line = [&out](const char* title, const char* format, auto... values) {
    char text[256];
    std::snprintf(text, sizeof text, format, values...);
    out << title << text << "\n";
  };
  const int Q = what.degree + (what.is_collocated() ? 1 : 2), threads = thread_count();
  const auto dofs = static_cast<double>(o.unknowns);
  line("problem         ", "BP%d: %s, %d component%s, degree %d, %d^3 %s points, %s", what.problem,
       what.is_mass() ? "mass" : "diffusion", what.components(), what.components() > 1 ? "s" : "",
       what.degree, Q, what.is_collocated() ? "Gauss-Lobatto" : "Gauss-Legendre",
       what.is_mass() ? "no boundary condition" : "0 on the boundary");
  line("unique DoFs     ", "%lld, of %d deformed elements", static_cast<long long>(o.unknowns),
       what.elements);
  line("geometry        ", "%s, %.1f MB",
       what.from_vertices ? "made of the vertices of trilinear elements, 24 numbers each"
       : what.is_mass()   ? "stored, 1 number a point"
                          : "stored, 6 numbers a point",
       1e-6 * o.geometry_bytes);
  line("preconditioner  ", "%s", "none");
  line("iterations      ",
       "%d, fixed; the residual is %.1e of that at the start, x differs from u by %.1e",
       what.iterations, o.residual, o.error);
  line("warm-up         ", "%s", "one solve");
  if (what.where) {
    line("device          ", "%s", "the first GPU; vectors and geometry are there");
  } else {
    line("threads         ", "%d", threads);
    line("STREAM triad    ", "%.1f GB/s, of these threads, in this run", 1e-9 * triad);
    const double cache = last_cache_bytes();
    const double vectors = 4 * 8 * dofs, data = o.matrix_bytes + vectors;
    if (cache > 0) {
      line("size            ", "%.1f MB in an iteration, last cache %.1f MB: %s", 1e-6 * data,
           1e-6 * cache, data > cache ? "out of cache" : "in cache");
    } else {
      line("size            ",
           "%.1f MB in an iteration; this system does not say how large its caches are",
           1e-6 * data);
    }
  }
  line("A x             ", "%.3f ms, %.1f MDoF/s; %.1f bytes a DoF at %.1f GB/s",
       1e3 * o.matrix_seconds, 1e-6 * dofs / o.matrix_seconds, o.matrix_bytes / dofs,
       1e-9 * o.matrix_bytes / o.matrix_seconds);
  line("an iteration    ", "%.3f ms, %.2f times A x", 1e3 * o.iteration_seconds,
       o.iteration_seconds / o.matrix_seconds);
  const int workers = what.where ? 1 : threads;
  line(what.where ? "DoFs iterations / s            " : "DoFs iterations / (threads s)  ",
       "%.2f million", 1e-6 * dofs / (o.iteration_seconds * workers));
}

}  // namespace

int run_bake_off(std::span<const std::string_view> arguments, std::ostream& out,
                 std::ostream& err) {
  const auto fail = [&err](const std::string& why) {
    err << "bp: " << why << std::endl;
    return 2;
  };
  try {
    const bake_off what = parse(arguments);
    if (what.help) {
      out << usage;
      return 0;
    }
    with_threads(what.threads, [&] {
      const bake_off_outcome o = run(what);
      report(what, o, what.where ? 0 : triad_bound(), out);
    });
    return 0;
  } catch (const std::bad_alloc&) {
    return fail("the memory ran out; choose fewer --elements or a smaller --degree");
  } catch (const std::exception& e) {
    return fail(e.what());
  }
}

}  // namespace fem
