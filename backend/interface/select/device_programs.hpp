#pragma once

#include <algorithm>
#include <cmath>
#include <tenfold/backend/interface/device_capabilities.hpp>
#include <tenfold/backend/interface/device_program.hpp>
#include <tenfold/backend/interface/select/device_products.hpp>
#include <vector>

/// Expressions on a GPU: what stays in shared memory, and how many threads take how many elements.
/// Where nothing is said of an H200 they follow from counts.
namespace tenfold::select {

/// The most rows that one thread computes: as many registers of 32 bits as the sums of a register
/// tile may take (device_sum_registers). A line that others sum over in registers has no more.
constexpr index device_rows_at_most(scalar type) {
  return device_sum_registers(type) / words_of(type);
}

/// The most bytes of an input that all elements read and that waits in constant or shared memory:
/// tables of order up to 32 in double precision. Larger ones are left to the caches.
inline constexpr index device_table_bytes = 8192;

/// The most bytes of such tables in constant memory. They come to the arithmetic by a path of their
/// own, while shared memory hands a warp 128 bytes in a cycle, which are the numbers of 16 threads
/// in double precision, whether its threads read the same or not.
inline constexpr index device_constant_bytes = 16384;

/// Whether a table of so many rows and columns that is symmetric under reflection is applied in
/// halves. On an H200 that made the mass operators of degree 7, 8 and 10 1.07, 1.09 and 1.3 times
/// as fast, since their products wait for instructions that bring constants; that of degree 2 0.94
/// times.
constexpr bool device_has_halves(index rows, index columns) { return rows >= 5 && columns >= 5; }

/// Bytes of shared memory up to which such inputs are taken in: what leaves room for two blocks on
/// a multiprocessor.
constexpr index device_table_room(const device_capabilities& d) {
  const index half = d.shared_bytes / 2 - d.reserved_bytes;
  return half < d.shared_bytes_block ? half : d.shared_bytes_block;
}

/// Elements that a fused phase wants: fewer leave multiprocessors idle from the first step to the
/// last, where launches of their own would spread each step over all of them.
constexpr index device_elements_wanted(const device_capabilities& d) { return d.multiprocessors; }

/// Operations of an element below which launches cost more than idle multiprocessors: they take
/// some microseconds each, in which a block does about so many.
inline constexpr double device_idle_flops = 1 << 17;

/// A product among steps that could be one launch, whose blocks take elements of a batch through
/// all of them.
struct device_chained_product {
  double products = 0;  ///< of entries: all terms of all its sums
  /// Bytes of a matrix that elements have in common, as often as they read it, where the cache of a
  /// multiprocessor has no room for it.
  double again = 0;
  bool by_library = false;  ///< as a launch of its own
};

/// Bytes that the shared memory of a multiprocessor, or its cache, hands out in a cycle.
inline constexpr double device_shared_rate = 128;

/// Seconds that such a product takes at best in blocks of elements: each multiply-add brings an
/// entry to its thread, from the memory or the cache of the multiprocessor, or else from L2, which
/// is taken to be as fast as memory. Rows of a matrix, as elements, read all of the other matrix
/// again, each of them.
constexpr double device_seconds_in_blocks(const device_chained_product& x, scalar type,
                                          const device_capabilities& d) {
  const double flops = (is_complex(type) ? 8 : 2) * x.products;
  const double shared = x.products * static_cast<double>(bytes_of(type)) /
                        (device_shared_rate * d.multiprocessors * d.clock);
  return std::max({shared, x.again / d.bandwidth, flops / device_peak(d, type)});
}
/// And as a launch of its own, which has register tiles and reads either matrix about once.
constexpr double device_seconds_alone(const device_chained_product& x, scalar type,
                                      const device_capabilities& d) {
  const double flops = (is_complex(type) ? 8 : 2) * x.products;
  return flops / (x.by_library ? device_library_peak(d, type) : device_peak(d, type));
}

/// What one launch more costs: some microseconds.
inline constexpr double device_launch_seconds = 3e-6;

/// How many times as long products must take in blocks, by these counts, which neither way comes up
/// to.
inline constexpr double device_separates_from = 2;

/// Whether products, which take so many seconds in blocks and alone, are launches of their own.
/// Then all that the steps pass on, `passed` bytes, is written once and read once, and there are
/// more launches. On an H100 memory hands out a tenth of what shared memory does: a chain of
/// products of small matrices stays one launch up to order 40 or so, and one of rows as long as its
/// matrices stay in the cache.
constexpr bool device_separates(double in_blocks, double alone, double passed, int more_launches,
                                const device_capabilities& d) {
  return in_blocks > device_separates_from *
                         (alone + passed / d.bandwidth + more_launches * device_launch_seconds);
}

/// Bytes of workspace from which a kernel whose elements do not fit into shared memory, so that
/// each step is a launch, takes its elements slab by slab, and what those of a slab then need at
/// most, if they are several: sixteen times what all shared memory of the device holds, half a
/// gigabyte on an H200. Memory writes and reads that in a fifth of a millisecond, in which the ten
/// launches or so of a slab are started several times; slabs that stay in L2 would wait for theirs.
constexpr index device_slab_bytes(const device_capabilities& d) {
  return 16 * d.multiprocessors * d.shared_bytes;
}
/// Elements of a slab, of all that need so many bytes of workspace together. Slabs of a multiple of
/// four begin at multiples of 16 bytes where the first one does, and run the same texts; the last
/// one is about as large as the others.
constexpr index device_slab_elements(index elements, index bytes, const device_capabilities& d) {
  const auto rounds = [](index all, index each) { return (all - 1) / each + 1; };
  const index fit = device_slab_bytes(d) / rounds(bytes, elements), step = fit < 4 ? 1 : 4;
  const index most = fit < 1 ? 1 : fit / step * step;
  return rounds(rounds(elements, rounds(elements, most)), step) * step;
}

/// Lines below which a sum is shared by the threads of a warp, and the threads that are wanted
/// then: half of those that the device holds. On an H200 sums of columns ran at 0.46, 0.76, 0.95
/// and 0.94 of a copy in single precision with an eighth, a quarter, half and all of them, at 0.75,
/// 0.95, 0.97 and 0.89 in double precision.
constexpr index device_threads_wanted(const device_capabilities& d) {
  return index{d.multiprocessors} * d.threads / 2;
}
/// Terms that are worth a warp: some for each of its threads.
constexpr index device_warp_terms(const device_capabilities& d) { return index{d.warp} * 2; }
/// The least terms of one part of a sum that is cut.
inline constexpr index device_part_terms = 256;

/// Whether so many sums of so many terms are shared by threads: if they are few, or their terms
/// neighbours in memory, which the threads of a warp read side by side.
constexpr bool device_shares_sums(index lines, index terms, bool are_neighbours,
                                  const device_capabilities& d) {
  return terms >= device_warp_terms(d) && (are_neighbours || lines < device_threads_wanted(d));
}
/// The same where they are a product of matrices: only when it has a few small results, so that
/// blocks for tiles of them would leave nearly all multiprocessors idle.
constexpr bool device_shares_product(index lines, index terms) {
  return lines <= 1024 && terms >= 16 * device_part_terms;
}
/// How many parts such sums are cut into, each by so many threads: as many as keep the threads busy
/// that are wanted.
constexpr index device_sum_parts(index lines, index terms, int lanes,
                                 const device_capabilities& d) {
  const index most = terms / (lanes > 1 ? device_part_terms : device_part_terms / d.warp),
              all = lines * lanes;
  const index wanted = (device_threads_wanted(d) + all - 1) / all;
  return wanted < most ? wanted : most;
}

/// How entries are put in another order: by square parts, whose rows have 256 bytes, of complex
/// doubles 512, a block to each. Floats go by 16 bytes past the cache of the multiprocessor: on an
/// H200 a kernel with nothing but whole parts ran at 0.95 of a copy so, by single ones at 0.81 or
/// less, by 16 bytes through the cache at 0.76; 0.93 with some blocks for each multiprocessor that
/// walk on, 0.85 with parts of 32, 0.91 with rows of 128 in x or in y. Doubles ran at 0.97 by
/// single ones. Registers are bounded: with 255 and 132, and so two and three blocks, floats ran at
/// 0.75 and doubles at 0.72.
constexpr device_transpose device_transposition(scalar type, scalar from, scalar to) {
  device_transpose how;
  how.from = from;
  how.to = to;
  how.side = bytes_of(type) < 8 ? 64 : 32;
  if (from == scalar::f32 && to == scalar::f32) how.at_once = 4;
  return how;
}

/// Bytes of shared memory that the blocks of a transposition take of a multiprocessor.
constexpr index device_transpose_shared(const device_transpose& how, scalar type, int registers,
                                        const device_capabilities& d) {
  const index bytes = device_transpose_bytes(how, static_cast<index>(bytes_of(type)));
  return device_resident_blocks(d, how.threads, registers, bytes, device_parts) *
         (bytes + d.reserved_bytes);
}

/// The most elements that a block has at a time, where they have something in shared memory; else
/// threads have as many as there are: steps of vectors, whose elements are entries, would leave
/// three of four warps without any.
inline constexpr index device_most_elements = 32;

/// Numbers that a line of some pass reads directly from the memory of the device, at most: rows of
/// each place, however many steps read them.
inline index device_direct_loads(const device_phase& phase) {
  index most = 0, here = 0;
  std::vector<int> read;
  for (std::size_t s = static_cast<std::size_t>(phase.first_step); s < phase.steps.size(); ++s) {
    const device_step& step = phase.steps[s];
    if (step.start != device_start::along) {
      here = 0;
      read.clear();
    }
    for (const device_operand* x : {&step.a, &step.b}) {
      if (x->where != device_memory::global ||
          std::find(read.begin(), read.end(), x->place) != read.end())
        continue;
      here += step.rows.extent;
      read.push_back(x->place);
    }
    most = std::max(most, here);
  }
  return most;
}

/// Registers of 32 bits that a thread of a fused phase gets at least, and as many more as leave
/// room for the blocks that shared memory, or these, have room for. Left alone the compiler takes
/// more, to read ahead. On an H200 the mass operator of degree 7 was 0.77 times as fast with 96 as
/// with 64, but where lines read many numbers from the memory of the device half of these shall be
/// on their way: the collocated stiffness operators of degrees 5 and 6, which read 36 and 42, were
/// 0.86 and 0.82 times as fast with 72 instead of 96; that of degree 12, 78 numbers, 0.79 times
/// with 96 instead of 168, which two blocks leave it; and the other one of degree 8, 60 numbers,
/// 0.96 times with 96 instead of 128, which four leave it; that of degree 7, 54 numbers, 0.96 times
/// with 96 instead of 128. With more than 128 fewer than 16 warps have room.
inline int device_least_registers(const device_phase& phase, scalar type) {
  const int words = words_of(type), loads = static_cast<int>(device_direct_loads(phase));
  const int least = 32 + 16 * words;
  return loads > 16 ? std::clamp(48 + loads * words / 2, least + 32, 128) : least;
}

/// How many more blocks a multiprocessor must hold for passes to be loops where they could be
/// straight code. On an H200 the mass operator of degree 7 ran at 0.75 of a copy by loops, 6
/// blocks, at 0.65 by straight code, 4 blocks; that of degree 10 at 0.71 by both, 5 and 4 blocks.
inline constexpr double device_loops_from = 1.25;

/// Lines of an element in the pass that has most, of those that sum if any does.
inline index device_most_lines(const device_phase& phase) {
  index most = 1, most_that_sum = 0, here = 0;
  for (std::size_t s = static_cast<std::size_t>(phase.first_step); s < phase.steps.size(); ++s) {
    const device_step& step = phase.steps[s];
    if (step.start != device_start::along)
      here = static_cast<index>(line_count(step, phase.loops.data()));
    most = std::max(most, here);
    if (step.sum_loops > 0) most_that_sum = std::max(most_that_sum, here);
  }
  return most_that_sum > 0 ? most_that_sum : most;
}

/// Bytes of shared memory of one block.
inline index device_phase_bytes(const device_phase& phase, scalar type) {
  return device_shared_bytes(phase.block_entries, phase.element_entries, phase.elements,
                             static_cast<int>(bytes_of(type)));
}
/// Blocks of whole elements that a multiprocessor holds at a time, if they leave so many bytes to
/// its cache; one, if not.
inline index device_phase_blocks(int threads, int registers, index shared_bytes, index cache_bytes,
                                 const device_capabilities& d) {
  device_capabilities left = d;
  left.shared_bytes -= cache_bytes;
  return std::max<index>(
      device_resident_blocks(left, threads, registers, shared_bytes, device_parts), 1);
}
inline index device_phase_blocks(const device_phase& phase, scalar type, int registers,
                                 const device_capabilities& d) {
  return device_phase_blocks(phase.threads, registers, device_phase_bytes(phase, type),
                             phase.cache_bytes, d);
}
/// Bytes of shared memory that they take.
inline index device_phase_shared(const device_phase& phase, scalar type, int registers,
                                 const device_capabilities& d) {
  return device_phase_blocks(phase, type, registers, d) *
         (device_phase_bytes(phase, type) + d.reserved_bytes);
}

/// Warps that a multiprocessor holds at a time.
inline index device_phase_warps(const device_phase& phase, const device_capabilities& d) {
  return index{phase.resident} * (phase.threads / d.warp);
}

/// Sets the blocks that a multiprocessor shall hold of a phase.
inline void device_set_resident(device_phase& phase, scalar type, const device_capabilities& d) {
  phase.resident =
      static_cast<int>(device_phase_blocks(phase, type, device_least_registers(phase, type), d));
}

/// Bytes that blocks of whole elements leave, or do not leave, to the cache of their
/// multiprocessor, which has the same memory: rows of inputs and results begin within lines that
/// the rows before end in. On an H200 the collocated stiffness operator of degree 12 ran at 0.63 of
/// a copy with 214 of 228 KiB taken, at 0.79 with 178, that of degree 7 at 0.91 with 212, at 1.00
/// with 189; the mass operator of degree 6 at 0.80 with 191, at 0.86 to 0.89 with 100 to 178.
inline constexpr index device_cache_bytes[] = {48 * 1024, 0};
/// How much longer memory takes without it.
inline constexpr double device_cacheless = 1.2;

/// What an element takes of a multiprocessor, in cycles, by so many for shared memory: memory and
/// shared memory do not hide each other, and few warps hide less. It orders layouts of shared
/// memory; the weights follow from seven kernels on an H200.
inline double device_phase_cycles(const device_phase& phase, double bytes, double shared_cycles,
                                  const device_capabilities& d) {
  const double a_cycle =
      device_bandwidth_share * d.bandwidth / (static_cast<double>(d.multiprocessors) * d.clock);
  const double memory = bytes / a_cycle * (phase.cache_bytes > 0 ? 1 : device_cacheless);
  const double few = device_warps_wanted / static_cast<double>(device_phase_warps(phase, d));
  return (memory + shared_cycles) * std::sqrt(std::max(1.0, few));
}

/// Whether warps leave a pass at once of which they have no line. On an H200 that made the mass
/// operators of degree 7, 8, 10 and 12 1.05, 1.12, 1.08 and 1.26 times as fast, the stiffness
/// operators 1.13, 1.08, 1.07 and 1.2 times, that of degree 6, whose blocks have two warps, 1.07
/// times, the collocated one of degree 12, which has lines for all warps, 1.4 times: the compiler
/// does not carry code over the branch, and needs fewer registers. Blocks of three elements and
/// more were 0.92 to 1.0 times as fast so.
inline bool device_skips(const device_phase& phase) { return phase.shares && phase.elements <= 2; }

/// The least share of a block of less than four warps that has lines.
inline constexpr double device_busy_share = 0.84;

/// Sets the threads of a phase, and where blocks take whole elements, how many: as many as have a
/// line for each thread in the pass that has most. It is the smallest block of those whose threads
/// have lines nearly as often as in any: a block of one element where that suits well, because
/// nothing is divided there; else of four warps or more. On an H200 two lines to a thread were up
/// to 0.7 times as fast, side by side, so that a constant is loaded once for both, 0.88 to 0.95
/// times (1.05 for masses of degree 12), blocks of one warp up to 0.8 times; elements of 81 lines
/// by three warps each were 1.03 to 1.04 times as fast as two elements by six.
inline void device_cut_phase(device_phase& phase, scalar type, const device_capabilities& d) {
  phase.threads = device_block_threads;
  if (!phase.shares) return;
  phase.cache_bytes = device_cache_bytes[0];
  const index lines = device_most_lines(phase);
  const index most = phase.element_entries == 0 ? device_task_threads : device_most_elements;
  const index room =
      phase.element_entries == 0
          ? most
          : (d.shared_bytes_block / static_cast<index>(bytes_of(type)) - phase.block_entries) /
                phase.element_entries;
  const auto cut = [&](int threads) {
    const index wanted = std::min(threads / lines, most);
    phase.threads = threads;
    phase.elements = static_cast<int>(std::max<index>(std::min(wanted, room), 1));
    device_set_resident(phase, type, d);
  };
  const auto score = [&] {
    const index busy = phase.elements * lines, rounds = (busy + phase.threads - 1) / phase.threads;
    if (phase.threads < device_block_threads &&
        (phase.elements > 1 || static_cast<double>(busy) <
                                   device_busy_share * static_cast<double>(rounds * phase.threads)))
      return 0.0;
    return static_cast<double>(busy) / static_cast<double>(rounds * phase.threads) *
           std::min(1.0, static_cast<double>(device_phase_warps(phase, d)) / device_warps_wanted);
  };
  double best = 0;
  for (const bool chooses : {false, true}) {
    for (int threads = 2 * d.warp; threads <= device_task_threads; threads += d.warp) {
      cut(threads);
      const double here = score();
      if (chooses && here >= 0.85 * best) return;
      best = std::max(best, here);
    }
  }
}

/// Blocks of a launch, of a kernel of so many registers: those beyond walk on.
inline index device_blocks(const device_phase& phase, scalar type, int registers,
                           const device_capabilities& d) {
  const index count = phase.count();
  const index of_block = phase.shares ? phase.elements : phase.threads / phase.steps[0].lanes;
  const index items = phase.shares ? count : count * line_count(phase.steps[0], phase.loops.data());
  const index most = d.multiprocessors *
                     (phase.shares ? device_waves * device_phase_blocks(phase, type, registers, d)
                                   : index{d.blocks} * 4);
  return std::min(items / of_block + (items % of_block != 0), most);
}

}  // namespace tenfold::select
