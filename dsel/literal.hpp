#pragma once

#include <cstddef>
#include <string_view>

namespace tenfold {

/// A string literal as a template argument: einsum<"ij,jk->ik">.
template <std::size_t N>
struct literal {
  char text[N] = {};

  constexpr literal(const char (&s)[N]) {
    for (std::size_t i = 0; i < N; ++i) text[i] = s[i];
  }
  constexpr std::string_view view() const { return {text, N - 1}; }
};

}  // namespace tenfold
