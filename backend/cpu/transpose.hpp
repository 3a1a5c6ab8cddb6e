#pragma once

#include <tenfold/backend/cpu/simd.hpp>
#include <type_traits>
#include <utility>

/// Transposition of blocks of entries that are held in registers.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

/// What a transposition moves: an entry is `count` units. A complex<float> moves as one double.
template <class T>
struct moved_unit {
  using type = std::conditional_t<is_complex_type<T>, double, T>;
  static constexpr int count = static_cast<int>(sizeof(T) / sizeof(type));
};

/// P neighbouring entries as units.
template <class T, int P>
using entry_row = typename short_vec<typename moved_unit<T>::type, P * moved_unit<T>::count>::type;

/// The most entries in one row of a block: those of a register, at least 1.
template <class T>
inline constexpr int block_entries =
    lanes<typename moved_unit<T>::type> >= moved_unit<T>::count
        ? lanes<typename moved_unit<T>::type> / moved_unit<T>::count
        : 1;

/// One butterfly of a transposition: exchanges the blocks of H units off the diagonal of every
/// 2 H x 2 H block whose rows are `low` and `high`.
template <int H, class V, int... I>
[[gnu::always_inline]] inline void butterfly(V& low, V& high, std::integer_sequence<int, I...>) {
  constexpr int p = sizeof...(I);
  const V a = low, b = high;
  low = __builtin_shufflevector(a, b, ((I / H) % 2 == 0 ? I : p + I - H)...);
  high = __builtin_shufflevector(a, b, ((I / H) % 2 == 0 ? I + H : p + I)...);
}

/// Transposes P x P entries of `Units` units held in P vectors: log2(P) rounds of butterflies.
template <int P, int Units, class V, int H = 1>
[[gnu::always_inline]] inline void transpose(V (&row)[P]) {
  if constexpr (H < P) {
#pragma GCC unroll 16
    for (int i = 0; i < P; ++i)
      if ((i & H) == 0)
        butterfly<H * Units>(row[i], row[i + H], std::make_integer_sequence<int, P * Units>{});
    transpose<P, Units, V, 2 * H>(row);
  }
}

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
