#pragma once

/// Every threshold of the library, as pure functions of sizes and capabilities, and of batched
/// products also of a tuning. Planning asks here for each choice; nothing else compares a size with
/// a constant.

#include <tenfold/backend/interface/select/products.hpp>
#include <tenfold/backend/interface/select/tiles.hpp>
#include <tenfold/backend/interface/select/whole_steps.hpp>
