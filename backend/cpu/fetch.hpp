#pragma once

#include <tenfold/backend/cpu/load_store.hpp>
#include <tenfold/backend/cpu/tile_streams.hpp>
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
/// Zen 4 loses fetches into L2 as well, hence select::fetch_repeats, but few that come alone, and
/// computes meanwhile as long as its scratch is in L1. Beside 4 and 8 multiply-adds for each line,
/// which take 1.2 and 2.4 ns, a line takes 2.2 and 3.1 ns, alone 2.1 (into L1 5.5 and 5.0; in
/// groups of 16 3.2, of 64 4.4). With scratch of 128 KB in L2, 8 multiply-adds take 4.4 ns, and
/// with a line 9: longer than one after the other. So lines are spread as evenly as bytes allow,
/// and what a tile keeps is kept small (operators in halves of p = 5 and 7 from memory, against a
/// whole number of lines for each piece of work: BK1 1.12 and 1.05, BK3 1.08, BK5 1.2 and 1.4 times
/// the rate).
///
/// Rows that go through a map (mapped.hpp) fetch those of the next tile as they come.
/// Spread over the tile with all other lines they brought BP1 of p = 4 to 0.75 of the rate on Zen
/// 4; all lines beside the rows, to 0.6.
///
/// Fetches beside each row of a sandwich rather than each group of its columns were 1.02 times as
/// fast over BK1, BK3 and BK5 (0.91 to 1.18), ordinary loads 0.6, every second line (the processor
/// fetching the others) 0.85, each page touched beforehand 0.95. Waiting for all loads (lfence)
/// before 8 to 32 fetches saves nearly all that are lost, but takes 30 to 60 cycles each time: 0.8
/// to 1.1, mostly below 1. Data at the points in the order in which they are read, one stream
/// instead of six, 1.0 to 1.06.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

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
/// written.
class line_fetcher : private line_walk {
 public:
  line_fetcher(const byte_range* ranges, int count, index pieces)
      : line_walk(ranges, count, pieces, compiled_model) {}

  void also_writes(staged_lines* lines, int at_once) {
    written_ = lines;
    written_at_once_ = at_once;
  }
  [[gnu::always_inline]] void fetch() {
    if (into_l2_) {
      fetch_lines<2>();
    } else {
      fetch_lines<3>();
    }
    if (written_ != nullptr) [[unlikely]]  // or registers are saved in any case
      written_->write_some(written_at_once_);
  }

 private:
  template <int Locality>
  [[gnu::always_inline]] void fetch_lines() {
    constexpr std::uintptr_t repeats = Locality == 2 ? select::fetch_repeats(compiled_model) : 1;
    constexpr std::uintptr_t back = 64 * select::fetch_back;
    constexpr std::uintptr_t parts = select::fetch_streams(compiled_model);
    advance([&](std::uintptr_t at) __attribute__((always_inline)) {
#pragma GCC unroll 8
      for (std::uintptr_t part = 0; part < parts; ++part) {
#pragma GCC unroll 8
        for (std::uintptr_t i = 0; i < repeats; ++i) {
          const std::uintptr_t line = at + part * part_ - i * back;
          __builtin_prefetch(reinterpret_cast<const void*>(line), 0, Locality);
        }
      }
    });
  }

  staged_lines* written_ = nullptr;
  int written_at_once_ = 0;
};

/// A tile, and what it does for the next one.
struct tile_at : followed_tile {
  index slab = 0;                ///< see slab_loop
  line_fetcher* next = nullptr;  ///< null: nothing is fetched
  void* staged = nullptr;        ///< where its result goes, see staged_result; null: to its place
};

/// How far behind the numbers of a map at hand those of the next tile are; 0: there is none.
inline index ahead(const operand_ref& ref, const tile_at& at) {
  return at.is_followed ? distance(ref, at.after) - distance(ref, at) : 0;
}

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
