#pragma once

#include <algorithm>
#include <string>
#include <tenfold/backend/interface/device_capabilities.hpp>
#include <tenfold/backend/interface/device_program.hpp>
#include <tenfold/backend/interface/device_tuning.hpp>
#include <tenfold/backend/interface/select/device_programs.hpp>
#include <tenfold/backend/interface/select/halves.hpp>
#include <tenfold/backend/interface/select/library_products.hpp>

/// One launch of a device program, told as data: what runs, how much, and what bounds it. Nothing
/// here decides anything.
namespace tenfold {

enum class launch_kind : unsigned char {
  product,   ///< a batched product of matrices
  library,   ///< the same by the vendor's library, of whose launches nothing is known
  elements,  ///< steps of elements of the batch that lie in shared memory
  parts,     ///< entries in another order, by square parts
  lines      ///< one step, its lines by threads, or warps, of any block
};

struct explained_launch {
  launch_kind kind = launch_kind::lines;
  unsigned long long plan_steps = 0;  ///< whose work it does or begins, one bit each
  index m = 0, n = 0, k = 0;          ///< of a product
  int rows = 1, columns = 1;          ///< of a product: of the register tile of a thread
  std::string reason;                 ///< of a product: why it is cut so
  int lanes = 1;                      ///< of lines: threads to each
  index batch = 1;                    ///< problems, elements, or lines
  index at_once = 1;                  ///< of these, in a block at a time
  index blocks = 0;
  int threads = 0;  ///< of a block
  index shared_bytes = 0;
  index cache_bytes = 0;  ///< of the shared memory of a multiprocessor, left to its cache
  int registers = 0, spilled_bytes = 0;  ///< of a thread; no registers: its machine has none
  index resident_blocks = 0;             ///< that a multiprocessor has room for
  double occupancy = 0;                  ///< share of the threads that it has room for
  index times = 1;  ///< that it runs, for one slab of elements after another; all else is of one
  double flops = 0;
  double bytes = 0;  ///< of memory: each entry that is touched, and its number in a map, once
  double arithmetic_seconds = 0, memory_seconds = 0;  ///< that these take at best

  double seconds() const {
    return arithmetic_seconds > memory_seconds ? arithmetic_seconds : memory_seconds;
  }

  friend bool operator==(const explained_launch&, const explained_launch&) = default;
};

/// What is said of a device beside the plan.
struct explained_device {
  device_capabilities machine;
  std::vector<explained_launch> launches;
  index workspace_bytes = 0;  ///< what crosses launches
};

namespace explaining_launches {

/// Terms of all sums of a step, of one element.
inline double terms_of(const device_step& s, const std::vector<device_loop>& loops) {
  double n = static_cast<double>(s.row_count);
  for (int l = 0; l < s.line_loops + s.sum_loops; ++l)
    n *= static_cast<double>(loops[static_cast<std::size_t>(s.first_loop + l)].extent);
  return n;
}

/// Operations of a step, of one element: of a complex product and sum there are eight.
inline double flops_of(const device_step& s, const std::vector<device_loop>& loops, scalar type) {
  const bool adds = s.sum_loops > 0 || s.add.where != device_memory::none;
  const bool multiplies = s.b.where != device_memory::none;
  if (s.halves != reflection::none) {
    const auto k =
        static_cast<double>(loops[static_cast<std::size_t>(s.first_loop + s.line_loops)].extent);
    const auto m = static_cast<double>(s.row_count);
    return terms_of(s, loops) / (m * k) *
           (select::even_odd_flops(m, k, s.halves) + (s.add.where != device_memory::none ? m : 0));
  }
  return terms_of(s, loops) *
         (is_complex(type) ? 6.0 * multiplies + 2.0 * adds : 1.0 * multiplies + 1.0 * adds);
}

/// Entries that step s touches by an operand of it, of one element.
inline double entries_of(const device_step& s, const std::vector<device_loop>& loops,
                         long long device_loop::*along) {
  double n = s.rows.*along != 0 ? static_cast<double>(s.row_count) : 1;
  for (int l = 0; l < s.line_loops + s.sum_loops; ++l) {
    const device_loop& loop = loops[static_cast<std::size_t>(s.first_loop + l)];
    if (loop.*along != 0) n *= static_cast<double>(loop.extent);
  }
  if (along == &device_loop::to) n *= static_cast<double>(sum_parts(s, loops.data()));
  return n;
}

inline double bytes_of_steps(const device_phase& phase) {
  double bytes = 0;
  for (const phase_constant& c : phase.constants)
    bytes += static_cast<double>(
        c.entries *
        static_cast<index>(bytes_of(phase.places[static_cast<std::size_t>(c.place)].type)));
  for (std::size_t p = 0; p < phase.places.size(); ++p) {
    const phase_place& place = phase.places[p];
    double entries = 0;
    bool wide = false;
    for (const device_step& s : phase.steps) {
      const std::pair<const device_operand&, long long device_loop::*> all[] = {
          {s.a, &device_loop::a},
          {s.b, &device_loop::b},
          {s.add, &device_loop::add},
          {s.to, &device_loop::to}};
      for (const auto& [x, along] : all) {
        if (x.where != device_memory::global || x.place != static_cast<int>(p)) continue;
        entries = std::max(entries, entries_of(s, phase.loops, along));
        wide = wide || x.wide_map;
      }
    }
    for (int l = 0; l < phase.batch_loops; ++l)
      if (place.steps[l] != 0) entries *= static_cast<double>(phase.extents[l]);
    const index map = !place.mapped ? 0 : wide ? 8 : 4;
    bytes += entries * static_cast<double>(static_cast<index>(bytes_of(place.type)) + map);
  }
  return bytes;
}

/// Of each element that a batch has more, whatever all of them read.
inline double bytes_of_element(device_phase phase) {
  phase.extents[0] = 2;
  const double two = bytes_of_steps(phase);
  phase.extents[0] = 1;
  return (two - bytes_of_steps(phase)) / static_cast<double>(phase.count());
}

}  // namespace explaining_launches

/// Whether a phase is a product that the vendor's library takes, where there is one.
inline bool suits_library(const device_phase& phase) {
  if (!phase.product) return false;
  const phase_product& x = *phase.product;
  return select::library_product_of(x.shape, std::min({x.problem_a, x.problem_b, x.problem_c}))
      .possible;
}

/// What is known of a launch before its machine has compiled it: all but registers, and what
/// follows from them. `found`: the tilings that were found by timing on it.
inline explained_launch explain_launch(const device_phase& phase, scalar type,
                                       const device_capabilities& d,
                                       std::span<const device_tuning> found = {},
                                       bool has_library = false) {
  using namespace explaining_launches;
  explained_launch out;
  out.plan_steps = phase.plan_steps;
  const int size = static_cast<int>(bytes_of(type));
  if (phase.product) {
    const phase_product& x = *phase.product;
    out.m = x.shape.m;
    out.n = x.shape.n;
    out.k = x.shape.k;
    out.batch = x.count;
    if (suits_library(phase) && has_library) {
      out.kind = launch_kind::library;
      out.reason = "by cuBLAS: its matrices are large, and lie as it takes them";
    } else {
      const auto choice = select::device_product(
          x.shape, d, {}, select::device_few(x.shape, x.count, d), {}, found);
      const device_gemm& g = choice.cut;
      out.kind = launch_kind::product;
      out.rows = g.thread_rows;
      out.columns = g.thread_columns;
      out.reason = choice.reason;
      if (suits_library(phase)) out.reason += ", and cuBLAS is missing";
      out.at_once = index{g.groups} * g.problems;
      out.blocks = select::device_blocks(g, x.shape.type, x.count, d);
      out.threads = g.threads_of_block();
      out.shared_bytes = shared_bytes(g, size);
    }
    const auto entries = [&](index rows, index columns, bool shared) {
      return static_cast<double>(rows) * static_cast<double>(columns) *
             (shared ? 1 : static_cast<double>(x.count));
    };
    out.flops =
        entries(out.m, out.n, false) * static_cast<double>(out.k) * (is_complex(type) ? 8 : 2);
    out.bytes = size * (entries(out.m, out.k, x.shape.a.shared) +
                        entries(out.k, out.n, x.shape.b.shared) + entries(out.m, out.n, false));
  } else if (phase.transpose) {
    const phase_transpose& x = *phase.transpose;
    out.kind = launch_kind::parts;
    out.batch = x.parts();
    out.blocks = std::min<index>(x.parts(), device_most_blocks);
    out.threads = x.how.threads;
    out.shared_bytes = device_transpose_bytes(x.how, size);
    out.bytes = static_cast<double>(x.entries()) *
                static_cast<double>(bytes_of(x.how.from) + bytes_of(x.how.to));
  } else {
    out.kind = phase.shares ? launch_kind::elements : launch_kind::lines;
    out.lanes = phase.shares ? 1 : phase.steps[0].lanes;
    out.batch = phase.count();
    if (!phase.shares) out.batch *= line_count(phase.steps[0], phase.loops.data());
    out.at_once = phase.shares ? phase.elements : phase.threads / out.lanes;
    out.blocks = select::device_blocks(phase, type, 0, d);
    out.threads = phase.threads;
    out.shared_bytes =
        device_shared_bytes(phase.block_entries, phase.element_entries, phase.elements, size);
    out.cache_bytes = phase.cache_bytes;
    const auto elements = static_cast<double>(phase.count());
    for (std::size_t s = 0; s < phase.steps.size(); ++s)
      out.flops += flops_of(phase.steps[s], phase.loops, type) *
                   (static_cast<int>(s) < phase.first_step ? 1 : elements);
    out.bytes = bytes_of_steps(phase);
  }
  // Multiprocessors without a block have no part in it.
  const double busy =
      out.blocks < d.multiprocessors ? static_cast<double>(out.blocks) / d.multiprocessors : 1;
  if (out.kind == launch_kind::library)
    out.arithmetic_seconds = out.flops / device_library_peak(d, type);
  else if (out.blocks > 0)
    out.arithmetic_seconds = out.flops / (device_peak(d, type) * busy);
  out.memory_seconds = out.bytes / d.bandwidth;
  return out;
}

/// The same with what its machine says of the device kernel.
inline explained_launch with_registers(explained_launch x, int registers, int spilled_bytes,
                                       const device_capabilities& d) {
  x.registers = registers;
  x.spilled_bytes = spilled_bytes;
  if (x.kind == launch_kind::elements) {
    x.resident_blocks =
        select::device_phase_blocks(x.threads, registers, x.shared_bytes, x.cache_bytes, d);
    x.blocks = std::min(x.blocks, select::device_waves * x.resident_blocks * d.multiprocessors);
  } else {
    x.resident_blocks =
        device_resident_blocks(d, x.threads, registers, x.shared_bytes, device_parts);
  }
  x.occupancy = static_cast<double>(x.resident_blocks * x.threads) / static_cast<double>(d.threads);
  return x;
}

}  // namespace tenfold
