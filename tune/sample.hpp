#pragma once

#include <tenfold/backend/interface/tuning.hpp>
#include <vector>

namespace tenfold::tune {

/// Where the operands of a batch lie, and who computes: one thread, or all. `cache`: half of L2;
/// `l3`: four times L2; `fixed`: as `cache`, and the sizes are known to the compiler.
enum class place { cache, l3, memory, threads, fixed };

/// Products on which values of a class are compared.
struct sample {
  index m = 0, n = 0, k = 0;
  bool shared_a = false;  ///< one row-major A for all
  place where = place::cache;
  bool is_screened = true;  ///< candidates are compared on it; on the others only what was found

  friend constexpr bool operator==(const sample&, const sample&) = default;
};

constexpr matrix_batch matrix_of(scalar type, bool interleaved, index columns) {
  matrix_batch x;
  x.row = columns;
  x.column = 1;
  if (interleaved) {
    x.layout = batch_layout::interleaved;
    x.block = 64 / static_cast<index>(bytes_of(real_of(type)));
  }
  return x;
}

/// Row-major matrices one after the other, or interleaved in blocks of a cache line.
constexpr gemm_shape shape_of(const sample& s, const size_class& c) {
  gemm_shape shape{c.type,
                   s.m,
                   s.n,
                   s.k,
                   matrix_of(c.type, c.interleaved, s.k),
                   matrix_of(c.type, c.interleaved, s.n),
                   matrix_of(c.type, c.interleaved, s.n)};
  if (s.shared_a) {
    shape.a = matrix_of(c.type, false, s.k);
    shape.a.shared = true;
  }
  return shape;
}

/// The orders n x n times n x n that are compiled for the static sizes of each class.
inline constexpr index fixed_orders[] = {3, 4, 6, 8, 12, 16, 24, 32};

/// Those of a class: the orders of the bench `gemm`, of shapes with a shared A those of its finite
/// elements, one or two orders from L3 and from memory, one shared among threads, and those that
/// are compiled.
std::vector<sample> samples_of(const size_class&);

}  // namespace tenfold::tune
