#pragma once

#include <tenfold/backend/cuda/step.device.hpp>

/// One phase of an expression: stages, passes, and steps (step.device.hpp) along the lines of a
/// pass. P is the text of the phase (operand.device.hpp).
namespace tenfold::cuda {

// ---- passes -------------------------------------------------------------------------------------

/// Where the pass, or the stage, ends that begins with step s.
template <class P>
constexpr int end_of_pass(int s) {
  int end = s + 1;
  while (end < P::step_count && P::steps[end].start == device_start::along) ++end;
  return end;
}
template <class P>
constexpr int end_of_stage(int s) {
  int end = s + 1;
  while (end < P::step_count && P::steps[end].start != device_start::behind) ++end;
  return end;
}
/// Where a run of pointwise steps with the same rows ends that begins with step s of a pass.
template <class P>
constexpr int end_of_rows(int s, int end_of_pass) {
  int end = s;
  while (end < end_of_pass && is_pointwise(P::steps[end]) &&
         P::steps[end].rows.extent == P::steps[s].rows.extent)
    ++end;
  return end;
}

/// The steps [S, End) of one pass for these lines.
template <class P, int S, int End, int Lines, class I>
TENFOLD_DEVICE void run_along(lines_at_hand<P, Lines>& here, const I (&number)[Lines],
                              int lane = 0) {
  if constexpr (S < End) {
    constexpr int rows_end = end_of_rows<P>(S, End);
    if constexpr (rows_end > S) {
      run_rows<P, S, rows_end>(here, number);
      run_along<P, rows_end, End>(here, number, lane);
    } else {
      if constexpr (P::steps[S].halves != reflection::none)
        run_halves<P, P::steps[S]>(here, number);
      else
        run_sums<P, P::steps[S]>(here, number, lane);
      run_along<P, S + 1, End>(here, number, lane);
    }
  }
}

/// What counts so many lines.
template <bool Few>
struct line_number {
  using type = unsigned;
};
template <>
struct line_number<false> {
  using type = unsigned long long;
};
template <long long Most>
using line_number_up_to = typename line_number<(Most < (1ll << 31))>::type;

/// Has the compiler read again what it needs of shared memory: it would hold a table for all lines
/// of a pass, and has not the registers for it.
TENFOLD_DEVICE void read_again() { asm volatile("" ::: "memory"); }

/// Elements of the batch that a block has at a time.
struct element_range {
  long long first;
  int count;
};

/// The element that line `line` of all that are at hand belongs to; of_element of each.
template <class P, class I>
TENFOLD_DEVICE element_at element_of(element_range elements, I line, I of_element) {
  if constexpr (P::elements == 1) return {elements.first, 0};
  const I slot = line / of_element;
  return {elements.first + static_cast<long long>(slot), static_cast<int>(slot)};
}
template <class P, class I>
TENFOLD_DEVICE I line_of_element(I line, I of_element) {
  return P::elements == 1 ? line : line % of_element;
}

/// Whether a step of the pass [S, End) leaves its result in the place of what one of them reads.
template <class P>
constexpr bool overwrites(int S, int End) {
  for (int s = S; s < End; ++s) {
    const device_operand& to = P::steps[s].to;
    const auto lies_there = [&](const device_operand& x) {
      return x.where == device_memory::element && x.stretch == to.stretch;
    };
    for (int t = S; t < End && to.where == device_memory::element; ++t) {
      const device_step& step = P::steps[t];
      if (lies_there(step.a) || lies_there(step.b) || lies_there(step.add)) return true;
    }
  }
  return false;
}

/// Round `first` of the lines of the pass [S, End): a line for each thread from that one on.
/// Threads beyond the last line compute that one again and leave nothing, so that a warp goes one
/// way; unless the thread whose line it is overwrites what they would read. Warps that have no line
/// at all leave at once where the phase `skips`.
template <class P, int S, int End, class I>
TENFOLD_DEVICE void run_round(const arguments_of<P>& x, phase_memory<P>& memory,
                              element_range elements, I first, I all) {
  constexpr device_step step = P::steps[S];
  constexpr auto lines = static_cast<I>(line_count(step, P::loops));
  const int t = thread_index_anew();
  if constexpr (P::skips) {
    if (first + static_cast<I>(first_of_warp(t)) >= all) return;
  }
  const I mine = first + static_cast<I>(t), line = mine < all ? mine : all - 1;
  if (overwrites<P>(S, End) && mine >= all) return;
  const element_at e = element_of<P>(elements, line, lines);
  const I number[] = {line_of_element<P>(line, lines)};
  lines_at_hand<P, 1> here{x, memory, {e}, {mine < all}, {}};
  run_along<P, S, End>(here, number);
}

/// All lines of the pass [S, End). All threads go as many rounds.
template <class P, int S, int End>
TENFOLD_DEVICE void run_pass(const arguments_of<P>& x, phase_memory<P>& memory,
                             element_range elements) {
  constexpr long long of_element = line_count(P::steps[S], P::loops);
  using I = line_number_up_to<of_element * P::elements + P::threads>;
  const I all = static_cast<I>(elements.count) * static_cast<I>(of_element);
  if constexpr (P::straight && of_element * P::elements <= P::threads) {
    run_round<P, S, End>(x, memory, elements, I{0}, all);
  } else {
    for (I first = 0; first < all; first += P::threads) {
      read_again();
      run_round<P, S, End>(x, memory, elements, first, all);
    }
  }
}

/// The passes of [S, End), which do not wait for each other.
template <class P, int S, int End>
TENFOLD_DEVICE void run_passes(const arguments_of<P>& x, phase_memory<P>& memory,
                               element_range elements) {
  if constexpr (S < End) {
    run_pass<P, S, end_of_pass<P>(S)>(x, memory, elements);
    run_passes<P, end_of_pass<P>(S), End>(x, memory, elements);
  }
}

// ---- copies -------------------------------------------------------------------------------------

/// Begins to bring a line of the input that step S copies; where it has to be converted, brings it.
template <class P, int S, class I>
TENFOLD_DEVICE void copy_line(lines_at_hand<P, 1>& here, const I (&number)[1]) {
  using T = typename P::entry;
  constexpr device_step step = P::steps[S];
  constexpr bool converts =
      step.a.conjugated || !is_same<typename scalar_type_of<step.a.type>::type, T>;
  const step_of_lines<P, step, 1> line(here, number);
  const auto& from = line.a[0];
  TENFOLD_UNROLL_BY(line.juts_out ? 1 : line.rows)
  for (int m = 0; m < line.rows; ++m) {
    if (line.juts_out && m >= line.rows_left[0]) break;
    T& to = line.to[0].of_element(here.memory, m * step.rows.to);
    if constexpr (converts) {
      to = from.load(here.memory, here.values[0], m * step.rows.a);
    } else {
      const long long at = step.a.mapped ? from.through_map(m * step.rows.a) : m * step.rows.a;
      if (step.a.mapped && at < 0)
        to = T{};
      else
        copy_async(&to, from.entry + at);
    }
  }
}
/// The same for all lines.
template <class P, int S>
TENFOLD_DEVICE void run_copy(const arguments_of<P>& x, phase_memory<P>& memory,
                             element_range elements) {
  constexpr device_step step = P::steps[S];
  constexpr long long of_element = line_count(step, P::loops);
  using I = line_number_up_to<of_element * P::elements + P::threads>;
  constexpr auto lines = static_cast<I>(of_element);
  const I all = static_cast<I>(elements.count) * lines;
  TENFOLD_UNROLL_BY(step.rows.extent == 1 ? 4 : 1)
  for (I i = static_cast<I>(thread_index()); i < all; i += P::threads) {
    const element_at e = element_of<P>(elements, i, lines);
    const I number[] = {line_of_element<P>(i, lines)};
    lines_at_hand<P, 1> here{x, memory, {e}, {true}, {}};
    copy_line<P, S>(here, number);
  }
}

/// Begins the copies from number C on whose last reader is one of the steps [S, End).
template <class P, int S, int End, int C = 0>
TENFOLD_DEVICE void run_copies(const arguments_of<P>& x, phase_memory<P>& memory,
                               element_range elements) {
  if constexpr (P::first_copy + C < P::first_step) {
    if constexpr (S <= P::last_readers[C] && P::last_readers[C] < End)
      run_copy<P, P::first_copy + C>(x, memory, elements);
    run_copies<P, S, End, C + 1>(x, memory, elements);
  }
}
template <class P, int S, int End>
constexpr bool frees_copies() {
  for (int c = 0; P::first_copy + c < P::first_step; ++c)
    if (S <= P::last_readers[c] && P::last_readers[c] < End) return true;
  return false;
}

// ---- the phase ----------------------------------------------------------------------------------

/// The stages from step S on for the elements `now`; what a stage is the last to read is brought
/// for the elements `next` while the stages behind it run.
template <class P, int S>
TENFOLD_DEVICE void run_stages(const arguments_of<P>& x, phase_memory<P>& memory, element_range now,
                               element_range next) {
  constexpr int end = end_of_stage<P>(S);
  run_passes<P, S, end>(x, memory, now);
  if constexpr (end < P::step_count || frees_copies<P, S, end>()) wait_for_block();
  if constexpr (frees_copies<P, S, end>()) {
    run_copies<P, S, end>(x, memory, next);
    close_copies();
  }
  if constexpr (end < P::step_count) run_stages<P, end>(x, memory, now, next);
}

/// The one step of a phase that shares nothing: its lines by threads of any block.
template <class P, class I>
TENFOLD_DEVICE void run_lines(const arguments_of<P>& x, phase_memory<P>& memory, I all) {
  static_assert(P::step_count == 1 && P::first_step == 0, "nothing is shared by a single step");
  constexpr long long of_element = line_count(P::steps[0], P::loops);
  constexpr int lanes = P::steps[0].lanes, groups = P::threads / lanes;
  using line = line_number_up_to<of_element>;
  const auto step = static_cast<I>(block_count() * groups);
  const auto first = static_cast<I>(block_index() * groups + thread_index() / lanes);
  if constexpr (is_pointwise(P::steps[0]) && P::steps[0].rows.extent == 1) {
    // What is read for some lines is on its way before any is written.
    constexpr int at_once = 4;
    for (I i = first; i < all; i += at_once * step) {
      lines_at_hand<P, at_once> here{x, memory, {}, {}, {}};
      line number[at_once];
      TENFOLD_UNROLL
      for (int l = 0; l < at_once; ++l) {
        const I mine = i + static_cast<I>(l) * step;
        here.is_there[l] = mine < all;
        const I at = here.is_there[l] ? mine : i;
        here.element[l] = {static_cast<long long>(at / of_element), 0};
        number[l] = static_cast<line>(at % of_element);
      }
      const step_of_lines<P, P::steps[0], at_once> lines(here, number);
      typename P::entry value[at_once];
      TENFOLD_UNROLL
      for (int l = 0; l < at_once; ++l) value[l] = lines.of_row(l, 0);
      TENFOLD_UNROLL
      for (int l = 0; l < at_once; ++l) lines.finish(l, 0, value[l]);
    }
  } else {
    for (I i = first; i < all; i += step) {
      lines_at_hand<P, 1> here{
          x, memory, {{static_cast<long long>(i / of_element), 0}}, {true}, {}};
      const line number[] = {static_cast<line>(i % of_element)};
      run_along<P, 0, 1>(here, number, thread_index() % lanes);
    }
  }
}

// What lines read where it lies is not asked for before (by prefetch.global.L2, or for a whole
// element by cp.async.bulk.prefetch.L2, this one's or the next one's when a block begins it): on an
// H200 operators that read six tensors of points ran 0.9 to 1.0 and 0.7 to 0.9 times as fast so,
// mass operators as fast. Nor are its first rows read before the barrier that it waits for anyway:
// stiffness operators of degree 3 and 6 were 1.08 and 1.02 times as fast with two rows, those of
// degree 4, 5, 7, 8 and 12 0.89, 0.97, 0.98, 0.95 and 0.94 times.
//
// Grid: any number of blocks of P::threads threads. Sums go over rising terms in one register, so
// that neither the grid nor an element's place in the batch changes a bit; what is scattered is
// added in any order.
template <class P>
TENFOLD_DEVICE void run_phase(const arguments_of<P>& x) {
  auto& memory = shared<phase_memory<P>>();
  if constexpr (!P::shares) {
    const long long all = x.count * line_count(P::steps[0], P::loops);
    // Numbers of 32 bits are divided in a few instructions.
    if (all + 4 * block_count() * P::threads < 1ll << 32)
      run_lines<P>(x, memory, static_cast<unsigned>(all));
    else
      run_lines<P>(x, memory, static_cast<unsigned long long>(all));
  } else {
    if constexpr (P::block_entries + P::element_entries > 0) {
      static_assert(sizeof(phase_memory<P>) == device_shared_bytes(P::block_entries,
                                                                   P::element_entries, P::elements,
                                                                   sizeof(typename P::entry)));
    }
    const auto range_from = [&](long long first) {
      const long long left = x.count - first;
      return element_range{first, left < 0             ? 0
                                  : left < P::elements ? static_cast<int>(left)
                                                       : P::elements};
    };
    run_passes<P, 0, P::first_copy>(x, memory, {0, 1});
    if constexpr (P::element_entries == 0) wait_for_block();
    element_range now = range_from(block_index() * P::elements);
    run_copies<P, 0, P::step_count>(x, memory, now);
    close_copies();
    while (now.count > 0) {
      const element_range next = range_from(now.first + block_count() * P::elements);
      wait_for_copies<0>();
      // What is copied is there, and what the elements before left in its place has been read.
      if constexpr (P::element_entries > 0) wait_for_block();
      run_stages<P, P::first_step>(x, memory, now, next);
      now = next;
    }
  }
}

}  // namespace tenfold::cuda
