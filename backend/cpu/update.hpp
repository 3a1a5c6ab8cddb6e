#pragma once

#include <algorithm>
#include <cstdint>
#include <tenfold/backend/cpu/pack.hpp>

/// Runs of neighbouring entries on their way from scratch to a result.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

/// c[i] := alpha s[i] + beta c[i] for i < n; beta == 0: c is not read. The roundings are those of
/// the micro-kernels.
template <class T>
[[gnu::always_inline]] inline void update_run(T* c, const T* s, index n, T alpha, T beta) {
  constexpr int v = neighbours<T>;
  const bool is_copy = alpha == T(1) && beta == T(0);
  for (index i = 0; i < n; i += v) {
    const auto count = static_cast<int>(std::min<index>(v, n - i));
    const bool whole = count == v;
    auto value = whole ? load<T, v>(s + i) : load_partial<T, v>(s + i, count);
    if (!is_copy) {
      const auto by_alpha = broadcast<T, v>(alpha);
      if (beta == T(0)) {
        value = value_of<false>(by_alpha * value);
      } else {
        const auto old = whole ? load<T, v>(c + i) : load_partial<T, v>(c + i, count);
        value = value_of<false>(fma(by_alpha, value, broadcast<T, v>(beta) * old));
      }
    }
    if (whole)
      store<T, v>(c + i, value);
    else
      store_partial<T, v>(c + i, value, count);
  }
}

/// c := alpha s + beta c for one entry, with the roundings of update_run: whether entries are
/// neighbours changes no bit.
template <class T>
[[gnu::always_inline]] inline void update_entry(T& c, T s, T alpha, T beta) {
  if constexpr (is_complex_type<T>)
    update_run(&c, &s, 1, alpha, beta);
  else if (alpha == T(1) && beta == T(0))
    c = s;
  else
    c = beta == T(0) ? scaled(alpha, s) : updated(alpha, s, beta, c);
}

/// Bytes of a line of memory, and entries from c to where the next line begins.
inline constexpr index line = 64;
template <class T>
[[gnu::always_inline]] inline index entries_to_line(const T* c) {
  const auto into = static_cast<index>(reinterpret_cast<std::uintptr_t>(c) % line);
  return into == 0 ? 0 : (line - into) / index{sizeof(T)};
}

/// c[i] := s[i] for i < n: whole lines of memory past the caches, until streams_end() for this
/// thread alone.
template <class T>
void stream_run(T* c, const T* s, index n) {
  if constexpr (is_complex_type<T>) {
    stream_run(reinterpret_cast<real<T>*>(c), reinterpret_cast<const real<T>*>(s), 2 * n);
  } else {
    constexpr index in_line = line / index{sizeof(T)};
    const index before = std::min(n, entries_to_line(c));
    const index lines = (n - before) / in_line * in_line, end = before + lines;
    std::copy_n(s, before, c);
    stream_lines(c + before, s + before, lines);
    std::copy(s + end, s + n, c + end);
  }
}

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
