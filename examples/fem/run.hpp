// Copyright The Tenfold authors. Distributed under the Boost Software License, Version 1.0.

#ifndef TENFOLD_EXAMPLES_FEM_RUN_HPP
#define TENFOLD_EXAMPLES_FEM_RUN_HPP

#include <iosfwd>
#include <span>
#include <string_view>

namespace fem {

/// The program: reads the options, solves, prints the table to `out`, progress and errors to `err`
/// (a `terminal` or not). Returns the exit code that usage() explains.
int run(std::span<const std::string_view> arguments, std::ostream& out, std::ostream& err,
        bool terminal);

}  // namespace fem

#endif  // TENFOLD_EXAMPLES_FEM_RUN_HPP
