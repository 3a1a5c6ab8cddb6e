#pragma once

#include <optional>
#include <tenfold/backend/interface/device_step.hpp>
#include <tenfold/backend/interface/device_transpose.hpp>
#include <tenfold/backend/interface/gemm.hpp>
#include <tenfold/tensor/extents.hpp>
#include <tenfold/tensor/scalar.hpp>
#include <vector>

/// What runs on a device for an expression: launches, one after another. Plain data, no labels, no
/// addresses.
namespace tenfold {

/// Whose memory a place is in.
enum class device_buffer : unsigned char { input, output, workspace };

/// A place in the memory of the device: device_base without the address.
struct phase_place {
  device_buffer where = device_buffer::input;
  int slot = 0;  ///< which input
  bool mapped = false;
  index offset = 0;  ///< in entries, or numbers of the map
  index steps[max_batch_loops] = {};
  scalar type = scalar::f64;  ///< what lies there

  friend bool operator==(const phase_place&, const phase_place&) = default;
};

/// A batched product of matrices: it has device code of its own. Operands are places of the phase.
struct phase_product {
  gemm_shape shape;
  int a = 0, b = 0, c = 0;
  index problem_a = 0, problem_b = 0, problem_c = 0;  ///< entries from one problem to the next
  index count = 1;
  bool finishes = false;  ///< C := alpha A B + beta C instead of A B
};

/// Entries in another order (device_transpose.hpp says which). x and y are places of the phase.
struct phase_transpose {
  device_transpose how;
  int x = 0, y = 0;
  index rows = 0, columns = 0, x_row = 0, y_row = 0;
  int loops = 0;
  index extents[max_transpose_loops] = {}, x_steps[max_transpose_loops] = {},
        y_steps[max_transpose_loops] = {};

  index entries() const {
    index n = rows * columns;
    for (int l = 0; l < loops; ++l) n *= extents[l];
    return n;
  }
  /// Square parts.
  index parts() const {
    const auto along = [&](index n) { return (n + how.side - 1) / how.side; };
    return entries() / (rows * columns) * along(rows) * along(columns);
  }
};

/// A table that all threads read alike, copied to the constant memory of the device kernel before
/// it is launched: `entries` from the first one of a place on, to there. Or, of a matrix that is
/// symmetric or antisymmetric under reflection, its halves (device_halve.hpp).
struct phase_constant {
  int place = 0;
  index entries = 0, to = 0;
  reflection halves = reflection::none;
  index rows = 0, columns = 0, row = 0, column = 0;  ///< of the matrix, and how far apart they are

  friend bool operator==(const phase_constant&, const phase_constant&) = default;
};

/// One launch: a product, a transposition, or steps. Steps before `first_copy` run once in each
/// block, before its elements; those from there to `first_step` bring inputs of elements to shared
/// memory, ahead of the steps behind. A phase with `shares` has its blocks take whole elements,
/// `elements` at a time, because their threads share what lies in shared memory; another is a
/// single step, whose lines go to threads of any block.
struct device_phase {
  unsigned long long plan_steps = 0;  ///< whose work it does or begins, one bit each
  std::optional<phase_product> product;
  std::optional<phase_transpose> transpose;
  std::vector<device_step> steps;
  std::vector<device_loop> loops;
  std::vector<phase_place> places;
  std::vector<phase_constant> constants;
  int first_copy = 0, first_step = 0;
  std::vector<int> last_readers;  ///< of the copies: the last step that reads what each has brought
  bool shares = false;
  int batch_loops = 0;
  index extents[max_batch_loops] = {};  ///< of the batch, outermost first
  index block_entries = 0;              ///< of shared memory
  index element_entries = 0;
  index line_entries = 0;  ///< of the registers of a thread
  int threads = 0;         ///< of a block
  int elements = 1;
  int resident = 1;       ///< blocks that a multiprocessor shall have room for
  index cache_bytes = 0;  ///< of its shared memory that their inputs and results shall pass through
  bool straight = true;   ///< a pass in which no thread has two lines is no loop
  bool skips = false;     ///< warps that have no line of a pass leave it at once
  bool in_slabs = false;  ///< it runs for one slab of elements after another, see device_program

  index constant_entries() const {
    return constants.empty() ? 0 : constants.back().to + constants.back().entries;
  }
  index count() const {
    index n = 1;
    for (int l = 0; l < batch_loops; ++l) n *= extents[l];
    return n;
  }
};

struct device_program {
  scalar type = scalar::f64;
  std::vector<device_phase> phases;
  index workspace_entries = 0;  ///< what crosses phases
  /// All elements, and how many go at a time, as a slab, through the phases that are `in_slabs`; of
  /// the last slab there are fewer. Such a phase has one batch loop: operands of a call lie so far
  /// from one element to the next as their places move along it, and the workspace is that of one
  /// slab. Other phases run once. 0: there are none.
  index elements = 0, slab_elements = 0;

  index slabs() const { return slab_elements == 0 ? 1 : (elements - 1) / slab_elements + 1; }
};

}  // namespace tenfold
