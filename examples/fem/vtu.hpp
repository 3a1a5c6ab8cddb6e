// Copyright The Tenfold authors. Distributed under the Boost Software License, Version 1.0.

/// A solution as a file for ParaView: one Lagrange hexahedron of degree p per element, curved as
/// the element is.
#ifndef TENFOLD_EXAMPLES_FEM_VTU_HPP
#define TENFOLD_EXAMPLES_FEM_VTU_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "discretization.hpp"
#include "solution.hpp"

namespace fem {

/// The places (i, j, k), each 0 to p, of the nodes of VTK's Lagrange hexahedron (cell type 72) in
/// their order in a file of version 1.0: corners, edges, faces, inside.
std::vector<std::array<int, 3>> vtk_node_order(int p);

/// A file that is to be written when the work is done.
class output_file {
 public:
  /// Throws problem_error now if the file could not be written then. A file that is there keeps its
  /// content for the time being.
  explicit output_file(std::string name);
  /// Leaves no empty file behind if it never came to writing.
  ~output_file();
  output_file(const output_file&) = delete;
  output_file& operator=(const output_file&) = delete;

  /// Replaces the file by what `writer` writes. Throws problem_error if that fails.
  void write(const std::function<void(std::ostream&)>& writer);

 private:
  std::string name_;
  bool is_new_, written_ = false;
};

/// Writes the XML of a .vtu file; arrays are in base64, in the byte order of this machine.
class vtu_writer {
 public:
  vtu_writer(std::ostream& out, index points, index cells);
  ~vtu_writer();
  vtu_writer(const vtu_writer&) = delete;
  vtu_writer& operator=(const vtu_writer&) = delete;

  void open(std::string_view tag);
  void close(std::string_view tag);

  /// An array of `count` numbers in tuples of `components`; number(l) gives the l-th.
  template <class Number, class Function>
  void array(std::string_view name, int components, index count, Function number) {
    begin_array(type_name(Number{}), name, components,
                static_cast<std::uint64_t>(count) * sizeof(Number));
    for (index l = 0; l < count; ++l) {
      const Number value = number(l);
      put(std::as_bytes(std::span(&value, 1)));
    }
    end_array();
  }

 private:
  static const char* type_name(double) { return "Float64"; }
  static const char* type_name(std::int64_t) { return "Int64"; }
  static const char* type_name(std::uint8_t) { return "UInt8"; }
  void begin_array(const char* type, std::string_view name, int components, std::uint64_t bytes);
  void end_array();
  void put(std::span<const std::byte> bytes);
  void flush_group();

  std::ostream& out_;
  std::array<unsigned, 3> group_{};  // bytes that wait to become four characters
  std::size_t waiting_ = 0;
};

/// Writes u and its error at equidistant nodes, which is where VTK's polynomials have them.
template <int p>
void write_vtu(std::ostream& out, const discretization<p>& on, const vector& u) {
  constexpr int D1D = p + 1;
  std::vector<long double> equidistant;
  for (int a = 0; a <= p; ++a) equidistant.push_back(static_cast<long double>(a) / p);
  const tensor<double, dyn, dyn> T = interpolation(on.tables().nodes.points, equidistant);

  // Equidistant nodes are numbered as the Gauss-Lobatto nodes are.
  const blocks& all = on.elements();
  std::array<vector, 3> x = {zeros(on.nodes()), zeros(on.nodes()), zeros(on.nodes())};
  vector values = zeros(on.nodes());
  for_each_batch(all, 1, [&](index b, index) {
    tensor<double, dyn, 4, D1D, D1D, D1D, W> nodal(1), moved(1);  // x, y, z, u
    on.positions()(b, vector_blocks<double, D1D>(nodal.data(), 1));
    on.map().gather(u.data(), b, scalar_blocks<double, D1D>(&nodal(0, 3, 0, 0, 0, 0), 1));
    change_nodes(T, nodal, moved);
    for (int c = 0; c < 4; ++c) {
      on.map().scatter(scalar_blocks<double, D1D>(&moved(0, c, 0, 0, 0, 0), 1), b,
                       c < 3 ? x[static_cast<std::size_t>(c)].data() : values.data());
    }
  });

  std::vector<index> cells;
  for (std::size_t e = 0; e < all.elements.size(); ++e) {
    if (all.filled[e]) cells.push_back(static_cast<index>(e));
  }
  const auto count = static_cast<index>(cells.size());
  const std::vector<std::array<int, 3>> order = vtk_node_order(p);
  const auto per_cell = static_cast<index>(order.size());
  const auto at = [](index l) { return static_cast<std::size_t>(l); };

  vtu_writer file(out, on.nodes(), count);
  file.open("PointData Scalars=\"u\"");
  file.array<double>("u", 1, on.nodes(), [&](index l) { return values(l); });
  file.array<double>("error", 1, on.nodes(), [&](index l) {
    return values(l) - solution({x[0](l), x[1](l), x[2](l)});
  });
  file.close("PointData");
  file.open("Points");
  file.array<double>("Points", 3, 3 * on.nodes(), [&](index l) { return x[at(l % 3)](l / 3); });
  file.close("Points");
  file.open("Cells");
  file.array<std::int64_t>("connectivity", 1, count * per_cell, [&](index l) {
    const index e = cells[at(l / per_cell)];
    const auto [i, j, k] = order[at(l % per_cell)];
    return on.map().node(e / W, i, j, k, static_cast<int>(e % W));
  });
  file.array<std::int64_t>("offsets", 1, count, [&](index c) { return (c + 1) * per_cell; });
  file.array<std::uint8_t>("types", 1, count, [](index) { return std::uint8_t(72); });
  file.close("Cells");
}

}  // namespace fem

#endif  // TENFOLD_EXAMPLES_FEM_VTU_HPP
