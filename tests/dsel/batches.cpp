#include <check_expression.hpp>

#include <tbb/task_arena.h>

namespace tenfold::testing {
namespace {

template <class T>
std::vector<T> entries_of(const T* data, index count) {
  return {data, data + count};
}

/// The problems of x in the order of `from`; x has the batch as its leading axis.
template <class T, index... E>
tensor<T, dyn, E...> taken(const tensor<T, dyn, E...>& x, const std::vector<index>& from) {
  const index size = x.stride(0);
  tensor<T, dyn, E...> y(static_cast<index>(from.size()));
  for (std::size_t e = 0; e < from.size(); ++e) {
    std::copy_n(x.data() + from[e] * size, size, y.data() + static_cast<index>(e) * size);
  }
  return y;
}

template <class T, index... E>
tensor<T, dyn, E...> random_batch(index count, shape<dyn, E...>, generator& g) {
  tensor<T, dyn, E...> x(count);
  fill(x.data(), x.size(), g, entries_kind::random);
  return x;
}

template <class Y>
bool same_bits(const Y& x, const Y& y) {
  return x.size() == y.size() &&
         __builtin_memcmp(x.data(), y.data(),
                          static_cast<std::size_t>(x.size()) * sizeof(*x.data())) == 0;
}

constexpr index most = 70;  // more than two vectors of floats in tiles of two

}  // namespace

TEST_CASE("every batch size up to several vectors gives the right result") {
  for (index n = 0; n <= 35; ++n) {
    CAPTURE(n);
    check_run_time_expression("eij,ejk->eik", {{n, 2, 3}, {n, 3, 2}});
    check_run_time_expression<float>("eij,ejk->eik", {{n, 2, 3}, {n, 3, 2}});
    check_run_time_expression<float>("ije,jke->ike", {{2, 3, n}, {3, 2, n}});
    check_run_time_expression("ei,ei->e", {{n, 5}, {n, 5}});
    check_expression<"eij,ej->ei">(shape<dyn, 3, 4>{n}, shape<dyn, 4>{n});
    check_expression<"eij,ej->ei", float>(shape<dyn, 3, 4>{n}, shape<dyn, 4>{n});
    check_expression<"e,e->e", float>(shape<dyn>{n}, shape<dyn>{n});
    check_expression<"qi,rj,eij->eqr">(shape<3, 2>{}, shape<3, 2>{}, shape<dyn, 2, 2>{n});
  }
}

TEST_CASE("batches of more than 65535 problems give the right result") {
  for (const index n : {65535, 65536, 65537, (1 << 19) + 1}) {
    CAPTURE(n);
    generator g(static_cast<std::uint64_t>(n));
    tensor<double, dyn, 2, 3> a(n);
    tensor<double, dyn, 3> u(n);
    fill(a.data(), a.size(), g, entries_kind::exact);
    fill(u.data(), u.size(), g, entries_kind::exact);
    const auto y = einsum<"eij,ej->ei">(a, u);
    const auto at_run_time = einsum("eij,ej->ei", a, u);
    const auto last = einsum<"eij,ej->ie">(a, u);  // the batch innermost
    index wrong = 0;
    for (index e = 0; e < n; ++e) {
      for (index i = 0; i < 2; ++i) {
        double sum = 0;
        for (index j = 0; j < 3; ++j) sum += a(e, i, j) * u(e, j);
        wrong += y(e, i) != sum || at_run_time(e, i) != sum || last(i, e) != sum;
      }
    }
    CHECK(wrong == 0);
  }
}

/// Results of single problems, of the whole batch, of any part and of any order are the same bits.
template <literal S, class T, class... Shapes>
void check_bits(Shapes... shapes) {
  generator entries(1);
  [&](const auto... x) {
    const auto all = einsum<S>(x...);
    std::vector<index> order(static_cast<std::size_t>(most));
    std::iota(order.begin(), order.end(), 0);
    CHECK(same_bits(einsum<S>(x...), all));
    for (index e = 0; e < most; ++e) {
      CHECK(same_bits(einsum<S>(taken(x, {e})...), taken(all, {e})));
    }
    generator g(1);
    for (int n = 0; n < 20; ++n) {
      std::shuffle(order.begin(), order.end(), g);
      const std::vector<index> part(order.begin(), order.begin() + between(g, 0, most));
      CHECK(same_bits(einsum<S>(taken(x, part)...), taken(all, part)));
      const auto shuffled = einsum(S.view(), taken(x, order)...);
      const auto straight = einsum(S.view(), x...);
      const index size = all.stride(0);
      for (std::size_t e = 0; e < order.size(); ++e) {
        CHECK(__builtin_memcmp(shuffled.data() + static_cast<index>(e) * size,
                               straight.data() + order[e] * size,
                               static_cast<std::size_t>(size) * sizeof(T)) == 0);
      }
    }
  }(random_batch<T>(most, shapes, entries)...);
}

TEST_CASE("no bit depends on the size of the batch, the position in it or its order") {
  check_bits<"eij,ejk->eik", double>(shape<dyn, 3, 4>{}, shape<dyn, 4, 3>{});
  check_bits<"eij,ej->ei", float>(shape<dyn, 5, 7>{}, shape<dyn, 7>{});
  check_bits<"eijk,ejk->ei", double>(shape<dyn, 2, 5, 7>{}, shape<dyn, 5, 7>{});
  check_bits<"eij->e", float>(shape<dyn, 5, 7>{});
  check_bits<"e,e->e", double>(shape<dyn>{}, shape<dyn>{});
  check_bits<"eijw,ejkw->eikw", double>(shape<dyn, 2, 3, 8>{}, shape<dyn, 3, 2, 8>{});
}

/// The same bits on one thread and on two, for tiles of the batch and for blocks without one.
template <class F>
void check_threads(F evaluate) {
  tbb::task_arena one(1), two(2);
  const auto serial = one.execute(evaluate);
  for (int n = 0; n < 5; ++n) CHECK(same_bits(two.execute(evaluate), serial));
}

TEST_CASE("no bit depends on the number of threads") {
  generator g(1);
  const auto a = random_batch<double>(200003, shape<dyn, 4, 5>{}, g);
  const auto u = random_batch<double>(200003, shape<dyn, 5>{}, g);
  check_threads([&] { return einsum<"eij,ej->ei">(a, u); });
  check_threads([&] { return einsum("eij,ej->ei", a, u); });
  check_threads([&] { return einsum<"eij,ej->i">(a, u); });
  check_threads([&] { return einsum("eij,ej->i", a, u); });

  const auto b = random_batch<float>(300, shape<dyn, 310>{}, g);
  const auto c = random_batch<float>(310, shape<dyn, 290>{}, g);
  check_threads([&] { return einsum<"ij,jk->ik">(b, c); });
  check_threads([&] { return einsum("ij,jk->ki", b, c); });

  tensor<double, 4, 3> m;
  fill(m.data(), m.size(), g, entries_kind::random);
  const auto v = random_batch<double>(3001, shape<dyn, 3, 3, 3>{}, g);
  const auto d = random_batch<double>(3001, shape<dyn, 4, 4, 4>{}, g);
  check_threads(
      [&] { return einsum<"qi,rj,sk,eqrs,ql,rm,sn,eijk->elmn">(m, m, m, d, m, m, m, v); });
  check_threads(
      [&] { return einsum("qi,rj,sk,eqrs,ql,rm,sn,eijk->elmn", m, m, m, d, m, m, m, v); });
}

}  // namespace tenfold::testing
