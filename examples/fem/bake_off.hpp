#pragma once

/// CEED's bake-off problems (ceed.exascaleproject.org/bps): conjugate gradients of a fixed number
/// of iterations on a deformed cube, timed.
///
///     BP1, BP2   mass         1, 3 components   p + 2 Gauss-Legendre points   all nodes
///     BP3, BP4   diffusion    1, 3              p + 2 Gauss-Legendre points   0 on the boundary
///     BP5, BP6   diffusion    1, 3              the p + 1 Gauss-Lobatto nodes 0 on the boundary

#include <iosfwd>
#include <optional>
#include <span>
#include <string_view>
#include <tenfold/backend/cuda/device_queue.hpp>
#include <tenfold/tensor/extents.hpp>

namespace fem {

struct bake_off {
  int problem = 3;       ///< 1 to 6
  int degree = 4;        ///< 1 to 16
  int elements = 4096;   ///< a cubic number
  int iterations = 100;  ///< of conjugate gradients
  int threads = 0;       ///< 0: all that the machine offers
  bool from_vertices =
      false;  ///< numbers at the points are made of the vertices each time: elements
              ///< are trilinear then, else curved and their numbers stored
  std::optional<tenfold::device_queue> where;  ///< on a GPU; nothing: here
  bool help = false;

  bool is_mass() const { return problem <= 2; }
  bool is_collocated() const { return problem >= 5; }
  int components() const { return problem % 2 == 0 ? 3 : 1; }
};

struct bake_off_outcome {
  tenfold::index unknowns = 0;
  double geometry_bytes = 0;  ///< of what is stored of it
  double matrix_bytes = 0;    ///< that A x must at least move: x, y twice, geometry, map
  double matrix_seconds = 0, iteration_seconds = 0;  ///< of A x; of an iteration
  double residual = 0;                               ///< |b - A x| / |b| at the end
  double error = 0;                                  ///< largest difference of x and u at a node
};

/// Solves A x = b twice and times it the second time. On the unit cube, in which the nodes are
/// moved by 0.1 prod sin(pi x_i) along each axis, u = prod sin(pi (c_i + k_i x_i)) with c = (0, 1,
/// 2) and k = (1, 2, 3); b is the mass matrix times u (BP1, BP2) or times - div grad u = 14 pi^2 u.
/// Component a of a field is a + 1 times that.
bake_off_outcome run(const bake_off& what);

/// The program: reads the options, runs, prints to `out`. Returns 0, or 2 with one sentence on
/// `err`.
int run_bake_off(std::span<const std::string_view> arguments, std::ostream& out, std::ostream& err);

}  // namespace fem
