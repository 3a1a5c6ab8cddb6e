#pragma once

#include <array>
#include <string>
#include <string_view>
#include <tenfold/backend/row_major.hpp>
#include <tenfold/dsel/run_time.hpp>
#include <tenfold/tensor/tensor.hpp>
#include <utility>

/// Batches that no strides reach (interleaved, by pointers, gathered) where an expression wants
/// strides: entries go to a row-major tensor before, and come from one behind.
namespace tenfold::evaluating {

/// Whether X is such an operand of the host.
template <class X>
inline constexpr bool lacks_strides = [] {
  if constexpr (tensor_like<X>)
    return operand_traits_of<X>::layout != batch_layout::strided &&
           operand_traits_of<X>::space == device::cpu;
  else
    return false;
}();

template <class... X>
inline constexpr bool all_strided = ((operand_traits_of<X>::layout == batch_layout::strided) &&
                                     ...);
template <class... X>
inline constexpr bool all_on_host = ((operand_traits_of<X>::space == device::cpu) && ...);

template <class X>
any_batch any_batch_of(const X& x) {
  const run_time_operand o = run_time_operand_of(x);
  return {o.shape, {o.data, o.shape.strides[0], o.map.numbers, o.map.wide}};
}

/// A row-major tensor of the extents of x; static extents stay static.
template <class X>
auto row_major_like(const X& x) {
  using traits = operand_traits_of<const X>;
  return [&]<int... I>(std::integer_sequence<int, I...>) {
    using result = tensor<typename traits::scalar_t, traits::static_extents[I]...>;
    return result(
        typename result::extents_type(std::array<index, sizeof...(I)>{traits::extent(x, I)...}));
  }
  (std::make_integer_sequence<int, traits::rank>{});
}

/// Throws shape_error for the first operand without strides, and then for such an output, that has
/// entries, but no address of some of them.
template <class... X>
void require_operand_memory(std::string_view text, const X&... x) {
  int o = 0;
  const auto require = [&]<class Operand>(const Operand& operand) {
    if constexpr (lacks_strides<Operand>) {
      const any_batch batch = any_batch_of(operand);
      if (tenfold::lacks_memory(batch))
        throw_lacks_memory("tenfold: \"" + std::string(text) + "\": operand " + std::to_string(o),
                           batch);
    }
    ++o;
  };
  (require(x), ...);
}
template <class Y>
void require_output_memory(std::string_view text, const Y& y) {
  const any_batch batch = any_batch_of(y);
  if (tenfold::lacks_memory(batch))
    throw_lacks_memory("tenfold: \"" + std::string(text) + "\": the output", batch);
}

/// An operand with strides: x itself, or the entries of one that lacks them. Anything else is
/// passed on.
template <class X>
decltype(auto) with_strides(const X& x) {
  if constexpr (lacks_strides<X>) {
    auto copy = row_major_like(x);
    to_row_major(copy.data(), any_batch_of(x));
    return copy;
  } else {
    return (x);
  }
}

/// The type of what with_strides returns.
template <class X>
using strided_type = const std::remove_cvref_t<decltype(with_strides(std::declval<const X&>()))>;

/// Throws shape_error where beta is complex and the output real.
template <class Y>
void require_real_beta(std::string_view text, beta_factor beta) {
  if (!is_complex(scalar_of<typename operand_traits_of<Y>::scalar_t>) && beta.im != 0)
    throw_diagnostic({diagnosis::complex_factor}, text);
}

/// f(z, b) computes z := ... + b z for a tensor of the extents of y; this leaves y := ... + beta y.
/// What f throws leaves y untouched. Where y is gathered, the contributions to an entry are added.
template <class Y, class F>
void by_way_of_strides(Y& y, beta_factor beta, F f) {
  auto z = row_major_like(y);
  const any_batch there = any_batch_of(y);
  if constexpr (operand_traits_of<Y>::layout == batch_layout::gathered) {
    f(z, beta_factor{0});
    add_row_major(there, z.data(), {beta.re, beta.im});
  } else {
    if (!is_zero(beta)) to_row_major(z.data(), there);
    f(z, beta);
    from_row_major(there, z.data());
  }
}

}  // namespace tenfold::evaluating
