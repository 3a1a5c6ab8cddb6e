#pragma once

#include <tenfold/backend/interface/device_gemm.hpp>

/// C := beta C on a device, once for each entry that the map of a gathered batch names, however
/// often: what comes before products are added there. This header is read by NVRTC too and includes
/// nothing of the standard library.
namespace tenfold {

/// One launch. beta = 0 takes `clear`, beta = 1 none, any other `keep` and then `scale`: an entry
/// that several numbers of the map mean is read by all of them before any of them writes it.
enum class gathered_scaling : unsigned char {
  clear,  ///< C[map[e]] := 0
  keep,   ///< kept[e] := C[map[e]]
  scale   ///< C[map[e]] := beta kept[e]
};

struct device_scale_gathered {
  gathered_scaling step = gathered_scaling::clear;
  bool wide_map = false;  ///< the map has 64-bit integers
  int threads = 256;      ///< of a block

  friend constexpr bool operator==(const device_scale_gathered&,
                                   const device_scale_gathered&) = default;
};

/// The one argument of the device kernel; all addresses are the device's.
template <class T>
struct device_scaling_arguments {
  device_place c;
  long long count, rows, columns;  ///< problems, and the extents of one
  long long row, column;           ///< map entries from (i, j) to (i + 1, j) and to (i, j + 1)
  T* kept;                         ///< count * rows * columns entries; `clear`: null
  T beta;
};

}  // namespace tenfold
