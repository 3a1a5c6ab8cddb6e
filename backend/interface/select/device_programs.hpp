#pragma once

#include <tenfold/backend/interface/device_capabilities.hpp>
#include <tenfold/backend/interface/device_program.hpp>
#include <tenfold/backend/interface/select/device_products.hpp>

/// Expressions on a GPU: what stays in shared memory, and how many threads take how many elements.
/// The weights follow from counts; no run has judged them yet.
namespace tenfold::select {

/// The most rows that one thread computes: as many registers of 32 bits as the sums of a register
/// tile may take (device_sum_registers).
constexpr index device_rows_at_most(scalar type) {
  return device_sum_registers(type) / words_of(type);
}

/// The most bytes of an input that all elements read and that waits in shared memory: tables of
/// order up to 32 in double precision. Larger ones are left to the caches.
inline constexpr index device_table_bytes = 8192;

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

/// Lines below which a sum is shared by the threads of a warp, and the threads that are wanted
/// then: a quarter of those that the device holds.
constexpr index device_threads_wanted(const device_capabilities& d) {
  return index{d.multiprocessors} * d.threads / 4;
}
/// Terms that are worth a warp: some for each of its threads.
constexpr index device_warp_terms(const device_capabilities& d) { return index{d.warp} * 2; }
/// The least terms of one part of a sum that is cut.
inline constexpr index device_part_terms = 256;

/// Whether so many sums of so many terms are shared by warps.
constexpr bool device_shares_sums(index lines, index terms, const device_capabilities& d) {
  return lines < device_threads_wanted(d) && terms >= device_warp_terms(d);
}
/// The same where they are a product of matrices: only when it has a few small results, so that
/// blocks for tiles of them would leave nearly all multiprocessors idle.
constexpr bool device_shares_product(index lines, index terms) {
  return lines <= 1024 && terms >= 16 * device_part_terms;
}
/// How many parts such sums are cut into: as many as keep the threads busy that are wanted.
constexpr index device_sum_parts(index lines, index terms, const device_capabilities& d) {
  const index most = terms / device_part_terms, all = lines * d.warp;
  const index wanted = (device_threads_wanted(d) + all - 1) / all;
  return wanted < most ? wanted : most;
}

/// Blocks that are launched at most for each multiprocessor: those beyond walk on.
constexpr index device_grid(index blocks, const device_capabilities& d) {
  const index most = index{d.multiprocessors} * d.blocks * 4;
  return blocks < most ? blocks : most;
}

/// Sets the threads of a phase, and where blocks take whole elements, how many. Of all threads in
/// all steps those that have a line are wanted, in as many warps as keep memory busy: of cuts that
/// come within a tenth of the best the one with the fewest elements, then threads, since small
/// blocks wait less. How many elements a call has does not matter: another number needs no other
/// text.
inline void device_cut_phase(device_phase& phase, scalar type, const device_capabilities& d) {
  phase.threads = device_block_threads;
  if (!phase.shares) return;
  const auto bytes = static_cast<int>(bytes_of(type));
  const auto score = [&](int elements, int threads) {
    const index shared =
        device_shared_bytes(phase.block_entries, phase.element_entries, elements, bytes);
    if (shared > d.shared_bytes_block) return 0.0;
    double busy = 0, all = 0;
    for (std::size_t s = static_cast<std::size_t>(phase.first_step); s < phase.steps.size(); ++s) {
      const index lines = elements * line_count(phase.steps[s], phase.loops.data());
      busy += static_cast<double>(lines);
      all += static_cast<double>((lines + threads - 1) / threads * threads);
    }
    const index blocks = device_resident_blocks(d, threads, 0, shared);
    const double warps = static_cast<double>(blocks * (threads / d.warp)) / device_warps_wanted;
    return busy / all * (warps < 1 ? warps : 1);
  };
  double best = 0;
  for (const bool chooses : {false, true}) {
    for (int elements = 1; elements <= 32; ++elements) {
      for (int threads = d.warp; threads <= device_task_threads; threads += d.warp) {
        const double here = score(elements, threads);
        if (chooses && here >= 0.9 * best) {
          phase.elements = elements;
          phase.threads = threads;
          return;
        }
        if (here > best) best = here;
      }
    }
  }
}

/// Blocks of a launch.
inline index device_blocks(const device_phase& phase, const device_capabilities& d) {
  const index count = phase.count();
  const index of_block = phase.shares ? phase.elements : phase.threads / phase.steps[0].lanes;
  const index items = phase.shares ? count : count * line_count(phase.steps[0], phase.loops.data());
  return device_grid(items / of_block + (items % of_block != 0), d);
}

}  // namespace tenfold::select
