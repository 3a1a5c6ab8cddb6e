#pragma once

#include <tenfold/backend/cpu/fetch.hpp>
#include <tenfold/backend/cpu/scratch.hpp>

/// Results of tiles on their way past the caches: a tile writes its own to scratch, and from there
/// whole lines go to memory. Stored in place, each line is read before it is written (mass operator
/// of the bench spine from memory, Zen 5, p = 2..8: interleaved 1.15 to 1.7 times the rate, element
/// after element 1.05 to 1.4).
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

/// The entries of the result that a tile writes, where they are whole lines of memory if the result
/// begins with one; 0: they are not, or what lies there is read.
struct result_piece {
  operand_ref ref{};
  index entries = 0;
};

template <class Program>
constexpr result_piece piece_of(const Program& p, const program_phase& phase) {
  result_piece piece;
  for (int i = phase.first_step; i < phase.first_step + phase.step_count; ++i) {
    const program_step& step = p.steps[static_cast<std::size_t>(i)];
    if (step.a.where == buffer::output || step.b.where == buffer::output) return {};
    if (step.c.where != buffer::output) continue;
    // No entry is written twice, so as many as lie between the first and the last are all of them.
    index entries = 1, reach = 1;
    bool fits = !step.c.mapped && step.c.type == p.type && !phase.overlaps;
    const auto run = [&](index extent, index stride) {
      entries *= stride != 0 ? extent : 1;
      reach += (extent - 1) * stride;
      fits = fits && stride >= 0;
    };
    const auto in_lines = [&](index distance) {
      fits = fits && distance * static_cast<index>(bytes_of(p.type)) % 64 == 0;
    };
    const index lanes_of_tile = index{phase.width} * phase.vectors;
    in_lines(step.c.offset);
    in_lines(lanes_of_tile * step.c.lane_stride);
    for (const index stride : step.c.tile_stride) in_lines(stride);
    run(lanes_of_tile, step.c.lane_stride);
    run(step.slabs.count, step.c.slab_stride);
    run(step.m.extent, step.m.c);
    run(step.n.extent, step.n.c);
    for (int l = 0; l < step.outer_count; ++l) {
      const step_loop& loop = p.loops[static_cast<std::size_t>(step.first_loop + l)];
      run(loop.extent, loop.c);
    }
    in_lines(entries);
    const bool is_first = piece.entries == 0;
    operand_ref whole = step.c;  // some steps may write it slab by slab, others at once
    whole.slab_stride = 0;
    if (!fits || entries != reach ||
        (is_first ? step.accumulates : !(whole == piece.ref) || entries != piece.entries))
      return {};
    piece = {whole, entries};
  }
  return piece;
}

/// Scratch for the pieces of two tiles: one is written while the other goes to memory.
template <class T>
class staged_result {
 public:
  /// `result` is null where nothing will be staged.
  staged_result(const result_piece& piece, T* result)
      : piece_(piece),
        result_(result),
        block_(result == nullptr ? 0 : 2 * static_cast<std::size_t>(piece.entries) * sizeof(T)) {}
  [[gnu::noinline]] ~staged_result() {
    if (result_ == nullptr) return;
    lines_.write_all();
    last_.write_all();
    streams_end();
  }

  /// Where the tile is to write its piece. What the tile before left goes to memory, at once or
  /// beside so many pieces of work, with what is fetched.
  [[gnu::noinline]] T* begin(const tile_position& at, line_fetcher& fetched, index pieces) {
    const index lines = piece_.entries * index{sizeof(T)} / 64;
    lines_.write_all();
    lines_ = last_;
    if (select::writes_beside(lines * 64, compiled_model))
      fetched.also_writes(&lines_, static_cast<int>((lines + pieces - 1) / pieces));
    else
      lines_.write_all();
    T* const staged = block_.template as<T>() + (is_second_ ? piece_.entries : 0);
    is_second_ = !is_second_;
    last_ = {reinterpret_cast<const double*>(staged),
             reinterpret_cast<double*>(result_ + distance(piece_.ref, at)), lines};
    return staged;
  }

 private:
  const result_piece& piece_;
  T* result_;
  scratch_block block_;
  bool is_second_ = false;
  staged_lines lines_, last_;  ///< on their way; what the tile at work leaves
};

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
