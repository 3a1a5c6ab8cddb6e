#pragma once

#include <string_view>
#include <tenfold/contraction/explanation.hpp>
#include <tenfold/contraction/lower.hpp>
#include <tenfold/contraction/merge_labels.hpp>

/// What every part of an explanation goes by: labels as they were said, points and bytes of values.
namespace tenfold {

template <limits M, limits L, class Program>
class explained_values {
 protected:
  constexpr explained_values(const label_names<L>& names, std::string_view text,
                             const problem<L>& p, const contraction_plan<L>& plan,
                             const Program* program, const capabilities& caps, bool overwrites,
                             bool static_tiles)
      : names_(names),
        text_(text),
        problem_(p),
        plan_(plan),
        program_(program),
        caps_(caps),
        overwrites_(overwrites),
        static_tiles_(static_tiles),
        n_(p.input_count) {}

  constexpr void name(int l) {
    label_text& to = out_.names[l];
    const label_name& from = names_.name[l];
    to.length = from.length <= label_text::max_length ? from.length : label_text::max_length;
    for (int i = 0; i < to.length; ++i) {
      to.text[i] = text_[static_cast<std::size_t>(from.begin + i)];
    }
    if (from.length > to.length) to.text[to.length - 1] = '~';
  }

  template <int R>
  constexpr label_order put(const label_list<R>& labels) {
    const label_order at{out_.order_count, labels.count};
    for (int i = 0; i < labels.count; ++i) {
      out_.orders[out_.order_count++] = static_cast<std::uint8_t>(labels[i]);
    }
    return at;
  }
  /// The same of what planning made: labels that it had merged are told as they were said.
  template <int R>
  constexpr label_order put_unmerged(const label_list<R>& labels) {
    label_list<L.labels> said;
    for (int i = 0; i < labels.count; ++i)
      for_each_merged(problem_, labels[i], [&](int each) { said.push(each); });
    return put(said);
  }

  constexpr label_set labels_of(int value) const {
    return value < n_ ? problem_.inputs[value].labels : plan_.steps[value - n_].order.set();
  }

  constexpr monomial points(label_set merged) const {
    const label_set labels = before_merging(problem_, merged);
    monomial m{1, 0};
    for (int l = 0; l < problem_.label_count; ++l) {
      if (!contains(labels, l)) continue;
      if (out_.extents[l] == dyn) {
        m.unknown |= bit(l);
      } else {
        m.factor *= static_cast<double>(out_.extents[l]);
      }
    }
    return m;
  }
  constexpr monomial bytes(label_set labels, scalar type) const {
    monomial m = points(labels);
    m.factor *= static_cast<double>(bytes_of(type));
    return m;
  }
  constexpr scalar type_of(int value) const {
    if (value < n_) return problem_.inputs[value].type;
    return value == n_ + plan_.step_count - 1 ? problem_.output.type : problem_.type;
  }
  /// Work that the plan counted once for each value of the labels that it did not know.
  constexpr monomial times_unknown(double work, label_set labels) const {
    label_set left_out = 0;
    for (int l = 0; l < problem_.label_count; ++l) {
      if (contains(labels, l) && problem_.extent[l] == dyn) left_out |= bit(l);
    }
    monomial m = points(left_out);
    m.factor *= work;
    return m;
  }

  static constexpr double intensity(const amount& flops, const amount& bytes) {
    const label_set many = flops.unknown() | bytes.unknown();
    const double per = bytes.factor_of(many);
    return per > 0 ? flops.factor_of(many) / per : 0;
  }

  constexpr void classify(explained_step& e, const plan_step<L>& step) {
    const label_set a = step.renames ? step.order.set() : labels_of(e.a.value),
                    b = e.b.value >= 0 ? labels_of(e.b.value) : 0;
    const label_set kept = step.labels & ~step.contracted;
    e.batch = before_merging(problem_, a & b & kept);
    e.m = before_merging(problem_, a & ~b & kept);
    e.n = before_merging(problem_, b & ~a & kept);
    e.k = before_merging(problem_, step.contracted);
    e.batch_extent = points(e.batch);
    e.m_extent = points(e.m);
    e.n_extent = points(e.n);
    e.k_extent = points(e.k);
  }
  constexpr label_set in_tiles(const explained_phase& in) const {
    label_set all = 0;
    for (int i = 0; i < in.tiles.count; ++i) all |= bit(out_.orders[in.tiles.begin + i]);
    return all;
  }
  constexpr void workspace(explained_step& e, int s) const {
    e.workspace_bytes = static_cast<index>(bytes(plan_.steps[s].order.set(), problem_.type).factor);
  }

  const label_names<L>& names_;
  std::string_view text_;
  const problem<L>& problem_;
  const contraction_plan<L>& plan_;
  const Program* program_;
  const capabilities& caps_;
  bool overwrites_;
  bool static_tiles_;
  int n_;
  index entry_ = static_cast<index>(bytes_of(problem_.type));
  explanation<M> out_{};
};

}  // namespace tenfold
