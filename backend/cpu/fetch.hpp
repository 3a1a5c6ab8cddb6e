#pragma once

#include <cstdint>
#include <tenfold/backend/cpu/simd.hpp>
#include <tenfold/backend/interface/arguments.hpp>
#include <tenfold/backend/interface/select.hpp>

/// What a tile fetches into the caches for the next one, spread evenly over its work.
///
/// Without, computing and reading memory add up: the processor looks less than a tile ahead. In
/// bursts, fetches are dropped when the buffers for misses are full. A line or two between the sums
/// of two columns brings data at quadrature points at 23 to 27 GB/s where bursts bring 17 to 20 and
/// none 12 to 19 (hand-written kernels of p = 4, Zen 5, which reads 38); two tiles ahead was no
/// better, and into L2 worse than into L1. What lies in L3 is left alone: there it cost 4 to 12 %.
///
/// On a virtual machine whose large pages the host keeps in small ones, fetches into pages that the
/// TLB does not know are dropped: that is why half of the bandwidth stays unused there. A load in
/// each page ahead of its fetches brings them back, but stalls for 0.1 us: 0.75 to 0.93 of the
/// rate.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

/// Neighbouring bytes that a tile reads of one operand, or of its map.
struct tile_stream {
  operand_ref ref{};
  index bytes = 0;  ///< of one tile
  index size = 0;   ///< of what strides count
  bool is_map = false;
};

/// What the tiles of a phase read from memory.
struct tile_streams {
  static constexpr int most = 16;
  int count = 0;
  tile_stream list[most] = {};
  index bytes = 0;   ///< of all, in one tile
  index pieces = 0;  ///< of work in one tile, between which lines may be fetched

  /// Lines between two pieces; 0: it is not worth it.
  constexpr int lines() const {
    if (bytes < select::fetched_bytes || pieces == 0) return 0;
    return static_cast<int>((bytes / 64 + pieces - 1) / pieces);
  }

  /// Adds what a step reads of an operand along loops of its extents and strides.
  constexpr void add(const operand_ref& ref, const step_loop* const* loops, index step_loop::*along,
                     int count_of_loops, const program_step& step, int lanes, index entry) {
    const bool is_input = ref.where == buffer::input;
    bool moves = ref.lane_stride != 0;
    for (const index s : ref.tile_stride) moves = moves || s != 0;
    if (!is_input || !moves || count == most) return;
    index reach = 1, entries = 1;
    const auto run = [&](index extent, index stride) {
      reach += (extent - 1) * (stride < 0 ? -stride : stride);
      entries *= stride == 0 ? 1 : extent;
      if (stride < 0) reach = index{1} << 40;  // begins elsewhere
    };
    for (int l = 0; l < count_of_loops; ++l) run(loops[l]->extent, loops[l]->*along);
    run(step.slabs.count, ref.slab_stride);
    if (ref.how == access::lanes && lanes > 1) run(lanes, ref.lane_stride);
    // Only what is read of most lines is worth fetching line by line.
    if (reach > 2 * entries) return;
    for (int s = 0; s < count; ++s) {
      if (list[s].ref.slot == ref.slot && list[s].ref.offset == ref.offset) return;
    }
    list[count++] = {ref, reach * entry, entry, ref.mapped};
    bytes += reach * entry;
  }
};

/// Fetches the lines of some ranges, a few at a time. Addresses are numbers: the last ones may lie
/// behind the operands.
class line_fetcher {
 public:
  struct range {
    std::uintptr_t begin, end;
  };

  line_fetcher(const range* ranges, int count, int lines)
      : next_(ranges), last_(ranges + count), lines_(lines) {
    go_on();
  }
  [[gnu::always_inline]] void fetch() {
    for (int i = 0; i < lines_; ++i) {
      __builtin_prefetch(reinterpret_cast<const void*>(at_));
      at_ += 64;
    }
    if (at_ >= end_) [[unlikely]]
      go_on();
  }

 private:
  [[gnu::noinline]] void go_on() {
    if (next_ == last_) {
      lines_ = 0;
      end_ = at_ + 1;
      return;
    }
    at_ = next_->begin;
    end_ = next_->end;
    ++next_;
  }

  const range *next_, *last_;
  std::uintptr_t at_ = 0, end_ = 0;
  int lines_;
};

/// A tile, and what it does for the next one.
struct tile_at : tile_position {
  index slab = 0;                ///< see slab_loop
  line_fetcher* next = nullptr;  ///< null: nothing is fetched
  tile_position after{};         ///< the next tile, where it is a full one
  bool is_followed = false;      ///< whether there is one
};

/// How far behind the numbers of a map at hand those of the next tile are; 0: there is none.
inline index ahead(const operand_ref& ref, const tile_at& at) {
  return at.is_followed ? distance(ref, at.after) - distance(ref, at) : 0;
}

/// Adds what the tiles of a phase read from memory in one of its steps.
template <class Program>
constexpr void add_streams(tile_streams& all, const Program& p, const program_phase& phase,
                           const program_step& step) {
  const step_loop* loops[3 + 64] = {&step.m, &step.n, &step.k};
  int count = 3;
  for (int l = 0; l < step.outer_count + step.k_outer_count; ++l) {
    loops[count++] = &p.loops[static_cast<std::size_t>(step.first_loop + l)];
  }
  const int lanes = phase.width * phase.vectors;
  const auto size = [](const operand_ref& ref) {
    return ref.mapped ? index{4} : static_cast<index>(bytes_of(ref.type));
  };
  all.add(step.a, loops, &step_loop::a, count, step, lanes, size(step.a));
  all.add(step.b, loops, &step_loop::b, count, step, lanes, size(step.b));
}

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
