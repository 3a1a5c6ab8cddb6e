#pragma once

#include <algorithm>
#include <tenfold/contraction/device_passes.hpp>
#include <vector>

/// A step with its values in place -> a step of a phase: loops, operands and their places.
namespace tenfold {

template <limits L>
class device_steps : protected device_passes<L> {
  using base = device_passes<L>;

 protected:
  using base::element_strides, base::extent, base::is_alias, base::lay_in_element, base::n_,
      base::neighbours, base::output, base::placed, base::plan_, base::problem_, base::read,
      base::row_label, base::value;
  using typename base::placed_step, typename base::placed_value;

  device_steps(const problem<L>& p, const contraction_plan<L>& plan, const device_source* sources,
               const device_source& to, const device_capabilities& d)
      : base(p, plan, sources, to), device_(d) {}

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

  placed_value in_shared_memory(int s, label_set batch) const {
    return lay_in_element(n_ + s, batch, n_ + s).place;
  }
  void place_aliases() {
    for (int s = 0; s < plan_.step_count; ++s) {
      if (is_alias(s)) value(n_ + s) = read(s);
    }
  }

  device_operand operand(device_phase& phase, const placed_value& x) {
    device_operand o;
    o.where = x.where;
    o.type = x.type;
    o.conjugated = x.conjugated;
    o.mapped = x.mapped;
    o.wide_map = x.wide_map;
    if (x.where != device_memory::global) {
      o.offset = x.offset;
      o.stretch = x.stretch;
      o.apart = x.apart;
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

  void emit(device_phase& phase, const placed_step& given, int rows,
            const std::vector<int>& lines) {
    device_step step;
    const placed_step said =
        given.b != nullptr && given.b->halves != reflection::none ? swapped(given) : given;
    step.halves = said.a.halves;
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
    note_accesses(said, rows, lines);
  }

  /// b a instead of a b.
  static placed_step swapped(const placed_step& s) {
    return {*s.b, &s.a, s.add, s.to, s.lines, s.sums, s.sign, s.is_last};
  }

  /// What the lines of a step do with values in the shared memory of elements.
  void note_accesses(const placed_step& said, int rows, const std::vector<int>& lines) {
    for (const placed_value* x : {&said.a, said.b, said.add, &said.to}) {
      if (x == nullptr || x->where != device_memory::element || x->laid_out_as < 0) continue;
      const std::vector<index> strides = element_strides(x->laid_out_as, batch_, x->laid_out_as);
      select::shared_access access{x->laid_out_as, {}};
      for (const int l : lines) {
        const auto axis = std::find(strides.begin(), strides.end() - 1, x->stride[l]);
        access.lines.push_back(
            {extent(l), axis == strides.end() - 1 ? -1 : static_cast<int>(axis - strides.begin())});
      }
      const bool is_term = x == &said.a || x == said.b;
      if (rows >= 0 && (!is_term || x->stride[rows] != 0))
        access.times *= static_cast<double>(extent(rows));
      if (is_term) access.times *= static_cast<double>(base::points(said.sums & x->labels));
      accesses_.push_back(access);
    }
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
  label_set batch_ = 0;           ///< of the phase that is made
  std::vector<int> batch_order_;  ///< the same, outermost first
  std::vector<select::shared_access> accesses_;
};

}  // namespace tenfold
