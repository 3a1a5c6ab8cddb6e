#pragma once

#include <initializer_list>
#include <tenfold/contraction/bind.hpp>
#include <tenfold/contraction/path.hpp>
#include <tenfold/tensor/operand_traits.hpp>

/// What may stand beside the operands of a call.
namespace tenfold {

/// The tensor or view that receives the result. Refers to it; lives for one call.
template <class Y>
struct destination {
  Y& tensor;
};

/// y = alpha * (expression) + beta * y, in real and imaginary part.
struct alpha_factor {
  double re;
  double im = 0;
};
struct beta_factor {
  double re;
  double im = 0;
};

constexpr bool is_zero(alpha_factor f) { return f.re == 0 && f.im == 0; }
constexpr bool is_zero(beta_factor f) { return f.re == 0 && f.im == 0; }

namespace evaluating {

/// alpha or beta as a scalar of the result.
template <class T, class Factor>
[[gnu::always_inline]] inline T factor_as(Factor f) {
  if constexpr (is_complex(scalar_of<T>)) {
    using real = typename T::value_type;
    return T(static_cast<real>(f.re), static_cast<real>(f.im));
  } else {
    return static_cast<T>(f.re);
  }
}

}  // namespace evaluating

/// Any complex number: recognised by its form, so that <complex> is paid for by those who use it.
template <class Z>
concept complex_number = requires(const Z& z) {
  static_cast<double>(z.real());
  static_cast<double>(z.imag());
};

namespace evaluating {
/// What into(...) makes of what is no destination; a call that is given it says nothing more.
struct no_destination {};
}  // namespace evaluating

/// Writes the result into `y` instead of returning a tensor. `y` may be any writable operand with
/// any non-zero strides; it must not overlap an input.
template <writable_tensor_like Y>
constexpr destination<Y> into(Y& y) {
  return {y};
}
template <writable_tensor_like Y>
requires(!std::is_reference_v<Y>) constexpr destination<Y> into(Y&& y) {
  static_assert(!owns_entries<Y>,
                "tenfold: the tensor of into(...) has no name: the result would be lost with it");
  return {y};
}
template <class Y>
requires(!writable_tensor_like<const Y>) constexpr auto into(const Y&) {
  constexpr bool is_operand = tensor_like<Y>;
  static_assert(is_operand,
                "tenfold: what is given to into(...) is no tensor of float, double or complex "
                "numbers; for one number it is a tensor of rank 0, tensor<double>");
  static_assert(!is_operand || scalar_type<Y>,
                "tenfold: the tensor of into(...) is const, or can only be read");
  static_assert(!scalar_type<Y>,
                "tenfold: a result of into(...) that is one number is a tensor of rank 0, "
                "tensor<double>");
  return evaluating::no_destination{};
}

/// Scales the result of the expression. alpha(0) reads no operand. A complex factor needs a complex
/// result.
constexpr alpha_factor alpha(double value) { return {value}; }
template <complex_number Z>
constexpr alpha_factor alpha(const Z& z) {
  return {static_cast<double>(z.real()), static_cast<double>(z.imag())};
}

/// Keeps `value` times what the destination held. beta(0), the default, does not read it.
constexpr beta_factor beta(double value) { return {value}; }
template <complex_number Z>
constexpr beta_factor beta(const Z& z) {
  return {static_cast<double>(z.real()), static_cast<double>(z.imag())};
}

/// An operand of one entry along a label is repeated as often as the other operands ask, as NumPy
/// does; without it, along the labels of an ellipsis only.
///   einsum<"ij,jk->ik">(A, B, numpy_semantics)
struct numpy_semantics_option {};
inline constexpr numpy_semantics_option numpy_semantics{};

/// Everything is computed in T, float or double (for complex operands, in complex numbers of T):
/// operands of less precision are converted, and the destination may have less.
///   einsum<"i,i->">(x, y, accumulate<double>)
template <class T>
struct accumulate_option {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>,
                "tenfold: accumulate<T> takes float or double; complex operands stay complex");
};
template <class T>
inline constexpr accumulate_option<T> accumulate{};

/// The labels of an operand's axes as integers, of any sign:
///     einsum(A, sublist{0, 1}, B, sublist{1, 2}, sublist{0, 2})
class sublist {
 public:
  constexpr sublist() = default;
  constexpr sublist(std::initializer_list<int> labels) {
    for (const int label : labels) {
      if (count_ < most) labels_[count_++] = label;
    }
  }
  constexpr const int* begin() const { return labels_; }
  constexpr const int* end() const { return labels_ + count_; }

 private:
  static constexpr int most =
      33;  ///< one more than the parser takes: it says that they are too many
  int labels_[most] = {};
  int count_ = 0;
};

/// How the order of multiplication is found, where the default (for up to nine operands, and for
/// ten that are sparsely connected, the best order without outer products) is not what is wanted:
///   einsum<"ij,jk,kl->il">(A, B, C, optimize<path_options{.method = path_method::greedy}>)
template <path_options P>
struct optimize_option {};
template <path_options P>
inline constexpr optimize_option<P> optimize{};

namespace evaluating {

enum class argument_kind : unsigned char {
  unknown,
  operand,
  alpha,
  beta,
  accumulate,
  numpy_semantics,
  path,
  machine  ///< of explain
};

template <class A>
inline constexpr argument_kind kind_of_argument =
    tensor_like<A> ? argument_kind::operand : argument_kind::unknown;
template <>
inline constexpr argument_kind kind_of_argument<alpha_factor> = argument_kind::alpha;
template <>
inline constexpr argument_kind kind_of_argument<beta_factor> = argument_kind::beta;
template <class T>
inline constexpr argument_kind kind_of_argument<accumulate_option<T>> = argument_kind::accumulate;
template <>
inline constexpr argument_kind kind_of_argument<numpy_semantics_option> =
    argument_kind::numpy_semantics;

template <path_options P>
inline constexpr argument_kind kind_of_argument<optimize_option<P>> = argument_kind::path;

/// What planning must know before the operands are there.
template <class A>
inline constexpr bool is_setting = kind_of_argument<A> == argument_kind::accumulate ||
                                   kind_of_argument<A> == argument_kind::numpy_semantics ||
                                   kind_of_argument<A> == argument_kind::path;

template <class A>
inline constexpr bool is_option = kind_of_argument<A> > argument_kind::operand;

/// The operands stand first, each option at most once behind them; argument 0 is the destination
/// where there is one.
template <bool Into>
constexpr diagnostic check_kinds(std::initializer_list<argument_kind> kinds) {
  diagnostic wrong;
  index position = Into ? 1 : 0;
  bool seen[8] = {}, optional = false;
  for (const argument_kind kind : kinds) {
    bool& again = seen[static_cast<int>(kind)];
    diagnosis code = diagnosis::none;
    if (kind == argument_kind::unknown) code = diagnosis::unknown_argument;
    if (kind == argument_kind::operand && optional) code = diagnosis::late_operand;
    if (kind == argument_kind::beta && !Into) code = diagnosis::beta_by_value;
    if (kind > argument_kind::operand && again) code = diagnosis::repeated_option;
    if (!wrong && code != diagnosis::none) wrong = {code, -1, 0, {position}};
    again = true;
    optional = optional || kind > argument_kind::operand;
    ++position;
  }
  return wrong;
}
template <bool Into, class... A>
constexpr diagnostic check_arguments() {
  return check_kinds<Into>({kind_of_argument<A>...});
}

/// Options among the arguments of a call.
template <class... A>
[[gnu::always_inline]] constexpr alpha_factor alpha_of(const A&... args) {
  alpha_factor found{1};
  (
      [&] {
        if constexpr (std::is_same_v<A, alpha_factor>) found = args;
      }(),
      ...);
  return found;
}
template <class... A>
[[gnu::always_inline]] constexpr beta_factor beta_of(const A&... args) {
  beta_factor found{0};
  (
      [&] {
        if constexpr (std::is_same_v<A, beta_factor>) found = args;
      }(),
      ...);
  return found;
}

/// What the options among the arguments ask of bind: their types tell.
template <class... A>
constexpr bind_options bind_options_of() {
  bind_options asked;
  asked.numpy_semantics = (std::is_same_v<A, numpy_semantics_option> || ...);
  asked.accumulates = ((kind_of_argument<A> == argument_kind::accumulate) || ...);
  if ((std::is_same_v<A, accumulate_option<float>> || ...)) asked.accumulate = scalar::f32;
  return asked;
}

template <class A>
inline constexpr path_options path_of{};
template <path_options P>
inline constexpr path_options path_of<optimize_option<P>> = P;
template <class... A>
constexpr path_options path_options_of() {
  path_options found;
  (
      [&] {
        if constexpr (kind_of_argument<A> == argument_kind::path) found = path_of<A>;
      }(),
      ...);
  return found;
}

}  // namespace evaluating

}  // namespace tenfold
