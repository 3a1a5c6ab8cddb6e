#pragma once

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>

namespace tenfold::bench {

/// An exact-enough entry of a result and the same with all operands replaced by their absolutes.
struct reference_entry {
  long double value;
  long double magnitude;
};

/// Ends the program (status 1) unless |result - value| <= 2 work eps magnitude for all n entries,
/// where `work` is the sum of (k + 2) over the contractions of a chain. expected(i) gives entry i.
template <class T, class F>
void check(const std::string& case_name, const std::string& candidate, const T* result,
           std::ptrdiff_t n, double work, F expected) {
  const long double eps = std::numeric_limits<T>::epsilon();
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    const reference_entry e = expected(i);
    const long double error = std::fabs(static_cast<long double>(result[i]) - e.value);
    const long double allowed = 2 * static_cast<long double>(work) * eps * e.magnitude;
    if (error <= allowed) continue;  // false for NaN
    std::fprintf(stderr,
                 "\n%s: %s is wrong at entry %td: %.17Lg instead of %.17Lg, allowed error %.3Lg\n",
                 case_name.c_str(), candidate.c_str(), i, static_cast<long double>(result[i]),
                 e.value, allowed);
    std::exit(1);
  }
}

}  // namespace tenfold::bench
