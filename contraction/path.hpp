#pragma once

#include <limits>
#include <memory>
#include <tenfold/contraction/cost.hpp>

/// Which two values are multiplied next. Dynamic programming over connected subsets up to
/// `dynamic_programming_limit` operands (the optimal pairwise tree under the cost below), greedy
/// beyond (smallest growth of live entries first, as opt_einsum's greedy path).
///
/// Cost of a tree: flops + entries written. Ties are real (all orders of a tensor product cost the
/// same); they are broken by sum over steps of flops * position of the contracted labels in the
/// operand of higher rank, so that the costliest step contracts the outermost axis and the way
/// back mirrors the way there.
namespace tenfold {

inline constexpr int dynamic_programming_limit = 10;

/// One leaf or intermediate of the search.
template <limits L>
struct path_value {
  label_set labels = 0;
  label_list<L.labels> order{};
};

/// The pairs in order. Values: the leaves first, then each result.
template <limits L>
struct contraction_path {
  int count = 0;
  std::uint8_t a[L.operands] = {}, b[L.operands] = {};
};

/// Label order of the product of x and y restricted to `result`: the order of the operand of
/// higher rank, its contracted labels replaced in place by what the other brings; without a
/// contracted label the other's come last.
template <limits L>
constexpr label_list<L.labels> product_order(const label_list<L.labels>& x, const label_list<L.labels>& y,
                                           label_set result) {
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
template <limits L>
constexpr int contracted_position(const label_list<L.labels>& x, const label_list<L.labels>& y,
                                  label_set contracted) {
  const auto& carrier = y.count > x.count ? y : x;
  int sum = 0;
  for (int i = 0; i < carrier.count; ++i) {
    if (contains(contracted, carrier[i])) sum += i;
  }
  return sum;
}

namespace path_search {

constexpr int lowest_bit(unsigned s) {
  int i = 0;
  while ((s >> i & 1) == 0) ++i;
  return i;
}

/// Best known way to one subset of the leaves.
template <limits L>
struct subset {
  double cost = std::numeric_limits<double>::infinity();
  double tie = 0;
  unsigned left = 0;    ///< one side of the best split
  label_set labels = 0;  ///< of the result
  label_list<L.labels> order{};
  int value = -1;  ///< its number in the path, once emitted
};

/// Appends the tree under `s`, children first.
template <limits L>
constexpr int emit(subset<L>* table, unsigned s, int leaves, contraction_path<L>& path) {
  subset<L>& here = table[s];
  if (here.value >= 0) return here.value;
  const int a = emit(table, here.left, leaves, path);
  const int b = emit(table, s & ~here.left, leaves, path);
  path.a[path.count] = static_cast<std::uint8_t>(a);
  path.b[path.count] = static_cast<std::uint8_t>(b);
  return here.value = leaves + path.count++;
}

template <limits L>
constexpr contraction_path<L> dynamic_programming(const path_value<L>* leaves, int n,
                                                  label_set output, const index_space<L>& points) {
  const unsigned all = (1U << n) - 1;
  // Labels of each subset's leaves; a subset keeps those that the output or the rest needs.
  auto* table = new subset<L>[all + 1];
  auto* united = new label_set[all + 1]{};
  for (unsigned s = 1; s <= all; ++s) united[s] = united[s & (s - 1)] | leaves[lowest_bit(s)].labels;

  // Is the graph of leaves that share labels connected? If not, everything counts as connected.
  unsigned reached = 1;
  for (unsigned before = 0; before != reached;) {
    before = reached;
    for (int i = 0; i < n; ++i) {
      if ((leaves[i].labels & united[reached]) != 0) reached |= 1U << i;
    }
  }
  const bool connected = reached == all;

  for (unsigned s = 1; s <= all; ++s) {
    subset<L>& here = table[s];
    here.labels = united[s] & (output | united[all & ~s]);
    if ((s & (s - 1)) == 0) {
      const int leaf = lowest_bit(s);
      here.cost = 0;
      here.value = leaf;
      here.order = leaves[leaf].order;
      here.labels = leaves[leaf].labels;
      continue;
    }
    const double written = points(here.labels);
    const unsigned low = s & (~s + 1);
    const unsigned rest = s & ~low;
    // Every split once: the left side holds the lowest leaf.
    for (unsigned sub = rest; sub != 0;) {
      sub = (sub - 1) & rest;
      const unsigned left = sub | low;
      const subset<L>& x = table[left];
      const subset<L>& y = table[s & ~left];
      const double below = x.cost + y.cost;
      if (below <= here.cost && (!connected || (x.labels & y.labels) != 0)) {
        const label_set labels = x.labels | y.labels;
        const label_set contracted = labels & ~here.labels;
        const double flops = pair_flops(points(labels), contracted != 0);
        const double cost = below + flops + written;
        if (cost <= here.cost) {
          const double tie =
              x.tie + y.tie + flops * contracted_position<L>(x.order, y.order, contracted);
          if (cost < here.cost || tie < here.tie) {
            here.cost = cost;
            here.tie = tie;
            here.left = left;
          }
        }
      }
    }
    if (here.left != 0) {
      here.order = product_order<L>(table[here.left].order, table[s & ~here.left].order, here.labels);
    }
  }
  contraction_path<L> path;
  emit(table, all, n, path);
  delete[] united;
  delete[] table;
  return path;
}

template <limits L>
constexpr contraction_path<L> greedy(const path_value<L>* leaves, int n, label_set output,
                                     const index_space<L>& points) {
  path_value<L> live[L.operands] = {};
  std::uint8_t number[L.operands] = {};
  for (int i = 0; i < n; ++i) {
    live[i] = leaves[i];
    number[i] = static_cast<std::uint8_t>(i);
  }
  contraction_path<L> path;
  for (int left = n; left > 1; --left) {
    int best_i = 0, best_j = 1;
    double best = std::numeric_limits<double>::infinity(), best_flops = best;
    label_set best_result = 0;
    for (int i = 0; i < left; ++i) {
      for (int j = i + 1; j < left; ++j) {
        label_set others = output;
        for (int k = 0; k < left; ++k) {
          if (k != i && k != j) others |= live[k].labels;
        }
        const label_set both = live[i].labels | live[j].labels;
        const label_set result = both & others;
        const double growth = points(result) - points(live[i].labels) - points(live[j].labels);
        const double flops = points(both);
        if (growth < best || (growth == best && flops < best_flops)) {
          best = growth;
          best_flops = flops;
          best_i = i;
          best_j = j;
          best_result = result;
        }
      }
    }
    path.a[path.count] = number[best_i];
    path.b[path.count] = number[best_j];
    live[best_i] = {best_result,
                    product_order<L>(live[best_i].order, live[best_j].order, best_result)};
    number[best_i] = static_cast<std::uint8_t>(n + path.count++);
    live[best_j] = live[left - 1];
    number[best_j] = number[left - 1];
  }
  return path;
}

}  // namespace path_search

/// The order in which `n` values are multiplied into one that keeps the labels `output`.
template <limits L>
constexpr contraction_path<L> find_path(const path_value<L>* leaves, int n, label_set output,
                                        const index_space<L>& points) {
  if (n < 2) return {};
  return n <= dynamic_programming_limit
             ? path_search::dynamic_programming<L>(leaves, n, output, points)
             : path_search::greedy<L>(leaves, n, output, points);
}

}  // namespace tenfold
