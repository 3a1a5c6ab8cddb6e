#pragma once

#include <memory>
#include <string_view>
#include <tenfold/contraction/problem.hpp>
#include <tenfold/dsel/parse.hpp>
#include <tenfold/dsel/run_time.hpp>

/// The first stops of a call whose subscripts are known only when the program runs, shared by what
/// runs it and what explains it.
namespace tenfold {

/// The ranks of the operands of a call.
struct operand_ranks {
  int of[large_limits.operands] = {};
  int count = 0;

  operand_ranks(const run_time_operand* inputs, int operands)
      : count(operands < large_limits.operands ? operands : large_limits.operands) {
    for (int o = 0; o < count; ++o) of[o] = inputs[o].shape.rank;
  }
};

/// Calls f with the smallest limits that hold the text as a template argument.
template <class F>
void with_limits(std::string_view text, const operand_ranks& ranks, F f) {
  const limits l = limits_of(text, ranks.of, ranks.count);
  if (l == small_limits) return f.template operator()<small_limits>();
  if (l == medium_limits) return f.template operator()<medium_limits>();
  if (l == large_limits) return f.template operator()<large_limits>();
  if (l.operands <= medium_limits.operands) {
    return f.template operator()<with_sums(medium_limits)>();
  }
  f.template operator()<with_sums(large_limits)>();
}

/// Operands without entries, as a plan keeps them, have no address.
inline bool have_one_address(const run_time_operand& x, const run_time_operand& y) {
  return x.data != nullptr && x.data == y.data;
}

/// A call as read and bound.
template <limits L>
struct call_as_read {
  statements<L> said;
  label_names<L> names;
  problem<L> bound;
};

/// Parses, expands and binds. Throws what is wrong. For the limits that with_limits chooses.
template <limits L>
std::unique_ptr<call_as_read<L>> read_call(std::string_view text, const run_time_operand* inputs,
                                           int count, const operand_shape<max_rank>* y,
                                           const bind_options& options);

}  // namespace tenfold
