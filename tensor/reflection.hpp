#pragma once

#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include <tenfold/tensor/error.hpp>
#include <tenfold/tensor/operand_traits.hpp>

/// reflection_symmetric(B): an operand that says of its entries how they change when both of its
/// axes are run backwards. A product with it then takes half the multiplications (even-odd).
namespace tenfold {

/// The matrix `X` with a declared symmetry: X is a reference to a tensor of the caller's, or a view
/// or a temporary tensor, kept here so that nothing can dangle.
template <class X, reflection Kind>
struct reflected {
  X tensor;
};

/// The traits of `X`, read only and with a symmetry.
template <class X, reflection Kind>
struct reflected_traits : operand_traits_of<X> {
  using inner = operand_traits_of<X>;
  static constexpr bool is_writable = false;
  static constexpr reflection symmetry = Kind;
  static constexpr index extent(const reflected<X, Kind>& x, int i) noexcept {
    return inner::extent(x.tensor, i);
  }
  static constexpr index stride(const reflected<X, Kind>& x, int i) noexcept {
    return inner::stride(x.tensor, i);
  }
  static constexpr auto data(const reflected<X, Kind>& x) noexcept {
    return operand_traits<const std::remove_reference_t<X>>::data(x.tensor);
  }
};

template <class X, reflection Kind>
struct operand_traits<reflected<X, Kind>> : reflected_traits<X, Kind> {};
template <class X, reflection Kind>
struct operand_traits<const reflected<X, Kind>> : reflected_traits<X, Kind> {};

template <class X, reflection Kind>
inline constexpr bool is_view<reflected<X, Kind>> =
    std::is_reference_v<X> || is_view<std::remove_cvref_t<X>>;

/// A matrix whose entries lie where strides say.
template <class X>
concept reflectable_matrix = tensor_like<X> && operand_traits_of<X>::rank == 2 &&
                             operand_traits_of<X>::layout == batch_layout::strided &&
                             !is_complex(scalar_of<typename operand_traits_of<X>::scalar_t>);

/// Throws structure_error unless |B(q, i) - s B(Q-1-q, P-1-i)| <= 1000 eps max |B|, s = 1 or -1;
/// shape_error if B has entries, but no address.
template <reflectable_matrix X>
void require_reflection(const X& B, reflection kind) {
  using traits = operand_traits_of<const X>;
  using T = typename traits::scalar_t;
  const index rows = traits::extent(B, 0), columns = traits::extent(B, 1);
  const auto* const data = traits::data(B);
  const auto declared = [&] {
    return std::string("reflection_") + (kind == reflection::odd ? "anti" : "") + "symmetric";
  };
  if (data == nullptr && rows > 0 && columns > 0) {
    throw shape_error("tenfold: a matrix declared " + declared() +
                      " has entries, but its address is null");
  }
  const auto at = [&](index q, index i) {
    return data[q * traits::stride(B, 0) + i * traits::stride(B, 1)];
  };
  T largest = 0;
  for (index q = 0; q < rows; ++q)
    for (index i = 0; i < columns; ++i) largest = std::fmax(largest, std::fabs(at(q, i)));
  const T bound = T(1000) * std::numeric_limits<T>::epsilon() * largest;
  for (index q = 0; q < rows; ++q) {
    for (index i = 0; i < columns; ++i) {
      const T here = at(q, i), there = at(rows - 1 - q, columns - 1 - i);
      if (std::fabs(here - (kind == reflection::odd ? -there : there)) <= bound) continue;
      const auto number = [](T x) {
        char text[32];
        std::snprintf(text, sizeof text, "%.9g", static_cast<double>(x));
        return std::string(text);
      };
      const auto entry = [](index row, index column) {
        return "(" + std::to_string(row) + ", " + std::to_string(column) + ")";
      };
      const std::string head =
          "tenfold: a matrix is declared " + declared() + ", but its entry " + entry(q, i);
      if (2 * q == rows - 1 && 2 * i == columns - 1)
        throw structure_error(head + " in the middle is " + number(here) + ", not 0");
      throw structure_error(head + " is " + number(here) + " and its entry " +
                            entry(rows - 1 - q, columns - 1 - i) + " is " + number(there) +
                            (kind == reflection::odd ? ": their sum is more" : ", further apart") +
                            " than rounding, " + number(bound));
    }
  }
}

/// Declares of a real matrix B with Q rows and P columns that B(Q-1-q, P-1-i) = B(q, i): the values
/// of basis functions at points, where nodes and points lie symmetrically. Products with it may be
/// computed in halves (see backend/cpu/even_odd.hpp). Where assertions are on, throws
/// structure_error if it is not so; elsewhere, and of a matrix in the memory of a device, which the
/// host does not read, results are then wrong.
template <reflectable_matrix X>
constexpr reflected<kept_operand<X>, reflection::even> reflection_symmetric(X&& B) {
#ifndef NDEBUG
  if constexpr (operand_traits_of<X>::space == device::cpu) require_reflection(B, reflection::even);
#endif
  return {std::forward<X>(B)};
}

/// The same of B(Q-1-q, P-1-i) = -B(q, i): the slopes of such functions.
template <reflectable_matrix X>
constexpr reflected<kept_operand<X>, reflection::odd> reflection_antisymmetric(X&& B) {
#ifndef NDEBUG
  if constexpr (operand_traits_of<X>::space == device::cpu) require_reflection(B, reflection::odd);
#endif
  return {std::forward<X>(B)};
}

}  // namespace tenfold
