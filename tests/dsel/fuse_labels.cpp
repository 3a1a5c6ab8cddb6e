#include <complex>
#include <type_traits>

#include <doctest/doctest.h>

#include <fuse_problems.hpp>
#include <tenfold/tensor/conjugated.hpp>

// Fused kernels whose statements read a local under other labels than it was written under.

namespace tenfold {
namespace {

TEST_CASE("a local may be read under several labels at once, and may lack the batch") {
  using labels::e, labels::i, labels::j, labels::k, labels::l;
  constexpr input<"u"> u;
  constexpr input<"A"> A;
  constexpr local<"AA"> AA;
  constexpr local<"g"> g;
  constexpr output<"v"> v;
  tensor<double, 3, 3> M;
  tensor<double, dyn, 3> U(11);
  tensor<double, dyn> V(11), W(11);
  fill(M, 1);
  fill(U, 2);
  const auto energy = fuse(e)(AA(i, j) = A(i, k) * A(k, j),  //
                              g(e, i) = AA(i, j) * u(e, j),  //
                              v(e) = g(e, k) * AA(k, l) * g(e, l) + g(e, j) * u(e, j));
  energy(v = V, u = U, A = M);
  for (index x = 0; x < 11; ++x) {
    double square[3][3] = {}, y[3] = {};
    for (int a = 0; a < 27; ++a) square[a / 9][a / 3 % 3] += M(a / 9, a % 3) * M(a % 3, a / 3 % 3);
    for (int a = 0; a < 9; ++a) y[a / 3] += square[a / 3][a % 3] * U(x, a % 3);
    W(x) = 0;
    for (int a = 0; a < 9; ++a) W(x) += y[a / 3] * square[a / 3][a % 3] * y[a % 3];
    for (int a = 0; a < 3; ++a) W(x) += y[a] * U(x, a);
  }
  CHECK(same(V, W));
}

template <bool IsStatic>
void check_other_labels(index elements) {
  using labels::e, labels::i, labels::j, labels::k, labels::l;
  constexpr input<"u"> u;
  constexpr input<"w"> w;
  constexpr input<"A"> A;
  constexpr input<"B"> B;
  constexpr local<"g"> g;
  constexpr local<"h"> h;
  constexpr output<"v"> v;
  CAPTURE(elements);
  constexpr index n = 4, p = told<IsStatic>(n), q = told<IsStatic>(3);
  auto M = sized<tensor<double, p, p>>(n, n);
  auto R = sized<tensor<double, p, q>>(n, index{3});
  auto U = sized<tensor<double, dyn, p>>(elements, n), V = U, X = U;
  auto Z = sized<tensor<double, dyn, q>>(elements, index{3}), Y = Z;
  auto S = sized<tensor<double, dyn, p, p>>(elements, n, n), T = S, W = S;
  fill(M, 1);
  fill(R, 2);
  fill(U, 3);
  fill(W, 4);
  const auto for_each = [&](auto f) {
    for (index x = 0; x < elements; ++x)
      for (index a = 0; a < n; ++a)
        for (index b = 0; b < n; ++b) f(x, a, b);
  };
  const auto square = [&](index a, index b) {
    double sum = 0;
    for (index c = 0; c < n; ++c) sum += M(a, c) * M(c, b);
    return sum;
  };
  // Of the batch: turned alone, and beside itself.
  fuse(e)(h(e, i, j) = w(e, i, k) * w(e, k, j), v(e, i, j) = h(e, j, i))(v = S, w = W);
  for_each([&](index x, index a, index b) {
    T(x, a, b) = 0;
    for (index c = 0; c < n; ++c) T(x, a, b) += W(x, b, c) * W(x, c, a);
  });
  CHECK(same(S, T));
  fuse(e)(h(e, i, j) = A(i, k) * w(e, k, j), v(e, i, j) = h(e, j, i) + h(e, i, j))(v = S, A = M,
                                                                                   w = W);
  for_each([&](index x, index a, index b) {
    T(x, a, b) = 0;
    for (index c = 0; c < n; ++c) T(x, a, b) += M(b, c) * W(x, c, a) + M(a, c) * W(x, c, b);
  });
  CHECK(same(S, T));
  // Without the batch: turned, under other labels, and both.
  fuse(e)(g(i, j) = A(i, k) * A(k, j), v(e, i) = g(j, i) * u(e, j))(v = V, A = M, u = U);
  X.fill(0);
  for_each([&](index x, index a, index b) { X(x, a) += square(b, a) * U(x, b); });
  CHECK(same(V, X));
  fuse(e)(g(i, k) = A(i, j) * B(j, k), v(e, l) = g(j, l) * u(e, j))(v = Z, A = M, B = R, u = U);
  Y.fill(0);
  for_each([&](index x, index a, index b) {
    for (index c = 0; c < 3; ++c) Y(x, c) += M(a, b) * R(b, c) * U(x, a);
  });
  CHECK(same(Z, Y));
  fuse(e)(g(i, j) = A(i, k) * A(k, j), v(e, i, j) = g(j, k) * w(e, k, i))(v = S, A = M, w = W);
  for_each([&](index x, index a, index b) {
    T(x, a, b) = 0;
    for (index c = 0; c < n; ++c) T(x, a, b) += square(b, c) * W(x, c, a);
  });
  CHECK(same(S, T));
}

template <bool IsStatic>
void check_turned_beside_itself() {
  using labels::e, labels::i, labels::j, labels::k, labels::l;
  constexpr input<"u"> u;
  constexpr input<"w"> w;
  constexpr input<"B"> B;
  constexpr local<"h"> h;
  constexpr output<"v"> v;
  constexpr index n = 8, elements = 28, p = told<IsStatic>(n);
  auto R = sized<tensor<double, told<IsStatic>(5), p>>(index{5}, n);
  auto U = sized<tensor<double, dyn, p>>(elements, n), V = U, X = U;
  auto W = sized<tensor<double, dyn, p, p>>(elements, n, n);
  fill(R, 1);
  fill(U, 2);
  fill(W, 3);
  fuse(e)(h(e, l, i) = u(e, j) * w(e, i, l) * B(k, j) + u(e, l) * w(e, l, i), v(e, i) = h(e, l, i))(
      v = V, u = U, w = W, B = R);
  for (index x = 0; x < elements; ++x) {
    double factor = 0;
    for (index a = 0; a < n; ++a)
      for (index b = 0; b < 5; ++b) factor += U(x, a) * R(b, a);
    for (index a = 0; a < n; ++a) {
      X(x, a) = 0;
      for (index b = 0; b < n; ++b) X(x, a) += factor * W(x, a, b) + U(x, b) * W(x, b, a);
    }
  }
  CHECK(same(V, X));
}

TEST_CASE("a result does not lie where another term reads turned what it was made of") {
  check_turned_beside_itself<true>();
  check_turned_beside_itself<false>();
}

TEST_CASE("a local is read under other labels, wherever lanes come from") {
  for (const index elements : {1, 2, 9, 64, 1000}) {
    check_other_labels<true>(elements);
    check_other_labels<false>(elements);
  }
}

TEST_CASE("a local that is an input is multiplied under other labels") {
  using namespace operands;
  using labels::e, labels::i, labels::j, labels::l, labels::m;
  constexpr local<"g"> g;
  tensor<double, 9, 4, 4> x, y, z;
  for (index n = 0; n < x.size(); ++n) {
    x.data()[n] = static_cast<double>(n % 7 + 1);
    y.data()[n] = static_cast<double>(n % 5 + 2);
  }
  fuse(e)(g(e, i, j) = u(e, i, j), v(e, i, l) = g(e, i, m) * D(e, m, l))(v = z, u = x, D = y);
  for (index p = 0; p < 9; ++p) {
    for (index r = 0; r < 4; ++r) {
      for (index c = 0; c < 4; ++c) {
        double sum = 0;
        for (index k = 0; k < 4; ++k) sum += x(p, r, k) * y(p, k, c);
        CHECK(z(p, r, c) == sum);
      }
    }
  }
}

TEST_CASE("slices of a stack may be read under other labels, in two dimensions") {
  using labels::c, labels::d, labels::e, labels::q, labels::r, labels::i, labels::j, labels::l,
      labels::m;
  constexpr input<"u"> u;
  constexpr input<"B"> B;
  constexpr input<"G"> G;
  constexpr input<"K"> K;
  constexpr local<"g"> g;
  constexpr output<"v"> v;
  constexpr auto X = along<0>(G, B);
  constexpr auto Y = along<1>(G, B);
  tensor<double, 3, 3> Bt, Gt;
  tensor<double, 3> Kt;  // a symmetric 2 x 2 matrix, constant
  tensor<double, dyn, 3, 3> U(9);
  tensor<double, dyn> V(9), W(9);
  fill(Bt, 1);
  fill(Gt, 5);
  fill(Kt, 3);
  fill(U, 2);
  const auto energy = fuse(e)(g(e, d, q, r) = X(d, q, i) * Y(d, r, j) * u(e, i, j),
                              v(e) = g(e, c, q, r) * symmetric<0>(K)(c, d) * g(e, d, q, r));
  energy(v = V, u = U, B = Bt, G = Gt, K = Kt);
  for (index x = 0; x < 9; ++x) {
    W(x) = 0;
    for (int p = 0; p < 9; ++p) {
      double slope[2] = {};
      for (int a = 0; a < 9; ++a) {
        slope[0] += Gt(p / 3, a / 3) * Bt(p % 3, a % 3) * U(x, a / 3, a % 3);
        slope[1] += Bt(p / 3, a / 3) * Gt(p % 3, a % 3) * U(x, a / 3, a % 3);
      }
      W(x) += Kt(0) * slope[0] * slope[0] + 2 * Kt(1) * slope[0] * slope[1] +
              Kt(2) * slope[1] * slope[1];
    }
  }
  CHECK(same(V, W));
}

/// A local that copies what is converted where it is read, and is read turned beside it.
template <class U>
void check_converted_local(U D, bool conjugates) {
  using labels::e, labels::i, labels::j, labels::k, labels::m;
  using C = std::complex<double>;
  constexpr input<"d"> d;
  constexpr input<"B"> B;
  constexpr input<"w"> w;
  constexpr local<"f"> f;
  constexpr local<"g"> g;
  constexpr local<"h"> h;
  constexpr output<"v"> v;
  constexpr bool has_complex = std::is_same_v<typename U::value_type, C>;
  const index elements = D.extent(0);
  CAPTURE(elements);
  CAPTURE(conjugates);
  tensor<C, 3, 3> R;
  tensor<C, dyn, 3, 3> W(elements), V(elements), X(elements);
  const auto entry = [](index n) { return C(double(n % 5 - 2), double(n % 3 - 1)); };
  for (index n = 0; n < R.size(); ++n) R.data()[n] = entry(n + 1);
  for (index n = 0; n < W.size(); ++n) W.data()[n] = entry(n + 2);
  for (index n = 0; n < D.size(); ++n) {
    const C x = entry(n);
    if constexpr (has_complex)
      D.data()[n] = x;
    else
      D.data()[n] = x.real();
  }
  const auto read = [&](index x, index a, index b) {
    const C y = D(x, a, b);
    return conjugates ? std::conj(y) : y;
  };
  const auto for_each = [&](auto of) {
    for (index x = 0; x < elements; ++x)
      for (index a = 0; a < 3; ++a)
        for (index b = 0; b < 3; ++b) X(x, a, b) = of(x, a, b);
  };
  const auto check = [&](const auto& kernel) {
    V.fill(77);
    if constexpr (has_complex) {
      if (conjugates) return kernel(v = V, d = conj(D), B = R, w = W);
    }
    kernel(v = V, d = D, B = R, w = W);
  };
  check(fuse(e)(f(e, i, j) = d(e, i, j), h(e, i, j) = f(e, j, i) * d(e, i, j),
                g(e, i, j) = B(i, k) * h(e, k, j) + w(e, i, j),
                v(e, i, j) = g(e, i, j) * f(e, j, i)));
  for_each([&](index x, index a, index b) {
    C sum = W(x, a, b);
    for (index c = 0; c < 3; ++c) sum += R(a, c) * read(x, b, c) * read(x, c, b);
    return sum * read(x, b, a);
  });
  CHECK(same(V, X));
  check(fuse(e)(f(e, i, m) = d(e, i, m), h(e, k) = f(e, k, i) * d(e, i, j) * B(j, k),
                v(e, k, i) = h(e, k) * w(e, m, i) - f(e, i, k)));
  for_each([&](index x, index a, index b) {
    C left = 0, right = 0;
    for (index c = 0; c < 3; ++c) {
      for (index n = 0; n < 3; ++n) left += read(x, a, c) * read(x, c, n) * R(n, a);
      right += W(x, c, b);
    }
    return left * right - read(x, b, a);
  });
  CHECK(same(V, X));
}

TEST_CASE("a local that copies an input which is converted is read under other labels") {
  for (const index elements : {1, 7, 8, 33}) {
    for (const bool conjugates : {false, true}) {
      check_converted_local(tensor<std::complex<double>, dyn, 3, 3>(elements), conjugates);
      check_converted_local(tensor<std::complex<double>, dyn, dyn, dyn>(elements, 3, 3),
                            conjugates);
    }
    check_converted_local(tensor<double, dyn, 3, 3>(elements), false);
    check_converted_local(tensor<double, dyn, dyn, dyn>(elements, 3, 3), false);
  }
}

}  // namespace
}  // namespace tenfold
