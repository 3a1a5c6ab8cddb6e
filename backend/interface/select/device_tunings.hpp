#pragma once

#include <optional>
#include <span>
#include <tenfold/backend/interface/device_capabilities.hpp>
#include <tenfold/backend/interface/device_tuning.hpp>

/// The tilings that the library is shipped with, by the architecture on which they were timed.
namespace tenfold::select {

/// On an H200, of 33 shapes that were searched, those that gained: 1.02 to 1.31 times as fast as
/// the model's cuts.
inline constexpr device_tuning device_tunings_90[] = {
    {{scalar::f64, 2, 2, 2}, {1, 2, 16, 0, 0, 0, 0, 2, 8, 16}},
    {{scalar::f64, 11, 11, 11}, {3, 8, 16, 0, 0, 1, 0, 1, 0, 16}},
    {{scalar::f64, 19, 19, 19}, {7, 2, 16, 1, 0, 0, 0, 1, 1, 16}},
    {{scalar::f64, 30, 30, 30}, {5, 4, 16, 0, 1, 0, 0, 1, 0, 16}},
    {{scalar::f32, 8, 8, 8}, {4, 2, 16, 0, 0, 0, 0, 2, 0, 16}},
    {{scalar::f32, 16, 16, 16}, {2, 4, 16, 0, 0, 0, 0, 1, 0, 16}},
    {{scalar::f32, 17, 17, 17}, {5, 3, 16, 1, 0, 0, 0, 2, 2, 16}},
    {{scalar::f32, 19, 19, 19}, {5, 6, 16, 0, 0, 0, 0, 1, 0, 16}},
    {{scalar::f32, 22, 22, 22}, {4, 5, 16, 0, 0, 1, 0, 1, 0, 16}},
    {{scalar::f32, 23, 23, 23}, {6, 6, 16, 0, 0, 2, 0, 1, 0, 16}},
    {{scalar::f32, 31, 31, 31}, {8, 4, 16, 1, 2, 0, 0, 1, 0, 16}},
    {{scalar::f64, 3, 4, 2, true}, {2, 2, 16, 0, 0, 2, 0, 2, 0, 16}},
    {{scalar::f64, 16, 4, 2, true}, {4, 4, 16, 0, 0, 0, 0, 2, 1, 16}},
    {{scalar::f64, 4, 9, 3, true}, {4, 5, 16, 0, 0, 2, 0, 2, 0, 16}},
    {{scalar::f64, 25, 5, 3, true}, {6, 5, 16, 0, 0, 0, 0, 3, 0, 16}},
    {{scalar::f64, 5, 16, 4, true}, {3, 4, 16, 0, 0, 1, 0, 2, 0, 16}},
    {{scalar::f64, 6, 25, 5, true}, {6, 4, 16, 0, 0, 0, 0, 1, 8, 16}},
    {{scalar::f64, 36, 6, 5, true}, {5, 6, 16, 0, 0, 1, 0, 2, 0, 16}},
    {{scalar::f64, 7, 36, 6, true}, {7, 3, 16, 1, 0, 0, 0, 2, 0, 16}},
    {{scalar::f64, 49, 7, 6, true}, {4, 7, 16, 0, 0, 2, 0, 2, 0, 16}},
    {{scalar::f64, 8, 49, 7, true}, {4, 4, 16, 0, 0, 2, 0, 2, 0, 16}},
    {{scalar::f64, 9, 49, 7, true}, {3, 5, 16, 0, 0, 2, 0, 1, 0, 16}},
    {{scalar::f64, 81, 9, 8, true}, {6, 3, 16, 0, 0, 0, 0, 3, 0, 16}},
    {{scalar::f64, 100, 10, 8, true}, {7, 3, 16, 0, 0, 0, 0, 2, 2, 16}},
};

constexpr std::span<const device_tuning> device_shipped(const device_capabilities& d) {
  if (d.architecture == 90) return device_tunings_90;
  return {};
}

/// The tiling that a table has for a product.
constexpr std::optional<device_tiling> device_tuned(std::span<const device_tuning> table,
                                                    const tuned_product& product) {
  for (const device_tuning& one : table)
    if (one.product == product) return one.tiling;
  return {};
}

}  // namespace tenfold::select
