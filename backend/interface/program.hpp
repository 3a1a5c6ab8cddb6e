#pragma once

#include <array>
#include <tenfold/backend/interface/blocking.hpp>
#include <tenfold/backend/interface/gemm.hpp>
#include <tenfold/tensor/extents.hpp>
#include <tenfold/tensor/layout.hpp>
#include <tenfold/tensor/scalar.hpp>

/// A program is what a backend runs: plain data, no labels, no pointers.
///
///   program = phases, in order;       a phase = one loop over tiles of its index space
///   phase   = steps, in order, per tile;   a step = one small loop nest around a micro-kernel
///
/// A tile fixes one value of each tile loop and `vectors * width` neighbouring values of the lane
/// loop, which become SIMD lanes. What a step computes stays in cache-resident scratch, laid out
/// [loops...][vectors][width]; what crosses phases lies in the workspace; nothing else but inputs
/// and outputs is touched.
namespace tenfold {

/// How an operand relates to the lanes of its phase.
enum class lane_access : unsigned char {
  uniform,  ///< one entry serves all lanes: it is broadcast
  lanes,    ///< `width` consecutive entries, one per lane (width 1: a plain scalar)
  split     ///< complex: `width` real parts together, the imaginary parts a distance behind
};

/// What happens to the accumulators of a step.
enum class epilogue : unsigned char {
  overwrite,  ///< C := acc
  update,     ///< C := alpha acc + beta C;  beta == 0: C is not read
  add         ///< C := C + acc; what programs that are constants make of an update
};

enum class step_kind : unsigned char {
  contract,   ///< C[m][n] := sum_k A[m][k] B[k][n]; without `b`: of A[m][k][n] alone
  gemm,       ///< C[t][m][n] := sum_k A[t][m][k] B[t][k][n] for all tiles t; alone in its phase
  blocked,    ///< the same packed into panels, see program_step; whole
  pointwise,  ///< C[m][n] := A[m][n] B[m][n], without `b` of A alone; whole
  reduce,     ///< C[m] := sum_k A[m][k] B[k], without `b` of A alone, lanes along k; whole
  halve,      ///< C := the halves of A[m][k], see program_step::halves
  pack,       ///< C[x][lane] := conj?(A[x + lane * lane_stride]), pad lanes := 0
  unpack      ///< C[x + lane * lane_stride] := epilogue of A[x][lane]; mapped: += A[x][lane]
};

/// Whether a step is alone in its phase and run over all its loops at once. The tile loops of its
/// phase are then more of its outer loops: those whose extents only the call may tell.
constexpr bool is_whole(step_kind k) {
  return k == step_kind::blocked || k == step_kind::pointwise || k == step_kind::reduce;
}

/// Where an operand lives; in registers, between the steps of a sandwich.
enum class buffer : unsigned char { none, input, output, workspace, scratch, registers };

inline constexpr int max_tile_loops = 4;

/// More loops than a step has: every label of two operands of the highest rank.
inline constexpr int max_step_loops = 64;

/// One operand of a step. Its address in a tile is
///   base(where, slot) + offset + sum_t tile[t] * tile_stride[t] + lane * lane_stride
///     + slab * slab_stride.
/// All strides and offsets count scalars of the type that lies there: that of the program, but for
/// what a step packs, or one that is whole reads, which may be real or of lower precision or
/// conjugated, and for what a step unpacks, which may be of lower precision. Other steps know one
/// scalar.
struct operand_ref {
  buffer where = buffer::none;
  int slot = 0;  ///< which input
  lane_access how = lane_access::uniform;
  index offset = 0;
  index lane_stride = 0;
  std::array<index, max_tile_loops> tile_stride{};
  index slab_stride = 0;
  int value = -1;             ///< the value of the plan that is meant, for explain
  scalar type = scalar::f64;  ///< what lies there
  bool conjugated = false;    ///< the conjugate of what lies there is meant
  /// Strides count numbers of a map, which say where entries lie; -1: nowhere.
  bool mapped = false;

  friend constexpr bool operator==(const operand_ref&, const operand_ref&) = default;
};

/// One loop of a step and the stride of each operand along it (0 where it does not move).
struct step_loop {
  index extent = 1;
  index a = 0, b = 0, c = 0;

  friend constexpr bool operator==(const step_loop&, const step_loop&) = default;
};

/// Whether loop `outer` continues loop `inner` in every operand: entry e of the merged loop is
/// (e / inner.extent, e % inner.extent).
constexpr bool continues(const step_loop& outer, const step_loop& inner) {
  for (index step_loop::*of : {&step_loop::a, &step_loop::b, &step_loop::c}) {
    index next = 0;
    if (inner.*of == dyn || __builtin_mul_overflow(inner.*of, inner.extent, &next) ||
        outer.*of != next)
      return false;
  }
  return true;
}

/// A loop over slabs: some steps in a row run for one value of a label that each of their results
/// and whatever carries the lanes has, then for the next. What one of them leaves for another, and
/// nothing else reads, is as large as a slab and stays in L1.
struct slab_loop {
  int steps = 0;    ///< in the first of the steps: how many there are
  index count = 1;  ///< of slabs

  friend constexpr bool operator==(const slab_loop&, const slab_loop&) = default;
};

/// One loop nest: for outer..., tiles of (m, n), accumulate over (k_outer..., k).
///   contract: m moves A and C; n moves B and C (and A when `a_varies`); k moves A and B.
///   contract in a sandwich: m is the axis. It moves A of the first step, all three of the products
///   behind it, A and C of the last; n and the outer loops, the columns, are the same in all.
///   halve: m and k move A and C.
///   pack, unpack: n is the run along x.
///   blocked: no m, n and k, but four groups in the list of loops, see first_loop: the outer loops
///   are the batch and move all three, rows move A and C, columns B and C, contracted ones A and B.
///   pointwise: the outer loops, m and n move all three; C is nearest along n, A along m, or B
///   where A is not nearer along m than along n; without m where neither is. reduce: the outer
///   loops move all three, m moves A and C; k and the outer contracted loops move A and B, k by one
///   entry. Whole steps read A and B of any scalar that widens to that of the program, and
///   conjugated.
///
/// The halves of a matrix with A[M-1-m][K-1-k] = s A[m][k] are
///   E[m][k] = (A[m][k] + A[m][K-1-k]) / 2,  O[m][k] = (A[m][k] - A[m][K-1-k]) / 2,
/// k below K / 2, rounded up for E and down for O; m below M / 2, rounded up for E and down for O
/// where s = 1, the other way round where s = -1. Together they are as large as half of A, and lie
/// in opposite corners of a matrix of its size, such that the same corners of its transpose are
/// the halves of the transpose:
///   s = 1: E[m][k] at (m, k), O[m][k] at (M-1-m, K-1-k);  s = -1: at (M-1-m, k) and (m, K-1-k).
struct program_step {
  step_kind kind = step_kind::contract;
  epilogue finish = epilogue::overwrite;
  bool accumulates = false;  ///< C := C + ...
  int sign = 1;              ///< of what is computed: 1 or -1
  bool a_varies = false;     ///< A moves along n: an entry-wise product
  /// A is symmetric or antisymmetric under reflection and lies there in halves.
  reflection halves = reflection::none;
  operand_ref a, b, c;
  step_loop m, n, k;
  /// In the program's list of loops: first the outer ones, then the outer contracted ones; of a
  /// blocked step then the rows and the columns; of one that contracts, by a uniform A that stands
  /// still along the outer ones, loops of rows around m that register tiles take through tables.
  int first_loop = 0, outer_count = 0, k_outer_count = 0, row_count = 0, column_count = 0;
  blocking blocks{};  ///< blocked; of reduce the parts of a sum
  /// This step and those behind it, so many in all, are entry-wise products over one loop n and at
  /// most one around it, the same in all: they run together, entry by entry, and all of an entry is
  /// read before any of it is written, since results may lie where operands did.
  int together = 1;
  /// This step and those behind it, so many in all, run column by column:
  ///   Y[q][n] := sum_k A[q][k] B[k][n],
  ///   entry-wise products of Y[q][n] and others, of which one sum is X[q][n],
  ///   C[m][n] := sum_q A[m][q] X[q][n].
  /// Y and X stay in registers; of the products it holds what is said of those together.
  int sandwich = 1;
  slab_loop slabs{};  ///< that this step is in
  int origin = 0;     ///< the (last) step of the plan that this step computes; for explain

  friend constexpr bool operator==(const program_step&, const program_step&) = default;
};

/// The batched product that a step of this kind is, its tile loop being the batch. Operands may be
/// conjugated.
constexpr gemm_shape gemm_of(const program_step& step, scalar type) {
  const auto operand = [](const operand_ref& x, index row, index column) {
    matrix_batch m;
    m.row = row;
    m.column = column;
    m.shared = x.tile_stride[0] == 0;
    m.conjugated = x.conjugated;
    return m;
  };
  return {type,
          step.m.extent,
          step.n.extent,
          step.k.extent,
          operand(step.a, step.m.a, step.k.a),
          operand(step.b, step.k.b, step.n.b),
          operand(step.c, step.m.c, step.n.c)};
}

/// Whether a step sums over anything.
constexpr bool sums(const program_step& step) {
  return step.k.extent != 1 || step.k_outer_count > 0;
}

/// Whether a step multiplies one row of an A that is the same for all lanes, as a vector from the
/// left does.
constexpr bool is_row(const program_step& step) {
  return step.b.where != buffer::none && step.a.how == lane_access::uniform && !step.a_varies &&
         step.m.extent == 1;
}

/// One tile loop. `extent` is `dyn` in a program made at compile time for a run-time extent; the
/// launcher then reads entry `slot` of its table of extents.
struct tile_loop {
  index extent = 1;
  int slot = 0;

  friend constexpr bool operator==(const tile_loop&, const tile_loop&) = default;
};

/// One loop over tiles. Several phases may share the lane loop of n values among them: one takes
/// the full tiles of several vectors, one the full vectors that remain, one the rest. A phase
/// covers
///   [begin, end),   begin = skip_span ? n - n % skip_span : 0,
///   end = partial ? n : begin + (n - begin) rounded down to whole tiles of width * vectors,
/// or, if it `overlaps`, the one tile that ends with n and computes some values a second time.
struct program_phase {
  int first_step = 0, step_count = 0;
  int tile_count = 0;
  std::array<tile_loop, max_tile_loops> tiles{};  ///< outermost first
  tile_loop lane{};
  int width = 1;              ///< SIMD lanes; 1: no lane loop
  int vectors = 1;            ///< SIMD vectors per tile along the lane loop
  int skip_span = 0;          ///< tile size of the phase that covered what comes before
  bool partial = false;       ///< the last tile may be partial: pack and unpack see to it
  bool overlaps = false;      ///< one tile, drawn back to end with the lane loop
  index scratch_entries = 0;  ///< scalars of scratch per thread
  double tile_flops = 0;      ///< work of one tile: what a task should not fall below
  /// Adds through a map: tiles, in the order of the outermost loop, run as the order of the call
  /// says.
  bool scatters = false;

  friend constexpr bool operator==(const program_phase&, const program_phase&) = default;
};

/// Whether a phase, one of those from `first` on, adds through a map and none before it does.
constexpr bool is_first_to_scatter(const program_phase* first, const program_phase& phase) {
  while (first != &phase && !first->scatters) ++first;
  return first == &phase && phase.scatters;
}

template <int MaxPhases, int MaxSteps, int MaxLoops>
struct program {
  static constexpr int max_phases = MaxPhases, max_steps = MaxSteps, max_loops = MaxLoops;

  bool feasible =
      true;  ///< false: an extent that is not known yet must be known (plan at run time)
  bool unrolled = false;  ///< so little work that every loop is unrolled and nothing is dispatched
  scalar type = scalar::f64;
  int phase_count = 0, step_count = 0, loop_count = 0;
  std::array<program_phase, MaxPhases> phases{};
  std::array<program_step, MaxSteps> steps{};
  std::array<step_loop, MaxLoops> loops{};
  index workspace_entries = 0;

  friend constexpr bool operator==(const program&, const program&) = default;
};

/// The same program with room for nothing else.
template <int Phases, int Steps, int Loops, class Program>
constexpr program<Phases, Steps, Loops> without_room(const Program& from) {
  program<Phases, Steps, Loops> to;
  to.feasible = from.feasible;
  to.unrolled = from.unrolled;
  to.type = from.type;
  to.phase_count = from.phase_count;
  to.step_count = from.step_count;
  to.loop_count = from.loop_count;
  for (std::size_t i = 0; i < Phases; ++i) to.phases[i] = from.phases[i];
  for (std::size_t i = 0; i < Steps; ++i) to.steps[i] = from.steps[i];
  for (std::size_t i = 0; i < Loops; ++i) to.loops[i] = from.loops[i];
  to.workspace_entries = from.workspace_entries;
  return to;
}

/// A program of any size, as the run-time backends take it.
struct program_view {
  scalar type = scalar::f64;
  const program_phase* phases = nullptr;
  const program_step* steps = nullptr;
  const step_loop* loops = nullptr;
  int phase_count = 0;
  index workspace_entries = 0;

  constexpr program_view() = default;
  template <int P, int S, int L>
  constexpr program_view(const program<P, S, L>& p)
      : type(p.type),
        phases(p.phases.data()),
        steps(p.steps.data()),
        loops(p.loops.data()),
        phase_count(p.phase_count),
        workspace_entries(p.workspace_entries) {}
};

/// Memory that one run uses: what crosses phases, and the scratch of one thread.
constexpr index memory_bytes(const program_view& p) {
  index scratch = 0;
  for (int f = 0; f < p.phase_count; ++f) {
    if (p.phases[f].scratch_entries > scratch) scratch = p.phases[f].scratch_entries;
  }
  return (scratch + p.workspace_entries) * static_cast<index>(bytes_of(p.type));
}

}  // namespace tenfold
