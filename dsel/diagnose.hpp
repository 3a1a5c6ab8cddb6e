#pragma once

#include <tenfold/contraction/diagnostic.hpp>
#include <utility>

/// A diagnostic at compile time: two error lines. One is a static_assert with the sentence of the
/// table; the other names an undefined type that carries the label, its position and the numbers:
///   einsum_error<diagnosis::output_label_unknown, label<'m'>, at_position<8>, numbers<0, 0, 0, 0>>
namespace tenfold {

/// The sentence; its open places are filled by the type beside it.
template <diagnosis D>
struct einsum_sentence {
#define TENFOLD_DIAGNOSIS_ASSERT(name, sentence) \
  static_assert(D != diagnosis::name, "tenfold: " sentence);
  TENFOLD_DIAGNOSES(TENFOLD_DIAGNOSIS_ASSERT)
#undef TENFOLD_DIAGNOSIS_ASSERT
};

template <char... Name>
struct label_name_in_error;
template <int Position>
struct at_position;
template <index... N>
struct numbers;
template <diagnosis D, class Label, class Position, class Numbers>
struct einsum_error;  // never defined: its name is the message

namespace diagnosing {

template <const auto& Text, int Begin, int... I>
auto label_at(std::integer_sequence<int, I...>)
    -> label_name_in_error<Text[static_cast<std::size_t>(Begin + I)]...>;

}  // namespace diagnosing

/// Stops the compiler with the two error lines of `Error`, a diagnostic; `Text` is the text.
template <const diagnostic& Error, const auto& Text>
constexpr void diagnose() {
  if constexpr (Error.code != diagnosis::none) {
    constexpr int length = Error.position < 0 ? 0 : Error.length;
    using named = decltype(diagnosing::label_at<Text, Error.position>(
        std::make_integer_sequence<int, length>{}));
    using stated = einsum_error<
        Error.code, named, at_position<Error.position>,
        numbers<Error.numbers[0], Error.numbers[1], Error.numbers[2], Error.numbers[3]>>;
    static_assert(sizeof(einsum_sentence<Error.code>) > 0);
    static_assert(sizeof(stated) > 0);
  }
}

}  // namespace tenfold
