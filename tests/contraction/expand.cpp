#include <tenfold/contraction/expand.hpp>

#include <doctest/doctest.h>

#include <letters.hpp>

namespace tenfold::testing {
namespace {

constexpr limits L = small_limits;
constexpr limits S = with_sums(small_limits);

template <limits Room = L, int N>
constexpr expand_result<Room> expanded(std::string_view text, const int (&ranks)[N]) {
  const written<Room> w = from_letters<Room>(text);
  return expand<Room>(w.value, w.names, ranks, N);
}

/// The statements of letters, as if the ellipsis had been written out.
template <limits Room = L>
constexpr statements<Room> letters(std::string_view text, label_set stretchable) {
  statements<Room> value = from_letters<Room>(text).value;
  value.stretchable = stretchable;
  return value;
}

template <limits Room = L>
constexpr bool says(const expand_result<Room>& r, diagnosis code, int position,
                    std::array<index, 4> numbers) {
  return r.error == diagnostic{code, position, position < 0 ? 0 : 3, numbers};
}

// --- one product ---

static_assert(expanded("ij,jk->ik", {2, 2}).value == from_letters<L>("ij,jk->ik").value,
              "nothing to do");
static_assert(expanded("ij,jk->ik", {5, 5}).error == diagnostic{}, "bind compares the ranks");

static_assert(expanded("...ij,...j->...i", {3, 2}).value == letters("eij,ej->ei", bit(0)));
static_assert(expanded("...ij,...j->...i", {4, 3}).value ==
              letters("deij,dej->dei", bit(0) | bit(1)));
static_assert(expanded("...ij,...j->...i", {2, 1}).value == letters("ij,j->i", 0), "no axis");
static_assert(expanded("i...j->j...i", {4}).value == letters("iabj->jabi", bit(1) | bit(2)),
              "in the middle");
static_assert(expanded("i...->...i", {2}).value == letters("ia->ai", bit(1)), "behind");
static_assert(expanded("...->...", {3}).value == letters("abc->abc", bit(0) | bit(1) | bit(2)));
static_assert(expanded("...->...", {0}).value == letters("->", 0), "a scalar");
static_assert(expanded("...i,...i->...i", {1, 3}).value == letters("i,abi->abi", bit(1) | bit(2)),
              "the shorter is aligned at the right: it has none of the labels");
static_assert(expanded("...i,...i->...i", {2, 3}).value == letters("bi,abi->abi", bit(0) | bit(2)),
              "it has the last label; the numbers go by first occurrence");
static_assert(expanded("ij,...j->...i", {2, 3}).value == letters("ij,abj->abi", bit(2) | bit(3)),
              "an operand without an ellipsis is not stretched");
static_assert(expanded("ij,jk->...ik", {2, 2}).value.list[0].result_ellipsis == -1);
static_assert(expanded("i...->i", {1}).value == letters("i->i", 0),
              "an ellipsis that stands for nothing may lack in the output");

constexpr auto batch = expanded("j...i,...i->...j", {4, 2});
static_assert(batch.names.position[0][0] == 0 && batch.names.position[0][1] == 1);
static_assert(batch.names.position[0][2] == 1 && batch.names.position[0][3] == 4);
static_assert(batch.names.position[1][0] == 6 && batch.names.position[1][1] == 9);
static_assert(batch.names.position[L.operands][0] == 12 &&
              batch.names.position[L.operands][2] == 15);
static_assert(batch.names.name[1] == label_name{1, 3}, "the name of its labels is '...'");
static_assert(batch.names.name[3] == label_name{4, 1});
static_assert(!batch.value.has_ellipsis && batch.value.list[0].factors[0].ellipsis == -1);

// --- sums ---

constexpr auto expanded_difference = expanded<S>("...ij,...j - ...i -> ...i", {3, 1, 2});
static_assert(!expanded_difference.error && expanded_difference.value.stretchable == bit(0));
static_assert(expanded_difference.value.list[0].factors[0].labels.count == 3);
static_assert(expanded_difference.value.list[0].factors[1].labels.count == 1);
static_assert(expanded_difference.value.list[2].result.count == 2);
static_assert(expanded_difference.value.list[2].factors[1].labels ==
              expanded_difference.value.list[1].result);
static_assert(expanded_difference.value.list[2].factors[1].ellipsis == -1);
static_assert(expanded_difference.value.list[2].factors[1].sign == -1);

static_assert(says<S>(expanded<S>("...ij,...j - ...i -> ...i", {3, 1, 1}),
                      diagnosis::term_lacks_label, 21, {1}));

// --- errors ---

static_assert(says(expanded("...ij,j->...i", {1, 1}), diagnosis::ellipsis_rank, 0, {0, 1, 2}));
static_assert(says(expanded("ij,j...->i...", {2, 0}), diagnosis::ellipsis_rank, 4, {1, 0, 1}));
static_assert(says(expanded("ij,...j->i", {2, 3}), diagnosis::ellipsis_not_in_output, 3, {2}));
static_assert(says(expanded("...i->...i", {2, 2}), diagnosis::operand_count, -1, {1, 2}));
static_assert(expanded("...ij->...i", {9}).error ==
              diagnostic{diagnosis::too_high_rank, 4, 1, {8}});
static_assert(expanded("...->...", {9}).error.code == diagnosis::too_high_rank);
static_assert(expanded("...abcd,...efgh->...abcd", {8, 8}).error.code == diagnosis::none);
static_assert(expanded("...abcde,...fghij->...abc", {8, 8}).error ==
              diagnostic{diagnosis::too_many_labels, 16, 1, {12}});

}  // namespace

TEST_CASE("expanding gives the same at run time and at compile time") {
  const int ranks[] = {4, 2};
  const auto again = expanded("j...i,...i->...j", ranks);
  CHECK(again.value == batch.value);
  CHECK(again.names == batch.names);
}

}  // namespace tenfold::testing
