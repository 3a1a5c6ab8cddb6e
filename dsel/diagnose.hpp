#pragma once

#include <tenfold/contraction/diagnostic.hpp>
#include <utility>

/// A diagnostic at compile time: two error lines and no third. One is a static_assert with the
/// sentence of the table, its places open; the other names an undefined type that fills them:
///   tenfold: output label '{label}' at position {position} is in no operand
///   incomplete type 'tenfold::einsum_error<tenfold::label<'m'>, tenfold::at_position<8> >'
namespace tenfold {

/// The words of the second line; none need be defined, their names are the message. `label` is that
/// of index notation.
template <class... Words>
struct einsum_error;
template <char... Name>
struct label;
template <index>
struct at_position;
template <index>
struct operand;
template <index>
struct in_operand;
template <index>
struct term_of_sum;
template <index>
struct argument;
template <index>
struct has_extent;
template <index>
struct and_extent;
template <index>
struct fixed_to;
template <index>
struct has_rank;
template <index>
struct labels_named;
template <index>
struct axes;
template <index>
struct of_statement;
template <index>
struct operands_named;
template <index>
struct operands_given;
template <index>
struct at_most;

namespace diagnosing {

template <diagnosis D>
struct sentence {
#define TENFOLD_DIAGNOSIS_ASSERT(name, kind, text)        \
  static constexpr bool no_##name = D != diagnosis::name; \
  static_assert(no_##name, "tenfold: " text);
  TENFOLD_DIAGNOSES(TENFOLD_DIAGNOSIS_ASSERT)
#undef TENFOLD_DIAGNOSIS_ASSERT
};

template <class... W>
struct words {};
template <class... V, class... W>
words<V..., W...> operator+(words<V...>, words<W...>);

/// What the numbers of a diagnosis mean, in the order of its sentence.
template <diagnosis D, index N0, index N1, index N2, index N3>
constexpr auto numbers() {
  using enum diagnosis;
  if constexpr (D == too_many_operands || D == too_many_terms || D == too_many_labels ||
                D == too_high_rank) {
    return words<at_most<N0>>{};
  } else if constexpr (D == terms_disagree || D == term_lacks_label) {
    return words<term_of_sum<N0>>{};
  } else if constexpr (D == operand_count) {
    return words<operands_named<N0>, operands_given<N1>>{};
  } else if constexpr (D == ellipsis_not_in_output) {
    return words<axes<N0>>{};
  } else if constexpr (D == operand_rank || D == ellipsis_rank) {
    return words<operand<N0>, has_rank<N1>, labels_named<N2>>{};
  } else if constexpr (D == output_rank) {
    return words<has_rank<N0>, labels_named<N1>>{};
  } else if constexpr (D == extent_mismatch) {
    return words<has_extent<N0>, in_operand<N1>, and_extent<N2>, in_operand<N3>>{};
  } else if constexpr (D == output_extent) {
    return words<has_extent<N0>, and_extent<N1>>{};
  } else if constexpr (D == kernel_extent) {
    return words<has_extent<N0>, and_extent<N1>, at_position<N2>>{};
  } else if constexpr (D == kernel_rank) {
    return words<has_rank<N0>, labels_named<N1>>{};
  } else if constexpr (D == batch_summed) {
    return words<of_statement<N0>>{};
  } else if constexpr (D == stack_range) {
    return words<fixed_to<N0>, has_extent<N1>>{};
  } else if constexpr (D == mixed_scalars || D == accumulate_narrower || D == complex_into_real ||
                       D == unsupported_layout) {
    return words<operand<N0>>{};
  } else if constexpr (D == unknown_argument || D == late_operand || D == repeated_option ||
                       D == beta_by_value || D == unknown_name) {
    return words<argument<N0>>{};
  } else {
    return words<>{};
  }
}

template <class Text, int Position, int... I>
auto place(std::integer_sequence<int, I...>)
    -> words<label<Text::text[static_cast<std::size_t>(Position + I)]...>, at_position<Position>>;
template <class Text, int Position>
auto place(std::integer_sequence<int>) -> words<>;

/// The return type is deduced so that g++ looks into the body at once.
template <class... W>
constexpr auto name(words<W...>) {
  return sizeof(einsum_error<W...>);
}

}  // namespace diagnosing

/// Stands where the result of a wrong expression would, and takes every use of it without a further
/// error.
struct no_result {
  template <class... I>
  double& operator()(I&&...) const;
  template <class T>
  operator T() const;
};

/// Stops the compiler with the two error lines of `Error`; `Text::text` is the text. The return
/// type is deduced so that they come before what is said of the use of the result.
template <class Text, diagnostic Error>
constexpr auto diagnose() {
  static_cast<void>(sizeof(diagnosing::sentence<Error.code>));
  constexpr int length = Error.position < 0 ? 0 : Error.length;
  using place =
      decltype(diagnosing::place<Text, Error.position>(std::make_integer_sequence<int, length>{}));
  using numbers = decltype(diagnosing::numbers<Error.code, Error.numbers[0], Error.numbers[1],
                                               Error.numbers[2], Error.numbers[3]>());
  diagnosing::name(decltype(place{} + numbers{}){});
  return no_result{};
}

}  // namespace tenfold
