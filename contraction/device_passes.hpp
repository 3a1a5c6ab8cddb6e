#pragma once

#include <algorithm>
#include <limits>
#include <tenfold/backend/interface/select/device_programs.hpp>
#include <tenfold/contraction/device_values.hpp>
#include <vector>

/// The steps of a plan that blocks take elements of a batch through, as stages and passes
/// (device_step.hpp): which steps go along the lines of one pass, so that what one leaves for the
/// other stays in registers, and where the rest lies in shared memory.
namespace tenfold {

template <limits L>
class device_passes : protected device_values<L> {
  using base = device_values<L>;

 protected:
  using base::extent, base::is_alias, base::is_final, base::labels_of, base::lay_in_element,
      base::n_, base::order_of, base::plan_, base::points, base::problem_, base::read,
      base::result_labels, base::value;
  using typename base::placed_value;

  using base::base;

  /// A step of a pass.
  struct passed_step {
    int step = -1;
    int stage = 0, last_stage = 0;  ///< when it runs, and when its result is read last
    int pass = 0;                   ///< steps of one pass have the same
    int rows = -1;                  ///< the label of the rows
    label_set lines = 0;            ///< the labels that count lines
    int like[L.labels] = {};        ///< by label: what the last step of the pass calls it
    bool in_registers = false;  ///< its result: what reads it in its stage does so along its lines
    bool leaves = false;        ///< registers that are left in shared memory behind its unit
    bool turns = false;         ///< of the result of all: leaves it in shared memory, from where it
                                ///< is copied in another order
    int end_of_unit = 0;        ///< the step behind its unit
  };

  // --- inputs ---

  /// What all elements read and shared memory has room for.
  bool is_table(const placed_value& x, label_set batch) const {
    return (x.labels & batch) == 0 && x.labels != 0 && !x.mapped &&
           points(x.labels) * static_cast<index>(bytes_of(problem_.type)) <=
               select::device_table_bytes;
  }
  /// An input of elements that threads do not read side by side: terms of sums. (Those of mass
  /// operators read by their threads where they lie, along an axis that leaves neighbours to
  /// neighbouring threads, ran 1.10 and 1.07 times as fast at degree 2 and 6 on an H200, but 0.98
  /// to 1.01 times at 3 to 5, and 0.81, 0.88, 0.73 and 0.67 times at 7, 8, 10 and 12: the compiler
  /// takes more registers. With what points have brought, too, they ran 1.08 times as fast at 12,
  /// but 0.86 to 0.93 times at 3 to 10, and stiffness operators 0.74 and 0.9 times at 4.)
  bool is_brought(int v, label_set fused, label_set batch) const {
    if (v >= n_ || (value(v).labels & batch) != batch) return false;
    for (int s = 0; s < plan_.step_count; ++s) {
      const plan_step<L>& step = plan_.steps[s];
      const bool sums = (step.contracted & value(v).labels) != 0 && step.b >= 0;
      if (contains(fused, s) && sums && (step.a == v || step.b == v)) return true;
    }
    return false;
  }

  // --- rows ---

  /// A step with its values in place.
  struct placed_step {
    const placed_value& a;
    const placed_value *b, *add;
    placed_value to;
    label_set lines = 0, sums = 0;
    int sign = 1;
    bool is_last = false;
  };

  /// The operand whose neighbours neighbouring threads shall touch: the result where that is in the
  /// device's memory, else what is read there.
  static const placed_value& neighbours(const placed_step& s) {
    if (s.to.where == device_memory::global) return s.to;
    for (const placed_value* x : {&s.a, s.b}) {
      if (x != nullptr && x->where == device_memory::global && (x->labels & s.lines) != 0)
        return *x;
    }
    return s.to;
  }

  /// Whether threads that have the rows of this label would leave gaps between them in memory.
  bool lies_across(const placed_value& x, int rows, label_set lines) const {
    return contains(x.labels, rows) && select::magnitude(x.stride[rows]) == 1 &&
           points(lines & x.labels) > extent(rows);
  }

  /// The label whose values one thread computes: one of the result that either a or b lacks, so
  /// that what the other brings is used for all of them; rather one that a table has. -1: none, or
  /// too few lines would be left. Where neighbours lie in the device's memory they are left to
  /// neighbouring threads; unless a table has them, since what all threads read costs nothing.
  int row_label(const placed_step& s, label_set batch) const {
    if (s.b == nullptr) return -1;
    const label_set of_one = s.a.labels ^ s.b->labels;
    const placed_value& n = neighbours(s);
    int best = -1;
    double saved = 0;
    for (int l = 0; l < problem_.label_count; ++l) {
      if (!contains(s.lines & of_one, l) || extent(l) < 2) continue;
      const placed_value& varies = contains(s.a.labels, l) ? s.a : *s.b;
      const bool small = batch != 0 && is_table(varies, batch);
      if (!small && n.where == device_memory::global && lies_across(n, l, s.lines)) continue;
      // Of each term one load is saved for each row but the first.
      const index rows = std::min(extent(l), select::device_rows_at_most(problem_.type));
      const double now = 1 - 1 / static_cast<double>(rows);
      if (now + small > saved) {
        saved = now + small;
        best = l;
      }
    }
    return best;
  }

  placed_step placed(int s, label_set batch, const placed_value& a) const {
    const plan_step<L>& said = plan_.steps[s];
    const auto given = [&](int v) { return v < 0 ? nullptr : &value(v); };
    placed_step step{a, given(said.b), given(said.c), value(n_ + s)};
    step.lines = result_labels(s) & ~batch;
    step.sums = said.contracted;
    step.sign = said.sign;
    step.is_last = is_final(s);
    return step;
  }

  // --- stages and passes ---

  /// The fused steps as they run. Inputs are placed, results are thought in shared memory.
  ///
  /// From the last step back: a step goes along with those that read its result first, if they mean
  /// the same entries by a line and sum over its rows at most; else it is a pass of the stage
  /// before theirs. Pointwise steps one behind another with the same labels are one unit, so that
  /// what several of them read is read once.
  std::vector<passed_step> arrange(label_set fused, label_set batch) const {
    std::vector<passed_step> made;  // stages count from the last one
    int passes = 0;
    for (int end = plan_.step_count; end > 0;) {
      const int first = begin_of_unit(end - 1, fused);
      if (contains(fused, end - 1) && !is_alias(end - 1))
        arrange_unit(made, first, end, batch, passes);
      end = first;
    }
    int last = 0;
    for (const passed_step& s : made) last = std::max(last, s.stage);
    for (passed_step& s : made) {
      s.stage = last - s.stage;
      s.last_stage = last - s.last_stage;
    }
    std::stable_sort(made.begin(), made.end(), [](const passed_step& x, const passed_step& y) {
      if (x.stage != y.stage) return x.stage < y.stage;
      return x.pass != y.pass ? x.pass > y.pass : x.step < y.step;
    });
    return made;
  }

  /// f(step, offset, as) for each result that goes by way of shared memory, from entry `at` on,
  /// where inputs do not lie; returns entries in all. A result may lie where nothing lies that its
  /// stage or a later one reads, or in the place of entries that its thread has just read: it is
  /// laid out as value `as` then, else as itself.
  template <class F>
  index lay_out(const std::vector<passed_step>& steps, label_set batch, index at,
                const F& f) const {
    struct placed_result {
      int step;
      std::size_t at;  ///< the stretch
      int as;
    };
    std::vector<typename base::stretch> stretches;
    std::vector<placed_result> placed, there;  // all, and those that nothing has replaced
    for (const passed_step& s : steps) {
      if ((s.in_registers && !s.leaves) || (is_final(s.step) && !s.turns)) continue;
      placed_result result{s.step, stretches.size(), n_ + s.step};
      const auto old = std::find_if(there.begin(), there.end(), [&](const placed_result& x) {
        return is_replaced(steps, x.step, s, batch);
      });
      if (old != there.end()) {
        result.at = old->at;
        result.as = old->as;
        stretches[result.at].last_stage = s.last_stage;
        there.erase(old);
      } else {
        const index entries = lay_in_element(result.as, batch, result.as).entries;
        stretches.push_back({entries, s.stage, s.last_stage});
      }
      placed.push_back(result);
      there.push_back(result);
    }
    const index entries = base::place(stretches);
    for (const placed_result& x : placed) f(x.step, at + stretches[x.at].begin, x.as);
    return at + entries;
  }

  /// The only one of these labels, or -1.
  int only_label(label_set labels) const {
    int only = -1;
    for (int l = 0; l < problem_.label_count; ++l) {
      if (!contains(labels, l)) continue;
      if (only >= 0) return -1;
      only = l;
    }
    return only;
  }

  bool has_sum(int s) const { return plan_.steps[s].contracted != 0; }

 private:
  /// How a step reads the result of another: by which labels, and all of it.
  struct reading {
    int from = -1;  ///< the step that left it; negative: an input
    int to_label[L.labels];
    bool is_whole = true;
  };
  reading reading_of(int reader, int v) const {
    reading r;
    for (int l = 0; l < L.labels; ++l) r.to_label[l] = l;
    const auto through = [&](const plan_step<L>& s) {
      if (!s.renames) return;
      int now[L.labels];
      std::copy(std::begin(r.to_label), std::end(r.to_label), now);
      std::fill(std::begin(r.to_label), std::end(r.to_label), -1);
      const auto& was = order_of(s.a);
      for (int i = 0; i < was.count; ++i) r.to_label[was[i]] = now[s.order[i]];
    };
    if (v == plan_.steps[reader].a) through(plan_.steps[reader]);
    for (; v >= n_ && is_alias(v - n_); v = plan_.steps[v - n_].a) through(plan_.steps[v - n_]);
    r.from = v - n_;
    return r;
  }

  /// Whether result x may be replaced by that of s: what reads it then or later is steps of the
  /// pass of s, none behind what leaves it, each of which takes for a line no other entries than s
  /// leaves for it: those of its rows, or the terms of a sum of as many. A thread has read all of
  /// them by then.
  bool is_replaced(const std::vector<passed_step>& steps, int x, const passed_step& s,
                   label_set batch) const {
    const int until = s.leaves ? s.end_of_unit : s.step + 1;
    bool is_read = false;
    for (const passed_step& t : steps) {
      if (t.stage < s.stage) continue;
      const plan_step<L>& step = plan_.steps[t.step];
      for (const int v : {step.a, step.b, step.c}) {
        if (v < 0) continue;
        const reading r = reading_of(t.step, v);
        if (r.from != x) continue;
        if (t.pass != s.pass || t.step >= until || !r.is_whole ||
            !lie_alike(r, t, v != step.c, s, batch))
          return false;
        is_read = true;
      }
    }
    return is_read;
  }
  /// Whether what step t reads lies in shared memory as the result of step s of its pass does: its
  /// lines as those of s, and its rows, or what it sums over, as the rows of s.
  bool lie_alike(const reading& r, const passed_step& t, bool is_term, const passed_step& s,
                 label_set batch) const {
    const placed_value was = lay_in_element(n_ + r.from, batch, n_ + s.step).place,
                       is = lay_in_element(n_ + s.step, batch, n_ + s.step).place;
    const label_set summed = plan_.steps[t.step].contracted;
    // Rows of what is summed would be other lines.
    const int along = is_term && summed != 0 ? only_label(summed) : t.rows;
    if (s.rows >= 0 && extent(s.rows) > select::device_rows_at_most(problem_.type)) return false;
    label_set there = 0;
    for (int l = 0; l < problem_.label_count; ++l) {
      if (!contains(was.labels & ~batch, l)) continue;
      const int seen = r.to_label[l];
      int to = -1;
      if (seen >= 0 && seen == along) {
        to = s.rows;
      } else if (seen >= 0 && contains(t.lines, seen)) {
        for (int k = 0; k < problem_.label_count; ++k)
          if (contains(s.lines, k) && s.like[k] == t.like[seen]) to = k;
      }
      if (to < 0 || was.stride[l] != is.stride[to] || extent(l) != extent(to)) return false;
      there |= bit(to);
    }
    return there == (is.labels & ~batch);
  }

  /// The first step of the unit that ends with step `last`: pointwise steps of the same labels.
  int begin_of_unit(int last, label_set fused) const {
    const auto is_pointwise = [&](int s) {
      return contains(fused, s) && !is_alias(s) && !has_sum(s);
    };
    int first = last;
    if (!is_pointwise(last)) return first;
    while (first > 0 && is_pointwise(first - 1) &&
           result_labels(first - 1) == result_labels(last) &&
           !reads_turned(first, last + 1, first - 1))
      --first;
    return first;
  }
  /// Whether one of the steps [first, end) reads the result of step s in part, or by other labels.
  bool reads_turned(int first, int end, int s) const {
    for (int t = first; t < end; ++t) {
      const plan_step<L>& step = plan_.steps[t];
      for (const int v : {step.a, step.b, step.c}) {
        if (v < 0) continue;
        const reading r = reading_of(t, v);
        if (r.from == s && (v != n_ + s || step.renames || !r.is_whole)) return true;
      }
    }
    return false;
  }

  /// The label along which a step would have to leave its result in registers for this reader, or
  /// -1.
  int chained_label(const passed_step& t, int v, const reading& r, label_set batch) const {
    const plan_step<L>& step = plan_.steps[t.step];
    const bool is_term = v != step.c;
    int along = t.rows;
    if (is_term && step.contracted != 0) {
      along = only_label(step.contracted);
      // Rows of what is summed would be other lines.
      if (t.rows >= 0 && contains(labels_of(v == step.a ? step.a : step.b), t.rows)) return -1;
    }
    if (!r.is_whole || along < 0 || extent(along) > select::device_rows_at_most(problem_.type) ||
        (t.rows >= 0 && extent(t.rows) > select::device_rows_at_most(problem_.type)))
      return -1;
    label_set there = 0;
    int from = -1;
    for (int l = 0; l < problem_.label_count; ++l) {
      if (!contains(result_labels(r.from) & ~batch, l)) continue;
      if (r.to_label[l] < 0) return -1;
      there |= bit(r.to_label[l]);
      if (r.to_label[l] == along) from = l;
    }
    return there == (t.lines | bit(along)) ? from : -1;
  }
  /// The rows of a unit; `wanted`, if it can have those.
  int rows_of_unit(int first, int end, label_set batch, int wanted) const {
    if (has_sum(first)) return row_label(placed(first, batch, read(first)), batch);
    const label_set labels = result_labels(first) & ~batch;
    // Threads shall read side by side what lies in the device's memory: rows are farthest apart.
    const placed_value* far = nullptr;
    for (int s = first; s < end && far == nullptr; ++s) {
      const plan_step<L>& step = plan_.steps[s];
      for (const int v : {step.a, step.b, n_ + s}) {
        if (v >= 0 && value(v).where == device_memory::global && (value(v).labels & batch) != 0 &&
            (value(v).labels & labels) != 0)
          far = &value(v);
      }
    }
    const auto apart = [&](int l) {
      return far == nullptr ? 0 : select::magnitude(far->stride[l]);
    };
    const auto can_be = [&](int l) {
      return extent(l) > 1 && extent(l) <= select::device_rows_at_most(problem_.type) &&
             (far == nullptr || apart(l) > 1);
    };
    if (wanted >= 0 && can_be(wanted)) return wanted;
    int best = -1;
    const auto& order = plan_.steps[first].order;
    for (int i = 0; i < order.count; ++i) {
      const int l = order[i];
      if (contains(labels, l) && can_be(l) && (best < 0 || apart(l) > apart(best))) best = l;
    }
    return best;
  }

  /// Adds the steps [first, end), which are one unit, to those behind them.
  void arrange_unit(std::vector<passed_step>& made, int first, int end, label_set batch,
                    int& passes) const {
    // The stage that reads first, and for each step the one that reads last.
    constexpr int nobody = std::numeric_limits<int>::max();
    std::vector<int> last(static_cast<std::size_t>(end - first), nobody);
    int stage = -1;
    const auto for_each_reading = [&](const auto& f) {
      for (const passed_step& t : made) {
        const plan_step<L>& step = plan_.steps[t.step];
        for (const int v : {step.a, step.b, step.c}) {
          if (v < 0) continue;
          const reading r = reading_of(t.step, v);
          if (r.from >= first && r.from < end) f(t, v, r);
        }
      }
    };
    for_each_reading([&](const passed_step& t, int, const reading& r) {
      int& of_step = last[static_cast<std::size_t>(r.from - first)];
      of_step = std::min(of_step, t.stage);
      stage = std::max(stage, t.stage);
    });
    // Whether all that read then are one pass, and could do so along the same lines.
    bool chains = stage >= 0;
    int along = -1;
    passed_step reader;
    reading link;
    const auto means_the_same = [&](const passed_step& t, const reading& r) {
      if (t.pass != reader.pass) return false;
      for (int l = 0; l < problem_.label_count; ++l) {
        if (l != along && contains(result_labels(first) & ~batch, l) &&
            t.like[r.to_label[l]] != reader.like[link.to_label[l]])
          return false;
      }
      return true;
    };
    for_each_reading([&](const passed_step& t, int v, const reading& r) {
      if (t.stage != stage || !chains) return;
      const int label = chained_label(t, v, r, batch);
      chains = label >= 0 && (along < 0 || (label == along && means_the_same(t, r)));
      along = label;
      reader = t;
      link = r;
    });
    const int rows = rows_of_unit(first, end, batch, chains ? along : -1);
    chains = chains && rows == along;
    const int pass = chains ? reader.pass : passes++;
    if (!chains) ++stage;
    for (int s = end - 1; s >= first; --s) {
      const int read_last = last[static_cast<std::size_t>(s - first)];
      passed_step p;
      p.step = s;
      p.stage = stage;
      p.last_stage = read_last == nobody ? stage : read_last;
      p.pass = pass;
      p.rows = rows;
      p.lines = result_labels(s) & ~batch & ~(rows < 0 ? label_set{0} : bit(rows));
      for (int l = 0; l < problem_.label_count; ++l)
        p.like[l] = chains && contains(p.lines, l) ? reader.like[link.to_label[l]] : l;
      p.end_of_unit = end;
      p.turns = is_final(s) && has_sum(s) && rows >= 0 &&
                lies_across(value(n_ + s), rows, result_labels(s) & ~batch);
      p.leaves = !is_final(s) && p.last_stage != stage && end - first > 1;
      p.in_registers = p.leaves || (!is_final(s) && p.last_stage == stage);
      made.push_back(p);
    }
  }
};

}  // namespace tenfold
