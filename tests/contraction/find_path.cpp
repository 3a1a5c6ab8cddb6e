#include <tenfold/contraction/find_path.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

namespace tenfold::testing {
namespace {

constexpr limits L = large_limits;

/// A random network: leaves, output, extents.
struct network {
  problem<L> extents{};
  std::vector<path_value<L>> leaves;
  label_set output = 0;

  int count() const { return static_cast<int>(leaves.size()); }
  index_space<L> points() const { return {extents, nominal_extent}; }
};

network random_network(std::mt19937& g, int leaves, int labels) {
  const auto up_to = [&](int n) { return static_cast<int>(g() % static_cast<unsigned>(n)); };
  network net;
  net.leaves.resize(static_cast<std::size_t>(leaves));
  net.extents.label_count = labels;
  for (int l = 0; l < labels; ++l) {
    net.extents.extent[l] = 2 + up_to(9);
    if (up_to(3) == 0) net.output |= bit(l);
    // At least two holders, or one and the output: private labels are summed before.
    const int holders = contains(net.output, l) ? 1 + up_to(2) : 2 + (up_to(5) == 0);
    for (int n = 0; n < holders;) {
      auto& leaf = net.leaves[static_cast<std::size_t>(up_to(leaves))];
      if (contains(leaf.labels, l)) {
        ++n;
        continue;
      }
      leaf.labels |= bit(l);
      leaf.order.push(l);
      ++n;
    }
  }
  label_set once = 0, twice = net.output;
  for (const auto& leaf : net.leaves) {
    twice |= once & leaf.labels;
    once |= leaf.labels;
  }
  net.output |= once & ~twice;
  return net;
}

bool is_connected(const network& net) {
  label_set reached = net.leaves[0].labels;
  std::vector<bool> in(net.leaves.size(), false);
  in[0] = true;
  for (bool grew = true; grew;) {
    grew = false;
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (in[i] || (net.leaves[i].labels & reached) == 0) continue;
      in[i] = grew = true;
      reached |= net.leaves[i].labels;
    }
  }
  for (const bool b : in) {
    if (!b) return false;
  }
  return true;
}

/// What the result of x and y keeps.
label_set kept(const std::vector<label_set>& live, std::size_t x, std::size_t y, label_set output) {
  label_set needed = output;
  for (std::size_t i = 0; i < live.size(); ++i) {
    if (i != x && i != y) needed |= live[i];
  }
  return (live[x] | live[y]) & needed;
}

double pair_cost(const index_space<L>& points, label_set both, label_set result) {
  return pair_flops(points(both), both != result) + points(result);
}

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The least cost of all pairwise trees whose intermediates have at most `most` entries; in a
/// connected network of those whose pairs share a label.
double exhaustive(const std::vector<label_set>& live, label_set output,
                  const index_space<L>& points, bool connected, double most = infinity) {
  if (live.size() == 1) return 0;
  double best = infinity;
  for (std::size_t x = 0; x < live.size(); ++x) {
    for (std::size_t y = x + 1; y < live.size(); ++y) {
      if (connected && (live[x] & live[y]) == 0) continue;
      const label_set result = kept(live, x, y, output);
      if (live.size() > 2 && points(result) > most) continue;
      std::vector<label_set> next;
      for (std::size_t i = 0; i < live.size(); ++i) {
        if (i != x && i != y) next.push_back(live[i]);
      }
      next.push_back(result);
      const double cost = pair_cost(points, live[x] | live[y], result) +
                          exhaustive(next, output, points, connected, most);
      if (cost < best) best = cost;
    }
  }
  return best;
}

/// The cost of a path; it must use every value once and leave one that keeps the output.
double cost_of(const network& net, const contraction_path<L>& path) {
  std::vector<label_set> values;
  for (const auto& leaf : net.leaves) values.push_back(leaf.labels);
  std::vector<bool> used(2 * net.leaves.size(), false);
  const auto points = net.points();
  double cost = 0;
  REQUIRE(path.count == net.count() - 1);
  for (int s = 0; s < path.count; ++s) {
    label_set needed = net.output;
    REQUIRE(path.a[s] < values.size());
    REQUIRE(path.b[s] < values.size());
    CHECK(path.a[s] != path.b[s]);
    CHECK(!used[path.a[s]]);
    CHECK(!used[path.b[s]]);
    used[path.a[s]] = used[path.b[s]] = true;
    for (std::size_t v = 0; v < values.size(); ++v) {
      if (!used[v]) needed |= values[v];
    }
    const label_set both = values[path.a[s]] | values[path.b[s]];
    values.push_back(both & needed);
    cost += pair_cost(points, both, both & needed);
  }
  CHECK(values.back() == net.output);
  return cost;
}

contraction_path<L> path_of(const network& net, const path_options& options = {},
                            path_ties ties = path_ties::outermost) {
  return find_path<L>(net.leaves.data(), net.count(), net.output, net.points(), options, ties);
}

path_options with(path_method method) {
  path_options options;
  options.method = method;
  return options;
}

/// The most entries of an intermediate.
double largest_intermediate(const network& net, const contraction_path<L>& path) {
  std::vector<label_set> live;
  for (const auto& leaf : net.leaves) live.push_back(leaf.labels);
  std::vector<bool> used(2 * net.leaves.size(), false);
  double largest = 0;
  for (int s = 0; s + 1 < path.count; ++s) {
    used[path.a[s]] = used[path.b[s]] = true;
    label_set needed = net.output;
    for (std::size_t v = 0; v < live.size(); ++v) {
      if (!used[v]) needed |= live[v];
    }
    live.push_back((live[path.a[s]] | live[path.b[s]]) & needed);
    largest = std::max(largest, net.points()(live.back()));
  }
  return largest;
}

}  // namespace

TEST_CASE("the path of up to six operands is as cheap as the best of all trees") {
  std::mt19937 g(1);
  int disconnected = 0;
  for (int n = 0; n < 600; ++n) {
    const int leaves = 2 + static_cast<int>(g() % 5);
    const network net = random_network(g, leaves, 1 + static_cast<int>(g() % 9));
    std::vector<label_set> live;
    for (const auto& leaf : net.leaves) live.push_back(leaf.labels);
    const bool connected = is_connected(net);
    disconnected += !connected;
    CHECK(cost_of(net, path_of(net)) ==
          doctest::Approx(exhaustive(live, net.output, net.points(), connected)).epsilon(1e-12));
  }
  CHECK(disconnected > 50);
}

TEST_CASE("up to ten operands are planned by dynamic programming, more of them greedily") {
  std::mt19937 g(2);
  for (int leaves = 7; leaves <= 32; ++leaves) {
    for (int n = 0; n < 10; ++n) {
      const network net = random_network(g, leaves, 2 * leaves > 60 ? 60 : 2 * leaves);
      const double cost = cost_of(net, path_of(net));
      const double greedy_cost = cost_of(net, path_of(net, with(path_method::greedy)));
      CAPTURE(leaves);
      if (leaves > dynamic_programming_limit) {
        CHECK(cost == greedy_cost);
      } else if (is_connected(net)) {
        CHECK(cost <= greedy_cost * (1 + 1e-12));
      }
    }
  }
}

TEST_CASE("noise never makes the greedy path worse, and one seed gives one path") {
  std::mt19937 g(3);
  int better = 0;
  for (int n = 0; n < 40; ++n) {
    const network net = random_network(g, 12, 24);
    path_options random = with(path_method::random_greedy);
    random.seed = 7;
    const auto path = path_of(net, random);
    const double cost = cost_of(net, path);
    const double greedy = cost_of(net, path_of(net, with(path_method::greedy)));
    CHECK(cost <= greedy);
    better += cost < greedy;
    const auto again = path_of(net, random);
    for (int s = 0; s < path.count; ++s) {
      CHECK(path.a[s] == again.a[s]);
      CHECK(path.b[s] == again.b[s]);
    }
  }
  CHECK(better > 5);
}

TEST_CASE("a limit on intermediates is kept, or no path is found") {
  std::mt19937 g(4);
  int found = 0, lost = 0;
  for (const path_method method :
       {path_method::automatic, path_method::greedy, path_method::random_greedy}) {
    for (int n = 0; n < 60; ++n) {
      const network net = random_network(g, 6, 10);
      const auto free = path_of(net, with(method));
      path_options limited = with(method);
      limited.largest_intermediate = largest_intermediate(net, free) / 2;
      if (limited.largest_intermediate < 1) continue;
      const auto path = path_of(net, limited);
      ++(path.found ? found : lost);
      if (path.found) CHECK(largest_intermediate(net, path) <= limited.largest_intermediate);
    }
  }
  CHECK(found > 10);
  CHECK(lost > 10);
}

TEST_CASE("outer products are taken where every other order breaks the limit") {
  std::mt19937 g(6);
  int outer = 0, none = 0;
  for (int n = 0; n < 200; ++n) {
    const network net = random_network(g, 5, 7);
    if (!is_connected(net)) continue;
    std::vector<label_set> live;
    for (const auto& leaf : net.leaves) live.push_back(leaf.labels);
    path_options limited;
    limited.largest_intermediate = std::max(1.0, largest_intermediate(net, path_of(net)) / 2);
    const auto least = [&](bool connected) {
      return exhaustive(live, net.output, net.points(), connected, limited.largest_intermediate);
    };
    const double inner = least(true), all = inner < infinity ? inner : least(false);
    const auto path = path_of(net, limited);
    CHECK(path.found == (all < infinity));
    outer += path.found && inner == infinity;
    none += !path.found;
    if (path.found) CHECK(cost_of(net, path) == doctest::Approx(all).epsilon(1e-12));
  }
  CHECK(outer > 0);
  CHECK(none > 10);
}

TEST_CASE("the objective is what the path has least of") {
  std::mt19937 g(5);
  int differ = 0;
  for (int n = 0; n < 100; ++n) {
    const network net = random_network(g, 6, 9);
    const auto work = [&](path_objective objective, bool flops) {
      path_options options;
      options.objective = objective;
      const auto path = path_of(net, options);
      std::vector<label_set> live;
      for (const auto& leaf : net.leaves) live.push_back(leaf.labels);
      std::vector<bool> used(2 * net.leaves.size(), false);
      double sum = 0;
      for (int s = 0; s < path.count; ++s) {
        used[path.a[s]] = used[path.b[s]] = true;
        label_set needed = net.output;
        for (std::size_t v = 0; v < live.size(); ++v) {
          if (!used[v]) needed |= live[v];
        }
        const label_set both = live[path.a[s]] | live[path.b[s]];
        live.push_back(both & needed);
        const auto points = net.points();
        sum += flops ? pair_flops(points(both), both != live.back()) : points(live.back());
      }
      return sum;
    };
    const double least_flops = work(path_objective::flops, true);
    const double least_bytes = work(path_objective::bytes, false);
    CHECK(least_flops <= work(path_objective::both, true));
    CHECK(least_bytes <= work(path_objective::both, false));
    differ += least_bytes < work(path_objective::flops, false);
  }
  CHECK(differ > 5);
}

TEST_CASE("a given path is taken as NumPy and opt_einsum write it") {
  std::mt19937 g(6);
  const network net = random_network(g, 4, 6);
  path_options options = with(path_method::given);
  options.pair_count = 3;
  // (0, 2) of 0 1 2 3 leaves 1 3 4; (1, 2) of these leaves 1 5.
  const std::uint8_t pairs[3][2] = {{0, 2}, {2, 1}, {0, 1}};
  for (int s = 0; s < 3; ++s) {
    options.pairs[s][0] = pairs[s][0];
    options.pairs[s][1] = pairs[s][1];
  }
  const auto path = path_of(net, options);
  REQUIRE(path.found);
  const int expected[3][2] = {{0, 2}, {3, 4}, {1, 5}};
  for (int s = 0; s < 3; ++s) {
    CHECK(path.a[s] == expected[s][0]);
    CHECK(path.b[s] == expected[s][1]);
  }
  options.pairs[1][0] = 3;
  CHECK(!path_of(net, options).found);
  options.pair_count = 2;
  CHECK(!path_of(net, options).found);
}

TEST_CASE("a path of operands that share nothing ends") {
  for (int leaves = 1; leaves <= 32; ++leaves) {
    network net;
    net.leaves.resize(static_cast<std::size_t>(leaves));
    net.extents.label_count = leaves;
    for (int l = 0; l < leaves; ++l) {
      net.extents.extent[l] = 2;
      net.leaves[static_cast<std::size_t>(l)].labels = bit(l);
      net.leaves[static_cast<std::size_t>(l)].order.push(l);
      net.output |= bit(l);
    }
    CHECK(path_of(net).count == leaves - 1);
    cost_of(net, path_of(net));
  }
}

TEST_CASE("a path of operands without any label ends") {
  network net;
  net.leaves.resize(9);
  CHECK(path_of(net).found);
  CHECK(path_of(net).count == 8);
  CHECK(cost_of(net, path_of(net)) == 16);  // a product and a number written, eight times
}

TEST_CASE("ties contract the outermost axis in the costliest step") {
  // X_i Y_j T_ij -> : both orders cost the same; the first step sums i, the outer label of T.
  network net;
  net.leaves.resize(3);
  net.extents.label_count = 2;
  net.extents.extent[0] = net.extents.extent[1] = 5;
  net.leaves[0].labels = bit(0);
  net.leaves[0].order.push(0);
  net.leaves[1].labels = bit(1);
  net.leaves[1].order.push(1);
  net.leaves[2].labels = bit(0) | bit(1);
  net.leaves[2].order.push(0);
  net.leaves[2].order.push(1);
  const auto path = path_of(net);
  CHECK((path.a[0] == 0 || path.b[0] == 0));
  CHECK((path.a[0] == 2 || path.b[0] == 2));
}

TEST_CASE("ties leave neighbours of what is given, and of the result, to other steps") {
  // X_qi Y_rj Z_sk T_eijk -> eqrs, six orders of one cost, and the way back from eqrs to eijk.
  const auto order_of = [](path_ties ties, bool back) {
    network net;
    net.leaves.resize(4);
    net.extents.label_count = 7;
    for (int l = 0; l < 7; ++l) net.extents.extent[l] = l == 0 ? 50 : l < 4 ? 4 : 5;
    const auto add = [&](int leaf, std::initializer_list<int> labels) {
      auto& x = net.leaves[static_cast<std::size_t>(leaf)];
      for (const int l : labels) {
        x.labels |= bit(l);
        x.order.push(l);
      }
    };
    for (int axis = 0; axis < 3; ++axis) add(axis, {4 + axis, 1 + axis});
    if (back)
      add(3, {0, 4, 5, 6});
    else
      add(3, {0, 1, 2, 3});
    net.output = bit(0);
    for (int l = 0; l < 3; ++l) net.output |= bit(back ? 1 + l : 4 + l);
    const auto path = path_of(net, {}, ties);
    std::vector<int> axes;
    for (int s = 0; s < path.count; ++s) axes.push_back(std::min(path.a[s], path.b[s]));
    return axes;
  };
  CHECK(order_of(path_ties::outermost, false) == std::vector{2, 1, 0});
  CHECK(order_of(path_ties::neighbours, false) == std::vector{1, 2, 0});
  CHECK(order_of(path_ties::outermost, true) == std::vector{0, 1, 2});
  CHECK(order_of(path_ties::neighbours, true) == std::vector{0, 2, 1});
}

TEST_CASE("a product keeps the order of the operand of higher rank") {
  const auto list = [](std::initializer_list<int> labels) {
    label_list<L.labels> l;
    for (const int label : labels) l.push(label);
    return l;
  };
  const auto set = [](std::initializer_list<int> labels) {
    label_set s = 0;
    for (const int label : labels) s |= bit(label);
    return s;
  };
  // q_i x e_ijk -> e_qjk: q takes the place of i.
  CHECK(product_order<L>(list({9, 1}), list({0, 1, 2, 3}), set({0, 9, 2, 3})) ==
        list({0, 9, 2, 3}));
  CHECK(product_order<L>(list({0, 1, 2, 3}), list({9, 3}), set({0, 1, 2, 9})) ==
        list({0, 1, 2, 9}));
  // Without a contracted label what is new comes last.
  CHECK(product_order<L>(list({0, 1}), list({2}), set({0, 1, 2})) == list({0, 1, 2}));
  CHECK(product_order<L>(list({}), list({}), 0) == list({}));
}

}  // namespace tenfold::testing
