#pragma once

#include <tenfold/tensor/reflection_kind.hpp>
#include <tenfold/tensor/scalar_kind.hpp>

/// What the threads of a GPU do for an expression, as data: steps of loops over one element of the
/// batch. Host code makes it (contraction/lower_device.hpp), device code has it as constants, so
/// this header is read by NVRTC too and includes nothing of the standard library.
///
///   phase    one launch: a loop over the elements of the batch, some at a time to each block
///   stage    passes between which no thread waits for another
///   pass     a loop over lines, each of which goes through the steps of the pass
///   step     for every line of every element at hand:
///              to[m] := add[m] + sign sum_k a[m, k] b[m, k]            m < rows
///   line     one value of each line loop; a thread computes its rows in registers, or a warp does,
///            each of whose threads sums some of the terms
/// What a step leaves for another of its pass can stay in registers, if both mean the same entries
/// by a line: sums over what a step has left along its rows, and products entry by entry.
namespace tenfold {

/// Where an operand of a step lies.
enum class device_memory : unsigned char {
  none,      ///< there is no such operand
  global,    ///< in the memory of the device: an operand of the call, or its workspace
  element,   ///< in shared memory, one for each element at hand
  block,     ///< in shared memory, one for the whole block
  constant,  ///< in the constant memory of the device kernel
  line       ///< in the registers of the thread that has the line
};

/// When a step begins.
enum class device_start : unsigned char {
  behind,  ///< a stage: when the block has done all steps before
  beside,  ///< a pass of the same stage: at once
  along    ///< in the pass of the step before: with every line of it
};

struct device_operand {
  device_memory where = device_memory::none;
  int place = 0;         ///< global: which of the places of the call
  long long offset = 0;  ///< element, block, constant, line: of its first entry
  /// element: in the shared memory of one element alone a stretch of it, of all elements at hand,
  /// begins here.
  long long stretch = 0;
  /// element: how far elements lie apart there; global: the same, where there is one loop of the
  /// batch, or 0: the call tells.
  long long apart = 0;
  scalar type = scalar::f64;
  bool conjugated = false;
  bool mapped = false;  ///< global: a map says where entries lie; -1: nowhere
  bool wide_map = false;

  friend constexpr bool operator==(const device_operand&, const device_operand&) = default;
};

/// A loop, and how far each operand moves along it.
struct device_loop {
  long long extent = 1;
  long long a = 0, b = 0, add = 0, to = 0;

  friend constexpr bool operator==(const device_loop&, const device_loop&) = default;
};

/// Loops stand in the list of the phase from first_loop on: those of the lines, the fastest last,
/// then those of the sum, the innermost last.
struct device_step {
  device_start start = device_start::behind;
  device_operand a{}, b{}, add{}, to{};
  /// The rows of one thread, and how many there are in all; where a thread does not hold all, parts
  /// of them are one more, the slowest, loop of the lines.
  device_loop rows{};
  long long row_count = 1;
  int first_loop = 0, line_loops = 0, sum_loops = 0;
  /// Threads to a line, 1 or a warp: thread t sums the terms t, t + lanes, ... of the innermost
  /// loop.
  int lanes = 1;
  /// The outermost loop of the sum is cut into parts of so many values, whose sums are results side
  /// by side, `part_to` apart; they are the slowest loop of the lines. 0: it is not.
  long long part = 0, part_to = 0;
  int sign = 1;
  /// a is a table in constant memory that is symmetric or antisymmetric under reflection, and lies
  /// there in halves (device_halve.hpp says where): its strides are 1 along the terms, or along the
  /// rows where its transpose is applied. b stands still along the rows.
  reflection halves = reflection::none;
  bool finishes = false;  ///< to := alpha (...) + beta to instead; beta == 0: it is not read
  bool scatters = false;  ///< to += alpha (...) instead, several threads to one entry

  friend constexpr bool operator==(const device_step&, const device_step&) = default;
};

constexpr long long row_parts(const device_step& s) {
  return (s.row_count + s.rows.extent - 1) / s.rows.extent;
}
/// Parts of the sum.
constexpr long long sum_parts(const device_step& s, const device_loop* loops) {
  return s.part == 0 ? 1 : (loops[s.first_loop + s.line_loops].extent + s.part - 1) / s.part;
}
/// Whether a step has nothing to sum, so that each of its rows is one product, or a copy.
constexpr bool is_pointwise(const device_step& s) {
  return s.sum_loops == 0 && s.part == 0 && s.lanes == 1;
}
/// Products of a sum and its rows up to which all are unrolled, so that they can name registers and
/// constants.
inline constexpr long long device_unrolled_products = 512;
constexpr bool is_unrolled(const device_step& s, const device_loop* loops) {
  return s.sum_loops == 1 && s.part == 0 && s.lanes == 1 &&
         loops[s.first_loop + s.line_loops].extent * s.rows.extent <= device_unrolled_products;
}
/// How many terms of the innermost loop of a sum are unrolled; of sums that threads share more,
/// because that many terms are on their way to each.
constexpr int unrolled_terms(const device_step& s, const device_loop* loops) {
  if (is_unrolled(s, loops)) return static_cast<int>(loops[s.first_loop + s.line_loops].extent);
  return s.lanes > 1 || s.part > 0 ? 8 : 4;
}
/// Lines of one element.
constexpr long long line_count(const device_step& s, const device_loop* loops) {
  long long lines = row_parts(s) * sum_parts(s, loops);
  for (int l = 0; l < s.line_loops; ++l) lines *= loops[s.first_loop + l].extent;
  return lines;
}

/// The most loops that the elements of a batch are counted by.
inline constexpr int max_batch_loops = 6;

/// What a call tells of one place: where entry 0 of element 0 lies, and how far it is to the next
/// element along each loop of the batch. Of a mapped one both count numbers of the map.
struct device_base {
  const void* data = nullptr;
  const void* map = nullptr;
  long long steps[max_batch_loops] = {};
};

/// The one argument of the device kernel of a phase; all addresses are the device's.
template <class T, int Places>
struct device_phase_arguments {
  device_base places[Places];
  long long count = 0;  ///< elements
  T alpha, beta;
};

/// Bytes of shared memory of a block that has so many elements at a time.
constexpr long long device_shared_bytes(long long block_entries, long long element_entries,
                                        int elements, int entry_bytes) {
  return (block_entries + elements * element_entries) * entry_bytes;
}

}  // namespace tenfold
