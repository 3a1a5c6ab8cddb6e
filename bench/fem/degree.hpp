#pragma once

#include <tenfold/tensor/gathered.hpp>
#include <tenfold/tensor/scatter_order.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <vector>

#include "fem/mesh.hpp"
#include "fem/problems.hpp"

namespace tenfold::bench {

/// v := A u for element vectors in blocks, u and v [blocks][P][P][P][W], d [blocks][entries][W].
template <class T>
struct element_vectors {
  const T *u, *d;
  T* v;
  std::ptrdiff_t blocks;
};

/// v := A u for vectors of degrees of freedom, through the map of the mesh.
template <class T>
struct mapped_vectors {
  const T *u, *d;
  T* v;
  const cube_mesh& mesh;
  const index_map<std::int32_t>& map;
  const scatter_order& order;
  /// What `hand` fetches ahead (lines_of_blocks).
  const std::vector<std::int32_t>& lines;
};

/// The candidates for an operator of one degree. Above last_fem_degree only `tenfold` and
/// `tenfold_at_run_time` are there.
template <class T>
struct operator_candidates {
  std::function<void(const element_vectors<T>&)> tenfold, hand;
  /// The same kernel where no type tells the degree.
  std::function<void(const element_vectors<T>&)> tenfold_at_run_time;
  std::function<void(const mapped_vectors<T>&)> tenfold_matvec, hand_matvec;
  /// The same with three components; empty in single precision.
  std::function<void(const mapped_vectors<T>&)> tenfold_vector_matvec, hand_vector_matvec;
};

/// Those of degree P - 1, by operator_kind. Each degree and scalar is compiled in a file of its own
/// (degree.cpp).
template <class T, int P>
std::array<operator_candidates<T>, 3> candidates_of_degree();

/// The same with the degree at run time; empty functions where it is none of those of problems.hpp.
template <class T>
std::array<operator_candidates<T>, 3> candidates_of(int p) {
  switch (p) {
    case 2:
      return candidates_of_degree<T, 3>();
    case 3:
      return candidates_of_degree<T, 4>();
    case 4:
      return candidates_of_degree<T, 5>();
    case 5:
      return candidates_of_degree<T, 6>();
    case 6:
      return candidates_of_degree<T, 7>();
    case 7:
      return candidates_of_degree<T, 8>();
    case 8:
      return candidates_of_degree<T, 9>();
    default:
      break;
  }
  if constexpr (std::is_same_v<T, double>) {
    if (p == 11) return candidates_of_degree<T, 12>();
    if (p == 12) return candidates_of_degree<T, 13>();
    if (p == 14) return candidates_of_degree<T, 15>();
    if (p == 16) return candidates_of_degree<T, 17>();
  }
  return {};
}

}  // namespace tenfold::bench
