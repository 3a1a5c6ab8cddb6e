#pragma once

#include <tenfold/backend/interface/capabilities.hpp>

namespace tenfold::testing {

/// The same machine where each program is compiled by itself.
constexpr capabilities compiled(capabilities c) {
  c.compiled = true;
  return c;
}

}  // namespace tenfold::testing
