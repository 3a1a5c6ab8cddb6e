#include "device_options.hpp"

#include <cstdlib>
#include <stdexcept>
#include <tenfold/backend/cuda/device_tunings.hpp>
#include <tenfold/backend/interface/select/device_products.hpp>

namespace tenfold::tune {

namespace {

/// So that a problem fits into the memory of trials.
constexpr index longest_sum = 4096;

}  // namespace

const char* const device_usage =
    "tune --device cuda [--class NAME]... [--seconds S] [--out FILE]\n"
    "  --class NAME   only this product: d-8, d-36x6x4, d-36x6x4-sharedA; repeatable; default:\n"
    "                 squares of order 1 to 32, complex ones to 16, and those of finite elements\n"
    "  --seconds S    for all products, about; fewer seconds try fewer cuts; default: 540\n"
    "  --out FILE     the table; default: where the library looks for it\n";

device_options read_device_options(int argc, const char* const* argv) {
  device_options to;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--help") {
      to.wants_help = true;
      return to;
    }
    if (name != "--device" && name != "--class" && name != "--seconds" && name != "--out")
      throw std::invalid_argument("with --device there is no option '" + name + "'");
    if (i + 1 == argc) throw std::invalid_argument(name + " needs a value");
    const std::string value = argv[++i];
    if (name == "--device") {
      if (value != "cuda")
        throw std::invalid_argument("--device is '" + value + "' and must be cuda");
    } else if (name == "--class") {
      tuned_product product;
      if (!cuda::read_product(value, product) ||
          product.m * product.n > select::device_large_result || product.k > longest_sum)
        throw std::invalid_argument(
            "--class: '" + value +
            "' is no product that is tuned; there are d-8, d-36x6x4, d-36x6x4-sharedA, the same "
            "with s, c and z; results have up to " +
            std::to_string(select::device_large_result) + " entries, sums up to " +
            std::to_string(longest_sum) + " terms");
      to.products.push_back(product);
    } else if (name == "--seconds") {
      char* end = nullptr;
      to.seconds = std::strtod(value.c_str(), &end);
      if (end == value.c_str() || *end != '\0' || !(to.seconds > 0))
        throw std::invalid_argument("--seconds is '" + value + "' and must be a positive number");
    } else {
      to.out = value;
    }
  }
  if (to.products.empty()) to.products = tuned_products();
  return to;
}

std::vector<tuned_product> tuned_products() {
  std::vector<tuned_product> all;
  for (const scalar type : {scalar::f64, scalar::f32, scalar::c64, scalar::c32})
    for (index n = 1; n <= (is_complex(type) ? 16 : 32); ++n) all.push_back({type, n, n, n});
  for (index p = 2; p <= 9; ++p) {
    for (index q = p + 1; q <= p + 2; ++q) {
      all.push_back({scalar::f64, q, p * p, p, true});
      all.push_back({scalar::f64, q * q, q, p, true});
    }
  }
  return all;
}

}  // namespace tenfold::tune
