#pragma once

namespace tenfold::testing {

/// Whether this build runs ten times slower than others: unoptimized, or with a sanitizer. Sweeps
/// over all sizes then take some of them.
#if defined(__OPTIMIZE__) && !defined(TENFOLD_SANITIZED)
inline constexpr bool slow_build = false;
#else
inline constexpr bool slow_build = true;
#endif

}  // namespace tenfold::testing
