#pragma once

#include <tenfold/backend/cpu/run_static.hpp>
#include <tenfold/contraction/bind_kernel.hpp>
#include <tenfold/contraction/lower.hpp>
#include <tenfold/contraction/make_plan.hpp>
#include <tenfold/dsel/kernel_text.hpp>

/// A fused kernel over operand types, as unrolled, bound, planned and lowered by the compiler.
namespace tenfold::fusing {

template <class X>
inline constexpr bool is_unit_matrix = std::is_same_v<std::remove_const_t<X>, unit_matrix>;

/// A kernel whose operands are of the types X....
template <class... X>
constexpr kernel declared(kernel k) {
  int o = 0;
  ((k.operands[o++].is_identity = is_unit_matrix<X>), ...);
  return k;
}

/// A kernel over operands of the types X..., one for each of its operands (void for a local). All
/// planning happens in the initialisers; a member that is not used costs nothing. `Machine` as for
/// expression_for.
template <class Machine, class Text, class... X>
struct kernel_for {
  template <class Z>
  static constexpr int rank_of() {
    if constexpr (std::is_void_v<Z> || is_unit_matrix<Z>) {
      return 0;
    } else {
      return operand_traits_of<Z>::rank;
    }
  }
  static constexpr int rank = [] {
    int highest = kernel_access::max_rank;
    for (const int given : {rank_of<X>()...}) highest = given > highest ? given : highest;
    return highest;
  }();
  template <class Z>
  static constexpr operand_shape<rank> typed_shape() {
    if constexpr (std::is_void_v<Z> || is_unit_matrix<Z>) {
      return {};
    } else {
      return static_shape_of<Z, rank>();
    }
  }

  static constexpr kernel said = declared<X...>(Text::value);
  static constexpr operand_shape<rank> shapes[sizeof...(X)] = {typed_shape<X>()...};
  static constexpr kernel_extents extents = extents_of(
      said, [](int o) -> const auto& { return shapes[o]; });
  static constexpr open_kernel_axes open = open_axes_of(
      said, [](int o) -> const auto& { return shapes[o]; }, extents);
  static constexpr unrolled_size size = [] {
    return extents.error ? unrolled_size{} : size_of_unrolled(said, extents.of);
  }();
  static constexpr limits bounds = size.bounds();
  static constexpr unrolled_kernel<bounds> unrolled = [] {
    unrolled_kernel<bounds> made;
    if (!extents.error && !size.error && !size.open) {
      unroll(said, extents.of, size.inputs, made);
    }
    return made;
  }();
  /// Whether the compiler knows the statements: only then is there what follows.
  static constexpr bool is_unrolled = !extents.error && !size.error && !size.open;
  static constexpr bind_result<bounds> bound = [] {
    if constexpr (is_unrolled) {
      return bind_kernel<bounds, rank>(said, unrolled, shapes, extents.of);
    } else {
      return bind_result<bounds>{};
    }
  }();
  static constexpr contraction_plan<bounds> plan = [] {
    if constexpr (is_unrolled) {
      if (!bound.error) return make_plan<bounds>(bound.value);
    }
    return contraction_plan<bounds>{};
  }();
  static constexpr diagnostic error = extents.error ? extents.error
                                      : size.error  ? size.error
                                      : bound.error ? bound.error
                                      : plan.found  ? diagnostic{}
                                                    : diagnostic{diagnosis::too_long_program};

  static constexpr bool updates = said.adds_to_output();
  /// Whether results are added through a map, and whether anything is read through one.
  static constexpr bool scatters = [] {
    return said.output() >= 0 && shapes[said.output()].layout == batch_layout::gathered;
  }();
  static constexpr bool gathers = [] {
    for (const auto& shape : shapes) {
      if (shape.layout == batch_layout::gathered) return true;
    }
    return false;
  }();
  static constexpr static_program<bounds> value =
      lower<static_program<bounds>>(bound.value, plan, cpu::static_capabilities, !updates);
  static constexpr bool is_empty = tenfold::is_empty(bound.value);
  using scalar_type = cpu::entry_type<bound.value.type>;

  /// Whether the compiler's program can run.
  static constexpr bool is_planned = [] {
    if constexpr (is_unrolled) {
      return plan.found && value.feasible;
    } else {
      return false;
    }
  }();
};

template <class Text, class... X>
using kernel_over = kernel_for<cpu::this_machine, Text, X...>;

template <class E>
struct program_of_kernel {
  static constexpr auto value =
      without_room<E::value.phase_count, E::value.step_count, E::value.loop_count>(E::value);
};

}  // namespace tenfold::fusing
