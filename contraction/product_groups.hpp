#pragma once

#include <numeric>
#include <tenfold/backend/interface/program.hpp>
#include <tenfold/backend/interface/select.hpp>
#include <tenfold/contraction/fold.hpp>
#include <utility>

/// The labels of a product of two tensors in groups, by the operands that share them, and the order
/// in which a product in blocks goes through each group.
namespace tenfold {

/// One group: loops, outermost first. Labels: how many there may be; one of them may be cut in two.
template <int Labels>
struct loop_group {
  int count = 0;
  step_loop loops[Labels + 1] = {};

  constexpr void add(const step_loop& loop) { loops[count++] = loop; }
  constexpr index extent() const {
    index all = 1;
    for (int i = 0; i < count; ++i) all *= loops[i].extent;
    return all;
  }
  static constexpr index length(index x) { return x < 0 ? -x : x; }

  /// The least distance in an operand; 0: it does not move.
  constexpr index nearest(index step_loop::*along) const {
    index least = 0;
    for (int i = 0; i < count; ++i) {
      const index here = loops[i].extent == 1 ? 0 : length(loops[i].*along);
      if (here != 0 && (least == 0 || here < least)) least = here;
    }
    return least;
  }

  /// The loop along which an operand is nearest, if it moves less along it than along another that
  /// is none of these; or -1.
  constexpr int nearer(index step_loop::*along, const step_loop& other) const {
    int best = -1;
    index least = length(other.*along);
    for (int i = 0; i < count; ++i) {
      const index here = length(loops[i].*along);
      if (here == 0 || here >= least) continue;
      best = i;
      least = here;
    }
    return best;
  }

  /// In the order of the distances in one operand, the nearest last, folded.
  constexpr void sort_by(index step_loop::*along) {
    for (int i = 1; i < count; ++i) {
      for (int at = i; at > 0 && length(loops[at].*along) > length(loops[at - 1].*along); --at)
        std::swap(loops[at], loops[at - 1]);
    }
    count = fold(loops, count);
  }

  /// Brings a loop to a later place.
  constexpr void move(int from, int to) {
    for (; from < to; ++from) std::swap(loops[from], loops[from + 1]);
  }
  /// Where entries of one operand are neighbours along the last loop and those of B along another:
  /// brings that one next to the last, so that some values of both meet in one block and a
  /// transposition in registers serves both. Before them comes the loop along which B goes on where
  /// its neighbours end: blocks meet memory in order (`edcba := sum_f afbce df`, 16 to 48 values a
  /// label, from memory, Zen 3: 1.05 to 1.3 times the rate). Whether it did so.
  constexpr bool bring_near(index step_loop::*one) {
    if (count < 2 || loops[count - 1].*one != 1) return false;
    int at = count - 1;
    while (at >= 0 && loops[at].b != 1) --at;
    if (at < 0 || at == count - 1) return false;
    const index goes_on = loops[at].extent;
    move(at, count - 2);
    for (int l = 0; l < count - 3; ++l)
      if (loops[l].b == goes_on) move(l, count - 3);
    return true;
  }
  /// Makes a loop the one over parts of so many values, and returns that over those of a part.
  constexpr step_loop cut(int at, index part) {
    step_loop within = loops[at];
    within.extent = part;
    loops[at].extent /= part;
    for (index step_loop::*x : {&step_loop::a, &step_loop::b, &step_loop::c}) loops[at].*x *= part;
    return within;
  }
  /// After it: equal parts of the last loop, of so many values or fewer, are gone through one by
  /// one, each with all neighbours of B.
  constexpr void cut_last(index most) {
    const index extent = loops[count - 1].extent;
    index part = most < extent ? most : extent;
    while (extent % part != 0) --part;
    if (part == extent) return;
    const step_loop within = cut(count - 1, part);
    move(count - 2, count - 1);
    add(within);
  }
  /// After it: takes so many values of the loop along which C goes on behind the last one as make
  /// it end with a line, between the neighbours of B and the last loop. Whether there are such.
  constexpr bool end_with_line(index line) {
    const index extent = loops[count - 1].extent, part = line / std::gcd(line, extent);
    for (int l = 0; l < count - 2 && part > 1; ++l) {
      if (loops[l].c != extent || loops[l].extent % part != 0 ||
          loops[l].b == loops[count - 2].extent)
        continue;
      const step_loop within = cut(l, part);
      if (loops[l].extent == 1) take(loops, count, l);
      add(within);
      std::swap(loops[count - 2], loops[count - 1]);
      return true;
    }
    return false;
  }
};

/// C(batch, rows, columns) := sum A(batch, rows, sums) B(batch, sums, columns).
template <int Labels>
struct product_groups {
  loop_group<Labels> batch, rows, columns, sums;
  /// Loops of columns behind the one along which B has neighbours; 0: there is no such loop, or it
  /// is the last.
  int behind_near = 0;
  index run = 0;  ///< see blocking::run

  /// Adds the loop of a label that A, B or both have.
  constexpr void add(bool contracted, bool in_a, bool in_b, const step_loop& loop) {
    (contracted ? sums : in_a == in_b ? batch : in_a ? rows : columns).add(loop);
  }
  constexpr void fold_each() {
    for (loop_group<Labels>* g : {&batch, &rows, &columns, &sums})
      g->count = fold(g->loops, g->count);
  }

  /// Lanes are columns, so the loop along which entries of C are neighbours ends that group; if it
  /// is one of the rows, A and B change places, which is returned. The other groups are in the
  /// order of the operand that they are packed from, so that packing runs along its memory; rows
  /// in that of C where C is much larger than A.
  constexpr bool arrange(scalar type, const capabilities& caps) {
    const index in_rows = rows.nearest(&step_loop::c), in_columns = columns.nearest(&step_loop::c);
    const bool turned = in_columns == 0 || (in_rows != 0 && in_rows < in_columns);
    if (turned) {
      std::swap(rows, columns);
      for (loop_group<Labels>* g : {&batch, &rows, &columns, &sums})
        for (int i = 0; i < g->count; ++i) std::swap(g->loops[i].a, g->loops[i].b);
    }
    batch.sort_by(&step_loop::c);
    rows.sort_by(select::writes_most(columns.extent(), sums.extent()) ? &step_loop::c
                                                                      : &step_loop::a);
    columns.sort_by(&step_loop::c);
    sums.sort_by(sums.nearest(&step_loop::a) == 1 ? &step_loop::a : &step_loop::b);
    if (sums.bring_near(&step_loop::a)) sums.cut_last(select::longest_cut);
    set_run(type, caps);
    return turned;
  }

  /// Whether some group is not one loop.
  constexpr bool is_scattered() const {
    for (loop_group<Labels> g : {rows, columns, sums}) {
      if (fold(g.loops, g.count) > 1) return true;
    }
    return false;
  }

  /// How many columns and contracted values of B are transposed together as it is packed: `lanes`
  /// values of the loop along which B has neighbours, for each of a run; `all_columns`: all its
  /// values; 0: none.
  constexpr select::transposed_runs transposed_together(index lanes) const {
    select::transposed_runs of{lanes * run, 0, 0};
    if (run > 0) of.all_columns = near().extent * run;
    if (has_near_before_last(sums)) of.sums = lanes * sums.loops[sums.count - 1].extent;
    return of;
  }
  /// Columns behind one value of the loop along which B has neighbours.
  constexpr index behind() const {
    index all = 1;
    for (int l = columns.count - behind_near; l < columns.count; ++l)
      all *= columns.loops[l].extent;
    return all;
  }

 private:
  constexpr const step_loop& near() const { return columns.loops[columns.count - behind_near - 1]; }
  static constexpr bool has_near_before_last(const loop_group<Labels>& g) {
    return g.count > 1 && g.loops[g.count - 2].b == 1 && g.loops[g.count - 1].b != 1;
  }

  constexpr void set_run(scalar type, const capabilities& caps) {
    const bool meet = columns.bring_near(&step_loop::c);
    if (!has_near_before_last(columns)) return;
    behind_near = 1;
    if (meet && columns.end_with_line(64 / static_cast<index>(bytes_of(type)))) behind_near = 2;
    const index k = sums.extent() < select::block_sums ? sums.extent() : select::block_sums;
    run = meet ? select::columns_of_run(behind(), near().extent, rows.extent(), k, type, caps)
               : behind();
  }
};

}  // namespace tenfold
