#include "fem/mesh.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace tenfold::bench {
namespace {

using numbers = std::vector<double>;

/// y := a x along one axis, as in reference.cpp, in double: meshes are large.
void along_axis(const numbers& a, int rows, int columns, const numbers& x, int outer, int inner,
                numbers& y) {
  y.assign(static_cast<std::size_t>(outer * rows * inner), 0);
  for (int o = 0; o < outer; ++o) {
    for (int m = 0; m < rows; ++m) {
      double* const to = &y[static_cast<std::size_t>((o * rows + m) * inner)];
      for (int k = 0; k < columns; ++k) {
        const double factor = a[static_cast<std::size_t>(m * columns + k)];
        const double* const from = &x[static_cast<std::size_t>((o * columns + k) * inner)];
        for (int i = 0; i < inner; ++i) to[i] += factor * from[i];
      }
    }
  }
}

}  // namespace

cube_mesh::cube_mesh(int degree, int elements_along, int block_width, int component_count,
                     bool constrained)
    : p(degree), n(elements_along), width(block_width), components(component_count) {
  const std::ptrdiff_t along = std::ptrdiff_t{n} * p + 1;
  nodes = along * along * along;
  blocks = (elements() + width - 1) / width;
  map = allocation<std::int32_t>(blocks * numbers());
  std::fill_n(map.data(), map.count(), -1);
  const auto outside = [&](int element, int i) {
    return constrained && (element * p + i == 0 || element * p + i == n * p);
  };
  for (std::ptrdiff_t e = 0; e < elements(); ++e) {
    const auto x = static_cast<int>(e / n / n), y = static_cast<int>(e / n % n),
               z = static_cast<int>(e % n);
    std::int32_t* const block = map.data() + e / width * numbers() + e % width;
    std::ptrdiff_t at = 0;
    for (int c = 0; c < components; ++c) {
      for (int i = 0; i <= p; ++i) {
        for (int j = 0; j <= p; ++j) {
          for (int k = 0; k <= p; ++k, at += width) {
            if (outside(x, i) || outside(y, j) || outside(z, k)) continue;
            block[at] = static_cast<std::int32_t>(c * nodes + node(x, y, z, i, j, k));
          }
        }
      }
    }
  }
}

std::vector<std::int32_t> lines_of_blocks(const cube_mesh& mesh, std::size_t scalar) {
  const auto per_line = static_cast<std::int32_t>(64 / scalar);
  const std::ptrdiff_t entries = mesh.numbers() / mesh.components;
  const auto count = static_cast<std::size_t>(lines_of_block(mesh.P(), mesh.width, scalar));
  std::vector<std::int32_t> all, lines;
  const std::int32_t* const end = mesh.map.data() + mesh.map.count();
  for (const std::int32_t* at = mesh.map.data(); at != end; at += entries) {
    lines.clear();
    for (auto entry = at; entry != at + entries; ++entry) {
      if (*entry >= 0) lines.push_back(*entry / per_line);
    }
    std::sort(lines.begin(), lines.end());
    lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
    lines.resize(count, lines.empty() ? 0 : lines.back());
    all.insert(all.end(), lines.begin(), lines.end());
  }
  return all;
}

template <class T>
void store_geometry(const cube_mesh& mesh, const fem_tables& tables, operator_kind kind, T* d) {
  const int P = tables.P(), Q = tables.Q(), points = Q * Q * Q, W = mesh.width;
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  numbers value, slope;
  for (int q = 0; q < Q; ++q) {
    for (int i = 0; i < P; ++i) value.push_back(static_cast<double>(tables.value(q, i)));
    for (int r = 0; r < Q; ++r) slope.push_back(static_cast<double>(tables.slope(q, r)));
  }
  // Nodes on the grid before it is deformed, and sin(pi x) there.
  numbers place, sine;
  for (int x = 0; x < mesh.n; ++x) {
    for (int i = 0; i < P; ++i) {
      const double here = (x + static_cast<double>(tables.nodes.points[at(i)])) / mesh.n;
      place.push_back(here);
      sine.push_back(std::sin(std::numbers::pi * here));
    }
  }
  const int entries = data_entries(kind, mesh.p);
  numbers node(at(P * P * P)), first, second, position;
  std::array<numbers, 9> jacobian;  // dx_c / dxi_b at 3 c + b
  for (std::ptrdiff_t e = 0; e < mesh.blocks * W; ++e) {
    const std::ptrdiff_t element = std::min(e, mesh.elements() - 1);
    const int cell[3] = {static_cast<int>(element / mesh.n / mesh.n),
                         static_cast<int>(element / mesh.n % mesh.n),
                         static_cast<int>(element % mesh.n)};
    for (int c = 0; c < 3; ++c) {
      for (int m = 0; m < P * P * P; ++m) {
        const int along[3] = {m / P / P, m / P % P, m % P};
        double bump = 0.1;
        for (int b = 0; b < 3; ++b) bump *= sine[at(cell[b] * P + along[b])];
        node[at(m)] = place[at(cell[c] * P + along[c])] + bump;
      }
      along_axis(value, Q, P, node, 1, P * P, first);
      along_axis(value, Q, P, first, Q, P, second);
      along_axis(value, Q, P, second, Q * Q, 1, position);
      along_axis(slope, Q, Q, position, 1, Q * Q, jacobian[at(3 * c)]);
      along_axis(slope, Q, Q, position, Q, Q, jacobian[at(3 * c + 1)]);
      along_axis(slope, Q, Q, position, Q * Q, 1, jacobian[at(3 * c + 2)]);
    }
    T* const to = d + e / W * entries * W + e % W;
    for (int point = 0; point < points; ++point) {
      double J[3][3], adjugate[3][3];
      for (int c = 0; c < 3; ++c) {
        for (int b = 0; b < 3; ++b) J[c][b] = jacobian[at(3 * c + b)][at(point)];
      }
      // adjugate(b, c) is the cofactor of J(c, b):  J^-1 = adjugate / det.
      for (int b = 0; b < 3; ++b) {
        const int b1 = (b + 1) % 3, b2 = (b + 2) % 3;
        for (int c = 0; c < 3; ++c) {
          const int c1 = (c + 1) % 3, c2 = (c + 2) % 3;
          adjugate[b][c] = J[c1][b1] * J[c2][b2] - J[c1][b2] * J[c2][b1];
        }
      }
      const double det =
          J[0][0] * adjugate[0][0] + J[1][0] * adjugate[0][1] + J[2][0] * adjugate[0][2];
      const double weight = static_cast<double>(tables.rule.weights[at(point / Q / Q)] *
                                                tables.rule.weights[at(point / Q % Q)] *
                                                tables.rule.weights[at(point % Q)]);
      if (kind == operator_kind::mass) {
        to[point * W] = static_cast<T>(weight * det);
        continue;
      }
      int entry = 0;
      for (int b = 0; b < 3; ++b) {
        for (int c = b; c < 3; ++c, ++entry) {
          double sum = 0;
          for (int x = 0; x < 3; ++x) sum += adjugate[b][x] * adjugate[c][x];
          to[(entry * points + point) * W] = static_cast<T>(weight / det * sum);
        }
      }
    }
  }
}

template void store_geometry(const cube_mesh&, const fem_tables&, operator_kind, double*);
template void store_geometry(const cube_mesh&, const fem_tables&, operator_kind, float*);

}  // namespace tenfold::bench
