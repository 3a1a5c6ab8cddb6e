#pragma once

/// The words behind a program's name: `--name value` and `--name=value`.

#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <tenfold/backend/cuda/device_queue.hpp>

namespace fem {

/// The value of an option, when it is asked for: what follows `=`, or the next word. Throws
/// problem_error if there is none.
using option_value = std::function<std::string_view()>;

/// Calls read(name, value) for each option; false: there is none of that name. Throws
/// problem_error then, with one sentence, and for a word that is no option.
void for_each_option(std::span<const std::string_view> arguments,
                     const std::function<bool(std::string_view name, const option_value&)>& read);

/// All of `text` as a number. Throws problem_error, with one sentence that names the option, if it
/// is none or out of range.
int whole_number(std::string_view name, std::string_view text, int least, int most);
double real_number(std::string_view name, std::string_view text);

/// Where to compute: `cuda` is the first GPU, `cpu` nothing. Throws problem_error for another word,
/// tenfold::backend_error if there is no GPU.
std::optional<tenfold::device_queue> named_device(std::string_view name, std::string_view text);

}  // namespace fem
