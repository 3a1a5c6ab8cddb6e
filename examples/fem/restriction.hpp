// Copyright The Tenfold authors. Distributed under the Boost Software License, Version 1.0.

/// Between a vector over the mesh and the elements: gather, scatter.
#ifndef TENFOLD_EXAMPLES_FEM_RESTRICTION_HPP
#define TENFOLD_EXAMPLES_FEM_RESTRICTION_HPP

#include <cstddef>
#include <cstdint>

#include "basis.hpp"
#include "blocks.hpp"
#include "numbering.hpp"

namespace fem {

/// R_e of the textbooks, for all elements: u_e = R_e x, y = sum_e R_e^T v_e.
template <int p>
class restriction {
 public:
  static constexpr int D1D = p + 1;

  /// `number` is that of the nodes of degree p.
  restriction(const numbering& number, const blocks& all) : map_(all.count()) {
    for_each_batch(all, 1, [&](index b, index) {
      for (int i = 0; i < D1D; ++i) {
        for (int j = 0; j < D1D; ++j) {
          for (int k = 0; k < D1D; ++k) {
            for (int w = 0; w < W; ++w) {
              const element& e = all.elements[static_cast<std::size_t>(b * W + w)];
              map_(b, i, j, k, w) = static_cast<std::int32_t>(
                  number(e.hexahedron, index(e.x) * p + i, index(e.y) * p + j, index(e.z) * p + k));
            }
          }
        }
      }
    });
  }

  /// The number of node (i, j, k) of element w of block b.
  index node(index b, int i, int j, int k, int w) const { return map_(b, i, j, k, w); }

  /// u(E, i, j, k; w) = x[node(first + E, i, j, k; w)]
  template <class Blocks>
  void gather(const double* x, index first, Blocks&& u) const {
    const std::int32_t* const map = &map_(first, 0, 0, 0, 0);
    double* const values = u.data();
    const index size = u.size();
    for (index l = 0; l < size; ++l) values[l] = x[map[l]];
  }

  /// y[node(first + E, i, j, k; w)] += v(E, i, j, k; w)
  template <class Blocks>
  void scatter_add(const Blocks& v, index first, double* y) const {
    const std::int32_t* const map = &map_(first, 0, 0, 0, 0);
    const double* const values = v.data();
    const index size = v.size();
    for (index l = 0; l < size; ++l) y[map[l]] += values[l];
  }

  /// y[node(first + E, i, j, k; w)] = v(E, i, j, k; w), for values that elements agree on.
  template <class Blocks>
  void scatter(const Blocks& v, index first, double* y) const {
    const std::int32_t* const map = &map_(first, 0, 0, 0, 0);
    const double* const values = v.data();
    const index size = v.size();
    for (index l = 0; l < size; ++l) y[map[l]] = values[l];
  }

 private:
  tensor<std::int32_t, dyn, D1D, D1D, D1D, W> map_;  // (E, i, j, k; w)
};

}  // namespace fem

#endif  // TENFOLD_EXAMPLES_FEM_RESTRICTION_HPP
