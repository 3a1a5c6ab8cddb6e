#pragma once

#include <algorithm>
#include <optional>
#include <tenfold/backend/interface/select/library_products.hpp>
#include <tenfold/contraction/lower_fused.hpp>
#include <tenfold/contraction/product_groups.hpp>

/// Which steps of a plan are one launch on a device, elements of a batch going through all of them
/// in shared memory, and which are launches of their own.
namespace tenfold {

template <limits L>
class device_batching : protected device_fusion<L> {
  using base = device_fusion<L>;

 protected:
  using base::arrange, base::device_, base::extent, base::in_shared_memory, base::is_alias,
      base::is_final, base::is_table, base::labels_of, base::lay, base::lay_out, base::n_,
      base::order_of, base::output, base::plan_, base::points, base::problem_, base::read,
      base::result_labels, base::root, base::value, base::values_;
  using typename base::placed_value;

  using base::base;

  /// Whether no step sums over a label, or calls it by another name.
  bool stays(int label) const {
    for (int s = 0; s < plan_.step_count; ++s) {
      const plan_step<L>& step = plan_.steps[s];
      if (contains(step.contracted, label)) return false;
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
    const label_set carrying = steps_that_carry(best);
    label_set fused = carrying;
    label_set batch = bit(best);
    int loops = 1;
    const auto fits = [&] {
      const auto given = values_;
      for (int v = 0; v < n_; ++v)
        if (is_table(value(v), batch)) value(v).where = device_memory::block;
      for (int s = 0; s < plan_.step_count; ++s) {
        value(n_ + s) = is_final(s)   ? output()
                        : is_alias(s) ? read(s)
                        : contains(fused, s)
                            ? in_shared_memory(s, batch)
                            : lay(plan_.steps[s].order, device_memory::global).place;
      }
      const index entries = lay_out(arrange(fused, batch), batch, 0, [](int, index, int) {});
      values_ = given;
      return entries <= room();
    };
    const auto fills = [&] {
      const index elements = points(batch);
      return elements >= select::device_elements_wanted(device_) ||
             plan_.flops <= select::device_idle_flops * static_cast<double>(elements);
    };
    for (int i = 0; i < order.count && (!fits() || !fills()) && loops < max_batch_loops; ++i) {
      const int l = order[i];
      if (contains(batch, l) || !stays(l) || steps_that_carry(l) != carrying) continue;
      batch |= bit(l);
      ++loops;
    }
    if (!fits() || (!fills() && problem_.batch < 0)) return;
    if (problem_.batch < 0) {
      // Those that stand alone run before all that is fused.
      const label_set alone = products_alone(fused, batch);
      fused &= ~alone;
      if ((alone & readers_of(fused)) != 0 || steps_in(fused) < 2 || !fits()) return;
    }
    fused_ = fused;
    fused_batch_ = batch;
  }

  /// Steps that read the result of one of these, or of a step that does.
  label_set readers_of(label_set steps) const {
    label_set readers = 0;
    for (int s = 0; s < plan_.step_count; ++s) {
      const plan_step<L>& step = plan_.steps[s];
      for (const int v : {step.a, step.b, step.c})
        if (v >= n_ && contains(steps | readers, v - n_)) readers |= bit(s);
    }
    return readers;
  }

  /// Of these steps, elements of this batch, the products that are launches of their own.
  label_set products_alone(label_set fused, label_set batch) {
    const auto given = values_;
    for (int s = 0; s < plan_.step_count; ++s)
      value(n_ + s) = is_final(s)   ? output()
                      : is_alias(s) ? read(s)
                                    : lay(plan_.steps[s].order, device_memory::global).place;
    const auto bytes = [&](label_set labels) {
      return static_cast<double>(points(labels)) * static_cast<double>(bytes_of(problem_.type));
    };
    const auto room = static_cast<double>(select::device_table_room(device_));
    label_set products = 0;
    double in_blocks = 0, alone = 0, passed = 0;
    for (int s = 0; s < plan_.step_count; ++s) {
      if (!contains(fused, s) || is_alias(s)) continue;
      const plan_step<L>& step = plan_.steps[s];
      if (!is_final(s)) passed += bytes(result_labels(s));
      for (const int v : {step.a, step.b, step.c})
        if (v >= n_ && contains(fused, v - n_)) passed += bytes(labels_of(v));
      const auto product = product_of(s);
      if (!product || is_table(value(step.a), batch) || is_table(value(step.b), batch)) continue;
      products |= bit(s);
      select::device_chained_product x;
      x.products = static_cast<double>(points(result_labels(s) | step.contracted));
      for (const int v : {step.a, step.b}) {
        const label_set labels = labels_of(v);
        const bool is_common = (labels & batch) != batch;
        if (is_common && bytes(labels & ~batch) > room) x.again += bytes(labels | batch);
      }
      x.by_library = suits_library(*product);
      in_blocks += select::device_seconds_in_blocks(x, problem_.type, device_);
      alone += select::device_seconds_alone(x, problem_.type, device_);
    }
    values_ = given;
    const int more = steps_in(fused) - 1;
    return select::device_separates(in_blocks, alone, passed, more, device_) ? products : 0;
  }
  static bool suits_library(const phase_product& x) {
    const index least = std::min({x.problem_a, x.problem_b, x.problem_c});
    return select::library_product_of(x.shape, least).possible;
  }
  index room() const {
    return device_.shared_bytes_block / static_cast<index>(bytes_of(problem_.type));
  }

  // --- products ---

  bool in_slabs(int s) const { return slab_ >= 0 && contains(result_labels(s), slab_); }

  /// Step s as a product of matrices, or a batch of them, if it is one; its operands are no places
  /// of a phase yet.
  std::optional<phase_product> product_of(int s) const {
    const plan_step<L>& step = plan_.steps[s];
    if (step.b < 0 || step.c >= 0 || step.sign != 1 || step.contracted == 0) return {};
    const placed_value a = read(s), b = value(step.b), c = value(n_ + s);
    for (const placed_value* x : {&a, &b, &c}) {
      if (x->mapped || x->type != problem_.type) return {};
    }
    product_groups<L.labels> groups;
    for (int l = 0; l < problem_.label_count; ++l) {
      if (!contains(step.labels, l) || l == slab_) continue;
      groups.add(contains(step.contracted, l), contains(a.labels, l), contains(b.labels, l),
                 {extent(l), a.stride[l], b.stride[l], c.stride[l]});
    }
    groups.fold_each();
    if (groups.batch.count == 0) {
      for (auto* g : {&groups.rows, &groups.columns}) {
        if (g->count == 2 && groups.batch.count == 0)
          groups.batch.add(take_farthest(g->loops, g->count));
      }
    }
    if (in_slabs(s)) {
      // Elements are the outermost problems, so that a text does not say how many there are.
      const index elements = extent(slab_);
      auto& batch = groups.batch;
      if (batch.count > 1) return {};
      step_loop& t = batch.loops[0];
      if (batch.count == 0)
        t = {1, a.stride[slab_], b.stride[slab_], c.stride[slab_]};
      else if (elements > 1 &&
               (a.stride[slab_] != t.a * t.extent || b.stride[slab_] != t.b * t.extent ||
                c.stride[slab_] != t.c * t.extent))
        return {};
      batch.count = 1;
      t.extent *= elements;
    }
    const auto only = [](const auto& g) { return g.count == 0 ? step_loop{} : g.loops[0]; };
    if (groups.batch.count > 1 || groups.rows.count > 1 || groups.columns.count > 1 ||
        groups.sums.count != 1 || groups.rows.count + groups.columns.count == 0)
      return {};
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
      return {};
    product.problem_a = t.a;
    product.problem_b = t.b;
    product.problem_c = t.c;
    product.count = t.extent;
    product.finishes = is_final(s);
    return product;
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

  int slab_ = -1;                          ///< the label that counts the elements of a slab
  label_set fused_ = 0, fused_batch_ = 0;  ///< steps, and the labels that are their batch
};

}  // namespace tenfold
