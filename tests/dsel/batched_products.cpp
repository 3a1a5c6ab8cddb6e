#include <doctest/doctest.h>

#include <complex>
#include <cstring>
#include <tenfold/backend/convert.hpp>
#include <tenfold/dsel/einsum.hpp>
#include <tenfold/tensor/conjugated.hpp>
#include <tenfold/tensor/gathered.hpp>
#include <tenfold/tensor/pointers.hpp>
#include <thrown.hpp>
#include <vector>

// Expressions that are one batched product: the same bits as gemm(), in every storage.

namespace tenfold::testing {
namespace {

template <class X>
void fill(X& x, index seed) {
  using T = std::remove_cvref_t<decltype(*x.data())>;
  for (index i = 0; i < x.size(); ++i) {
    const auto r =
        static_cast<real_type<T>>((i * 2654435761 + seed * 40503) % 1999 - 999) / real_type<T>(777);
    if constexpr (is_complex(scalar_of<T>))
      x.data()[i] = T(r, real_type<T>(0.3) - r / 2);
    else
      x.data()[i] = r;
  }
}

template <class X, class Y>
bool same_bits(const X& x, const Y& y) {
  return x.size() == y.size() &&
         std::memcmp(x.data(), y.data(), static_cast<std::size_t>(x.size()) * sizeof(*x.data())) ==
             0;
}

}  // namespace

TEST_CASE_TEMPLATE("an expression that is one batched product has the bits of gemm", T, float,
                   double, std::complex<float>, std::complex<double>) {
  for (const index count : {1, 8, 19}) {
    CAPTURE(count);
    tensor<T, dyn, 9, 10> A(count);
    tensor<T, dyn, 10, 11> B(count);
    tensor<T, dyn, 11, 10> Bt(count);
    tensor<T, 9, 10> A1;
    tensor<T, dyn, 9, 11> C(count), D(count);
    fill(A, 1);
    fill(B, 2);
    fill(Bt, 3);
    fill(A1, 4);
    fill(C, 5);
    D = C;
    einsum<"bij,bjk->bik">(into(C), A, B);
    gemm(T(1), A, B, T(0), D);
    CHECK(same_bits(C, D));
    einsum<"bij,bkj->bik">(into(C), A, Bt, alpha(2.5), beta(-0.5));
    gemm<op::none, op::transpose>(T(2.5), A, Bt, T(-0.5), D);
    CHECK(same_bits(C, D));
    einsum<"ij,bjk->bik">(into(C), A1, B);
    gemm(T(1), A1, B, T(0), D);
    CHECK(same_bits(C, D));
    einsum("bij,bjk->bik", into(C), A, B);  // planned when it runs, on the library's kernels
    tensor<T, dyn, dyn, dyn> E(count, 9, 11);
    gemm(T(1), A, B, T(0), E);
    CHECK(same_bits(C, E));
  }
}

TEST_CASE("a conjugate is part of the product") {
  using z = std::complex<double>;
  tensor<z, dyn, 9, 10> A(5);
  tensor<z, dyn, 10, 11> B(5);
  fill(A, 1);
  fill(B, 2);
  tensor<z, dyn, 9, 11> C(5), D(5);
  einsum<"bij,bjk->bik">(into(C), conj(A), B);
  gemm(z(1), conj(A), B, z(0), D);
  CHECK(same_bits(C, D));
  einsum<"bij,bjk->bik">(into(C), A, conj(B));
  gemm(z(1), A, conj(B), z(0), D);
  CHECK(same_bits(C, D));
}

TEST_CASE(
    "interleaved, pointer and gathered batches are multiplied where the expression is a product") {
  constexpr index count = 11;
  tensor<double, dyn, 4, 5> A(count);
  tensor<double, dyn, 5, 6> B(count);
  tensor<double, 3, 4> Q;
  for (index i = 0; i < A.size(); ++i) A.data()[i] = static_cast<double>(i % 7 - 3);
  for (index i = 0; i < B.size(); ++i) B.data()[i] = static_cast<double>(i % 5 - 2);
  for (index i = 0; i < Q.size(); ++i) Q.data()[i] = static_cast<double>(i);
  const auto Ai = to_interleaved(A);
  const auto Bi = to_interleaved<3>(B);
  std::vector<const double*> list;
  std::vector<std::int64_t> numbers;
  for (index b = 0; b < count; ++b) {
    list.push_back(&B(b, 0, 0));
    for (index i = 0; i < 30; ++i) numbers.push_back(b * 30 + i);
  }
  const pointers<const double, 5, 6> Bp(list.data(), count);
  const gathered<const double, 5, 6> Bg(B.data(), index_map(numbers.data(), count, 30, B.size()));
  const auto expected = einsum<"bij,bjk->bik">(A, B);

  CHECK(same_bits(einsum<"bij,bjk->bik">(Ai, Bi), expected));
  CHECK(same_bits(einsum<"bij,bjk->bik">(A, Bp), expected));
  CHECK(same_bits(einsum<"bij,bjk->bik">(Ai, Bg), expected));
  interleaved<double, 8, 6, 4> C(count);
  einsum<"bij,bjk->bki">(into(C), Ai, B, alpha(2.0));
  bool same = true;
  for (index b = 0; b < count; ++b)
    for (index i = 0; i < 4; ++i)
      for (index k = 0; k < 6; ++k) same = same && C(b, k, i) == 2 * expected(b, i, k);
  CHECK(same);
  CHECK(same_bits(einsum<"qi,eij->eqj">(Q, Ai), einsum<"qi,eij->eqj">(Q, A)));
  CHECK(same_bits(einsum<"eij,qi->eqj">(Ai, Q), einsum<"qi,eij->eqj">(Q, A)));
}

TEST_CASE("sizes that do not fit are told as by gemm") {
  const interleaved<double, 8, dyn, dyn> A(3, 4, 5), B(3, 6, 7);
  CHECK_THROWS_WITH_AS((einsum<"bij,bjk->bik">(A, B)),
                       "tenfold: gemm: op(A) has 5 columns, but op(B) has 6 rows", shape_error);
}

}  // namespace tenfold::testing
