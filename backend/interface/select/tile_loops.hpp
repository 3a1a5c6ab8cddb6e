#pragma once

#include <tenfold/backend/interface/capabilities.hpp>

/// How much a tile and a task of the thread pool take on, and what is fetched and written beside
/// that.
namespace tenfold::select {

/// A tile keeps at least this much work, so that its bookkeeping (some 20 ns) stays below 2 %.
inline constexpr double tile_flops = 8192;

/// A task of the thread pool keeps at least this much work, about 20 us on one core.
inline constexpr double task_flops = 1 << 20;

/// A task that touches fresh memory takes at least this many pages of 4 KiB: 1 MiB, 0.5 ms of page
/// faults on one core of a virtual machine.
inline constexpr index task_pages = 256;

/// Entry-wise products that run side by side: each keeps up to three addresses in registers, but
/// what lies in one scratch block shares one.
inline constexpr int most_together = 12;

/// Whether steps that touch so many bytes, one after the other, run slab by slab instead: when they
/// push each other's results out of L1 (fused operators of the bench fem, L1 48 KiB, nominal 32:
/// mass of p = 6, 76 KB, on Zen 5 1.11 times the rate, of p = 4, 29 KB, 0.91; of p = 5, 49 KB, on
/// Emerald Rapids 1.20; collocated diffusion of p = 8 on Zen 5 1.08), and some of them are products
/// in halves. Others multiply more often between two loads and leave L2 the time (mass operator of
/// the bench spine, p = 6: 0.96, from memory 0.86). Loops over slabs inside slabs lost 5 to 15 %,
/// and fetching the data of the next slab from L2 into L1 25 %.
///
/// Programs that are data pay for each slab with a call of each step, which only what outgrows L2
/// brings back (Emerald Rapids, run-time extents, p = 14: BK1 1.05 times the rate, BK3 1.09, BK5
/// 1.15; p = 11 0.90, 1.03 and 0.98; p = 8 0.87, 0.98 and 0.88).
constexpr bool runs_in_slabs(double bytes, bool in_halves, const capabilities& c) {
  return in_halves && bytes > (c.compiled ? 1.25 * static_cast<double>(c.l1_bytes)
                                          : static_cast<double>(c.l2_bytes));
}

/// A tile that reads fewer bytes of memory than this leaves it to the processor to fetch them.
inline constexpr index fetched_bytes = 2048;

/// Whether those of one that reads so many are fetched into L2: out of an L1 of 32 KiB what is
/// fetched drives the scratch of the tile at work, unless it is little (operators from memory, Zen
/// 4, medians, into L2 beside into L1: p = 3, 4, 7 BP1 1.3, 0.9 and 1.1, BP3 1.4, 1.6 and 1.3,
/// BP5 1.6, 1.3 and 1.2 times as fast; p = 2 BP1, that is 5 KB, 0.9, BP5 10 KB 1.4). With 48 KiB,
/// Zen 5, L1 was better. On Zen 3, whose tiles have half as many lanes, it is all one (p = 3 and 5,
/// medians within a tenth; without fetches p = 3 BP1 0.55, BP3 0.75 and BP5 0.6 of the rate).
/// Others, Emerald Rapids with 48 KiB, all of them (p = 3, 4, 6, 8 BP1 1.0 to 1.05, BP3 1.04
/// to 1.12, BP5 1.01 to 1.12 times the rate; element vectors, BK5 of p = 4 1.3 times).
constexpr bool fetches_into_l2(index bytes, index l1, processor model) {
  if (model == processor::other) return true;
  return l1 < 49152 && 4 * bytes > l1;
}

/// Over how many tiles the fetches are spread of what they read next, where `alike` in turn read
/// the same of an operand: as the last of them alone would have a part of the time (three
/// components, p = 3, 6 and 8, Emerald Rapids, of the kernel by hand beside: the last alone
/// BP4 1.00 to 1.12, all three 1.09 to 1.21; BP6 0.99 to 1.06 and 1.04 to 1.12; BP2 alike). No more
/// tiles than read, each so many bytes, what L2 holds: what came earlier would be gone.
constexpr index tiles_of_fetch(index alike, index bytes, index l2) {
  const index fitting = bytes > 0 ? l2 / bytes : alike;
  return fitting < 1 ? 1 : fitting < alike ? fitting : alike;
}

/// Whether rows that go through a map are fetched into L2 (Emerald Rapids, BP1 of p = 4 and 8 1.02
/// to 1.04 times the rate of L1, BP3 and BP5 0.99 to 1.02).
constexpr bool fetches_rows_into_l2(processor model) { return model == processor::other; }

/// Into how many parts each range is cut whose lines are fetched by turns. Intel's own prefetching
/// runs some twenty lines ahead of what it is shown of a page; shown two pages it keeps more on the
/// way, and those that are asked for wait less in the buffers for misses, which loads of scratch
/// out of L2 need, too (Emerald Rapids, a loop that multiplies with 96 KB of scratch beside, ns a
/// line: one after the other 6.9, of four parts 5.5, of eight 5.4, of 24 6.8; reading alone 4.3.
/// Operators from memory, two and four beside one, p = 3, 4, 6, 8: BP1 0.97 to 1.12 and 0.97
/// to 1.07, BP3 1.03 to 1.06 and 0.98 to 1.09, BP5 0.99 to 1.06 and 0.99 to 1.1). Zen 5 follows two
/// at a time, and a tile has more already.
constexpr int fetch_streams(processor model) { return model == processor::other ? 2 : 1; }

/// How often a line is asked for that goes there, every fetch_back lines: Zen 4 drops fetches while
/// it computes (operators from memory beside kernels written by hand, medians, once and four times:
/// p = 3 BP3 1.50 and 1.73, BP5 1.59 and 1.88; p = 5 BP3 1.57 and 1.69, BP5 1.66 and 1.91; BP1
/// alike. Twice, 8 lines back, at p = 5 as much, at p = 3 nothing).
constexpr int fetch_repeats(processor model) { return model == processor::zen4 ? 4 : 1; }
inline constexpr int fetch_back = 4;

/// Whether a tile's result of so many bytes goes past the caches beside the work on the next tile,
/// or at once (mass operator of the bench spine from memory, Zen 5, beside it against at once: p =
/// 6, 22 KB, 1.05 to 1.15 times the rate, p = 7, 33 KB, 1.07, p = 4, 8 KB, 1.0, p = 3, 4 KB, 0.87).
/// Zen 4 stalls where stores past the caches come between others (BK1 and BK3 of p = 5, 6 and 7
/// from memory: beside it 0.57 to 0.67 of the rate, whether or not anything is fetched).
constexpr bool writes_beside(index bytes, processor model) {
  return model == processor::zen5 && bytes >= 8192;
}

/// Of an operand from memory that a register tile reads once 2 KB are fetched ahead: the contracted
/// values that they are, of which the tile reads `row` bytes each (65536 matrices of 32 x 32 times
/// vectors, Granite Rapids: 11.7 GB/s without, 14.5 with; written by hand, 512 bytes reach 0.93 of
/// what 2 KB do, 4 KB 0.76).
constexpr index rows_ahead(index row) { return row < 2048 ? 2048 / row : 1; }

/// Tiles that one task takes.
constexpr index tiles_per_task(double flops_per_tile, double flops_per_task = task_flops) {
  const double n = flops_per_task / (flops_per_tile < 1 ? 1 : flops_per_tile);
  return n < 1 ? 1 : static_cast<index>(n);
}

/// Whether a row of register tiles with so many products of vectors is in line (mass operator of
/// degrees 2 and 3, Granite Rapids: 0.83 and 0.85 of the kernel written by hand with calls, 0.89
/// without). Longer ones are shared among programs: in line, the mass operator of degree 4
/// takes 1.2 s to compile instead of 0.5.
constexpr bool is_in_line(index products) { return products <= 128; }

/// Whether the steps of a tile with so many flops lie behind a call, which is nothing beside that
/// work, so that they are compiled once.
constexpr bool is_behind_a_call(double flops) { return flops >= 4096; }

}  // namespace tenfold::select
