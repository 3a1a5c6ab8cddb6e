#include <check_call.hpp>

// Sums and differences of products.

namespace tenfold::testing {
namespace {

using z = std::complex<double>;

/// check_call over new tensors of T, for exact and for random entries; of the latter the literal
/// and the string give the same bits (no sum here is one whose terms are lanes in one of them).
template <literal S, class T = double, class... Shapes>
void check_sum(const Shapes&... shapes) {
  for_all_kinds([&](entries_kind kind) {
    generator g(1);
    auto all = std::tuple{shapes.template make<T>()...};
    std::apply(
        [&](auto&... x) {
          (fill(x.data(), x.size(), g, kind), ...);
          check_call<S>(kind, x...);
          CAPTURE(S.view());
          // Exact entries may add up to zero, of either sign.
          if (kind == entries_kind::exact) return;
          CHECK(same_bits(einsum<S>(x...), einsum(S.view(), x...)));
        },
        all);
  });
}

/// A string over operands of which some are one tensor: `which` tells for each operand.
template <class T = double>
void check_twins(std::string_view text, const std::vector<std::vector<index>>& extents,
                 const std::vector<std::size_t>& which) {
  for_all_kinds([&](entries_kind kind) {
    CAPTURE(text);
    generator g(1);
    std::vector<sample<T>> x;
    for (const auto& e : extents) x.emplace_back(e);
    for (auto& s : x) s.fill(g, kind);
    operand_list inputs;
    for (const std::size_t w : which) inputs.push_back(seen(x[w]));
    const auto count = static_cast<int>(inputs.size());
    const judge<T> right(text, kind, inputs);
    dynamic_tensor<T> y(result_shape(text, inputs.data(), count, {}));
    evaluate(text, inputs.data(), count, y.shape(), y.data(), {});
    right.check(y);
    for (const instruction_set isa : instruction_sets()) {
      evaluate_on(isa, text, inputs, y.shape(), y.data());
      right.check(y);
    }
  });
}

}  // namespace

TEST_CASE("a sum of products") {
  check_sum<"ij,jk + ik -> ik">(shape<5, 6>{}, shape<6, 9>{}, shape<5, 9>{});
  check_sum<"ij,jk - ik">(shape<9, 8>{}, shape<8, 9>{}, shape<9, 9>{});
  check_sum<"ji,j - i -> i">(shape<10, 9>{}, shape<10>{}, shape<9>{});
  check_sum<"ij,jk + il,lk -> ik">(shape<5, 6>{}, shape<6, 9>{}, shape<5, 3>{}, shape<3, 9>{});
}

TEST_CASE("terms of one operand") {
  check_sum<"ij + ji -> ij">(shape<9, 9>{}, shape<9, 9>{});
  check_sum<"i - i">(shape<33>{}, shape<33>{});
  check_sum<"ij + ij - ij -> ji">(shape<7, 9>{}, shape<7, 9>{}, shape<7, 9>{});
}

TEST_CASE("signs in front") {
  check_sum<"-ji,j -> i">(shape<3, 9>{}, shape<3>{});
  check_sum<"-i">(shape<9>{});
  check_sum<"+ij - ji -> ij">(shape<9, 9>{}, shape<9, 9>{});
  check_sum<"-ji,j - i -> i">(shape<10, 9>{}, shape<10>{}, shape<9>{});
}

TEST_CASE("terms with traces, diagonals and sums of their own") {
  check_sum<"ii - jj ->">(shape<9, 9>{}, shape<5, 5>{});
  check_sum<"ij + iik -> i">(shape<9, 4>{}, shape<9, 9, 3>{});
  check_sum<"ii + i -> i">(shape<9, 9>{}, shape<9>{});
}

TEST_CASE("terms that are scalars") {
  check_sum<",i - i -> i">(shape<>{}, shape<9>{}, shape<9>{});
  check_sum<"+ - ->">(shape<>{}, shape<>{});
  // Of one sum of neighbours the compiler makes lanes, the library here does not: other bits.
  for_all_kinds([](entries_kind kind) {
    check_call<"ij,ij + ->">(kind, made<double>(shape<5, 6>{}, 1, kind),
                             made<double>(shape<5, 6>{}, 2, kind),
                             made<double>(shape<>{}, 3, kind));
  });
}

TEST_CASE("sums over a batch") {
  check_sum<"eij,ej - ei -> ei">(shape<dyn, 4, 5>{19}, shape<dyn, 5>{19}, shape<dyn, 4>{19});
  check_sum<"eij,ej + eik,ek -> ei", float>(shape<dyn, 3, 4>{33}, shape<dyn, 4>{33},
                                            shape<dyn, 3, 5>{33}, shape<dyn, 5>{33});
}

TEST_CASE("sums with an ellipsis") {
  check_sum<"...ji,...j - ...i -> ...i">(shape<2, 4, 3>{}, shape<2, 4>{}, shape<2, 3>{});
  check_sum<"... + ...">(shape<5, 9>{}, shape<1, 9>{});
}

TEST_CASE("sums of complex terms, of real and complex ones, of conjugates") {
  check_sum<"ij,jk - ik -> ik", z>(shape<5, 6>{}, shape<6, 9>{}, shape<5, 9>{});
  for_all_kinds([](entries_kind kind) {
    const auto a = made<z>(shape<9, 9>{}, 1, kind);
    const auto b = made<double>(shape<9, 9>{}, 2, kind);
    check_call<"ij + ji -> ij">(kind, a, conj(a));
    check_call<"ij,jk - ki -> ik">(kind, b, conj(a), a);
  });
  const auto a = made<z>(shape<4, 4>{}, 1, entries_kind::exact);
  const auto hermitian = einsum<"ij + ji -> ij">(a, conj(a));
  for (index i = 0; i < 4; ++i) {
    for (index j = 0; j < 4; ++j) CHECK(hermitian(i, j) == std::conj(hermitian(j, i)));
  }
}

TEST_CASE("a term that sums over nothing leaves the others") {
  check_sum<"ij,jk - ik -> ik">(shape<3, 0>{}, shape<0, 5>{}, shape<3, 5>{});
  check_sum<"i - ij -> i">(shape<9>{}, shape<9, 0>{});
  check_sum<"ij + ik -> i">(shape<9, 0>{}, shape<9, 0>{});
  check_sum<"ij,jk - ik -> ik">(shape<0, 4>{}, shape<4, 5>{}, shape<0, 5>{});
  check_twins("ij,jk - ik -> ik", {{3, 0}, {0, 5}, {3, 5}}, {0, 1, 2});
  const tensor<double, dyn, dyn> a(3, 0), b(0, 5);
  const auto c = made<double>(shape<dyn, dyn>{3, 5}, 1);
  CHECK(same_bits(einsum<"ij,jk + ik -> ik">(a, b, c), c));
}

TEST_CASE("one tensor as several operands is computed with once") {
  check_twins("i,i->", {{9}}, {0, 0});
  check_twins("ij,ij->i", {{9, 5}}, {0, 0});
  check_twins("ij,jk->ik", {{9, 9}}, {0, 0});
  check_twins("i,,i->", {{9}, {}}, {0, 1, 0});
  check_twins("i,i,i->", {{40}}, {0, 0, 0});
  check_twins("ij + ij -> ij", {{9, 5}}, {0, 0});
  check_twins("ij - ij -> ij", {{9, 5}}, {0, 0});
  check_twins("i,i + i,i ->", {{9}}, {0, 0, 0, 0});
  check_twins("-i,i + i,i,i ->", {{9}}, {0, 0, 0, 0, 0});
  check_twins("ij,jk + ij,jk -> ik", {{5, 6}, {6, 7}}, {0, 1, 0, 1});
  check_twins("ij,jk,kl - ij,jk,ml -> il", {{5, 6}, {6, 7}, {7, 8}, {3, 8}}, {0, 1, 2, 0, 1, 3});
  check_twins<z>("ij,kj + ij,kj -> ik", {{5, 6}}, {0, 0, 0, 0});
  const auto a = made<double>(shape<9>{}, 1, entries_kind::exact);
  CHECK(double(einsum("i,i->", a, a)) == double(einsum<"i,i->">(a, a)));
  const auto w = made<z>(shape<9>{}, 1, entries_kind::exact);
  CHECK(z(einsum("i,i->", w, conj(w))) == z(einsum<"i,i->">(w, conj(w))));
}

TEST_CASE("a narrow output takes a sum rounded once") {
  const auto a = made<float>(shape<9, 12>{}, 1);
  const auto x = made<float>(shape<12>{}, 2);
  const auto b = made<float>(shape<9>{}, 3);
  call_settings settings;
  settings.binding.accumulates = true;
  const judge<float> right("ij,j - i -> i", entries_kind::random, {seen(a), seen(x), seen(b)},
                           settings);
  tensor<float, 9> y;
  einsum<"ij,j - i -> i">(into(y), a, x, b, accumulate<double>);
  right.check(y);
  einsum("ij,j - i -> i", into(y), a, x, b, accumulate<double>);
  right.check(y);
}

TEST_CASE("no bit of a sum depends on where a vector ends") {
  const auto a = made<z>(shape<>{}, 1);
  const auto b = made<double>(shape<>{}, 2);
  for (const index n : {1, 2, 3, 5, 9, 13, 16, 17, 31, 33}) {
    CAPTURE(n);
    tensor<z, dyn> x(n), y(n), w(n);
    tensor<double, dyn> u(n);
    x.fill(z(0.3, -0.7));
    u.fill(1.1);
    y.fill(z(0.9, 0.2));
    w.fill(z(0.9, 0.2));
    einsum<"-i + ,i,">(into(y), x, a, u, b, alpha(0.7), beta(z(-0.6, 0.1)));
    einsum("-i + ,i,", into(w), x, a, u, b, alpha(0.7), beta(z(-0.6, 0.1)));
    for (index i = 1; i < n; ++i) {
      CHECK(y(i) == y(0));
      CHECK(w(i) == w(0));
    }
  }
}

}  // namespace tenfold::testing
