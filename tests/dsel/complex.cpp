#include <check_call.hpp>

// Complex operands, mixes of real and complex ones, conjugates, complex factors.

namespace tenfold::testing {
namespace {

using c = std::complex<float>;
using z = std::complex<double>;

/// The product of two operands of types A and B, neither, one or both of them conjugated.
template <literal S, class A, class B, class First, class Second>
void check_conjugates(const First& first, const Second& second) {
  for_all_kinds([&](entries_kind kind) {
    const auto a = made<A>(first, 1, kind);
    const auto b = made<B>(second, 2, kind);
    check_call<S>(kind, a, b);
    check_call<S>(kind, conj(a), b);
    check_call<S>(kind, a, conj(b));
    check_call<S>(kind, conj(a), conj(b));
  });
}

template <literal S, class A, class B, class First, class Second>
void check_mix(const First& first, const Second& second) {
  for_all_kinds([&](entries_kind kind) {
    check_call<S>(kind, made<A>(first, 1, kind), conj(made<B>(second, 2, kind)));
  });
}

/// What f throws; it must be a shape_error.
template <class F>
std::string shape_fault(F f) {
  try {
    f();
  } catch (const shape_error& e) {
    return e.what();
  }
  return "(no shape_error was thrown)";
}

}  // namespace

TEST_CASE("products of complex operands, conjugated or not") {
  check_conjugates<"ij,jk->ik", z, z>(shape<5, 6>{}, shape<6, 7>{});
  check_conjugates<"eij,ej->ei", c, c>(shape<dyn, 4, 5>{19}, shape<dyn, 5>{19});
}

TEST_CASE("a real operand times a complex one is complex") {
  check_mix<"ij,jk->ik", double, z>(shape<5, 6>{}, shape<6, 9>{});
  check_mix<"ij,jk->ik", z, double>(shape<5, 6>{}, shape<6, 9>{});
  check_mix<"ij,ij->ij", c, float>(shape<7, 9>{}, shape<7, 9>{});
  CHECK(std::is_same_v<decltype(einsum<"i,i->i">(tensor<double, 3>{}, tensor<z, 3>{})),
                       tensor<z, 3>>);
  CHECK(std::is_same_v<decltype(einsum<"i,i->i">(tensor<float, 3>{}, tensor<float, 3>{},
                                                 accumulate<double>)),
                       tensor<double, 3>>);
}

TEST_CASE("one complex operand: traces, sums, transposes, conjugates") {
  for_all_kinds([](entries_kind kind) {
    const auto a = made<z>(shape<9, 9>{}, 1, kind);
    check_call<"ii->">(kind, conj(a));
    check_call<"ij->j">(kind, a);
    check_call<"ij->ji">(kind, conj(a));
  });
  const tensor<z, 2> x = [] {
    tensor<z, 2> t;
    t(0) = z(1, 2);
    t(1) = z(-3, 4);
    return t;
  }();
  CHECK(einsum<"i->i">(conj(x))(0) == z(1, -2));
  CHECK(z(einsum<"i,i->">(conj(x), x)) == z(30, 0));
  CHECK(z(einsum("i,i->", x, x)) == z(-10, -20));
  CHECK(einsum<",i->i">(z(0, 1), x)(1) == z(-4, -3));
}

TEST_CASE("chains and hyper-labels of complex operands") {
  for_all_kinds([](entries_kind kind) {
    const auto a = made<z>(shape<4, 5>{}, 1, kind);
    const auto b = made<double>(shape<5, 6>{}, 2, kind);
    const auto d = made<z>(shape<6, 7>{}, 3, kind);
    check_call<"ij,jk,kl->il">(kind, conj(a), b, conj(d));
    check_call<"ij,ij,ij->j">(kind, a, conj(a), a);
  });
}

TEST_CASE("the conjugate of a real operand is the operand") {
  const auto a = made<double>(shape<4, 5>{}, 1);
  const auto b = made<z>(shape<5>{}, 2);
  CHECK(same_bits(einsum<"ij,j->i">(conj(a), b), einsum<"ij,j->i">(a, b)));
  CHECK(same_bits(einsum("ij->ji", conj(a)), einsum("ij->ji", a)));
}

TEST_CASE("a complex result may come from real operands") {
  const auto a = made<double>(shape<4, 5>{}, 1, entries_kind::exact);
  tensor<z, 5, 4> y, w;
  einsum<"ij->ji">(into(y), a, alpha(z(0, 2)));
  einsum("ij->ji", into(w), a, alpha(z(0, 2)));
  for (index i = 0; i < 4; ++i) {
    for (index j = 0; j < 5; ++j) {
      CHECK(y(j, i) == z(0, 2 * a(i, j)));
      CHECK(w(j, i) == z(0, 2 * a(i, j)));
    }
  }
}

TEST_CASE("a complex factor of a real result is told at run time") {
  const auto a = made<double>(shape<4, 5>{}, 1);
  const auto b = made<double>(shape<5>{}, 2);
  tensor<double, 4> y;
  y.fill(7);
  const std::string text = "tenfold: \"ij,j->i\": alpha or beta is complex, the output is real";
  CHECK(shape_fault([&] { einsum<"ij,j->i">(into(y), a, b, alpha(z(1, 1))); }) == text);
  CHECK(shape_fault([&] { einsum<"ij,j->i">(into(y), a, b, beta(z(0, 1))); }) == text);
  CHECK(shape_fault([&] { einsum<"ij,j->i">(a, b, alpha(z(0, 1))); }) == text);
  CHECK(shape_fault([&] { einsum("ij,j->i", into(y), a, b, alpha(z(1, 1))); }) == text);
  CHECK(shape_fault([&] { plan("ij,j->i", like(a), like(b))(into(y), a, b, beta(z(1, 1))); }) ==
        text);
  for (index i = 0; i < 4; ++i) CHECK(y(i) == 7);
  // A complex number without an imaginary part is a real one.
  einsum<"ij,j->i">(into(y), a, b, alpha(z(1, 0)), beta(z(0, 0)));
  CHECK(same_bits(y, einsum<"ij,j->i">(a, b, alpha(1))));
}

TEST_CASE("a complex operand has no real result") {
  const auto a = made<double>(shape<4, 5>{}, 1);
  const auto b = made<z>(shape<5>{}, 2);
  tensor<double, 4> y;
  y.fill(7);
  const std::string text = "tenfold: \"ij,j->i\": operand 1 is complex, the output is real";
  CHECK(shape_fault([&] { einsum("ij,j->i", into(y), a, b); }) == text);
  CHECK(shape_fault([&] { einsum("ij,j->i", into(y), a, conj(b)); }) == text);
  CHECK(shape_fault([&] { plan("ij,j->i", into(like(y)), like(a), like(b)); }) == text);
  for (index i = 0; i < 4; ++i) CHECK(y(i) == 7);
}

TEST_CASE("beta = 0 reads no complex output, alpha = 0 no complex operand") {
  auto a = made<z>(shape<3, 9>{}, 1);
  const auto b = made<z>(shape<9, 5>{}, 2);
  const auto before = made<z>(shape<3, 5>{}, 3, entries_kind::exact);
  const auto right = einsum<"ij,jk->ik">(a, b);
  tensor<z, 3, 5> y;
  y.fill(not_a_number<z>());
  einsum<"ij,jk->ik">(into(y), a, b);
  CHECK(same_bits(y, right));
  a.fill(not_a_number<z>());
  y = before;
  einsum<"ij,jk->ik">(into(y), a, b, alpha(0), beta(z(0, 1)));
  for (index i = 0; i < y.size(); ++i) CHECK(y.data()[i] == before.data()[i] * z(0, 1));
  y = before;
  einsum("ij,jk->ik", into(y), a, b, alpha(0), beta(z(0, 1)));
  for (index i = 0; i < y.size(); ++i) CHECK(y.data()[i] == before.data()[i] * z(0, 1));
}

// --- batches and strides ------------------------------------------------------------------------

namespace {

/// Every entry of the batch has the bits of that entry alone.
template <class T>
void check_batch(index n) {
  CAPTURE(n);
  const auto a = made<T>(shape<dyn, 3, 4>{n}, 1);
  const auto u = made<T>(shape<dyn, 4>{n}, 2);
  const judge<T> right("eij,ej->ei", entries_kind::random, {seen(conj(a)), seen(u)});
  const auto y = einsum<"eij,ej->ei">(conj(a), u);
  right.check(y);
  right.check(einsum("eij,ej->ei", conj(a), u));
  for (index e = 0; e < n; ++e) {
    const view<const T, dyn, 3, 4> own_a(a.data() + 12 * e, 1);
    const view<const T, dyn, 4> own_u(u.data() + 4 * e, 1);
    const auto own = einsum<"eij,ej->ei">(conj(own_a), own_u);
    for (index i = 0; i < 3; ++i) CHECK(own(0, i) == y(e, i));
  }
}

}  // namespace

TEST_CASE("complex batches of every size around the number of lanes") {
  for (const index n : {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33}) {
    check_batch<z>(n);
    check_batch<c>(n);
  }
}

TEST_CASE_TEMPLATE("one small matrix applied to many complex vectors", T, z, std::complex<float>) {
  for_all_kinds([](entries_kind kind) {
    // Several vectors of lanes are packed at a time.
    check_call<"bj,ij->bi">(kind, made<T>(shape<600, 3>{}, 1, kind),
                            made<T>(shape<3, 3>{}, 2, kind));
    check_call<"bj,ij->bi">(kind, conj(made<T>(shape<1100, 5>{}, 1, kind)),
                            made<T>(shape<5, 5>{}, 2, kind));
  });
}

TEST_CASE_TEMPLATE("complex matrices times vectors, in batches and with many rows", T, z,
                   std::complex<float>) {
  for_all_kinds([](entries_kind kind) {
    check_call<"eij,ej->ei">(kind, conj(made<T>(shape<19, 9, 7>{}, 1, kind)),
                             made<T>(shape<19, 7>{}, 2, kind));
    check_call<"ei,eij->ej">(kind, made<T>(shape<40, 4>{}, 1, kind),
                             conj(made<T>(shape<40, 4, 9>{}, 2, kind)));
    check_call<"ib,ij->bj">(kind, conj(made<T>(shape<16, 1100>{}, 1, kind)),
                            made<T>(shape<16, 17>{}, 2, kind));
  });
}

TEST_CASE("no bit of a converted operand's sum depends on where a vector ends") {
  const auto a = made<float>(shape<2, 6, 6, 2>{}, 1);
  for (const index n : {2, 3, 5, 7, 9, 13, 17, 33}) {
    CAPTURE(n);
    sample<float> b({2, 2, 2, 2, n});
    generator g(2);
    b.fill(g, entries_kind::random);
    for (index i = 0; i < 16 * n; ++i) b.data()[i] = b.data()[i - i % n];
    const operand_list inputs{seen(a), seen(b)};
    const judge<c> right("Gffi,iGxQR->iR", entries_kind::random, inputs);
    for (const instruction_set isa : instruction_sets()) {
      CAPTURE(static_cast<int>(isa));
      tensor<c, dyn, dyn> y(2, n);
      y.fill(c(0.5F, 0.25F));
      evaluate_on(isa, "Gffi,iGxQR->iR", inputs, shape_of<max_rank>(y), y.data(), {{1}, {-1}});
      right.check(y, std::vector<c>(static_cast<std::size_t>(2 * n), c(0.5F, 0.25F)), 1, -1);
      for (index i = 0; i < 2; ++i) {
        for (index r = 1; r < n; ++r) CHECK(y(i, r) == y(i, 0));
      }
    }
  }
}

TEST_CASE("complex operands and outputs may have any strides") {
  using matrix = strided_view<z, dyn, dyn>;
  struct strides {
    index row, column;
  };
  for (const strides& s : {strides{6, 1}, {9, 1}, {1, 5}, {12, 2}, {-6, 1}, {6, -1}, {-1, -5}}) {
    const index row = s.row, column = s.column;
    CAPTURE(row);
    CAPTURE(column);
    generator g(1);
    sample<z> x({5, 6}, {row, column}), y({5, 6}, {row, column}), out({5, 5}, {row, column});
    if (row == 1) out = sample<z>({5, 5}, {1, 7});
    x.fill(g, entries_kind::random);
    y.fill(g, entries_kind::random);
    const matrix a(x.data(), {5, 6}, {row, column}), b(y.data(), {5, 6}, {row, column});
    const judge<z> right("ij,kj->ik", entries_kind::random, {seen(a), seen(conj(b))});
    right.check(einsum<"ij,kj->ik">(a, conj(b)));
    right.check(einsum("ij,kj->ik", a, conj(b)));
    const matrix w(out.data(), {5, 5}, {out.strides()[0], out.strides()[1]});
    einsum<"ij,kj->ik">(into(w), a, conj(b));
    right.check(w);
    CHECK(out.spoilt_gaps() == 0);
  }
  const z two(0, 2);
  const strided_view<const z, 6> same(&two, {6}, {0});
  const auto m = made<z>(shape<5, 6>{}, 1, entries_kind::exact);
  const auto sums = einsum<"ij->i">(m);
  const auto once = einsum<"ij,j->i">(m, conj(same));
  const auto again = einsum("ij,j->i", m, conj(same));
  for (index i = 0; i < 5; ++i) {
    CHECK(once(i) == sums(i) * z(0, -2));
    CHECK(again(i) == sums(i) * z(0, -2));
  }
}

// --- two precisions -----------------------------------------------------------------------------

namespace {

/// Big numbers that cancel around small ones: right in double, lost in float.
template <class T>
tensor<T, 30> cancelling() {
  tensor<T, 30> x;
  for (index i = 0; i < 30; i += 3) {
    x(i) = static_cast<T>(1 << 28);
    x(i + 1) = static_cast<T>(1);
    x(i + 2) = -x(i);
  }
  return x;
}

template <class T>
tensor<T, 30> ones() {
  tensor<T, 30> x;
  x.fill(T(1));
  return x;
}

}  // namespace

TEST_CASE("accumulate<double> computes with floats in double") {
  const auto x = cancelling<float>(), one = ones<float>();
  CHECK(double(einsum<"i,i->">(x, one, accumulate<double>)) == 10);
  CHECK(double(einsum("i,i->", x, one, accumulate<double>)) == 10);
  CHECK(double(einsum<"i->">(x, accumulate<double>)) == 10);
  tensor<float> y;
  y.fill(std::numeric_limits<float>::quiet_NaN());
  einsum<"i,i->">(into(y), x, one, accumulate<double>);
  CHECK(float(y) == 10);
  einsum<"i,i->">(into(y), x, one, accumulate<double>, alpha(0.5), beta(2));
  CHECK(float(y) == 25);
  einsum("i,i->", into(y), x, one, accumulate<double>, alpha(-1), beta(1));
  CHECK(float(y) == 15);
}

TEST_CASE("accumulate<double> takes operands of both precisions") {
  const auto x = cancelling<float>();
  const auto one = ones<double>();
  CHECK(double(einsum<"i,i->">(x, one, accumulate<double>)) == 10);
  CHECK(double(einsum("i,i->", one, x, accumulate<double>)) == 10);
  const auto w = cancelling<c>();
  CHECK(z(einsum<"i,i->">(w, one, accumulate<double>)) == z(10, 0));
  CHECK(z(einsum("i,i->", conj(w), x, accumulate<double>)).imag() == 0);
  CHECK(shape_fault([&] { einsum("i,i->", x, one); }) ==
        "tenfold: \"i,i->\": operand 1 and operand 0 differ in precision: accumulate<double> "
        "computes in the wider one");
  CHECK(shape_fault([&] { einsum("i,i->", x, one, accumulate<float>); }) ==
        "tenfold: \"i,i->\": operand 1 is wider than what accumulate<float> computes in");
}

TEST_CASE("accumulate<double> keeps the tolerance of double before the last rounding") {
  const auto a = made<float>(shape<9, 40>{}, 1);
  const auto b = made<c>(shape<40, 11>{}, 2);
  call_settings settings;
  settings.binding.accumulates = true;
  const judge<z> wide("ij,jk->ik", entries_kind::random, {seen(a), seen(conj(b))}, settings);
  wide.check(einsum<"ij,jk->ik">(a, conj(b), accumulate<double>));
  wide.check(einsum("ij,jk->ik", a, conj(b), accumulate<double>));
  const judge<c> rounded("ij,jk->ik", entries_kind::random, {seen(a), seen(conj(b))}, settings);
  tensor<c, 9, 11> y;
  y.fill(not_a_number<c>());
  einsum<"ij,jk->ik">(into(y), a, conj(b), accumulate<double>);
  rounded.check(y);
  y.fill(not_a_number<c>());
  einsum("ij,jk->ik", into(y), a, conj(b), accumulate<double>);
  rounded.check(y);
}

}  // namespace tenfold::testing
