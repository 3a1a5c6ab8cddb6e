#include "restriction.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>

#include "numbering.hpp"
#include "parallel.hpp"

namespace fem {

index restriction::blocks_of(index entries, int p, int components) {
  return std::max<index>(1, entries / (index{W} * components * p * p * p));
}

restriction::restriction(const mesh& shape, int p, int components, index blocks_in_slab)
    : components_(components), elements_(shape.elements()) {
  const index D1D = p + 1, nodes = D1D * D1D * D1D;
  per_element_ = components * nodes;
  const index blocks = (elements_ + W - 1) / W;
  const index most = blocks_in_slab > 0 ? blocks_in_slab
                                        : std::min(blocks_of(1 << 14, p, components),
                                                   std::max<index>(1, blocks / 32));
  const index slabs = (blocks + most - 1) / most, in_slab = (blocks + slabs - 1) / slabs;
  map_ = tenfold::allocation<std::int32_t>(slabs * in_slab * W * per_element_);
  std::fill_n(map_.data(), map_.count(), -1);

  // The lattice's own numbers first, those of the first component.
  const numbering number(shape.shared, index(shape.n) * p);
  in_parallel(blocks, [&](index block) {
    for (index e = block * W; e < std::min(elements_, (block + 1) * W); ++e) {
      const element at = shape.at(e);
      std::int32_t* to = map_.data() + e * per_element_;
      for (index i = 0; i < D1D; ++i) {
        for (index j = 0; j < D1D; ++j) {
          for (index k = 0; k < D1D; ++k) {
            *to++ = static_cast<std::int32_t>(
                number(at.hexahedron, at.x * p + i, at.y * p + j, at.z * p + k));
          }
        }
      }
    }
  });

  const std::vector<index> turn = order_slabs(slabs, in_slab * W, number.nodes);

  // Which slabs come to a node first and last. Nodes of which this is the same are neighbours, in
  // the order of the lattice.
  struct visits {
    index first = -1, last = -1;
  };
  std::vector<visits> of_node(static_cast<std::size_t>(number.nodes));
  for (index e = 0; e < elements_; ++e) {
    for (index l = 0; l < nodes; ++l) {
      visits& v = of_node[static_cast<std::size_t>(entries(e)[l])];
      const index now = turn[static_cast<std::size_t>(e / (in_slab * W))];
      v.last = std::max(v.last, now);
      v.first = v.first < 0 ? now : std::min(v.first, now);
    }
  }
  std::map<std::array<index, 3>, index>
      next;  // (on the boundary, first, last): how many, then from
  const auto key = [&](index node) {
    const visits& v = of_node[static_cast<std::size_t>(node)];
    return std::array<index, 3>{node < number.free ? 0 : 1, v.first, v.last};
  };
  for (index node = 0; node < number.nodes; ++node) ++next[key(node)];
  std::vector<std::vector<range>> begins(static_cast<std::size_t>(slabs)), ends(begins);
  for (auto& [which, count] : next) {
    const range all = {size_, size_ + count * components};
    begins[static_cast<std::size_t>(which[1])].push_back(all);
    ends[static_cast<std::size_t>(which[2])].push_back(all);
    count = all.first;
    size_ = all.last;
  }
  unknowns_ = number.free * components;

  std::vector<std::int32_t> entry(static_cast<std::size_t>(number.nodes));
  for (index node = 0; node < number.nodes; ++node) {
    index& to = next[key(node)];
    entry[static_cast<std::size_t>(node)] = static_cast<std::int32_t>(to);
    to += components;
  }
  in_parallel(blocks, [&](index block) {
    for (index e = block * W; e < std::min(elements_, (block + 1) * W); ++e) {
      std::int32_t* const own = map_.data() + e * per_element_;
      for (index l = 0; l < nodes; ++l) own[l] = entry[static_cast<std::size_t>(own[l])];
      for (index l = nodes; l < per_element_; ++l) {
        own[l] = own[l % nodes] + static_cast<std::int32_t>(l / nodes);
      }
    }
  });

  std::vector<index> place(static_cast<std::size_t>(slabs));  // where the elements of a slab are
  for (index s = 0; s < slabs; ++s) {
    place[static_cast<std::size_t>(turn[static_cast<std::size_t>(s)])] = s;
  }
  for (index s = 0; s < slabs; ++s) {
    const auto at = static_cast<std::size_t>(s);
    const index first = place[at] * in_slab;
    slabs_.push_back({first, in_slab, s,
                      tenfold::index_map<std::int32_t>(map_.data() + first * W * per_element_,
                                                       in_slab, W * per_element_, size_),
                      D1D, std::move(begins[at]), std::move(ends[at])});
  }
}

/// Each slab in its turn gets the first colour that none has with which it shares a node. Returns
/// the place of each in the order of colours. The numbers of the nodes are in the map.
std::vector<index> restriction::order_slabs(index slabs, index elements_in_slab, index nodes) {
  const index of_element = per_element_ / components_;
  std::vector<index> turn(static_cast<std::size_t>(slabs), -1);
  std::vector<index> last(static_cast<std::size_t>(nodes), -1);  // the colour that took it last
  index ordered = 0;
  for (index colour = 0; ordered < slabs; ++colour) {
    for (index s = 0; s < slabs; ++s) {
      if (turn[static_cast<std::size_t>(s)] >= 0) continue;
      const index first = s * elements_in_slab;
      const index behind = std::min(elements_, first + elements_in_slab);
      const auto for_nodes = [&](auto work) {
        for (index e = first; e < behind; ++e) {
          for (index l = 0; l < of_element; ++l)
            work(last[static_cast<std::size_t>(entries(e)[l])]);
        }
      };
      bool is_apart = true;
      for_nodes([&](index taken) { is_apart = is_apart && taken != colour; });
      if (!is_apart) continue;
      for_nodes([&](index& taken) { taken = colour; });
      turn[static_cast<std::size_t>(s)] = ordered++;
    }
    colours_.push_back(ordered);
  }
  return turn;
}

void for_each_slab(const restriction& all, const std::function<void(const slab&)>& work) {
  index first = 0;
  for (const index behind : all.colours()) {
    in_parallel(behind - first,
                [&](index i) { work(all.slabs()[static_cast<std::size_t>(first + i)]); });
    first = behind;
  }
}

void add_up(const restriction& all, vector& y, const std::function<void(const slab&)>& add) {
  for_each_slab(all, [&](const slab& on) {
    for (const range& of : on.begins) std::fill(y.data() + of.first, y.data() + of.last, 0.0);
    add(on);
  });
}

}  // namespace fem
