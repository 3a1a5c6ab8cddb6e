#include "common/options.hpp"

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace tenfold::bench {

options read_options(int argc, char** argv) {
  options result;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    const auto value = [&]() -> std::string {
      if (i + 1 == argc) {
        std::fprintf(stderr, "%s: %s needs a value\n", argv[0], argv[i]);
        std::exit(2);
      }
      return argv[++i];
    };
    if (name == "--quick") {
      result.quick = true;
    } else if (name == "--emulated") {
      result.emulated = true;
    } else if (name == "--json") {
      result.json = value();
    } else if (name == "--filter") {
      result.filter = value();
    } else if (name == "--include") {
      result.includes.push_back(value());
    } else if (name == "--cxx") {
      result.compilers.push_back(value());
    } else {
      const bool asked = name == "--help";
      std::fprintf(asked ? stdout : stderr,
                   "%s [--json FILE] [--quick] [--filter TEXT] [--include DIR]... [--cxx CXX]... "
                   "[--emulated]\n",
                   argv[0]);
      std::exit(asked ? 0 : 2);
    }
  }
  return result;
}

}  // namespace tenfold::bench
