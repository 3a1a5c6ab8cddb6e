#include <tenfold/dsel/explain.hpp>
#include <thrown.hpp>

// What two terms of a sum share is computed once where the call shows that the operands are the
// same.

using namespace tenfold;

namespace {

constexpr literal text("ij,jk,kl + ij,jk,kl->il");
using A = tensor<double, 9, 8>;
using B = tensor<double, 8, 9>;
using C = tensor<double, 9, 7>;
template <class Call>
using planned_by =
    expression<text, Call, void, const A, const B, const C, const A, const B, const C>;

static_assert(planned_by<plain_call>::may_have_twins);
static_assert(planned_by<with_twins<plain_call>>::plan.flops <
              0.55 * planned_by<plain_call>::plan.flops);

template <class T>
void fill(T& t, int step) {
  for (tenfold::index n = 0; n < t.size(); ++n)
    t.data()[n] = static_cast<double>(n * step % 11 - 5);
}

}  // namespace

TEST_CASE("terms that look alike are taken for one only if their operands are one") {
  A a, other;
  B b;
  C c;
  fill(a, 3);
  fill(other, 5);
  fill(b, 4);
  fill(c, 7);
  for (const A* second : {&a, &other}) {
    const auto y = einsum<text>(a, b, c, *second, b, c);
    C result;
    einsum<text>(into(result), a, b, c, *second, b, c);
    for (int i = 0; i < 9; ++i) {
      for (int l = 0; l < 7; ++l) {
        double sum = 0;
        for (int j = 0; j < 8; ++j) {
          for (int k = 0; k < 9; ++k) sum += (a(i, j) + (*second)(i, j)) * b(j, k) * c(k, l);
        }
        CHECK(y(i, l) == sum);
        CHECK(result(i, l) == sum);
      }
    }
  }
}

TEST_CASE("operands of one address and different extents are not one") {
  tensor<double, 6> memory;
  for (int n = 0; n < 6; ++n) memory(n) = n + 1;
  const view<const double, dyn> whole(memory.data(), 6);
  const strided_view<const double, dyn> odd(memory.data(), {3}, {2});
  const auto same = einsum<"i + i ->">(whole, whole);
  CHECK(static_cast<double>(same) == 42);
  const view<const double, dyn> three(memory.data(), 3);
  const auto apart = einsum<"i,i + i,i ->">(three, odd, odd, odd);
  CHECK(static_cast<double>(apart) == 1 + 6 + 15 + 1 + 9 + 25);
}

TEST_CASE("operands of one address and different strides are not one") {
  tensor<double, 2, 2> memory;
  for (int n = 0; n < 4; ++n) memory.data()[n] = n + 1;
  const strided_view<const double, 2, 2> m(memory.data(), {2, 2}, {2, 1}),
      t(memory.data(), {2, 2}, {1, 2});
  const auto y = einsum<"ij,jk,kl + ij,jk,kl->il">(m, m, m, t, t, t);
  // m m m = (37 54; 81 118), and of the transpose the transpose
  CHECK(y(0, 0) == 74);
  CHECK(y(0, 1) == 135);
  CHECK(y(1, 0) == 135);
  CHECK(y(1, 1) == 236);
}

TEST_CASE("explain tells of a call what the call does") {
  A a, other;
  B b;
  C c;
  const auto one = explain<text>(a, b, c, a, b, c).flops;
  CHECK(one == planned_by<with_twins<plain_call>>::plan.flops);
  CHECK(explain<text>(a, b, c, other, b, c).flops == planned_by<plain_call>::plan.flops);
  CHECK(explain(text.view(), a, b, c, a, b, c).flops == one.factor_of(0));
}

TEST_CASE("a path that fits no term of a sum is told") {
  const tensor<double, 3, 4> x;
  const tensor<double, 4, 5> y;
  const path_options none{.method = path_method::given};
  const auto told =
      "tenfold: \"ij,jk + ij,jk -> ik\": " + std::string(sentence_of(diagnosis::no_path));
  CHECK(testing::thrown_by<backend_error>(
            [&] { einsum("ij,jk + ij,jk -> ik", x, y, x, y, none); }) == told);
}
