#pragma once

#include <tenfold/backend/cpu/fetch.hpp>
#include <tenfold/backend/cpu/staged_result.hpp>
#include <tenfold/backend/cpu/tile_rows.hpp>
#include <tenfold/backend/interface/select.hpp>

/// What a program that is a constant says of its phases and steps: how wide they are, by which
/// tiles they run, what they fetch. `P` is a type with `static constexpr auto value`, a program; F
/// is the number of a phase, S of a step.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

/// What programs that are constants may assume: the flags this file is compiled with.
inline constexpr capabilities static_capabilities{
    lanes<double> * 8, registers, 32768, 1048576, true, nullptr, compiled_model};

template <class P, int S>
constexpr std::size_t phase_of() {
  std::size_t at = 0;
  for (std::size_t f = 0; f < static_cast<std::size_t>(P::value.phase_count); ++f) {
    const program_phase& phase = P::value.phases[f];
    if (S >= phase.first_step && S < phase.first_step + phase.step_count) at = f;
  }
  return at;
}

template <class P, int S>
constexpr int width_of() {
  return P::value.phases[phase_of<P, S>()].width;
}

template <class P, int S>
constexpr int vectors_of() {
  return P::value.phases[phase_of<P, S>()].vectors;
}

template <class P>
inline constexpr int most_registers = static_capabilities.registers_for(P::value.type);

/// Columns of the sandwich that begins with step s.
template <class P>
constexpr int sandwich_columns_of(std::size_t s) {
  const program_step& there = P::value.steps[s];
  const program_step& back = P::value.steps[s + static_cast<std::size_t>(there.sandwich) - 1];
  return select::sandwich_columns(there.m.extent, back.m.extent, there.halves != reflection::none,
                                  there.sandwich - 2, most_registers<P>, compiled_model);
}

template <class P>
constexpr select::tile_shape tile_of(const program_step& step) {
  return P::value.unrolled
             ? select::unrolled_tile(step.m.extent, step.n.extent)
             : select::choose_tile(step.m.extent, step.n.extent, sums(step), most_registers<P>,
                                   step.a.how == lane_access::lanes)
                   .shape;
}

/// Whether the register tiles of a step are unrolled and run row by row.
template <class P>
constexpr bool has_tile_rows(const program_step& step) {
  return step.k_outer_count == 0 && !P::value.unrolled && step.k.extent <= select::static_sum;
}

/// Entries of products that run together between which lines are fetched.
inline constexpr index entries_of_piece = 4;

/// Pieces that a row is which goes through a map, where a tile reads so many bytes for each. Such a
/// row loads little, so that its fetches are not lost (see fetch.hpp). From memory, double
/// precision, Zen 5, BP5 of p = 4, 5, 6 and 8 at 1.09, 1.18, 1.14 and 1.08 times the rate of
/// fetching elsewhere alone, with 2 1.05, 1.08, 1.08 and 1.0, with 6 1.02, 1.08, 1.14 and 1.0;
/// there alone 0.9, 1.03, 1.13 and 0.96. BP1, which reads half as much, 0.85 to 0.95.
inline constexpr index pieces_of_mapped_row = 4, bytes_beside_row = 576;

/// How often the outer loops of a step, and its slabs, run its innermost ones.
template <class P>
constexpr index rounds_of(const program_step& step) {
  index rounds = step.slabs.count;
  for (int l = 0; l < step.outer_count; ++l)
    rounds *= P::value.loops[static_cast<std::size_t>(step.first_loop + l)].extent;
  return rounds;
}

/// Pieces of work in one tile of a step, see tile_streams.
template <class P>
constexpr index pieces_of(std::size_t s) {
  const program_step& step = P::value.steps[s];
  const index outer = rounds_of<P>(step);
  if (step.sandwich > 1) {
    return outer * select::chunks(step.n.extent, sandwich_columns_of<P>(s)).count() *
           pieces_of_sandwich(step.m.extent, step.k.extent, step.halves != reflection::none);
  }
  if (step.kind != step_kind::contract) return 0;
  if (step.together > 1) return outer * ((step.n.extent + entries_of_piece - 1) / entries_of_piece);
  if (step.halves != reflection::none) {
    return step.k.extent / 2 * outer *
           select::chunks(step.m.extent / 2, select::most_pairs).count() *
           select::chunks(step.n.extent, select::even_odd_columns(step.m.extent, most_registers<P>,
                                                                  compiled_model))
               .count();
  }
  if (!has_tile_rows<P>(step)) return 0;
  const select::tile_shape tile = tile_of<P>(step);
  return outer * select::chunks(step.m.extent, tile.m).count() *
         select::chunks(step.n.extent, tile.n).count();
}

/// What a tile of phase F reads from memory.
template <class P, int F>
inline constexpr tile_streams streams_of = [] {
  const program_phase& phase = P::value.phases[static_cast<std::size_t>(F)];
  tile_streams all;
  index rows = 0;       // that go through a map
  int in_sandwich = 0;  // what a sandwich does is in its pieces
  for (int i = phase.first_step; i < phase.first_step + phase.step_count; ++i) {
    const auto s = static_cast<std::size_t>(i);
    add_streams(all, P::value, phase, P::value.steps[s]);
    const program_step& step = P::value.steps[s];
    if (step.a.mapped || step.c.mapped) rows += rounds_of<P>(step);
    if (--in_sandwich > 0) continue;
    all.pieces += pieces_of<P>(s);
    in_sandwich = P::value.steps[s].sandwich;
  }
  if (rows > 0 && all.bytes >= rows * bytes_beside_row) {
    all.of_row = pieces_of_mapped_row;
    all.pieces += rows * all.of_row;
  }
  return all;
}();

/// The result of a tile of phase F, and whether it may go past the caches.
template <class P, int F>
inline constexpr result_piece staged_piece = piece_of(P::value,
                                                      P::value.phases[static_cast<std::size_t>(F)]);

template <class P, int F>
constexpr bool stages() {
  const program_phase& phase = P::value.phases[static_cast<std::size_t>(F)];
  return select::is_behind_a_call(phase.tile_flops) && staged_piece<P, F>.entries > 0;
}

template <class P, int S>
constexpr bool fetches() {
  return streams_of<P, static_cast<int>(phase_of<P, S>())>.are_fetched();
}

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
