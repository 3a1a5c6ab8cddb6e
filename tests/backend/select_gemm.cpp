#include <tenfold/backend/interface/select.hpp>

#include <doctest/doctest.h>

// Choices of batched products.

namespace tenfold::select {

constexpr gemm_shape square(index n) {
  gemm_shape s{scalar::f64, n, n, n, {}, {}, {}};
  for (matrix_batch* x : {&s.a, &s.b, &s.c}) {
    x->row = n;
    x->column = 1;
  }
  return s;
}
constexpr gemm_tuning tuned_for(index n, int gemm_tuning::*value, int to) {
  gemm_tuning t = shipped(class_of(square(n)), instruction_set::avx512);
  t.*value = to;
  return t;
}
constexpr gemm_tuning as_shipped = shipped({}, instruction_set::avx512);

static_assert(built_in(instruction_set::avx2, processor::other, class_of(square(9))) ==
                  shipped(class_of(square(9)), instruction_set::avx2),
              "without a header of the user");
static_assert(tuning_of(avx512_capabilities, square(9)) ==
              built_in(instruction_set::avx512, processor::other, class_of(square(9))));

static_assert(columns_tile(16, 2, 32, scalar::f64, as_shipped) == tile_shape{8, 2});
static_assert(columns_tile(14, 2, 32, scalar::f64, as_shipped) == tile_shape{14, 2});
static_assert(columns_tile(14, 2, 32, scalar::f64, as_shipped, true) == tile_shape{7, 2});
static_assert(columns_tile(14, 2, 32, scalar::f64, tuned_for(14, &gemm_tuning::columns_rows, 4)) ==
              tile_shape{4, 2});
static_assert(columns_tile(14, 4, 32, scalar::f64,
                           tuned_for(14, &gemm_tuning::columns_vectors, 2)) == tile_shape{14, 2});
static_assert(columns_tile(9, 4, 16, scalar::f64, as_shipped) == tile_shape{3, 4},
              "never more than the registers hold");
static_assert(columns_tile(9, 7, 16, scalar::f64, as_shipped) == tile_shape{3, 4});
static_assert(columns_tile(8, 6, 16, scalar::f64, as_shipped) == tile_shape{4, 3});
static_assert(columns_tile(9, 4, 32, scalar::c64, as_shipped) == tile_shape{5, 2});
static_assert(lanes_tile(8, 12, 32, scalar::f64, false, 1, as_shipped) == tile_shape{4, 6});
static_assert(lanes_tile(8, 12, 32, scalar::f64, true, 1, as_shipped) == tile_shape{8, 3});
static_assert(lanes_tile(8, 12, 32, scalar::f64, false, 1,
                         tuned_for(8, &gemm_tuning::lanes_columns, 3)) == tile_shape{4, 3});

static_assert(gemm(square(2), 8, as_shipped).path == gemm_path::by_columns);
static_assert(gemm(square(2), 8, tuned_for(2, &gemm_tuning::lanes_cost, 50)).path ==
              gemm_path::by_lanes);
static_assert(gemm(square(16), 8, tuned_for(16, &gemm_tuning::lanes_cost, 25)).path ==
                  gemm_path::by_lanes,
              "also where nothing else is weighed");

static_assert(fetches_from_l2(fetch::into_l1, 6144, as_shipped));
static_assert(!fetches_from_l2(fetch::into_l1, 6144, tuned_for(16, &gemm_tuning::l2_from, 7000)));
static_assert(problems_ahead(1000, as_shipped) == 17);
static_assert(problems_ahead(1000, tuned_for(8, &gemm_tuning::distance, 1000)) == 1);
static_assert(problems_at_once(1000, tuned_for(8, &gemm_tuning::group, 16384)) == 16);
static_assert(problems_at_once(100000, as_shipped) == 1);
static_assert(residence_of(1e6, 1 << 20, 32 << 20) == residence::l2);
static_assert(residence_of(2e7, 1 << 20, 32 << 20) == residence::l3);
static_assert(residence_of(3e7, 1 << 20, 32 << 20) == residence::memory, "not all of L3");
static_assert(problems_at_most(residence::l2, gemm_path::by_columns, 4) == INT64_MAX);
static_assert(problems_at_most(residence::l3, gemm_path::by_columns, 4) == 4);
static_assert(problems_at_most(residence::memory, gemm_path::by_columns, 4) == 1);
static_assert(problems_at_most(residence::memory, gemm_path::by_lanes, 4) == 4);
static_assert(!fetches_beyond_l2(residence::memory, 999, true,
                                 tuned_for(16, &gemm_tuning::memory_from, 1000)));
static_assert(fetches_beyond_l2(residence::memory, 1000, true,
                                tuned_for(16, &gemm_tuning::memory_from, 1000)));
static_assert(!fetches_beyond_l2(residence::memory, 1001, true,
                                 tuned_for(16, &gemm_tuning::memory_to, 1000)));
static_assert(fetches_beyond_l2(residence::memory, 999, false,
                                tuned_for(16, &gemm_tuning::memory_from, 1000)));

/// Of interleaved problems from memory, in tiles of so many bytes, all but the smallest are
/// fetched.
constexpr bool fetches_interleaved(index n) {
  const index tile = 3 * n * n * 64;
  gemm_shape s = square(n);
  s.c.layout = batch_layout::interleaved;
  const gemm_tuning t = shipped(class_of(s), instruction_set::avx512);
  return fetches_beyond_l2(residence::memory, tile, true, t);
}
static_assert(!fetches_interleaved(2) && fetches_interleaved(3) && fetches_interleaved(8));
static_assert(fetches_interleaved(64) && !fetches_interleaved(80));

static_assert(lies_in_line(0, 8192) && lies_in_line(8192, 8192) && lies_in_line(8, 8192));
static_assert(!lies_in_line(8192, 4096) && !lies_in_line(-8, 8));

/// Zen 4 fetches by itself what is strided, and interleaved problems of 5 to 7; the others are
/// fetched to L2.
constexpr gemm_tuning of_zen4(bool interleaved, int size = 3) {
  return shipped({scalar::f64, interleaved, size}, instruction_set::avx512, processor::zen4);
}
static_assert(!fetches_from_l2(fetch::into_l1, 6144, of_zen4(false)));
static_assert(!fetches_beyond_l2(residence::memory, 6144, true, of_zen4(false)));
static_assert(fetches_beyond_l2(residence::memory, 18816, true, of_zen4(false)));
static_assert(fetches_beyond_l2(residence::memory, 6144, false, of_zen4(false)));
static_assert(fetch_ahead(9216, 9216, 9216, 72, of_zen4(true)).to == fetch::into_l2);
static_assert(fetches_beyond_l2(residence::memory, 3 * 1024, true, of_zen4(true, 1)));
static_assert(!fetches_beyond_l2(residence::memory, 3 * 1600, true, of_zen4(true, 2)));
static_assert(fetches_beyond_l2(residence::memory, 3 * 4096, true, of_zen4(true, 2)));
/// It drops fetches while it computes: lines that go to L2 are asked for again.
static_assert(fetch_ahead(9216, 9216, 9216, 72, of_zen4(true)).lines == 2 * 4);
static_assert(fetch_ahead(9216, 9216, 9216, 72, of_zen4(true, 2)).lines == 2 * 6);
static_assert(of_zen4(true, 4).repeats == 1 && of_zen4(false).repeats == 1);
constexpr gemm_tuning static_on_zen4 =
    built_in(instruction_set::avx512, processor::zen4, {scalar::f64, false, 3});
static_assert(fetches_beyond_l2(residence::memory, 3456, true, static_on_zen4));
static_assert(!fetches_beyond_l2(residence::memory, 2400, true, static_on_zen4));
static_assert(!fetches_beyond_l2(residence::l3, 3456, true, static_on_zen4));
static_assert(fetches_beyond_l2(residence::l3, 3456, false, static_on_zen4));
static_assert(fetches_beyond_l2(residence::l3, 6144, true, static_on_zen4));
/// Zen 3 follows by itself what is in L2 and L3.
constexpr gemm_tuning of_zen3(bool interleaved, int size = 3) {
  return shipped({scalar::f64, interleaved, size}, instruction_set::avx2, processor::zen3);
}
static_assert(!fetches_from_l2(fetch::into_l1, 6144, of_zen3(false)));
static_assert(!fetches_beyond_l2(residence::l3, 18816, true, of_zen3(false)));
static_assert(fetches_beyond_l2(residence::l3, 18816, false, of_zen3(false)));
static_assert(fetches_beyond_l2(residence::memory, 3072, true, of_zen3(true, 1)));
static_assert(fetch_ahead(1152, 1152, 1152, 24, static_on_zen4).to == fetch::into_l2);
static_assert(fetch_ahead(1152, 1152, 1152, 24, static_on_zen4).lines == 4);
static_assert(fetch_repeats(processor::zen4) > 1 && fetch_repeats(processor::zen5) == 1);
/// Lines left out would cost the time that memory takes to answer.
static_assert(fetch_ahead(16384, 16384, 16384, 192, as_shipped).lines == 2);
static_assert(fetch_ahead(9216, 9216, 9216, 72, as_shipped).lines == 2);
/// Complex rows of one product go one way however many they are.
constexpr gemm_path path_of_rows(index rows, bool as_many) {
  gemm_shape s{};
  s.type = scalar::c32;
  s.m = 1;
  s.n = 2;
  s.k = 6;
  s.a = {.row = 6, .column = 1};
  s.b = {.row = 2, .column = 1, .shared = true};
  s.c = {.row = 2, .column = 1};
  const gemm_shape one = one_of_rows(s, rows, 6, 2);
  return gemm(as_many ? as_many_rows(one) : one, 16, as_shipped).path;
}
static_assert(path_of_rows(2, false) != path_of_rows(1000, false));
static_assert(path_of_rows(2, true) == path_of_rows(1000, true));
/// Zen 5 ends rows in whole vectors, and fetches by itself what is in L2.
constexpr gemm_tuning of_zen5(bool interleaved) {
  return shipped({scalar::f64, interleaved, 3}, instruction_set::avx512, processor::zen5);
}
static_assert(of_zen5(false).narrows == 1 && of_zen5(true).narrows == 2);
static_assert(!fetches_from_l2(fetch::into_l1, 6144, of_zen5(false)));
static_assert(!fetches_from_l2(fetch::into_l1, 12288, of_zen5(true)));
static_assert(fetches_beyond_l2(residence::memory, 3072, true, of_zen5(true)));
/// All of B row by row while it stays in L1, else some columns; copied from memory and, where
/// nothing is fetched from L2, where lines meet, if there are rows enough.
constexpr lanes_panels panels(index n, bool from_memory, index m = 64) {
  return panels_by_lanes(m, n, n, 6, 64, from_memory, of_zen5(true));
}
static_assert(panels(22, false) == lanes_panels{22} && panels(23, false) == lanes_panels{2});
static_assert(panels(32, false) == lanes_panels{1, true} && panels(33, false) == lanes_panels{2});
static_assert(panels(19, true) == lanes_panels{19} && panels(20, true) == lanes_panels{2, true});
static_assert(panels(32, true, 15) == lanes_panels{32} && panels(24, true) == panels(24, true, 16));
static_assert(panels(64, true) == lanes_panels{1, true}, "one tile at least");
static_assert(panels(86, true) == lanes_panels{86}, "one tile is more than L1");
static_assert(panels_by_lanes(32, 32, 32, 4, 32, true, of_zen5(true)) == lanes_panels{4, true});
static_assert(panels_by_lanes(64, 32, 32, 6, 64, false, as_shipped) == lanes_panels{32});
static_assert(panels_by_lanes(64, 32, 32, 6, 64, true, as_shipped) == lanes_panels{1, true});
static_assert(panels_by_lanes(129, 129, 129, 4, 32, false, of_zen5(true)) == lanes_panels{2, false},
              "rows that are no whole lines meet in all sets");
static_assert(chunks(11, 4).start(2) == 8 && chunks(9, 4).start(2) == 6);
static_assert(!streams_results(1, tuned_for(8, &gemm_tuning::stream_to, 0)));
static_assert(streams_lines(8192, tuned_for(8, &gemm_tuning::stream_to, 2048)));
static_assert(!streams_lines(8192, tuned_for(8, &gemm_tuning::stream_to, 0)));
static_assert(writes_lines(square(16), 8) && !writes_lines(square(8), 8));
static_assert(!writes_lines(square(20), 8) && !writes_lines(square(16), 4), "rows end in a line");
constexpr gemm_shape vector_times(bool shared, bool turned) {
  gemm_shape s = square(16);
  s.m = 1;
  s.b.shared = shared;
  return turned ? transposed(s) : s;
}
static_assert(are_rows_of_one(vector_times(true, false)));
static_assert(!are_rows_of_one(vector_times(false, false)) && !are_rows_of_one(square(16)));
static_assert(!has_static_code(vector_times(true, false), 8, as_shipped) &&
              !has_static_code(vector_times(true, true), 8, as_shipped));
static_assert(one_of_rows(vector_times(true, false), 100, 16, 32).m == 100 &&
              one_of_rows(vector_times(true, false), 100, 16, 32).c.row == 32);
static_assert(is_one_stream(vector_times(false, false), 1536) &&
              !is_one_stream(vector_times(false, false), 1535) &&
              !is_one_stream(vector_times(true, false), 1536) && !is_one_stream(square(16), 1536));
constexpr gemm_shape times_vector(index k, index column) {
  gemm_shape s{scalar::f64, 16, 1, k, {}, {}, {}};
  s.a.row = k;
  s.a.column = column;
  s.b.row = s.c.row = 1;
  return s;
}
static_assert(are_sums_of_neighbours(times_vector(2, 1), 8));
static_assert(!are_sums_of_neighbours(times_vector(1, 1), 8), "nothing is summed");
static_assert(!are_sums_of_neighbours(times_vector(4, 2), 8), "terms are apart");
static_assert(!has_static_code(times_vector(4, 1), 8, as_shipped));
static_assert(has_static_code(square(100), 8, as_shipped));
static_assert(!has_static_code(square(384), 8, as_shipped), "rows of B meet in the cache");
static_assert(has_static_code(square(384), 8, tuned_for(384, &gemm_tuning::panel_rows, 1 << 30)));

/// What is interleaved throughout in lines of memory has them as its vectors, two native ones each
/// where those are shorter.
constexpr gemm_shape in_blocks(index a, index b, index c, scalar type = scalar::f64) {
  gemm_shape s = square(8);
  s.type = type;
  const index blocks[] = {a, b, c};
  int i = 0;
  for (matrix_batch* x : {&s.a, &s.b, &s.c}) {
    x->layout = batch_layout::interleaved;
    x->block = blocks[i++];
  }
  return s;
}
constexpr gemm_shape one_a_in_blocks(index block) {
  gemm_shape s = in_blocks(block, block, block);
  s.a = square(8).a;
  s.a.shared = true;
  return s;
}
static_assert(lanes_of_problems(in_blocks(8, 8, 8), 4) == 8, "AVX2");
static_assert(lanes_of_problems(in_blocks(8, 8, 8), 8) == 8, "AVX-512");
static_assert(lanes_of_problems(in_blocks(8, 8, 8), 2) == 4, "SSE2");
static_assert(lanes_of_problems(in_blocks(24, 24, 24), 4) == 8);
static_assert(lanes_of_problems(one_a_in_blocks(8), 4) == 8);
static_assert(lanes_of_problems(in_blocks(4, 4, 4), 4) == 4);
static_assert(lanes_of_problems(in_blocks(12, 12, 12), 4) == 4, "no whole lines");
static_assert(lanes_of_problems(in_blocks(8, 16, 8), 4) == 4, "no one block");
static_assert(lanes_of_problems(square(8), 4) == 4);
static_assert(lanes_of_problems(in_blocks(8, 8, 8, scalar::c64), 4) == 4,
              "complex ones are two vectors already");
static_assert(tiling_by_lanes(in_blocks(8, 8, 8), 4, 16, as_shipped).tile == tile_shape{3, 2} &&
              tiling_by_lanes(in_blocks(8, 8, 8), 4, 16, as_shipped).lanes == 8);
static_assert(tiling_by_lanes(in_blocks(8, 8, 8), 2, 32, as_shipped).tile == tile_shape{4, 3},
              "AArch64");
static_assert(tiling_by_lanes(in_blocks(4, 4, 4), 4, 16, as_shipped).tile == tile_shape{4, 3});
static_assert(streams_lanes(4096, 8, scalar::f64, as_shipped) &&
                  !streams_lanes(4096, 4, scalar::f64, as_shipped),
              "half lines stay");
static_assert(streams_lanes(4096, 16, scalar::f32, as_shipped) &&
              streams_lanes(4096, 8, scalar::c64, as_shipped));
static_assert(blocks_at_once(1024) == 8 && blocks_at_once(100000) == 1);

/// Matrices that leave the caches run in blocks.
static_assert(!is_large(square(418)) && is_large(square(419)), "4 MiB");
static_assert(!is_large(in_blocks(8, 8, 8)));
constexpr gemm_shape of_few_columns(index n) {
  gemm_shape s = square(64);
  s.m = 1 << 20;
  s.n = n;
  return s;
}
constexpr gemm_shape of_columns_in_lines(index n) {
  gemm_shape s = of_few_columns(n);
  s.a.row = s.c.row = 1;
  s.a.column = s.c.column = 1 << 20;
  return s;
}
static_assert(rows_pass(of_few_columns(64)) && !is_large(of_few_columns(64)) &&
              !is_large(transposed(of_few_columns(64))));
static_assert(is_large(of_columns_in_lines(64)) && is_large(transposed(of_columns_in_lines(64))) &&
              !is_large(of_columns_in_lines(63)));
constexpr gemm_shape of_terms(index k, index m) {
  gemm_shape s = square(m);
  s.k = k;
  return s;
}
static_assert(is_large(of_terms(32 * block_sums, 24)) && !is_large(of_terms(32 * block_sums, 23)) &&
                  !is_large(of_terms(32 * block_sums - 1, 24)),
              "long sums of several tiles");
static_assert(!has_static_code(square(1000), 8,
                               tuned_for(1000, &gemm_tuning::panel_rows, 1 << 30)));

}  // namespace tenfold::select
