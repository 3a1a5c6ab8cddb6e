#pragma once

#include <string>

#include "device_options.hpp"
#include "device_search.hpp"

namespace tenfold::tune {

/// Searches one product after another, prints a line for each, and writes the table of a device:
/// what was found, and what an earlier table says of other products. Time that is short is shared
/// among the products: each tries fewer cuts than `how` says. What was found before an
/// interruption, or before the device failed, is written too. The status of the program: 130 if it
/// was interrupted.
///
/// Throws what search throws, and std::runtime_error if the table cannot be written.
int tune_device(const device_options&, device_arena&, const std::string& device,
                device_search_options how);

}  // namespace tenfold::tune
