#pragma once

#include <array>
#include <tenfold/backend/cpu/run_static.hpp>
#include <tenfold/contraction/bind.hpp>
#include <tenfold/contraction/expand.hpp>
#include <tenfold/contraction/lower.hpp>
#include <tenfold/contraction/make_plan.hpp>
#include <tenfold/contraction/merge_labels.hpp>
#include <tenfold/dsel/literal.hpp>
#include <tenfold/dsel/options.hpp>
#include <tenfold/dsel/parse.hpp>

/// A literal over operand types, as read, bound, planned and lowered by the compiler.
namespace tenfold {

/// Subscripts as read; a type, so that each text is read once. With an ellipsis, for operands of
/// the given ranks; without, no ranks are given.
template <literal S, int... Ranks>
class subscripts {
  static constexpr int ranks[sizeof...(Ranks) + 1] = {Ranks...};

 public:
  static constexpr std::string_view text = S.view();
  static constexpr limits bounds = limits_of(S.view(), ranks, static_cast<int>(sizeof...(Ranks)));

 private:
  static constexpr auto read = [] {
    const parse_result<bounds> parsed = parse<bounds>(S.view());
    expand_result<bounds> result{parsed.value, parsed.names, parsed.error};
    if (!parsed.error && parsed.value.has_ellipsis && sizeof...(Ranks) > 0) {
      result =
          expand<bounds>(parsed.value, parsed.names, ranks, static_cast<int>(sizeof...(Ranks)));
    }
    return result;
  }();

 public:
  static constexpr const statements<bounds>& said = read.value;
  static constexpr const label_names<bounds>& names = read.names;
  static constexpr const diagnostic& error = read.error;
  static constexpr const label_list<bounds.rank>& result = said.list[said.count - 1].result;

  /// The labels of the operands.
  static constexpr auto operands = [] {
    std::array<label_list<bounds.rank>, static_cast<std::size_t>(bounds.operands)> labels{};
    for (int s = 0; s < said.count; ++s) {
      for (int f = 0; f < said.list[s].factor_count; ++f) {
        const auto& factor = said.list[s].factors[f];
        if (factor.source < said.input_count) {
          labels[static_cast<std::size_t>(factor.source)] = factor.labels;
        }
      }
    }
    return labels;
  }();
};

namespace evaluating {

template <literal S, class... X>
constexpr auto text_for() {
  if constexpr (subscripts<S>::said.has_ellipsis) {
    return subscripts<S, operand_traits_of<X>::rank...>{};
  } else {
    return subscripts<S>{};
  }
}

}  // namespace evaluating

/// What is read of S over operands of the types X....
template <literal S, class... X>
using subscripts_over = decltype(evaluating::text_for<S, X...>());

/// What the options of a call are to the compiler.
struct plain_call {
  static constexpr bool scaled = false;  ///< alpha or beta is given
  static constexpr bool twins = false;   ///< operands that look like one are one
  static constexpr bind_options binding{};
  static constexpr path_options path{};
};
struct scaled_call : plain_call {
  static constexpr bool scaled = true;
};
template <bool Scaled, class... Options>
struct call_with {
  static constexpr bool scaled = Scaled;
  static constexpr bool twins = false;
  static constexpr bind_options binding = evaluating::bind_options_of<Options...>();
  static constexpr path_options path = evaluating::path_options_of<Options...>();
};

/// The same call where every operand that could be an earlier one is it.
template <class Call>
struct with_twins : Call {
  static constexpr bool twins = true;
};

/// Subscripts over operands of the types X..., into a Y (void: into a new tensor). All of planning
/// happens in the initialisers; a member that is not used costs nothing. `Machine`: files that are
/// compiled for others have programs of their own under names of their own, and so can be linked
/// into one program.
template <class Machine, literal S, class Call, class Y, class... X>
class expression_for {
  template <class Z>
  static constexpr bool all_static() {
    if constexpr (!std::is_void_v<Z>) {
      for (const index e : operand_traits_of<Z>::static_extents) {
        if (e == dyn) return false;
      }
    }
    return true;
  }
  template <class Z>
  static constexpr int rank_of() {
    if constexpr (std::is_void_v<Z>) {
      return 0;
    } else {
      return operand_traits_of<Z>::rank;
    }
  }

 public:
  using text = subscripts_over<S, X...>;
  static constexpr limits bounds = text::bounds;
  /// The highest rank that is given, right or wrong: to be told, it must first be held.
  static constexpr int rank = [] {
    int highest = bounds.rank;
    for (const int given : {rank_of<Y>(), rank_of<X>()...}) {
      if (given > highest) highest = given;
    }
    return highest;
  }();

  static constexpr bind_result<bounds> bound = [] {
    const operand_shape<rank> shapes[] = {static_shape_of<X, rank>()...};
    constexpr int count = sizeof...(X);
    const auto bound_to = [&](const operand_shape<rank>* y) {
      auto result = bind<bounds, rank>(text::said, text::names, shapes, count, y, Call::binding);
      if (Call::twins) mark_twins(result.value, [](int, int) { return true; });
      return result;
    };
    if constexpr (std::is_void_v<Y>) {
      return bound_to(nullptr);
    } else {
      const operand_shape<rank> y = static_shape_of<Y, rank>();
      return bound_to(&y);
    }
  }();
  static constexpr problem<bounds> merged = [] {
    problem<bounds> p = bound.value;
    merge_labels(p);
    return p;
  }();
  /// The problem that is planned. (Where no label changes, a copy would only cost the compiler
  /// time.)
  static constexpr const problem<bounds>& planned() {
    if constexpr (bound.error.code == diagnosis::none && may_merge_labels(bound.value)) {
      return merged;
    } else {
      return bound.value;
    }
  }
  static constexpr contraction_plan<bounds> plan = make_plan<bounds>(planned(), Call::path);
  /// The program.
  static constexpr static_program<bounds> value =
      lower<static_program<bounds>>(planned(), plan, cpu::static_capabilities, !Call::scaled);

  /// What is wrong, if anything is.
  static constexpr diagnostic error = [] {
    if constexpr (bound.error.code != diagnosis::none) {
      return bound.error;
    } else {
      return plan.found ? diagnostic{} : diagnostic{diagnosis::no_path};
    }
  }();

  /// In what everything is computed.
  using scalar_type = cpu::entry_type<bound.value.type>;

  /// Whether every extent is part of a type.
  static constexpr bool is_static =
      !some_extent_is(bound.value, dyn) && (all_static<X>() && ...) && all_static<Y>();

  /// Whether a label is known to have no values: the sum is empty, or so is the result.
  static constexpr bool is_empty = tenfold::is_empty(bound.value);

  /// Whether sub-contractions might be shared between the terms of a sum, were operands that look
  /// alike the same.
  static constexpr bool may_have_twins = [] {
    if constexpr (text::said.count == 1 || Call::twins) {
      return false;
    } else {
      problem<bounds> p = bound.value;
      mark_twins(p, [](int, int) { return true; });
      return !(p == bound.value);
    }
  }();

  static constexpr const bind_options& binding = Call::binding;

  /// Labels along which an operand of one entry may be repeated.
  static constexpr label_set stretchable =
      Call::binding.numpy_semantics ? ~label_set{0} : text::said.stretchable;
};

template <literal S, class Call, class Y, class... X>
using expression = expression_for<cpu::this_machine, S, Call, Y, X...>;

/// The program of an expression that runs: what run_static asks of a type.
template <class E>
struct program_of {
  static constexpr auto value =
      without_room<E::value.phase_count, E::value.step_count, E::value.loop_count>(E::value);
};

}  // namespace tenfold
