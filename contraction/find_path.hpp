#pragma once

#include <limits>
#include <tenfold/contraction/cost.hpp>
#include <tenfold/contraction/path.hpp>

/// Which two values are multiplied next. Dynamic programming over connected subsets up to
/// `dynamic_programming_limit` operands (the cheapest pairwise tree under the cost below of those
/// without outer products, or of all where each of these breaks a limit, or where operands share no
/// labels; of exactly so many only if they are connected, but not densely), greedy beyond (smallest
/// growth of live entries first, as opt_einsum's greedy path); or what the caller asks for.
///
/// The former is the search of Pfeifer, Haegeman, Verstraete, "Faster identification of optimal
/// contraction sequences for tensor networks" (2014), without its cap on costs.
///
/// Cost of a tree: flops + entries written, or one of the two. Ties are real (all orders of a
/// tensor product cost the same); they are broken by sum over steps of flops * position of the
/// contracted labels in the operand of higher rank, so that the costliest step contracts the
/// outermost axis and the way back mirrors the way there; see path_ties.
namespace tenfold {

inline constexpr int dynamic_programming_limit = 10;

/// Label order of the product of x and y restricted to `result`: the order of the operand of
/// higher rank, its contracted labels replaced in place by what the other brings; without a
/// contracted label the other's come last.
template <limits L>
constexpr label_list<L.labels> product_order(const label_list<L.labels>& x,
                                             const label_list<L.labels>& y, label_set result) {
  const auto& carrier = y.count > x.count ? y : x;
  const auto& other = y.count > x.count ? x : y;
  label_set open = result & other.set() & ~carrier.set();
  label_list<L.labels> order;
  const auto bring = [&] {
    for (int i = 0; i < other.count; ++i) {
      if (contains(open, other[i])) order.push(other[i]);
    }
    open = 0;
  };
  for (int i = 0; i < carrier.count; ++i) {
    if (contains(result, carrier[i])) {
      order.push(carrier[i]);
    } else {
      bring();
    }
  }
  bring();
  return order;
}

/// Sum of the positions of `contracted` in the operand of higher rank: the tie breaker's weight.
/// The innermost one counts for two more where `keeps_innermost`.
template <limits L>
constexpr int contracted_position(const label_list<L.labels>& x, const label_list<L.labels>& y,
                                  label_set contracted, bool keeps_innermost) {
  const auto& carrier = y.count > x.count ? y : x;
  int sum = 0;
  for (int i = 0; i < carrier.count; ++i) {
    if (contains(contracted, carrier[i])) sum += i;
  }
  const bool is_innermost = carrier.count > 0 && contains(contracted, carrier[carrier.count - 1]);
  return keeps_innermost && is_innermost ? sum + 2 : sum;
}

namespace path_search {

constexpr int lowest_bit(unsigned s) {
  int i = 0;
  while ((s >> i & 1) == 0) ++i;
  return i;
}

/// Cost of one product.
constexpr double cost_of(const path_options& options, double flops, double written) {
  switch (options.objective) {
    case path_objective::flops:
      return flops;
    case path_objective::bytes:
      return written;
    case path_objective::both:
      break;
  }
  return flops + written;
}

/// Beyond the given limit, or one that keeps all numbers of bytes within an index.
constexpr bool too_large(const path_options& options, double entries) {
  const double given = options.largest_intermediate;
  return entries > 0x1p52 || (given > 0 && entries > given);
}

/// Whether the graph of leaves that share labels is connected.
template <limits L>
constexpr bool is_connected(const path_value<L>* leaves, int n) {
  label_set labels = leaves[0].labels;
  unsigned reached = 1;
  for (unsigned before = 0; before != reached;) {
    before = reached;
    for (int i = 0; i < n; ++i) {
      if ((leaves[i].labels & labels) == 0) continue;
      reached |= 1U << i;
      labels |= leaves[i].labels;
    }
  }
  return reached == (1U << n) - 1;
}

/// Whether dynamic programming over ten leaves would try more splits of subsets than the compilers'
/// default budgets for constant evaluation allow (clang: 2^20 steps). So it is where most leaves
/// share a label, or where the graph is not connected.
template <limits L>
constexpr bool is_dense(const path_value<L>* leaves, int n) {
  if (!is_connected<L>(leaves, n)) return true;
  constexpr int most_splits = 8192;
  const unsigned all = (1U << n) - 1;
  auto* united = new label_set[all + 1]{};
  for (unsigned s = 1; s <= all; ++s)
    united[s] = united[s & (s - 1)] | leaves[lowest_bit(s)].labels;
  int splits = 0;
  for (unsigned s = 1; s <= all && splits <= most_splits; ++s) {
    const unsigned rest = s & (s - 1);
    for (unsigned sub = rest; sub != 0;) {
      sub = (sub - 1) & rest;
      splits += (united[(s & ~rest) | sub] & united[rest & ~sub]) != 0;
    }
  }
  delete[] united;
  return splits > most_splits;
}

/// The cheapest tree over n leaves. What is cheapest is found for every subset of them; what
/// decides between trees that cost the same, only for the few that a cheapest tree may hold.
template <limits L>
class cheapest_tree {
 public:
  /// connected: no product is taken of two that share no label.
  constexpr cheapest_tree(const path_value<L>* leaves, int n, label_set output,
                          const index_space<L>& points, const path_options& options, path_ties ties,
                          bool connected)
      : leaves_(leaves),
        n_(n),
        all_((1U << n) - 1),
        points_(points),
        options_(options),
        ties_(ties),
        connected_(connected),
        cost_(new double[all_ + 1]),
        labels_(new label_set[all_ + 1]{}),
        written_(new double[all_ + 1]),
        settled_(new subset* [all_ + 1] {}) {
    for (unsigned s = 1; s <= all_; ++s)
      labels_[s] = labels_[s & (s - 1)] | leaves[lowest_bit(s)].labels;
    // Of the labels of its leaves a subset keeps those that the output or the rest needs. Both
    // halves of the table are still whole where they are read.
    for (unsigned s = 1; s <= all_ / 2; ++s) {
      const label_set inside = labels_[s], outside = labels_[all_ & ~s];
      labels_[s] = inside & (output | outside);
      labels_[all_ & ~s] = outside & (output | inside);
    }
    labels_[all_] &= output;
    for (int leaf = 0; leaf < n; ++leaf) labels_[1U << leaf] = leaves[leaf].labels;
    for (unsigned s = 1; s <= all_; ++s) find_cost(s);
  }
  constexpr ~cheapest_tree() {
    for (unsigned s = 0; s <= all_; ++s) delete settled_[s];
    delete[] settled_;
    delete[] written_;
    delete[] labels_;
    delete[] cost_;
  }
  cheapest_tree(const cheapest_tree&) = delete;

  constexpr contraction_path<L> path() {
    contraction_path<L> path;
    path.found = cost_[all_] < unreached;
    if (path.found) emit(all_, path);
    return path;
  }

 private:
  static constexpr double unreached = std::numeric_limits<double>::infinity();

  /// A subset of the leaves whose tree is chosen.
  struct subset {
    double tie = 0;
    unsigned left = 0;  ///< one side of its last product
    label_list<L.labels> order{};
    int value = -1;  ///< its number in the path, once emitted
  };

  static constexpr bool is_leaf(unsigned s) { return (s & (s - 1)) == 0; }

  constexpr double flops_of(unsigned s, unsigned left) const {
    const label_set both = labels_[left] | labels_[s & ~left];
    return pair_flops(points_(both), (both & ~labels_[s]) != 0);
  }

  constexpr void find_cost(unsigned s) {
    if (is_leaf(s)) {
      cost_[s] = 0;
      return;
    }
    double best = unreached;
    const double written = written_[s] = points_(labels_[s]);
    if (s == all_ || !too_large(options_, written)) {
      const unsigned low = s & (~s + 1), rest = s & ~low;
      // Every split once: the left side holds the lowest leaf.
      for (unsigned sub = rest; sub != 0;) {
        sub = (sub - 1) & rest;
        const unsigned left = sub | low;
        const double below = cost_[left] + cost_[s & ~left];
        if (below >= best || (connected_ && (labels_[left] & labels_[s & ~left]) == 0)) continue;
        const double cost = below + cost_of(options_, flops_of(s, left), written);
        if (cost < best) best = cost;
      }
    }
    cost_[s] = best;
  }

  /// Chooses among the splits that cost least, the first of them where even `tie` does not tell.
  constexpr const subset& settle(unsigned s) {
    if (settled_[s] != nullptr) return *settled_[s];
    subset& here = *(settled_[s] = new subset);
    if (is_leaf(s)) {
      here.value = lowest_bit(s);
      here.order = leaves_[here.value].order;
      return here;
    }
    const unsigned low = s & (~s + 1), rest = s & ~low;
    for (unsigned sub = rest; sub != 0;) {
      sub = (sub - 1) & rest;
      const unsigned left = sub | low, right = s & ~left;
      const double below = cost_[left] + cost_[right];
      if (below > cost_[s] || (connected_ && (labels_[left] & labels_[right]) == 0)) continue;
      const double flops = flops_of(s, left);
      if (below + cost_of(options_, flops, written_[s]) > cost_[s]) continue;
      const subset &x = settle(left), &y = settle(right);
      const label_set contracted = (labels_[left] | labels_[right]) & ~labels_[s];
      const bool is_end = s == all_ || is_leaf(y.order.count > x.order.count ? right : left);
      const int position = contracted_position<L>(x.order, y.order, contracted,
                                                  is_end && ties_ == path_ties::neighbours);
      const double tie = x.tie + y.tie + flops * position;
      if (here.left == 0 || tie < here.tie) {
        here.tie = tie;
        here.left = left;
      }
    }
    here.order =
        product_order<L>(settle(here.left).order, settle(s & ~here.left).order, labels_[s]);
    return here;
  }

  /// Appends the tree under `s`, children first.
  constexpr int emit(unsigned s, contraction_path<L>& path) {
    settle(s);
    subset& here = *settled_[s];
    if (here.value >= 0) return here.value;
    const int a = emit(here.left, path), b = emit(s & ~here.left, path);
    path.a[path.count] = static_cast<std::uint8_t>(a);
    path.b[path.count] = static_cast<std::uint8_t>(b);
    return here.value = n_ + path.count++;
  }

  const path_value<L>* leaves_;
  int n_;
  unsigned all_;
  const index_space<L>& points_;
  const path_options& options_;
  path_ties ties_;
  bool connected_;
  double* cost_;  ///< of every subset, as the next two
  label_set* labels_;
  double* written_;
  subset** settled_;  ///< null: not yet
};

/// Numbers that look random and are the same everywhere (splitmix64, Steele, Lea, Flood 2014).
struct noise {
  std::uint64_t state;

  /// Uniform in [0, 1).
  constexpr double operator()() {
    std::uint64_t z = state += 0x9e3779b97f4a7c15U;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
    z = (z ^ z >> 27) * 0x94d049bb133111ebU;
    return static_cast<double>((z ^ z >> 31) >> 11) * 0x1p-53;
  }
};

/// The values that are left while a path is walked.
template <limits L>
struct live_values {
  path_value<L> value[L.operands] = {};
  std::uint8_t number[L.operands] = {};
  int count = 0;
  double cost = 0;
  contraction_path<L> path{};

  constexpr live_values(const path_value<L>* leaves, int n) : count(n) {
    for (int i = 0; i < L.operands && i < n; ++i) {
      value[i] = leaves[i];
      number[i] = static_cast<std::uint8_t>(i);
    }
  }

  /// The labels of the product of values i and j that others, or the output, need.
  constexpr label_set result_of(int i, int j, label_set output) const {
    label_set others = output;
    for (int k = 0; k < count; ++k) {
      if (k != i && k != j) others |= value[k].labels;
    }
    return (value[i].labels | value[j].labels) & others;
  }

  /// Multiplies values i < j; the product takes the place of j, or the last one.
  constexpr void multiply(int i, int j, label_set result, bool to_the_end, int leaves,
                          const index_space<L>& points, const path_options& options) {
    const label_set both = value[i].labels | value[j].labels;
    const bool within = count == 2 || !too_large(options, points(result));
    path.found = path.found && within;
    cost += cost_of(options, pair_flops(points(both), (both & ~result) != 0), points(result));
    const path_value<L> product{result, product_order<L>(value[i].order, value[j].order, result)};
    path.a[path.count] = number[i];
    path.b[path.count] = number[j];
    const auto product_number = static_cast<std::uint8_t>(leaves + path.count++);
    if (to_the_end) {
      for (const int gone : {j, i}) {
        --count;
        for (int k = gone; k < count; ++k) {
          value[k] = value[k + 1];
          number[k] = number[k + 1];
        }
      }
      value[count] = product;
      number[count++] = product_number;
      return;
    }
    value[i] = product;
    number[i] = product_number;
    value[j] = value[--count];
    number[j] = number[count];
  }
};

/// Multiplies what lets the live entries grow least, each growth blurred by `blur` in [0, 1).
template <limits L>
constexpr live_values<L> greedy(const path_value<L>* leaves, int n, label_set output,
                                const index_space<L>& points, const path_options& options,
                                noise random, double blur) {
  live_values<L> live(leaves, n);
  while (live.count > 1) {
    int best_i = 0, best_j = 1;
    double best = std::numeric_limits<double>::infinity(), best_flops = best;
    for (int i = 0; i < live.count; ++i) {
      for (int j = i + 1; j < live.count; ++j) {
        const double result = points(live.result_of(i, j, output));
        if (live.count > 2 && too_large(options, result)) continue;
        double growth = result - points(live.value[i].labels) - points(live.value[j].labels);
        if (blur > 0) growth += (growth < 0 ? -growth : growth) * blur * (random() - 0.5);
        const double flops = points(live.value[i].labels | live.value[j].labels);
        if (growth < best || (growth == best && flops < best_flops)) {
          best = growth;
          best_flops = flops;
          best_i = i;
          best_j = j;
        }
      }
    }
    live.multiply(best_i, best_j, live.result_of(best_i, best_j, output), false, n, points,
                  options);
  }
  return live;
}

template <limits L>
constexpr contraction_path<L> random_greedy(const path_value<L>* leaves, int n, label_set output,
                                            const index_space<L>& points,
                                            const path_options& options) {
  noise seeds{options.seed};
  live_values<L> best = greedy<L>(leaves, n, output, points, options, noise{0}, 0);
  for (int t = 1; t < options.tries; ++t) {
    const double blur = seeds();
    const noise random{static_cast<std::uint64_t>(seeds() * 0x1p53)};
    const live_values<L> next = greedy<L>(leaves, n, output, points, options, random, blur);
    if (next.path.found && (!best.path.found || next.cost < best.cost)) best = next;
  }
  return best.path;
}

template <limits L>
constexpr contraction_path<L> given(const path_value<L>* leaves, int n, label_set output,
                                    const index_space<L>& points, const path_options& options) {
  live_values<L> live(leaves, n);
  bool valid = options.pair_count == n - 1;
  for (int s = 0; valid && s < options.pair_count; ++s) {
    const int x = options.pairs[s][0], y = options.pairs[s][1];
    const int i = x < y ? x : y, j = x < y ? y : x;
    valid = i != j && j < live.count;
    if (valid) live.multiply(i, j, live.result_of(i, j, output), true, n, points, options);
  }
  live.path.found = live.path.found && valid;
  return live.path;
}

}  // namespace path_search

/// The order in which `n` values are multiplied into one that keeps the labels `output`.
template <limits L>
constexpr contraction_path<L> find_path(const path_value<L>* leaves, int n, label_set output,
                                        const index_space<L>& points,
                                        const path_options& options = {},
                                        path_ties ties = path_ties::outermost) {
  if (n < 2) return {};
  path_method method = options.method;
  if (method == path_method::automatic) {
    const bool quick = n < dynamic_programming_limit ||
                       (n == dynamic_programming_limit && !path_search::is_dense<L>(leaves, n));
    method = quick ? path_method::dynamic_programming : path_method::greedy;
  }
  if (method == path_method::dynamic_programming && n > 16) method = path_method::greedy;
  switch (method) {
    case path_method::given:
      return path_search::given<L>(leaves, n, output, points, options);
    case path_method::random_greedy:
      return path_search::random_greedy<L>(leaves, n, output, points, options);
    case path_method::greedy:
      return path_search::greedy<L>(leaves, n, output, points, options, path_search::noise{0}, 0)
          .path;
    default:
      break;
  }
  const auto cheapest = [&](bool connected) {
    return path_search::cheapest_tree<L>(leaves, n, output, points, options, ties, connected)
        .path();
  };
  const bool connected = path_search::is_connected<L>(leaves, n);
  const contraction_path<L> path = cheapest(connected);
  // An outer product of few entries may keep a limit that no other order keeps.
  return path.found || !connected ? path : cheapest(false);
}

}  // namespace tenfold
