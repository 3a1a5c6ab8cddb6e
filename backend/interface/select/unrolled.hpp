#pragma once

#include <tenfold/backend/interface/select/register_tiles.hpp>

/// Programs of little work that are unrolled whole, without tiles or dispatch.
namespace tenfold::select {

/// Up to this work a program of one step is unrolled whole and runs without tiles or dispatch.
/// 7 x 7 times 7 x 7 is 686: 35 ns in scalars on one Zen 4 core, 100 through partial vectors.
inline constexpr double unrolled_flops = 700;
/// What the compiler unrolls takes lanes from neighbours where numbers are real
/// (backend/cpu/unrolled.hpp): it may have several steps, and the work of 8 x 8 times 8 x 8.
constexpr bool has_unrolled_lanes(scalar type, const capabilities& c) {
  return c.compiled && !is_complex(type);
}
constexpr double unrolled_work(scalar type, const capabilities& c) {
  return has_unrolled_lanes(type, c) ? 1024 : unrolled_flops;
}
constexpr bool is_unrolled(double flops, double points, int steps, scalar type,
                           const capabilities& c) {
  return flops <= unrolled_work(type, c) && points <= unrolled_flops &&
         (steps == 1 || has_unrolled_lanes(type, c));
}

/// Whether in such a program B, whose neighbours are terms of the sum, is transposed in blocks of
/// w x w entries: shuffles, loads and half a cycle for each product of vectors beside a cycle for
/// each product of scalars, of which a last column by itself is made. (One row, double precision,
/// Zen 5, g++: 5 x 5 2.4 ns instead of 3.4, 9 x 9 6 and 11, 9 x 8 3.3 and 10, 16 x 16 15 and 31.)
constexpr bool transposes_unrolled(index m, index n, index k, int w) {
  index rounds = 0;
  while (1 << rounds < w) ++rounds;
  const index blocks = (k + w - 1) / w, last = k - (blocks - 1) * w, full = w * rounds;
  const index shuffles = (blocks - 1) * full + (last * (w - 1) < full ? last * (w - 1) : full);
  const bool ends_in_scalar = m == 1 && n % w == 1;
  const index columns = ends_in_scalar ? n - 1 : n, vectors = (columns + w - 1) / w;
  const double cycles = static_cast<double>(shuffles) / w * static_cast<double>(columns) +
                        static_cast<double>(n * blocks) +
                        0.5 * static_cast<double>(m * k * vectors) +
                        (ends_in_scalar ? static_cast<double>(k) : 0.0);
  return w > 1 && cycles < static_cast<double>(m * n * k);
}
/// Lanes of a vector of such terms: w, or w / 2 where k terms would leave a quarter of w or more
/// idle and half a vector has 16 bytes or more.
constexpr int terms_lanes(index k, int w, scalar type) {
  const int half = w / 2;
  return 4 * k <= 3 * w && half * static_cast<int>(bytes_of(type)) >= 16 ? half : w;
}
/// Whether a row of such sums, whose k terms are neighbours in both factors, takes lanes from the
/// terms, w at a time: two instructions for each sum to add its lanes beside one for each product
/// of scalars. (Double precision, Emerald Rapids, g++, beside blocks that are transposed: 8 x 8
/// 1.6 times the rate, 16 x 4 1.35, two steps of 5 x 5 2.0.)
constexpr bool adds_lanes_unrolled(index k, int w) { return w > 1 && (k + w - 1) / w + 2 < k; }
/// The length of a row of n entries in the scratch of such a program: whole vectors, of a power of
/// two of lanes and no less than 16 bytes.
constexpr index padded_row(index n, scalar type, int lanes) {
  index w = n == 1 ? 1 : 16 / static_cast<index>(bytes_of(type));
  while (w < n && w < lanes) w *= 2;
  return (n + w - 1) / w * w;
}

/// The tile of scalars of an unrolled program: all of it, which the compilers vectorize themselves
/// (n = 6: 21 ns with 6 x 6 scalars, 29 with rows of 6, g++ on Zen 4).
constexpr tile_shape unrolled_tile(index rows, index columns) {
  return {static_cast<int>(rows < 8 ? rows : 8), static_cast<int>(columns < 8 ? columns : 8)};
}

}  // namespace tenfold::select
