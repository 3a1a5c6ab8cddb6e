#pragma once

#include <algorithm>
#include <tenfold/backend/interface/device_halve.hpp>
#include <tenfold/backend/interface/explained_launch.hpp>
#include <tenfold/contraction/device_steps.hpp>
#include <vector>

/// Steps whose results carry a batch -> one phase: blocks take elements of the batch through all of
/// them, in the order of device_passes.hpp. Inputs are read where they lie, or are moved: what all
/// elements read into constant memory or that of the block, terms of sums into that of the element.
namespace tenfold {

template <limits L>
class device_fusion : protected device_steps<L> {
  using base = device_steps<L>;

 protected:
  using base::accesses_, base::arrange, base::batch_, base::gaps_, base::values_, base::copy,
      base::device_, base::emit, base::extent, base::in_shared_memory, base::is_alias,
      base::is_brought, base::is_final, base::is_table, base::lay, base::lay_in_element,
      base::lay_out, base::n_, base::neighbours, base::operand, base::output, base::place_aliases,
      base::placed, base::plan_, base::points, base::problem_, base::read, base::result_labels,
      base::set_batch, base::value;
  using typename base::passed_step, typename base::placed_step, typename base::placed_value;

  using base::base;

  /// The phase of these steps, whose results carry these labels, cut: threads are found first, then
  /// the gaps for them, which cost memory, and what is left to the cache.
  device_phase fuse(label_set fused, label_set batch) {
    const std::vector<placed_value> given = values_;
    device_phase best = fuse_with_gaps(fused, batch);
    select::device_cut_phase(best, problem_.type, device_);
    best.skips = select::device_skips(best);
    if (accesses_.empty()) return best;
    const double bytes = explaining_launches::bytes_of_element(best);
    std::vector<std::vector<select::shared_threads>> accesses(
        static_cast<std::size_t>(n_ + plan_.step_count));
    for (const select::shared_access& a : accesses_)
      accesses[static_cast<std::size_t>(a.value)].emplace_back(a, best.threads, best.elements,
                                                               static_cast<int>(size()));
    const auto cycles = [&](const device_phase& phase) {
      double shared = 0;
      for (int v = 0; v < n_ + plan_.step_count; ++v)
        for (const select::shared_threads& a : accesses[static_cast<std::size_t>(v)])
          shared += a.cycles(base::element_strides(v, batch, v));
      return select::device_phase_cycles(phase, bytes, shared / phase.elements, device_);
    };
    double least = cycles(best);
    std::vector<std::vector<select::shared_choice>> choices;
    for (int v = 0; v < n_ + plan_.step_count; ++v)
      choices.push_back(select::device_gaps(base::axis_extents(v, batch),
                                            accesses[static_cast<std::size_t>(v)], best.elements,
                                            static_cast<int>(size())));
    for (const double entry_cycles : select::device_entry_cycles) {
      gaps_.clear();
      for (const auto& of_value : choices)
        gaps_.push_back(select::device_gaps(of_value, best.elements, entry_cycles));
      values_ = given;
      device_phase phase = fuse_with_gaps(fused, batch);
      phase.threads = best.threads;
      phase.elements = best.elements;
      phase.skips = best.skips;
      if (select::device_phase_bytes(phase, problem_.type) > device_.shared_bytes_block) continue;
      for (const index cache_bytes : select::device_cache_bytes) {
        phase.cache_bytes = cache_bytes;
        select::device_set_resident(phase, problem_.type, device_);
        if (cycles(phase) >= least) continue;
        least = cycles(phase);
        best = phase;
      }
    }
    return best;
  }

 private:
  device_phase fuse_with_gaps(label_set fused, label_set batch) {
    fused_ = fused;
    accesses_.clear();
    device_phase phase;
    phase.shares = true;
    set_batch(phase, batch);
    place_aliases();
    std::vector<moved_input> tables = move_inputs(
        device_memory::block, [&](int v) { return is_table(value(v), batch_) && is_read(v); });
    const auto room = select::device_table_room(device_) / size();
    std::vector<moved_input> brought =
        move_inputs(device_memory::element, [&](int v) { return is_brought(v, fused_, batch_); });
    std::vector<passed_step> steps = arrange(fused_, batch_);
    const auto entries = [&] {
      return lay_out(steps, batch_, entries_of(brought), [](int, index, int) {});
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

    phase.element_entries =
        lay_out(steps, batch_, entries_of(brought), [&](int s, index at, int as) {
          placed_value& here = is_final(s) ? turned_ : value(n_ + s);
          here = lay_in_element(n_ + s, batch_, as).place;
          here.stretch = at;
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
    return phase;
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
        auto [there, entries] = to == device_memory::element ? lay_in_element(v, batch_, v)
                                                             : lay(problem_.inputs[v].order, to);
        (to == device_memory::element ? there.stretch : there.offset) = entries_of(moved);
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
  /// Whether two inputs have the same entries of an element, under whatever labels.
  bool are_alike(int v, int w) const {
    if (problem_.same[v] != problem_.same[w]) return false;
    const auto &order = problem_.inputs[v].order, &its = problem_.inputs[w].order;
    bool alike = order.count == its.count;  // merged labels are those of one operand, too
    for (int i = 0; alike && i < order.count; ++i) {
      const bool of_batch = contains(batch_, order[i]) || contains(batch_, its[i]);
      alike = of_batch ? order[i] == its[i] : extent(order[i]) == extent(its[i]);
    }
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
        place_constant(phase, x, tables, steps, span);
      } else if (phase.block_entries + x.entries <= room) {
        here.offset = phase.block_entries;
        phase.block_entries += x.entries;
        copy(phase, x.given, here);
      } else {
        here = x.given;
      }
    }
  }
  /// The table x, whole or, where it may be, in halves.
  void place_constant(device_phase& phase, const moved_input& x,
                      const std::vector<moved_input>& tables, const std::vector<passed_step>& steps,
                      index span) {
    const index to = phase.constant_entries();
    const int place = operand(phase, x.given).place;
    bool in_halves = !is_complex(problem_.type);
    for (const moved_input& y : tables)
      in_halves = in_halves && (y.like != x.input || is_read_in_halves(y.input, steps));
    placed_value& here = value(x.input);
    here = x.given;
    here.where = device_memory::constant;
    here.offset = to;
    if (!in_halves) {
      phase.constants.push_back({place, span, to});
      return;
    }
    const std::vector<int> axes = base::axes_of(x.input, 0);  // columns, rows
    const index columns = extent(axes[0]), rows = extent(axes[1]);
    here.halves = problem_.inputs[x.input].symmetry;
    phase.constants.push_back({place, device_halves{here.halves, rows, columns}.entries(), to,
                               here.halves, rows, columns, x.given.stride[axes[1]],
                               x.given.stride[axes[0]]});
    here.stride[axes[0]] = 1;
    here.stride[axes[1]] = columns;
  }
  /// Whether all that read an input, which is_read_alike, go along one of its labels by their rows
  /// and sum over the other.
  bool is_read_in_halves(int v, const std::vector<passed_step>& steps) const {
    const std::vector<int> axes = base::axes_of(v, 0);
    if (problem_.inputs[v].symmetry == reflection::none || axes.size() != 2 ||
        !select::device_has_halves(extent(axes[0]), extent(axes[1])))
      return false;
    for (int t = 0; t < plan_.step_count; ++t) {
      const plan_step<L>& step = plan_.steps[t];
      if (step.c == v || (step.a == v && (is_alias(t) || step.b < 0 || step.b == v))) return false;
    }
    for (const passed_step& s : steps) {
      const plan_step<L>& step = plan_.steps[s.step];
      if (step.a != v && step.b != v) continue;
      if (s.rows < 0 || !contains(value(v).labels, s.rows) ||
          (step.contracted & value(v).labels) == 0)
        return false;
    }
    return true;
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
          (s.rows >= 0 && extent(s.rows) > select::device_rows_at_most(problem_.type)) ||
          points(step.contracted) * (s.rows < 0 ? 1 : extent(s.rows)) > device_unrolled_products)
        return false;
    }
    return true;
  }

  /// Copies lie one behind the other, `brought` entries in all.
  static void name_last_readers(device_phase& phase, index brought) {
    for (int c = phase.first_copy; c < phase.first_step; ++c) {
      const long long at = phase.steps[static_cast<std::size_t>(c)].to.stretch;
      const long long end = c + 1 < phase.first_step
                                ? phase.steps[static_cast<std::size_t>(c + 1)].to.stretch
                                : brought;
      int last = phase.first_step;
      for (auto s = static_cast<std::size_t>(phase.first_step); s < phase.steps.size(); ++s) {
        for (const device_operand* x :
             {&phase.steps[s].a, &phase.steps[s].b, &phase.steps[s].add}) {
          if (x->where == device_memory::element && at <= x->stretch && x->stretch < end)
            last = static_cast<int>(s);
        }
      }
      phase.last_readers.push_back(last);
    }
  }

  label_set fused_ = 0;
  placed_value turned_;  ///< the result in shared memory, if it turns
};

}  // namespace tenfold
