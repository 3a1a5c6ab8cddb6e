#pragma once

/// What the user may ask for.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tenfold/backend/cuda/device_queue.hpp>

namespace fem {

inline constexpr int max_degree = 10;

struct options {
  std::string mesh = "cube";  ///< as named_domain takes it
  int degree = 0;             ///< 0: a set of degrees
  int refine = -1;            ///< the finest mesh has 2^refine elements per direction in each
                              ///< hexahedron of the domain; -1: by degree
  int threads = 0;            ///< 0: all that the machine offers
  int geometry = 0;           ///< degree of the elements' shape at most; 0: that of the solution
  std::string preconditioner = "multigrid";    ///< or "chebyshev", "jacobi"
  std::optional<tenfold::device_queue> where;  ///< the GPU that solves; nothing: here
  double deform = 0.1;                         ///< how far the cube is bent
  std::string output;                          ///< a .vtu file; empty: none
  std::string plot;                            ///< an .svg file; empty: none
  bool help = false;
};

/// Reads `--name value` and `--name=value`. Throws problem_error with one sentence for an option
/// that does not exist, a value that is missing or no number, and a number out of range.
options parse_options(std::span<const std::string_view> arguments);

/// What `--help` prints.
std::string_view usage();

}  // namespace fem
