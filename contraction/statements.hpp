#pragma once

#include <tenfold/contraction/limits.hpp>

/// What an expression says, before anything is known of its operands: a single-assignment list of
/// typed statements over labels. `einsum` is a list of one; `fuse` will write several.
namespace tenfold {

enum class statement_kind : unsigned char {
  contract,   ///< result = product of the factors, summed over the labels that the result lacks
  pointwise,  ///< the same without a sum: every factor's labels are among the result's
  // The kinds below have their place here; today no front end writes them and planning refuses them.
  sum,      ///< result = sum of the factors
  slice,    ///< result = one value of a label
  gather,   ///< result = factor read through an index map
  scatter,  ///< result += factor through an index map
  permute,  ///< result = factor with its labels in another order
  factor,   ///< Cholesky, LU or QR of a matrix per batch entry
  solve     ///< solution with a factor
};

/// Where a label's name stands in the text; bracketed names are longer than one character.
struct label_name {
  int begin = 0;
  int length = 0;

  friend constexpr bool operator==(const label_name&, const label_name&) = default;
};

/// One factor: an input (source < the number of inputs) or the result of an earlier statement.
template <limits L>
struct term {
  int source = 0;
  bool conjugated = false;
  label_list<L.rank> labels{};

  friend constexpr bool operator==(const term&, const term&) = default;
};

template <limits L>
struct statement {
  statement_kind kind = statement_kind::contract;
  int factor_count = 0;
  term<L> factors[L.operands] = {};
  label_list<L.rank> result{};

  friend constexpr bool operator==(const statement&, const statement&) = default;
};

/// Labels are numbered by first occurrence, so that expressions which differ in letters only are
/// equal as data and share everything that follows. The names are kept for messages and `explain`;
/// `positions` says where each label of each factor (the result last) stands in the text.
template <limits L>
struct statements {
  int input_count = 0;
  int label_count = 0;
  int count = 0;
  statement<L> list[L.statements] = {};

  friend constexpr bool operator==(const statements&, const statements&) = default;
};

template <limits L>
struct label_names {
  label_name name[L.labels] = {};
  int position[L.operands + 1][L.rank] = {};

  friend constexpr bool operator==(const label_names&, const label_names&) = default;
};

}  // namespace tenfold
