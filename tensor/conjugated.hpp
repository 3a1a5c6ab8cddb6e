#pragma once

#include <type_traits>
#include <utility>

#include <tenfold/tensor/operand_traits.hpp>

/// conj(A): an operand whose entries are read as their complex conjugates.
namespace tenfold {

/// The operand `X`, conjugated as it is read: X is a reference to a tensor of the caller's, or a
/// view or a temporary tensor, kept here so that nothing can dangle.
template <class X>
struct conjugated {
  X tensor;
};

/// The conjugate of each entry of `A`, without a copy: einsum<"ij,jk->ik">(conj(A), B). Never a
/// result; the conjugate of a real tensor is the tensor. A tensor with a name is referred to, a
/// view is copied, a temporary tensor is moved into the result. Numbers have their own conj.
template <class X>
requires(tensor_like<X> &&
         !scalar_type<std::remove_cvref_t<X>>) constexpr conjugated<kept_operand<X>> conj(X&& A) {
  return {std::forward<X>(A)};
}

/// Where entries lie, or the list of where they lie, to be read only.
template <class T>
constexpr const T* read_only(T* data) noexcept {
  return data;
}
template <class T>
constexpr const T* const* read_only(T* const* data) noexcept {
  return data;
}

/// The traits of `X`, read only and conjugated.
template <class X>
struct conjugated_traits : operand_traits_of<X> {
  using inner = operand_traits_of<X>;
  static constexpr bool is_writable = false;
  static constexpr bool is_conjugated =
      is_complex(scalar_of<typename inner::scalar_t>) && !conjugates<X>;
  static constexpr index extent(const conjugated<X>& x, int i) noexcept {
    return inner::extent(x.tensor, i);
  }
  static constexpr index stride(const conjugated<X>& x, int i) noexcept {
    return inner::stride(x.tensor, i);
  }
  static constexpr auto data(const conjugated<X>& x) noexcept {
    return read_only(operand_traits<const std::remove_reference_t<X>>::data(x.tensor));
  }
  template <class Inner = inner>
  static constexpr auto block(const conjugated<X>& x) noexcept -> decltype(Inner::block(x.tensor)) {
    return Inner::block(x.tensor);
  }
  template <class Inner = inner>
  static constexpr auto map(const conjugated<X>& x) noexcept -> decltype(Inner::map(x.tensor)) {
    return Inner::map(x.tensor);
  }
  template <class Inner = inner>
  static constexpr auto wide_map(const conjugated<X>& x) noexcept
      -> decltype(Inner::wide_map(x.tensor)) {
    return Inner::wide_map(x.tensor);
  }
  template <class Inner = inner>
  static constexpr auto array_size(const conjugated<X>& x) noexcept
      -> decltype(Inner::array_size(x.tensor)) {
    return Inner::array_size(x.tensor);
  }
  template <class Inner = inner>
  static constexpr auto order(const conjugated<X>& x) noexcept -> decltype(Inner::order(x.tensor)) {
    return Inner::order(x.tensor);
  }
};

template <class X>
struct operand_traits<conjugated<X>> : conjugated_traits<X> {};
template <class X>
struct operand_traits<const conjugated<X>> : conjugated_traits<X> {};

template <class X>
inline constexpr bool is_view<conjugated<X>> =
    std::is_reference_v<X> || is_view<std::remove_cvref_t<X>>;

}  // namespace tenfold
