#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace tenfold::testing {

/// Compares `text` with the whole of tests/golden/`name`. `./dev golden` writes the files anew
/// instead; what changed then shows in `git diff`.
inline void check_golden(const std::string& name, std::string_view text) {
  const std::string path = TENFOLD_GOLDEN_DIR "/" + name;
  if (std::getenv("TENFOLD_RENEW_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
  }
  std::ifstream file(path, std::ios::binary);
  const std::string golden{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  INFO("golden file: ", path, " (renew with ./dev golden)");
  CHECK(std::string(text) == golden);
}

}  // namespace tenfold::testing
