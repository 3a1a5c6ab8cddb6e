#pragma once

#include <tenfold/tensor/extents.hpp>
#include <tenfold/tensor/scalar.hpp>

namespace tenfold {

struct tuning;

/// The instruction sets that there are micro-kernels for, in rising order.
enum class instruction_set : unsigned char { baseline, avx2, avx512 };
inline constexpr int instruction_set_count = 3;

/// Processors that kernels or tunings tell apart, and all others.
enum class processor : unsigned char { other, zen3, zen4, zen5 };

/// Vectors of a scalar type that so many registers hold: a complex one takes two.
constexpr int registers_for(int registers, scalar type) {
  return is_complex(type) ? registers / 2 : registers;
}

/// What the machine that will run a program can do; the only thing that planning knows of hardware.
///
/// A plain value: compile-time planning takes it from the compiler's flags, run-time planning from
/// the CPU, tests and golden files write it down literally.
struct capabilities {
  int vector_bytes = 16;   ///< width of one SIMD register
  int registers = 16;      ///< architectural SIMD registers
  index l1_bytes = 32768;  ///< data cache of one core
  index l2_bytes = 1048576;
  /// Each program is compiled by itself, so that micro-kernels have any size and the fused one that
  /// interpolates, scales and projects is there; false: the library's own are run.
  bool compiled = false;
  const tuning* tuned = nullptr;  ///< of batched products; null: select::built_in for `model`
  processor model = processor::other;

  /// SIMD lanes for a scalar type; at least 1. A vector of complex numbers is two registers, one of
  /// real and one of imaginary parts.
  constexpr int lanes(scalar type) const {
    const int n = vector_bytes / static_cast<int>(bytes_of(real_of(type)));
    return n < 1 ? 1 : n;
  }
  /// Vectors of a scalar type that the registers hold.
  constexpr int registers_for(scalar type) const { return tenfold::registers_for(registers, type); }

  /// The best instruction set whose vectors are no wider.
  constexpr instruction_set set() const {
    return vector_bytes >= 64   ? instruction_set::avx512
           : vector_bytes >= 32 ? instruction_set::avx2
                                : instruction_set::baseline;
  }

  friend constexpr bool operator==(const capabilities&, const capabilities&) = default;
};

inline constexpr capabilities sse2_capabilities{16, 16, 32768, 1048576};
inline constexpr capabilities avx2_capabilities{32, 16, 32768, 1048576};
inline constexpr capabilities avx512_capabilities{64, 32, 32768, 1048576};

}  // namespace tenfold
