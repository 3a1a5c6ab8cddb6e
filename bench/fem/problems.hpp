#pragma once

#include <cstddef>
#include <string>

/// The CEED bake-off problems in numbers: what they are, what they cost.
namespace tenfold::bench {

inline constexpr int first_fem_degree = 2;
inline constexpr int last_fem_degree = 8;
/// In double precision the kernels of these, too, to compare run-time extents with static ones.
inline constexpr int high_fem_degrees[] = {11, 12, 14, 16};

/// BP1 and BP2: mass; BP3 and BP4: stiffness at p + 2 points of Gauss-Legendre; BP5 and BP6:
/// stiffness with the nodes, Gauss-Lobatto, as points.
enum class operator_kind { mass, diffusion, collocated };

/// One of them: BP1, BP3 and BP5 have one component, the others three.
struct bake_off {
  operator_kind kind;
  int components;

  int number() const { return 2 * static_cast<int>(kind) + (components == 3 ? 2 : 1); }
  std::string name(const char* prefix, int p) const {
    return prefix + std::to_string(number()) + " p=" + std::to_string(p);
  }
};

constexpr int points_of(operator_kind kind, int p) {
  return kind == operator_kind::collocated ? p + 1 : p + 2;
}

/// Numbers that are stored for an element: w detJ, or the upper triangle of w detJ J^-1 J^-T, at
/// each point.
constexpr int data_entries(operator_kind kind, int p) {
  const int Q = points_of(kind, p);
  return (kind == operator_kind::mass ? 1 : 6) * Q * Q * Q;
}

/// Nominal flops of one component of an element: those of sum factorization with full tables, by
/// collocation for the stiffness.
constexpr double element_flops(operator_kind kind, int p) {
  const double P = p + 1, Q = points_of(kind, p);
  const double interpolations = 4 * (Q * P * P * P + Q * Q * P * P + Q * Q * Q * P);
  switch (kind) {
    case operator_kind::mass:
      return interpolations + Q * Q * Q;
    case operator_kind::diffusion:
      return interpolations + 12 * Q * Q * Q * Q + 15 * Q * Q * Q;
    default:
      return 12 * P * P * P * P + 15 * P * P * P;
  }
}

/// Bytes of an element in the kernel alone: u, v and what is stored.
constexpr double element_bytes(operator_kind kind, int p, std::size_t scalar) {
  const double P = p + 1;
  return static_cast<double>(scalar) * (2 * P * P * P + data_entries(kind, p));
}

}  // namespace tenfold::bench
