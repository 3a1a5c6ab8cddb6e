#include <cstdio>
#include <vector>

// One program of objects that are compiled for several instruction sets: each runs the programs
// that it was planned with, whichever the linker meets first. SETS is X(sse2) X(avx2) ..., as many
// as this CPU has.

namespace tenfold::testing {
#define X(set) std::vector<double> results_of_##set();
SETS
#undef X
}  // namespace tenfold::testing

int main() {
  using namespace tenfold::testing;
  struct {
    const char* set;
    std::vector<double> results;
  } const all[] = {
#define X(set) {#set, results_of_##set()},
      SETS
#undef X
  };
  for (const auto& one : all) {
    if (one.results.size() != all[0].results.size() || one.results.empty()) {
      std::printf("%s: %zu results, %s: %zu\n", one.set, one.results.size(), all[0].set,
                  all[0].results.size());
      return 1;
    }
    for (std::size_t i = 0; i < one.results.size(); ++i) {
      if (one.results[i] != all[0].results[i]) {
        std::printf("result %zu is %g by %s, %g by %s\n", i, one.results[i], one.set,
                    all[0].results[i], all[0].set);
        return 1;
      }
    }
  }
  std::printf("%zu results of %zu sets are the same\n", all[0].results.size(), std::size(all));
  return 0;
}
