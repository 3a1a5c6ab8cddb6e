#pragma once

#include <climits>
#include <string>
#include <tenfold/dsel/einsum.hpp>

/// NumPy's other way to write subscripts, for calls at run time: a list of integers behind each
/// operand, and one for the output: einsum(A, sublist{0, 1}, B, sublist{1, 2}, sublist{0, 2}).
namespace tenfold {

/// Stands for the axes that a list does not name: sublist{ellipsis, 0, 1}.
inline constexpr int ellipsis = INT_MIN;

/// The subscripts that the lists of `count` operands and of the output mean, for the parser:
/// {0, 1}, {1, 2} -> {0, 2} are "[0][1],[1][2]->[0][2]". Any integer is a label; a message names it
/// by its digits.
///
/// Without an output (null) that of NumPy is written: behind the ellipsis, if any list has one, the
/// labels that occur once, by their numbers ([2] before [10], where the parser would compare
/// bytes).
std::string interleaved_text(const sublist* lists, int count, const sublist* output = nullptr);

namespace evaluating {

template <class A>
inline constexpr bool is_sublist = std::is_same_v<A, sublist>;

/// How many operands and lists stand in the arguments; a list stands behind each operand.
template <class... A>
struct interleaved_counts {
  int operands = 0, lists = 0;
  bool in_order = true;

  constexpr interleaved_counts() {
    (
        [&] {
          if constexpr (is_sublist<A>) {
            ++lists;
          } else if constexpr (run_time_tensor<A>) {
            in_order = in_order && lists == operands;
            ++operands;
          }
        }(),
        ...);
  }
};

template <class... A>
std::string interleaved_text_of(const A&... args) {
  constexpr interleaved_counts<A...> counts;
  static_assert(
      counts.in_order && counts.lists >= counts.operands && counts.lists <= counts.operands + 1,
      "tenfold: a sublist stands behind each operand, and one for the output last");
  sublist lists[counts.lists];
  int n = 0;
  (
      [&] {
        if constexpr (is_sublist<A>) lists[n++] = args;
      }(),
      ...);
  return interleaved_text(lists, counts.operands,
                          counts.lists > counts.operands ? &lists[counts.operands] : nullptr);
}

}  // namespace evaluating

/// Einstein summation in NumPy's interleaved form; the same parser, planner and programs as for a
/// string, and the same options behind. Without the last list NumPy's implicit output. Throws as
/// einsum of a string.
template <run_time_tensor X, class... A>
auto einsum(const X& x, const sublist& first, const A&... args) {
  return evaluating::by_text<true>(evaluating::interleaved_text_of(x, first, args...), x, first,
                                   args...);
}
template <class Y, run_time_tensor X, class... A>
void einsum(destination<Y> y, const X& x, const sublist& first, const A&... args) {
  evaluating::by_text_into<true>(evaluating::interleaved_text_of(x, first, args...), y, x, first,
                                 args...);
}

}  // namespace tenfold
