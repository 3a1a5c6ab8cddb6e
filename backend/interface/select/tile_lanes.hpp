#pragma once

#include <tenfold/backend/interface/select/register_tiles.hpp>
#include <tenfold/backend/interface/select/tile_loops.hpp>

/// Which label carries the lanes, how many vectors a tile has of it, and how lanes are packed.
namespace tenfold::select {

/// Distances in scratch of a multiple of this many bytes are made a vector longer: all entries of
/// an axis would share one set of the L1 cache (diffusion at 8 x 8 x 8 points of 8 lanes on Zen 5,
/// the kernel written by hand of the bench fem: 0.91 of the peak, 1.28 with longer ones).
inline constexpr index crowded_bytes = 4096;

/// Whether runs of n entries, the lanes `apart`, are transposed a whole vector at a time though
/// they are shorter: they touch, so that what is read and written is in one piece.
constexpr bool runs_touch(index n, index apart, int width, scalar type) {
  return !is_complex(type) && width >= 4 && n == apart && n >= 2 && n <= 4;
}

/// What taking the lanes from one label would cost, in vector operations.
struct lane_candidate {
  double vector_operations = 0;  ///< of all steps, each lane tile rounded up to whole vectors
  double packed_entries = 0;     ///< of operands that must be transposed on the way
  double touching_entries = 0;   ///< the same where runs of lanes touch
  double scattered_entries = 0;  ///< the same where no other label is contiguous either
  double partial_entries = 0;    ///< of otherwise direct operands in a last partial tile
  double waiting_entries = 0;    ///< of intermediates that other phases leave in the workspace
  double operations_before = 0;  ///< of the steps left to such phases, one per entry
};

/// A vector operation takes half a cycle. An entry that is packed takes 0.17 ns on Zen 4, 1.3 of
/// them: with the 0.6 that a transposition of 8 x 8 entries in 40 instructions would suggest,
/// batched matrix-vector products packed what they read once (3.8 instead of 10.3 GFLOP/s at n = 9)
/// and 3-D interpolation from 9 to 10 points took lanes from the elements (21 instead of 64). An
/// entry moved alone costs about 2 more, one in a partial tile about 3 with its share of the tile's
/// set-up. An entry that waits in the workspace is written and read through memory: on 16 and 32
/// byte vectors the mass operator ran at a tenth of the rate where such programs were chosen.
///
/// Phases that run before choose lanes of their own, which as a rule are half as good as those
/// asked for here. Runs that touch take a load, a shuffle or two and a store for each vector of
/// entries.
constexpr double lane_cost(const lane_candidate& c, int width) {
  return c.vector_operations + 0.3 * c.touching_entries + 1.3 * c.packed_entries +
         2 * c.scattered_entries + 3 * c.partial_entries + 3 * c.waiting_entries +
         2 * c.operations_before / width;
}

/// Vectors per tile along a lane loop of `extent` values that all operands hold contiguously: as
/// many as 4 so that one entry of A feeds several; up to 64 where nothing is summed, so that memory
/// is walked row by row (an outer product of 200 x 200 column by column reached 1.0 GFLOP/s beside
/// 12 of plain loops); as many as there are sums for where the entries of B are `read_once`. Never
/// so many that more values are left over than with one vector, but for a sixteenth.
constexpr int lane_vectors(index extent, int width, bool sums, bool read_once = false) {
  int best = 1;
  for (int v = 2; v <= (!sums ? 64 : read_once ? most_wide : 4); ++v) {
    const index over = extent % (v * width);
    if (extent >= index{v} * width && (over <= extent % (best * width) || 16 * over <= extent))
      best = v;
  }
  return best;
}

/// Vectors per tile where lanes are packed, for a tile whose work with one vector is `flops`: the
/// three steps of such a tile, packing, product and unpacking, take some 80 ns whatever they do (a
/// 4 x 4 matrix applied to 8192 columns of pairs, AVX-512, two threads: 17 us with eight vectors,
/// 12 with 32).
constexpr int packed_vectors(index extent, int width, double flops) {
  int v = 1;
  while (v < 32 && v * flops < tile_flops && extent >= 2 * v * index{width}) v *= 2;
  return v;
}

}  // namespace tenfold::select
