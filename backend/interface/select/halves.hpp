#pragma once

#include <tenfold/backend/interface/select/register_tiles.hpp>
#include <tenfold/tensor/reflection_kind.hpp>

/// Matrices that are symmetric under reflection, applied in halves, and sandwiches of three
/// matrices.
namespace tenfold::select {

/// Longest side of the three matrices that the sandwich micro-kernel unrolls.
inline constexpr index sandwich_extent = 12;

/// Whether a matrix of m x k entries that is symmetric under reflection is applied in halves: 3 x 2
/// are 6 products or 3 and 5 sums (mass operator on Zen 5: 67 and 60 GFLOP/s, from 4 x 3 on 92 and
/// 110).
constexpr bool has_halves(index m, index k) { return m >= 3 && k >= 3; }
/// Flops of a product with `rows` x `columns` entries in halves (backend/cpu/even_odd.hpp), for one
/// vector.
constexpr double even_odd_flops(double rows, double columns, reflection kind) {
  const auto half = [](double n) { return static_cast<double>(static_cast<index>(n) / 2); };
  const double m = half(rows), k = half(columns);
  const double even = kind == reflection::odd ? m : rows - m;
  return 2 * (even * (columns - k) + (rows - even) * k) + 2 * k + 2 * m;
}

/// Pairs of rows of it at a time: two accumulators each.
inline constexpr int most_pairs = 6;
inline constexpr int most_even_odd_columns = 4;

/// Whether a product in halves, of so many rows or points, takes one column at a time: where as
/// many entries of A as there are multiply-adds pass in a cycle as memory operands, a broadcast
/// that serves several columns saves nothing, and registers that are left hold more of what comes
/// next (bench fem on Zen 4, against as many columns as fit: BK1 p = 4, 5 and 7 1.03, 1.08 and 1.15
/// times the rate, BK3 p = 5 and 7 1.03 and 1.15, BK5 1.05 and 1.05; of five rows 0.94).
constexpr bool goes_by_columns(index rows, processor model) {
  return model == processor::zen4 && rows >= 6;
}

/// Columns of a matrix in halves at a time, as many as there are registers for: one broadcast
/// serves all, and what surrounds the sums is paid for less often (bench fem on Zen 5, up to four
/// columns instead of two: BK1 1.05 and 1.03 times the rate at p = 2 and 3, BK3 1.02 and 1.07,
/// BK5 1.03 and 1.05).
constexpr int even_odd_columns(index rows, int registers, processor model = processor::other) {
  if (goes_by_columns(rows, model)) return 1;
  const int pairs = chunks(rows / 2, most_pairs).longer;
  for (int columns = most_even_odd_columns; columns > 1; --columns)
    if (columns * (2 * pairs + 3) < registers) return columns;
  return 1;
}

/// Columns that the sandwich micro-kernel takes at once: as many as the registers hold of both its
/// halves (mass operator on Granite Rapids, p = 2 and 3: three 1.06 and 1.04 times the rate of
/// one), and two even where a few are spilt, because then a broadcast serves two (Zen 5, p = 4 to
/// 8: 1.02 to 1.09 times). With matrices in halves, whose entries are read half as often, more pay
/// as long as they spill little: Zen 5, p = 4 to 7, two 1.09, 1.06, 1.03 and 1.02 times the rate of
/// one; p = 3, three 1.03 times that of two. Several `products` between its halves take the
/// registers of a second column: there two pay from seven points on (BK5 on Zen 5, p = 5 to 8:
/// 0.95, 1.06, 1.10 and 1.17 times; BP5 from memory 0.96, 1.0, 1.14 and 1.06).
constexpr int sandwich_columns(index points, index rows, bool in_halves, int products,
                               int registers, processor model) {
  if (registers < 32 || (in_halves && goes_by_columns(points, model))) return 1;
  if (products > 1) return in_halves && points >= 7 ? 2 : 1;
  const index held = registers - 4, sides = points + rows;
  if (in_halves) {
    const auto fitting = static_cast<int>((registers + 2) / sides);
    return fitting < 1 ? 1 : fitting > most_even_odd_columns ? most_even_odd_columns : fitting;
  }
  return held < 2 * sides ? 2 : static_cast<int>(held / sides);
}

}  // namespace tenfold::select
