#include <algorithm>
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

constexpr limits S = with_sums(small_limits);

template <limits Room = L, int N>
constexpr bind_result<Room> bound(std::string_view text, const operand (&shapes)[N],
                                  bind_options options = {}) {
  const auto w = from_letters<Room>(text);
  return bind<Room, L.rank>(w.value, w.names, shapes, N, nullptr, options);
}
template <int N>
constexpr bind_result<L> bound(std::string_view text, const operand (&shapes)[N], operand output,
                               bind_options options = {}) {
  const auto w = from_letters<L>(text);
  return bind<L, L.rank>(w.value, w.names, shapes, N, &output, options);
}

constexpr bool says(const bind_result<L>& r, diagnosis code, int position,
                    std::array<index, 4> numbers) {
  return r.error.code == code && r.error.position == position &&
         r.error.length == (position < 0 ? 0 : 1) && r.error.numbers == numbers;
}

// --- what a problem holds ---

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

// --- extents that are not known yet ---

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

// --- the scalar to compute in ---

constexpr scalar f32 = scalar::f32, f64 = scalar::f64, c32 = scalar::c32, c64 = scalar::c64;
constexpr bind_options in_double{.accumulates = true, .accumulate = f64};
constexpr bind_options in_single{.accumulates = true, .accumulate = f32};

constexpr problem<L> mixed = bound("i,i->i", {dense({3}, f64), dense({3}, c64)}).value;
static_assert(mixed.type == c64, "complex if any operand is");
static_assert(mixed.inputs[0].type == f64 && mixed.inputs[1].type == c64, "what lies in memory");
static_assert(mixed.output.type == c64);
static_assert(bound("i,i->i", {dense({3}, f32), dense({3}, c32)}).value.type == c32);
static_assert(bound("i->", {dense({3}, f64)}, dense({}, c64)).value.type == c64,
              "a complex output takes a real result");
static_assert(bound("i->", {dense({3}, f32)}).value.type == f32);

static_assert(bound("i,i->", {dense({3}, f32), dense({3}, f32)}, in_double).value.type == f64);
static_assert(bound("i,i->", {dense({3}, f32), dense({3}, c32)}, in_double).value.type == c64);
static_assert(bound("i,i->", {dense({3}, f32), dense({3}, f64)}, in_double).value.type == f64,
              "both precisions may meet");
static_assert(bound("i,i->", {dense({3}, f32), dense({3}, f32)}, in_double).value.output.type ==
              f64);
static_assert(bound("i->", {dense({3}, f32)}, dense({}, f32), in_double).value.output.type == f32,
              "the output may be narrower");
static_assert(!bound("i->", {dense({3}, f32)}, dense({}, f64), in_double).error);
static_assert(!bound("i->", {dense({3}, f64)}, dense({}, f32), in_double).error);
static_assert(!bound("i->", {dense({3}, f32)}, in_single).error);

static_assert(says(bound("i,i->", {dense({3}), dense({3}, f32)}), diagnosis::mixed_scalars, -1,
                   {1}));
static_assert(says(bound("i,i->", {dense({3}), dense({3}, c32)}), diagnosis::mixed_scalars, -1,
                   {1}));
static_assert(says(bound("i,i->", {dense({3}, f32), dense({3}, c64)}, in_single),
                   diagnosis::accumulate_narrower, -1, {1}));
static_assert(says(bound("i->i", {dense({3})}, dense({3}, f32)), diagnosis::output_scalar, -1, {}));
static_assert(says(bound("i->i", {dense({3}, f32)}, dense({3}, f64)), diagnosis::output_scalar, -1,
                   {}));
static_assert(says(bound("i->i", {dense({3}, f32)}, dense({3}, f64), in_single),
                   diagnosis::output_scalar, -1, {}));
static_assert(says(bound("i,i->i", {dense({3}), dense({3}, c64)}, dense({3})),
                   diagnosis::complex_into_real, -1, {1}));

constexpr operand conjugate(operand shape) {
  shape.conjugated = true;
  return shape;
}
static_assert(bound("i->i", {conjugate(dense({3}, c64))}).value.inputs[0].conjugated);
static_assert(!bound("i->i", {dense({3}, c64)}).value.inputs[0].conjugated);
static_assert(!bound("i->i", {conjugate(dense({3}))}).value.inputs[0].conjugated,
              "a real operand is its own conjugate");
static_assert(
    [] {
      auto w = from_letters<L>("i->i");
      w.value.list[0].factors[0].conjugated = true;
      const operand z[] = {conjugate(dense({3}, c64))};
      return !bind<L, L.rank>(w.value, w.names, z, 1).value.inputs[0].conjugated;
    }(),
    "the conjugate of the conjugate");

// --- stretching ---

constexpr bind_options as_numpy{.numpy_semantics = true};
static_assert(bound("ij,jk->ik", {dense({3, 1}), dense({4, 5})}).error.code ==
                  diagnosis::extent_mismatch,
              "only if asked for");

constexpr problem<L> stretched = bound("ij,jk->ik", {dense({3, 1}), dense({4, 5})}, as_numpy).value;
static_assert(stretched.extent[1] == 4, "an extent of 1 does not tell");
static_assert(stretched.inputs[0].labels == bit(0), "an operand of one entry has no such label");
static_assert(stretched.inputs[0].order.count == 1);
static_assert(stretched.inputs[1].labels == (bit(1) | bit(2)));
static_assert(stretched.may_stretch == 0);
static_assert(bound("ij,jk->ik", {dense({3, 4}), dense({1, 5})}, as_numpy).value.inputs[1].labels ==
                  bit(2),
              "whichever stands first");
static_assert(bound("ij,jk->ik", {dense({3, 1}), dense({1, 5})}, as_numpy).value ==
                  bound("ij,jk->ik", {dense({3, 1}), dense({1, 5})}).value,
              "where all have one entry nothing is stretched");
static_assert(bound("i,i->i", {dense({1}), dense({0})}, as_numpy).value.extent[0] == 0);
static_assert(
    bound("iij,ij->ij", {dense({1, 1, 3}), dense({2, 1})}, as_numpy).value.inputs[0].labels ==
        bit(1),
    "a diagonal of one entry");

constexpr problem<L> ellipsis = [] {
  auto w = from_letters<L>("ei,ei->ei");
  w.value.stretchable = bit(0);
  const operand shapes[] = {dense({1, 3}), dense({7, 3})};
  return bind<L, L.rank>(w.value, w.names, shapes, 2).value;
}();
static_assert(ellipsis.extent[0] == 7 && ellipsis.inputs[0].labels == bit(1));
static_assert(
    [] {
      auto w = from_letters<L>("ei,ei->ei");
      w.value.stretchable = bit(0);
      const operand shapes[] = {dense({7, 1}), dense({7, 3})};
      return says(bind<L, L.rank>(w.value, w.names, shapes, 2), diagnosis::extent_mismatch, 4,
                  {3, 1, 1, 0});
    }(),
    "the labels of the ellipsis stretch, the others do not");

constexpr problem<L> unknown =
    bound("ei,ei->ei", {dense({dyn, 3}), dense({dyn, 3})}, as_numpy).value;
static_assert(unknown.may_stretch == bit(0), "the call may find one operand of extent 1");

constexpr bool keeps_apart(std::initializer_list<index> extents,
                           std::initializer_list<index> strides) {
  operand y;
  for (const index n : extents) y.extents[static_cast<std::size_t>(y.rank++)] = n;
  std::copy(strides.begin(), strides.end(), y.strides.begin());
  return binding::keeps_apart(y);
}
static_assert(keeps_apart({3, 4}, {4, 1}) && !keeps_apart({3, 4}, {3, 1}));
static_assert(keeps_apart({dyn, 3}, {1, 1}), "not known yet");
static_assert(unknown.inputs[0].labels == (bit(0) | bit(1)) && unknown.extent[0] == dyn);
static_assert(bound("ei,ei->ei", {dense({dyn, 3}), dense({7, 3})}, as_numpy).value.may_stretch ==
              bit(0));
static_assert(bound("ei->ei", {dense({dyn, 3})}, as_numpy).value.may_stretch == 0,
              "alone it has nothing to meet");
static_assert(bound("ei,ei->ei", {dense({dyn, 3}), dense({dyn, 3})}).value.may_stretch == 0);
static_assert(
    bound("ei,ei->ei", {dense({dyn, 3}), dense({1, 3})}, as_numpy).value.inputs[1].labels == bit(1),
    "one entry meets whatever extent");
static_assert(
    bound("ii,i->i", {dense({dyn, 1}), dense({5})}, as_numpy).value.inputs[0].order.count == 0,
    "one axis of a diagonal tells of the other");

static_assert(says(bound("i,i->i", {dense({2}), dense({3})}, as_numpy), diagnosis::extent_mismatch,
                   2, {3, 1, 2, 0}));
static_assert(says(bound("ii->i", {dense({1, 3})}, as_numpy), diagnosis::extent_mismatch, 1,
                   {3, 0, 1, 0}),
              "within one operand nothing is stretched");
static_assert(says(bound("i->i", {dense({1})}, dense({3}), as_numpy), diagnosis::output_extent, 3,
                   {3, 1}),
              "nor to the output");

// --- several statements ---

constexpr problem<L> one = product;
static_assert(one.statement_count == 1 && one.list[0].factor_count == 2);
static_assert(one.list[0].factors[1] == bound_factor{1, 1});
static_assert(one.list[0].order == one.output.order);

constexpr problem<S> difference =
    bound<S>("eij,ej - ei -> ei", {dense({7, 3, 4}), dense({7, 4}), dense({7, 3})}).value;
static_assert(difference.statement_count == 3 && difference.input_count == 3);
static_assert(difference.list[0].factor_count == 2 && difference.list[1].factor_count == 1);
static_assert(difference.list[1].factors[0] == bound_factor{2, 1});
static_assert(difference.list[2].kind == statement_kind::sum);
static_assert(difference.list[2].factors[0] == bound_factor{3, 1});
static_assert(difference.list[2].factors[1] == bound_factor{4, -1});
static_assert(difference.list[0].order.set() == (bit(0) | bit(1)));
static_assert(difference.list[2].order == difference.output.order);
static_assert(difference.inputs[2].stride[0] == 3 && difference.inputs[2].stride[1] == 1);
static_assert(difference.output.stride[0] == 3);

static_assert(
    [] {
      const auto r = bound<S>("ij,j + ik -> i", {dense({3, 4}), dense({4}), dense({2, 5})});
      return r.error == diagnostic{diagnosis::extent_mismatch, 7, 1, {2, 2, 3, 0}};
    }(),
    "a label has one extent in all terms");
static_assert([] {
  const auto r = bound<S>("ij,j + i -> i", {dense({3, 4}), dense({4}), dense({3}, f32)});
  return r.error == diagnostic{diagnosis::mixed_scalars, -1, 0, {2}};
}());

constexpr problem<S> terms =
    bound<S>("ij,j + ij,j -> i", {dense({1, 1}), dense({1}), dense({3, 4}), dense({4})}, as_numpy)
        .value;
static_assert(terms.extent[0] == 3 && terms.extent[1] == 4);
static_assert(terms.inputs[0].labels == bit(0) && terms.inputs[0].stride[0] == 0,
              "the result of a term has every label: one factor repeats its entry");
static_assert(terms.inputs[1].labels == 0, "a term that sums one entry sums it once");
static_assert(terms.inputs[2].labels == (bit(0) | bit(1)));

// --- the output ---

static_assert(bound("ij->ji", {dense({3, 4})}).value.output.stride[0] == 1);
static_assert(bound("ij->", {dense({3, 4})}).value.output.order.count == 0);
static_assert(bound("ij,jk->ik", {dense({3, 4}), dense({4, 0})}).value.output.stride[0] == 1,
              "an extent of 0 counts as 1, or a stride were 0");

constexpr operand transposed = [] {
  operand s = dense({3, 5});
  s.strides = {1, 7};
  return s;
}();
static_assert(
    bound("ij,jk->ik", {dense({3, 4}), dense({4, 5})}, transposed).value.output.stride[2] == 7);

// --- errors: what is wrong and where ---

static_assert(says(bound("ij,jk->ik", {dense({3, 4})}), diagnosis::operand_count, -1, {2, 1}));
static_assert(says(bound("i->i", {dense({3}), dense({3})}), diagnosis::operand_count, -1, {1, 2}));
static_assert(says(bound("ij,jk->ik", {dense({3, 4}), dense({4})}), diagnosis::operand_rank, -1,
                   {1, 1, 2}));
static_assert(says(bound("ij,jk->ik", {dense({3, 4}), dense({5, 6})}), diagnosis::extent_mismatch,
                   3, {5, 1, 4, 0}));
static_assert(says(bound("ii->", {dense({3, 4})}), diagnosis::extent_mismatch, 1, {4, 0, 3, 0}));
static_assert(says(bound("ai,bi,ci->abc", {dense({2, dyn}), dense({2, 5}), dense({2, 6})}),
                   diagnosis::extent_mismatch, 7, {6, 2, 5, 1}),
              "the operand that told the extent is named, not the first that has the label");
static_assert(says(bound("ij->ji", {dense({3, 4})}, dense({4})), diagnosis::output_rank, -1,
                   {1, 2}));
static_assert(says(bound("ij->ji", {dense({3, 4})}, dense({3, 4})), diagnosis::output_extent, 4,
                   {3, 4}));

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
static_assert(says(bound("i,i->", {dense({3}), elsewhere}), diagnosis::unsupported_layout, -1,
                   {1}));
static_assert(says(bound("i->i", {dense({3})}, elsewhere), diagnosis::unsupported_output, -1, {}));

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
