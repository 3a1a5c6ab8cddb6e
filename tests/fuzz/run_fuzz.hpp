#pragma once

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <string_view>
#include <tenfold/tensor/extents.hpp>

namespace tenfold::testing {

/// The program `fuzz_NAME [SEED [CASES]]`: says what it is told, then is fuzz(seed, cases). Returns
/// 2 where it is told something else.
inline int run_fuzz(const char* name, int argc, char** argv, int (*fuzz)(std::uint64_t, index)) {
  std::uint64_t seed = 1;
  index cases = 1000;
  const auto read = [&](int argument, auto& to) {
    if (argument >= argc) return true;
    const std::string_view word = argv[argument];
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), to);
    return error == std::errc() && end == word.data() + word.size();
  };
  if (argc > 3 || !read(1, seed) || !read(2, cases) || cases < 1) {
    std::fprintf(stderr, "fuzz_%s [SEED [CASES]]: whole numbers, at least one case\n", name);
    return 2;
  }
  std::printf("fuzz_%s: seed %llu, %lld cases\n", name, static_cast<unsigned long long>(seed),
              static_cast<long long>(cases));
  std::fflush(stdout);
  return fuzz(seed, cases);
}

}  // namespace tenfold::testing
