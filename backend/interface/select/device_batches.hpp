#pragma once

#include <algorithm>
#include <tenfold/backend/interface/device_scale_gathered.hpp>
#include <tenfold/backend/interface/device_variable_gemm.hpp>
#include <tenfold/backend/interface/select/device_products.hpp>

/// Batches on a GPU of which one cut does not suit all: problems of sizes of their own, which the
/// device alone knows; and results that are scaled where a map names them before products are
/// added.
namespace tenfold::select {

/// How a step of scaling what a map names is cut: a thread to an entry. Blocks of 256 threads fill
/// a multiprocessor. Not measured.
constexpr device_scale_gathered device_scaling(gathered_scaling step, bool wide_map) {
  return {step, wide_map, 256};
}
/// Blocks of a launch for so many numbers of the map.
constexpr index device_blocks(const device_scale_gathered& g, index entries) {
  return std::min((entries - 1) / g.threads + 1, device_most_blocks);
}

/// How a variable batch is cut. As many blocks to a multiprocessor as leave each the room for both
/// factors of a problem of order 32, because some bring what others compute: on an H100 30,000
/// problems of orders 2 to 32 ran at 0.69, 0.70, 0.74, 0.77 and 0.80 of a copy in double precision
/// with 4, 5, 6, 8 and 10 blocks, at 0.56, 0.57, 0.65, 0.67 and 0.70 in single precision with 4, 5,
/// 6, 8 and 12. Two warps to a block: three and four were 0.94 to 0.98 times as fast. Register
/// tiles of 4 x 4, which 2 x 2, 4 x 2, 8 x 2 and 8 x 4 were 0.85 to 0.98 times as fast as; smaller
/// ones where problems of `usual` rows and columns would not fill them. Together are read sixteen
/// bytes of floats, one at a time being 0.96 times as fast, and one double, two being 1.03 times as
/// fast, but with registers for fewer blocks.
constexpr device_variable_gemm device_variable_product(scalar type, index usual,
                                                       const device_capabilities& d) {
  constexpr index small = 6, order = 32;
  const index most_blocks = is_complex(type) ? 8 : 12;  // of registers complex tiles leave no more
  const int bytes = static_cast<int>(bytes_of(type));
  device_variable_gemm g;
  g.threads = 64;
  g.together = type == scalar::f32 ? 4 : type == scalar::c32 ? 2 : 1;
  g.unroll = device_unroll / g.together;
  g.thread_rows = g.thread_columns = usual <= small ? 2 : 4;
  if (type == scalar::c64) g.thread_columns = 2;
  for (index blocks = most_blocks; blocks > 0; --blocks) {
    g.blocks = static_cast<int>(blocks);
    g.room = 0;
    index left = d.shared_bytes / blocks - d.reserved_bytes;
    if (left > d.shared_bytes_block) left = d.shared_bytes_block;
    left -= shared_bytes(g, bytes);
    // Both halves begin where 16 bytes may be read at once.
    g.room = static_cast<int>(left / bytes / 8 * 8);
    if (left > 0 && g.room >= variable_entries(order, order, order, g.together)) break;
  }
  return g;
}
/// Problems that a block of a variable batch takes at a time: some, but few enough that a batch
/// fills the device some times over, because blocks do not end together. On an H100 30,000 problems
/// in groups of 2, 4, 8, 16 and 32 ran at 0.74, 0.78, 0.77, 0.73 and 0.70 of a copy.
constexpr int device_variable_group(const device_variable_gemm& g, index count,
                                    const device_capabilities& d) {
  constexpr index times = 4, most = 8;
  static_assert(most <= variable_problems);
  const index share = count / (times * g.blocks * d.multiprocessors);
  return static_cast<int>(share < 1 ? 1 : share < most ? share : most);
}
/// Blocks of a launch: one to so many problems.
constexpr index device_variable_blocks(int group, index count) {
  return std::min((count - 1) / group + 1, device_most_blocks);
}

}  // namespace tenfold::select
