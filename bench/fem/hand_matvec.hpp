#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fem/hand_operators.hpp"
#include "fem/mesh.hpp"

/// The matrix-vector product around a hand-written element operator: block by block entries are
/// gathered, the operator applied, results added, while what the next block needs is fetched.
namespace tenfold::bench {

/// Fetches during a block, step by step: what is stored at the points of the next one, and the
/// lines of u and v where its entries are. The map is fetched two blocks ahead.
///
/// Evenly, because fetches in bursts find no free miss buffer: on a core of Zen 5, BP1 at p = 4, a
/// burst for each line of points gained a tenth of what this does.
template <class T, class Operator, int P>
class coming_block {
  static constexpr int W = lanes<T>, line = 64, steps = Operator::steps;
  static constexpr int per_step(int amount) { return (amount + steps - 1) / steps; }
  static constexpr int data_rate = per_step(Operator::entries * W * static_cast<int>(sizeof(T)));
  static constexpr int map_rate = per_step(P * P * P * W * 4);
  static constexpr int line_count = lines_of_block(P, W, sizeof(T));

 public:
  coming_block(const T* data, const std::int32_t* lines, const std::int32_t* map_after, const T* u,
               const T* v)
      : data_(as_bytes(data)),
        map_after_(as_bytes(map_after)),
        u_(as_bytes(u)),
        v_(as_bytes(v)),
        next_(lines),
        end_(lines + line_count) {}

  template <int R>
  [[gnu::always_inline]] void step() {
    run<R * data_rate>(data_);
    run<R * map_rate>(map_after_);
#pragma GCC unroll 16
    for (int i = 0; i < (R * line_count + steps - 1) / steps; ++i) {
      if (next_ == end_) return;
      const std::ptrdiff_t at = std::ptrdiff_t{*next_++} * line;
      prefetch(u_ + at);
      prefetch(v_ + at);
    }
  }

 private:
  static const char* as_bytes(const void* p) { return static_cast<const char*>(p); }
  template <int Bytes>
  [[gnu::always_inline]] static void run(const char*& p) {
#pragma GCC unroll 32
    for (int i = 0; i < Bytes; i += line) prefetch(p + i);
    p += Bytes;
  }

  const char *data_, *map_after_, *u_, *v_;
  const std::int32_t *next_, *end_;
};

/// s(i, lane) := x[map(i, lane)], 0 where the map has -1, for n entries i.
template <class T>
inline void gather_block(const T* x, const std::int32_t* map, T* s, int n) {
  constexpr int W = lanes<T>;
  for (int i = 0; i < n * W; i += W) {
#pragma GCC unroll 16
    for (int lane = 0; lane < W; ++lane) {
      const std::int32_t at = map[i + lane];
      s[i + lane] = at < 0 ? T(0) : x[at];
    }
  }
}

/// y[map(i, lane)] += s(i, lane)
template <class T>
inline void scatter_block(const T* s, const std::int32_t* map, T* y, int n) {
  for (int i = 0; i < n * lanes<T>; ++i) {
    if (map[i] >= 0) y[map[i]] += s[i];
  }
}

/// v := sum over the elements of R^T A R u, component by component with the same stored geometry.
/// lines: those of lines_of_blocks.
template <class T, int P, class Operator>
void hand_matvec(const Operator& op, const cube_mesh& mesh, const std::vector<std::int32_t>& lines,
                 const T* u, const T* d, T* v) {
  constexpr int W = lanes<T>, nodes = P * P * P;
  alignas(64) T from[nodes * W], to[nodes * W];
  std::fill_n(v, mesh.dofs(), T(0));
  const std::ptrdiff_t parts = mesh.blocks * mesh.components;
  for (std::ptrdiff_t part = 0; part < parts; ++part) {
    const auto map_of = [&](std::ptrdiff_t x) {
      return mesh.map.data() + std::min(x, parts - 1) * nodes * W;
    };
    const auto data_of = [&](std::ptrdiff_t x) {
      return d + std::min(x, parts - 1) / mesh.components * Operator::entries * W;
    };
    gather_block(u, map_of(part), from, nodes);
    const std::ptrdiff_t next = std::min(part + 1, parts - 1) * lines_of_block(P, W, sizeof(T));
    coming_block<T, Operator, P> beside(data_of(part + 1), lines.data() + next, map_of(part + 2), u,
                                        v);
    op(from, data_of(part), to, beside);
    scatter_block(to, map_of(part), v, nodes);
  }
}

}  // namespace tenfold::bench
