#include <complex>
#include <cstdint>
#include <tenfold/backend/convert.hpp>
#include <tenfold/dsel/einsum.hpp>
#include <tenfold/dsel/fuse.hpp>
#include <tenfold/tensor/conjugated.hpp>
#include <tenfold/tensor/gathered.hpp>
#include <tenfold/tensor/interleaved.hpp>
#include <tenfold/tensor/pointers.hpp>
#include <thrown.hpp>
#include <vector>

#include <doctest/doctest.h>

#include <fuse_problems.hpp>

// Expressions and fused kernels over batches in every layout, against the same over strided ones.

namespace tenfold {
namespace {

using testing::thrown_by;

constexpr index batch = 11, entries = 12;

template <class T>
struct batches {
  tensor<T, dyn, 4, 3> dense;
  interleaved<T, 8, 4, 3> blocks;
  interleaved<T, 3, 4, 3> odd_blocks;
  interleaved<T, dyn, 4, 3> all_blocks;
  std::vector<T> memory, array;
  std::vector<T*> list;
  std::vector<std::int64_t> numbers;

  explicit batches(unsigned seed)
      : dense(batch),
        blocks(batch),
        odd_blocks(batch),
        all_blocks(batch),
        memory(batch * (entries + 1)),
        array(100) {
    fill(dense, seed);
    for (index b = 0; b < batch; ++b) list.push_back(&memory[static_cast<std::size_t>(b * 13)]);
    // Entries meet in the array, and some are not there.
    for (index k = 0; k < batch * entries; ++k) numbers.push_back(k % 7 == 3 ? -1 : k * 31 % 100);
    filler<T> next{seed + 1};
    for (T& x : array) x = next();
    for_each([&](index b, index i, index j) {
      blocks(b, i, j) = odd_blocks(b, i, j) = all_blocks(b, i, j) = dense(b, i, j);
      list[static_cast<std::size_t>(b)][i * 3 + j] = dense(b, i, j);
    });
  }
  pointers<T, 4, 3> by_pointers() { return pointers<T, 4, 3>(list.data(), batch); }
  gathered<T, 4, 3> by_map() {
    return {array.data(), index_map(numbers.data(), batch, entries, index{100})};
  }
  template <class F>
  static void for_each(F f) {
    for (index b = 0; b < batch; ++b)
      for (index i = 0; i < 4; ++i)
        for (index j = 0; j < 3; ++j) f(b, i, j);
  }
  /// f of a batch in each layout, and of the strided one that has its entries.
  template <class F>
  void with_each(F f) {
    f(blocks, dense);
    f(odd_blocks, dense);
    f(all_blocks, dense);
    f(by_pointers(), dense);
    tensor<T, dyn, 4, 3> seen(batch);
    const auto mapped = by_map();
    for_each([&](index b, index i, index j) { seen(b, i, j) = T(mapped(b, i, j)); });
    f(mapped, seen);
  }
};

// Static extents that differ are told of the expression, not of gemm:
// compile_fail/batch_extent.cpp.
TEST_CASE("a batch of one is repeated along an ellipsis, and a matrix for all may lie in any way") {
  interleaved<double, 8, 4, 3> one(1);
  tensor<double, dyn, 4, 3> dense_one(1);
  fill(dense_one, 3);
  to_interleaved(dense_one, one);
  tensor<double, dyn, 3, 5> B(batch);
  fill(B, 4);
  CHECK(same(einsum<"...ij,...jk->...ik">(one, B), einsum<"...ij,...jk->...ik">(dense_one, B)));
  tensor<double, dyn, 5> matrix(3);
  fill(matrix, 5);
  const auto rows = to_interleaved(matrix);
  batches<double> all(6);
  all.with_each([&](const auto& x, const auto& dense) {
    CHECK(same(einsum<"bij,jk->bik">(x, rows), einsum<"bij,jk->bik">(dense, matrix)));
  });
}

TEST_CASE("a batch whose problems have no entries is read and written in any layout") {
  const interleaved<double, 8, 3, dyn, 2> none(5, 0);
  const auto sums = einsum<"bijk->bi">(none);
  REQUIRE(sums.size() == 15);
  for (index i = 0; i < sums.size(); ++i) CHECK(sums.data()[i] == 0);
  interleaved<double, 8, 3, dyn, 2> result(5, 0);
  const tensor<double, dyn, 3, dyn, 2> dense(5, 0);
  einsum<"bijk->bijk">(into(result), dense, beta(2));
  einsum("bijk->bijk", into(result), none);
  const double* const addresses[] = {nullptr, nullptr};
  const pointers<const double, 3, dyn, 2> listed(addresses, 2, 0);
  const auto of_list = einsum<"bijk->bi">(listed);
  for (index i = 0; i < of_list.size(); ++i) CHECK(of_list.data()[i] == 0);
}

template <class T>
bool equal(const dynamic_tensor<T>& x, const T* y) {
  return std::equal(x.data(), x.data() + x.size(), y);
}

template <class T>
void check_inputs() {
  batches<T> all(1);
  tensor<T, 3, 5> A;
  fill(A, 9);
  all.with_each([&](const auto& x, const auto& dense) {
    CHECK(same(einsum<"eij,jk->kie">(x, A), einsum<"eij,jk->kie">(dense, A)));
    CHECK(same(einsum<"eij,eik->jk">(x, x), einsum<"eij,eik->jk">(dense, dense)));
    CHECK(same(einsum<"eij,jk->e">(conj(x), A), einsum<"eij,jk->e">(conj(dense), A)));
    CHECK(equal(einsum("jk,eij->ike", A, conj(x)), einsum<"jk,eij->ike">(A, conj(dense)).data()));
    CHECK(same(einsum<"eij->je">(x, alpha(2)), einsum<"eij->je">(dense, alpha(2))));
  });
}

/// y := alpha ... + beta y in each layout.
template <class T>
void check_outputs() {
  tensor<T, dyn, 3, 4> u(batch);
  fill(u, 5);
  for (const double factor : {0.0, 1.0, -2.0}) {
    batches<T> all(2);
    all.with_each([&](auto&& y, const auto& dense) {
      using Y = std::remove_cvref_t<decltype(y)>;
      auto sum = dense;
      einsum<"eji->eij">(into(sum), u, alpha(3), beta(factor));
      if constexpr (operand_traits_of<Y>::layout == batch_layout::gathered) {
        // Each entry is scaled once, and gets all that leads to it.
        std::vector<T> expected = all.array;
        std::vector<bool> named(expected.size());
        for (const auto k : all.numbers)
          if (k >= 0) named[static_cast<std::size_t>(k)] = true;
        for (std::size_t k = 0; k < expected.size(); ++k)
          if (named[k]) expected[k] *= static_cast<T>(static_cast<float>(factor));
        all.for_each([&](index b, index i, index j) {
          const auto k = all.numbers[static_cast<std::size_t>(b * entries + i * 3 + j)];
          if (k >= 0) expected[static_cast<std::size_t>(k)] += T(3) * u(b, j, i);
        });
        einsum<"eji->eij">(into(y), u, alpha(3), beta(factor));
        CHECK(all.array == expected);
      } else {
        einsum<"eji->eij">(into(y), u, alpha(3), beta(factor));
        bool right = true;
        all.for_each([&](index b, index i, index j) { right &= T(y(b, i, j)) == sum(b, i, j); });
        CHECK(right);
        einsum("eji->eij", into(y), u, beta(factor));
        einsum<"eji->eij">(into(sum), u, beta(factor));
        all.for_each([&](index b, index i, index j) { right &= T(y(b, i, j)) == sum(b, i, j); });
        CHECK(right);
      }
    });
  }
}

template <class T>
void check_kernels() {
  using labels::e, labels::i, labels::j, labels::k;
  constexpr input<"u"> u;
  constexpr input<"A"> A;
  constexpr local<"g"> g;
  constexpr output<"v"> v;
  batches<T> from(3), to(4);
  tensor<T, 3, 3> M;
  tensor<T, dyn, 4, 3> V(batch), W(batch);
  fill(M, 9);
  const auto kernel = fuse(e)(g(e, i, k) = A(k, j) * u(e, i, j), v(e, i, j) = A(j, k) * g(e, i, k));
  const auto adding = fuse(e)(v(e, i, j) += A(j, k) * u(e, i, k));
  from.with_each([&](const auto& x, const auto& dense) {
    kernel(v = V, u = x, A = M);
    kernel(v = W, u = dense, A = M);
    CHECK(same(V, W));
  });
  const auto check_output = [&](auto&& y) {
    kernel(v = y, u = from.blocks, A = M);
    kernel(v = W, u = from.dense, A = M);
    adding(v = y, u = from.dense, A = M);
    adding(v = W, u = from.dense, A = M);
    bool right = true;
    from.for_each([&](index b, index r, index c) { right &= T(y(b, r, c)) == W(b, r, c); });
    CHECK(right);
  };
  check_output(to.blocks);
  check_output(to.odd_blocks);
  check_output(to.all_blocks);
  check_output(to.by_pointers());
}

}  // namespace

TEST_CASE_TEMPLATE("an expression reads batches in any layout", T, float, double,
                   std::complex<float>, std::complex<double>) {
  check_inputs<T>();
}

TEST_CASE_TEMPLATE("an expression writes a batch in any layout", T, float, double,
                   std::complex<float>, std::complex<double>) {
  check_outputs<T>();
}

TEST_CASE_TEMPLATE("a fused kernel reads and writes batches in any layout", T, double,
                   std::complex<float>) {
  check_kernels<T>();
}

TEST_CASE("a real batch without strides takes no complex beta") {
  std::vector<double> array(8, 1);
  const std::vector<std::int32_t> numbers{0, 1, 2, 3, 4, 5, 6, 7};
  gathered<double, 2> y(array.data(), index_map(numbers.data(), 4, 2, 8));
  tensor<double, dyn, 2> x(4);
  x.fill(1);
  const auto factor = beta(std::complex<double>(1, 2));
  const auto is_told = [](const std::string& sentence) {
    return sentence.find("alpha or beta is complex, the output is real") != std::string::npos;
  };
  CHECK(is_told(thrown_by<shape_error>([&] { einsum<"ei->ei">(into(y), x, factor); })));
  CHECK(is_told(thrown_by<shape_error>([&] { einsum("ei->ei", into(y), x, factor); })));
  CHECK(array == std::vector<double>(8, 1));
}

TEST_CASE("what an expression throws leaves a batch without strides as it is") {
  batches<double> all(1);
  tensor<double, dyn, 3, 4> wrong(batch + 1);
  wrong.fill(1);
  CHECK(thrown_by<shape_error>([&] { einsum<"eji->eij">(into(all.blocks), wrong, beta(2)); }) ==
        "tenfold: \"eji->eij\": label 'e' at position 5 has extent 11 in the output and extent 12 "
        "in the operands");
  bool same_entries = true;
  all.for_each([&](index b, index i, index j) {
    same_entries &= double(all.blocks(b, i, j)) == all.dense(b, i, j);
  });
  CHECK(same_entries);
}

}  // namespace tenfold
