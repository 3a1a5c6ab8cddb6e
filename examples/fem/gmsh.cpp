#include "gmsh.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

#include "basis.hpp"
#include "problem_error.hpp"
#include "quadrature.hpp"

namespace fem {
namespace {

/// The lines of a file, and the words of the one that was read last.
class line_reader {
 public:
  explicit line_reader(const std::string& name) : name_(name) {
    errno = 0;
    in_.open(name, std::ios::binary);
    // A directory can be opened, but not read.
    if (!in_ || (in_.peek() == std::ifstream::traits_type::eof() && errno != 0)) {
      throw problem_error("cannot read " + quoted(name) + ": " +
                          std::generic_category().message(errno != 0 ? errno : ENOENT));
    }
  }

  /// The next line that is not empty; false if there is none.
  bool next() {
    while (std::getline(in_, text_)) {
      ++line_;
      rest_ = text_;
      skip_blanks();
      if (!rest_.empty()) return true;
    }
    return false;
  }
  /// The next line, which must belong to `section`.
  void next_in(const std::string& section) {
    if (!next()) fail("the file ends within " + section);
    if (rest_[0] == '$') fail(section + " ends too early");
  }
  /// What is left of `section` if `skipped`, and its last line.
  void end(const std::string& section, bool skipped) {
    const std::string last = "$End" + section.substr(1);
    do {
      if (!next()) fail("the file ends within " + section);
      if (word() == last && at_end()) return;
    } while (skipped);
    fail(section + " is longer than it says");
  }

  bool at_end() const { return rest_.empty(); }
  /// The next word of the line; empty at its end.
  std::string_view word() {
    const std::size_t end = std::min(rest_.find_first_of(blanks), rest_.size());
    const std::string_view found = rest_.substr(0, end);
    rest_.remove_prefix(end);
    skip_blanks();
    return found;
  }
  /// The next word as a number; `what` says which.
  template <class Number>
  Number number(const char* what) {
    const std::string_view found = word();
    if (found.empty()) fail(std::string(what) + " is missing");
    Number value{};
    const char* const end = found.data() + found.size();
    const auto [stop, error] = std::from_chars(found.data(), end, value);
    if (error != std::errc() || stop != end || !std::isfinite(static_cast<double>(value))) {
      fail(quoted(found) + " is not " + what);
    }
    return value;
  }
  long count(const char* what) {
    const long value = number<long>(what);
    if (value < 0) fail(quoted(std::to_string(value)) + " is not " + what);
    return value;
  }

  long line() const { return line_; }
  [[noreturn]] void fail(const std::string& why) const { fail(std::max(line_, 1L), why); }
  [[noreturn]] void fail(long line, const std::string& why) const {
    throw problem_error(name_ + ":" + std::to_string(line) + ": " + why);
  }

 private:
  static constexpr const char* blanks = " \t\r";
  void skip_blanks() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(blanks), rest_.size()));
  }

  const std::string& name_;
  std::ifstream in_;
  std::string text_;
  std::string_view rest_;
  long line_ = 0;
};

/// What an element in space is called that Gmsh gives this type; nullptr for points, lines,
/// triangles and quadrangles. `in` complains if the type is unknown.
const char* solid(int type, const line_reader& in) {
  switch (type) {
    case 4:
    case 11:
    case 29:
    case 30:
    case 31:
    case 32:
    case 33:
      return "a tetrahedron";
    case 5:
      return "a hexahedron of 8 nodes";
    case 12:
      return "a hexahedron of 27 nodes";
    case 17:
      return "a hexahedron of 20 nodes";
    case 92:
    case 93:
      return "a hexahedron of order 3 or higher";
    case 6:
    case 13:
    case 18:
      return "a prism";
    case 7:
    case 14:
    case 19:
      return "a pyramid";
    default:
      if ((1 <= type && type <= 28) || (36 <= type && type <= 39)) return nullptr;
      in.fail("elements of type " + std::to_string(type) + " are unknown here");
  }
}

/// Where the nodes of a hexahedron lie, 0 to 2 along each axis, in the order of Gmsh's files: the
/// corners around the bottom and around the top, then edges, faces and the centre. A hexahedron of
/// order 1 has the corners alone.
constexpr std::array<std::array<std::size_t, 3>, 27> places = {
    {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}, {0, 0, 2}, {2, 0, 2}, {2, 2, 2},
     {0, 2, 2}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {2, 1, 0}, {2, 0, 1}, {1, 2, 0},
     {2, 2, 1}, {0, 2, 1}, {1, 0, 2}, {0, 1, 2}, {2, 1, 2}, {1, 2, 2}, {1, 1, 0},
     {1, 0, 1}, {0, 1, 1}, {2, 1, 1}, {1, 2, 1}, {1, 1, 2}, {1, 1, 1}}};

class gmsh_reader {
 public:
  explicit gmsh_reader(const std::string& name) : name_(name), in_(name) {
    read_format();
    bool nodes = false, elements = false;
    while (in_.next()) {
      const std::string section(in_.word());
      if (section[0] != '$') in_.fail("here a section should begin, not " + quoted(section));
      if (section == "$Nodes") {
        nodes = true;
        read_nodes();
      } else if (section == "$Elements") {
        elements = true;
        read_elements();
      }
      in_.end(section, section != "$Nodes" && section != "$Elements");
    }
    if (!nodes) in_.fail("the file has no $Nodes");
    if (!elements) in_.fail("the file has no $Elements");
    if (hexahedra_.empty()) in_.fail("the file has no hexahedra");
  }

  domain make() const {
    std::vector<corners> vertices;
    std::vector<point> points;
    std::unordered_map<long, int> vertex_of;
    const auto D1D = static_cast<std::size_t>(order_) + 1;
    for (const hexahedron& h : hexahedra_) {
      corners& vertex = vertices.emplace_back();
      std::array<point, 27> of_element{};
      for (std::size_t l = 0; l < D1D * D1D * D1D; ++l) {
        const auto node = nodes_.find(h.nodes[l]);
        if (node == nodes_.end()) {
          fail(h, "has node " + std::to_string(h.nodes[l]) + ", which is not in $Nodes");
        }
        if (std::find(h.nodes.begin(), h.nodes.begin() + static_cast<std::ptrdiff_t>(l),
                      h.nodes[l]) != h.nodes.begin() + static_cast<std::ptrdiff_t>(l)) {
          fail(h, "has node " + std::to_string(h.nodes[l]) + " twice");
        }
        const auto [i, j, k] = places[l];
        if (l < 8) {
          const int next = static_cast<int>(vertex_of.size());
          vertex[2 * i + j + k / 2] = vertex_of.try_emplace(h.nodes[l], next).first->second;
        }
        const std::size_t scale = 2 / (D1D - 1);
        of_element[((i / scale) * D1D + j / scale) * D1D + k / scale] = node->second;
      }
      points.insert(points.end(), of_element.begin(),
                    of_element.begin() + static_cast<std::ptrdiff_t>(D1D * D1D * D1D));
    }
    check_shared();
    check_determinants(points);
    domain made = polynomial_hexahedra(name_, vertices, order_, std::move(points));
    check_faces(made.shared);
    return made;
  }

 private:
  struct hexahedron {
    long number, line;
    std::array<long, 27> nodes;
  };

  void read_format() {
    if (!in_.next() || in_.word() != "$MeshFormat") {
      in_.fail("this is no Gmsh file: it does not begin with $MeshFormat");
    }
    in_.next_in("$MeshFormat");
    const std::string version(in_.word());
    if (version != "2.2" && version != "4.1") {
      in_.fail("this is version " + quoted(version) + " of the format; 2.2 and 4.1 are read");
    }
    in_blocks_ = version == "4.1";
    if (in_.number<int>("0 for text, 1 for binary") != 0) {
      in_.fail("the file is binary; Gmsh writes text with Mesh.Binary = 0");
    }
    in_.end("$MeshFormat", false);
  }

  /// 2.2: how many; number x y z.  4.1: blocks of an entity each, which list numbers first and
  /// coordinates second. What else is in a line, such as coordinates on the entity, is passed over.
  void read_nodes() {
    in_.next_in("$Nodes");
    const long count = in_.count(in_blocks_ ? "a number of blocks" : "a number of nodes");
    if (!in_blocks_) {
      for (long l = 0; l < count; ++l) {
        in_.next_in("$Nodes");
        add_node(in_.count("the number of a node"));
      }
      return;
    }
    const long all = in_.count("a number of nodes"), said_in = in_.line();
    long listed = 0;
    for (long block = 0; block < count; ++block) {
      in_.next_in("$Nodes");
      for (const char* what : {"a dimension", "an entity", "0 or 1"}) in_.number<long>(what);
      const long in_block = in_.count("a number of nodes");
      std::vector<long> numbers;
      for (long l = 0; l < in_block; ++l) {
        in_.next_in("$Nodes");
        numbers.push_back(in_.count("the number of a node"));
      }
      for (const long number : numbers) {
        in_.next_in("$Nodes");
        add_node(number);
      }
      listed += in_block;
    }
    check_total("$Nodes", said_in, all, listed);
  }

  /// 4.1 says how many there are of all blocks together, too.
  void check_total(const char* section, long line, long said, long listed) const {
    if (said != listed) {
      in_.fail(line, std::string(section) + " says that there are " + std::to_string(said) +
                         " in all, and lists " + std::to_string(listed));
    }
  }

  void add_node(long number) {
    point x;
    for (double& coordinate : x) coordinate = in_.number<double>("a coordinate");
    if (!nodes_.try_emplace(number, x).second) {
      in_.fail("node " + std::to_string(number) + " is there twice");
    }
  }

  /// 2.2: how many; number, type, number of tags, tags, nodes.  4.1: blocks of one type each;
  /// number, nodes.
  void read_elements() {
    in_.next_in("$Elements");
    const long count = in_.count(in_blocks_ ? "a number of blocks" : "a number of elements");
    const long all = in_blocks_ ? in_.count("a number of elements") : count, said_in = in_.line();
    long listed = 0;
    for (long l = 0; l < count; ++l) {
      in_.next_in("$Elements");
      if (in_blocks_) {
        for (const char* what : {"a dimension", "an entity"}) in_.number<long>(what);
        const int type = in_.number<int>("the type of elements");
        const long in_block = in_.count("a number of elements");
        for (long m = 0; m < in_block; ++m) {
          in_.next_in("$Elements");
          add_element(in_.count("the number of an element"), type);
        }
        listed += in_block;
      } else {
        const long number = in_.count("the number of an element");
        const int type = in_.number<int>("the type of an element");
        const long tags = in_.count("a number of tags");
        for (long m = 0; m < tags; ++m) in_.number<long>("a tag");
        add_element(number, type);
        ++listed;
      }
    }
    check_total("$Elements", said_in, all, listed);
  }

  void add_element(long number, int type) {
    const char* const kind = solid(type, in_);
    if (!kind) return;
    hexahedron h{number, in_.line(), {}};
    if (type != 5 && type != 12) fail(h, "is " + std::string(kind) + "; " + readable);
    const int order = type == 5 ? 1 : 2;
    if (!hexahedra_.empty() && order != order_) {
      fail(h, "is " + std::string(kind) + " among others; all must be of one order");
    }
    order_ = order;
    const std::size_t nodes = order == 1 ? 8 : 27;
    for (std::size_t l = 0; l < nodes; ++l) h.nodes[l] = in_.count("the number of a node");
    if (!in_.at_end()) fail(h, "has more than the " + std::to_string(nodes) + " nodes of its type");
    hexahedra_.push_back(h);
  }

  /// det J has degree 3 order - 1 along each axis, so 3 order points along each determine it.
  void check_determinants(const std::vector<point>& points) const {
    const std::size_t D1D = static_cast<std::size_t>(order_) + 1, Q1D = 3 * (D1D - 1);
    std::vector<long double> nodes;
    for (std::size_t i = 0; i < D1D; ++i) {
      nodes.push_back(static_cast<long double>(i) / static_cast<long double>(order_));
    }
    const auto at = gauss_lobatto(static_cast<int>(Q1D)).points;
    std::vector<double> B, G;  // (q, i) values and slopes
    for (const long double x : at) {
      for (int i = 0; i <= order_; ++i) {
        B.push_back(static_cast<double>(lagrange(nodes, i, x)));
        G.push_back(static_cast<double>(lagrange_slope(nodes, i, x)));
      }
    }

    const std::size_t size = D1D * D1D * D1D;
    for (std::size_t h = 0; h < hexahedra_.size(); ++h) {
      double worst = std::numeric_limits<double>::infinity();
      for (std::size_t l = 0; l < Q1D * Q1D * Q1D; ++l) {
        const std::size_t q = l / (Q1D * Q1D) * D1D, r = l / Q1D % Q1D * D1D, s = l % Q1D * D1D;
        point J[3] = {};  // (d, c) dx_c / dxi_d
        for (std::size_t n = 0; n < size; ++n) {
          const std::size_t i = q + n / (D1D * D1D), j = r + n / D1D % D1D, k = s + n % D1D;
          const double slope[3] = {G[i] * B[j] * B[k], B[i] * G[j] * B[k], B[i] * B[j] * G[k]};
          for (std::size_t c = 0; c < 3; ++c) {
            for (std::size_t d = 0; d < 3; ++d) J[d][c] += slope[d] * points[h * size + n][c];
          }
        }
        double det = 0;
        for (std::size_t c = 0; c < 3; ++c) {
          const std::size_t c1 = (c + 1) % 3, c2 = (c + 2) % 3;
          det += J[0][c] * (J[1][c1] * J[2][c2] - J[1][c2] * J[2][c1]);
        }
        if (det < worst || std::isnan(det)) worst = det;
      }
      if (!std::isfinite(worst))
        fail(hexahedra_[h], "is too large: its Jacobian determinant is no finite number");
      if (!(worst > 0)) {
        std::ostringstream value;
        value << worst;
        fail(hexahedra_[h], "is inverted: its Jacobian determinant falls to " + value.str());
      }
    }
  }

  /// What hexahedra share goes by its vertices: an edge has two of them, a face four, a hexahedron
  /// eight. No two hexahedra have all, and where an edge or face of order 2 belongs to several it
  /// has one node in the middle.
  void check_shared() const {
    struct seen {
      const hexahedron* in;
      long middle;  // the node there, of order 2
    };
    std::map<std::vector<long>, seen> parts;  // by the vertices of each, sorted
    for (const hexahedron& h : hexahedra_) {
      for (const std::array<std::size_t, 3>& middle : places) {
        std::vector<long> vertices;
        for (std::size_t l = 0; l < 8; ++l) {
          bool has = true;
          for (std::size_t d = 0; d < 3; ++d)
            has = has && (middle[d] == 1 || middle[d] == places[l][d]);
          if (has) vertices.push_back(h.nodes[l]);
        }
        if (vertices.size() == 1) continue;
        std::sort(vertices.begin(), vertices.end());
        const long node =
            order_ == 1 ? 0 : h.nodes[static_cast<std::size_t>(&middle - places.data())];
        const auto [at, is_new] = parts.try_emplace(std::move(vertices), seen{&h, node});
        if (is_new) continue;
        const std::string other = "element " + std::to_string(at->second.in->number);
        if (at->first.size() == 8) fail(h, "has the vertices of " + other);
        if (at->second.middle != node) {
          fail(h, "has " + std::string(at->first.size() == 2 ? "an edge" : "a face") +
                      " between the same vertices as " + other + ", but node " +
                      std::to_string(node) + " in its middle for node " +
                      std::to_string(at->second.middle));
        }
      }
    }
  }

  void check_faces(const topology& shared) const {
    for (std::size_t h = 0; h < hexahedra_.size(); ++h) {
      for (int which = 0; which < part_count; ++which) {
        const topology::entity& e = shared.entities()[shared.at(h, which).entity];
        if (e.dimension == 2 && e.hexahedra > 2) {
          fail(hexahedra_[h], "has a face that two others have, too");
        }
      }
    }
  }

  [[noreturn]] void fail(const hexahedron& h, const std::string& why) const {
    in_.fail(h.line, "element " + std::to_string(h.number) + " " + why);
  }

  static constexpr const char* readable = "hexahedra of 8 and of 27 nodes are read";

  const std::string& name_;
  line_reader in_;
  bool in_blocks_ = false;  // as in 4.1
  int order_ = 0;
  std::unordered_map<long, point> nodes_;
  std::vector<hexahedron> hexahedra_;
};

}  // namespace

domain read_gmsh(const std::string& name) { return gmsh_reader(name).make(); }

}  // namespace fem
