#include <check_call.hpp>
#include <compiled.hpp>
#include <slow_build.hpp>
#include <tenfold/backend/cpu/caches.hpp>
#include <tenfold/dsel/explain.hpp>

// Steps that memory bounds have programs of their own: copies and products entry by entry in the
// order of memory, sums whose lanes are their terms.

namespace tenfold::testing {
namespace {

using z = std::complex<double>;

/// What runs the last step of an expression over such tensors.
template <literal S, class... X>
constexpr micro_kernel kernel_of() {
  constexpr auto e = explain<S, X...>(avx512_capabilities);
  return e.steps[e.step_count - 1].kernel;
}

/// The same where programs are compiled.
template <literal S, class... X>
constexpr micro_kernel compiled_kernel_of() {
  constexpr auto e = explain<S, X...>(compiled(avx512_capabilities));
  return e.steps[e.step_count - 1].kernel;
}

template <index... N>
using d = tensor<double, N...>;

constexpr auto pointwise = micro_kernel::pointwise, reduce = micro_kernel::reduce;

constexpr forms which = slow_build ? forms::few : forms::all;

}  // namespace

static_assert(kernel_of<"ij->ji", d<40, 50>>() == pointwise);
static_assert(kernel_of<"eij->eji", d<dyn, 8, 8>>() == pointwise);
static_assert(kernel_of<"iij->ij", d<300, 300, 300>>() == pointwise);
static_assert(kernel_of<"ab,cd->abcd", d<30, 30>, d<30, 30>>() == pointwise);
static_assert(kernel_of<"ij->ij", d<40, 50>>() == pointwise);
static_assert(kernel_of<"i,j->ij", d<40>, d<50>>() == pointwise);
static_assert(kernel_of<"ij,ik->ijk", d<9, 9>, d<9, 16>>() == pointwise);
// In short rows of little, or compiled: not.
static_assert(kernel_of<"ij,ik->ijk", d<20, 20>, d<20, 4>>() == pointwise);
static_assert(kernel_of<"ij,ik->ijk", d<20, 20>, d<20, 3>>() != pointwise);
static_assert(kernel_of<"ij,ik->ijk", d<50, 50>, d<50, 3>>() == pointwise);
static_assert(compiled_kernel_of<"ij->ij", d<40, 50>>() != pointwise);
static_assert(compiled_kernel_of<"i,j->ij", d<40>, d<50>>() != pointwise);
static_assert(kernel_of<"eij->eji", d<dyn, 3, 3>>() == pointwise);
static_assert(compiled_kernel_of<"eij->eji", d<dyn, 3, 3>>() != pointwise);

static_assert(kernel_of<"i,i->", d<200>, d<200>>() == reduce);
static_assert(kernel_of<"ij,j->i", d<20, 100>, d<100>>() == reduce);
static_assert(kernel_of<"ij->i", d<dyn, 100>>() == reduce);
static_assert(kernel_of<"ijk,jk->i", d<20, 10, 20>, d<10, 20>>() == reduce);
// Short sums, however short, and, compiled, of a whole vector.
static_assert(kernel_of<"ij,j->i", d<200, 2>, d<2>>() == reduce);
static_assert(kernel_of<"bij,bj->bi", d<dyn, 9, 4>, d<dyn, 4>>() == reduce);
static_assert(compiled_kernel_of<"bij,bj->bi", d<dyn, 9, 8>, d<dyn, 8>>() == reduce);
// Shorter ones where compiled, entries that lie apart, entries that are used more than once: not.
static_assert(compiled_kernel_of<"bij,bj->bi", d<dyn, 9, 7>, d<dyn, 7>>() != reduce);
static_assert(kernel_of<"ij,j->ij", d<200, 20>, d<20>>() != reduce);
static_assert(kernel_of<"ij,i->j", d<100, 100>, d<100>>() != reduce);
static_assert(kernel_of<"ij,ji->", d<100, 100>, d<100, 100>>() != reduce);
static_assert(kernel_of<"ij,kj->ik", d<100, 100>, d<100, 100>>() != reduce);

TEST_CASE_TEMPLATE("transpositions in every form", T, float, double) {
  check_expression<"ij->ji", T, which>(shape<29, 41>{});
  check_expression<"ijk->kji", T, which>(shape<9, 11, 13>{});
  check_expression<"eij->eji", T, which>(shape<7, 12, 10>{});
  check_expression<"ij,ji->ij", T, which>(shape<33, 27>{}, shape<27, 33>{});
}

TEST_CASE_TEMPLATE("rows in every form", T, float, double) {
  check_expression<"i,j->ij", T, which>(shape<29>{}, shape<37>{});
  check_expression<"ij,j->ij", T, which>(shape<31, 23>{}, shape<23>{});
  check_expression<"ij,i->ij", T, which>(shape<31, 23>{}, shape<31>{});
  check_expression<"ijk->jik", T, which>(shape<5, 7, 33>{});
}

TEST_CASE_TEMPLATE("batches of vectors in every form", T, float, double) {
  check_expression<"bij,bj->bi", T, which>(shape<5, 9, 11>{}, shape<5, 11>{});
  check_expression<"bij,bj->bi", T, which>(shape<7, 8, 16>{}, shape<7, 16>{});
  check_expression<"bij->bi", T, which>(shape<5, 3, 17>{});
  check_expression<"bi,bi->b", T, which>(shape<19, 20>{}, shape<19, 20>{});
  check_expression<"ij,bj->bi", T, which>(shape<5, 9>{}, shape<13, 9>{});
  check_expression<"ij,bi->bj", T, which>(shape<9, 16>{}, shape<13, 9>{});
  check_expression<"bi,bj->bij", T, which>(shape<6, 5>{}, shape<6, 7>{});
  check_expression<"bij,bj->bij", T, which>(shape<6, 4, 3>{}, shape<6, 3>{});
}

TEST_CASE_TEMPLATE("sums over neighbours in every form", T, float, double) {
  check_expression<"i,i->", T, which>(shape<301>{}, shape<301>{});
  check_expression<"ij,j->i", T, which>(shape<7, 150>{}, shape<150>{});
  check_expression<"ijk->", T, which>(shape<9, 11, 13>{});
  check_expression<"bij,bj->bi", T, which>(shape<3, 6, 140>{}, shape<3, 140>{});
  check_expression<"ijk,jk->i", T, which>(shape<5, 10, 40>{}, shape<10, 40>{});
}

TEST_CASE("sums over neighbours before and behind other steps") {
  check_expression<"ij,j,ik->k", double, which>(shape<20, 200>{}, shape<200>{}, shape<20, 30>{});
  check_expression<"ij,jk,k->i", double, which>(shape<20, 130>{}, shape<130, 140>{}, shape<140>{});
  check_expression<"ij,j - i -> i", double, which>(shape<20, 200>{}, shape<200>{}, shape<20>{});
}

TEST_CASE("sums over extents and strides that only the call tells") {
  double numbers[200];
  for (int i = 0; i < 200; ++i) numbers[i] = i;
  const strided_view<const double, 20, 10> x(numbers, {20, 10}, {10, 1});
  const double total = einsum<"ij->">(x);
  CHECK(total == 19900);
  tensor<double, 20, 10, dyn> a(3);
  a.fill(1);
  const auto y = einsum<"ijk->k">(a);
  CHECK(y(0) == 200);
  CHECK(y(2) == 200);
}

TEST_CASE("conjugates and mixed scalars, transposed and summed") {
  for_all_kinds([&](entries_kind kind) {
    const auto a = made<z>(shape<37, 130>{}, 1, kind);
    const auto x = made<double>(shape<130>{}, 2, kind);
    check_call<"ij->ji">(kind, conj(a));
    check_call<"ij,j->i">(kind, conj(a), x);
    check_call<"ij,ij->">(kind, conj(a), a);
    check_call<"ij,i->ji">(kind, conj(a), made<double>(shape<37>{}, 3, kind));
  });
}

TEST_CASE_TEMPLATE("rows that are read once, with and without fetching ahead", T, float, double,
                   z) {
  const cpu::cache_sizes usual = cpu::caches();
  for (const cpu::cache_sizes& sizes : {usual, cpu::cache_sizes{0, 0, 0}}) {
    cpu::assume_caches(sizes);
    check_on_all_sets<T>("i,ij->j", {{30}, {30, 40}});
    check_on_all_sets<T>("ik,jki->ji", {{30, 17}, {40, 17, 30}});
    check_on_all_sets<T>("bij->bj", {{5, 7, 33}});
    check_on_all_sets<T>("ij->j", {{130, 40}});
    check_on_all_sets<T>("bi,bij->bj", {{3, 11}, {3, 11, 70}});
    check_on_all_sets<T>("bi,bji->bj", {{3, 6}, {3, 50, 6}});
  }
  cpu::assume_caches(usual);
}

}  // namespace tenfold::testing
