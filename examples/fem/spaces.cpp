#include "spaces.hpp"

#include <cstddef>

#include "operators.hpp"

namespace fem {

void host_space::transfer(const table& T, const host_space& from, const vector& x,
                          vector& y) const {
  namespace names = on_element;
  const auto& slabs = from.on_.nodes_of_elements().slabs();
  add_up(on_.nodes_of_elements(), y, [&](const slab& on) {
    auto v = on.of(y.data());
    names::transfer(names::V = v, names::T = T,
                    names::U = slabs[static_cast<std::size_t>(on.number)].of(x.data()));
  });
}

device_space::device_space(const tenfold::device_queue& where, const discretization& on)
    : on_(on),
      vectors_(where, on.unknowns(), on.nodes()),
      diffusion_(where, false, on.tables(), on.nodes_of_elements(), on.at_points().D.data()) {}

void device_space::transfer(const table& T, const device_space& from, const vector& x,
                            vector& y) const {
  namespace names = on_element;
  vectors_.clear(y);
  names::transfer(vectors_.queue(), names::V = diffusion_.of(y.data()), names::T = T,
                  names::U = from.diffusion_.of(x.data()));
}

}  // namespace fem
