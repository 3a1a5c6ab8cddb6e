#pragma once

/// Which sizes the compiler plans for.

#include <tenfold/tensor/extents.hpp>
#include <type_traits>
#include <utility>

namespace fem {

/// make(integral_constant P) for P = `nodes` if that is 2 to 9, which are the degrees 1 to 8; else
/// for P = dyn.
template <class Make>
auto for_static_nodes(tenfold::index nodes, Make make) {
  using tenfold::index;
  decltype(make(std::integral_constant<index, tenfold::dyn>{})) made;
  const auto try_one = [&](auto P) {
    if (nodes == P) made = make(P);
    return nodes == P;
  };
  const bool found = [&]<index... P>(std::integer_sequence<index, P...>) {
    return (try_one(std::integral_constant<index, P + 2>{}) || ...);
  }
  (std::make_integer_sequence<index, 8>{});
  if (!found) made = make(std::integral_constant<index, tenfold::dyn>{});
  return made;
}

}  // namespace fem
