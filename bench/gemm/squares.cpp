// Compiled once for each scalar, storage and part of the orders; see bench/CMakeLists.txt.
#include "gemm/static_bodies.hpp"

namespace tenfold::bench {
namespace {

template <class T, storage S, int N>
static_products<T> square_or_nothing() {
  if constexpr (has_order<T>(N)) {
    return products_of<T, S, false, N, N, N>();
  } else {
    return {};
  }
}

template <class T, storage S, int First, int... I>
static_products<T> choose(int n, std::integer_sequence<int, I...>) {
  static_products<T> found;
  ((n == First + I ? void(found = square_or_nothing<T, S, First + I>()) : void()), ...);
  return found;
}

}  // namespace

template <class T, storage S, int Part>
static_products<T> squares_of_part(int n) {
  return choose<T, S, 16 * Part + 1>(n, std::make_integer_sequence<int, 16>{});
}

using scalar = TENFOLD_BENCH_SCALAR;
template static_products<scalar>
squares_of_part<scalar, storage::TENFOLD_BENCH_STORAGE, TENFOLD_BENCH_PART>(int);

}  // namespace tenfold::bench
