#include <check_call.hpp>
#include <compiled.hpp>
#include <slow_build.hpp>
#include <tenfold/dsel/explain.hpp>

// Expressions of a few entries are unrolled whole by the compiler, their lanes neighbours of the
// result or terms of sums.

namespace tenfold::testing {
namespace {

constexpr forms which = slow_build ? forms::few : forms::all;

/// "ij,jk->ik" and its turned forms, N x M by M x K.
template <class T, index N, index M, index K>
void check_products() {
  check_expression<"ij,jk->ik", T, which>(shape<N, M>{}, shape<M, K>{});
  check_expression<"ij,kj->ik", T, which>(shape<N, M>{}, shape<K, M>{});
  check_expression<"ji,jk->ik", T, which>(shape<M, N>{}, shape<M, K>{});
  check_expression<"ji,kj->ki", T, which>(shape<M, N>{}, shape<K, M>{});
}

template <index... N>
using d = tensor<double, N...>;

template <literal S, class... X>
constexpr bool is_unrolled() {
  constexpr auto e = explain<S, X...>(compiled(avx512_capabilities));
  return e.steps[e.step_count - 1].kernel == micro_kernel::unrolled;
}

}  // namespace

static_assert(is_unrolled<"ij,jk->ik", d<8, 8>, d<8, 8>>());
static_assert(is_unrolled<"ij,jk,kl->il", d<4, 4>, d<4, 4>, d<4, 4>>());
static_assert(!is_unrolled<"ij,jk->ik", d<9, 9>, d<9, 9>>());

TEST_CASE_TEMPLATE("tiny products of matrices", T, float, double) {
  check_products<T, 2, 2, 2>();
  check_products<T, 3, 3, 3>();
  check_products<T, 4, 4, 4>();
  check_products<T, 3, 7, 5>();
  check_products<T, 8, 8, 8>();
  check_products<T, 1, 6, 9>();
  if (!slow_build) check_products<T, 26, 2, 3>();
}

TEST_CASE_TEMPLATE("tiny products of a matrix and a vector, lanes along the sums", T, float,
                   double) {
  check_expression<"ij,j->i", T, which>(shape<5, 4>{}, shape<4>{});
  check_expression<"ij,j->i", T, which>(shape<9, 9>{}, shape<9>{});
  check_expression<"ij,j->i", T, which>(shape<12, 5>{}, shape<5>{});
  check_expression<"ijkl,kl->ij", T, which>(shape<3, 3, 3, 3>{}, shape<3, 3>{});
  check_expression<"eij,ej->ei", T, which>(shape<2, 3, 4>{}, shape<2, 4>{});
  // The vector is a diagonal: no neighbours.
  check_expression<"ij,jj->i", T, which>(shape<9, 9>{}, shape<9, 9>{});
  if (!slow_build) {
    check_expression<"ij,j->i", T, which>(shape<6, 5>{}, shape<5>{});
    check_expression<"ij,j->i", T, which>(shape<9, 6>{}, shape<6>{});
    check_expression<"ij,j->i", T, which>(shape<3, 7>{}, shape<7>{});
    check_expression<"ij,j->i", T, which>(shape<4, 11>{}, shape<11>{});
    check_expression<"ij,j->i", T, which>(shape<17, 16>{}, shape<16>{});
    check_expression<"ij,kj->ik", T, which>(shape<2, 12>{}, shape<10, 12>{});
  }
}

TEST_CASE_TEMPLATE("rows between steps that are shorter than a vector", T, float, double) {
  check_expression<"ij,jk,kl->il", T, which>(shape<8, 8>{}, shape<8, 8>{}, shape<8, 2>{});
  check_expression<"ij,jk,kl->il", T, which>(shape<8, 2>{}, shape<2, 2>{}, shape<2, 5>{});
  for_all_kinds([](entries_kind kind) {
    // Rows that fold into one, between steps in a given order.
    constexpr path_options left{
        .method = path_method::given, .pair_count = 2, .pairs = {{0, 1}, {0, 1}}};
    const auto check = [&](const auto& x, const auto& y, const auto& w) {
      const judge<T> right("ap,aq,xa->xpq", kind, {seen(x), seen(y), seen(w)});
      right.check(einsum<"ap,aq,xa->xpq">(x, y, w, optimize<left>));
    };
    check(made<T>(shape<8, 3>{}, 1, kind), made<T>(shape<8, 2>{}, 2, kind),
          made<T>(shape<3, 8>{}, 3, kind));
    check(made<T>(shape<4, 3>{}, 1, kind), made<T>(shape<4, 4>{}, 2, kind),
          made<T>(shape<3, 4>{}, 3, kind));
  });
}

TEST_CASE_TEMPLATE("tiny products of vectors, and entry by entry", T, float, double) {
  check_expression<"ij,j->i", T, which>(shape<8, 8>{}, shape<8>{});
  check_expression<"ij,j->i", T, which>(shape<16, 4>{}, shape<4>{});
  check_expression<"ij,i->j", T, which>(shape<5, 7>{}, shape<5>{});
  check_expression<"i,i->", T, which>(shape<7>{}, shape<7>{});
  check_expression<"ij,ij->", T, which>(shape<6, 6>{}, shape<6, 6>{});
  check_expression<"ij,ij->ij", T, which>(shape<7, 7>{}, shape<7, 7>{});
  check_expression<"i,j->ij", T, which>(shape<3>{}, shape<6>{});
  check_expression<"i,j->ij", T, which>(shape<8>{}, shape<7>{});
  if (!slow_build) check_expression<"i,j->ij", T, which>(shape<5>{}, shape<3>{});
  check_expression<"ijk,il->jkl", T, which>(shape<3, 3, 3>{}, shape<3, 3>{});
}

TEST_CASE_TEMPLATE("tiny chains and sums: what is in between is padded", T, float, double) {
  check_expression<"ij,jk,kl->il", T, which>(shape<3, 5>{}, shape<5, 3>{}, shape<3, 6>{});
  check_expression<"ij,jk,k->i", T, which>(shape<5, 5>{}, shape<5, 5>{}, shape<5>{});
  check_expression<"i,ij,j->", T, which>(shape<6>{}, shape<6, 6>{}, shape<6>{});
  check_expression<"ij,jk,kl,lm->im", T, which>(shape<3, 3>{}, shape<3, 3>{}, shape<3, 3>{},
                                                shape<3, 3>{});
  check_expression<"ia,jb,abc->ijc", T, which>(shape<3, 2>{}, shape<3, 2>{}, shape<2, 2, 3>{});
  check_expression<"ia,jb,kc,abc->ijk", T, which>(shape<3, 2>{}, shape<3, 2>{}, shape<3, 2>{},
                                                  shape<2, 2, 2>{});
  check_expression<"ij,j - ik,k -> i", T, which>(shape<3, 5>{}, shape<5>{}, shape<3, 4>{},
                                                 shape<4>{});
}

TEST_CASE("tiny products of complex numbers, conjugated and mixed with real ones") {
  using z = std::complex<double>;
  for_all_kinds([](entries_kind kind) {
    const auto a = made<z>(shape<3, 5>{}, 1, kind);
    const auto b = made<z>(shape<5, 4>{}, 2, kind);
    check_call<"ij,jk->ik">(kind, a, b);
    check_call<"ij,jk->ik">(kind, conj(a), b);
    check_call<"ij,jk,k->i">(kind, made<double>(shape<3, 5>{}, 3, kind), b,
                             made<z>(shape<4>{}, 4, kind));
  });
}

}  // namespace tenfold::testing
