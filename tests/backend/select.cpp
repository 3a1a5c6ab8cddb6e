#include <tenfold/backend/interface/select.hpp>

#include <doctest/doctest.h>

#include <compiled.hpp>

#include "shapes.hpp"

namespace tenfold::select {

// --- the capabilities that choices are made from ---

static_assert(avx512_capabilities.lanes(scalar::f64) == 8);
static_assert(avx512_capabilities.lanes(scalar::f32) == 16);
static_assert(avx2_capabilities.lanes(scalar::f64) == 4);
static_assert(sse2_capabilities.lanes(scalar::f64) == 2);
static_assert(avx512_capabilities.lanes(scalar::c64) == 8, "two vectors, real and imaginary");
static_assert(sse2_capabilities.lanes(scalar::c32) == 4);
static_assert(capabilities{4}.lanes(scalar::c64) == 1, "at least one");
static_assert(avx512_capabilities.registers_for(scalar::f32) == 32);
static_assert(avx512_capabilities.registers_for(scalar::c32) == 16);
static_assert(avx2_capabilities.registers_for(scalar::c64) == 8);

// --- chunks: nearly equal parts ---

constexpr bool cut(index extent, index most, int longer, index long_count, index short_count) {
  const chunks c(extent, most);
  return c.longer == longer && c.long_count == long_count && c.short_count == short_count;
}
static_assert(cut(10, 10, 10, 1, 0));
static_assert(cut(11, 10, 6, 1, 1), "6 + 5, not 10 + 1");
static_assert(cut(9, 4, 3, 3, 0));
static_assert(cut(13, 4, 4, 1, 3));
static_assert(cut(1, 4, 1, 1, 0));
static_assert(cut(0, 4, 1, 0, 0));

// --- slabs: of steps that outgrow a cache ---

static_assert(runs_in_slabs(48e3, true, testing::compiled(avx512_capabilities)));
static_assert(!runs_in_slabs(38e3, true, testing::compiled(avx512_capabilities)),
              "near enough to what L1 holds");
static_assert(!runs_in_slabs(48e3, false, testing::compiled(avx512_capabilities)));
static_assert(!runs_in_slabs(1e6, true, avx512_capabilities), "planned at run time: L2");
static_assert(runs_in_slabs(1.1e6, true, avx512_capabilities));

TEST_CASE("chunks add up, none exceeds the most and no two differ by more than one") {
  for (index extent = 0; extent <= 200; ++extent) {
    for (index most = 1; most <= 12; ++most) {
      const chunks c(extent, most);
      CHECK(c.long_count * c.longer + c.short_count * (c.longer - 1) == extent);
      CHECK(c.longer <= most);
      CHECK(c.long_count + c.short_count == (extent + most - 1) / most);
      if (c.short_count > 0) CHECK(c.longer > 1);
    }
  }
}

// --- register tiles ---

constexpr bool tile(index rows, index columns, bool sums, int registers, bool a_lanes, int m,
                    int n) {
  return choose_tile(rows, columns, sums, registers, a_lanes).shape == tile_shape{m, n};
}
static_assert(tile(9, 64, true, 32, false, 9, 2), "all rows up to ten, two vectors of B");
static_assert(tile(10, 64, true, 32, false, 10, 2));
static_assert(tile(11, 64, true, 32, false, 6, 2), "balanced: 6 + 5");
static_assert(tile(4, 64, true, 32, false, 4, 2));
static_assert(tile(3, 64, true, 32, false, 3, 6), "as many vectors as the registers hold");
static_assert(tile(2, 64, true, 32, false, 2, 6), "few rows: broadcasts are worth sharing");
static_assert(tile(2, 3, true, 32, false, 2, 3), "no more columns than there are");
static_assert(tile(6, 64, true, 16, false, 6, 2), "16 registers, or 32 with complex numbers");
static_assert(tile(64, 64, true, 32, true, 4, 6), "A in lanes: the squarest");
static_assert(tile(64, 64, true, 16, true, 4, 3));
static_assert(tile(3, 64, true, 16, true, 3, 3));
static_assert(tile(2, 64, true, 16, true, 2, 4));
static_assert(tile(6, 64, true, 8, false, 6, 1), "complex numbers on 16 registers");
static_assert(tile(2, 64, true, 8, false, 2, 2));
static_assert(tile(1, 64, true, 8, true, 1, 3));
static_assert(tile(9, 64, false, 32, false, 1, 8), "without a sum: part of a row");
static_assert(tile(9, 5, false, 32, false, 1, 5));
static_assert(choose_tile(9, 64, true, 32, false).why == tile_reason::balanced);
static_assert(choose_tile(2, 2, true, 32, false).why == tile_reason::no_more);
static_assert(choose_tile(9, 64, false, 32, false).why == tile_reason::streaming);
static_assert(dynamic_tile(scalar::f32) == tile_shape{4, 4});
static_assert(dynamic_tile(scalar::c64) == tile_shape{4, 3}, "24 registers of 32, 4 x 4 spill");

TEST_CASE("register tiles fit the registers and are never empty") {
  for (const int registers : {8, 16, 32}) {
    for (index rows = 1; rows <= 70; ++rows) {
      for (index columns = 1; columns <= 70; ++columns) {
        for (const bool a_lanes : {false, true}) {
          const tile_shape t = choose_tile(rows, columns, true, registers, a_lanes).shape;
          CHECK(t.m >= 1);
          CHECK(t.n >= 1);
          CHECK(t.m <= rows);
          // The sums, a vector of B for each column and an entry of A; A in lanes on 8 spills.
          if (registers > 8 || !a_lanes) CHECK(t.m * t.n + t.n + 1 <= registers);
        }
      }
    }
  }
}

static_assert(kept_vectors(64, 1, 7, 32, scalar::f64) == 1);
static_assert(kept_vectors(8, 5, 6, 32, scalar::f64) == 3, "3 and 2 vectors");
static_assert(kept_vectors(6, 2, 4, 32, scalar::f64) == 0, "the compiler unrolls the whole tile");
static_assert(kept_vectors(16, 2, 16, 32, scalar::f64) == 0, "a broadcast would serve one vector");
static_assert(kept_vectors(64, 1, 17, 32, scalar::f64) == 0, "so long a sum is a loop");
static_assert(kept_vectors(64, 1, 7, 16, scalar::f64) == 0);
static_assert(kept_vectors(64, 1, 7, 32, scalar::c64) == 0);

constexpr gemm_shape one_a_for_all(index m, index n, index k) {
  gemm_shape s = testing::rows(scalar::f64, m, n, k);
  s.a.shared = true;
  return s;
}
constexpr int transposed_columns(gemm_shape s, int width = 8, int registers = 32) {
  return keep_columns(s, width, registers).transposed;
}
static_assert(transposed_columns(one_a_for_all(81, 9, 7)) == 1);
static_assert(transposed_columns(one_a_for_all(100, 10, 9)) == 2);
static_assert(transposed_columns(one_a_for_all(121, 11, 9)) == 3);
static_assert(transposed_columns(one_a_for_all(144, 12, 9)) == 0, "a narrower vector holds them");
static_assert(transposed_columns(one_a_for_all(6, 25, 5)) == 1);
static_assert(transposed_columns(one_a_for_all(3, 25, 5)) == 0, "most lanes would be empty");
static_assert(transposed_columns(one_a_for_all(64, 8, 7)) == 0, "nothing is left over");
static_assert(transposed_columns(one_a_for_all(49, 7, 6)) == 0, "there is no whole vector");
static_assert(transposed_columns(one_a_for_all(1000, 9, 9)) == 0, "A^T does not stay in L1");
static_assert(transposed_columns([] {
                gemm_shape s = one_a_for_all(81, 9, 7);
                s.a.shared = false;
                return s;
              }()) == 0);
static_assert(transposed_columns([] {
                gemm_shape s = one_a_for_all(81, 9, 7);
                s.b.column = 7;
                return s;
              }()) == 0,
              "B is copied, problem by problem");
static_assert(transposed_columns(one_a_for_all(81, 9, 8), 4, 16) == 1);
static_assert(keep_columns(one_a_for_all(81, 9, 8), 4, 16).vectors == 0, "no register is left");
static_assert(transposed_columns(one_a_for_all(100, 10, 8), 4, 16) == 0, "a vector serves two");
static_assert(transposed_columns(one_a_for_all(81, 9, 17), 4, 16) == 0, "so long a sum is a loop");
static_assert(lanes_of_rows(4, 8, scalar::f64) == 8 && lanes_of_rows(2, 8, scalar::f64) == 4);
static_assert(lanes_of_rows(8, 16, scalar::f32) == 16 && lanes_of_rows(8, 8, scalar::f64) == 0);
static_assert(lanes_of_rows(4, 4, scalar::f64) == 0, "a row fills a vector");
static_assert(lanes_of_rows(2, 4, scalar::f32) == 0, "SSE2 repeats no row");
static_assert(multiplies_by_rows(one_a_for_all(4, 4, 4), 8));
static_assert(!multiplies_by_rows(one_a_for_all(4, 4, 3), 8));
static_assert(multiplies_by_rows(one_a_for_all(4, 4, 4), 8, processor::zen5));
static_assert(!multiplies_by_rows(one_a_for_all(4, 4, 4), 8, processor::zen4), "two halves");
static_assert(multiplies_by_rows(one_a_for_all(2, 2, 2), 8, processor::zen4));
static_assert(narrow_neighbours(2, 8, scalar::f64) == 2 &&
              narrow_neighbours(3, 8, scalar::f64) == 4);
static_assert(narrow_neighbours(5, 8, scalar::f64) == 8 &&
              narrow_neighbours(9, 8, scalar::f64) == 8);
static_assert(narrow_neighbours(1, 4, scalar::f64) == 2, "no vector is shorter than 16 bytes");
static_assert(flattens_rows(one_a_for_all(36, 6, 5), 8, 32));
static_assert(!flattens_rows(one_a_for_all(64, 8, 7), 8, 32), "a row is a vector");
static_assert(!flattens_rows(one_a_for_all(8, 5, 5), 8, 32), "a turned row would serve one vector");
static_assert(!flattens_rows(one_a_for_all(49, 7, 16), 8, 32), "A would not stay in L1");
static_assert(flattens_rows(one_a_for_all(36, 6, 5), 8, 16));
static_assert(flattens_rows(one_a_for_all(36, 6, 5), 4, 16), "half of each second vector is idle");
static_assert(!flattens_rows(one_a_for_all(36, 6, 7), 4, 16), "B of two problems does not stay");
static_assert(!flattens_rows(one_a_for_all(49, 7, 6), 4, 16), "a few lanes are idle");
static_assert(!flattens_rows(one_a_for_all(64, 8, 6), 4, 16), "rows are whole vectors");
static_assert(flattens_rows(one_a_for_all(33, 3, 6), 2, 16), "SSE2");
static_assert(!flattens_rows(
                  [] {
                    gemm_shape s = one_a_for_all(36, 6, 5);
                    s.c.row = 7;
                    return s;
                  }(),
                  4, 16),
              "rows do not lie end to end");
static_assert(turns_of_rows(6, 8) == 3 && turns_of_rows(5, 8) == 5 && turns_of_rows(4, 8) == 1);
static_assert(keep_columns(one_a_for_all(81, 9, 7), 8, 32).of == 1);
static_assert(keep_columns(one_a_for_all(144, 12, 9), 8, 32).of == 2);
static_assert(keep_columns(one_a_for_all(81, 9, 8), 8, 32).problems == 2);
static_assert(keep_columns(one_a_for_all(64, 8, 13), 8, 32).problems == 2);
static_assert(keep_columns(one_a_for_all(64, 8, 14), 8, 32).problems == 1, "too much to keep");
static_assert(keep_columns(one_a_for_all(8, 36, 6), 8, 32).problems == 1, "a row shares enough");
static_assert(flat_problems == 32, "the sentence of tile_reason::flattened says so");
static_assert(packed_problems == 4, "the sentence of tile_reason::transposed says so");

TEST_CASE("what stays of B in registers leaves room for two sums and two broadcasts") {
  for (index k = 1; k <= 40; ++k) {
    for (index vectors = 1; vectors <= 40; ++vectors) {
      const int kept = kept_vectors(1000, vectors, k, 32, scalar::f64);
      CHECK(kept <= vectors);
      if (kept > 0) CHECK(kept * (k + 2) + 2 < 32);
    }
  }
}

TEST_CASE("every reason for a tile has its sentence") {
  for (const tile_reason why : {tile_reason::no_more, tile_reason::balanced, tile_reason::registers,
                                tile_reason::squarest, tile_reason::streaming, tile_reason::kept,
                                tile_reason::transposed, tile_reason::kept_transposed,
                                tile_reason::flattened, tile_reason::rows, tile_reason::library}) {
    CHECK(sentence_of(why)[0] != '\0');
  }
}

// --- lanes ---

static_assert(lane_vectors(64, 8, true) == 4);
static_assert(lane_vectors(16, 8, true) == 2);
static_assert(lane_vectors(8, 8, true) == 1);
static_assert(lane_vectors(7, 8, true) == 1);
static_assert(lane_vectors(24, 8, true) == 3, "3 vectors leave nothing over, 4 do not fit");
static_assert(lane_vectors(40, 8, true) == 1 || 40 % (lane_vectors(40, 8, true) * 8) == 0);
static_assert(lane_vectors(640, 8, false) > 4, "more where nothing is summed");
static_assert(lane_vectors(96, 8, true, true) == 12, "whole rows of what is read once");
static_assert(lane_vectors(5000, 8, true) == 4, "8 values of 5000 are left over");

TEST_CASE("several vectors per tile leave few values over, or no more than one") {
  for (const int width : {2, 4, 8, 16}) {
    for (index extent = 0; extent <= 300; ++extent) {
      for (const bool sums : {false, true}) {
        const int v = lane_vectors(extent, width, sums);
        CHECK(v >= 1);
        const index over = extent % (index{v} * width);
        CHECK((over <= extent % width || 16 * over <= extent));
        if (v > 1) CHECK(index{v} * width <= extent);
      }
    }
  }
}

static_assert(lane_cost({}, 8) == 0);
constexpr double cost_of(double lane_candidate::*entries) {
  lane_candidate c{100};
  c.*entries = 10;
  return lane_cost(c, 8);
}
static_assert(lane_cost({100}, 8) < cost_of(&lane_candidate::touching_entries));
static_assert(cost_of(&lane_candidate::touching_entries) < cost_of(&lane_candidate::packed_entries),
              "runs that touch are moved a vector at a time");
static_assert(cost_of(&lane_candidate::packed_entries) <
                  cost_of(&lane_candidate::scattered_entries),
              "a transposition in registers is cheaper than entry by entry");
static_assert(runs_touch(3, 3, 8, scalar::f64) && !runs_touch(3, 4, 8, scalar::f64));
static_assert(!runs_touch(5, 5, 8, scalar::f64) && !runs_touch(2, 2, 2, scalar::f64));

// Where lanes are packed: as many vectors as give a tile its work, and fit.
static_assert(packed_vectors(10000, 8, 1000) == 16 && packed_vectors(10000, 8, 10000) == 1);
static_assert(packed_vectors(40, 8, 100) == 4 && packed_vectors(15, 8, 100) == 1);

// What the compiler unrolls: 8 x 8 times 8 x 8, or several steps, of real numbers.
constexpr capabilities compiled = testing::compiled(avx512_capabilities);
static_assert(is_unrolled(1024, 512, 1, scalar::f64, compiled));
static_assert(is_unrolled(100, 50, 3, scalar::f32, compiled));
static_assert(!is_unrolled(1024, 512, 1, scalar::c64, compiled));
static_assert(!is_unrolled(100, 50, 3, scalar::c32, compiled));
static_assert(!is_unrolled(1024, 512, 1, scalar::f64, avx512_capabilities));
static_assert(!is_unrolled(100, 50, 2, scalar::f64, avx512_capabilities));
static_assert(is_unrolled(100, 50, 1, scalar::f64, avx512_capabilities));
static_assert(transposes_unrolled(1, 8, 8, 8) && !transposes_unrolled(1, 3, 3, 4));
static_assert(transposes_unrolled(6, 6, 6, 8) && !transposes_unrolled(8, 8, 8, 1));
static_assert(transposes_unrolled(1, 9, 9, 8) && transposes_unrolled(1, 16, 16, 8));
static_assert(terms_lanes(5, 8, scalar::f64) == 4 && terms_lanes(7, 8, scalar::f64) == 8);
static_assert(terms_lanes(6, 8, scalar::f64) == 4 && terms_lanes(2, 4, scalar::f32) == 4);
static_assert(adds_lanes_unrolled(4, 4) && adds_lanes_unrolled(5, 4) && adds_lanes_unrolled(8, 8));
static_assert(!adds_lanes_unrolled(3, 4) && !adds_lanes_unrolled(4, 2), "scalars are as good");
static_assert(padded_row(3, scalar::f64, 8) == 4 && padded_row(5, scalar::f64, 8) == 8);
static_assert(padded_row(9, scalar::f64, 8) == 16 && padded_row(3, scalar::f64, 2) == 4);
static_assert(padded_row(1, scalar::f64, 8) == 1 && padded_row(2, scalar::f32, 16) == 4,
              "no vector is shorter than 16 bytes");

// One product along few entries of the result leaves lanes idle.
static_assert(is_narrow(3, 1000, scalar::f64, avx512_capabilities));
static_assert(!is_narrow(4, 1000, scalar::f64, avx512_capabilities));
static_assert(!is_narrow(3, 20, scalar::f64, avx512_capabilities));

// --- blocks ---

// Operands beyond L2, each entry read often enough; more is asked of a step of many.
static_assert(is_blocked(300, 300, 300, false, scalar::f64, avx512_capabilities));
static_assert(!is_blocked(200, 200, 200, true, scalar::f64, avx512_capabilities));
static_assert(is_blocked(100000, 24, 72, true, scalar::f64, avx512_capabilities));
static_assert(!is_blocked(100000, 24, 72, false, scalar::f64, avx512_capabilities));
static_assert(is_blocked(1e9, 8, 8, true, scalar::f64, avx512_capabilities));
static_assert(!is_blocked(1e9, 7, 8, true, scalar::f64, avx512_capabilities));
static_assert(is_batch(8, false, 1 << 30, avx512_capabilities) &&
              !is_batch(7, false, 1, avx512_capabilities));
static_assert(is_batch(8, true, 1 << 20, avx512_capabilities) &&
              !is_batch(8, true, (1 << 20) + 1, avx512_capabilities));
static_assert(blocks_of(24, 300, 72, scalar::f64, avx512_capabilities) == blocking{24, 300, 72, 1});
constexpr index run_of(index behind, index near, index m, index k, capabilities c,
                       scalar type = scalar::f64) {
  c.l2_bytes = 2 << 20;
  return columns_of_run(behind, near, m, k, type, c);
}
static_assert(run_of(96, 96, 24, 96, avx512_capabilities) == 8);
static_assert(run_of(90, 96, 24, 96, avx512_capabilities) == 8, "12 runs, the last of 2");
static_assert(run_of(72, 24, 24, 48, avx512_capabilities) == 72, "all go on to the end");
static_assert(run_of(1000, 24, 24, 48, avx512_capabilities) == 24, "the tile does, too");
static_assert(run_of(384, 384, 24, 384, avx512_capabilities) == 8, "neither does: a line");
static_assert(run_of(100, 96, 5000, 960, avx512_capabilities) == 24, "many rows; the last of 4");
static_assert(run_of(1000, 48, 24, 96, avx2_capabilities) == 24 &&
                  run_of(1000, 48, 24, 96, avx2_capabilities, scalar::f32) == 48,
              "rows of the tile are whole lines");
static_assert(run_of(1000, 250, 24, 96, avx2_capabilities) == 8, "neither does");
static_assert(run_of(1000, 96, 24, 96, avx2_capabilities) == 12,
              "the tile does, the wider one does not");
static_assert(run_of(1000, 24, 24, 120, avx2_capabilities) == 12, "its panel leaves L1");
static_assert(streamed_tile(16, scalar::f64) == tile_shape{2, 6} &&
              streamed_tile(32, scalar::f64) == blocked_tile(32, scalar::f64) &&
              streamed_tile(16, scalar::c64) == blocked_tile(16, scalar::c64));
static_assert(pads_runs(33, 16, 8) && pads_runs(36, 500, 8) && !pads_runs(33, 500, 8));
static_assert(!pads_runs(32, 16, 8) && !pads_runs(0, 16, 8), "nothing is left of them");
static_assert(!pads_runs(7, 16, 8), "they fill no vector");
static_assert(packed_ahead(2) == 4 && packed_ahead(12) == 1 && packed_ahead(0) == 1);
static_assert(blocks_of(5000, 10000, 1500, scalar::f64, avx512_capabilities).k == 750);
static_assert(blocks_of(1600, 300, 300, scalar::f64, avx512_capabilities).m == 112,
              "few columns: threads share rows");
static_assert(columns_of_block(2048, 1 << 20, 32, 5000, 8, 1 << 20, {}) == 2048);
static_assert(columns_of_block(2048, 1 << 20, 32, 5000, 8, 1 << 20, {192, 1152, 0}) == 1152,
              "until the neighbours of B end");
static_assert(columns_of_block(2048, 1 << 20, 32, 5000, 8, 1 << 20, {192, 9216, 0}) == 1920,
              "or some of them");
static_assert(columns_of_block(2048, 1 << 20, 96, 24, 8, 1 << 20, {192, 9216, 0}) == 960,
              "few rows: 768 KiB");
static_assert(columns_of_block(4096, 1 << 20, 384, 24, 4, 1 << 20, {768, 18432, 0}) == 768,
              "one run at least");
constexpr index rows_of(index m, index n, int threads) {
  return rows_of_task(gemm_shape{scalar::f64, m, n, n, {}, {}, {}}, threads);
}
static_assert(rows_of(10000, 32, 64) == 528, "20 us of work at least");
static_assert(rows_of(10000, 256, 1) == 512, "no more than stay in cache");
static_assert(rows_of(256, 256, 1) == 256 && rows_of(256, 256, 4) == 32, "two tasks a thread");
static_assert(rows_of(1536, 512, 2) == 384 && rows_of(3200, 256, 2) == 400, "or four");
static_assert(rows_of(700, 700, 1) == 704 && rows_of(800, 700, 1) == 400, "no small rest");
static_assert(rows_of(120, 120, 2) == 64, "work for three: one a thread");
static_assert(rows_of(100, 100, 2) == 112, "work for one: all rows");
static_assert(work_of(gemm_shape{scalar::f64, 10, 10, 5, {}, {}, {}}) == 1000);
static_assert(work_of(gemm_shape{scalar::f64, 10, 10, 0, {}, {}, {}}) == 800, "C is scaled");
static_assert(is_batch_of_vectors(5, 9, true, true, scalar::f64, avx512_capabilities));
static_assert(is_batch_of_vectors(5, 9, false, false, scalar::f64, avx512_capabilities));
static_assert(is_batch_of_vectors(4, 9000, false, true, scalar::f64, compiled));
static_assert(!is_batch_of_vectors(3, 9, true, true, scalar::f64, compiled));
static_assert(is_batch_of_vectors(8, 9, true, false, scalar::f64, compiled));
static_assert(!is_batch_of_vectors(8, 9, false, false, scalar::f64, compiled));
static_assert(!is_batch_of_vectors(5, 9000, true, true, scalar::f64, avx512_capabilities));
static_assert(!is_batch_of_vectors(5, 9, false, true, scalar::f64, avx512_capabilities));
static_assert(blocks_of(32, 32, 1 << 20, scalar::f64, avx512_capabilities).parts == 16);

// Sums over neighbours: some vectors of terms, and work for a call.
static_assert(is_reduced(64, 1000, 8) && !is_reduced(63, 1000, 8) && !is_reduced(64, 64, 8));
static_assert(are_short_sums(8, 512, scalar::f64, 8, true) &&
              !are_short_sums(7, 512, scalar::f64, 8, true) &&
              !are_short_sums(8, 511, scalar::f64, 8, true));
static_assert(are_short_sums(2, 1, scalar::f64, 8, false) &&
              !are_short_sums(1, 1000, scalar::f64, 8, false));
static_assert(are_short_sums(4, 1, scalar::c64, 8, false) &&
              !are_short_sums(3, 1000, scalar::c64, 8, false));
static_assert(sums_together(255, 8) && !sums_together(256, 8));
static_assert(sums_row_by_row(16, 8) && !sums_row_by_row(15, 8));
static_assert(sum_parts(1, 1000000, 1000000) == 15 && sum_parts(1, 100000, 100000) == 1);
static_assert(sum_parts(100, 1 << 30, 1 << 30) == 1 && sum_parts(1, 1 << 30, 3) == 3);

// No sum: transposed in tiles, or beyond L2.
static_assert(is_pointwise(16000, scalar::c64, 64, 0, avx512_capabilities));
static_assert(!is_pointwise(16000, scalar::c64, 9, 0, avx512_capabilities));
static_assert(is_pointwise(32768, scalar::f64, 9, 0, avx512_capabilities), "lanes are permuted");
static_assert(!is_pointwise(16000, scalar::f64, 9, 0, avx512_capabilities), "for little");
static_assert(!is_pointwise(32768, scalar::f64, 9, 0, compiled));
static_assert(is_pointwise(16000, scalar::c64, 0, 32, avx512_capabilities));
static_assert(is_pointwise(16000, scalar::c64, 0, 4, avx512_capabilities));
static_assert(!is_pointwise(16000, scalar::c64, 0, 3, avx512_capabilities));
static_assert(is_pointwise(32768, scalar::f64, 0, 3, avx512_capabilities));
static_assert(!is_pointwise(32768, scalar::f64, 0, 0, avx512_capabilities));
static_assert(pays_for_lanes(32768, 9) && !pays_for_lanes(32768, 49));
static_assert(is_pointwise(1 << 21, scalar::f64, 0, 0, avx512_capabilities));
static_assert(is_short_by_lanes(7, 7, true, 8) && !is_short_by_lanes(8, 8, true, 16));
static_assert(is_short_by_lanes(11, 11, false, 16) && !is_short_by_lanes(8, 8, false, 8));
static_assert(pointwise_tile_of(1000, 1000, true, scalar::f64, true).m == 128 &&
              pointwise_tile_of(1000, 1000, true, scalar::f64, true).n == 32);
static_assert(pointwise_tile_of(1000, 1000, false, scalar::f64, false).m == 2 &&
              pointwise_tile_of(1000, 1000, false, scalar::f64, false).n == 1000);
static_assert(pointwise_tile_of(1000, 1000, false, scalar::f64, true).n == 1000, "in long rows");
static_assert(pointwise_tile_of(3, 5, true, scalar::c64, false).n == 5);
static_assert(transposes_lines(8, 16, scalar::f64) && !transposes_lines(8, 8, scalar::f64) &&
              !transposes_lines(7, 1000, scalar::f64) && !transposes_lines(1000, 7, scalar::f64));
static_assert(!transposes_lines(20, 20, scalar::f64) && transposes_lines(24, 24, scalar::f64) &&
              transposes_lines(23, 23, scalar::f64));
static_assert(collects_lines(255, false) && !collects_lines(256, false) &&
              collects_lines(256, true));

TEST_CASE("a block of rows stays in L2, one of columns in L3, on every instruction set") {
  for (const capabilities& c : {sse2_capabilities, avx2_capabilities, avx512_capabilities}) {
    for (const scalar type : {scalar::f32, scalar::f64, scalar::c32, scalar::c64}) {
      const blocking b = blocks_of(10000, 10000, 10000, type, c);
      const index entry = static_cast<index>(bytes_of(type));
      CHECK(b.m * b.k * entry <= c.l2_bytes);
      CHECK(b.n * b.k * entry <= 16 * c.l2_bytes);
      CHECK(b.parts == 1);
      CHECK(blocked_scratch(b, 10000, 10000, 0, type, c) * entry > (b.m + b.n) * b.k * entry);
    }
  }
}

// --- tasks ---

static_assert(fetches_into_l2(8193, 32768, processor::zen4) &&
              !fetches_into_l2(8192, 32768, processor::zen4) &&
              !fetches_into_l2(1 << 20, 49152, processor::zen5) &&
              fetches_into_l2(1 << 20, 49152, processor::other));
static_assert(fetch_streams(processor::zen5) == 1 && fetch_streams(processor::other) > 1);
static_assert(tiles_per_task(1 << 20) == 1);
static_assert(tiles_per_task(1e12) == 1, "at least one");
static_assert(tiles_per_task(1 << 10) == 1 << 10);
static_assert(tiles_per_task(0) == 1 << 20, "tiles without work are counted as a flop");
static_assert(tiles_per_task(1 << 10, 1 << 12) == 4);

// --- what depends on the processor ---

/// Only where it was seen to pay do results go past the caches beside other work.
static_assert(writes_beside(8192, processor::zen5) && !writes_beside(4096, processor::zen5));
static_assert(!writes_beside(1 << 20, processor::zen4));
static_assert(!writes_beside(1 << 20, processor::other));

/// Products in halves of six rows or more take one column at a time on Zen 4, others as many as
/// fit.
static_assert(even_odd_columns(7, 32, processor::zen4) == 1);
static_assert(even_odd_columns(5, 32, processor::zen4) == even_odd_columns(5, 32));
static_assert(even_odd_columns(7, 32, processor::zen5) == 3);
static_assert(sandwich_columns(7, 6, true, 1, 32, processor::zen4) == 1);
static_assert(sandwich_columns(7, 6, true, 1, 32, processor::zen5) == 2);
static_assert(sandwich_columns(7, 6, false, 1, 32, processor::zen4) == 2);

}  // namespace tenfold::select
