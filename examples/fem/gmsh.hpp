#pragma once

/// Meshes that Gmsh wrote.

#include <string>

#include "domain.hpp"

namespace fem {

/// The hexahedra of a text file in Gmsh's formats 2.2 and 4.1 (Gmsh reference manual, "MSH file
/// format"), of order 1 (8 nodes) or 2 (27 nodes), all of one order. The boundary is what belongs
/// to one hexahedron only: physical groups, entities and elements of lower dimension are passed
/// over.
///
/// Throws problem_error with one sentence, the file's name and the number of the line, if there is
/// no such file; it is binary, of another version, or lists fewer or more than it says; has
/// elements in space other than such hexahedra, or none; an element has a node that is not there,
/// or one twice, or the vertices of another; a face belongs to more than two elements, or
/// neighbours have different nodes in the middle of what they share; or an element is inverted: det
/// J <= 0 at one of as many Gauss-Lobatto points as determine it.
domain read_gmsh(const std::string& name);

}  // namespace fem
