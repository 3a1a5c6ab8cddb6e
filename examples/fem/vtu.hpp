#pragma once

/// A solution as a file for ParaView: one Lagrange hexahedron of degree p per element, curved as
/// the element is.

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
  bool is_new_ = false, written_ = false;
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
void write_vtu(std::ostream& out, const discretization& on, const vector& u);

}  // namespace fem
