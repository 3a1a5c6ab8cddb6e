#include <doctest/doctest.h>

#include <array>
#include <complex>
#include <cstring>
#include <foreign.hpp>
#include <samples.hpp>
#include <tenfold/backend/convert.hpp>
#include <tenfold/dsel/index_notation.hpp>
#include <tenfold/tensor/interleaved.hpp>
#include <tenfold/tensor/tensor.hpp>
#include <type_traits>
#include <utility>

/// y(e, i) = A(e, i, j) * u(e, j): the same calls as those of the literal, hence the same bits.
namespace tenfold::testing {
namespace {

/// Tensors of every kind that the statements below use, with entries that no sum leaves exact.
struct operands {
  tensor<double, dyn, 4, 5> a{7};  // (e, i, j)
  tensor<double, 4, 5> b;          // (i, j)
  tensor<double, 5, 4> c;          // (j, k)
  tensor<double, dyn, 5> u{7};     // (e, j)
  tensor<double, dyn, 4> v{7};     // (e, i)
  tensor<double, 4, 4> square;     // (i, k)

  operands() {
    generator g(3);
    const auto set = [&](auto& x) { fill(x.data(), x.size(), g, entries_kind::random); };
    set(a), set(b), set(c), set(u), set(v), set(square);
  }
};

/// The bits that `write` leaves in a tensor that held random entries.
template <class Y, class F>
Y after(Y y, F write) {
  generator g(11);
  fill(y.data(), y.size(), g, entries_kind::random);
  write(y);
  return y;
}
template <class Y, class F, class G>
void check_same_bits(const Y& y, F notation, G literal) {
  const Y one = after(y, notation), other = after(y, literal);
  REQUIRE(one.size() == other.size());
  CHECK(std::memcmp(one.data(), other.data(),
                    static_cast<std::size_t>(one.size()) * sizeof(*one.data())) == 0);
}

// --- What a statement becomes ---

template <class Result, class... Term>
constexpr auto text_of_terms(boost::hana::tuple<Term...>*) {
  return indexing::subscripts_of<Result, Term...>();
}
template <class Left, class Right>
constexpr auto text_of() {
  using result = typename decltype(indexing::factor_of(std::declval<Left>().node.child0))::labels;
  using terms = decltype(indexing::terms_of(std::declval<Right>().node));
  return text_of_terms<result>(static_cast<terms*>(nullptr));
}

/// Is `left = right` what einsum<S> is? Subscripts are a type for each text.
template <literal S, class Left, class Right>
constexpr bool reads(const Left&, const Right&) {
  return std::is_same_v<subscripts<text_of<Left, Right>()>, subscripts<S>>;
}

TEST_CASE("a statement has the subscripts that one would write") {
  using labels::e, labels::i, labels::j, labels::k;
  operands o;
  auto& a = o.a;
  auto& b = o.b;
  auto& c = o.c;
  auto& u = o.u;
  auto& v = o.v;
  auto& s = o.square;
  CHECK(reads<"eij,ej->ei">(v(e, i), a(e, i, j) * u(e, j)));
  CHECK(reads<"eij,ej->ei">(v(e, i), 0.5 * a(e, i, j) * conj(u(e, j))));
  CHECK(reads<"ij->ji">(b(j, i), b(i, j)));
  CHECK(reads<"ii->">(indexed(tensor<double>())(), s(i, i)));
  CHECK(reads<"eij,ej-ei->ei">(v(e, i), a(e, i, j) * u(e, j) - v(e, i)));
  CHECK(reads<"ij,jk+ik-ki->ik">(s(i, k), b(i, j) * c(j, k) + s(i, k) - 3 * s(k, i)));
  CHECK(reads<"-ik+ki->ik">(s(i, k), -(s(i, k) - s(k, i))));
  CHECK(reads<"ik->ik">(s(i, k), -s(i, k)));
  CHECK(reads<"ij,j->i">(s(i, 2), a(3, i, j) * u(0, j)));
  constexpr label<'q', '1'> q1;
  CHECK(reads<"[q1]j,jk->[q1]k">(s(q1, k), b(q1, j) * c(j, k)));
  constexpr label<'1'> one;
  CHECK(reads<"[1]j,jk->[1]k">(s(one, k), b(one, j) * c(j, k)));
  CHECK(reads<"ik-ki->ik">(s(i, k), +s(i, k) - +s(k, i)));
}

TEST_CASE("the operands of a statement are those of the literal, tensors and views alike") {
  using labels::e, labels::i, labels::j;
  operands o;
  const view<const double, dyn, 5> u(o.u);
  const auto product = o.a(e, i, j) * conj(u(e, j)) * o.v(e, i);
  auto terms = indexing::terms_of(product.node);
  boost::hana::unpack(terms, [&](auto& term) {
    boost::hana::unpack(term.factors, [&](auto& a, auto& b, auto& c) {
      static_assert(std::is_same_v<decltype(a.operand()), tensor<double, dyn, 4, 5>&>);
      static_assert(std::is_same_v<decltype(b.operand()), conjugated<view<const double, dyn, 5>>>);
      static_assert(std::is_same_v<decltype(c.operand()), tensor<double, dyn, 4>&>);
      CHECK(&a.operand() == &o.a);
      CHECK(b.operand().tensor.data() == o.u.data());
    });
  });
}

// --- Same bits ---

TEST_CASE("a product gives the bits of the literal") {
  using labels::e, labels::i, labels::j, labels::k, labels::l;
  const operands o;
  const auto& a = o.a;
  const auto& b = o.b;
  const auto& c = o.c;
  const auto& u = o.u;
  const auto& v = o.v;
  const auto& s = o.square;
  check_same_bits(
      v, [&](auto& y) { y(e, i) = a(e, i, j) * u(e, j); },
      [&](auto& y) { einsum<"eij,ej->ei">(into(y), a, u); });
  check_same_bits(
      s, [&](auto& y) { y(i, k) = b(i, j) * c(j, k); },
      [&](auto& y) { einsum<"ij,jk->ik">(into(y), b, c); });
  check_same_bits(
      s, [&](auto& y) { y(i, l) = b(i, j) * c(j, k) * s(k, l); },
      [&](auto& y) { einsum<"ij,jk,kl->il">(into(y), b, c, s); });
  check_same_bits(
      s, [&](auto& y) { y(k, i) = s(i, k); }, [&](auto& y) { einsum<"ik->ki">(into(y), s); });
  check_same_bits(
      tensor<double>(), [&](auto& y) { indexed(y)() = s(i, i); },
      [&](auto& y) { einsum<"ii->">(into(y), s); });
  check_same_bits(
      tensor<double, 4>(), [&](auto& y) { y(i) = s(i, i); },
      [&](auto& y) { einsum<"ii->i">(into(y), s); });
  check_same_bits(
      tensor<double, 4>(), [&](auto& y) { y(i) = b(i, j); },
      [&](auto& y) { einsum<"ij->i">(into(y), b); });
}

TEST_CASE("numbers, signs and the kind of assignment are alpha and beta") {
  using labels::e, labels::i, labels::j;
  const operands o;
  const auto& a = o.a;
  const auto& u = o.u;
  const auto& v = o.v;
  const double n = 0.3;
  const auto same = [&](auto notation, double alpha_value, double beta_value) {
    check_same_bits(v, notation, [&](auto& y) {
      einsum<"eij,ej->ei">(into(y), a, u, alpha(alpha_value), beta(beta_value));
    });
  };
  same([&](auto& y) { y(e, i) += a(e, i, j) * u(e, j); }, 1, 1);
  same([&](auto& y) { y(e, i) -= a(e, i, j) * u(e, j); }, -1, 1);
  same([&](auto& y) { y(e, i) = -(a(e, i, j) * u(e, j)); }, -1, 0);
  same([&](auto& y) { y(e, i) += 0.5 * a(e, i, j) * u(e, j); }, 0.5, 1);
  same([&](auto& y) { y(e, i) -= a(e, i, j) * (n * u(e, j)); }, -0.3, 1);
  same([&](auto& y) { y(e, i) = 2 * a(e, i, j) * -u(e, j) * n; }, -(2 * n), 0);
  same([&](auto& y) { y(e, i) = a(e, i, j) * u(e, j) / 3; }, 1.0 / 3, 0);
  same([&](auto& y) { y(e, i) = 0 * a(e, i, j) * u(e, j); }, 0, 0);
}

TEST_CASE("conj, complex numbers and complex tensors are those of the literal") {
  using labels::i, labels::j;
  using complex = std::complex<double>;
  tensor<complex, 3, 4> a;
  tensor<complex, 4> x;
  tensor<double, 4> r;
  generator g(4);
  const auto entry = [&] { return complex(draw<double>(g, entries_kind::random), 0.5); };
  for (index n = 0; n < a.size(); ++n) a.data()[n] = entry();
  for (index n = 0; n < x.size(); ++n) x.data()[n] = entry();
  for (index n = 0; n < r.size(); ++n) r.data()[n] = entry().real();
  tensor<complex, 3> y, z;
  const auto check_equal = [&] {
    for (index n = 0; n < 3; ++n) CHECK(y(n) == z(n));
  };
  y(i) = a(i, j) * conj(x(j));
  einsum<"ij,j->i">(into(z), a, conj(x));
  check_equal();
  y(i) += complex(0, 2) * conj(a(i, j) * x(j) * complex(1, 3)) * 0.5;
  einsum<"ij,j->i">(into(z), conj(a), conj(x), alpha(complex(3, 1)), beta(1));
  check_equal();
  y(i) -= conj(conj(a(i, j))) * r(j) / complex(0, 2);
  einsum<"ij,j->i">(into(z), a, r, alpha(complex(0, 0.5)), beta(1));
  check_equal();
}

TEST_CASE("real terms with numbers of their own are added to complex ones") {
  using labels::i;
  using complex = std::complex<double>;
  tensor<complex, 2> y, x;
  tensor<double, 2> r;
  x(0) = {1, 2}, x(1) = {3, -1}, r(0) = 5, r(1) = -7;
  y(i) = 2 * r(i) + complex(0, 3) * conj(x(i)) - complex(1, 1) * r(i);
  for (index n = 0; n < 2; ++n) {
    CHECK(y(n) == 2 * r(n) + complex(0, 3) * std::conj(x(n)) - complex(1, 1) * r(n));
  }
}

TEST_CASE("a sum gives the bits of the literal") {
  using labels::e, labels::i, labels::j, labels::k;
  const operands o;
  const auto& a = o.a;
  const auto& b = o.b;
  const auto& c = o.c;
  const auto& u = o.u;
  const auto& v = o.v;
  const auto& s = o.square;
  check_same_bits(
      v, [&](auto& y) { y(e, i) = a(e, i, j) * u(e, j) - v(e, i); },
      [&](auto& y) { einsum<"eij,ej-ei->ei">(into(y), a, u, v); });
  check_same_bits(
      s, [&](auto& y) { y(i, k) += b(i, j) * c(j, k) + s(k, i); },
      [&](auto& y) { einsum<"ij,jk+ki->ik">(into(y), b, c, s, beta(1)); });
  check_same_bits(
      s, [&](auto& y) { y(i, k) -= 0.3 * (b(i, j) * c(j, k) - s(k, i)) * 2; },
      [&](auto& y) { einsum<"ij,jk-ki->ik">(into(y), b, c, s, alpha(-(2 * 0.3)), beta(1)); });
}

TEST_CASE("terms with numbers of their own are evaluated one after another") {
  using labels::i, labels::j, labels::k;
  const operands o;
  const auto& b = o.b;
  const auto& c = o.c;
  const auto& s = o.square;
  const double n = 0.3;
  check_same_bits(
      s, [&](auto& y) { y(i, k) -= n * (b(i, j) * c(j, k) - s(k, i) * 2) / 4 + s(i, k); },
      [&](auto& y) {
        einsum<"ij,jk->ik">(into(y), b, c, alpha(-(n * 0.25)), beta(1));
        einsum<"ki->ik">(into(y), s, alpha(n * 2 * 0.25), beta(1));
        einsum<"ik->ik">(into(y), s, alpha(-1), beta(1));
      });
}

TEST_CASE("float computes in float") {
  using labels::i, labels::j;
  tensor<float, 3, 4> a;
  tensor<float, 4> x;
  generator g(1);
  fill(a.data(), a.size(), g, entries_kind::random);
  fill(x.data(), x.size(), g, entries_kind::random);
  check_same_bits(
      tensor<float, 3>(), [&](auto& y) { y(i) += 0.1F * a(i, j) * x(j); },
      [&](auto& y) {
        einsum<"ij,j->i">(into(y), a, x, alpha(static_cast<double>(0.1F)), beta(1));
      });
}

// --- Slices ---

TEST_CASE("a number in place of a label fixes the axis, on both sides") {
  using labels::e, labels::i, labels::j;
  const operands o;
  const auto& a = o.a;
  const auto& b = o.b;
  const auto& u = o.u;
  const auto& s = o.square;
  for (index n = 0; n < 5; ++n) {
    tensor<double, dyn, 4> y(7);
    y(e, i) = a(e, i, n);
    for (index m = 0; m < 7; ++m) {
      for (index r = 0; r < 4; ++r) CHECK(y(m, r) == a(m, r, n));
    }
  }
  tensor<double, dyn, 4> y(7);
  y.fill(1);
  y(e, 2) = 2 * u(e, 3);
  for (index m = 0; m < 7; ++m) {
    for (index r = 0; r < 4; ++r) CHECK(y(m, r) == (r == 2 ? 2 * u(m, 3) : 1));
  }
  // The slice knows the strides that the tensor knows.
  using slice_of_a = decltype(slice<0, 1>(o.a, {0, 0, 0}));
  static_assert(operand_traits<slice_of_a>::static_strides == std::array<index, 2>{20, 5});
  static_assert(operand_traits<slice_of_a>::static_extents == std::array<index, 2>{dyn, 4});
  // All axes: one entry.
  tensor<double, 4> z;
  z(i) = indexed(b)(1, 2) * s(i, 0);
  for (index r = 0; r < 4; ++r) CHECK(z(r) == b(1, 2) * s(r, 0));
}

TEST_CASE("an index that is not below the extent is refused") {
  using labels::e, labels::i;
  operands o;
  o.v.fill(1);
  CHECK_THROWS_WITH_AS(o.v(e, i) = o.a(e, i, 5),
                       "tenfold: the index at position 2 is 5, but the extent there is 5",
                       shape_error);
  CHECK_THROWS_WITH_AS(o.v(-1, i) = o.b(i, 0),
                       "tenfold: the index at position 0 is -1, but the extent there is 7",
                       shape_error);
  CHECK(o.v(0, 0) == 1);
}

// --- Tensors of others, and expressions that are kept ---

TEST_CASE("numbers of any size divide") {
  using namespace labels;
  tensor<std::complex<double>, 2> a, y;
  a.fill({3e200, 4e200});
  for (const std::complex<double> n :
       {std::complex<double>(1e200, 0), {0, 1e200}, {1e200, 1e200}}) {
    y(i) = a(i) / n;
    CHECK(std::abs(y(0) - a(0) / n) <= 1e-14 * std::abs(y(0)));
  }
}

TEST_CASE("indexed gives labels to the tensors of others") {
  using labels::i, labels::j;
  double memory[3][4], x[4], y[3];
  generator g(2);
  fill(&memory[0][0], 12, g, entries_kind::exact);
  fill(x, 4, g, entries_kind::exact);
  const foreign::map<double, 4, 3> transposed(&memory[0][0], 4, 3, 1, 4);
  indexed(y)(i) = indexed(memory)(i, j) * indexed(x)(j);
  double z[3] = {};
  indexed(z)(i) += indexed(transposed)(j, i) * indexed(x)(j);
  for (int r = 0; r < 3; ++r) {
    double sum = 0;
    for (int n = 0; n < 4; ++n) sum += memory[r][n] * x[n];
    CHECK(y[r] == sum);
    CHECK(z[r] == sum);
  }
}

TEST_CASE("an expression over tensors with names may be kept, views need not be") {
  using labels::e, labels::i, labels::j;
  operands o;
  const auto kept = [&] {
    const view<const double, dyn, 5> u(o.u);
    const auto product = o.a(e, i, j) * u(e, j);
    return 2 * product;
  }();
  tensor<double, dyn, 4> y(7), z(7);
  y(e, i) = kept;
  einsum<"eij,ej->ei">(into(z), o.a, o.u, alpha(2));
  for (index n = 0; n < y.size(); ++n) CHECK(y.data()[n] == z.data()[n]);
  o.u.fill(0);
  y(e, i) = kept;
  for (index n = 0; n < y.size(); ++n) CHECK(y.data()[n] == 0);
}

TEST_CASE("a temporary tensor lives as long as its statement") {
  using labels::i, labels::j;
  const operands o;
  const auto made = [&] { return tensor<double, 4, 5>(o.b); };
  tensor<double, 4> y, z;
  y(i) = made()(i, j) * o.u(0, j);
  z(i) = o.b(i, j) * o.u(0, j);
  for (index n = 0; n < 4; ++n) CHECK(y(n) == z(n));
}

TEST_CASE("the access that is assigned to may have the type of the right-hand side") {
  using labels::i;
  tensor<double, 4> x, y;
  for (index n = 0; n < 4; ++n) x(n) = static_cast<double>(n);
  y.fill(7);
  y(i) = x(i);
  for (index n = 0; n < 4; ++n) CHECK(y(n) == x(n));
}

// --- Mistakes that only the run finds ---

TEST_CASE("extents that do not fit are refused, and nothing is written") {
  using labels::e, labels::i, labels::j;
  operands o;
  tensor<double, dyn, 5> wrong(6);
  wrong.fill(1);
  o.v.fill(1);
  CHECK_THROWS_WITH_AS(o.v(e, i) = o.a(e, i, j) * wrong(e, j),
                       "tenfold: \"eij,ej->ei\": label 'e' at position 4 has extent 6 in operand 1 "
                       "and extent 7 in operand 0",
                       shape_error);
  // In the second term, before the first is evaluated.
  CHECK_THROWS_AS(o.v(e, i) = o.v(e, i) * 2 - 3 * o.a(e, i, j) * wrong(e, j), shape_error);
  CHECK_THROWS_AS(o.v(e, i) = o.a(e, i, j) * o.u(e, j) - o.a(e, i, j) * wrong(e, j), shape_error);
  for (index n = 0; n < o.v.size(); ++n) CHECK(o.v.data()[n] == 1);
}

TEST_CASE("a right-hand side that overlaps the left is refused, and nothing is written") {
  using labels::i, labels::k;
  operands o;
  o.square.fill(1);
  CHECK_THROWS_WITH_AS(o.square(i, k) = 2 * o.square(k, i),
                       "tenfold: \"ki->ik\": the output overlaps operand 0 in memory",
                       overlap_error);
  CHECK_THROWS_AS(o.square(i, k) += 3 * o.b(i, 0) * o.b(k, 0) + o.square(k, i), overlap_error);
  CHECK_THROWS_AS(o.square(1, i) = 2 * o.square(i, 2), overlap_error);
  for (index n = 0; n < o.square.size(); ++n) CHECK(o.square.data()[n] == 1);
}

TEST_CASE("slices of one tensor that share no entry may be on both sides") {
  using labels::i;
  operands o;
  const auto before = o.square;
  o.square(1, i) = 2 * o.square(3, i);
  o.square(i, 0) += o.square(i, 2);
  for (index n = 0; n < 4; ++n) {
    const index from = n == 1 ? 3 : n;
    const double factor = n == 1 ? 2 : 1;
    CHECK(o.square(n, 1) == factor * before(from, 1));
    CHECK(o.square(n, 0) == factor * before(from, 0) + factor * before(from, 2));
  }
}

TEST_CASE("terms with numbers of their own may be batches that no strides reach") {
  using labels::e, labels::i, labels::j;
  operands o;
  tensor<double, dyn, 4> w(7), y(7), back(7);
  w = o.v;
  const auto a = to_interleaved(o.a);
  auto v = to_interleaved(o.v), z = to_interleaved(o.v);
  y(e, i) = 2 * o.a(e, i, j) * o.u(e, j) - 0.5 * o.v(e, i);
  w(e, i) = 3 * (2 * indexed(a)(e, i, j) * o.u(e, j) - 0.5 * indexed(v)(e, i)) / 3;
  for (index n = 0; n < y.size(); ++n) CHECK(w.data()[n] == doctest::Approx(y.data()[n]));
  // A result of that kind comes from a copy: it may be an operand, too.
  indexed(v)(e, i) = 2 * indexed(a)(e, i, j) * o.u(e, j) - 0.5 * indexed(v)(e, i);
  from_interleaved(v, back);
  CHECK(std::memcmp(back.data(), y.data(), static_cast<std::size_t>(y.size()) * 8) == 0);
  indexed(z)(e, i) += 2 * indexed(a)(e, i, j) * o.u(e, j) - 0.5 * indexed(z)(e, i);
  from_interleaved(z, back);
  for (index n = 0; n < y.size(); ++n)
    CHECK(back.data()[n] == doctest::Approx(y.data()[n] + o.v.data()[n]));
}

}  // namespace
}  // namespace tenfold::testing
