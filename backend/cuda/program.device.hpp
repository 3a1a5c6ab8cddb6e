#pragma once

#include <tenfold/backend/cuda/base.device.hpp>
#include <tenfold/backend/interface/device_step.hpp>

/// One phase of an expression. The text of a phase is a type P of constants, which device_step.hpp
/// and device_program.hpp explain: `entry`, `steps`, `loops`, `first_step`, `step_count`, `shares`,
/// `batch_loops`, `block_entries`, `element_entries`, `threads`, `elements`, `places`.
namespace tenfold::cuda {

// ---- entries ------------------------------------------------------------------------------------

template <scalar S>
struct scalar_type_of;
template <>
struct scalar_type_of<scalar::f32> {
  using type = float;
};
template <>
struct scalar_type_of<scalar::f64> {
  using type = double;
};
template <>
struct scalar_type_of<scalar::c32> {
  using type = complex<float>;
};
template <>
struct scalar_type_of<scalar::c64> {
  using type = complex<double>;
};

/// x in another precision, or as a complex number.
template <class T, class X>
TENFOLD_DEVICE T as(X x) {
  if constexpr (is_complex<T> && is_complex<X>)
    return {static_cast<real<T>>(x.re), static_cast<real<T>>(x.im)};
  else if constexpr (is_complex<T>)
    return {static_cast<real<T>>(x), 0};
  else
    return static_cast<T>(x);
}

template <class P>
using arguments_of = device_phase_arguments<typename P::entry, P::places>;

/// Shared memory of a block. Bases, because a base without members takes no room.
template <class T, long long Entries>
struct entries_of_block {
  T block[Entries];
};
template <class T>
struct entries_of_block<T, 0> {};
template <class T, long long Entries, int Elements>
struct entries_of_elements {
  T element[Elements][Entries];
};
template <class T, int Elements>
struct entries_of_elements<T, 0, Elements> {};
template <class P>
struct phase_memory : entries_of_block<typename P::entry, P::block_entries>,
                      entries_of_elements<typename P::entry, P::element_entries, P::elements> {};

/// Where an element is in the batch, and in shared memory.
struct element_at {
  long long number;
  int slot;
};

/// How far the element lies from the first one of a place.
template <class P>
TENFOLD_DEVICE long long distance(const arguments_of<P>& x, const device_base& place,
                                  element_at e) {
  long long at = 0, left = e.number;
  TENFOLD_UNROLL
  for (int l = P::batch_loops - 1; l > 0; --l) {
    at += left % x.extents[l] * place.steps[l];
    left /= x.extents[l];
  }
  return P::batch_loops > 0 ? at + left * place.steps[0] : 0;
}

/// Where entry 0 of an operand lies: in its place, or in shared memory.
template <class P, device_operand X>
TENFOLD_DEVICE long long start_of(const arguments_of<P>& x, element_at e) {
  if constexpr (X.where == device_memory::global)
    return distance<P>(x, x.places[X.place], e);
  else
    return X.offset;
}

/// Which entry the map means; -1: none.
template <device_operand X>
TENFOLD_DEVICE long long through_map(const device_base& place, long long at) {
  if constexpr (!X.mapped)
    return at;
  else if constexpr (X.wide_map)
    return static_cast<const long long*>(place.map)[at];
  else
    return static_cast<const int*>(place.map)[at];
}

template <class P, device_operand X>
TENFOLD_DEVICE typename P::entry load(const arguments_of<P>& x, phase_memory<P>& memory,
                                      element_at e, long long at) {
  using T = typename P::entry;
  if constexpr (X.where == device_memory::element) {
    return memory.element[e.slot][at];
  } else if constexpr (X.where == device_memory::block) {
    return memory.block[at];
  } else {
    const device_base& place = x.places[X.place];
    const long long to = through_map<X>(place, at);
    if (X.mapped && to < 0) return T{};
    const T value =
        as<T>(static_cast<const typename scalar_type_of<X.type>::type*>(place.data)[to]);
    if constexpr (X.conjugated)
      return conjugate(value);
    else
      return value;
  }
}

template <class P, device_operand X>
TENFOLD_DEVICE void store(const arguments_of<P>& x, phase_memory<P>& memory, element_at e,
                          long long at, typename P::entry value) {
  if constexpr (X.where == device_memory::element) {
    memory.element[e.slot][at] = value;
  } else if constexpr (X.where == device_memory::block) {
    memory.block[at] = value;
  } else {
    using S = typename scalar_type_of<X.type>::type;
    const device_base& place = x.places[X.place];
    const long long to = through_map<X>(place, at);
    if (X.mapped && to < 0) return;
    // What is written lies among what is read, and so by way of the same type.
    S* const entry = static_cast<S*>(const_cast<void*>(place.data)) + to;
    if constexpr (X.mapped)
      atomic_set(entry, as<S>(value));  // elements share entries
    else
      *entry = as<S>(value);
  }
}

// ---- loops --------------------------------------------------------------------------------------

/// Where the operands of a line lie.
struct line_at {
  long long a, b, add, to;
};

/// Goes to line number `line` along the loops [First, First + Count) of P.
template <class P, int First, int Count, class I>
TENFOLD_DEVICE void go_to(I line, line_at& at) {
  if constexpr (Count > 0) {
    constexpr device_loop loop = P::loops[First + Count - 1];
    const I i = Count == 1 ? line : line % static_cast<I>(loop.extent);
    at.a += i * loop.a;
    at.b += i * loop.b;
    at.add += i * loop.add;
    at.to += i * loop.to;
    go_to<P, First, Count - 1>(line / static_cast<I>(loop.extent), at);
  }
}

/// f(a, b) at the values of the loops [First, First + Count) of P: of the first one those of a part
/// of at most Part values from `from` on, of the last one every Lanes-th from `lane` on.
template <class P, int First, int Count, long long Part, int Lanes, class F>
TENFOLD_DEVICE void for_each_term(long long a, long long b, long long from, int lane, const F& f) {
  if constexpr (Count == 0) {
    f(a, b);
  } else {
    constexpr device_loop loop = P::loops[First];
    constexpr int step = Count == 1 ? Lanes : 1;
    long long i = Part == 0 ? 0 : from, end = loop.extent;
    if (Part != 0 && end - from > Part) end = from + Part;
    if (Count == 1 && Lanes > 1) i += lane;
    TENFOLD_UNROLL_BY(4)
    for (; i < end; i += step)
      for_each_term<P, First + 1, Count - 1, 0, Lanes>(a + i * loop.a, b + i * loop.b, 0, lane, f);
  }
}

/// The sum of all lanes' x, in all lanes: pairs, pairs of pairs, and so on.
template <int Lanes, class T>
TENFOLD_DEVICE T sum_of_lanes(T x, int lane) {
  TENFOLD_UNROLL
  for (int apart = 1; apart < Lanes; apart *= 2) x = add(x, of_lane(x, lane ^ apart));
  return x;
}

/// One line of a step for one element. All lanes of a line call it together. (The step is an
/// argument of the template because a local constant would be none in lambdas for NVRTC.)
template <class P, device_step step, class I>
TENFOLD_DEVICE void run_line(const arguments_of<P>& x, phase_memory<P>& memory, element_at e,
                             I line, int lane = 0) {
  using T = typename P::entry;
  constexpr int rows = static_cast<int>(step.rows.extent);
  constexpr long long parts = row_parts(step);
  constexpr long long sums = sum_parts(step, P::loops);
  constexpr auto of_sum = static_cast<I>(line_count(step, P::loops) / sums);
  constexpr I of_part = of_sum / static_cast<I>(parts);
  constexpr bool juts_out = step.row_count % rows != 0;
  constexpr bool has_a = step.a.where != device_memory::none;
  constexpr bool has_b = step.b.where != device_memory::none;

  const long long part = sums == 1 ? 0 : line / of_sum;
  if (sums > 1) line %= of_sum;
  const long long row = parts == 1 ? 0 : line / of_part * rows;
  line_at at{};
  if constexpr (has_a) at.a = start_of<P, step.a>(x, e) + row * step.rows.a;
  if constexpr (has_b) at.b = start_of<P, step.b>(x, e) + row * step.rows.b;
  if constexpr (step.add.where != device_memory::none)
    at.add = start_of<P, step.add>(x, e) + row * step.rows.add;
  at.to = start_of<P, step.to>(x, e) + row * step.rows.to + part * step.part_to;
  go_to<P, step.first_loop, step.line_loops>(parts == 1 ? line : line % of_part, at);

  // Rows beyond the last compute that one again and do not store it.
  const auto row_at = [&](int m) -> long long {
    return juts_out && row + m >= step.row_count ? step.row_count - 1 - row : m;
  };
  T sum[rows] = {};
  if constexpr (has_a) {
    for_each_term<P, step.first_loop + step.line_loops, step.sum_loops, step.part, step.lanes>(
        at.a, at.b, part * step.part, lane, [&](long long a, long long b) {
          T left{}, right{};
          if constexpr (step.rows.a == 0) left = load<P, step.a>(x, memory, e, a);
          if constexpr (has_b && step.rows.b == 0) right = load<P, step.b>(x, memory, e, b);
          TENFOLD_UNROLL
          for (int m = 0; m < rows; ++m) {
            if constexpr (step.rows.a != 0)
              left = load<P, step.a>(x, memory, e, a + row_at(m) * step.rows.a);
            if constexpr (has_b && step.rows.b != 0)
              right = load<P, step.b>(x, memory, e, b + row_at(m) * step.rows.b);
            if constexpr (has_b)
              sum[m] = multiply_add(left, right, sum[m]);
            else
              sum[m] = add(sum[m], left);
          }
        });
  }
  if constexpr (step.lanes > 1) {
    TENFOLD_UNROLL
    for (int m = 0; m < rows; ++m) sum[m] = sum_of_lanes<step.lanes>(sum[m], lane);
    if (lane != 0) return;
  }
  TENFOLD_UNROLL
  for (int m = 0; m < rows; ++m) {
    if (juts_out && row + m >= step.row_count) continue;
    T value = step.sign < 0 ? negate(sum[m]) : sum[m];
    const long long to = at.to + m * step.rows.to;
    if constexpr (step.add.where != device_memory::none)
      value = add(load<P, step.add>(x, memory, e, at.add + m * step.rows.add), value);
    if constexpr (step.scatters) {
      using R = typename scalar_type_of<step.to.type>::type;
      const device_base& place = x.places[step.to.place];
      const long long entry = through_map<step.to>(place, to);
      if (entry >= 0)
        atomic_add(static_cast<R*>(const_cast<void*>(place.data)) + entry,
                   as<R>(multiply(x.alpha, value)));
    } else {
      if constexpr (step.finishes) {
        value = multiply(x.alpha, value);
        if (!is_zero(x.beta))
          value = multiply_add(x.beta, load<P, step.to>(x, memory, e, to), value);
      }
      store<P, step.to>(x, memory, e, to, value);
    }
  }
}

// ---- the phase ----------------------------------------------------------------------------------

/// What counts so many lines.
template <bool Few>
struct line_number {
  using type = int;
};
template <>
struct line_number<false> {
  using type = long long;
};
template <long long Most>
using line_number_up_to = typename line_number<(Most < (1ll << 30))>::type;

/// All lines of step S, of `elements` elements from `first` on.
template <class P, int S>
TENFOLD_DEVICE void run_step(const arguments_of<P>& x, phase_memory<P>& memory, long long first,
                             int elements) {
  constexpr long long of_element = line_count(P::steps[S], P::loops);
  using I = line_number_up_to<of_element * P::elements>;
  constexpr auto lines = static_cast<I>(of_element);
  for (I i = thread_index(); i < elements * lines; i += P::threads)
    run_line<P, P::steps[S]>(x, memory, {first + i / lines, static_cast<int>(i / lines)},
                             i % lines);
}

/// Steps [S, End), which wait for each other.
template <class P, int S, int End>
TENFOLD_DEVICE void run_steps(const arguments_of<P>& x, phase_memory<P>& memory, long long first,
                              int elements) {
  if constexpr (S < End) {
    run_step<P, S>(x, memory, first, elements);
    if constexpr (S + 1 < End) {
      wait_for_block();
      run_steps<P, S + 1, End>(x, memory, first, elements);
    }
  }
}

// Grid: any number of blocks of P::threads threads. Sums go over rising terms in one register, so
// that neither the grid nor an element's place in the batch changes a bit; what is scattered is
// added in any order.
template <class P>
TENFOLD_DEVICE void run_phase(const arguments_of<P>& x) {
  auto& memory = shared<phase_memory<P>>();
  if constexpr (!P::shares) {
    static_assert(P::step_count == 1 && P::first_step == 0, "nothing is shared by a single step");
    constexpr long long lines = line_count(P::steps[0], P::loops);
    constexpr int lanes = P::steps[0].lanes, groups = P::threads / lanes;
    const long long all = x.count * lines, step = block_count() * groups;
    for (long long i = block_index() * groups + thread_index() / lanes; i < all; i += step)
      run_line<P, P::steps[0]>(x, memory, {i / lines, 0},
                               static_cast<line_number_up_to<lines>>(i % lines),
                               thread_index() % lanes);
  } else {
    if constexpr (P::block_entries + P::element_entries > 0) {
      static_assert(sizeof(phase_memory<P>) == device_shared_bytes(P::block_entries,
                                                                   P::element_entries, P::elements,
                                                                   sizeof(typename P::entry)));
    }
    run_steps<P, 0, P::first_step>(x, memory, 0, 1);
    if constexpr (P::first_step > 0) wait_for_block();
    const long long step = block_count() * P::elements;
    for (long long first = block_index() * P::elements; first < x.count; first += step) {
      const long long left = x.count - first;
      run_steps<P, P::first_step, P::step_count>(
          x, memory, first, left < P::elements ? static_cast<int>(left) : P::elements);
      if (left > step) wait_for_block();  // until the last step has read what the first one writes
    }
  }
}

}  // namespace tenfold::cuda
