#pragma once

#include <tenfold/tensor/extents.hpp>
#include <tenfold/tensor/scalar.hpp>

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
  double clock = 1e9;                ///< cycles per second of a multiprocessor

  friend constexpr bool operator==(const device_capabilities&,
                                   const device_capabilities&) = default;
};

/// Of an A100 with 40 GB and of an H100 SXM, as NVIDIA's tuning guides and data sheets give them.
inline constexpr device_capabilities a100_capabilities{
    80, 108, 2048, 32, 65536, 164 * 1024, 163 * 1024, 1024, 1.555e12, 32, 1.41e9};
inline constexpr device_capabilities h100_capabilities{
    90, 132, 2048, 32, 65536, 228 * 1024, 227 * 1024, 1024, 3.35e12, 32, 1.98e9};

/// The most blocks of a launch, on any device: as long as a grid can be. Where there is more to do
/// they walk on.
inline constexpr index device_most_blocks = (index{1} << 31) - 1;

/// Multiply-adds of real numbers that one multiprocessor begins in a cycle, by its common cores
/// (CUDA C++ Programming Guide, "Throughput of Native Arithmetic Instructions").
constexpr int device_fma_per_cycle(int architecture, scalar real) {
  if (real == scalar::f32) return architecture <= 80 ? 64 : 128;
  switch (architecture) {
    case 60:
    case 70:
    case 80:
      return 32;
    case 90:
    case 100:
    case 103:
      return 64;
    default:
      return 2;
  }
}
/// Operations per second of multiply-adds, at best.
constexpr double device_peak(const device_capabilities& d, scalar type) {
  const scalar real = type == scalar::f32 || type == scalar::c32 ? scalar::f32 : scalar::f64;
  return 2.0 * device_fma_per_cycle(d.architecture, real) * d.multiprocessors * d.clock;
}

/// The same by whatever cores are fastest: doubles have tensor cores on A100 and H100 that are
/// twice as fast (NVIDIA's data sheets).
constexpr double device_library_peak(const device_capabilities& d, scalar type) {
  const bool doubles = type == scalar::f64 || type == scalar::c64;
  const bool twice = doubles && (d.architecture == 80 || d.architecture == 90);
  return device_peak(d, type) * (twice ? 2 : 1);
}

/// Parts of a multiprocessor that have registers of their own, each those of whole warps (CUDA's
/// occupancy calculator, "warp allocation granularity").
inline constexpr index device_parts = 4;

/// Blocks of so many threads, registers for each of them, and bytes of shared memory that one
/// multiprocessor holds at a time. Registers are given to warps by 256, in each of so many parts.
/// (The model by which products are cut was weighed with one.)
constexpr index device_resident_blocks(const device_capabilities& d, int threads, int registers,
                                       index shared_bytes, index parts = 1) {
  const auto least = [](index x, index y) { return x < y ? x : y; };
  const index warps = (threads + d.warp - 1) / d.warp;
  index blocks = least(d.blocks, d.threads / (warps * d.warp));
  if (registers > 0) {
    const index of_warp = (index{registers} * d.warp + 255) / 256 * 256;
    blocks = least(blocks, d.registers / parts / of_warp * parts / warps);
  }
  const index bytes = shared_bytes + d.reserved_bytes;
  return bytes > 0 ? least(blocks, d.shared_bytes / bytes) : blocks;
}

}  // namespace tenfold
