#pragma once

#include <tenfold/tensor/extents.hpp>

namespace tenfold {

/// What a GPU can do: the only thing that choices know of it. A plain value: a driver tells it, and
/// tests and golden files write it down literally.
struct device_capabilities {
  int architecture = 80;  ///< compute capability, major * 10 + minor
  int multiprocessors = 1;
  int threads = 2048;                ///< that one multiprocessor holds at a time
  int blocks = 32;                   ///< likewise
  int registers = 65536;             ///< of 32 bits, likewise
  index shared_bytes = 65536;        ///< likewise
  index shared_bytes_block = 49152;  ///< that one block may have
  index reserved_bytes = 1024;       ///< of shared memory, that every block takes besides
  double bandwidth = 1e12;           ///< bytes per second between it and its memory
  int warp = 32;                     ///< threads that go together

  friend constexpr bool operator==(const device_capabilities&,
                                   const device_capabilities&) = default;
};

/// Of an A100 with 40 GB and of an H100 SXM, as NVIDIA's tuning guides and data sheets give them.
inline constexpr device_capabilities a100_capabilities{80,         108,        2048, 32,      65536,
                                                       164 * 1024, 163 * 1024, 1024, 1.555e12};
inline constexpr device_capabilities h100_capabilities{90,         132,        2048, 32,     65536,
                                                       228 * 1024, 227 * 1024, 1024, 3.35e12};

}  // namespace tenfold
