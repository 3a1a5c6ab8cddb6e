#pragma once

#include <string_view>
#include <tenfold/backend/interface/select.hpp>
#include <tenfold/contraction/limits.hpp>

/// What an expression became, as plain data: who multiplies whom, as which GEMM, in which
/// micro-kernel and why, and what it costs. Nothing here decides anything.
namespace tenfold {

/// A product of numbers and of extents that are not known: factor * extents of `unknown`.
struct monomial {
  double factor = 0;
  label_set unknown = 0;

  friend constexpr bool operator==(const monomial&, const monomial&) = default;
  /// Known, and this number.
  friend constexpr bool operator==(const monomial& m, double value) {
    return m.unknown == 0 && m.factor == value;
  }
};

/// A sum of such products: an amount of work or of memory.
struct amount {
  static constexpr int max_terms = 6;
  int count = 0;
  monomial terms[max_terms] = {};
  bool complete = true;  ///< false: there were more terms than it holds

  constexpr void add(const monomial& m) {
    if (m.factor == 0) return;
    for (int t = 0; t < count; ++t) {
      if (terms[t].unknown == m.unknown) {
        terms[t].factor += m.factor;
        return;
      }
    }
    if (count == max_terms) {
      complete = false;
      return;
    }
    terms[count++] = m;
  }
  constexpr void add(const amount& other) {
    for (int t = 0; t < other.count; ++t) add(other.terms[t]);
    complete = complete && other.complete;
  }

  /// Whether no unknown extent is in it.
  constexpr bool known() const {
    return complete && (count == 0 || (count == 1 && terms[0].unknown == 0));
  }
  /// The factor of the product of exactly these unknown extents.
  constexpr double factor_of(label_set unknown) const {
    for (int t = 0; t < count; ++t) {
      if (terms[t].unknown == unknown) return terms[t].factor;
    }
    return 0;
  }
  constexpr label_set unknown() const {
    label_set all = 0;
    for (int t = 0; t < count; ++t) all |= terms[t].unknown;
    return all;
  }

  friend constexpr bool operator==(const amount&, const amount&) = default;
  /// Known, and this number.
  friend constexpr bool operator==(const amount& a, double value) {
    return a.known() && a.factor_of(0) == value;
  }
};

/// How a step reaches an operand, or leaves its result.
enum class reach : unsigned char {
  unknown,    ///< only the call will tell
  in_place,   ///< entries of the lanes lie side by side in memory, or there are no lanes
  broadcast,  ///< one entry in memory serves all lanes
  scratch,    ///< computed in, or left in, the scratch of the tile
  registers,  ///< stays in registers between the parts of a sandwich
  packed,     ///< copied: its lanes lie apart, or the last vector is not full
  panels,     ///< copied block by block, in the order in which a product reads it
  mapped      ///< gathered, or scattered and added, through a map
};

struct explained_operand {
  int value = -1;  ///< an input, or input_count + the step whose result it is
  reach how = reach::unknown;
  index apart = 0;  ///< packed: entries from lane to lane in memory

  friend constexpr bool operator==(const explained_operand&, const explained_operand&) = default;
};

enum class micro_kernel : unsigned char {
  unknown,          ///< only the call will tell
  unrolled,         ///< plain scalar code without a loop
  register_tile,    ///< m x n accumulators of `width` lanes
  conversion,       ///< copied to the scalar of the program as it is packed
  gemm_by_columns,  ///< a batched product, its lanes neighbouring columns of one result
  gemm_by_lanes,    ///< a batched product, its lanes one entry of as many problems
  blocked,          ///< a product in blocks that are packed into panels
  pointwise,        ///< a copy, or a product entry by entry, in the order of memory
  reduce,           ///< sums along which the operands are neighbours: those are the lanes
  sandwich,         ///< along one axis there, entry by entry, and back, in one go
  even_odd,         ///< a matrix that is symmetric under reflection, applied in halves
  together,         ///< products entry by entry, side by side
  renamed           ///< nothing is done: the same entries under other labels
};

/// Labels in their order: a part of the explanation's list of orders.
struct label_order {
  int begin = 0, count = 0;

  friend constexpr bool operator==(const label_order&, const label_order&) = default;
};

/// result := adds_to + sign * sum over k of A * B
struct explained_step {
  explained_operand a, b, c;  ///< b.value < 0: A alone
  int adds_to = -1;           ///< the result of an earlier step, or nothing
  int sign = 1;
  label_set batch = 0;  ///< in A, B and the result
  label_set m = 0;      ///< in A and the result
  label_set n = 0;      ///< in B and the result
  label_set k = 0;      ///< summed
  label_order order;    ///< of the result
  monomial batch_extent, m_extent, n_extent, k_extent;
  int phase = -1;
  micro_kernel kernel = micro_kernel::unknown;
  int first = 0, last = 0;  ///< the steps that the micro-kernel does at once
  bool in_halves = false;   ///< its matrix, or those of a sandwich: even-odd
  int width = 1;            ///< lanes of an accumulator
  /// Accumulators of one call: rows x columns, of loops of so many.
  int rows = 0, columns = 0;
  index row_extent = 1, column_extent = 1;
  blocking blocks;  ///< of a product that is blocked
  /// Of such a product, if another one, where the result goes past the caches.
  select::tile_shape streamed{0, 0};
  select::tile_reason why = select::tile_reason::no_more;
  monomial flops;
  amount bytes;               ///< of the operands and the result, where they are not in registers
  double intensity = 0;       ///< flops / bytes, for many of what is not known; 0: not known
  index workspace_bytes = 0;  ///< of the result, where it crosses phases

  friend constexpr bool operator==(const explained_step&, const explained_step&) = default;
};

/// One loop over tiles.
struct explained_phase {
  /// Steps that run slab by slab, and how many slabs there are (slab_loop).
  struct slabs {
    int first = 0, last = 0;
    index count = 0;

    friend constexpr bool operator==(const slabs&, const slabs&) = default;
  };
  static constexpr int max_slabs = 8;

  label_set steps = 0;  ///< which ones run in it, one bit each
  int lane = -1;        ///< the label that gives the lanes, the innermost of those merged with it
  label_order tiles;    ///< the labels of the tile loops
  int width = 1, vectors = 1;
  int halved = 0;          ///< matrices of which it makes halves, and nothing else
  bool remainder = false;  ///< takes what an earlier phase of the same steps left of the lanes
  bool partial = false;    ///< its last tile may be partial, hence all its operands are packed
  bool overlaps = false;   ///< one tile, which computes some values a second time
  double tile_flops = 0;
  double task_tiles = 0;  ///< tiles of a task of the thread pool
  int slab_count = 0;
  slabs in_slabs[max_slabs] = {};
  index scratch_bytes = 0;  ///< per thread
  /// What the lanes cost, what no lanes would, and the best other label that could give them, in
  /// vector operations.
  double cost = 0, scalar_cost = 0, other_cost = 0;
  int other = -1;
  bool scalar_possible = true;  ///< false: without lanes an unknown extent would stay in a tile

  friend constexpr bool operator==(const explained_phase&, const explained_phase&) = default;
};

/// Name of a label as written, without brackets; a name that is longer ends in '~'.
struct label_text {
  static constexpr int max_length = 22;
  int length = 0;
  char text[max_length] = {};

  friend constexpr bool operator==(const label_text&, const label_text&) = default;
};

/// Who made the plan.
enum class planned : unsigned char {
  by_the_compiler,
  at_the_call_for_text,   ///< the subscripts are known only when the program runs
  at_the_call_for_shape,  ///< extents or strides that shape the code are known only then
};

/// What of an explanation does not depend on its room.
struct explanation_summary {
  planned when = planned::by_the_compiler;
  scalar type = scalar::f64;
  capabilities machine{};
  int label_count = 0, input_count = 0, step_count = 0, phase_count = 0;
  label_order result;
  amount flops, naive_flops;
  /// Each input and the output once: the least traffic that any evaluation needs.
  amount input_bytes, output_bytes;
  double intensity = 0;       ///< flops per byte of that traffic, as in a step
  index scratch_bytes = 0;    ///< per thread, kept from call to call
  index workspace_bytes = 0;  ///< kept from call to call
  /// Memory that one call takes from the heap: the result, where it is returned by value and does
  /// not fit into its object, and a workspace too large to keep. -1: planning at the call allocates
  /// as it needs.
  int allocations = 0;
  std::string_view kernel;  ///< the text of a fused kernel; it must outlive the explanation

  friend constexpr bool operator==(const explanation_summary&,
                                   const explanation_summary&) = default;
};

/// Of an input of a fused kernel: the operand's name, and which slice of it is read.
struct explained_input {
  std::string_view name;
  int slice = -1;      ///< along an axis without a label; -1: there is none
  bool again = false;  ///< the same entries are an earlier input, too

  friend constexpr bool operator==(const explained_input&, const explained_input&) = default;
};

/// All about an expression within the limits L.
template <limits L>
struct explanation : explanation_summary {
  static constexpr int max_steps = L.most_steps();
  static constexpr int max_phases = 6 * L.operands;
  static constexpr int max_orders =
      (L.operands + 1) * L.rank + max_steps * L.labels + 4 * max_phases;

  label_text names[L.labels] = {};
  index extents[L.labels] = {};              ///< by label; `dyn` where not known
  std::uint8_t outside[L.labels] = {};       ///< by label: as in the problem that was planned
  label_order inputs[L.operands] = {};       ///< as written
  char before[L.operands] = {};              ///< what stands before each: ',', '+', '-' or nothing
  explained_input sources[L.operands] = {};  ///< of a fused kernel
  explained_step steps[max_steps] = {};
  explained_phase phases[max_phases] = {};
  int order_count = 0;
  std::uint8_t orders[max_orders] = {};

  friend constexpr bool operator==(const explanation&, const explanation&) = default;
};

/// An explanation of any size, for printing. Refers to it.
struct explanation_view {
  const explanation_summary* summary;
  const label_text* names;
  const index* extents;
  const std::uint8_t* outside;
  const label_order* inputs;
  const char* before;
  const explained_input* sources;
  const explained_step* steps;
  const explained_phase* phases;
  const std::uint8_t* orders;

  template <limits L>
  constexpr explanation_view(const explanation<L>& e)
      : summary(&e),
        names(e.names),
        extents(e.extents),
        outside(e.outside),
        inputs(e.inputs),
        before(e.before),
        sources(e.sources),
        steps(e.steps),
        phases(e.phases),
        orders(e.orders) {}
};

}  // namespace tenfold
