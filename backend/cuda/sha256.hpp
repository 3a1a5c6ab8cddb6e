#pragma once

#include <array>
#include <string>
#include <string_view>

namespace tenfold::cuda {

/// SHA-256 (FIPS 180-4) of some bytes.
std::array<unsigned char, 32> sha256(std::string_view bytes);

/// Bytes as hexadecimal digits, two for each.
std::string hexadecimal(const std::array<unsigned char, 32>& bytes);

}  // namespace tenfold::cuda
