#include <tenfold/backend/interface/select/device_batches.hpp>
#include <tenfold/backend/interface/select/device_programs.hpp>

#include <doctest/doctest.h>

#include "shapes.hpp"

namespace tenfold::select {
namespace {

using testing::rows;

using enum device_class;

constexpr gemm_shape lanes(scalar type, index m, index n, index k, index block) {
  gemm_shape s = rows(type, m, n, k);
  s.a.layout = s.b.layout = s.c.layout = batch_layout::interleaved;
  s.a.block = s.b.block = s.c.block = block;
  return s;
}
constexpr device_product_choice on_h100(const gemm_shape& s) {
  return device_product(s, h100_capabilities);
}
constexpr device_class class_on_h100(const gemm_shape& s) {
  return device_class_of(on_h100(s).cut);
}

// --- products that blocks of elements could do ---

/// Whether a chain of two products of order n for each of so many elements, each with matrices of
/// its own, is two launches.
constexpr bool separates(index elements, index n, scalar type = scalar::f64) {
  device_chained_product x;
  x.products = static_cast<double>(elements * n * n * n);
  x.by_library = n >= 64;
  const double passed =
      2.0 * static_cast<double>(elements * n * n * static_cast<index>(bytes_of(type)));
  return device_separates(2 * device_seconds_in_blocks(x, type, h100_capabilities),
                          2 * device_seconds_alone(x, type, h100_capabilities), passed, 1,
                          h100_capabilities);
}
static_assert(!separates(100000, 8) && !separates(100000, 16) && !separates(100000, 32));
static_assert(separates(1000, 64) && separates(200, 100) && separates(1000, 64, scalar::f32));
static_assert(!separates(10, 64));  // launches cost more
/// The same of n rows, each of which reads both matrices again.
constexpr bool rows_separate(index n) {
  device_chained_product x;
  x.products = static_cast<double>(n * n * n);
  x.again = 8 * x.products;
  x.by_library = true;
  return device_separates(2 * device_seconds_in_blocks(x, scalar::f64, h100_capabilities),
                          2 * device_seconds_alone(x, scalar::f64, h100_capabilities),
                          16.0 * static_cast<double>(n * n), 1, h100_capabilities);
}
static_assert(rows_separate(200) && rows_separate(4096) && !rows_separate(64));

// --- slabs of the elements of a kernel ---

constexpr index half_gibibyte = index{1} << 29;
static_assert(device_slab_bytes(h100_capabilities) < half_gibibyte &&
              device_slab_bytes(h100_capabilities) > half_gibibyte / 10 * 9);
/// Elements of a slab of 100000 that need so many bytes each.
constexpr index slab_of(index bytes) {
  return device_slab_elements(100000, 100000 * bytes, h100_capabilities);
}
static_assert(slab_of(1200000) == 408);
static_assert(slab_of(10000) == 33336);  // a third
static_assert(slab_of(150000000) == 3);
static_assert(slab_of(index{1} << 30) == 1);

// --- the classes ---

static_assert(class_on_h100(rows(scalar::f64, 3, 3, 3)) == thread);
static_assert(class_on_h100(rows(scalar::f64, 4, 4, 4)) == sub_warp,
              "a thread to each problem would leave too few warps");
static_assert(class_on_h100(rows(scalar::f64, 6, 6, 6)) == sub_warp, "36 sums of two registers");
static_assert(class_on_h100(rows(scalar::f32, 5, 5, 5)) == thread);
static_assert(class_on_h100(rows(scalar::f64, 16, 16, 16)) == sub_warp);
static_assert(class_on_h100(rows(scalar::f64, 22, 22, 22)) == warp);
static_assert(class_on_h100(rows(scalar::f64, 64, 64, 64)) == block);
static_assert(class_on_h100(rows(scalar::f64, 129, 129, 129)) == blocks);
static_assert(on_h100(rows(scalar::f64, 32, 32, 32)).cut.thread_rows == 8);
static_assert(on_h100(rows(scalar::f32, 64, 64, 64)).cut.thread_rows == 8);
static_assert(device_class_of(device_product(rows(scalar::f64, 4, 4, 4), a100_capabilities).cut) ==
                  sub_warp,
              "less shared memory: a thread to each problem would leave too few warps");

// --- few large problems ---

constexpr int tasks_on_h100(index n, index count) {
  const gemm_shape s = rows(scalar::f64, n, n, n);
  return device_product(s, h100_capabilities, {}, device_few(s, count, h100_capabilities))
      .cut.tasks();
}
static_assert(tasks_on_h100(400, 1000) == 25, "80 x 80 entries to a block");
static_assert(tasks_on_h100(400, 1) >= 130, "smaller ones, so that most multiprocessors have one");
static_assert(tasks_on_h100(2000, 1) == 525, "there are enough");
static_assert(tasks_on_h100(64, 1) == 1, "one text for batches of any size");

// --- what goes by way of shared memory ---

static_assert(on_h100(rows(scalar::f64, 3, 3, 3)).cut.a.staged);
static_assert(on_h100(rows(scalar::f64, 3, 3, 3)).cut.c.staged);
static_assert(!on_h100(rows(scalar::f64, 32, 32, 32)).cut.c.staged, "rows of 64 bytes and more");
static_assert(!on_h100(lanes(scalar::f64, 3, 3, 3, 8)).cut.a.staged, "neighbours are side by side");
static_assert(!on_h100(lanes(scalar::f64, 3, 3, 3, 8)).cut.c.staged);
static_assert(on_h100(lanes(scalar::f64, 9, 9, 9, 8)).cut.a.staged, "several threads read it");
static_assert(on_h100(lanes(scalar::f64, 9, 9, 9, 8)).cut.c.staged);

// --- what the code knows and what the call tells ---

static_assert(on_h100(lanes(scalar::f64, 3, 3, 3, 8)).cut.a.block == 8);
static_assert(on_h100(lanes(scalar::f64, 3, 3, 3, 100000)).cut.a.block == 0,
              "one code for batches of any size");

// --- results by columns ---

constexpr gemm_shape by_columns() {
  gemm_shape s = rows(scalar::f64, 6, 7, 8);
  s.c.row = 1;
  s.c.column = 6;
  return s;
}
static_assert(on_h100(by_columns()).transposed);
static_assert(on_h100(by_columns()).cut.m == 7);
static_assert(on_h100(by_columns()).cut.c.column == 1);

// --- results through a map ---

constexpr device_product_choice gathered_result(bool wide) {
  gemm_shape s = rows(scalar::f64, 3, 3, 3);
  s.c.layout = batch_layout::gathered;
  return device_product(s, h100_capabilities, {.c = wide});
}
static_assert(gathered_result(false).possible);
static_assert(!gathered_result(false).cut.c.wide_map);
static_assert(gathered_result(true).cut.c.wide_map);
static_assert(device_blocks(device_scaling(gathered_scaling::clear, false), 1) == 1);
static_assert(device_blocks(device_scaling(gathered_scaling::clear, false), 256) == 1);
static_assert(device_blocks(device_scaling(gathered_scaling::clear, false), 257) == 2);
static_assert(device_blocks(device_scaling(gathered_scaling::clear, false), index{1} << 40) ==
                  (index{1} << 31) - 1,
              "as long as a grid can be");

// --- what is refused ---

static_assert(!on_h100(rows(scalar::f64, index{1} << 31, 1, 1)).possible);
static_assert(!on_h100(rows(scalar::f64, index{1} << 20, index{1} << 20, 1)).possible,
              "tiles of C that an int does not count");

// --- long sums, and devices that reserve nothing: constant expressions find an overflow ---

static_assert(on_h100(rows(scalar::f64, 128, 128, index{1} << 30)).cut.panel <= 64);
static_assert(on_h100(rows(scalar::f64, 2, 2, index{1} << 25)).cut.panel <= 64);
constexpr device_capabilities reserves_nothing() {
  device_capabilities d = h100_capabilities;
  d.reserved_bytes = 0;
  return d;
}
static_assert(device_product(lanes(scalar::f64, 3, 3, 3, 8), reserves_nothing()).possible);

// --- the length of a grid ---

constexpr index blocks_of(index count, bool shares = false, int registers = 0) {
  device_gemm g;
  g.groups = 4;
  g.problems = 8;
  g.m = g.n = 1;
  g.b.shared = shares;
  return device_blocks(g, scalar::f64, count, h100_capabilities, registers);
}
static_assert(blocks_of(0) == 0);
static_assert(blocks_of(1) == 1);
static_assert(blocks_of(32) == 1);
static_assert(blocks_of(33) == 2);
static_assert(blocks_of(index{1} << 36) == (index{1} << 31) - 1, "as long as a grid can be");
static_assert(blocks_of(33, true) == 2);
static_assert(blocks_of(index{1} << 36, true) == 8 * 132 * 16, "what it has threads for");
static_assert(blocks_of(index{1} << 36, true, 64) == 8 * 132 * 8, "what it has registers for");

// --- places in shared memory ---

/// As the model lays them out, of a device for which nothing is shipped.
constexpr int cycles_by_model(scalar type, index n, bool of_a) {
  device_capabilities d = h100_capabilities;
  d.architecture = 100;
  const device_gemm g = device_product(rows(type, n, n, n), d).cut;
  const int bytes = static_cast<int>(bytes_of(type));
  return of_a ? device_bank_cycles(g, g.a, device_role::a, bytes)
              : device_bank_cycles(g, g.b, device_role::b, bytes);
}
static_assert(cycles_by_model(scalar::f64, 8, true) == 4,
              "16 bytes to a thread, a warp in quarters");
static_assert(cycles_by_model(scalar::f64, 8, false) == 4);
static_assert(cycles_by_model(scalar::f32, 8, true) == 4);
static_assert(cycles_by_model(scalar::f32, 8, false) == 4);

// --- copies of several bytes ---

constexpr device_gemm lying(scalar type, index n, const batch_alignment& a) {
  return device_product(rows(type, n, n, n), h100_capabilities, {}, 0, {a, {}, {}}).cut;
}
static_assert(lying(scalar::f32, 8, {}).a.bytes == 16);
static_assert(lying(scalar::f32, 8, {}).a.run == device_run::row);
static_assert(lying(scalar::f32, 8, {8, 0}).a.bytes == 8);
static_assert(lying(scalar::f32, 8, {4, 0}).a.bytes == 0, "number by number");
static_assert(lying(scalar::f32, 8, {16, 4}).a.bytes == 0, "the second matrix lies elsewhere");
static_assert(lying(scalar::f32, 6, {}).a.run == device_run::matrix, "rows of 24 bytes");
static_assert(lying(scalar::f32, 9, {}).a.run == device_run::group, "matrices of 324 bytes");
static_assert(lying(scalar::f32, 9, {16, 4}).a.bytes == 0);
static_assert(lying(scalar::f32, 9, {16, 16}).a.bytes == 0);

// --- tilings that were found by timing ---

constexpr device_tuning tuned(device_tiling tiling) { return {{scalar::f64, 8, 8, 8}, tiling}; }
constexpr device_product_choice by_table(const gemm_shape& s, const device_tuning& one,
                                         const gemm_alignment& lies = {}) {
  return device_product(s, h100_capabilities, {}, 0, lies, {&one, 1});
}
constexpr device_tuning small_tile = tuned({.thread_rows = 1, .thread_columns = 1, .unroll = 2});
static_assert(by_table(rows(scalar::f64, 8, 8, 8), small_tile).cut.thread_columns == 1);
static_assert(by_table(rows(scalar::f64, 8, 8, 8), small_tile).cut.unroll == 2);
static_assert(by_table(rows(scalar::f64, 8, 8, 8), small_tile).tiling == small_tile.tiling);
static_assert(by_table(rows(scalar::f64, 8, 8, 8), small_tile, {{8, 0}, {}, {}}).cut.a.bytes == 0,
              "the same tiling, for matrices that lie otherwise");
static_assert(by_table(rows(scalar::f64, 8, 8, 9), small_tile) ==
              on_h100(rows(scalar::f64, 8, 8, 9)));
static_assert(by_table(rows(scalar::f32, 8, 8, 8), small_tile) ==
              on_h100(rows(scalar::f32, 8, 8, 8)));
static_assert(by_table(lanes(scalar::f64, 8, 8, 8, 8), small_tile) ==
                  on_h100(lanes(scalar::f64, 8, 8, 8, 8)),
              "tilings were timed on strided matrices");
static_assert(by_table(rows(scalar::f64, 8, 8, 8), tuned({.block = 1, .problems = 1024})) ==
                  on_h100(rows(scalar::f64, 8, 8, 8)),
              "more threads than a block may have");
static_assert(by_table(rows(scalar::f64, 8, 8, 8),
                       tuned({.thread_rows = 8, .thread_columns = 8, .panel = 8, .buffers = 8})) ==
                  on_h100(rows(scalar::f64, 8, 8, 8)),
              "more shared memory than a block may have");
static_assert(is_valid(device_tiling{}) && !is_valid(device_tiling{.buffers = 9}));
static_assert([] {
  for (const device_tuning& one : device_tunings_90)
    if (!is_valid(one.tiling)) return false;
  return true;
}());
static_assert(device_shipped(a100_capabilities).empty(), "what is shipped was timed on an H200");

// --- variable batches ---

constexpr device_variable_gemm variable_on(const device_capabilities& d, scalar type, index usual) {
  return device_variable_product(type, usual, d);
}
static_assert(variable_on(h100_capabilities, scalar::f64, 16).blocks == 10);
static_assert(variable_on(a100_capabilities, scalar::f64, 16).blocks == 7,
              "less shared memory: room for a problem of order 32");
static_assert(variable_on(h100_capabilities, scalar::c64, 16).blocks == 5);
static_assert(variable_on(h100_capabilities, scalar::f64, 16).thread_rows == 4);
static_assert(variable_on(h100_capabilities, scalar::f64, 4).thread_rows == 2);

constexpr int group_on_h100(index count) {
  return device_variable_group(variable_on(h100_capabilities, scalar::f64, 16), count,
                               h100_capabilities);
}
static_assert(group_on_h100(1) == 1 && group_on_h100(5279) == 1, "every multiprocessor has work");
static_assert(group_on_h100(5 * 5280) == 5 && group_on_h100(1000000) == 8);
static_assert(device_variable_blocks(32, 1) == 1 && device_variable_blocks(32, 33) == 2);
static_assert(device_variable_blocks(1, index{1} << 40) == (index{1} << 31) - 1);

}  // namespace

TEST_CASE("every product has a cut that its device can run") {
  for (const device_capabilities& d : {a100_capabilities, h100_capabilities}) {
    for (const scalar type : {scalar::f32, scalar::f64, scalar::c32, scalar::c64}) {
      for (const index m : {1, 2, 3, 4, 5, 8, 9, 16, 17, 33, 64, 65, 200}) {
        for (const index n : {1, 2, 5, 8, 31, 64, 100, 512}) {
          for (const index k : {0, 1, 4, 8, 100, 5000}) {
            for (const gemm_shape& s : {rows(type, m, n, k), lanes(type, m, n, k, 8)}) {
              const auto choice = device_product(s, d);
              const device_gemm& g = choice.cut;
              INFO(m, " x ", n, " x ", k, ", scalar ", static_cast<int>(type));
              REQUIRE(choice.possible);
              CHECK(choice.reason[0] != '\0');
              CHECK(g.threads % 32 == 0);
              CHECK(g.threads_of_block() <= 1024);
              CHECK(g.threads_of_task() * g.problems <= g.threads);
              CHECK((g.problems == 1 || g.tasks() == 1));
              CHECK((g.scope == device_scope::block ? g.groups == 1 : g.threads == 32));
              CHECK(g.panel >= 1);
              CHECK(g.panel <= (k > 0 ? k : 1));
              CHECK(shared_bytes(g, static_cast<int>(bytes_of(type))) <= d.shared_bytes_block);
              CHECK(choice.lanes_used > 0);
              CHECK(choice.lanes_used <= 1);
              CHECK(choice.warps >= 1);
            }
          }
        }
      }
    }
  }
}

TEST_CASE("every variable batch has a cut that its device can run") {
  for (const device_capabilities& d : {a100_capabilities, h100_capabilities}) {
    for (const scalar type : {scalar::f32, scalar::f64, scalar::c32, scalar::c64}) {
      for (const index usual : {0, 1, 6, 7, 16, 32, 48, 100, 10000}) {
        const device_variable_gemm g = device_variable_product(type, usual, d);
        const int bytes = static_cast<int>(bytes_of(type));
        INFO("usual ", usual, ", scalar ", static_cast<int>(type));
        CHECK(g.threads % 32 == 0);
        CHECK(g.together * bytes <= 16);
        CHECK(g.unroll >= 1);
        CHECK(g.room % (2 * g.together) == 0);
        CHECK(g.room >= variable_entries(32, 32, 32, g.together));
        CHECK(shared_bytes(g, bytes) <= d.shared_bytes_block);
        CHECK(device_resident_blocks(d, g.threads, 0, shared_bytes(g, bytes)) >= g.blocks);
      }
    }
  }
}

}  // namespace tenfold::select
