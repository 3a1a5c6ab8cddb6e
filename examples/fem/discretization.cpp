#include "discretization.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "parallel.hpp"

namespace fem {
namespace {

/// T u along each axis, for the elements of a slab.
scalars_at_points interpolated(const slab& on, const matrix& T, const vector& u) {
  using on_element::A, on_element::B, on_element::C, on_element::U, on_element::V;
  const index q = T.extent(0);
  scalars_at_points y(on.count, q, q, q);
  on_element::at_points<>(V = y, A = T, B = T, C = T, U = on.of(u.data()));
  return y;
}

}  // namespace

discretization::discretization(const mesh& shape, int p, index blocks_in_slab)
    : shape_(shape),
      tables_(p, gauss_legendre(p + 2)),
      restrict_(shape, p, 1, blocks_in_slab),
      geometry_(shape, tables_.rule, restrict_.blocks(), true, true),
      diffusion_(diffusion_operator(tables_, restrict_)),
      mass_(mass_operator(tables_, restrict_)) {}

void discretization::apply_diffusion(const vector& x, vector& y) const {
  add_up(restrict_, y, [&](const slab& on) {
    diffusion_.add(on, &geometry_.D(on.first, 0, 0, 0, 0, 0), x.data(), y.data());
  });
}

void discretization::apply_mass(const vector& x, vector& y) const {
  add_up(restrict_, y, [&](const slab& on) {
    mass_.add(on, &geometry_.M(on.first, 0, 0, 0, 0), x.data(), y.data());
  });
}

vector discretization::diffusion_diagonal() const {
  using on_element::D, on_element::V, on_element::XX, on_element::YY, on_element::ZZ;
  const index P = tables_.D1D(), Q = tables_.Q1D();
  // Along axis x, direction c is a slope if it is x and a value if not; entries off the diagonal of
  // D stand for two.
  using table = tensor<double, 6, dyn, dyn>;
  table products[3] = {table(Q, P), table(Q, P), table(Q, P)};
  for (int x = 0; x < 3; ++x) {
    const auto along = [&](int c) -> const matrix& { return c == x ? tables_.G : tables_.B; };
    for (int c = 0, t = 0; c < 3; ++c) {
      for (int d = c; d < 3; ++d, ++t) {
        for (index q = 0; q < Q; ++q) {
          for (index i = 0; i < P; ++i) {
            const double twice = x == 0 && c != d ? 2 : 1;
            products[x](t, q, i) = twice * along(c)(q, i) * along(d)(q, i);
          }
        }
      }
    }
  }
  vector diagonal(nodes());
  add_up(restrict_, diagonal, [&](const slab& on) {
    const tenfold::view<const double, dyn, 6, dyn, dyn, dyn, W> at_points(
        &geometry_.D(on.first, 0, 0, 0, 0, 0), on.count, Q, Q, Q);
    auto v = on.of(diagonal.data());
    on_element::diffusion_diagonal(V = v, XX = products[0], YY = products[1], ZZ = products[2],
                                   D = at_points);
  });
  return diagonal;
}

vector discretization::values(const vector& u, const std::vector<long double>& at) const {
  const matrix T = interpolation(tables_.nodes.points, at);
  const index size = restrict_.per_element();
  vector y(nodes());
  for (const slab& on : restrict_.slabs()) {
    const scalars_at_points moved = interpolated(on, T, u);
    const index first = on.first * W, last = std::min(restrict_.elements(), first + on.count * W);
    for (index e = first; e < last; ++e) {
      const double* const of_block = moved.data() + (e - first) / W * size * W + e % W;
      for (index l = 0; l < size; ++l) y(restrict_.entries(e)[l]) = of_block[l * W];
    }
  }
  return y;
}

vector discretization::at_nodes(const std::function<double(const point&)>& f) const {
  const std::vector<point> places = positions(shape_, restrict_, tables_.nodes.points);
  vector x(nodes());
  for_each_entry(nodes(), [&](index i) { x(i) = f(places[static_cast<std::size_t>(i)]); });
  return x;
}

double discretization::l2_distance(const vector& u,
                                   const std::function<double(const point&)>& f) const {
  const element_shapes shapes(shape_, tables_.rule.points);
  const index Q = tables_.Q1D(), size = Q * Q * Q * W;
  std::vector<double> of_block(static_cast<std::size_t>(restrict_.blocks()));
  for (const slab& on : restrict_.slabs()) {
    const scalars_at_points uq = interpolated(on, tables_.B, u);
    in_parallel(on.count, [&](index b) {
      const vectors_at_points xq = shapes.positions(on.first + b);
      const double* const weight = &geometry_.M(on.first + b, 0, 0, 0, 0);
      double sum = 0;
      for (index l = 0; l < size; ++l) {
        if ((on.first + b) * W + l % W >= restrict_.elements()) continue;
        const point x = {xq.data()[l], xq.data()[size + l], xq.data()[2 * size + l]};
        const double difference = uq.data()[b * size + l] - f(x);
        sum += weight[l] * difference * difference;
      }
      of_block[static_cast<std::size_t>(on.first + b)] = sum;
    });
  }
  double sum = 0;
  for (const double part : of_block) sum += part;
  return std::sqrt(sum);
}

}  // namespace fem
