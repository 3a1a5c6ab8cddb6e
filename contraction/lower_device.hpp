#pragma once

#include <algorithm>
#include <tenfold/contraction/device_passes.hpp>
#include <tenfold/contraction/product_groups.hpp>
#include <vector>

/// plan -> device program.
///
/// Steps whose results carry the batch are one phase: blocks take elements of the batch through all
/// of them, and what one step leaves for the next lies in shared memory. Other steps are a phase
/// each, and what they leave lies in the workspace. Unlike `lower` this runs when the program runs:
/// on a device all text is compiled then.
namespace tenfold {

template <limits L>
class device_lowering : private device_passes<L> {
  using base = device_passes<L>;
  using base::arrange, base::extent, base::is_alias, base::is_brought, base::is_final,
      base::is_table, base::lay, base::lay_out, base::n_, base::neighbours, base::order_of,
      base::output, base::placed, base::plan_, base::points, base::problem_, base::read,
      base::result_labels, base::root, base::row_label, base::value, base::values_;
  using typename base::passed_step, typename base::placed_step, typename base::placed_value;

 public:
  device_lowering(const problem<L>& p, const contraction_plan<L>& plan,
                  const device_source* sources, const device_source& to,
                  const device_capabilities& d)
      : base(p, plan, sources, to), device_(d) {
    out_.type = p.type;
  }

  device_program run() {
    values_.resize(static_cast<std::size_t>(n_ + plan_.step_count));
    choose_batch();
    for (int s = 0; s < plan_.step_count; ++s) {
      value(n_ + s) = place_of_result(s);
      if (is_alias(s)) continue;
      if (contains(fused_, s)) continue;
      if (emit_product(s) || emit_shared_sums(s) || emit_turned(s)) continue;
      device_phase phase;
      phase.plan_steps = bit(s);
      set_batch(phase, outermost(s));
      emit(phase, s);
      add(std::move(phase));
    }
    if (fused_ != 0) emit_fused();
    return std::move(out_);
  }

 private:
  placed_value place_of_result(int s) {
    if (is_final(s)) return output();
    if (is_alias(s)) return read(s);
    if (contains(fused_, s)) return in_shared_memory(s, fused_batch_);  // emit_fused will say where
    auto [p, entries] = lay(plan_.steps[s].order, 0, device_memory::global);
    p.whose = device_buffer::workspace;
    p.offset = out_.workspace_entries;
    out_.workspace_entries += entries;
    return p;
  }

  placed_value in_shared_memory(int s, label_set batch) const {
    return lay(plan_.steps[s].order, batch, device_memory::element).place;
  }

  // --- what is fused ---

  /// Whether no step sums over a label, fixes it, or calls it by another name.
  bool stays(int label) const {
    for (int s = 0; s < plan_.step_count; ++s) {
      const plan_step<L>& step = plan_.steps[s];
      if (contains(step.contracted, label) || step.fixed_label == label) return false;
      if (!step.renames) continue;
      const auto& was = order_of(step.a);
      for (int i = 0; i < was.count; ++i) {
        if ((was[i] == label) != (step.order[i] == label)) return false;
      }
    }
    return true;
  }
  label_set steps_that_carry(int label) const {
    label_set steps = 0;
    for (int s = 0; s < plan_.step_count; ++s) {
      if (contains(result_labels(s), label)) steps |= bit(s);
    }
    return steps;
  }
  int steps_in(label_set set) const {
    int n = 0;
    for (int s = 0; s < plan_.step_count; ++s) n += contains(set, s) && !is_alias(s);
    return n;
  }

  /// Finds the labels that most steps carry to the result, and fuses those steps if what they leave
  /// for each other fits into shared memory.
  void choose_batch() {
    const auto& order = plan_.steps[root()].order;
    int best = -1;
    for (int i = 0; i < order.count; ++i) {
      const int l = order[i];
      if (problem_.batch >= 0 ? l != problem_.batch : !stays(l)) continue;
      if (best < 0 || steps_in(steps_that_carry(l)) > steps_in(steps_that_carry(best))) best = l;
    }
    if (best < 0 || steps_in(steps_that_carry(best)) < 2) return;
    const label_set fused = steps_that_carry(best);
    label_set batch = bit(best);
    int loops = 1;
    const auto fits = [&] {
      for (int s = 0; s < plan_.step_count; ++s)
        value(n_ + s) = is_final(s) ? output() : is_alias(s) ? read(s) : in_shared_memory(s, batch);
      return lay_out(arrange(fused, batch), batch, 0, [](int, index) {}) <= room();
    };
    const auto fills = [&] {
      const index elements = points(batch);
      return elements >= select::device_elements_wanted(device_) ||
             plan_.flops <= select::device_idle_flops * static_cast<double>(elements);
    };
    for (int i = 0; i < order.count && (!fits() || !fills()) && loops < max_batch_loops; ++i) {
      const int l = order[i];
      if (contains(batch, l) || !stays(l) || steps_that_carry(l) != fused) continue;
      batch |= bit(l);
      ++loops;
    }
    if (!fits() || (!fills() && problem_.batch < 0)) return;
    fused_ = fused;
    fused_batch_ = batch;
  }
  index room() const {
    return device_.shared_bytes_block / static_cast<index>(bytes_of(problem_.type));
  }

  // --- phases ---

  void add(device_phase&& phase) {
    select::device_cut_phase(phase, problem_.type, device_);
    out_.phases.push_back(std::move(phase));
  }

  /// Elements of the phase are the values of these labels.
  void set_batch(device_phase& phase, label_set labels) {
    batch_ = labels;
    std::vector<int> loops;
    for (int l = 0; l < problem_.label_count; ++l) {
      if (contains(labels, l)) loops.push_back(l);
    }
    const placed_value to = output();
    std::stable_sort(loops.begin(), loops.end(), [&](int x, int y) {
      return select::magnitude(to.stride[x]) > select::magnitude(to.stride[y]);
    });
    batch_order_ = loops;
    phase.batch_loops = static_cast<int>(loops.size());
    for (std::size_t i = 0; i < loops.size(); ++i) phase.extents[i] = extent(loops[i]);
  }

  /// The label of a single step that counts its elements, so that another extent of it needs no
  /// other text: the leading one, where others are left for rows and for neighbours in memory.
  label_set outermost(int s) const {
    const auto& order = plan_.steps[s].order;
    return order.count > 2 ? bit(order[0]) : 0;
  }

  /// A phase for step s, if it is one product of matrices, or a batch of them.
  bool emit_product(int s) {
    const plan_step<L>& step = plan_.steps[s];
    if (step.b < 0 || step.c >= 0 || step.sign != 1 || step.contracted == 0) return false;
    const placed_value a = read(s), b = value(step.b), c = value(n_ + s);
    for (const placed_value* x : {&a, &b, &c}) {
      if (x->mapped || x->type != problem_.type) return false;
    }
    product_groups<L.labels> groups;
    for (int l = 0; l < problem_.label_count; ++l) {
      if (!contains(step.labels, l)) continue;
      const step_loop loop{extent(l), a.stride[l], b.stride[l], c.stride[l]};
      if (contains(step.contracted, l)) {
        groups.sums.add(loop);
      } else {
        const bool in_a = contains(a.labels, l), in_b = contains(b.labels, l);
        (in_a && in_b ? groups.batch : in_a ? groups.rows : groups.columns).add(loop);
      }
    }
    for (auto* g : {&groups.batch, &groups.rows, &groups.columns, &groups.sums})
      g->count = fold(g->loops, g->count);
    if (groups.batch.count == 0) {
      for (auto* g : {&groups.rows, &groups.columns}) {
        if (g->count == 2 && groups.batch.count == 0)
          groups.batch.add(take_farthest(g->loops, g->count));
      }
    }
    const auto only = [](const auto& g) { return g.count == 0 ? step_loop{} : g.loops[0]; };
    if (groups.batch.count > 1 || groups.rows.count > 1 || groups.columns.count > 1 ||
        groups.sums.count != 1 || groups.rows.count + groups.columns.count == 0)
      return false;
    const step_loop m = only(groups.rows), n = only(groups.columns), k = only(groups.sums),
                    t = only(groups.batch);
    const auto matrix = [&](const placed_value& x, index row, index column, index problem) {
      matrix_batch made;
      made.row = row;
      made.column = column;
      made.shared = problem == 0;
      made.conjugated = x.conjugated;
      return made;
    };
    phase_product product;
    product.shape = {problem_.type,
                     m.extent,
                     n.extent,
                     k.extent,
                     matrix(a, m.a, k.a, t.a),
                     matrix(b, k.b, n.b, t.b),
                     matrix(c, m.c, n.c, t.c)};
    product.shape.c.shared = false;
    const index lines = m.extent * n.extent * t.extent;
    const bool is_vector = m.extent == 1 || n.extent == 1;
    if (select::device_shares_product(lines, k.extent) ||
        (is_vector && select::device_shares_sums(lines, k.extent, sums_neighbours(s), device_)) ||
        !select::device_product(product.shape, device_).possible)
      return false;
    product.problem_a = t.a;
    product.problem_b = t.b;
    product.problem_c = t.c;
    product.count = t.extent;
    product.finishes = is_final(s);
    device_phase phase;
    phase.plan_steps = bit(s);
    set_batch(phase, 0);
    product.a = operand(phase, a).place;
    product.b = operand(phase, b).place;
    product.c = operand(phase, c).place;
    phase.product = product;
    add(std::move(phase));
    return true;
  }

  /// A phase for step s, if its sums are so long and so few that warps share them: the threads of a
  /// warp one sum, or a part of it; or each thread a part, where neighbours in memory are terms of
  /// different sums. Parts wait in the workspace for a second phase that adds them up.
  bool emit_shared_sums(int s) {
    const plan_step<L>& said = plan_.steps[s];
    const index lines = points(result_labels(s)), terms = points(said.contracted);
    const bool by_warps = sums_neighbours(s);
    if (!select::device_shares_sums(lines, terms, by_warps, device_)) return false;
    device_phase phase;
    phase.plan_steps = bit(s);
    set_batch(phase, 0);
    emit(phase, s, false);
    device_step& step = phase.steps[0];
    if (by_warps) step.lanes = device_.warp;
    device_loop* const line_loops = phase.loops.data() + step.first_loop;
    device_loop* const sums = line_loops + step.line_loops;
    // The threads of a warp go along neighbours, or along the longest loop if those are few.
    if (by_warps && sums[step.sum_loops - 1].extent < device_.warp) {
      device_loop* const longest =
          std::max_element(sums, sums + step.sum_loops,
                           [](const auto& x, const auto& y) { return x.extent < y.extent; });
      std::swap(*longest, sums[step.sum_loops - 1]);
    }
    const auto longest = static_cast<index>(sums[0].extent);
    const index parts =
        std::min(select::device_sum_parts(lines, terms, step.lanes, device_), longest);
    if (parts < 2) {
      add(std::move(phase));
      return true;
    }
    step.part = (sums[0].extent + parts - 1) / parts;
    step.part_to = lines;

    device_phase rest = phase;
    device_step& last = rest.steps[0];
    placed_value partial;
    partial.whose = device_buffer::workspace;
    partial.offset = out_.workspace_entries;
    partial.type = problem_.type;
    out_.workspace_entries += lines * sum_parts(step, phase.loops.data());
    last.a = operand(rest, partial);
    last.b = {};
    last.part = last.part_to = 0;
    last.sign = 1;
    last.sum_loops = 1;
    rest.loops.resize(static_cast<std::size_t>(step.line_loops));
    index stride = 1;
    for (int l = step.line_loops - 1; l >= 0; --l) {
      line_loops[l].to = stride;
      rest.loops[static_cast<std::size_t>(l)].a = stride;
      stride *= line_loops[l].extent;
    }
    rest.loops.push_back({sum_parts(step, phase.loops.data()), lines});
    step.to = operand(phase, partial);
    step.add = {};
    step.finishes = step.scatters = false;
    add(std::move(phase));
    add(std::move(rest));
    return true;
  }

  /// A phase for step s, if it only puts entries in another order, in which others are neighbours:
  /// blocks take square parts of the plane of both kinds of neighbours through shared memory,
  /// reading one kind and writing the other side by side.
  bool emit_turned(int s) {
    const plan_step<L>& said = plan_.steps[s];
    const placed_value from = read(s), to = value(n_ + s);
    if (said.b >= 0 || said.c >= 0 || said.contracted != 0 || from.mapped || to.mapped ||
        from.labels != to.labels)
      return false;
    const auto neighbours_in = [&](const placed_value& x) {
      int found = -1;
      for (int l = 0; l < problem_.label_count; ++l)
        if (contains(x.labels, l) && x.stride[l] == 1 && extent(l) > 1) found = l;
      return found;
    };
    const int i = neighbours_in(from), j = neighbours_in(to);
    const index side = select::device_part_side;
    if (i < 0 || j < 0 || i == j || extent(i) < side / 2 || extent(j) < side / 2) return false;

    // The batch: the parts along both, and all other labels.
    device_phase phase;
    phase.plan_steps = bit(s);
    phase.shares = true;
    phase_place in{from.whose, from.slot, false, from.offset},
        out{to.whose, to.slot, false, to.offset};
    in.type = from.type;
    out.type = to.type;
    std::vector<int> rest;
    for (int l = 0; l < problem_.label_count; ++l)
      if (contains(from.labels, l) && extent(l) > 1 && l != i && l != j) rest.push_back(l);
    if (static_cast<int>(rest.size()) + 2 > max_batch_loops) return false;
    const auto add_batch = [&](index values, index of_from, index of_to) {
      phase.extents[phase.batch_loops] = values;
      in.steps[phase.batch_loops] = of_from;
      out.steps[phase.batch_loops] = of_to;
      return phase.batch_loops++;
    };
    for (const int l : rest) add_batch(extent(l), from.stride[l], to.stride[l]);
    device_loop part[2];  // along i, along j
    const int labels[] = {i, j};
    for (int k = 0; k < 2; ++k) {
      const int l = labels[k];
      part[k].extent = side;
      part[k].all = extent(l);
      part[k].batch_loop =
          add_batch((extent(l) + side - 1) / side, side * from.stride[l], side * to.stride[l]);
    }
    phase.places = {in, out};

    // In shared memory rows along j lie an odd number of entries apart.
    const index pitch = side + 1;
    phase.element_entries = side * pitch;
    const auto step_of = [&](const placed_value& x, const device_operand& a,
                             const device_operand& b) {
      device_step step;
      step.start = device_start::behind;
      step.a = a;
      step.to = b;
      step.first_loop = static_cast<int>(phase.loops.size());
      step.line_loops = 2;
      const int fastest = x.stride[i] == 1 ? 0 : 1;
      for (const int k : {1 - fastest, fastest}) {
        device_loop loop = part[k];
        const index here = k == 0 ? pitch : 1, there = x.stride[labels[k]];
        loop.a = a.where == device_memory::global ? there : here;
        loop.to = b.where == device_memory::global ? there : here;
        phase.loops.push_back(loop);
      }
      phase.steps.push_back(step);
    };
    device_operand read_there, shared, written;
    read_there.where = written.where = device_memory::global;
    read_there.type = from.type;
    read_there.conjugated = from.conjugated;
    written.type = to.type;
    written.place = 1;
    shared.where = device_memory::element;
    step_of(from, read_there, shared);
    step_of(to, shared, written);
    phase.steps.back().sign = said.sign;
    phase.steps.back().finishes = is_final(s);
    phase.first_step = 1;
    phase.last_readers = {1};
    phase.threads = select::device_part_threads;
    out_.phases.push_back(std::move(phase));
    return true;
  }

  /// Whether neighbours in what a step reads most of are terms of one sum.
  bool sums_neighbours(int s) const {
    const plan_step<L>& said = plan_.steps[s];
    const placed_value a = read(s);
    const placed_value& x =
        said.b >= 0 && points(value(said.b).labels) > points(a.labels) ? value(said.b) : a;
    for (int l = 0; l < problem_.label_count; ++l) {
      if (contains(result_labels(s), l) && contains(x.labels, l) &&
          select::magnitude(x.stride[l]) == 1 && extent(l) >= device_.warp)
        return false;
    }
    return true;
  }

  void emit_fused() {
    device_phase phase;
    phase.shares = true;
    set_batch(phase, fused_batch_);
    place_aliases();
    std::vector<moved_input> tables = move_inputs(
        device_memory::block, [&](int v) { return is_table(value(v), batch_) && is_read(v); });
    const auto room = select::device_table_room(device_) / size();
    std::vector<moved_input> brought =
        move_inputs(device_memory::element, [&](int v) { return is_brought(v, fused_, batch_); });
    std::vector<passed_step> steps = arrange(fused_, batch_);
    const auto entries = [&] {
      return lay_out(steps, batch_, entries_of(brought), [](int, index) {});
    };
    if (entries() > room) {
      for (const moved_input& x : brought) value(x.input) = x.given;
      brought.clear();
      steps = arrange(fused_, batch_);
    }
    place_tables(phase, tables, steps, room - entries());
    phase.first_copy = static_cast<int>(phase.steps.size());
    for (const moved_input& x : brought)
      if (x.like == x.input) copy(phase, x.given, value(x.input));
    phase.first_step = static_cast<int>(phase.steps.size());

    phase.element_entries = lay_out(steps, batch_, entries_of(brought), [&](int s, index at) {
      placed_value& here = is_final(s) ? turned_ : value(n_ + s);
      here = in_shared_memory(s, batch_);
      here.offset = at;
    });
    for (std::size_t first = 0; first < steps.size();) {
      std::size_t end = first + 1;
      while (end < steps.size() && steps[end].pass == steps[first].pass) ++end;
      emit_pass(phase, steps.data() + first, steps.data() + end,
                first > 0 && steps[first].stage == steps[first - 1].stage);
      first = end;
    }
    if (steps.back().turns) {
      copy(phase, turned_, output(), true);
      phase.steps.back().start = device_start::behind;
    }
    name_last_readers(phase, entries_of(brought));
    add(std::move(phase));
  }

  void place_aliases() {
    for (int s = 0; s < plan_.step_count; ++s) {
      if (is_alias(s)) value(n_ + s) = read(s);
    }
  }

  /// One pass. All its steps count lines as the one does that touches the device's memory.
  void emit_pass(device_phase& phase, const passed_step* first, const passed_step* end,
                 bool is_beside) {
    // Results in registers, and where those lie in shared memory that are left there.
    std::vector<placed_value> left;
    index registers = 0;
    for (const passed_step* s = first; s != end; ++s) {
      placed_value& p = value(n_ + s->step);
      left.push_back(p);
      if (!s->in_registers) continue;
      p = {};
      p.where = device_memory::line;
      p.type = problem_.type;
      p.labels = result_labels(s->step);
      p.offset = registers;
      if (s->rows >= 0) p.stride[s->rows] = 1;
      registers += s->rows >= 0 ? extent(s->rows) : 1;
    }
    phase.line_entries = std::max(phase.line_entries, registers);
    place_aliases();
    const std::vector<int> order = order_of_lines(first, end);
    const std::size_t first_emitted = phase.steps.size();
    for (const passed_step* s = first; s != end; ++s) {
      phase.plan_steps |= bit(s->step);
      const placed_value a = read(s->step);
      emit(phase, placed_in_pass(*s, a), s->rows, lines_of(*s, order));
      if (s + 1 != end && s[1].end_of_unit == s->end_of_unit) continue;
      for (const passed_step* t = first; t <= s; ++t) {
        if (!t->leaves || t->end_of_unit != s->end_of_unit) continue;
        const placed_step copied{value(n_ + t->step), nullptr, nullptr,
                                 left[static_cast<std::size_t>(t - first)]};
        emit(phase, copied, t->rows, lines_of(*t, order));
      }
    }
    for (std::size_t i = first_emitted; i < phase.steps.size(); ++i)
      phase.steps[i].start = i > first_emitted ? device_start::along
                             : is_beside       ? device_start::beside
                                               : device_start::behind;
    for (const passed_step* s = first; s != end; ++s)
      if (s->leaves) value(n_ + s->step) = left[static_cast<std::size_t>(s - first)];
    place_aliases();
  }

  placed_step placed_in_pass(const passed_step& s, const placed_value& a) const {
    placed_step step = placed(s.step, batch_, a);
    if (s.turns) {
      step.to = turned_;
      step.is_last = false;
    }
    return step;
  }

  /// Labels that count the lines of a pass, the slowest first, as its last step calls them.
  std::vector<int> order_of_lines(const passed_step* first, const passed_step* end) const {
    std::vector<int> order;
    index apart[L.labels] = {};
    bool is_far = false;
    for (const passed_step* s = first; s != end && !is_far; ++s) {
      const placed_value a = read(s->step);
      const placed_step step = placed_in_pass(*s, a);
      const placed_value& x = neighbours(step);
      order.clear();
      for (int l = 0; l < problem_.label_count; ++l) {
        if (!contains(s->lines, l) || extent(l) == 1) continue;
        order.push_back(s->like[l]);
        apart[s->like[l]] = select::magnitude(x.stride[l]);
      }
      is_far = x.where == device_memory::global;
    }
    std::stable_sort(order.begin(), order.end(), [&](int x, int y) { return apart[x] > apart[y]; });
    return order;
  }
  std::vector<int> lines_of(const passed_step& s, const std::vector<int>& order) const {
    std::vector<int> lines;
    for (const int like : order) {
      for (int l = 0; l < problem_.label_count; ++l)
        if (contains(s.lines, l) && extent(l) != 1 && s.like[l] == like) lines.push_back(l);
    }
    return lines;
  }

  // --- inputs that are read elsewhere than they lie ---

  /// An input, where it lies, and the one that has the same entries and is moved first: itself, or
  /// one under other labels.
  struct moved_input {
    int input;
    int like;
    placed_value given;
    index entries;  ///< where it is moved to
  };
  index size() const { return static_cast<index>(bytes_of(problem_.type)); }

  /// Places the inputs that `moves(v)` chooses in shared memory, one behind the other.
  template <class Moves>
  std::vector<moved_input> move_inputs(device_memory to, const Moves& moves) {
    std::vector<moved_input> moved;
    for (int v = 0; v < n_; ++v) {
      if (!moves(v)) continue;
      moved_input x{v, v, value(v), 0};
      for (const moved_input& before : moved)
        if (before.like == before.input && are_alike(v, before.input)) x.like = before.input;
      if (x.like == v) {
        auto [there, entries] =
            lay(problem_.inputs[v].order, to == device_memory::element ? batch_ : 0, to);
        there.offset = entries_of(moved);
        x.entries = entries;
        value(v) = there;
      } else {
        place_like(v, x.like);
      }
      moved.push_back(x);
    }
    return moved;
  }
  static index entries_of(const std::vector<moved_input>& moved) {
    index n = 0;
    for (const moved_input& x : moved) n += x.entries;
    return n;
  }
  /// Whether two inputs have the same entries, under whatever labels.
  bool are_alike(int v, int w) const {
    if (problem_.same[v] != problem_.same[w]) return false;
    const auto &order = problem_.inputs[v].order, &its = problem_.inputs[w].order;
    bool alike = order.count == its.count;  // merged labels are those of one operand, too
    for (int i = 0; alike && i < order.count; ++i) alike = extent(order[i]) == extent(its[i]);
    return alike;
  }
  void place_like(int v, int w) {
    value(v) = base::renamed(value(w), problem_.inputs[w].order, problem_.inputs[v].order);
  }
  bool is_read(int v) const {
    for (int s = 0; s < plan_.step_count; ++s) {
      if (contains(fused_, s) && !is_alias(s) && (plan_.steps[s].a == v || plan_.steps[s].b == v))
        return true;
    }
    return false;
  }

  /// Tables of which every step reads the same in all threads are constants; others wait in shared
  /// memory, once for each block, as far as there is room.
  void place_tables(device_phase& phase, const std::vector<moved_input>& tables,
                    const std::vector<passed_step>& steps, index room) {
    for (const moved_input& x : tables) {
      if (x.like != x.input) {
        place_like(x.input, x.like);
        continue;
      }
      const index span = span_of(x.given);
      bool is_constant =
          x.given.type == problem_.type && !x.given.conjugated && span > 0 &&
          (phase.constant_entries() + span) * size() <= select::device_constant_bytes;
      for (const moved_input& y : tables)
        is_constant = is_constant && (y.like != x.input || is_read_alike(y.input, steps));
      placed_value& here = value(x.input);
      if (is_constant) {
        const index to = phase.constant_entries();
        phase.constants.push_back({operand(phase, x.given).place, span, to});
        here = x.given;
        here.where = device_memory::constant;
        here.offset = to;
      } else if (phase.block_entries + x.entries <= room) {
        here.offset = phase.block_entries;
        phase.block_entries += x.entries;
        copy(phase, x.given, here);
      } else {
        here = x.given;
      }
    }
  }
  /// Entries from the first one of an input to its last; 0, if it does not begin with the first.
  index span_of(const placed_value& x) const {
    index last = 0;
    for (int l = 0; l < problem_.label_count; ++l) {
      if (x.stride[l] < 0) return 0;
      last += (extent(l) - 1) * x.stride[l];
    }
    return last < select::device_table_bytes / size() ? last + 1 : 0;
  }
  /// Whether all that read an input do so by rows and terms that are unrolled.
  bool is_read_alike(int v, const std::vector<passed_step>& steps) const {
    for (const passed_step& s : steps) {
      const plan_step<L>& step = plan_.steps[s.step];
      if (step.a != v && step.b != v) continue;
      const label_set named = step.contracted | (s.rows < 0 ? label_set{0} : bit(s.rows));
      if (step.contracted == 0 || base::only_label(step.contracted) < 0 ||
          (value(v).labels & ~named) != 0 ||
          (s.rows >= 0 && extent(s.rows) > select::device_line_rows(problem_.type)) ||
          points(step.contracted) * (s.rows < 0 ? 1 : extent(s.rows)) > device_unrolled_products)
        return false;
    }
    return true;
  }

  /// Copies lie one behind the other, `brought` entries in all.
  static void name_last_readers(device_phase& phase, index brought) {
    for (int c = phase.first_copy; c < phase.first_step; ++c) {
      const long long at = phase.steps[static_cast<std::size_t>(c)].to.offset;
      const long long end = c + 1 < phase.first_step
                                ? phase.steps[static_cast<std::size_t>(c + 1)].to.offset
                                : brought;
      int last = phase.first_step;
      for (auto s = static_cast<std::size_t>(phase.first_step); s < phase.steps.size(); ++s) {
        for (const device_operand* x : {&phase.steps[s].a, &phase.steps[s].b}) {
          if (x->where == device_memory::element && at <= x->offset && x->offset < end)
            last = static_cast<int>(s);
        }
      }
      phase.last_readers.push_back(last);
    }
  }
  bool is_read_in_fused(int v) const {
    for (int s = 0; s < plan_.step_count; ++s) {
      if (contains(fused_, s) && !is_alias(s) && (plan_.steps[s].a == v || plan_.steps[s].b == v))
        return true;
    }
    return false;
  }

  // --- steps ---

  device_operand operand(device_phase& phase, const placed_value& x) {
    device_operand o;
    o.where = x.where;
    o.type = x.type;
    o.conjugated = x.conjugated;
    o.mapped = x.mapped;
    o.wide_map = x.wide_map;
    if (x.where != device_memory::global) {
      o.offset = x.offset;
      return o;
    }
    phase_place place{x.whose, x.slot, x.mapped, x.offset};
    place.type = x.type;
    for (std::size_t i = 0; i < batch_order_.size(); ++i)
      place.steps[i] = x.stride[batch_order_[i]];
    const auto at = std::find(phase.places.begin(), phase.places.end(), place);
    o.place = static_cast<int>(at - phase.places.begin());
    if (at == phase.places.end()) phase.places.push_back(place);
    return o;
  }

  /// Entry by entry, each by a thread.
  void copy(device_phase& phase, const placed_value& from, const placed_value& to,
            bool is_last = false) {
    placed_step step{from, nullptr, nullptr, to};
    step.is_last = is_last;
    step.lines = from.labels & ~batch_;
    emit(phase, step, -1, in_order(step.lines, [&](int l) { return neighbours(step).stride[l]; }));
    phase.steps.back().start = device_start::beside;
  }

  void emit(device_phase& phase, int s, bool by_rows = true) {
    const placed_value a = read(s);
    const placed_step step = placed(s, batch_, a);
    const int rows = by_rows ? row_label(step, 0) : -1;
    const label_set lines = step.lines & ~(rows < 0 ? label_set{0} : bit(rows));
    emit(phase, step, rows, in_order(lines, [&](int l) { return neighbours(step).stride[l]; }));
  }

  void emit(device_phase& phase, const placed_step& said, int rows, const std::vector<int>& lines) {
    device_step step;
    step.a = operand(phase, said.a);
    if (said.b != nullptr) step.b = operand(phase, *said.b);
    if (said.add != nullptr) step.add = operand(phase, *said.add);
    step.to = operand(phase, said.to);
    step.sign = said.sign;
    step.scatters = said.is_last && said.to.mapped;
    step.finishes = said.is_last && !said.to.mapped;
    const auto along = [&](int l) {
      const auto stride = [&](const placed_value* x) { return x != nullptr ? x->stride[l] : 0; };
      return device_loop{extent(l), said.a.stride[l], stride(said.b), stride(said.add),
                         said.to.stride[l]};
    };
    if (rows >= 0) {
      step.rows = along(rows);
      step.row_count = extent(rows);
      const index most = select::device_rows_at_most(problem_.type);
      step.rows.extent = select::chunks(step.row_count, most).longer;
    }
    step.first_loop = static_cast<int>(phase.loops.size());
    for (const int l : lines) add_loop(phase, step.first_loop, along(l));
    step.line_loops = static_cast<int>(phase.loops.size()) - step.first_loop;
    const std::vector<int> sums = in_order(said.sums, [&](int l) {
      const device_loop x = along(l);
      return std::max(select::magnitude(x.a), select::magnitude(x.b));
    });
    const auto first_sum = step.first_loop + step.line_loops;
    for (const int l : sums) add_loop(phase, first_sum, along(l));
    step.sum_loops = static_cast<int>(phase.loops.size()) - first_sum;
    phase.steps.push_back(step);
  }

  /// Adds a loop inside those from `first` on; one with the last of them, if it continues that one
  /// in every operand.
  static void add_loop(device_phase& phase, int first, const device_loop& inner) {
    if (static_cast<int>(phase.loops.size()) > first) {
      device_loop& outer = phase.loops.back();
      const auto goes_on = [&](long long device_loop::*of) {
        return outer.*of == inner.*of * inner.extent;
      };
      if (goes_on(&device_loop::a) && goes_on(&device_loop::b) && goes_on(&device_loop::add) &&
          goes_on(&device_loop::to)) {
        const long long extent = outer.extent * inner.extent;
        outer = inner;
        outer.extent = extent;
        return;
      }
    }
    phase.loops.push_back(inner);
  }

  /// Labels of more than one value, the one with the largest stride first.
  template <class Stride>
  std::vector<int> in_order(label_set labels, const Stride& stride) const {
    std::vector<int> order;
    for (int l = 0; l < problem_.label_count; ++l) {
      if (contains(labels, l) && extent(l) != 1) order.push_back(l);
    }
    std::stable_sort(order.begin(), order.end(), [&](int x, int y) {
      return select::magnitude(stride(x)) > select::magnitude(stride(y));
    });
    return order;
  }

  const device_capabilities& device_;
  device_program out_;
  label_set fused_ = 0, fused_batch_ = 0;  ///< steps, and the labels that are their batch
  label_set batch_ = 0;                    ///< of the phase that is made
  std::vector<int> batch_order_;           ///< the same, outermost first
  placed_value turned_;                    ///< the result in shared memory, if it turns
};

/// The program of a plan; `sources` by input. The problem has no unknown extents, and is not empty.
template <limits L>
device_program lower_device(const problem<L>& p, const contraction_plan<L>& plan,
                            const device_source* sources, const device_source& output,
                            const device_capabilities& d) {
  return device_lowering<L>(p, plan, sources, output, d).run();
}

/// y := beta y, or, through a map, 0 wherever y has entries; nothing where it has none.
template <limits L>
device_program lower_scaling(const problem<L>& p, const device_source& output,
                             const device_capabilities& d) {
  device_program made;
  made.type = p.type;
  for (int i = 0; i < p.output.order.count; ++i) {
    if (p.extent[p.output.order[i]] == 0) return made;
  }
  device_phase phase;
  phase_place place{device_buffer::output};
  place.type = p.output.type;
  place.mapped = p.output.layout == batch_layout::gathered;
  place.offset = p.output.offset;
  phase.places.push_back(place);
  device_step step;
  step.to.where = device_memory::global;
  step.to.type = p.output.type;
  step.to.mapped = place.mapped;
  step.to.wide_map = place.mapped && output.wide_map;
  step.finishes = !place.mapped;
  for (int i = 0; i < p.output.order.count; ++i) {
    const int l = p.output.order[i];
    phase.loops.push_back({p.extent[l], 0, 0, 0, p.output.stride[l]});
  }
  step.line_loops = p.output.order.count;
  phase.steps.push_back(step);
  select::device_cut_phase(phase, p.type, d);
  made.phases.push_back(std::move(phase));
  return made;
}

}  // namespace tenfold
