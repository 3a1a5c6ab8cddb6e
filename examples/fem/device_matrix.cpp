#include "device_matrix.hpp"

#include "operators.hpp"

namespace fem {
namespace {

using tenfold::device, tenfold::in_memory_of, tenfold::view;

/// The map of all elements.
tenfold::index_map<std::int32_t> map_of(const restriction& all) {
  const index of_block = W * all.per_element();
  return tenfold::index_map<std::int32_t>(all.entries(0), all.blocks(), of_block, all.size());
}

}  // namespace

device_matrix::device_matrix(const tenfold::device_queue& where, bool is_mass, const basis& tables,
                             const restriction& all, const double* at_points)
    : where_(where),
      is_mass_(is_mass),
      is_collocated_(tables.is_collocated()),
      components_(all.components()),
      blocks_(all.blocks()),
      B_(copied(where, tables.B)),
      H_(copied(where, tables.H)),
      at_points_(where,
                 blocks_ * (is_mass ? 1 : 6) * tables.Q1D() * tables.Q1D() * tables.Q1D() * W),
      map_(where, map_of(all)) {
  at_points_.copy_from(view<const double, dyn>(at_points, at_points_.size()));
}

template <index... Components>
void device_matrix::add_of(const device_vector& x, device_vector& y) const {
  namespace names = on_element;
  using tenfold::identity;
  const index Q = B_.extent(0);
  const auto v = of<Components...>(y.data());
  const auto u = of<Components...>(x.data());
  if (is_mass_) {
    const auto m = in_memory_of<device::cuda>(
        view<const double, dyn, dyn, dyn, dyn, W>(at_points_.data(), blocks_, Q, Q, Q));
    names::mass<Components...>(where_, names::V = v, names::U = u, names::M = m, names::B = B_);
    return;
  }
  const auto d = in_memory_of<device::cuda>(
      view<const double, dyn, 6, dyn, dyn, dyn, W>(at_points_.data(), blocks_, Q, Q, Q));
  if (is_collocated_) {
    names::diffusion<Components...>(where_, names::V = v, names::U = u, names::B = identity,
                                    names::One = identity, names::H = H_, names::D = d);
  } else {
    names::diffusion<Components...>(where_, names::V = v, names::U = u, names::B = B_,
                                    names::One = identity, names::H = H_, names::D = d);
  }
}

void device_matrix::add(const device_vector& x, device_vector& y) const {
  components_ == 1 ? add_of<>(x, y) : add_of<3>(x, y);
}

}  // namespace fem
