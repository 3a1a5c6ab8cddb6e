#pragma once

#include <array>
#include <optional>
#include <span>
#include <tenfold/backend/interface/device_capabilities.hpp>
#include <tenfold/backend/interface/device_tuning.hpp>

/// The tilings that the library is shipped with, by the architecture on which they were timed.
namespace tenfold::select {

/// On an H200. None is measured yet.
inline constexpr std::array<device_tuning, 0> device_tunings_90{};

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
