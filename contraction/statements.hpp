#pragma once

#include <tenfold/contraction/limits.hpp>

/// What an expression says, before anything is known of its operands: a single-assignment list of
/// typed statements over labels. A product is a list of one; a sum of products is one statement for
/// each product, all with the labels of the output, and a `sum` of their results:
///
///   "ij,jk->ik"           0: contract(input 0, input 1)
///   "eij,ej - ei -> ei"   0: contract(input 0, input 1)   1: pointwise(input 2)   2: sum(+0, -1)
namespace tenfold {

enum class statement_kind : unsigned char {
  contract,   ///< result = product of the factors, summed over the labels that the result lacks
  pointwise,  ///< the same without a sum: every factor's labels are among the result's
  sum,        ///< result = sum of the factors, each with its sign and the labels of the result
  permute,    ///< result = the factor with its labels in another order
  rename      ///< result = the result of a statement, under other labels place by place
};

/// Where a label's name stands in the text; bracketed names are longer than one character.
struct label_name {
  int begin = 0;
  int length = 0;

  friend constexpr bool operator==(const label_name&, const label_name&) = default;
};

/// One factor: an input (source < the number of inputs) or the result of an earlier statement
/// (source - the number of inputs).
template <limits L>
struct term {
  int source = 0;
  bool conjugated = false;
  int sign = 1;       ///< 1 or -1; -1 only in a sum
  int ellipsis = -1;  ///< it stands in front of the label at this place; -1: nowhere
  label_list<L.rank> labels{};

  friend constexpr bool operator==(const term&, const term&) = default;
};

template <limits L>
struct statement {
  statement_kind kind = statement_kind::contract;
  int factor_count = 0;
  term<L> factors[L.operands] = {};
  label_list<L.rank> result{};
  int result_ellipsis = -1;  ///< as in a term

  friend constexpr bool operator==(const statement&, const statement&) = default;
};

/// Labels are numbered by first occurrence, so that expressions which differ in letters only are
/// equal as data and share everything that follows. Inputs are numbered as the statements name
/// them; one that is read again is read under the same labels.
template <limits L>
struct statements {
  int input_count = 0;
  int label_count = 0;
  int count = 0;
  statement<L> list[L.statements] = {};
  /// Along these labels an operand of one entry is repeated as often as the others ask.
  label_set stretchable = 0;
  /// An ellipsis is left: `expand` replaces it, once the ranks of the operands are known.
  bool has_ellipsis = false;

  friend constexpr bool operator==(const statements&, const statements&) = default;
};

/// Kept for messages and `explain`: each label's name, and where the labels of each input (the
/// output last, at L.operands) stand in the text.
template <limits L>
struct label_names {
  label_name name[L.labels] = {};
  int position[L.operands + 1][L.rank] = {};
  int ellipsis[L.operands + 1] = {};  ///< where the '...' stands, if one does

  friend constexpr bool operator==(const label_names&, const label_names&) = default;
};

}  // namespace tenfold
