#pragma once

#include <stdexcept>

namespace fem {

/// What was asked for cannot be done; `what()` is one clear sentence for the user.
class problem_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace fem
