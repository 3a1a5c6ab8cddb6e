#pragma once

#include <tenfold/backend/interface/tuning.hpp>
#include <vector>

namespace tenfold::tune {

/// Where the operands of a batch lie, and who computes: one thread, or all.
enum class place { cache, memory, threads };

/// Products on which values of a class are compared.
struct sample {
  index m = 0, n = 0, k = 0;
  bool shared_a = false;  ///< one row-major A for all
  place where = place::cache;
  bool is_screened = true;  ///< candidates are compared on it; on the others only what was found

  friend constexpr bool operator==(const sample&, const sample&) = default;
};

/// Row-major matrices one after the other, or interleaved in blocks of a cache line.
gemm_shape shape_of(const sample&, const size_class&);

/// Those of a class: the orders of the bench `gemm`, of shapes with a shared A those of its finite
/// elements, two orders from memory, and one shared among threads.
std::vector<sample> samples_of(const size_class&);

}  // namespace tenfold::tune
