#include "gmsh.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>

#include "meshes.hpp"
#include "problem_error.hpp"

namespace {

/// What read_gmsh says of a file with this content; the file's name is cut off, its line stays.
std::string refusal(const std::string& content) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("tenfold_" + std::to_string(getpid()) + ".msh");
  std::ofstream(path, std::ios::binary) << content;
  std::string said = "nothing";
  try {
    fem::read_gmsh(path.string());
  } catch (const fem::problem_error& e) {
    said = e.what();
    CHECK(said.find(path.string() + ":") == 0);
    said.erase(0, path.string().size() + 1);
  }
  std::filesystem::remove(path);
  return said;
}

/// `text` with `from` replaced by `to`; it is there once.
std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != text.npos);
  REQUIRE(text.find(from, at + 1) == text.npos);
  return text.replace(at, from.size(), to);
}

/// Two cubes side by side along x, and a face.
const std::string two_cubes =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
    "$PhysicalNames\n1\n3 1 \"all\"\n$EndPhysicalNames\n"
    "$Nodes\n12\n"
    "1 0 0 0\n2 1 0 0\n3 2 0 0\n4 0 1 0\n5 1 1 0\n6 2 1 0\n"
    "7 0 0 1\n8 1 0 1\n9 2 0 1\n10 0 1 1\n11 1 1 1\n12 2 1 1\n"
    "$EndNodes\n"
    "$Elements\n3\n"
    "1 3 2 0 1 1 4 5 2\n"
    "2 5 2 1 1 1 2 5 4 7 8 11 10\n"
    "3 5 2 1 1 2 3 6 5 8 9 12 11\n"
    "$EndElements\n";

/// A cube in the current format; blocks of an entity each.
const std::string one_cube =
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
    "$Nodes\n2 8 1 80\n"
    "2 1 0 4\n1\n2\n3\n40\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n"
    "3 1 1 4\n5\n6\n7\n80\n0 0 1 0 0 1\n1 0 1 1 0 1\n1 1 1 1 1 1\n0 1 1 0 1 1\n"
    "$EndNodes\n"
    "$Elements\n2 2 1 2\n"
    "2 1 3 1\n1 1 2 3 40\n"
    "3 1 5 1\n2 1 2 3 40 5 6 7 80\n"
    "$EndElements\n";

}  // namespace

TEST_CASE("files of both versions are read") {
  CHECK(refusal(two_cubes) == "nothing");
  CHECK(refusal(one_cube) == "nothing");
  // As Windows ends lines.
  for (const std::string& text : {two_cubes, one_cube}) {
    std::string windows;
    for (const char c : text) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
    CHECK(refusal(windows) == "nothing");
  }

  for (const int order : {1, 2}) {
    for (const char* version : {"22", "41"}) {
      const std::string end = "_order" + std::to_string(order) + "_v" + version + ".msh";
      const fem::domain elbow = fem::read_gmsh(mesh_file("elbow" + end));
      CHECK(elbow.degree == order);
      CHECK(elbow.shared.counts()[3] == 36);
      CHECK(elbow.shared.counts()[0] == 17 * 4);
      CHECK(fem::read_gmsh(mesh_file("plate" + end)).shared.counts()[3] == 24);
    }
  }
}

TEST_CASE("what a file lists twice, or not as often as it says, is refused") {
  CHECK(refusal(with(one_cube, "$Nodes\n2 8", "$Nodes\n2 9")) ==
        "5: $Nodes says that there are 9 in all, and lists 8");
  CHECK(refusal(with(one_cube, "$Elements\n2 2", "$Elements\n2 1")) ==
        "26: $Elements says that there are 1 in all, and lists 2");
  CHECK(refusal(with(one_cube, "7 80\n$End", "7 80 9\n$End")) ==
        "30: element 2 has more than the 8 nodes of its type");
  const std::string last = "3 5 2 1 1 2 3 6 5 8 9 12 11\n";
  CHECK(refusal(with(with(two_cubes, "$Elements\n3", "$Elements\n4"), last,
                     last + "4 5 2 1 1 3 6 5 2 9 12 11 8\n")) ==
        "28: element 4 has the vertices of element 3");
}

TEST_CASE("neighbours of order 2 have one node in the middle of what they share") {
  // Two hexahedra of order 2 side by side along x; node i j k has the number 25 i + 5 j + k.
  const auto mesh = [](int other_face, int other_edge) {
    std::string nodes, elements;
    int count = 0;
    const auto number = [](int i, int j, int k) { return 25 * i + 5 * j + k + 1; };
    for (int i = 0; i < 5; ++i)
      for (int j = 0; j < 3; ++j)
        for (int k = 0; k < 3; ++k, ++count)
          nodes += std::to_string(number(i, j, k)) + " " + std::to_string(0.5 * i) + " " +
                   std::to_string(0.5 * j) + " " + std::to_string(0.5 * k) + "\n";
    nodes += "1000 1 0.5 0.5\n1001 1 0 0.5\n";
    const int at[27][3] = {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}, {0, 0, 2}, {2, 0, 2},
                           {2, 2, 2}, {0, 2, 2}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {2, 1, 0},
                           {2, 0, 1}, {1, 2, 0}, {2, 2, 1}, {0, 2, 1}, {1, 0, 2}, {0, 1, 2},
                           {2, 1, 2}, {1, 2, 2}, {1, 1, 0}, {1, 0, 1}, {0, 1, 1}, {2, 1, 1},
                           {1, 2, 1}, {1, 1, 2}, {1, 1, 1}};
    for (int e = 0; e < 2; ++e) {
      elements += std::to_string(e + 1) + " 12 2 1 1";
      for (const auto& [i, j, k] : at) {
        int n = number(2 * e + i, j, k);
        if (e == 1 && i == 0 && j == 1 && k == 1) n = other_face > 0 ? other_face : n;
        if (e == 1 && i == 0 && j == 0 && k == 1) n = other_edge > 0 ? other_edge : n;
        elements += " " + std::to_string(n);
      }
      elements += "\n";
    }
    return "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n" + std::to_string(count + 2) + "\n" +
           nodes + "$EndNodes\n$Elements\n2\n" + elements + "$EndElements\n";
  };
  CHECK(refusal(mesh(0, 0)) == "nothing");
  CHECK(refusal(mesh(1000, 0)) ==
        "57: element 2 has a face between the same vertices as element 1, but node 1000 in its "
        "middle for node 57");
  CHECK(refusal(mesh(0, 1001)) ==
        "57: element 2 has an edge between the same vertices as element 1, but node 1001 in its "
        "middle for node 52");
}

TEST_CASE("nodes of Gmsh's hexahedra are put in order: those of order 2 lie as Gmsh drew them") {
  // The middle of the elbow's outer edge lies on the circle of radius 3, at angles between layers.
  const fem::domain elbow = fem::read_gmsh(mesh_file("elbow_order2_v41.msh"));
  double farthest = 0;
  for (int h = 0; h < 36; ++h) {
    for (int l = 0; l < 27; ++l) {
      const fem::point x = elbow.map(h, {l / 9 / 2.0, l / 3 % 3 / 2.0, l % 3 / 2.0});
      const double along = std::hypot(x[0], x[1]) - 2, radius = std::hypot(along, x[2]);
      CHECK(radius <= 1 + 1e-9);
      farthest = std::max(farthest, radius);
    }
  }
  CHECK(farthest == doctest::Approx(1).epsilon(1e-9));
}

TEST_CASE("a file that cannot be read is named") {
  CHECK_THROWS_WITH_AS(fem::read_gmsh("nowhere.msh"),
                       "cannot read 'nowhere.msh': No such file or directory", fem::problem_error);
  CHECK_THROWS_WITH_AS(fem::read_gmsh("/"), "cannot read '/': Is a directory", fem::problem_error);
}

TEST_CASE("what is no Gmsh file, or of another format, is refused with its line") {
  CHECK(refusal("") == "1: this is no Gmsh file: it does not begin with $MeshFormat");
  CHECK(refusal("\nsolid\n") == "2: this is no Gmsh file: it does not begin with $MeshFormat");
  CHECK(refusal(with(two_cubes, "2.2 0 8", "2.2 1 8")) ==
        "2: the file is binary; Gmsh writes text with Mesh.Binary = 0");
  CHECK(refusal(with(two_cubes, "2.2 0 8", "4 0 8")) ==
        "2: this is version '4' of the format; 2.2 and 4.1 are read");
}

TEST_CASE("a file that ends too early, or says too little, is refused with its line") {
  for (const std::string& whole : {two_cubes, one_cube}) {
    // Cut anywhere: it is always said what is missing, and no part is taken for the whole.
    for (std::size_t end = 0; end + 1 < whole.size(); ++end) {
      CHECK(refusal(whole.substr(0, end)) != "nothing");
    }
  }
  CHECK(refusal("$MeshFormat\n") == "1: the file ends within $MeshFormat");
  CHECK(refusal(two_cubes.substr(0, two_cubes.find("7 0 0 1"))) ==
        "15: the file ends within $Nodes");
  CHECK(refusal(two_cubes.substr(0, two_cubes.find("$Nodes"))) == "7: the file has no $Nodes");
  CHECK(refusal(two_cubes.substr(0, two_cubes.find("$Elements"))) ==
        "22: the file has no $Elements");
  CHECK(refusal(two_cubes.substr(0, two_cubes.find("$EndElements"))) ==
        "27: the file ends within $Elements");
  CHECK(refusal(with(two_cubes, "\n3 5 2 1 1 2 3 6 5 8 9 12 11", "")) ==
        "27: $Elements ends too early");
  CHECK(refusal(with(two_cubes, "$Nodes\n12\n", "$Nodes\n11\n")) ==
        "21: $Nodes is longer than it says");
  CHECK(refusal(with(two_cubes, "\n3 2 0 0\n", "\n3 2 0\n")) == "12: a coordinate is missing");
  CHECK(refusal(with(two_cubes, "\n3 2 0 0\n", "\n3 2 x 0\n")) == "12: 'x' is not a coordinate");
  CHECK(refusal(with(two_cubes, "\n3 2 0 0\n", "\n3 2 nan 0\n")) ==
        "12: 'nan' is not a coordinate");
  CHECK(refusal(with(two_cubes, "\n3 2 0 0\n", "\n2 2 0 0\n")) == "12: node 2 is there twice");
  CHECK(refusal(with(two_cubes, "$Nodes\n12\n", "$Nodes\n-1\n")) ==
        "9: '-1' is not a number of nodes");
  CHECK(refusal(with(two_cubes, "$PhysicalNames\n1\n", "PhysicalNames\n1\n")) ==
        "4: here a section should begin, not 'PhysicalNames'");
}

TEST_CASE("elements that are no hexahedra of order 1 or 2 are refused by number and line") {
  const std::string tetrahedra = mesh_file("tetrahedra.msh");
  try {
    fem::read_gmsh(tetrahedra);
    FAIL("tetrahedra are taken for hexahedra");
  } catch (const fem::problem_error& e) {
    const std::string said = e.what();
    CHECK(said.find(tetrahedra + ":") == 0);
    CHECK(said.find(" is a tetrahedron; hexahedra of 8 and of 27 nodes are read") != said.npos);
  }
  const std::string third = "3 5 2 1 1 2 3 6 5 8 9 12 11";
  const auto of_type = [&](int type) {
    return refusal(with(two_cubes, third, "3 " + std::to_string(type) + " 2 1 1 2 3 6 5 8 9"));
  };
  const std::string readable = "; hexahedra of 8 and of 27 nodes are read";
  CHECK(of_type(4) == "27: element 3 is a tetrahedron" + readable);
  CHECK(of_type(11) == "27: element 3 is a tetrahedron" + readable);
  CHECK(of_type(6) == "27: element 3 is a prism" + readable);
  CHECK(of_type(7) == "27: element 3 is a pyramid" + readable);
  CHECK(of_type(17) == "27: element 3 is a hexahedron of 20 nodes" + readable);
  CHECK(of_type(92) == "27: element 3 is a hexahedron of order 3 or higher" + readable);
  CHECK(of_type(77) == "27: elements of type 77 are unknown here");
  CHECK(of_type(12) ==
        "27: element 3 is a hexahedron of 27 nodes among others; all must be of one "
        "order");
  CHECK(refusal(with(one_cube, "3 1 5 1\n", "3 1 4 1\n")) ==
        "30: element 2 is a tetrahedron" + readable);
  CHECK(refusal(with(one_cube, "2 2 1 2\n2 1 3 1\n1 1 2 3 40\n3 1 5 1\n2 1 2 3 40 5 6 7 80\n",
                     "1 1 1 1\n2 1 3 1\n1 1 2 3 40\n")) == "29: the file has no hexahedra");
}

TEST_CASE("elements that do not fit their nodes are refused by number and line") {
  const std::string third = "3 5 2 1 1 2 3 6 5 8 9 12 11";
  CHECK(refusal(with(two_cubes, third, "3 5 2 1 1 2 3 6 5 8 9 12 77")) ==
        "27: element 3 has node 77, which is not in $Nodes");
  CHECK(refusal(with(two_cubes, third, "3 5 2 1 1 2 3 6 5 8 9 12 2")) ==
        "27: element 3 has node 2 twice");
  CHECK(refusal(with(two_cubes, third, "3 5 2 1 1 2 3 6 5 8 9 12")) ==
        "27: the number of a node is missing");
  // Turned inside out; one corner pushed through the element; a third cube at the middle face.
  CHECK(refusal(with(two_cubes, third, "3 5 2 1 1 8 9 12 11 2 3 6 5")) ==
        "27: element 3 is inverted: its Jacobian determinant falls to -1");
  CHECK(refusal(with(two_cubes, "\n12 2 1 1\n", "\n12 1.25 0.25 0.25\n")) ==
        "27: element 3 is inverted: its Jacobian determinant falls to -1.25");
  const std::string more_nodes =
      with(with(two_cubes, "$Nodes\n12\n", "$Nodes\n16\n"), "\n12 2 1 1\n",
           "\n12 2 1 1\n13 3 0 0\n14 3 1 0\n15 3 0 1\n16 3 1 1\n");
  CHECK(refusal(with(with(more_nodes, "$Elements\n3\n", "$Elements\n4\n"), third,
                     third + "\n4 5 2 1 1 2 13 14 5 8 15 16 11")) ==
        "30: element 2 has a face that two others have, too");
}
