#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "common/machine.hpp"

namespace tenfold::bench {

/// Ways of streaming through memory:
///   read     s += x[i]
///   copy     y[i] = x[i]
///   copy_nt  the same with stores that bypass the caches
///   triad    z[i] = x[i] + a y[i]
///   upd      y[i] = a y[i]
///   set      y[i] = a
///   set_nt   the same with stores that bypass the caches
enum class stream { read, copy, copy_nt, triad, upd, set, set_nt };
enum class level { l1, l2, l3, dram };

inline constexpr std::array<const char*, 7> stream_names{"read", "copy", "copy_nt", "triad",
                                                         "upd",  "set",  "set_nt"};
inline constexpr std::array<const char*, 4> level_names{"L1", "L2", "L3", "DRAM"};

/// GB/s of one core by way and level. Counted are the bytes that a program reads and writes, not
/// the lines that an ordinary store fetches first.
struct bandwidths {
  std::array<std::array<double, level_names.size()>, stream_names.size()> rate{};

  double at(stream s, level l) const {
    return rate[static_cast<std::size_t>(s)][static_cast<std::size_t>(l)];
  }
};

/// Bytes of a set of data that streams from memory: eight times the last-level cache, or a quarter
/// of the free memory where that is less.
std::size_t streaming_bytes(const machine&);

/// Bytes of a set of data that stays in L2.
std::size_t cached_bytes(const machine&);

bandwidths measure_bandwidths(const machine&, bool quick);

/// Reads x, n entries that begin on a cache line, less what fills no turn of the loop (half a KiB
/// at most): beside programs that read as much, by turns, on a machine whose memory is shared.
template <class T>
void stream_read(const T* x, std::ptrdiff_t n);

/// z[i] = x[i] + y[i] past the caches, or z[i] += x[i] + y[i]: what two arrays that are read and a
/// third that is written (and read) take without any work. All begin on a cache line; n is a
/// multiple of the lanes of a vector.
void stream_sum(const double* x, const double* y, double* z, std::ptrdiff_t n, bool adds);

}  // namespace tenfold::bench
