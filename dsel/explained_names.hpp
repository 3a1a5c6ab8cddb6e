#pragma once

#include <string>
#include <tenfold/contraction/explanation.hpp>
#include <tenfold/dsel/print_text.hpp>

namespace tenfold::printing {

/// What an explanation speaks of, as text: labels, values, steps and amounts.
class explained_names {
 public:
  explicit explained_names(const explanation_view& e) : e_(e), s_(*e.summary) {}

  std::string name(int label) const {
    const label_text& t = e_.names[label];
    const std::string text(t.text, static_cast<std::size_t>(t.length));
    return t.length == 1 ? text : "[" + text + "]";
  }
  /// A label and those that were merged into it, outermost first.
  std::string merged(int label) const {
    const int outside = e_.outside[label];
    return (outside == 0 ? "" : merged(outside - 1)) + name(label);
  }
  std::string names(const label_order& order) const {
    std::string text;
    for (int i = 0; i < order.count; ++i) text += name(e_.orders[order.begin + i]);
    return text;
  }
  std::string names(label_set labels) const {
    std::string text;
    for (int l = 0; l < s_.label_count; ++l) {
      if (contains(labels, l)) text += name(l);
    }
    return text.empty() ? "-" : text;
  }
  /// Whether the result of a step is another value under other labels, and nothing is done for it.
  bool is_name(int step) const { return e_.steps[step].kernel == micro_kernel::renamed; }
  /// An input by its position, the result of a step as t1, t2, ..., out.
  std::string value(int v) const {
    if (v >= s_.input_count) {
      const int step = v - s_.input_count;
      return is_name(step) ? value(e_.steps[step].a.value) : result(step);
    }
    if (s_.kernel.empty()) return std::to_string(v);
    const explained_input& from = e_.sources[v];
    return std::string(from.name) + (from.slice < 0 ? "" : format("[%d]", from.slice));
  }
  /// The terms of a sum are one value.
  std::string result(int step) const {
    for (int s = step + 1; s < s_.step_count; ++s) {
      if (e_.steps[s].adds_to == s_.input_count + step) return result(s);
    }
    return step + 1 == s_.step_count ? "out" : format("t%d", step + 1);
  }
  std::string results(int first, int last) const {
    const std::string from = result(first), to = result(last);
    return from == to ? to : from + "-" + to;
  }
  std::string with_labels(int v) const {
    const label_order& order =
        v < s_.input_count ? e_.inputs[v] : e_.steps[v - s_.input_count].order;
    const std::string labels = names(order);
    return value(v) + (labels.empty() ? "" : " " + labels);
  }

  /// 25 e
  std::string show(const monomial& m) const {
    if (m.unknown == 0 || m.factor != 1) return number(m.factor) + unknown_of(m.unknown);
    return unknown_of(m.unknown).substr(1);
  }
  /// 1200 + 3736 e
  template <class F>
  std::string show(const amount& a, F unit) const {
    std::string text;
    for (int t = 0; t < a.count; ++t) {
      text += (t > 0 ? " + " : "") + unit(a.terms[t].factor) + unknown_of(a.terms[t].unknown);
    }
    if (!a.complete) text += " + ...";
    return text.empty() ? unit(0) : text;
  }
  std::string show_number(const amount& a) const {
    return show(a, [](double x) { return number(x); });
  }

 protected:
  const explanation_view& e_;
  const explanation_summary& s_;

 private:
  std::string unknown_of(label_set labels) const {
    std::string text;
    for (int l = 0; l < s_.label_count; ++l) {
      if (contains(labels, l)) (text += ' ') += name(l);
    }
    return text;
  }
};

}  // namespace tenfold::printing
