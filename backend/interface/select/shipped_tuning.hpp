#pragma once

#include <tenfold/backend/interface/capabilities.hpp>
#include <tenfold/backend/interface/gemm.hpp>
#include <tenfold/backend/interface/select/register_tiles.hpp>
#include <tenfold/backend/interface/select/tile_loops.hpp>
#include <tenfold/backend/interface/tuning.hpp>

#if defined(TENFOLD_TUNED)
#include <tenfold/backend/interface/tuned_classes.hpp>
#endif

/// The values that batched products go by where nothing was tuned, or only the build was.
namespace tenfold::select {

/// No problem has as many bytes.
inline constexpr int never = 1 << 30;

/// What is fetched from L3, where it is known what is from memory: on Zen 4, where lines are asked
/// for several times, only from twice as many bytes on (strided order 12 42 GFLOP/s, fetched so 34;
/// interleaved order 6 with beta = 1 28 and 16, but with beta = 0 order 8 13 and 22, 12 18 and 44).
constexpr int shipped_from_l3(const gemm_tuning& t, processor model) {
  if (model == processor::zen3) return never;
  return t.repeats == 1 || t.memory_from == never ? t.memory_from : 2 * t.memory_from;
}

/// What the library is shipped with. Measured on Sapphire Rapids and Zen 4 but for the crossovers
/// of lanes_cost, which lie where the two costs are equal.
///
/// Tiles are as large as the registers allow (most_rows, most_lanes_tile), and where the library
/// carries them no larger than carried_rows.
///
/// L2: the next problem goes to L1, where it fits, while this one has enough work to hide it (share
/// of the peak with and without: strided n = 13: 65 and 60, n = 16: 96 and 90, float n = 10 to 16:
/// 1.03 to 1.07 times the rate; interleaved n = 10: 80 and 70, n = 12: 85 and 80). L1 holds l2_to
/// twice.
///
/// Found by ./dev tune, Sapphire Rapids: one register tile goes through 64 KB of problems rather
/// than 16 (1.24 times the rate of interleaved order 8, 1.15 of strided order 16); from memory
/// results of more than 12 KB are best left to its caches (1.03 to 1.05 at order 64).
///
/// From memory, strided: problems of up to 4 MB are fetched (double precision, Emerald Rapids:
/// order 112 80 GFLOP/s instead of 50, 160 78 and 55, 256 71 and 60, 300 71 and 62; single, 192 160
/// and 124; with AVX2 alone 112 to 300 38 to 41 instead of 27 to 31; up to 96 they were before).
///
/// From memory, interleaved: from order 3 on the next problems are fetched, with AVX-512 of up
/// to 1 MB in a tile, half of L2 (Emerald Rapids, double precision: order 4 6.7 GFLOP/s, without
/// fetches 6.5, 6 9.5 and 8.4, 8 13.3 and 10.5, 48 50 and 34, 64 58 and 42). Fetching two halves of
/// an operand by turns gains 1.0 to 1.1 there (orders 10 to 64), four quarters less, of strided
/// problems neither; every second line alone is at 0.7 to 0.9.
///
/// AVX-512: rows end in half vectors where what is left fits one. Zen 4, which passes 512 bits in
/// halves, order 9: 38 GFLOP/s instead of 31, 12: 51 and 42, 28: 58 and 51 (double precision).
/// Emerald Rapids, where they pass whole, strided in L2: order 9 1.14 times the rate, 10 1.09, 12
/// 1.08, 18 1.07, 13 to 16 and 21 to 32 the same. (There a loop over k that is unrolled up to 256
/// or 512 products gains nothing, and order 16 without fetches from L2 is at 0.87.)
///
/// Zen 5: strided problems are fetched 16 KB ahead rather than 4. From L3 that is 1.1 times the
/// rate of orders 12 and 16 in double precision and 1.6 of order 16 in single; from memory it is
/// nearly the same, and interleaved ones lose (complex order 8: 0.8). What is in L2 is left to the
/// processor's own prefetching: fetches take the ports of loads, which are the bound of order 8
/// (strided 92 GFLOP/s, with them 83; interleaved order 12 123 and 115). Rows end in whole vectors
/// (order 10 77 GFLOP/s, with a quarter of one 69; 17 to 24 floats, by ./dev tune: 1.3 to 1.4 times
/// the rate). From memory interleaved problems of few entries are fetched, too (order 6 27 GFLOP/s
/// instead of 21, 8 35 and 17). B is not copied into panels: from L2 it comes in time (order 128
/// 132 GFLOP/s, copied 118; 160 131 and 108; 512 and 1024 alike). From memory all is fetched to L1
/// (interleaved order 24 90 GFLOP/s, to L2 81; strided 24 with beta = 1 75 and 66), and interleaved
/// problems of many bytes, too (order 64 103 GFLOP/s instead of 77).
///
/// AVX2, interleaved: one register tile goes through 32 KB, the size of L1 (Zen 3, order 12 1.2
/// times the rate, 10 1.1, 6 and 16 the same).
///
/// Zen 3 follows by itself what comes from L2 and L3, and fetches of ours take its time: strided in
/// L2 order 8 18 GFLOP/s, with them 11, 12 21 and 16; from L3 4 11 and 4.3, 8 18 and 9, 24 22 and
/// 13; interleaved from L3 12 15 and 8.5, 24 17 and 12 (run-time sizes, double precision). From
/// memory it does not: strided order 24 14 GFLOP/s, without 12, interleaved 16 13 and 10, with beta
/// = 1 order 4 2.8 and 1.8, 8 7.5 and 4.8.
///
/// Zen 4, strided: its own prefetching is the better one wherever it is given runs long enough to
/// follow. Without ours batches in L2 of order 8 to 14, and in single precision 10 to 24, run at
/// 1.05 to 1.28 times the rate; from L3 orders up to 8 at 1.2 to 1.5, complex 8 to 16 at 0.91 to
/// 0.97. By way of scratch results of more than 2 KB reach memory no sooner than through the
/// caches (order 20: 0.85 of the rate; 7 to 14: 1.03 to 1.15). And a tile goes through 10 KB of
/// problems before the next rather than 16 (1.1 times the rate of order 24, and of 12 and 32 in
/// single precision; none loses more than 0.03).
///
/// Zen 4, from memory: all that is fetched goes to L2 (interleaved order 12 25 GFLOP/s, to L1 17),
/// and it drops fetches while it computes, so that each line is asked for several times. Shares of
/// what a loop moves that reads A and B, writes C and computes nothing, run-time sizes, fetched
/// once from 4 KB ahead and so: interleaved order 6 0.53 and 0.83, 8 0.61 and 0.86, 12 0.74 and
/// 0.86, 16 0.74 and 0.79, but 24 0.60 and 0.57; strided 24 0.49 and 0.66, 32 0.51 and 0.56, but
/// 12, for which nothing is fetched, 0.74 and 0.59. Interleaved orders up to 4 are fetched closely
/// (order 4 12 GFLOP/s, without 10), 5 not at all.
constexpr gemm_tuning shipped(const size_class& c, instruction_set set,
                              processor model = processor::other) {
  gemm_tuning t{};
  t.columns_rows = 16;
  t.columns_vectors = 4;
  t.lanes_rows = set == instruction_set::avx512 ? 8 : 4;
  t.lanes_columns = set == instruction_set::avx512 ? 6 : 4;
  t.unroll = unrolled_products;
  t.narrows = set == instruction_set::avx512 ? 2 : 1;
  t.l2_from = c.interleaved ? 11000 : 1100;
  t.l2_to = c.interleaved ? 28672 : 8192;
  t.memory_from = c.interleaved && c.size == 0 ? never : 0;
  t.memory_to = !c.interleaved ? 4 << 20 : set == instruction_set::avx512 ? 1 << 20 : 262144;
  t.distance = c.interleaved ? 4096 : 16384;
  t.repeats = 1;
  t.group = c.interleaved && set != instruction_set::avx512 ? 32768 : 65536;
  t.stream_to = c.interleaved ? never : 12288;
  t.stream_group = 4096;
  t.task = static_cast<int>(task_flops / 1024);
  t.lanes_cost = 100;
  t.panel_rows = 32;
  if (model == processor::zen3) t.l2_from = never;
  if (model == processor::zen4) {
    t.l2_from = never;
    t.memory_from = 12000;
    if (c.interleaved) {
      t.l2_to = 0;
      t.memory_from = 6000;
      if (c.size <= 3) {
        t.distance = 32768;
        t.repeats = c.size <= 2 ? 6 : 4;
      }
      if (c.size <= 1 && !is_complex(c.type)) {
        t.memory_from = 0;
        t.distance = 3072;
      }
    } else {
      t.distance = 10240;
      t.stream_to = 2048;
      if (c.size > 3) t.repeats = 4;
    }
  }
  if (model == processor::zen5) {
    t.unroll = unrolled_on_zen5;
    t.memory_from = 0;
    t.l2_from = never;
    t.l2_to = never;
    if (!c.interleaved) {
      t.narrows = 1;
      t.panel_rows = never;
    }
  }
  t.l3_from = shipped_from_l3(t, model);
  return t;
}
constexpr tuning shipped(instruction_set set, processor model = processor::other) {
  tuning all{};
  for (int i = 0; i < class_count; ++i) all.classes[i] = shipped(class_of(i), set, model);
  return all;
}

#if defined(TENFOLD_TUNED)
static_assert(are_valid(tuned_classes),
              "a value in the header of TENFOLD_TUNING_HEADER is out of bounds (tuning_fields)");
#endif

/// The same for static sizes.
///
/// On Zen 4 constants say how many lines are fetched, which costs less than loops. Shares as in
/// shipped(), none fetched (interleaved: from 4 KB ahead, order 6 none), fetched once, and so:
/// strided order 12 0.72, 0.69 and 0.91, 14 0.66, 0.65 and 0.87, 20 0.53, 0.71 and 0.78, up to 10
/// no more than none; interleaved order 6 0.85, - and 1.05, 8 0.64, 0.75 and 0.96, 12 0.70, 0.75
/// and 0.98, 16 0.80, 0.90 and 0.95; with beta = 1 8 0.67, 0.71 and 0.90, 12 0.62, 0.67 and 0.90,
/// 16 0.74, 0.78 and 0.95. (Twice, interleaved: 0.77, 0.81 and 0.92. More evenly: nothing. To L1,
/// strided: nothing.)
constexpr gemm_tuning shipped_static(const size_class& c, instruction_set set,
                                     processor model = processor::other) {
  gemm_tuning t = shipped(c, set, model);
  if (model == processor::zen4) {
    t.l2_to = 0;
    t.repeats = c.size <= 2 ? 6 : 4;
    if (!c.interleaved)
      t.memory_from = 2500;
    else if (c.size > 3)
      t.distance = 32768;
  }
  t.l3_from = shipped_from_l3(t, model);
  return t;
}

/// What static sizes of a class are built with: as shipped, but for what the header says that a
/// build may be given (CMake's TENFOLD_TUNING_HEADER).
///
/// One class, as a table of all would be evaluated in every file that includes this.
constexpr gemm_tuning built_in(instruction_set set, processor model, const size_class& c) {
  gemm_tuning t = shipped_static(c, set, model);
#if defined(TENFOLD_TUNED)
  for (const tuned_class& one : tuned_classes) {
    if (one.set == set && one.which == c) t = one.found;
  }
#endif
  return t;
}
constexpr gemm_tuning tuning_of(const capabilities& c, const gemm_shape& s) {
  return c.tuned != nullptr ? c.tuned->of(s) : built_in(c.set(), c.model, class_of(s));
}

}  // namespace tenfold::select
