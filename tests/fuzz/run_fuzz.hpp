#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <tenfold/tensor/extents.hpp>

namespace tenfold::testing {

/// The program `fuzz_NAME [SEED [CASES]]`: says what it is told, then is fuzz(seed, cases).
inline int run_fuzz(const char* name, int argc, char** argv, int (*fuzz)(std::uint64_t, index)) {
  const std::uint64_t seed = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
  const long cases = argc > 2 ? std::strtol(argv[2], nullptr, 10) : 1000;
  std::printf("fuzz_%s: seed %llu, %ld cases\n", name, static_cast<unsigned long long>(seed),
              cases);
  std::fflush(stdout);
  return fuzz(seed, cases);
}

}  // namespace tenfold::testing
