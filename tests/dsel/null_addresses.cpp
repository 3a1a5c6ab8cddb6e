#include <doctest/doctest.h>

#include <cstdint>
#include <fuse_problems.hpp>
#include <string>
#include <tenfold/dsel/einsum.hpp>
#include <tenfold/dsel/fuse.hpp>
#include <tenfold/dsel/reusable_plan.hpp>
#include <tenfold/tensor/error.hpp>
#include <tenfold/tensor/gathered.hpp>
#include <tenfold/tensor/pointers.hpp>
#include <thrown.hpp>

namespace tenfold {
namespace {

using testing::thrown_by;

template <class F>
void check_operand(int o, F f) {
  CHECK(thrown_by<shape_error>(f) == "tenfold: \"ij,jk->ik\": operand " + std::to_string(o) +
                                         " has entries, but its address is null");
}
template <class F>
void check_output(F f) {
  CHECK(thrown_by<shape_error>(f) ==
        "tenfold: \"ij,jk->ik\": the output has entries, but its address is null");
}

}  // namespace

TEST_CASE("a null address is refused where there are entries: extents in the type") {
  const tensor<double, 2, 3> a{};
  const tensor<double, 3, 4> b{};
  tensor<double, 2, 4> c{};
  const view<const double, 2, 3> no_a(nullptr);
  const view<const double, 3, 4> no_b(nullptr);
  view<double, 2, 4> no_c(nullptr);
  check_operand(0, [&] { einsum<"ij,jk->ik">(no_a, b); });
  check_operand(1, [&] { einsum<"ij,jk->ik">(a, no_b); });
  check_operand(0, [&] { einsum<"ij,jk->ik">(into(c), no_a, no_b); });
  check_operand(1, [&] { einsum<"ij,jk->ik">(into(c), a, no_b, alpha(2.0), beta(1.0)); });
  check_output([&] { einsum<"ij,jk->ik">(into(no_c), a, b); });
  const strided_view<const double, 2, 3> strided(nullptr, {2, 3}, {1, 2});
  check_operand(0, [&] { einsum<"ij,jk->ik">(strided, b); });
}

TEST_CASE("a null address is refused where there are entries: extents that the call tells") {
  const tensor<double, dyn, dyn> a(2, 3), b(3, 4);
  tensor<double, dyn, dyn> c(2, 4);
  const view<const double, dyn, dyn> no_a(nullptr, 2, 3), no_b(nullptr, 3, 4);
  view<double, dyn, dyn> no_c(nullptr, 2, 4);
  check_operand(0, [&] { einsum<"ij,jk->ik">(no_a, b); });
  check_operand(1, [&] { einsum<"ij,jk->ik">(into(c), a, no_b); });
  check_output([&] { einsum<"ij,jk->ik">(into(no_c), a, b); });
  check_operand(0, [&] { einsum<"ij,jk->ik">(no_a, b, numpy_semantics); });
}

TEST_CASE("a null address is refused where there are entries: strings and plans") {
  const tensor<double, dyn, dyn> a(2, 3), b(3, 4);
  tensor<double, dyn, dyn> c(2, 4);
  const view<const double, dyn, dyn> no_a(nullptr, 2, 3), no_b(nullptr, 3, 4);
  view<double, dyn, dyn> no_c(nullptr, 2, 4);
  check_operand(0, [&] { einsum("ij,jk->ik", no_a, b); });
  check_operand(1, [&] { einsum("ij,jk->ik", into(c), a, no_b, alpha(0.0)); });
  check_output([&] { einsum("ij,jk->ik", into(no_c), a, b); });
  // A plan needs no entries, its calls do.
  const auto p = plan("ij,jk->ik", like(no_a), like(no_b));
  check_operand(0, [&] { p(no_a, b); });
  check_output([&] { p(into(no_c), a, b); });
}

TEST_CASE("a null address is refused where there are entries: sums of products") {
  const tensor<double, dyn, dyn> a(3, 3);
  tensor<double, dyn, dyn> c(3, 3);
  const view<const double, dyn, dyn> none(nullptr, 3, 3);
  CHECK(thrown_by<shape_error>([&] { einsum("ij + jk,ki -> ij", into(c), a, none, a); }) ==
        "tenfold: \"ij + jk,ki -> ij\": operand 1 has entries, but its address is null");
}

TEST_CASE("a null address is refused where there are entries: fused kernels") {
  using labels::e, labels::i, labels::j;
  using operands::B, operands::u, operands::v;
  const auto turn = fuse(e)(v(e, i) = B(i, j) * u(e, j));
  const tensor<double, 3, 3> matrix{};
  const tensor<double, 5, 3> from{};
  tensor<double, 5, 3> to{};
  const view<const double, 5, 3> no_x(nullptr);
  view<double, 5, 3> no_y(nullptr);
  const auto sentence = [](const std::string& fault) {
    return fault.substr(fault.rfind(": ") + 2);
  };
  CHECK(sentence(thrown_by<shape_error>([&] { turn(v = to, u = no_x, B = matrix); })) ==
        "'u' at position 18 has entries, but its address is null");
  CHECK(sentence(thrown_by<shape_error>([&] { turn(v = no_y, u = from, B = matrix); })) ==
        "'v' at position 0 has entries, but its address is null");
  CHECK_NOTHROW(turn.explain(v = no_y, u = no_x, B = matrix));

  const tensor<double, dyn, dyn> matrix_of_call(3, 3), from_of_call(5, 3);
  const view<const double, dyn, dyn> no_x_of_call(nullptr, 5, 3);
  const view<double, dyn, dyn> no_y_of_call(nullptr, 5, 3);
  const auto planned = turn.plan(v = no_y_of_call, u = no_x_of_call, B = matrix_of_call);
  CHECK_NOTHROW(turn.explain(v = no_y_of_call, u = no_x_of_call, B = matrix_of_call));
  for (int times = 0; times < 2; ++times) {
    const auto by = [&](const auto& kernel) {
      CHECK(sentence(thrown_by<shape_error>([&] {
              kernel(v = no_y_of_call, u = from_of_call, B = matrix_of_call);
            })) == "'v' at position 0 has entries, but its address is null");
    };
    by(turn);
    by(planned);
    tensor<double, dyn, dyn> to_of_call(5, 3);
    turn(v = to_of_call, u = from_of_call, B = matrix_of_call);  // known when it comes again
  }
}

TEST_CASE("a null address is refused where there are entries: batches that no strides reach") {
  const tensor<double, dyn, dyn, dyn> x(2, 3, 3);
  tensor<double, dyn, dyn> y(3, 3);
  double entries[9] = {};
  const double* list[] = {entries, nullptr};
  const pointers<const double, 3, 3> some(list, 2), none(nullptr, 2);
  CHECK(thrown_by<shape_error>([&] { einsum<"bij,bij->ij">(into(y), some, x); }) ==
        "tenfold: \"bij,bij->ij\": operand 0 has entries, but the address of problem 1 is null");
  CHECK(thrown_by<shape_error>([&] { einsum<"bij,bij->ij">(into(y), none, x); }) ==
        "tenfold: \"bij,bij->ij\": operand 0 has entries, but its address is null");
  CHECK(thrown_by<shape_error>([&] { einsum("bij,bij->ij", into(y), x, none); }) ==
        "tenfold: \"bij,bij->ij\": operand 1 has entries, but its address is null");
  CHECK(thrown_by<shape_error>([&] { einsum("bij,bij->ij", x, some); }) ==
        "tenfold: \"bij,bij->ij\": operand 1 has entries, but the address of problem 1 is null");
  const std::int32_t numbers[] = {0, 1, 2, 3};
  const gathered<double, 2> nowhere(nullptr, index_map(numbers, 2, 2, 4));
  const tensor<double, dyn, 2> z(2);
  CHECK(thrown_by<shape_error>([&] { einsum<"bi->bi">(into(nowhere), z); }) ==
        "tenfold: \"bi->bi\": the output has entries, but its address is null");
  CHECK(thrown_by<shape_error>([&] { einsum("bi->bi", into(nowhere), z); }) ==
        "tenfold: \"bi->bi\": the output has entries, but its address is null");
  using labels::b, labels::i, labels::j;
  constexpr input<"u"> u;
  constexpr output<"v"> v;
  tensor<double, dyn, 3> V(2);
  CHECK(thrown_by<shape_error>(
            [&] { fuse(b)(v(b, i) = u(b, i, j) * u(b, i, j))(v = V, u = some); }) ==
        "tenfold: \"v(b,i) = u(b,i,j) * u(b,i,j)\": 'u' at position 9 has entries, but the address "
        "of problem 1 is null");
}

TEST_CASE("a null address is taken where there are no entries") {
  const view<const double, dyn, dyn> a(nullptr, 2, 0), b(nullptr, 0, 4);
  const auto c = einsum<"ij,jk->ik">(a, b);
  for (index i = 0; i < c.size(); ++i) CHECK(c.data()[i] == 0);
  const view<const double, 2, 0> a_static(nullptr);
  const view<const double, 0, 4> b_static(nullptr);
  const auto c_static = einsum<"ij,jk->ik">(a_static, b_static);
  for (index i = 0; i < c_static.size(); ++i) CHECK(c_static.data()[i] == 0);
  const view<double, dyn, dyn> none(nullptr, 0, 4);
  CHECK_NOTHROW(einsum("ij,jk->ik", into(none), tensor<double, dyn, dyn>(0, 2),
                       tensor<double, dyn, dyn>(2, 4)));
}

}  // namespace tenfold
