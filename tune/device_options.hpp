#pragma once

#include <filesystem>
#include <string>
#include <tenfold/backend/interface/device_tuning.hpp>
#include <vector>

namespace tenfold::tune {

/// What `tune --device cuda` is asked for.
struct device_options {
  std::vector<tuned_product> products;
  double seconds = 540;       ///< for all of them
  std::filesystem::path out;  ///< empty: where the library looks for it
  bool wants_help = false;
};

extern const char* const device_usage;

/// Throws std::invalid_argument, with a sentence.
device_options read_device_options(int argc, const char* const* argv);

/// What is tuned if nothing is named: squares of order 1 to 32, complex ones to 16, and the
/// contractions of finite elements in double precision, with p nodes and q points in a direction
/// and one A for all: (q, p^2, p) and (q^2, q, p).
std::vector<tuned_product> tuned_products();

}  // namespace tenfold::tune
