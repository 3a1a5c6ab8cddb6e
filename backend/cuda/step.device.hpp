#pragma once

#include <tenfold/backend/cuda/operand.device.hpp>
#include <tenfold/backend/interface/device_halve.hpp>

/// The steps of an expression along lines that a thread has at hand: pointwise, sums, sums by
/// tables in halves. P is the text of the phase (operand.device.hpp).
namespace tenfold::cuda {

/// Lines that a thread goes through side by side, and what steps have left for them in registers.
template <class P, int Lines>
struct lines_at_hand {
  const arguments_of<P>& x;
  phase_memory<P>& memory;
  element_at element[Lines];
  bool is_there[Lines];  ///< what it leaves in memory is wanted
  typename P::entry values[Lines][P::line_entries == 0 ? 1 : P::line_entries];
};

/// One step of these lines: where their operands lie, and what becomes of a row.
template <class P, device_step step, int Lines>
struct step_of_lines {
  using T = typename P::entry;
  using which = operand_of_step;
  static constexpr bool has_a = step.a.where != device_memory::none,
                        has_b = step.b.where != device_memory::none,
                        has_add = step.add.where != device_memory::none;
  static constexpr int rows = static_cast<int>(step.rows.extent);
  static constexpr bool juts_out = step.row_count % rows != 0;

  lines_at_hand<P, Lines>& here;
  long long from = 0;    ///< the first of the terms of a part of a sum, where lines are one
  int rows_left[Lines];  ///< from the first one on
  operand_of_line<P, step.a> a[Lines];
  operand_of_line<P, step.b> b[Lines];
  operand_of_line<P, step.add> added[Lines];
  operand_of_line<P, step.to> to[Lines];

  template <class I>
  TENFOLD_DEVICE step_of_lines(lines_at_hand<P, Lines>& at_hand, const I (&number)[Lines])
      : here(at_hand) {
    constexpr long long parts = row_parts(step), sums = sum_parts(step, P::loops);
    static_assert(sums == 1 || Lines == 1);
    constexpr auto of_sum = static_cast<I>(line_count(step, P::loops) / sums);
    constexpr I of_part = of_sum / static_cast<I>(parts);
    TENFOLD_UNROLL
    for (int l = 0; l < Lines; ++l) {
      I line = number[l];
      const auto part = static_cast<int>(sums == 1 ? 0 : line / of_sum);
      if (sums > 1) line %= of_sum;
      from = part * step.part;
      const auto row = static_cast<int>(parts == 1 ? 0 : line / of_part) * rows;
      if (parts > 1) line %= of_part;
      rows_left[l] = static_cast<int>(step.row_count) - row;
      place<which::a>(a[l], l, line, row, 0);
      place<which::b>(b[l], l, line, row, 0);
      place<which::add>(added[l], l, line, row, 0);
      place<which::to>(to[l], l, line, row, part * step.part_to);
    }
  }
  template <which Which, class O, class I>
  TENFOLD_DEVICE void place(O& placed, int l, I line, int row, long long part) {
    if constexpr (operand(step, Which).where != device_memory::none) {
      using D = line_distance<P, step, Which>;
      constexpr long long to_row = stride(step.rows, Which);
      const D at = distance_to_line<P, step.first_loop, step.line_loops, Which, D>(line);
      placed = O(here.x, here.element[l], at + static_cast<D>(row * to_row) + static_cast<D>(part));
    }
  }

  /// Row m of line l; beyond the last one that.
  TENFOLD_DEVICE int row_at(int l, int m) const {
    return juts_out && m >= rows_left[l] ? rows_left[l] - 1 : m;
  }
  TENFOLD_DEVICE T load_a(int l, int m, long long term) const {
    const T value = a[l].load(here.memory, here.values[l], row_at(l, m) * step.rows.a + term);
    return step.sign < 0 ? negate(value) : value;
  }
  TENFOLD_DEVICE T load_b(int l, int m, long long term) const {
    return b[l].load(here.memory, here.values[l], row_at(l, m) * step.rows.b + term);
  }
  /// What is added to, in row m of line l.
  TENFOLD_DEVICE T begin(int l, int m) const {
    if constexpr (has_add)
      return added[l].load(here.memory, here.values[l], row_at(l, m) * step.rows.add);
    else
      return T{};
  }
  /// Leaves what row m of line l has become.
  TENFOLD_DEVICE void finish(int l, int m, T value) const {
    if ((juts_out && m >= rows_left[l]) ||
        (step.to.where != device_memory::line && !here.is_there[l]))
      return;
    const long long further = m * step.rows.to;
    if constexpr (step.scatters) {
      to[l].scatter(further, multiply(here.x.alpha, value));
    } else {
      if constexpr (step.finishes) {
        value = multiply(here.x.alpha, value);
        if (!is_zero(here.x.beta))
          value =
              multiply_add(here.x.beta, to[l].load(here.memory, here.values[l], further), value);
      }
      to[l].store(here.memory, here.values[l], further, value);
    }
  }

  /// Row m of a pointwise step.
  TENFOLD_DEVICE T of_row(int l, int m) const {
    const T value = begin(l, m);
    if constexpr (has_a && has_b)
      return multiply_add(load_a(l, m, 0), load_b(l, m, 0), value);
    else if constexpr (has_a)
      return has_add ? add(value, load_a(l, m, 0)) : load_a(l, m, 0);
    else
      return value;
  }
  TENFOLD_DEVICE void run_row(int m) const {
    TENFOLD_UNROLL
    for (int l = 0; l < Lines; ++l) finish(l, m, of_row(l, m));
  }
};

/// The pointwise steps [S, End), row by row; `steps` are those before S.
template <class P, int S, int End, int Lines, class I, class... Steps>
TENFOLD_DEVICE void run_rows(lines_at_hand<P, Lines>& here, const I (&number)[Lines],
                             const Steps&... steps) {
  if constexpr (S < End) {
    const step_of_lines<P, P::steps[S], Lines> step(here, number);
    run_rows<P, S + 1, End>(here, number, steps..., step);
  } else {
    constexpr int rows = static_cast<int>(P::steps[End - 1].rows.extent);
    TENFOLD_UNROLL
    for (int m = 0; m < rows; ++m) (steps.run_row(m), ...);
  }
}

/// f(a, b) at the values of the loops [First, First + Count) of P: of the first one those of a part
/// of at most Part values from `from` on, of the last one every Lanes-th from `lane` on.
template <class P, int First, int Count, long long Part, int Lanes, int Unroll, class F>
TENFOLD_DEVICE void for_each_term(long long a, long long b, long long from, int lane, const F& f) {
  if constexpr (Count == 0) {
    f(a, b);
  } else {
    constexpr device_loop loop = P::loops[First];
    constexpr int step = Count == 1 ? Lanes : 1;
    long long i = Part == 0 ? 0 : from, end = loop.extent;
    if (Part != 0 && end - from > Part) end = from + Part;
    if (Count == 1 && Lanes > 1) i += lane;
    TENFOLD_UNROLL_BY(Unroll)
    for (; i < end; i += step)
      for_each_term<P, First + 1, Count - 1, 0, Lanes, Unroll>(a + i * loop.a, b + i * loop.b, 0,
                                                               lane, f);
  }
}

/// The sum of all lanes' x, in all lanes: pairs, pairs of pairs, and so on.
template <int Lanes, class T>
TENFOLD_DEVICE T sum_of_lanes(T x, int lane) {
  TENFOLD_UNROLL
  for (int apart = 1; apart < Lanes; apart *= 2) x = add(x, of_lane(x, lane ^ apart));
  return x;
}

/// A step that sums. All lanes of a line call it together. Every sum goes over rising terms in one
/// register. (The step is an argument of the template because a local constant would be none in
/// lambdas for NVRTC.)
template <class P, device_step step, int Lines, class I>
TENFOLD_DEVICE void run_sums(lines_at_hand<P, Lines>& here, const I (&number)[Lines], int lane) {
  using of_lines = step_of_lines<P, step, Lines>;
  using T = typename P::entry;
  constexpr int rows = of_lines::rows;
  constexpr int unroll = unrolled_terms(step, P::loops);
  const of_lines s(here, number);
  T sum[Lines][rows];
  TENFOLD_UNROLL
  for (int l = 0; l < Lines; ++l) {
    TENFOLD_UNROLL
    for (int m = 0; m < rows; ++m) sum[l][m] = step.lanes > 1 ? T{} : s.begin(l, m);
  }
  static_assert(of_lines::has_a);
  for_each_term<P, step.first_loop + step.line_loops, step.sum_loops, step.part, step.lanes,
                unroll>(0, 0, s.from, lane, [&](long long a, long long b) {
    T left[Lines] = {}, right[Lines] = {};
    TENFOLD_UNROLL
    for (int l = 0; l < Lines; ++l) {
      if constexpr (step.rows.a == 0) left[l] = s.load_a(l, 0, a);
      if constexpr (of_lines::has_b && step.rows.b == 0) right[l] = s.load_b(l, 0, b);
    }
    TENFOLD_UNROLL
    for (int m = 0; m < rows; ++m) {
      TENFOLD_UNROLL
      for (int l = 0; l < Lines; ++l) {
        if constexpr (step.rows.a != 0) left[l] = s.load_a(l, m, a);
        if constexpr (of_lines::has_b && step.rows.b != 0) right[l] = s.load_b(l, m, b);
        if constexpr (of_lines::has_b)
          sum[l][m] = multiply_add(left[l], right[l], sum[l][m]);
        else
          sum[l][m] = add(sum[l][m], left[l]);
      }
    }
  });
  TENFOLD_UNROLL
  for (int l = 0; l < Lines; ++l) {
    TENFOLD_UNROLL
    for (int m = 0; m < rows; ++m) {
      if constexpr (step.lanes > 1) {
        sum[l][m] = add(s.begin(l, m), sum_of_lanes<step.lanes>(sum[l][m], lane));
        if (lane != 0) continue;
      }
      s.finish(l, m, sum[l][m]);
    }
  }
}

/// A step that sums, by a table in halves: with E and O of device_halves
///   e_k = b_k + b_(K-1-k),  o_k = b_k - b_(K-1-k),  in the middle of an odd K: e_k = b_k
///   even_m = sum_k E[m][k] e_k,  odd_m = sum_k O[m][k] o_k
///   to_m = even_m + odd_m,  to_(M-1-m) = s (even_m - odd_m)
/// and the middle row of an odd M is even_m where s = 1, odd_m where s = -1. The decomposition is
/// that of A. Solomonoff, A fast algorithm for spectral differentiation, J. Comput. Phys. 98, 1992.
/// What it saves is instructions: each product loads its constant by one of its own. (The tensor
/// cores of doubles, m8n8k4, in a mass operator of its own whose shared memory had conflicts left:
/// at degree 7, 10 and 12 0.57, 0.68 and 0.91 times the rate of this, on an H200.)
template <class P, device_step step, int Lines, class I>
TENFOLD_DEVICE void run_halves(lines_at_hand<P, Lines>& here, const I (&number)[Lines]) {
  using of_lines = step_of_lines<P, step, Lines>;
  using T = typename P::entry;
  constexpr device_loop terms = P::loops[step.first_loop + step.line_loops];
  constexpr bool is_odd = step.halves == reflection::odd;
  constexpr int M = of_lines::rows, K = static_cast<int>(terms.extent), pairs = M / 2;
  constexpr int even_rows = is_odd ? pairs : M - pairs, odd_rows = is_odd ? M - pairs : pairs;
  static_assert(M > 1 && K > 1 && M == step.row_count && step.sum_loops == 1);
  constexpr bool is_transposed = terms.a != 1;
  constexpr device_applied_halves halves{
      {step.halves, is_transposed ? K : M, is_transposed ? M : K}, is_transposed};
  const of_lines s(here, number);
  TENFOLD_UNROLL
  for (int l = 0; l < Lines; ++l) {
    T even[even_rows] = {}, odd[odd_rows] = {};
    TENFOLD_UNROLL
    for (int k = 0; k < (K + 1) / 2; ++k) {
      const int back = K - 1 - k;
      const T left = s.load_b(l, 0, k * terms.b);
      const bool is_middle = k == back;
      const T right = is_middle ? T{} : s.load_b(l, 0, back * terms.b);
      const T sum = is_middle ? left : add(left, right);
      TENFOLD_UNROLL
      for (int m = 0; m < even_rows; ++m)
        even[m] = multiply_add(s.load_a(l, 0, halves.even_at(m, k)), sum, even[m]);
      if (is_middle) continue;
      const T difference = add(left, negate(right));
      TENFOLD_UNROLL
      for (int m = 0; m < odd_rows; ++m)
        odd[m] = multiply_add(s.load_a(l, 0, halves.odd_at(m, k)), difference, odd[m]);
    }
    const auto finish = [&](int m, T value) {
      s.finish(l, m, of_lines::has_add ? add(s.begin(l, m), value) : value);
    };
    TENFOLD_UNROLL
    for (int m = 0; m < pairs; ++m) {
      finish(m, add(even[m], odd[m]));
      finish(M - 1 - m, is_odd ? add(odd[m], negate(even[m])) : add(even[m], negate(odd[m])));
    }
    if constexpr (M % 2 != 0) finish(pairs, is_odd ? odd[odd_rows - 1] : even[even_rows - 1]);
  }
}

}  // namespace tenfold::cuda
