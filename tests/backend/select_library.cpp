#include <tenfold/backend/interface/select/library_products.hpp>

#include <doctest/doctest.h>

#include "shapes.hpp"

namespace tenfold::select {
namespace {

using testing::rows;

constexpr gemm_shape real = rows(scalar::f64, 96, 80, 64), complex = rows(scalar::c64, 96, 80, 64);

/// Whether the library takes a shape with something changed.
template <class F>
constexpr bool takes(gemm_shape s, F change) {
  change(s);
  return library_product_of(s).possible;
}
constexpr bool takes(const gemm_shape& s) { return library_product_of(s).possible; }

using enum library_op;

// --- how it is computed ---

static_assert(library_product_of(real) == library_product{true, true, scalar::f64,
                                                          batch_layout::strided, 80, 96, 64, none,
                                                          none, 80, 64, 80},
              "C^T := B^T A^T, all of them by columns");
static_assert(library_product_of(transposed(real)) == library_product{true, false, scalar::f64,
                                                                      batch_layout::strided, 80, 96,
                                                                      64, none, none, 80, 64, 80},
              "the same, asked for from the other side");

constexpr gemm_shape conjugate_of_rows{scalar::c64,
                                       96,
                                       80,
                                       64,
                                       {.row = 70, .column = 1, .conjugated = true},
                                       {.row = 1, .column = 64},
                                       {.row = 1, .column = 100}};
static_assert(library_product_of(conjugate_of_rows) ==
              library_product{true, false, scalar::c64, batch_layout::strided, 96, 80, 64,
                              conjugate_transpose, none, 70, 64, 100});

// --- what it cannot take ---

static_assert(!takes(complex, [](auto& s) { s.a.conjugated = true; }), "it would transpose, too");
static_assert(takes(real, [](auto& s) { s.a.conjugated = true; }), "the same");
static_assert(!takes(real, [](auto& s) { s.a.column = 2; }), "nothing is side by side");
static_assert(!takes(real, [](auto& s) { s.b.row = -80; }), "backward");
static_assert(!takes(real, [](auto& s) { s.b.row = 79; }), "rows that meet");
static_assert(!takes(real, [](auto& s) { s.c.row = 1; }));
static_assert(takes(real, [](auto& s) { s.a.shared = s.b.shared = true; }));
static_assert(!takes(real, [](auto& s) { s.c.shared = true; }));
static_assert(!takes(real, [](auto& s) { s.a.layout = batch_layout::pointers; }), "of all or none");

template <batch_layout Layout>
constexpr auto all_are = [](gemm_shape& s) { s.a.layout = s.b.layout = s.c.layout = Layout; };
static_assert(takes(real, all_are<batch_layout::pointers>));
static_assert(!takes(complex, all_are<batch_layout::pointers>), "they may be aligned to 8 bytes");
static_assert(!takes(real, all_are<batch_layout::interleaved>));
static_assert(!takes(real, all_are<batch_layout::gathered>));

static_assert(!library_product_of(real, -1).possible, "from the last problem to the first");
static_assert(library_product_of(real, 0, {{8, 8}, {8, 8}, {8, 8}}).possible);
static_assert(!library_product_of(complex, 0, {{16, 0}, {8, 0}, {16, 0}}).possible);

// --- what does not pay ---

static_assert(takes(rows(scalar::f32, 64, 64, 32)));
static_assert(!takes(rows(scalar::f32, 63, 64, 32)));
static_assert(!takes(rows(scalar::f32, 64, 63, 32)));
static_assert(!takes(rows(scalar::f32, 64, 64, 31)));

// --- what goes there together ---

/// Products of this shape at the addresses of lists from `first` on.
library_call listed(gemm_shape s, const void* const* first, index count) {
  all_are<batch_layout::pointers>(s);
  return {library_product_of(s), {{first}, {first}, {first}, count}};
}

TEST_CASE("groups go to the library together where each list goes on") {
  const void* const list[300] = {};
  const library_call last = listed(real, list, 3);
  CHECK(library_joins(last, listed(rows(scalar::f64, 64, 64, 32), list + 3, 2), h100_capabilities));
  CHECK(!library_joins(last, listed(real, list + 4, 2), h100_capabilities));
  CHECK(!library_joins(last, listed(rows(scalar::f64, 64, 64, 8), list + 3, 2), h100_capabilities));
  CHECK(
      !library_joins(last, listed(rows(scalar::f32, 64, 64, 32), list + 3, 2), h100_capabilities));
  for (batch_place library_arguments::*const one :
       {&library_arguments::a, &library_arguments::b, &library_arguments::c}) {
    library_call next = listed(real, list + 3, 2);
    (next.arguments.*one).data = list;
    CHECK(!library_joins(last, next, h100_capabilities));
  }
  // What fills half of a device goes there alone.
  const library_call many = listed(real, list + 3, 200);
  CHECK(!library_joins(last, many, h100_capabilities));
  CHECK(!library_joins(many, listed(real, list + 203, 2), h100_capabilities));
  const library_call strided{library_product_of(real), {{list}, {list}, {list}, 0}};
  CHECK(!library_joins(strided, strided, h100_capabilities));
}

}  // namespace
}  // namespace tenfold::select
