#include <string>
#include <tenfold/dsel/run_time.hpp>
#include <tenfold/tensor/error.hpp>

namespace tenfold {

namespace {

/// Text of the caller, in which what cannot be seen is written as \\xNN: a zero would end the
/// sentence.
std::string visible(std::string_view text) {
  constexpr const char* digits = "0123456789abcdef";
  std::string shown;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (code >= ' ' && code != 0x7f) {
      shown += c;
    } else {
      shown += "\\x";
      shown += digits[code / 16];
      shown += digits[code % 16];
    }
  }
  return shown;
}

}  // namespace

void throw_diagnostic(const diagnostic& error, std::string_view text) {
  const auto fill = [&](std::string_view place) -> std::string {
    if (place == "label") {
      return visible(text.substr(static_cast<std::size_t>(error.position),
                                 static_cast<std::size_t>(error.length)));
    }
    if (place == "position") return std::to_string(error.position);
    return std::to_string(error.numbers[static_cast<std::size_t>(place[0] - '0')]);
  };
  std::string message = "tenfold: \"" + visible(text) + "\": ";
  std::string_view rest = sentence_of(error.code);
  for (auto open = rest.find('{'); open != rest.npos; open = rest.find('{')) {
    const auto close = rest.find('}', open);
    message += rest.substr(0, open);
    message += fill(rest.substr(open + 1, close - open - 1));
    rest.remove_prefix(close + 1);
  }
  message += rest;
  switch (error.code) {
    case diagnosis::none:
      break;
#define TENFOLD_DIAGNOSIS_THROW(name, kind, sentence) \
  case diagnosis::name:                               \
    throw kind##_error(message);
      TENFOLD_DIAGNOSES(TENFOLD_DIAGNOSIS_THROW)
#undef TENFOLD_DIAGNOSIS_THROW
  }
  throw subscript_error(message);
}

}  // namespace tenfold
