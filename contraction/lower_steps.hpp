#pragma once

#include <tenfold/contraction/fold.hpp>
#include <tenfold/contraction/tile_values.hpp>

/// Steps of the plan -> steps of the program within a tile, one by one, in units, in slabs.
namespace tenfold {

template <limits L, class Program>
class step_lowering : protected tile_values<L, Program> {
  using base = tile_values<L, Program>;

 protected:
  using base::append, base::axis_matrix, base::end_of_sum, base::inner, base::labels_of,
      base::last_use, base::leave, base::matrix_in_halves, base::move_by_slabs, base::operand,
      base::order_of, base::release, base::release_operand, base::renamed, base::result,
      base::reuse_operand, base::set_loops, base::sibling_stride, base::symmetry_of_step,
      base::under_name, base::without_renaming;
  using base::base;
  using base::caps_, base::copies_, base::halves_, base::kept_, base::kept_count_, base::n_,
      base::out_, base::plan_, base::points_, base::problem_, base::runs_together_, base::slabs_,
      base::units_, base::waiting_, base::waiting_count_;
  using typename base::place;
  using typename base::sandwich;
  using typename base::slab_run;

  /// Emits the unit that begins with step s; returns the step behind it.
  constexpr int emit_unit(const phase_shape& shape, int s, place* results, index& peak) {
    if (!contains(shape.members, s)) return s + 1;
    const auto& [last, as] = units_[s];
    if (as.products > 0) {
      emit_sandwich(shape, s, as, results, peak);
    } else if (last > s) {
      emit_together(shape, s, last - s + 1, results, peak);
    } else {
      emit_contract(shape, s, results, peak);
    }
    return last + 1;
  }

  constexpr void emit_slabs(const phase_shape& shape, int s, const slab_run& run, place* results,
                            index& peak) {
    // What is packed is packed whole, before the first slab.
    for (int t = s; t <= run.last; ++t) {
      if (!contains(shape.members, t)) continue;
      for (const int v : {plan_.steps[t].a, plan_.steps[t].b}) {
        if (v >= 0 && v < n_) operand(shape, v, results, peak, t);
      }
    }
    const int first = out_.step_count;
    slabs_ = run;
    for (int t = s; t <= run.last && out_.feasible;) {
      phase_shape one = shape;
      one.slab = run.label[t];
      t = emit_unit(one, t, results, peak);
    }
    slabs_ = {};
    if (!out_.feasible) return;
    const auto loop = [&](int t) -> slab_loop& {
      return out_.steps[static_cast<std::size_t>(t)].slabs;
    };
    loop(first).steps = out_.step_count - first;
    for (int t = first; t < out_.step_count; ++t) loop(t).count = problem_.extent[run.label[s]];
    for (int r = 0; r < waiting_count_; ++r) release(waiting_[r]);
    waiting_count_ = 0;
    if (run.last == shape.root && results[shape.root].ref.where == buffer::scratch)
      leave(shape, shape.root, results[shape.root]);
  }

 private:
  constexpr void emit_contract(const phase_shape& shape, int s, place* results, index& peak) {
    const plan_step<L>& ps = plan_.steps[s];
    // By convention B carries the lanes; where both or none do, B is the one with more columns.
    // A step with one operand calls it A.
    const bool turned = ps.b >= 0 && carries_lanes(shape, ps.a, ps.b);
    const int va = turned ? ps.b : ps.a, vb = turned ? ps.a : ps.b;
    const int in_halves = matrix_in_halves(shape, s);
    place a = in_halves >= 0 ? halves_[va] : operand(shape, va, results, peak, s);
    if (ps.renames) {
      a = renamed(a, order_of(va), ps.order);
      // In scratch it is the same memory.
      if (s != shape.root && without_renaming(shape, n_ + s) != n_ + s) {
        results[s] = a;
        return;
      }
    }
    place b;
    if (vb >= 0) b = operand(shape, vb, results, peak, s);
    // A conversion alone is done by packing, unless others read what is packed.
    if (vb < 0 && a.packed && ps.contracted == 0 && ps.c < 0 && ps.sign == 1 &&
        end_of_sum(s) == s && s != shape.root &&
        (va >= n_ || last_use(shape, without_renaming(shape, va)) <= s)) {
      a.ref.value = n_ + s;
      results[s] = a;
      if (va < n_) copies_[without_renaming(shape, va)] = {};
      return;
    }
    const place c = result(shape, s, results, peak);
    if (!out_.feasible) return;
    if (shape.width == 1) a.ref.how = lane_access::uniform;

    auto& step = append(step_kind::contract, s);
    step.a = a.ref;
    step.b = b.ref;
    step.c = c.ref;
    step.a.value = va;  // explain tells what is read, not what that is a name of
    step.b.value = vb;
    move_by_slabs(shape, step.a, a);
    move_by_slabs(shape, step.b, b);
    move_by_slabs(shape, step.c, c);
    if (in_halves >= 0) step.halves = problem_.inputs[va].symmetry;
    contract_loops loops = loops_of(shape, ps, va, vb, a, b, c);
    take_register_loops(shape, step, loops);
    set_outer_loops(shape, step, loops);
    release_operand(shape, s, va, a);
    if (vb >= 0) release_operand(shape, s, vb, b);
    finish(shape, s, step, c, results);
  }

  /// The loops of a contraction by who knows them: A and C are rows, B and C columns, all three
  /// shared, A and B sums, which stand there once more as a sibling sees them.
  struct contract_loops {
    step_loop rows[L.labels + 1] = {}, columns[L.labels + 1] = {}, shared[L.labels + 1] = {},
                              sums[2 * (L.labels + 1)] = {};
    int row_count = 0, column_count = 0, shared_count = 0, sum_count = 0;
  };

  /// Those of step `ps`, which reads the values va and vb (-1: none) in the places a and b, folded.
  /// Where steps run entry by entry all are shared.
  constexpr contract_loops loops_of(const phase_shape& shape, const plan_step<L>& ps, int va,
                                    int vb, const place& a, const place& b, const place& c) const {
    contract_loops x;
    const label_set la = ps.renames ? ps.order.set() : labels_of(va);
    const label_set lb = vb >= 0 ? labels_of(vb) : 0;
    for (int i = 0; i < ps.order.count; ++i) {
      const int l = ps.order[i];
      if (!inner(shape, l)) continue;
      const step_loop loop{problem_.extent[l], a.stride[l], b.stride[l], c.stride[l]};
      if (runs_together_) {
        x.shared[x.shared_count++] = loop;
      } else if (contains(la & ~lb, l)) {
        x.rows[x.row_count++] = loop;
      } else if (contains(lb & ~la, l)) {
        x.columns[x.column_count++] = loop;
      } else {
        x.shared[x.shared_count++] = loop;
      }
    }
    if (shape.vectors > 1) {
      const index w = shape.width;
      if (a.ref.how == lane_access::uniform) {
        x.columns[x.column_count++] = {shape.vectors, 0, w, w};
      } else {
        (vb < 0 ? x.rows[x.row_count++] : x.shared[x.shared_count++]) = {shape.vectors, w, w, w};
      }
    }
    for (const bool second : {false, true}) {  // both may be one value: a square
      const int v = second ? vb : va;
      for (int i = 0; v >= 0 && i < order_of(v).count; ++i) {
        const int l = order_of(v)[i];
        if (!contains(ps.contracted, l) || (second && contains(la, l))) continue;
        x.sums[x.sum_count] = {problem_.extent[l], a.stride[l], b.stride[l]};
        x.sums[L.labels + 1 + x.sum_count++] = {problem_.extent[l], sibling_stride(shape, va, a, l),
                                                sibling_stride(shape, vb, b, l)};
      }
    }
    x.row_count = fold(x.rows, x.row_count);
    x.column_count = fold(x.columns, x.column_count);
    x.shared_count = fold(x.shared, x.shared_count);
    x.sum_count = fold(x.sums, x.sum_count, 2, L.labels + 1);
    return x;
  }

  /// Moves the loops that a register tile runs, m, n and k, from `x` to the step.
  constexpr void take_register_loops(const phase_shape& shape, program_step& step,
                                     contract_loops& x) const {
    const bool has_b = step.b.where != buffer::none;
    // Sums that go on along another loop than the vectors read lines in parts, several times.
    const bool goes_near = shape.vectors > 1 && x.sum_count > 0;
    const auto near = [&](step_loop* loops, int& count) {
      return goes_near ? take_nearest(loops, count, &step_loop::a) : take_longest(loops, count);
    };
    if (!has_b && x.row_count > 0) {
      step.n = near(x.rows, x.row_count);
      step.a_varies = true;
    } else if (x.column_count > 0) {
      step.n = shape.vectors > 1 ? take_nearest(x.columns, x.column_count, &step_loop::b)
               : out_.unrolled   ? take_neighbours(x.columns, x.column_count)
                                 : take_longest(x.columns, x.column_count);
    } else if (x.shared_count > 0 && x.row_count == 0) {
      step.n = near(x.shared, x.shared_count);
      step.a_varies = true;
    }
    if (has_b && x.row_count > 0) step.m = take_longest(x.rows, x.row_count);
    if (x.sum_count > 0) step.k = take_longest(x.sums, x.sum_count);
  }

  /// The loops that are left run around register tiles, but for rows that tiles take through
  /// tables.
  constexpr void set_outer_loops(const phase_shape& shape, program_step& step, contract_loops& x) {
    index vectors = step.n.extent;
    for (int i = 0; i < x.column_count; ++i) vectors *= x.columns[i].extent;
    const bool listed = x.shared_count == 0 &&
                        lists_rows(shape, step, x.rows, x.row_count, x.sums, x.sum_count, vectors);
    step_loop outer[L.labels + 1] = {};
    int outer_count = 0;
    for (int i = 0; i < x.shared_count; ++i) outer[outer_count++] = x.shared[i];
    for (int i = 0; i < x.row_count && !listed; ++i) outer[outer_count++] = x.rows[i];
    for (int i = 0; i < x.column_count; ++i) outer[outer_count++] = x.columns[i];
    set_loops(step, outer, outer_count, x.sums, x.sum_count);
    if (listed) {
      step.row_count = x.row_count;
      base::add_loops(x.rows, x.row_count);
    }
  }

  /// Whether register tiles of a step, for all of whose columns A is the same, take its rows, m and
  /// these loops, through tables.
  constexpr bool lists_rows(const phase_shape& shape, const program_step& step,
                            const step_loop* rows, int row_count, const step_loop* sums,
                            int sum_count, index vectors) const {
    if (caps_.compiled || is_complex(problem_.type) || shape.width == 1 || row_count == 0 ||
        step.a.how != lane_access::uniform || step.b.where == buffer::none ||
        step.halves != reflection::none)
      return false;
    index m = step.m.extent, k = step.k.extent;
    for (int i = 0; i < row_count; ++i) m *= rows[i].extent;
    for (int i = 0; i < sum_count; ++i) k *= sums[i].extent;
    return select::lists_rows(m, k, vectors);
  }

  /// Whether a, not b, carries the lanes; without lanes, what neighbours in the result come from;
  /// or has more columns.
  constexpr bool carries_lanes(const phase_shape& shape, int a, int b) const {
    const label_set la = labels_of(a), lb = labels_of(b);
    const bool lanes_a = shape.lane >= 0 && contains(la, shape.lane);
    const bool lanes_b = shape.lane >= 0 && contains(lb, shape.lane);
    if (lanes_a != lanes_b) return lanes_a;
    const int unit = out_.unrolled ? base::unit_label(n_ + shape.root) : -1;
    if (unit >= 0 && contains(la, unit) != contains(lb, unit)) return contains(la, unit);
    return points_(la & ~lb) > points_(lb & ~la);
  }

  /// The steps as they are alone, packing first. Where they run together, results take the places
  /// of operands that nothing reads any more: all of an entry is read before any of it is written,
  /// and what is written is in L1.
  constexpr void emit_together(const phase_shape& shape, int s, int count, place* results,
                               index& peak) {
    for (int t = s; t < s + count; ++t) {
      for (const int v : {plan_.steps[t].a, plan_.steps[t].b}) operand(shape, v, results, peak, t);
    }
    runs_together_ = true;
    kept_count_ = 0;
    const int first = out_.step_count;
    for (int t = s; t < s + count && out_.feasible; ++t) emit_contract(shape, t, results, peak);
    runs_together_ = false;
    if (!out_.feasible) return;
    const auto step = [&](int i) -> program_step& {
      return out_.steps[static_cast<std::size_t>(i)];
    };
    const auto around = [&](int i) {
      return step(i).outer_count == 0 ? step_loop{}
                                      : out_.loops[static_cast<std::size_t>(step(i).first_loop)];
    };
    bool alike = out_.step_count == first + count;
    for (int i = first; i < out_.step_count; ++i) {
      alike = alike && step(i).outer_count <= 1 && step(i).n.extent == step(first).n.extent &&
              step(i).n.c == step(first).n.c && around(i).extent == around(first).extent &&
              around(i).c == around(first).c && step(i).a_varies &&
              step(i).a.how == lane_access::lanes && step(i).b.how == lane_access::lanes &&
              step(i).c.where == buffer::scratch;
    }
    if (alike) {
      step(first).together = count;
      for (int t = s; t < s + count; ++t) reuse_operand(shape, s, t, first, results);
    }
    for (int r = 0; r < kept_count_; ++r) release(kept_[r].region);
  }

  constexpr void emit_sandwich(const phase_shape& shape, int s, const sandwich& w, place* results,
                               index& peak) {
    // The first step, the products and the last step, and where what they read and leave lies. A is
    // a matrix, or of a product what does not come from the registers.
    struct part {
      int step = 0, value_a = 0, value_b = 0;
      place a, b, c;
    };
    constexpr int most = select::most_together + 2;
    part parts[most];
    const int last = w.products + 1;
    phase_shape behind = shape;
    if (slabs_.last >= 0) behind.slab = slabs_.label[w.back];
    const reflection halves = symmetry_of_step(shape, s);
    for (int i = 0; i <= last; ++i) {
      part& x = parts[i];
      x.step = i < last ? s + i : w.back;
      const phase_shape& in = i < last ? shape : behind;
      const plan_step<L>& ps = plan_.steps[x.step];
      const bool is_product = i > 0 && i < last;
      int k = 0, q = 0;
      const int matrix = is_product ? -1 : axis_matrix(in, x.step, k, q);
      const bool turned = is_product ? ps.a == n_ + s : ps.b == matrix;
      x.value_a = turned ? ps.b : ps.a;
      x.value_b = turned ? ps.a : ps.b;
      x.a = !is_product && halves != reflection::none
                ? halves_[matrix]
                : operand(in, x.value_a, results, peak, x.step);
      x.b = i < last ? operand(in, x.value_b, results, peak, x.step) : results[w.sum];
      if (i < last && ps.c < 0 && (i == 0 || end_of_sum(x.step) == w.sum)) {
        x.c.ref.where = buffer::registers;
        x.c.ref.how = lane_access::lanes;
        x.c.ref.type = problem_.type;
        x.c.ref.value = n_ + x.step;
      } else {
        x.c = i < last ? result(in, x.step, results, peak)
                       : result(in, x.step, results, peak,
                                line_by_line(shape, s, w, parts[0].b, parts[0].value_b));
      }
      results[x.step] = x.c;
    }
    if (!out_.feasible) return;
    const bool takes_columns = parts[0].b.region >= 0 && parts[0].b.region == parts[last].c.region;

    const auto back_name = [&](int l) { return under_name(n_ + w.sum, parts[last].value_b, l); };
    // [step][loop]
    step_loop columns[most * L.labels] = {};
    int count = 0;
    const auto& order = plan_.steps[s].order;
    for (int j = 0; j < order.count; ++j) {
      const int l = order[j];
      if (l == w.q || !inner(shape, l)) continue;
      for (int i = 0; i < last; ++i) {
        const part& x = parts[i];
        columns[i * L.labels + count] = {problem_.extent[l], x.a.stride[l], x.b.stride[l],
                                         x.c.stride[l]};
      }
      columns[last * L.labels + count] = {problem_.extent[l], 0, 0,
                                          parts[last].c.stride[back_name(l)]};
      ++count;
    }
    count = fold(columns, count, last + 1, L.labels);
    const int first = out_.step_count;
    for (int i = 0; i <= last; ++i) {
      const part& x = parts[i];
      auto& step = append(step_kind::contract, x.step);
      step.a = x.a.ref;
      step.b = x.b.ref;
      step.c = x.c.ref;
      step.a.value = x.value_a;
      step.b.value = x.value_b;
      move_by_slabs(i < last ? shape : behind, step.a, x.a);
      move_by_slabs(shape, step.b, x.b);
      move_by_slabs(i < last ? shape : behind, step.c, x.c);
      const index points = problem_.extent[w.q];
      if (i == 0) {
        step.m = {points, x.a.stride[w.q], 0, 0};
        step.k = {problem_.extent[w.k], x.a.stride[w.k], x.b.stride[w.k], 0};
        step.halves = halves;
      } else if (i < last) {
        step.m = {points, x.a.stride[w.q], x.b.stride[w.q], x.c.stride[w.q]};
        step.a_varies = true;
      } else {
        step.m = {problem_.extent[w.m], x.a.stride[w.m], 0, x.c.stride[w.m]};
        step.k = {points, x.a.stride[back_name(w.q)], 0, 0};
        step.halves = halves;
      }
      int outer = count;
      step_loop* const loops = columns + i * L.labels;
      if (outer > 0) step.n = take_longest(loops, outer);
      set_loops(step, loops, outer, nullptr, 0);
      if (i < last) finish(shape, x.step, step, x.c, results);
    }
    if (!out_.feasible) return;
    program_step& begin = out_.steps[static_cast<std::size_t>(first)];
    begin.sandwich = last + 1;
    // Columns are read before they are written.
    runs_together_ = true;
    kept_count_ = 0;
    for (int i = 1; i < last; ++i) {
      release_operand(shape, parts[i].step, parts[i].value_a, parts[i].a);
      release_operand(shape, parts[i].step, parts[i].value_b, parts[i].b);
    }
    runs_together_ = false;
    for (int i = 1; i < last; ++i) reuse_operand(shape, s + 1, parts[i].step, first, results);
    for (int r = 0; r < kept_count_; ++r) release(kept_[r].region);
    if (!takes_columns) release_operand(shape, s, parts[0].value_b, parts[0].b);
    for (int t = s + w.products + 1; t < w.back; ++t) emit_contract(shape, t, results, peak);
    finish(behind, w.back, out_.steps[static_cast<std::size_t>(first + last)], parts[last].c,
           results);
  }

  /// What the columns of a sandwich that begins with step s are read from, `read`, where `value`
  /// lies (a sum's place knows only its first term), if they may be written there: nothing behind
  /// it reads them, and column by column they are read before. Its strides go by the labels of the
  /// result. Otherwise no place.
  constexpr place line_by_line(const phase_shape& shape, int s, const sandwich& w,
                               const place& read, int value) const {
    if (read.region < 0 || read.packed || last_use(shape, without_renaming(shape, value)) > s ||
        !base::is_cut_alike(shape, value) || problem_.extent[w.k] != problem_.extent[w.m])
      return {};
    const plan_step<L>& back = plan_.steps[w.back];
    const int sum = back.a >= n_ && without_renaming(shape, back.a) == n_ + w.sum ? back.a : back.b;
    place over = read;
    for (index& stride : over.stride) stride = 0;
    for (int i = 0; i < plan_.steps[s].order.count; ++i) {
      const int l = plan_.steps[s].order[i];
      if (l != w.q) over.stride[under_name(n_ + w.sum, sum, l)] = read.stride[l];
    }
    over.stride[w.m] = read.stride[w.k];
    return over;
  }

  constexpr void finish(const phase_shape& shape, int s, program_step& step, const place& c,
                        place* results) {
    results[s] = c;
    step.sign = plan_.steps[s].sign;
    step.accumulates = plan_.steps[s].c >= 0;
    if (c.ref.where == buffer::output) step.finish = epilogue::update;
    if (s == shape.root && c.ref.where == buffer::scratch && slabs_.last < 0) leave(shape, s, c);
  }
};

}  // namespace tenfold
