#include <utility>

#include "gemm/static_bodies.hpp"

namespace tenfold::bench {
namespace {

template <std::size_t I>
static_products<double> shape() {
  constexpr gemm_sizes s = fem_sizes[I];
  return products_of<double, storage::strided, true, s.m, s.n, s.k>();
}

template <std::size_t... I>
static_products<double> choose(std::size_t i, std::index_sequence<I...>) {
  static_products<double> found;
  ((i == I ? void(found = shape<I>()) : void()), ...);
  return found;
}

}  // namespace

static_products<double> fem_products(std::size_t i) {
  return choose(i, std::make_index_sequence<fem_sizes.size()>{});
}

}  // namespace tenfold::bench
