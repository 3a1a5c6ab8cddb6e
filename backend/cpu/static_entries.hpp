#pragma once

#include <array>
#include <tenfold/backend/cpu/load_store.hpp>
#include <tenfold/backend/cpu/step_pointers.hpp>
#include <utility>

/// Products entry by entry that run together, in a sandwich or without, of a program P::value that
/// is a constant.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

template <class P, int S, int Loop, class T>
[[gnu::always_inline]] inline void go_on_outer(step_pointers<T>& p) {
  static constexpr const step_loop& loop = P::value.loops[P::value.steps[S].first_loop + Loop];
  p.a += loop.a;
  p.b += loop.b;
  p.c += loop.c;
}

/// Moves the pointers of some steps through their outer loops, which are alike, from number Loop
/// on; calls f at each place.
template <class P, int First, int Loop, class T, class F, int... I>
[[gnu::always_inline]] inline void for_each_outer_of(std::array<step_pointers<T>, sizeof...(I)> p,
                                                     F f, std::integer_sequence<int, I...> steps) {
  static constexpr const program_step& step = P::value.steps[First];
  if constexpr (Loop == step.outer_count) {
    f(p);
  } else {
    for (index left = P::value.loops[step.first_loop + Loop].extent; left > 0; --left) {
      for_each_outer_of<P, First, Loop + 1>(p, f, steps);
      (go_on_outer<P, First + I, Loop>(std::get<I>(p)), ...);
    }
  }
}

/// Whether step s, behind step `first` which it runs with, adds to what the step before it has in
/// its register.
template <class P>
constexpr bool continues_sum(int first, int s) {
  const auto at = static_cast<std::size_t>(s);
  return s > first && P::value.steps[at].accumulates &&
         P::value.steps[at - 1].c == P::value.steps[at].c;
}

/// The number of the sum, each in a register, that step S of the steps from First on belongs to.
template <class P, int First, int S>
inline constexpr int sum_of_step = [] {
  int sum = 0;
  for (int s = First + 1; s <= S; ++s) sum += !continues_sum<P>(First, s);
  return sum;
}();

/// What `Count` products entry by entry read: each entry once, though several read it.
template <int Count>
struct entries_read {
  int count = 0;
  int number[2 * Count] = {};  ///< of a and b of each step
  int step[2 * Count] = {};    ///< who reads an entry first
  int uses[2 * Count] = {};
};

template <class P, int First, int Count>
inline constexpr entries_read<Count> entries_of = [] {
  entries_read<Count> all;
  const auto step = [](int i) -> const program_step& {
    return P::value.steps[static_cast<std::size_t>(First + i)];
  };
  const auto is_same = [&](int x, int y) {
    const program_step &in_x = step(x / 2), &in_y = step(y / 2);
    const auto strides = [&](const step_loop& of_x, const step_loop& of_y) {
      return (x % 2 == 0 ? of_x.a : of_x.b) == (y % 2 == 0 ? of_y.a : of_y.b);
    };
    bool same = (x % 2 == 0 ? in_x.a : in_x.b) == (y % 2 == 0 ? in_y.a : in_y.b) &&
                strides(in_x.n, in_y.n) && strides(in_x.m, in_y.m);
    for (int l = 0; l < in_x.outer_count; ++l)
      same = same && strides(P::value.loops[static_cast<std::size_t>(in_x.first_loop + l)],
                             P::value.loops[static_cast<std::size_t>(in_y.first_loop + l)]);
    return same;
  };
  for (int i = 0; i < 2 * Count; ++i) {
    int same = 0;
    while (same < i && !is_same(same, i)) ++same;
    all.number[i] = same < i ? all.number[same] : all.count++;
    if (same == i) all.step[all.number[i]] = i / 2;
    ++all.uses[all.number[i]];
  }
  return all;
}();

/// Loads what step I of the steps from First on reads first; what lies in registers is `held`.
/// What others read, too, is kept in a register: g++ loads it anew for each otherwise, and the
/// loads are what takes the time.
template <class P, int First, int Count, int I, int Width, class T>
[[gnu::always_inline]] inline void read_entries(const step_pointers<T>& p, index q, index x,
                                                const vec<T, Width>& held, vec<T, Width>* entries) {
  static constexpr const program_step& step = P::value.steps[First + I];
  static constexpr const auto& all = entries_of<P, First, Count>;
  constexpr int a = all.number[2 * I], b = all.number[2 * I + 1];
  const auto entry = [&]<buffer Where, int Uses>(const T* from) __attribute__((always_inline)) {
    if constexpr (Where == buffer::registers) return held;
    vec<T, Width> one = load<T, Width>(from);
    if constexpr (Uses > 1) pin(one);
    return one;
  };
  if constexpr (all.step[a] == I)
    entries[a] =
        entry.template operator()<step.a.where, all.uses[a]>(p.a + q * step.m.a + x * step.n.a);
  if constexpr (all.step[b] == I && b != a)
    entries[b] =
        entry.template operator()<step.b.where, all.uses[b]>(p.b + q * step.m.b + x * step.n.b);
}

/// sum := or += sign a b of entry (q, x) of step I of the steps from First on.
template <class P, int First, int Count, int I, int Width, class T>
[[gnu::always_inline]] inline void combine_entries(const step_pointers<T>& p, index q, index x,
                                                   const vec<T, Width>* entries,
                                                   vec<T, Width>& sum) {
  static constexpr int S = First + I;
  static constexpr const program_step& step = P::value.steps[S];
  static constexpr const auto& all = entries_of<P, First, Count>;
  vec<T, Width> a = entries[all.number[2 * I]];
  const vec<T, Width> b = entries[all.number[2 * I + 1]];
  if constexpr (step.sign < 0) a = broadcast<T, Width>(T(-1)) * a;
  if constexpr (!step.accumulates) {
    sum = a * b;
  } else if constexpr (continues_sum<P>(First, S)) {
    sum = fma(a, b, sum);
  } else {
    sum = fma(a, b, load<T, Width>(p.c + q * step.m.c + x * step.n.c));
  }
}

/// Stores the sum unless it stays in registers or the next step, if it is before End, adds to it.
template <class P, int S, int End, int Width, class T>
[[gnu::always_inline]] inline void leave_entry(const step_pointers<T>& p, index q, index x,
                                               const vec<T, Width>& sum) {
  static constexpr const program_step& step = P::value.steps[S];
  if constexpr (step.c.where != buffer::registers && (S + 1 == End || !continues_sum<P>(S, S + 1)))
    store<T, Width>(p.c + q * step.m.c + x * step.n.c, sum);
}

/// Entry (q, x) of the products from step First on; returns the sum that stays in registers, or
/// the last one.
template <class P, int First, int Width, class T, int... I>
[[gnu::always_inline]] inline vec<T, Width> run_entry(const step_pointers<T>* p, index q, index x,
                                                      const vec<T, Width>& held,
                                                      std::integer_sequence<int, I...>) {
  constexpr int count = sizeof...(I), end = First + count;
  constexpr int result = [] {
    int s = end - 1;
    while (s > First && P::value.steps[static_cast<std::size_t>(s)].c.where != buffer::registers)
      --s;
    return P::value.steps[static_cast<std::size_t>(s)].c.where == buffer::registers ? s : end - 1;
  }();
  vec<T, Width> entries[entries_of<P, First, count>.count];
  vec<T, Width> sums[sum_of_step<P, First, end - 1> + 1];
  (read_entries<P, First, count, I, Width>(p[I], q, x, held, entries), ...);
  (combine_entries<P, First, count, I, Width>(p[I], q, x, entries,
                                              sums[sum_of_step<P, First, First + I>]),
   ...);
  (leave_entry<P, First + I, end, Width>(p[I], q, x, sums[sum_of_step<P, First, First + I>]), ...);
  return sums[sum_of_step<P, First, result>];
}

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
