#pragma once

#include <tenfold/backend/cpu/simd.hpp>
#include <tenfold/backend/interface/program.hpp>

namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

/// Where the operands of a step lie in the tile at hand. What is packed from and unpacked to may
/// have scalars of its own.
template <class T, class A = T, class C = T>
struct step_pointers {
  const A* a;
  const T* b;
  C* c;
};

/// Moves the pointers of a step through its outer loops, at most `Most`, calling f at each place.
template <int Most, class T, class A, class C, class F>
[[gnu::always_inline]] inline void for_each_outer(const step_loop* loops, int count,
                                                  step_pointers<T, A, C> p, F f) {
  if constexpr (Most == 0) {
    f(p);
  } else {
    index total = 1;
    for (int i = 0; i < count; ++i) total *= loops[i].extent;
    index at[Most];
    for (int i = 0; i < count; ++i) at[i] = 0;
    for (index n = 0; n < total; ++n) {
      f(p);
      for (int i = count - 1; i >= 0; --i) {
        const step_loop& loop = loops[i];
        const bool wraps = ++at[i] == loop.extent;
        const index go = wraps ? 1 - loop.extent : 1;
        p.a += go * loop.a;
        p.b += go * loop.b;
        p.c += go * loop.c;
        if (!wraps) break;
        at[i] = 0;
      }
    }
  }
}

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
