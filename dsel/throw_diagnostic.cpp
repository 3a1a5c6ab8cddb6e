#include <string>
#include <tenfold/dsel/run_time.hpp>
#include <tenfold/tensor/error.hpp>

namespace tenfold {

void throw_diagnostic(const diagnostic& error, std::string_view text) {
  const auto fill = [&](std::string_view place) -> std::string {
    if (place == "label") {
      return std::string(text.substr(static_cast<std::size_t>(error.position),
                                     static_cast<std::size_t>(error.length)));
    }
    if (place == "position") return std::to_string(error.position);
    return std::to_string(error.numbers[static_cast<std::size_t>(place[0] - '0')]);
  };
  std::string message = "tenfold: \"" + std::string(text) + "\": ";
  std::string_view rest = sentence_of(error.code);
  for (auto open = rest.find('{'); open != rest.npos; open = rest.find('{')) {
    const auto close = rest.find('}', open);
    message += rest.substr(0, open);
    message += fill(rest.substr(open + 1, close - open - 1));
    rest.remove_prefix(close + 1);
  }
  message += rest;
  switch (error.code) {
    case diagnosis::output_coincides:
    case diagnosis::overlap:
    case diagnosis::kernel_overlap:
      throw overlap_error(message);
    case diagnosis::no_path:
    case diagnosis::too_long_program:
      throw backend_error(message);
    case diagnosis::unlike_planned:
    case diagnosis::output_unlike_planned:
    case diagnosis::operand_count:
    case diagnosis::operand_rank:
    case diagnosis::ellipsis_rank:
    case diagnosis::output_rank:
    case diagnosis::extent_mismatch:
    case diagnosis::output_extent:
    case diagnosis::mixed_scalars:
    case diagnosis::output_scalar:
    case diagnosis::accumulate_narrower:
    case diagnosis::complex_into_real:
    case diagnosis::complex_factor:
    case diagnosis::slice_range:
    case diagnosis::kernel_extent:
    case diagnosis::kernel_rank:
    case diagnosis::kernel_precision:
    case diagnosis::kernel_complex:
    case diagnosis::no_triangle:
    case diagnosis::stack_range:
    case diagnosis::unknown_extent:
    case diagnosis::zero_stride_output:
    case diagnosis::null_operand:
    case diagnosis::null_output:
    case diagnosis::kernel_null:
      throw shape_error(message);
    case diagnosis::kernel_layout:
    case diagnosis::unsupported_layout:
    case diagnosis::unsupported_output:
      throw backend_error(message);
    default:
      throw subscript_error(message);
  }
}

}  // namespace tenfold
