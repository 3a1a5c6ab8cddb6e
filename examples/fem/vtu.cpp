#include "vtu.hpp"

#include <bit>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <ostream>
#include <system_error>
#include <utility>

#include "problem_error.hpp"
#include "solution.hpp"

namespace fem {

std::vector<std::array<int, 3>> vtk_node_order(int p) {
  std::vector<std::array<int, 3>> order;
  // Corners: around the bottom, then around the top.
  for (const int k : {0, p}) {
    order.insert(order.end(), {{0, 0, k}, {p, 0, k}, {p, p, k}, {0, p, k}});
  }
  // Edges: around the bottom, around the top, then upwards; each along its increasing axis.
  for (const int k : {0, p}) {
    for (int i = 1; i < p; ++i) order.push_back({i, 0, k});
    for (int j = 1; j < p; ++j) order.push_back({p, j, k});
    for (int i = 1; i < p; ++i) order.push_back({i, p, k});
    for (int j = 1; j < p; ++j) order.push_back({0, j, k});
  }
  // Version 1.0 of the format has the upright edges row by row, 2.1 and later around the cell.
  for (const int j : {0, p}) {
    for (const int i : {0, p}) {
      for (int k = 1; k < p; ++k) order.push_back({i, j, k});
    }
  }
  // Faces: across x, across y, across z, the lower side first; then inside. The first axis is the
  // fastest everywhere.
  for (const int i : {0, p}) {
    for (int k = 1; k < p; ++k) {
      for (int j = 1; j < p; ++j) order.push_back({i, j, k});
    }
  }
  for (const int j : {0, p}) {
    for (int k = 1; k < p; ++k) {
      for (int i = 1; i < p; ++i) order.push_back({i, j, k});
    }
  }
  for (const int k : {0, p}) {
    for (int j = 1; j < p; ++j) {
      for (int i = 1; i < p; ++i) order.push_back({i, j, k});
    }
  }
  for (int k = 1; k < p; ++k) {
    for (int j = 1; j < p; ++j) {
      for (int i = 1; i < p; ++i) order.push_back({i, j, k});
    }
  }
  return order;
}

namespace {

[[noreturn]] void throw_unwritable(const std::string& name) {
  const std::string why = errno ? std::generic_category().message(errno) : "it cannot be opened";
  throw problem_error("cannot write '" + name + "': " + why);
}

}  // namespace

output_file::output_file(std::string name) : name_(std::move(name)) {
  std::error_code unknown;
  is_new_ = !std::filesystem::exists(name_, unknown);
  errno = 0;
  std::ofstream attempt(name_, std::ios::app | std::ios::binary);
  if (!attempt) throw_unwritable(name_);
}

output_file::~output_file() {
  if (is_new_ && !written_) std::remove(name_.c_str());
}

void output_file::write(const std::function<void(std::ostream&)>& writer) {
  errno = 0;
  std::ofstream file(name_, std::ios::trunc | std::ios::binary);
  writer(file);
  file.close();
  if (!file) throw_unwritable(name_);
  written_ = true;
}

vtu_writer::vtu_writer(std::ostream& out, index points, index cells) : out_(out) {
  out_
      << "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\""
      << (std::endian::native == std::endian::little ? "LittleEndian" : "BigEndian")
      << "\" header_type=\"UInt64\">\n<UnstructuredGrid>\n<Piece NumberOfPoints=\"" << points
      << "\" NumberOfCells=\"" << cells << "\">\n";
}

vtu_writer::~vtu_writer() { out_ << "</Piece>\n</UnstructuredGrid>\n</VTKFile>\n"; }

void vtu_writer::open(std::string_view tag) { out_ << '<' << tag << ">\n"; }
void vtu_writer::close(std::string_view tag) { out_ << "</" << tag << ">\n"; }

void vtu_writer::begin_array(const char* type, std::string_view name, int components,
                             std::uint64_t bytes) {
  out_ << "<DataArray type=\"" << type << "\" Name=\"" << name << "\" NumberOfComponents=\""
       << components << "\" format=\"binary\">";
  put(std::as_bytes(std::span(&bytes, 1)));
}

void vtu_writer::end_array() {
  if (waiting_ > 0) flush_group();
  out_ << "</DataArray>\n";
}

void vtu_writer::put(std::span<const std::byte> bytes) {
  for (const std::byte b : bytes) {
    group_[waiting_++] = std::to_integer<unsigned>(b);
    if (waiting_ == 3) flush_group();
  }
}

void vtu_writer::flush_group() {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const unsigned bits = group_[0] << 16 | group_[1] << 8 | group_[2];
  char text[4] = {digits[bits >> 18], digits[bits >> 12 & 63], digits[bits >> 6 & 63],
                  digits[bits & 63]};
  for (std::size_t i = waiting_ + 1; i < 4; ++i) text[i] = '=';
  out_.write(text, 4);
  group_ = {};
  waiting_ = 0;
}

void write_vtu(std::ostream& out, const discretization& on, const vector& u) {
  const int p = on.degree();
  std::vector<long double> equidistant;
  for (int a = 0; a <= p; ++a) equidistant.push_back(static_cast<long double>(a) / p);
  const vector values = on.values(u, equidistant);
  const std::vector<point> x = positions(on.shape(), on.nodes_of_elements(), equidistant);

  const restriction& nodes = on.nodes_of_elements();
  const index count = nodes.elements();
  const std::vector<std::array<int, 3>> order = vtk_node_order(p);
  const auto per_cell = static_cast<index>(order.size());
  const auto at = [](index l) { return static_cast<std::size_t>(l); };

  vtu_writer file(out, on.nodes(), count);
  file.open("PointData Scalars=\"u\"");
  file.array<double>("u", 1, on.nodes(), [&](index l) { return values(l); });
  file.array<double>("error", 1, on.nodes(),
                     [&](index l) { return values(l) - solution(x[at(l)]); });
  file.close("PointData");
  file.open("Points");
  file.array<double>("Points", 3, 3 * on.nodes(), [&](index l) { return x[at(l / 3)][at(l % 3)]; });
  file.close("Points");
  file.open("Cells");
  file.array<std::int64_t>("connectivity", 1, count * per_cell, [&](index l) {
    const auto [i, j, k] = order[at(l % per_cell)];
    return std::int64_t{nodes.entries(l / per_cell)[(i * (p + 1) + j) * (p + 1) + k]};
  });
  file.array<std::int64_t>("offsets", 1, count, [&](index c) { return (c + 1) * per_cell; });
  file.array<std::uint8_t>("types", 1, count, [](index) { return std::uint8_t(72); });
  file.close("Cells");
}

}  // namespace fem
