#include <check_expression.hpp>
#include <complex>

namespace tenfold::testing {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

template <class T, index... E>
tensor<T, E...> made(const shape<E...>& s, std::uint64_t seed,
                     entries_kind kind = entries_kind::random) {
  generator g(seed);
  auto x = s.template make<T>();
  fill(x.data(), x.size(), g, kind);
  return x;
}

}  // namespace

// --- what the arguments of a call ask ------------------------------------------------------------

namespace {

using evaluating::bind_options_of;
using evaluating::check_arguments;
using matrix_3 = tensor<double, 3, 3>;
using in_double = accumulate_option<double>;
using in_single = accumulate_option<float>;
using as_numpy = numpy_semantics_option;

template <bool Into, class... A>
constexpr bool wrong(diagnosis code, index position) {
  return check_arguments<Into, A...>() == diagnostic{code, -1, 0, {position}};
}

static_assert(
    !check_arguments<true, matrix_3, matrix_3, alpha_factor, beta_factor, in_double, as_numpy>());
static_assert(!check_arguments<false, double, as_numpy, in_single, alpha_factor>(), "in any order");
static_assert(wrong<false, matrix_3, in_double, matrix_3>(diagnosis::late_operand, 2));
static_assert(wrong<true, matrix_3, as_numpy, as_numpy>(diagnosis::repeated_option, 3));
static_assert(wrong<false, matrix_3, in_double, in_single>(diagnosis::repeated_option, 2),
              "two types to accumulate in");
static_assert(wrong<true, matrix_3, alpha_factor, alpha_factor>(diagnosis::repeated_option, 3));
static_assert(wrong<false, matrix_3, beta_factor>(diagnosis::beta_by_value, 1));
static_assert(wrong<false, matrix_3, const char*>(diagnosis::unknown_argument, 1));

static_assert(!bind_options_of<matrix_3, alpha_factor>().numpy_semantics);
static_assert(!bind_options_of<matrix_3, alpha_factor>().accumulates);
static_assert(bind_options_of<matrix_3, as_numpy>().numpy_semantics);
static_assert(bind_options_of<matrix_3, in_single>().accumulates);
static_assert(bind_options_of<matrix_3, in_single>().accumulate == scalar::f32);
static_assert(bind_options_of<in_double, as_numpy>().accumulate == scalar::f64);

static_assert(alpha(2.5).re == 2.5 && alpha(2.5).im == 0);
static_assert(alpha(3).re == 3 && beta(3.0F).re == 3);
static_assert(alpha(std::complex<double>(1, -2)).re == 1);
static_assert(alpha(std::complex<double>(1, -2)).im == -2);
static_assert(beta(std::complex<float>(0, 2)).re == 0 && beta(std::complex<float>(0, 2)).im == 2);

}  // namespace

/// y = alpha S(x...) + beta y with factors of every kind, y and x not read where they need not be.
template <literal S, class T, class... Shapes>
void check_factors(const Shapes&... shapes) {
  [&](const auto... x) {
    const judge<T> right(S.view(), entries_kind::random, {seen(x)...});
    std::vector<T> before(static_cast<std::size_t>(right.size()));
    generator g(7);
    fill(before.data(), right.size(), g, entries_kind::random);
    auto y = einsum<S>(x...);
    for (const double a : {0.0, 1.0, -1.0, 0.7}) {
      for (const double b : {0.0, 1.0, -1.0, -0.6}) {
        CAPTURE(S.view());
        CAPTURE(a);
        CAPTURE(b);
        const auto reset = [&] {
          if (b == 0) {
            y.fill(std::numeric_limits<T>::quiet_NaN());
          } else {
            std::copy(before.begin(), before.end(), y.data());
          }
        };
        const auto run = [&](const auto&... z) {
          reset();
          einsum<S>(into(y), z..., alpha(a), beta(b));
          right.check(y, before, a, b);
          reset();
          einsum<S>(into(y), z..., beta(b), alpha(a));  // in any order
          right.check(y, before, a, b);
          reset();
          einsum(S.view(), into(y), z..., alpha(a), beta(b));
          right.check(y, before, a, b);
        };
        run(x...);
        if (a == 0) {
          auto unread = std::make_tuple(x...);
          std::apply([](auto&... z) { (z.fill(std::numeric_limits<T>::quiet_NaN()), ...); },
                     unread);
          std::apply(run, unread);
        }
      }
    }
    // Without factors: alpha = 1, beta = 0.
    y.fill(std::numeric_limits<T>::quiet_NaN());
    einsum<S>(into(y), x...);
    right.check(y);
    right.check(einsum<S>(x..., alpha(0.5)), {}, 0.5);
  }(made<T>(shapes, 3)...);
}

TEST_CASE("alpha and beta scale; beta = 0 reads no output and alpha = 0 no operand") {
  check_factors<"ij,jk->ik", double>(shape<3, 3>{}, shape<3, 3>{});              // unrolled
  check_factors<"ij,jk->ik", float>(shape<9, 10>{}, shape<10, 27>{});            // lanes in place
  check_factors<"eij,ej->ei", double>(shape<dyn, 4, 5>{21}, shape<dyn, 5>{21});  // through scratch
  check_factors<"ij,kj,kl->il", double>(shape<8, 9>{}, shape<7, 9>{}, shape<7, 9>{});
  check_factors<"eij->e", float>(shape<dyn, 4, 5>{37});
}

TEST_CASE("a sandwich scales its result") {
  check_factors<"qi,eq,ql,ei->el", double>(shape<5, 4>{}, shape<dyn, 5>{19}, shape<5, 4>{},
                                           shape<dyn, 4>{19});
}

// --- strides ---

namespace {

using matrix = basic_view<double, extents<dyn, dyn>, layout_stride>;

/// The 5 x 6 matrix `x` in another place: its entry (i, j) at i * row + j * column.
struct placed {
  sample<double> memory;
  placed(const tensor<double, 5, 6>& x, index row, index column) : memory({5, 6}, {row, column}) {
    std::size_t n = 0;
    memory.for_each([&](double& entry) { entry = x.data()[n++]; });
  }
  matrix view() { return {memory.data(), {5, 6}, {memory.strides()[0], memory.strides()[1]}}; }
};

struct strides {
  index row, column;
};
constexpr strides ways[] = {{6, 1}, {9, 1}, {1, 5}, {1, 7}, {12, 2}, {-6, 1}, {6, -1}, {-1, -5}};

}  // namespace

TEST_CASE("operands and outputs may have any strides") {
  const auto x = made<double>(shape<5, 6>{}, 1), y = made<double>(shape<5, 6>{}, 2);
  const judge<double> product("ij,kj->ik", entries_kind::random, {seen(x), seen(y)});
  const judge<double> entries("ij,ij->ij", entries_kind::random, {seen(x), seen(y)});
  for (const strides& a : ways) {
    for (const strides& b : ways) {
      CAPTURE(a.row);
      CAPTURE(a.column);
      CAPTURE(b.row);
      CAPTURE(b.column);
      placed px(x, a.row, a.column), py(y, b.row, b.column), out(x, b.row, b.column);
      product.check(einsum<"ij,kj->ik">(px.view(), py.view()));
      product.check(einsum("ij,kj->ik", px.view(), py.view()));
      einsum<"ij,ij->ij">(into(out.view()), px.view(), y);
      entries.check(out.view());
      CHECK(out.memory.spoilt_gaps() == 0);
    }
  }
}

TEST_CASE("an operand of stride 0 repeats its entries") {
  const auto x = made<double>(shape<5, 6>{}, 1);
  const double three = 3;
  const strided_view<const double, 6> threes(&three, {6}, {0});
  const auto sums = einsum<"ij->i">(x);
  const auto thrice = einsum<"ij,j->i">(x, threes);
  const auto at_run_time = einsum("ij,j->i", x, threes);
  for (index i = 0; i < 5; ++i) {
    CHECK(thrice(i) == doctest::Approx(3 * sums(i)));
    CHECK(at_run_time(i) == doctest::Approx(3 * sums(i)));
  }
}

TEST_CASE("column-major operands and outputs keep their static strides") {
  const auto x = made<double>(shape<9, 8>{}, 1);
  const auto z = made<double>(shape<8, 10>{}, 2);
  std::vector<double> columns(72), result(90, nan);
  for (index i = 0; i < 9; ++i) {
    for (index j = 0; j < 8; ++j) columns[static_cast<std::size_t>(i + 9 * j)] = x(i, j);
  }
  const basic_view<const double, extents<9, 8>, layout_left> left(columns.data());
  const basic_view<double, extents<9, 10>, layout_left> y(result.data());
  const judge<double> right("ij,jk->ik", entries_kind::random, {seen(x), seen(z)});
  right.check(einsum<"ij,jk->ik">(left, z));
  einsum<"ij,jk->ik">(into(y), left, z);
  right.check(y);
}

TEST_CASE("views need no alignment") {
  std::vector<float> a(1 + 40 * 12), b(3 + 40 * 4), c(5 + 40 * 3, 9.0F);
  generator g(1);
  fill(a.data(), static_cast<index>(a.size()), g, entries_kind::random);
  fill(b.data(), static_cast<index>(b.size()), g, entries_kind::random);
  const view<const float, dyn, 3, 4> x(a.data() + 1, 40);
  const view<const float, dyn, 4> u(b.data() + 3, 40);
  const view<float, dyn, 3> y(c.data() + 5, 40);
  const judge<float> right("eij,ej->ei", entries_kind::random, {seen(x), seen(u)});
  einsum<"eij,ej->ei">(into(y), x, u);
  right.check(y);
  for (std::size_t i = 0; i < 5; ++i) CHECK(c[i] == 9);
}

// --- extents 0 and 1 ---

TEST_CASE("a sum over nothing is zero, and no entries are no work") {
  check_expression<"ij,jk->ik", double, forms::in_place>(shape<3, 0>{}, shape<0, 20>{});
  check_expression<"ij,jk->ik", double, forms::dynamic>(shape<9, 0>{}, shape<0, 11>{});
  check_expression<"ij,jk->ik">(shape<0, 9>{}, shape<9, 11>{});
  check_expression<"ij,jk->ik">(shape<9, 9>{}, shape<9, 0>{});
  check_expression<"ij,jk,kl->il">(shape<9, 8>{}, shape<8, 0>{}, shape<0, 20>{});
  check_expression<"eij,ej->ei", double, forms::all>(shape<dyn, 4, 4>{0}, shape<dyn, 4>{0});
  check_expression<"eij,ej->ei">(shape<dyn, 4, 0>{20}, shape<dyn, 0>{20});
  check_expression<"ij->">(shape<0, 4>{});
  check_run_time_expression("ij,jk->ik", {{3, 4}, {4, 0}});
  check_run_time_expression("ij,jk,kl,lm->im", {{3, 4}, {4, 0}, {0, 5}, {5, 6}});
  check_run_time_expression("aab,bcc->ac", {{0, 0, 4}, {4, 0, 0}});
}

TEST_CASE("extents of 1 are labels like others") {
  check_expression<"ij,jk->ik", double, forms::in_place>(shape<1, 1>{}, shape<1, 1>{});
  check_expression<"ij,jk->ik">(shape<1, 40>{}, shape<40, 1>{});
  check_expression<"ij,jk->ik">(shape<40, 1>{}, shape<1, 40>{});
  check_expression<"eij,ejk->eik">(shape<dyn, 1, 9>{1}, shape<dyn, 9, 1>{1});
  check_run_time_expression("abcdefgh,hgfedcba->",
                            {{1, 1, 1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1, 1, 1}});
}

TEST_CASE("beta scales the output where the sum is empty") {
  const tensor<double, dyn, 0> a(9);
  const tensor<double, 0, dyn> b(5);
  tensor<double, dyn, dyn> y(9, 5);
  y.fill(3);
  einsum<"ij,jk->ik">(into(y), a, b, beta(2));
  for (index i = 0; i < y.size(); ++i) CHECK(y.data()[i] == 6);
  einsum("ij,jk->ik", into(y), a, b, alpha(5), beta(0.5));
  for (index i = 0; i < y.size(); ++i) CHECK(y.data()[i] == 3);
}

// --- numbers ---

TEST_CASE("denormal numbers are kept") {
  constexpr double tiny = std::numeric_limits<double>::denorm_min();
  auto a = made<double>(shape<9, 10>{}, 1, entries_kind::exact);
  const auto b = made<double>(shape<10, 19>{}, 2, entries_kind::exact);
  const auto c = einsum<"ij,jk->ik">(a, b);
  for (index i = 0; i < a.size(); ++i) a.data()[i] *= tiny;
  const auto small = einsum<"ij,jk->ik">(a, b);
  const auto small_too = einsum("ij,jk->ik", a, b);
  for (index i = 0; i < c.size(); ++i) {
    CHECK(small.data()[i] == c.data()[i] * tiny);
    CHECK(small_too.data()[i] == c.data()[i] * tiny);
  }
}

TEST_CASE("a NaN or an infinity reaches the entries that it belongs to and no others") {
  auto x = made<double>(shape<dyn, 3, 3>{21}, 1);
  const auto u = made<double>(shape<dyn, 3>{21}, 2);
  for (index bad = 0; bad < 21; ++bad) {
    auto spoilt = x;
    spoilt(bad, 1, 2) = nan;
    const auto y = einsum<"eij,ej->ei">(spoilt, u);
    const auto at_run_time = einsum("eij,ej->ei", spoilt, u);
    for (index e = 0; e < 21; ++e) {
      for (index i = 0; i < 3; ++i) {
        const bool expected = e == bad && i == 1;
        CHECK(std::isnan(y(e, i)) == expected);
        CHECK(std::isnan(at_run_time(e, i)) == expected);
      }
    }
  }
}

TEST_CASE("scratch that held something else before changes nothing") {
  const auto x = made<double>(shape<dyn, 4, 5>{21}, 1);
  const auto u = made<double>(shape<dyn, 5>{21}, 2);
  const auto clean = einsum<"eij,ej->ei">(x, u);
  auto dirty = x;
  dirty.fill(nan);
  einsum<"eij,ej->ei">(dirty, u);
  einsum("eij,ej->ei", dirty, u);
  const auto again = einsum<"eij,ej->ei">(x, u);
  for (index i = 0; i < clean.size(); ++i) CHECK(again.data()[i] == clean.data()[i]);
}

}  // namespace tenfold::testing
