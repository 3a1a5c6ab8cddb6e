// Copyright The Tenfold authors. Distributed under the Boost Software License, Version 1.0.

#ifndef TENFOLD_EXAMPLES_FEM_PROBLEM_ERROR_HPP
#define TENFOLD_EXAMPLES_FEM_PROBLEM_ERROR_HPP

#include <stdexcept>

namespace fem {

/// What was asked for cannot be done; `what()` is one clear sentence for the user.
class problem_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace fem

#endif  // TENFOLD_EXAMPLES_FEM_PROBLEM_ERROR_HPP
