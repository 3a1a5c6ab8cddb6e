#pragma once

#include <climits>
#include <initializer_list>
#include <string>

/// NumPy's other way to write subscripts, for calls at run time: a list of integers behind each
/// operand, and one for the output: einsum(A, {0, 1}, B, {1, 2}, {0, 2}).
namespace tenfold {

/// Stands for the axes that a list does not name: {ellipsis, 0, 1}.
inline constexpr int ellipsis = INT_MIN;

/// The subscripts that the lists of `count` operands and of the output mean, for the parser:
/// {0, 1}, {1, 2} -> {0, 2} are "[0][1],[1][2]->[0][2]". Any integer is a label; a message names it
/// by its digits.
///
/// Without an output (null) that of NumPy is written: behind the ellipsis, if any list has one, the
/// labels that occur once, by their numbers ([2] before [10], where the parser would compare bytes).
std::string interleaved_text(const std::initializer_list<int>* lists, int count,
                             const std::initializer_list<int>* output = nullptr);

}  // namespace tenfold
