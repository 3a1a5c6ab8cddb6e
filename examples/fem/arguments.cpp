#include "arguments.hpp"

#include <charconv>
#include <string>
#include <system_error>

#include "problem_error.hpp"

namespace fem {
namespace {

/// All of `text` as a number.
template <class Number>
Number number(std::string_view name, std::string_view text, const char* kind) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::invalid_argument || stop != end) {
    throw problem_error(std::string(name) + " takes " + kind + ", not " + quoted(text));
  }
  if (error == std::errc::result_out_of_range) {
    throw problem_error(std::string(name) + " " + std::string(text) + " is out of range");
  }
  return value;
}

}  // namespace

void for_each_option(std::span<const std::string_view> arguments,
                     const std::function<bool(std::string_view name, const option_value&)>& read) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    const std::size_t equals = argument.find('=');
    const std::string_view name = argument.substr(0, equals);
    const bool known = read(name, [&]() -> std::string_view {
      if (equals != argument.npos) return argument.substr(equals + 1);
      if (i + 1 == arguments.size()) throw problem_error(std::string(name) + " needs a value");
      return arguments[++i];
    });
    if (!known)
      throw problem_error("there is no option " + quoted(argument) + "; --help lists them");
  }
}

int whole_number(std::string_view name, std::string_view text, int least, int most) {
  const int value = number<int>(name, text, "a whole number");
  if (value < least || value > most) {
    throw problem_error(std::string(name) + " " + std::to_string(value) + " is not between " +
                        std::to_string(least) + " and " + std::to_string(most));
  }
  return value;
}

double real_number(std::string_view name, std::string_view text) {
  return number<double>(name, text, "a number");
}

std::optional<tenfold::device_queue> named_device(std::string_view name, std::string_view text) {
  if (text == "cpu") return std::nullopt;
  if (text != "cuda")
    throw problem_error(std::string(name) + " is cpu or cuda, not '" + std::string(text) + "'");
  return tenfold::on(tenfold::device::cuda);
}

}  // namespace fem
