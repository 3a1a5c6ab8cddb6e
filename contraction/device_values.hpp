#pragma once

#include <algorithm>
#include <tenfold/backend/interface/device_program.hpp>
#include <tenfold/backend/interface/select/device_banks.hpp>
#include <tenfold/contraction/plan_values.hpp>
#include <vector>

/// Where the values of a plan lie on a device: inputs and result in its memory, results of steps in
/// the workspace, or in the shared memory of a block.
namespace tenfold {

/// What a call tells of the operand that an input of the problem is, or is a slice of.
struct device_source {
  int slot = 0;  ///< which operand of the call
  bool wide_map = false;
};

template <limits L>
class device_values : protected plan_values<L> {
  using base = plan_values<L>;

 protected:
  using base::is_final, base::labels_of, base::n_, base::order_of, base::plan_, base::problem_;

  /// Where a value lies, and how far it is along each label.
  struct placed_value {
    device_memory where = device_memory::global;
    device_buffer whose = device_buffer::input;
    int slot = 0;
    index offset = 0;
    index stride[L.labels] = {};
    label_set labels = 0;
    scalar type = scalar::f64;
    bool conjugated = false, mapped = false, wide_map = false;
    reflection halves = reflection::none;  ///< a table in constant memory that lies in halves
    index stretch = 0, apart = 0;          ///< in the shared memory of elements, see device_operand
    int laid_out_as = -1;                  ///< there: the value whose gaps it has
  };

  device_values(const problem<L>& p, const contraction_plan<L>& plan, const device_source* sources,
                const device_source& output)
      : base(p, plan), to_(output) {
    for (int v = 0; v < n_; ++v) values_.push_back(placed(p.inputs[v], sources[v]));
  }

  int root() const { return plan_.step_count - 1; }
  label_set result_labels(int s) const { return labels_of(n_ + s); }
  index extent(int label) const { return problem_.extent[label]; }
  index points(label_set labels) const {
    index n = 1;
    for (int l = 0; l < problem_.label_count; ++l) n *= contains(labels, l) ? extent(l) : 1;
    return n;
  }
  /// A result that is another value under other labels, and needs no step of its own.
  bool is_alias(int s) const { return plan_.steps[s].renames && !is_final(s); }

  placed_value& value(int v) { return values_[static_cast<std::size_t>(v)]; }
  const placed_value& value(int v) const { return values_[static_cast<std::size_t>(v)]; }

  // --- places ---

  placed_value placed(const bound_operand<L>& x, const device_source& source) const {
    placed_value p;
    p.slot = source.slot;
    p.offset = x.offset;
    std::copy_n(x.stride, problem_.label_count, p.stride);
    p.labels = x.labels;
    p.type = x.type;
    p.conjugated = x.conjugated;
    p.mapped = x.layout == batch_layout::gathered;
    p.wide_map = p.mapped && source.wide_map;
    return p;
  }
  placed_value output() const {
    placed_value p = placed(problem_.output, to_);
    p.whose = device_buffer::output;
    return p;
  }
  struct laid_out {
    placed_value place;
    index entries = 1;
  };
  /// Entries of `order`, the last label fastest: densely, or in the shared memory of a block with
  /// rows a multiple of 16 bytes apart, since all threads read the same of a table, as much as a
  /// load can bring.
  laid_out lay(const label_list<L.labels>& order, device_memory where) const {
    laid_out made{nowhere(order, where, problem_.type)};
    bool is_row = where == device_memory::block;
    for (int i = order.count - 1; i >= 0; --i) {
      if (extent(order[i]) == 1) continue;
      made.place.stride[order[i]] = made.entries;
      made.entries *= extent(order[i]);
      if (!is_row) continue;
      const index together = std::max<index>(16 / static_cast<index>(bytes_of(problem_.type)), 1);
      made.entries = (made.entries + together - 1) / together * together;
      is_row = false;
    }
    return made;
  }
  /// What an element has of value v, in its shared memory, with the gaps of value `as`, which may
  /// lie in the same place.
  laid_out lay_in_element(int v, label_set batch, int as) const {
    laid_out made{nowhere(order_of(v), device_memory::element, problem_.type)};
    made.place.laid_out_as = as;
    const std::vector<int> axes = axes_of(v, batch);
    const std::vector<index> strides = element_strides(v, batch, as);
    for (std::size_t i = 0; i < axes.size(); ++i) made.place.stride[axes[i]] = strides[i];
    made.place.apart = made.entries = strides.back();
    return made;
  }
  /// The labels that count entries of value v in an element, the fastest first.
  std::vector<int> axes_of(int v, label_set batch) const {
    std::vector<int> axes;
    const auto& order = order_of(v);
    for (int i = order.count - 1; i >= 0; --i)
      if (!contains(batch, order[i]) && extent(order[i]) != 1) axes.push_back(order[i]);
    return axes;
  }
  std::vector<index> axis_extents(int v, label_set batch) const {
    std::vector<index> extents;
    for (const int l : axes_of(v, batch)) extents.push_back(extent(l));
    return extents;
  }
  /// How far it is along each axis of value v with the gaps of value `as`, and from one element to
  /// the next.
  std::vector<index> element_strides(int v, label_set batch, int as) const {
    return select::shared_strides(
        axis_extents(v, batch),
        gaps_.empty() ? select::shared_gaps{} : gaps_[static_cast<std::size_t>(as)]);
  }
  /// Value a of a step under the labels of the step.
  placed_value read(int s) const {
    const plan_step<L>& step = plan_.steps[s];
    const placed_value p = value(step.a);
    return step.renames ? renamed(p, order_of(step.a), step.order) : p;
  }
  /// The same entries under labels that stand, place by place, for those of `was`.
  static placed_value renamed(const placed_value& x, const label_list<L.labels>& was,
                              const label_list<L.labels>& now) {
    placed_value p = x;
    p.labels = now.set();
    std::fill(std::begin(p.stride), std::end(p.stride), 0);
    for (int i = 0; i < was.count; ++i) p.stride[now[i]] = x.stride[was[i]];
    return p;
  }

  // --- shared memory ---

  /// A stretch of an element's shared memory that is taken from one stage to another; or of the
  /// workspace, from one phase to another.
  struct stretch {
    index entries;
    int first_stage, last_stage;
    index begin = 0;
  };
  /// Places them, and returns entries in all: the longest first, each where nothing lies of what is
  /// taken at the same time (Y. Pisarchyk, J. Lee, Efficient memory management for deep neural net
  /// inference, 2020, "greedy by size").
  static index place(std::vector<stretch>& stretches) {
    std::vector<stretch*> longest_first;
    for (stretch& x : stretches) longest_first.push_back(&x);
    std::stable_sort(longest_first.begin(), longest_first.end(),
                     [](const stretch* x, const stretch* y) { return x->entries > y->entries; });
    index most = 0;
    for (auto x = longest_first.begin(); x != longest_first.end(); ++x) {
      stretch& here = **x;
      for (bool moved = true; moved;) {
        moved = false;
        for (auto y = longest_first.begin(); y != x; ++y) {
          const stretch& there = **y;
          const bool meets =
              here.first_stage <= there.last_stage && there.first_stage <= here.last_stage &&
              here.begin < there.begin + there.entries && there.begin < here.begin + here.entries;
          if (!meets) continue;
          here.begin = there.begin + there.entries;
          moved = true;
        }
      }
      most = std::max(most, here.begin + here.entries);
    }
    return most;
  }

  static placed_value nowhere(const label_list<L.labels>& order, device_memory where, scalar type) {
    placed_value p;
    p.where = where;
    p.type = type;
    p.labels = order.set();
    return p;
  }

  const device_source& to_;
  std::vector<placed_value> values_;       ///< the inputs, and behind them the results of the steps
  std::vector<select::shared_gaps> gaps_;  ///< by value; empty: as they are until threads are known
};

}  // namespace tenfold
