#include <check_call.hpp>
#include <slow_build.hpp>
#include <tenfold/dsel/explain.hpp>

// Products whose operands leave the caches are cut into blocks, whatever their labels.

namespace tenfold::testing {
namespace {

using z = std::complex<double>;

/// Whether the last step of an expression over such tensors is blocked.
template <literal S, class... X>
constexpr bool is_blocked() {
  constexpr auto e = explain<S, X...>(avx512_capabilities);
  return e.steps[e.step_count - 1].kernel == micro_kernel::blocked;
}

/// Planned for an L2 cache of 4 KiB: products of 16 and more rows, columns and sums leave it. (One
/// product of matrices is left to the kernels of batches all the same.)
template <class T>
void check_blocked(std::string_view text, const extents_list& extents) {
  check_on_all_sets<T>(text, extents, 4096);
}

}  // namespace

static_assert(
    is_blocked<"aec,deb->abcd", tensor<double, 16, 16, 17>, tensor<double, 23, 16, 24>>());
static_assert(is_blocked<"ij,jk->ik", tensor<double, 500, 500>, tensor<double, 500, 500>>());
// In cache where the rows, columns or sums of the one product are several loops.
static_assert(
    is_blocked<"acbd,cedf->aebf", tensor<double, 6, 6, 6, 6>, tensor<double, 6, 6, 6, 6>>());
static_assert(is_blocked<"akl,lck->ac", tensor<double, 64, 16, 16>, tensor<double, 16, 64, 16>>());
static_assert(
    !is_blocked<"abcd,cdef->abef", tensor<double, 6, 6, 6, 6>, tensor<double, 6, 6, 6, 6>>());
static_assert(
    !is_blocked<"acbd,cedf->aebf", tensor<double, 3, 6, 5, 6>, tensor<double, 6, 6, 6, 6>>());
// Where copies of single problems would take one entry of each line.
static_assert(is_blocked<"adb,cd->cba", tensor<double, 64, 24, 64>, tensor<double, 48, 24>>());
static_assert(!is_blocked<"abd,cd->acb", tensor<double, 64, 64, 24>, tensor<double, 48, 24>>());
// A batch of such products: not.
static_assert(
    !is_blocked<"xkyb,knb->xnyb", tensor<double, 4, 16, 4, 50>, tensor<double, 16, 16, 50>>());
// In cache, read by few, a batch, one step of many: not.
static_assert(!is_blocked<"ij,jk->ik", tensor<double, 400, 400>, tensor<double, 400, 400>>());
static_assert(
    !is_blocked<"be,dcea->dcba", tensor<double, 72, 72>, tensor<double, 72, 72, 72, 72>>());
static_assert(
    is_blocked<"ce,deba->dcba", tensor<double, 72, 72>, tensor<double, 72, 72, 72, 72>>());
static_assert(!is_blocked<"ij,jk->ik", tensor<double, 5000, 32>, tensor<double, 32, 32>>());
static_assert(
    !is_blocked<"eij,ejk->eik", tensor<double, dyn, 300, 300>, tensor<double, dyn, 300, 300>>());
static_assert(!is_blocked<"qi,rj,sk,eijk->eqrs", tensor<double, 18, 17>, tensor<double, 18, 17>,
                          tensor<double, 18, 17>, tensor<double, 100, 17, 17, 17>>());

TEST_CASE("large products in every form") {
  constexpr forms which = slow_build ? forms::few : forms::all;
  check_expression<"aec,deb->abcd", double, which>(shape<16, 16, 17>{}, shape<23, 16, 24>{});
}

TEST_CASE_TEMPLATE("products in blocks, whatever the order of their labels", T, float, double, z) {
  check_blocked<T>("ij,jk->ik", {{70, 64}, {64, 75}});
  check_blocked<T>("ji,kj->ki", {{64, 70}, {75, 64}});
  check_blocked<T>("aec,deb->abcd", {{6, 16, 5}, {7, 16, 4}});
  check_blocked<T>("aec,deb->acbd", {{6, 16, 5}, {7, 16, 4}});
  check_blocked<T>("cea,bed->dbca", {{5, 16, 6}, {4, 16, 7}});
  check_blocked<T>("aefc,dfeb->abcd", {{6, 8, 3, 5}, {7, 3, 8, 4}});
  check_blocked<T>("dfe,ebfac->abcd", {{17, 3, 6}, {6, 16, 3, 8, 2}});
}

TEST_CASE_TEMPLATE("what is transposed has a rest, neighbours are few, runs are short", T, float,
                   double, z) {
  // Neighbours of the second operand are 19 sums, of the first 19 columns.
  check_blocked<T>("dac,bcd->ba", {{20, 30, 19}, {21, 19, 20}});
  check_blocked<T>("aebd,ce->dcba", {{24, 17, 3, 19}, {18, 17}});
  // Two and four neighbours among the sums.
  check_blocked<T>("abcdef,kalcme->bdfklm", {{4, 3, 4, 2, 2, 4}, {3, 4, 3, 4, 2, 2}});
  check_blocked<T>("abcdef,kelcma->bdfklm", {{4, 3, 4, 2, 2, 4}, {3, 2, 3, 4, 2, 4}});
  // The same in runs of 12 columns, 20 and 24, which are parts of vectors.
  check_blocked<T>("dbea,ec->abcd", {{12, 3, 20, 19}, {20, 18}});
  check_blocked<T>("dbea,ec->abcd", {{20, 2, 17, 17}, {17, 18}});
  check_blocked<T>("dbea,ec->abcd", {{24, 2, 18, 9}, {18, 17}});
  check_blocked<T>("dbea,ec->abcd", {{12, 9, 17, 6}, {17, 18}});
  // Results in runs of 12, rows in their order.
  check_blocked<T>("bged,cafg->fedcba", {{3, 16, 3, 5}, {4, 12, 3, 16}});
}

TEST_CASE("products in blocks with a batch, a diagonal, unit axes and a label of one operand") {
  check_blocked<double>("gaec,gdeb->gabcd", {{2, 6, 16, 5}, {2, 7, 16, 4}});
  check_blocked<double>("aecg,gdeb->abcdg", {{6, 16, 5, 3}, {3, 7, 16, 4}});
  check_blocked<double>("aecc,deb->abcd", {{6, 16, 5, 5}, {7, 16, 4}});
  check_blocked<double>("aec,xdeb->axbcd", {{6, 16, 5}, {1, 7, 16, 4}});
  check_blocked<double>("aecx,deb->abcd", {{6, 16, 5, 3}, {7, 16, 4}});
}

TEST_CASE("long sums over few rows and columns are cut into parts") {
  if (!slow_build) check_blocked<double>("ipx,iqx->pq", {{800, 16, 31}, {800, 17, 31}});
}

TEST_CASE("sums of products in blocks, and products before and behind other steps") {
  check_blocked<double>("aec,deb - afc,dfb -> abcd",
                        {{6, 66, 11}, {13, 66, 5}, {6, 3, 11}, {13, 3, 5}});
  check_blocked<double>("aec,deb - abcd -> abcd", {{6, 66, 11}, {13, 66, 5}, {6, 5, 11, 13}});
  check_blocked<double>("ij,jk,ik->ik", {{70, 64}, {64, 65}, {70, 65}});
  check_blocked<double>("ij,jk,kl->il", {{66, 64}, {64, 70}, {70, 68}});
}

TEST_CASE("products in blocks of mixed scalars and conjugates") {
  for_all_kinds([&](entries_kind kind) {
    const auto a = made<z>(shape<16, 16, 8>{}, 1, kind);
    const auto b = made<double>(shape<23, 16, 24>{}, 2, kind);
    static_assert(is_blocked<"aec,deb->abcd", tensor<z, 16, 16, 8>, tensor<double, 23, 16, 24>>());
    check_call<"aec,deb->abcd">(kind, conj(a), b);
  });
}

}  // namespace tenfold::testing
