#include <tenfold/contraction/bind.hpp>

#include <doctest/doctest.h>

#include <letters.hpp>

namespace tenfold::testing {
namespace {

constexpr limits L = small_limits;
using operand = operand_shape<L.rank>;

constexpr operand dense(std::initializer_list<index> extents, scalar type = scalar::f64) {
  return row_major<L.rank>(extents, type);
}

template <int N>
constexpr bind_result<L> bound(std::string_view text, const operand (&shapes)[N]) {
  const auto w = from_letters<L>(text);
  return bind<L, L.rank>(w.value, w.names, shapes, N);
}
template <int N>
constexpr bind_result<L> bound(std::string_view text, const operand (&shapes)[N],
                               operand output) {
  const auto w = from_letters<L>(text);
  return bind<L, L.rank>(w.value, w.names, shapes, N, &output);
}

constexpr bool says(const bind_result<L>& r, diagnosis code, int position,
                    std::array<index, 4> numbers) {
  return r.error.code == code && r.error.position == position &&
         r.error.length == (position < 0 ? 0 : 1) && r.error.numbers == numbers;
}

// --- what a problem holds ---------------------------------------------------------------------------

constexpr problem<L> product = bound("ij,jk->ik", {dense({3, 4}), dense({4, 5})}).value;
static_assert(product.input_count == 2 && product.label_count == 3);
static_assert(product.extent[0] == 3 && product.extent[1] == 4 && product.extent[2] == 5);
static_assert(product.inputs[0].labels == (bit(0) | bit(1)));
static_assert(product.inputs[0].stride[0] == 4 && product.inputs[0].stride[1] == 1);
static_assert(product.inputs[1].order[0] == 1 && product.inputs[1].order[1] == 2);
static_assert(product.output.stride[0] == 5 && product.output.stride[2] == 1, "row-major");

constexpr problem<L> diagonal = bound("iji->ij", {dense({3, 4, 3})}).value;
static_assert(diagonal.inputs[0].order.count == 2, "a diagonal is one label");
static_assert(diagonal.inputs[0].stride[0] == 13, "with the sum of the strides");
static_assert(diagonal.inputs[0].stride[1] == 3);

// --- extents that are not known yet -------------------------------------------------------------------

constexpr problem<L> batch = bound("eij,ej->ei", {dense({dyn, 3, 4}), dense({dyn, 4})}).value;
static_assert(batch.extent[0] == dyn && batch.extent[1] == 3);
static_assert(batch.inputs[0].stride[0] == 12, "the stride of a leading batch is known");
static_assert(batch.output.stride[0] == 3);

constexpr problem<L> learnt = bound("eij,ej->ei", {dense({dyn, 3, dyn}), dense({7, 4})}).value;
static_assert(learnt.extent[0] == 7 && learnt.extent[2] == 4, "any operand may tell an extent");
static_assert(learnt.inputs[0].stride[0] == dyn);

static_assert(bound("ii->i", {dense({dyn, 3})}).value.inputs[0].stride[0] == 4);
static_assert(bound("ii->i", {dense({3, dyn})}).value.inputs[0].stride[0] == dyn,
              "a sum with an unknown stride is unknown");
static_assert(bound("ij->ij", {dense({4, dyn})}).value.output.stride[0] == dyn);

// --- the output -----------------------------------------------------------------------------------------

static_assert(bound("ij->ji", {dense({3, 4})}).value.output.stride[0] == 1);
static_assert(bound("ij->", {dense({3, 4})}).value.output.order.count == 0);
static_assert(bound("ij,jk->ik", {dense({3, 4}), dense({4, 0})}).value.output.stride[0] == 1,
              "an extent of 0 counts as 1, or a stride were 0");

constexpr operand transposed = [] {
  operand s = dense({3, 5});
  s.strides = {1, 7};
  return s;
}();
static_assert(bound("ij,jk->ik", {dense({3, 4}), dense({4, 5})}, transposed).value.output.stride[2] ==
              7);

// --- errors: what is wrong and where --------------------------------------------------------------------

static_assert(says(bound("ij,jk->ik", {dense({3, 4})}), diagnosis::operand_count, -1, {2, 1}));
static_assert(says(bound("i->i", {dense({3}), dense({3})}), diagnosis::operand_count, -1, {1, 2}));
static_assert(says(bound("ij,jk->ik", {dense({3, 4}), dense({4})}), diagnosis::operand_rank, -1,
                   {1, 1, 2}));
static_assert(says(bound("ij,jk->ik", {dense({3, 4}), dense({5, 6})}), diagnosis::extent_mismatch, 3,
                   {5, 1, 4, 0}));
static_assert(says(bound("ii->", {dense({3, 4})}), diagnosis::extent_mismatch, 1, {4, 0, 3, 0}));
static_assert(says(bound("ai,bi,ci->abc", {dense({2, dyn}), dense({2, 5}), dense({2, 6})}),
                   diagnosis::extent_mismatch, 7, {6, 2, 5, 1}),
              "the operand that told the extent is named, not the first that has the label");
static_assert(says(bound("i,i->", {dense({3}), dense({3}, scalar::f32)}), diagnosis::mixed_scalars,
                   -1, {1}));
static_assert(says(bound("i->", {dense({3}, scalar::c64)}), diagnosis::unsupported_scalar, -1, {0}));
static_assert(says(bound("ij->ji", {dense({3, 4})}, dense({4})), diagnosis::output_rank, -1, {1, 2}));
static_assert(says(bound("ij->ji", {dense({3, 4})}, dense({3, 4})), diagnosis::output_extent, 4,
                   {3, 4}));
static_assert(says(bound("ij->ji", {dense({3, 4})}, dense({4, 3}, scalar::f32)),
                   diagnosis::mixed_scalars, -1, {0}));

constexpr operand with_stride_zero(index extent) {
  operand s = dense({4, extent});
  s.strides = {1, 0};
  return s;
}
static_assert(says(bound("ij->ji", {dense({3, 4})}, with_stride_zero(3)),
                   diagnosis::zero_stride_output, 5, {}));
static_assert(!bound("ij->ji", {dense({1, 4})}, with_stride_zero(1)).error,
              "an axis of one entry may have any stride");

constexpr operand elsewhere = [] {
  operand s = dense({3});
  s.layout = batch_layout::gathered;
  return s;
}();
static_assert(says(bound("i,i->", {dense({3}), elsewhere}), diagnosis::unsupported_layout, -1, {1}));

}  // namespace

TEST_CASE("binding gives the same at run time and at compile time") {
  const operand shapes[] = {dense({3, 4}), dense({4, 5})};
  CHECK(bound("ij,jk->ik", shapes).value == product);
  const operand batches[] = {dense({dyn, 3, 4}), dense({dyn, 4})};
  CHECK(bound("eij,ej->ei", batches).value == batch);
}

TEST_CASE("a row-major result too large for an index has strides that are not known") {
  const operand shapes[] = {dense({index{1} << 40, 1}), dense({1, index{1} << 40})};
  const auto r = bound("ij,jk->ikj", shapes);
  CHECK(!r.error);
  CHECK(r.value.output.stride[0] == index{1} << 40);
  const operand larger[] = {dense({4, index{1} << 40}), dense({index{1} << 40})};
  CHECK(bound("ab,c->abc", larger).value.output.stride[0] == dyn);
}

}  // namespace tenfold::testing
