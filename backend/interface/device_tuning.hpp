#pragma once

#include <tenfold/backend/interface/gemm.hpp>

/// How batched products on a device are cut where that was found by timing: one tiling for each
/// product. ./dev tune --device cuda finds them; select/device_products.hpp says when one is used.
namespace tenfold {

/// Of the meaning of the values, and of the text that they are kept in.
inline constexpr int device_tuning_version = 1;

/// What there is to decide of a cut; 0: what fits.
struct device_tiling {
  int thread_rows = 1, thread_columns = 1;  ///< the register tile of a thread
  int side = 16;                            ///< threads along each side of a task, at most
  int block = 0;     ///< 1: a block is one group, however few threads a task has
  int problems = 0;  ///< of a group
  int groups = 0;    ///< of a block
  int panel = 0;     ///< contracted values in shared memory at a time
  int buffers = 0;   ///< panels there
  int unroll = 0;    ///< contracted values that are unrolled
  int bytes = 16;    ///< that are copied at a time, at most

  friend constexpr bool operator==(const device_tiling&, const device_tiling&) = default;
};

/// A value of device_tiling by its name, and between which bounds it may be. In the order of the
/// members: a line of a table is an initializer.
struct device_tiling_field {
  const char* name;
  int device_tiling::*value;
  int least, most;
};
inline constexpr device_tiling_field device_tiling_fields[] = {
    {"thread_rows", &device_tiling::thread_rows, 1, 8},
    {"thread_columns", &device_tiling::thread_columns, 1, 8},
    {"side", &device_tiling::side, 1, 16},
    {"block", &device_tiling::block, 0, 1},
    {"problems", &device_tiling::problems, 0, 1024},
    {"groups", &device_tiling::groups, 0, 32},
    {"panel", &device_tiling::panel, 0, 1024},
    {"buffers", &device_tiling::buffers, 0, 8},
    {"unroll", &device_tiling::unroll, 0, 32},
    {"bytes", &device_tiling::bytes, 1, 16},
};
/// Whether all values are within their bounds.
constexpr bool is_valid(const device_tiling& t) {
  for (const device_tiling_field& f : device_tiling_fields)
    if (t.*f.value < f.least || t.*f.value > f.most) return false;
  return true;
}

/// A batched product of strided matrices, as it is cut: C lies by rows.
struct tuned_product {
  scalar type = scalar::f64;
  index m = 0, n = 0, k = 0;
  bool shared_a = false, shared_b = false;  ///< one matrix serves all problems

  friend constexpr bool operator==(const tuned_product&, const tuned_product&) = default;
};
constexpr tuned_product tuned_product_of(const gemm_shape& s) {
  return {s.type, s.m, s.n, s.k, s.a.shared, s.b.shared};
}

struct device_tuning {
  tuned_product product;
  device_tiling tiling;

  friend constexpr bool operator==(const device_tuning&, const device_tuning&) = default;
};

}  // namespace tenfold
