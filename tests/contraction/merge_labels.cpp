#include <tenfold/contraction/merge_labels.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <letters.hpp>

namespace tenfold::testing {
namespace {

constexpr limits M = medium_limits;

constexpr problem<M> merged(std::string_view text, std::initializer_list<index> extents) {
  problem<M> p = problem_from<M>(text, extents);
  merge_labels(p);
  return p;
}
/// How many labels are left.
constexpr int left(const problem<M>& p) {
  label_set all = 0;
  for (int o = 0; o < p.input_count; ++o) all |= p.inputs[o].labels;
  int count = 0;
  for (int l = 0; l < p.label_count; ++l) count += contains(all, l);
  return count;
}
/// The labels behind one, as bits in the order of first occurrence.
constexpr bool consists_of(const problem<M>& p, int label, label_set labels) {
  return before_merging(p, bit(label)) == labels;
}

constexpr auto copied = merged("ijk->ijk", {2, 3, 4});
static_assert(left(copied) == 1 && copied.extent[2] == 24);
static_assert(consists_of(copied, 2, 0b111));
static_assert(copied.inputs[0].order.count == 1 && copied.output.order.count == 1);
static_assert(copied.inputs[0].stride[2] == 1 && copied.list[0].order.count == 1);

// A gate on two of six qubits: a matrix of six labels, of which b and e meet the others.
constexpr auto gate = merged("abcdef,pqbe->apcdqf", {2, 2, 2, 2, 2, 2, 2, 2});
static_assert(left(gate) == 7 && gate.extent[3] == 4 && consists_of(gate, 3, 0b1100));
static_assert(gate.inputs[0].stride[3] == 4 && gate.output.stride[3] == 4);

// Neighbours in one operand alone, transposed, or of unknown extent: not.
static_assert(left(merged("ij,kj->ik", {2, 3, 4})) == 3);
static_assert(left(merged("ijk->jik", {2, 3, 4})) == 3);
static_assert(left(merged("ijk->kij", {2, 3, 4})) == 2, "i and j stay together");
static_assert(left(merged("ijk->ijk", {dyn, 3, 4})) == 2);
static_assert(left(merged("ijk->ijk", {2, dyn, 4})) == 3);
// A diagonal has a stride that no label continues.
static_assert(left(merged("iij->ij", {3, 3, 4})) == 2);
// What is summed does not meet what is kept.
static_assert(left(merged("ijk->i", {2, 3, 4})) == 2);
static_assert(left(merged("ijk->", {2, 3, 4})) == 1);
// All operands that have either have both, alike.
static_assert(left(merged("ijk,ij->ijk", {2, 3, 4})) == 2);
static_assert(left(merged("ijk,ik->ijk", {2, 3, 4})) == 3);
static_assert(left(merged("ijk,ji->ijk", {2, 3, 4})) == 3);

/// The labels that a merged one stands for, in order.
constexpr label_list<M.labels> named(const problem<M>& p, int label) {
  label_list<M.labels> all;
  for_each_merged(p, label, [&](int each) { all.push(each); });
  return all;
}
static_assert(named(copied, 2).count == 3 && named(copied, 2)[0] == 0 && named(copied, 2)[2] == 2);

constexpr limits sums = with_sums(medium_limits);

}  // namespace

TEST_CASE("labels of sums and products in turn are merged where every statement agrees") {
  const auto count = [](std::string_view text, std::initializer_list<index> extents) {
    problem<sums> p = problem_from<sums>(text, extents);
    merge_labels(p);
    label_set all = 0;
    for (int o = 0; o < p.input_count; ++o) all |= p.inputs[o].labels;
    return std::popcount(all);
  };
  CHECK(count("ij,ij + ij -> ij", {3, 4}) == 1);
  CHECK(count("ijk,k - ij -> ij", {3, 4, 5}) == 2);
  CHECK(count("ij,i + j -> ij", {3, 4}) == 2);
}

}  // namespace tenfold::testing
