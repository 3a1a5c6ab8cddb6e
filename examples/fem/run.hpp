#pragma once

#include <iosfwd>
#include <span>
#include <string_view>

namespace fem {

/// The program: reads the options, solves, prints the table to `out`, progress and errors to `err`
/// (a `terminal` or not). Returns the exit code that usage() explains.
int run(std::span<const std::string_view> arguments, std::ostream& out, std::ostream& err,
        bool terminal);

}  // namespace fem
