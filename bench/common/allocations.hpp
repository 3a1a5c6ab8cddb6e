#pragma once

#include <cstddef>

namespace tenfold::bench {

/// Calls of operator new so far, in a program that links this: it replaces the global operators.
std::size_t allocations();

}  // namespace tenfold::bench
