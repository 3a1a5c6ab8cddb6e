#pragma once

#include <span>

namespace tenfold::cuda {

/// A header that device code includes: by this name, and what it says.
struct device_header {
  const char* name;
  const char* text;
};

/// All headers that device code may include, each by its full name. They are texts in this library,
/// made from the files of this folder when it was built.
std::span<const device_header> device_headers();

}  // namespace tenfold::cuda
