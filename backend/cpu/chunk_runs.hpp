#pragma once

#include <tenfold/backend/interface/select.hpp>

/// The parts of a range, those of equal length together.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

/// Calls f(first, length, count) for each run of equal ones among parts i to `end` of a range.
template <class F>
[[gnu::always_inline]] inline void for_each_run_of_chunks(const select::chunks& parts, index i,
                                                          index end, const F& f) {
  const index long_end = end < parts.long_count ? end : parts.long_count;
  if (i < long_end) f(parts.start(i), index{parts.longer}, long_end - i);
  const index short_first = i < long_end ? long_end : i;
  if (short_first < end) f(parts.start(short_first), index{parts.longer - 1}, end - short_first);
}
template <class F>
[[gnu::always_inline]] inline void for_each_run_of_chunks(const select::chunks& parts, const F& f) {
  for_each_run_of_chunks(parts, 0, parts.count(), f);
}
/// Calls f(first, length) for each part.
template <class F>
[[gnu::always_inline]] inline void for_each_chunk(const select::chunks& parts, const F& f) {
  for_each_run_of_chunks(parts, [&](index first, index length, index count) {
    for (index i = 0; i < count; ++i) f(first + i * length, length);
  });
}

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
