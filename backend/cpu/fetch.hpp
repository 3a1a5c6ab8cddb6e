#pragma once

#include <cstdint>
#include <tenfold/backend/cpu/caches.hpp>
#include <tenfold/backend/cpu/load_store.hpp>
#include <tenfold/backend/interface/arguments.hpp>
#include <tenfold/backend/interface/select.hpp>

/// What a tile fetches into the caches for the next one, and takes past them of the one before,
/// spread evenly over its work.
///
/// Without, computing and reading memory add up: the processor looks less than a tile ahead. In
/// bursts, fetches are dropped when the buffers for misses are full. A line or two between the sums
/// of two columns brings data at quadrature points at 23 to 27 GB/s where bursts bring 17 to 20 and
/// none 12 to 19 (hand-written kernels of p = 4, Zen 5, which reads 38); two tiles ahead was no
/// better, and into L2 worse than into L1: that depends on the machine. What lies in L3 is left
/// alone: there it cost 4 to 12 %.
///
/// What keeps bandwidth unused is that a processor drops fetches. Zen 5 does so while vectors are
/// loaded, two in a cycle: beside multiply-adds that read scratch of 16 KB in L1 at that rate all
/// fetches are lost, at two thirds of it none, with 96 KB of scratch, whose lines come from L2,
/// four to eight tenths at two thirds and hardly any at half of it (loops that bring 192 KB a tile;
/// what came is seen by how long reading it takes). Registers and few loads are what a tile must
/// give them: products of interleaved matrices, whose tiles load ten vectors in twelve cycles,
/// stream 53 GB/s, rows that go through a map hardly load. Operators of p >= 5 load nearly a vector
/// for each multiply-add. Writing prefetches, those past L2, in pairs and in groups of four are
/// lost as well.
///
/// What bounds the rest is how many lines a core may wait for: eight streams read a line of each in
/// turn come at 14 GB/s (Zen 5), however they are asked for. More is what the processor's own
/// prefetching adds, which follows two streams at a time: one or two read in order come at 40 GB/s,
/// three and more in turns at 14 to 22, in pieces of 12 KB at 32. A tile has about ten.
///
/// Zen 4 loses no fetch into L2 that comes alone, and computes meanwhile as long as its scratch is
/// in L1. Beside 4 and 8 multiply-adds for each line, which take 1.2 and 2.4 ns, a line takes 2.2
/// and 3.1 ns, alone 2.1 (into L1 5.5 and 5.0; in groups of 16 3.2, of 64 4.4). With scratch of 128
/// KB in L2, 8 multiply-adds take 4.4 ns, and with a line 9: longer than one after the other. So
/// lines are spread as evenly as bytes allow, and what a tile keeps is kept small (operators in
/// halves of p = 5 and 7 from memory, against a whole number of lines for each piece of work: BK1
/// 1.12 and 1.05, BK3 1.08, BK5 1.2 and 1.4 times the rate).
///
/// Fetches beside each row of a sandwich rather than each group of its columns were 1.02 times as
/// fast over BK1, BK3 and BK5 (0.91 to 1.18), ordinary loads 0.6, every second line (the processor
/// fetching the others) 0.85, each page touched beforehand 0.95. Waiting for all loads (lfence)
/// before 8 to 32 fetches saves nearly all that are lost, but takes 30 to 60 cycles each time: 0.8
/// to 1.1, mostly below 1. Data at the points in the order in which they are read, one stream
/// instead of six, 1.0 to 1.06.
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
  index of_row = 0;  ///< of them, in a row that goes through a map

  /// Whether it is worth it to fetch them between the pieces.
  constexpr bool are_fetched() const { return bytes >= select::fetched_bytes && pieces > 0; }

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
    if (ref.how == lane_access::lanes && lanes > 1) run(lanes, ref.lane_stride);
    // Only what is read of most lines is worth fetching line by line.
    if (reach > 2 * entries) return;
    for (int s = 0; s < count; ++s) {
      if (list[s].ref.slot == ref.slot && list[s].ref.offset == ref.offset) return;
    }
    list[count++] = {ref, reach * entry, entry, ref.mapped};
    bytes += reach * entry;
  }
};

/// Whole lines on their way from scratch past the caches.
struct staged_lines {
  const double* from = nullptr;
  double* to = nullptr;
  index count = 0;

  /// Behind a call: the places of work between which lines are written are many.
  [[gnu::noinline]] void write_some(index most) {
    const index lines = most < count ? most : count,
                entries = lines * 64 / static_cast<index>(sizeof(double));
    stream_lines(to, from, entries);
    from += entries;
    to += entries;
    count -= lines;
  }
  void write_all() { write_some(count); }
};

/// What is done between two pieces of work: some lines of some ranges are fetched, and some are
/// written. Addresses are numbers: the last ones may lie behind the operands.
class line_fetcher {
 public:
  struct range {
    std::uintptr_t begin, end;
  };

  /// `pieces`: of work, between which the ranges are fetched.
  line_fetcher(const range* ranges, int count, index pieces)
      : next_(ranges), last_(ranges + count) {
    std::uintptr_t bytes = 0;
    for (const range* r = next_; r != last_; ++r) bytes += r->end - r->begin;
    of_piece_ =
        (bytes + static_cast<std::uintptr_t>(pieces) - 1) / static_cast<std::uintptr_t>(pieces);
    into_l2_ = select::fetches_into_l2(static_cast<index>(bytes), caches().l1);
    go_on();
  }
  void also_writes(staged_lines* lines, int at_once) {
    written_ = lines;
    written_at_once_ = at_once;
  }
  [[gnu::always_inline]] void fetch() {
    due_ += of_piece_;
    if (into_l2_) {
      fetch_lines<2>();
    } else {
      fetch_lines<3>();
    }
    if (at_ >= end_) [[unlikely]]
      go_on();
    if (written_ != nullptr) [[unlikely]]  // or registers are saved in any case
      written_->write_some(written_at_once_);
  }

 private:
  template <int Locality>
  [[gnu::always_inline]] void fetch_lines() {
    for (; at_ < due_; at_ += 64)
      __builtin_prefetch(reinterpret_cast<const void*>(at_), 0, Locality);
  }
  [[gnu::noinline]] void go_on() {
    if (next_ == last_) {
      of_piece_ = 0;
      due_ = at_;
      end_ = at_ + 1;
      return;
    }
    at_ = due_ = next_->begin;
    end_ = next_->end;
    ++next_;
  }

  const range *next_, *last_;
  std::uintptr_t at_ = 0, end_ = 0;
  std::uintptr_t due_ = 0;  ///< up to where lines are to be fetched by now
  std::uintptr_t of_piece_ = 0;
  bool into_l2_ = false;
  staged_lines* written_ = nullptr;
  int written_at_once_ = 0;
};

/// A tile, and what it does for the next one.
struct tile_at : tile_position {
  index slab = 0;                ///< see slab_loop
  line_fetcher* next = nullptr;  ///< null: nothing is fetched
  tile_position after{};         ///< the next tile, where it is a full one
  bool is_followed = false;      ///< whether there is one
  void* staged = nullptr;        ///< where its result goes, see staged_result; null: to its place
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
