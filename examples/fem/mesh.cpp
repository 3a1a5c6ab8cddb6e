#include "mesh.hpp"

#include <cstddef>

#include "numbering.hpp"
#include "parallel.hpp"
#include "quadrature.hpp"

namespace fem {

mesh cut(const domain& whole, int n, int geometry) {
  using tenfold::index;
  const index N = index(n) * geometry;
  const numbering number(whole.shared, N);
  const auto inside_element = gauss_lobatto(geometry + 1).points;
  std::vector<double> X;  // of the lattice's points along an axis
  for (index l = 0; l <= N; ++l) {
    const double xi = static_cast<double>(inside_element[static_cast<std::size_t>(l % geometry)]);
    X.push_back((static_cast<double>(l / geometry) + xi) / n);
  }

  mesh made{whole.shared, n, geometry, std::vector<point>(static_cast<std::size_t>(number.nodes))};
  // One hexahedron after the other: several write what they share.
  for (std::size_t h = 0; h < whole.shared.hexahedra(); ++h) {
    in_parallel(N + 1, [&, hexahedron = static_cast<int>(h)](index x) {
      const auto at = [&X](index l) { return X[static_cast<std::size_t>(l)]; };
      for (index y = 0; y <= N; ++y) {
        for (index z = 0; z <= N; ++z) {
          made.nodes[static_cast<std::size_t>(number(hexahedron, x, y, z))] =
              whole.map(hexahedron, {at(x), at(y), at(z)});
        }
      }
    });
  }
  return made;
}

std::string elements_text(const topology& shared, const std::string& n) {
  const std::string each = n + "^3 elements";
  return shared.hexahedra() == 1 ? each : std::to_string(shared.hexahedra()) + " x " + each;
}

}  // namespace fem
