#pragma once

#include <cstdint>
#include <tenfold/backend/interface/select/gemm_path.hpp>

/// How a batch passes through the caches: what is fetched ahead, how many problems pass together,
/// which results go past the caches.
namespace tenfold::select {

/// Into which cache the kernel of a batched product fetches the problems to come, and how many
/// lines of each operand with each contracted value.
enum class fetch : unsigned char { none, into_l1, into_l2 };
struct fetch_choice {
  fetch to = fetch::none;
  int lines = 1;
};

/// For operands of so many bytes in `parts` parts. From memory, with ordinary stores, strided
/// products of order 12 to 32 run at 15 GB/s where they run at 10 without, interleaved ones at 14
/// instead of 10 (Sapphire Rapids, one core). Lines are rounded up as their rate is: of interleaved
/// order 16 one at a time is three quarters of all (22 GFLOP/s, two 38; Zen 4).
///
/// Those that go to L2 are asked for `repeats` times, with contracted values that follow one
/// another: a processor whose buffers for misses are full drops fetches.
[[gnu::always_inline]] constexpr fetch_choice fetch_ahead(index a, index b, index c, index parts,
                                                          const gemm_tuning& t) {
  const index widest = a > b ? (a > c ? a : c) : (b > c ? b : c);
  const index needed = parts == 0 ? 0 : (widest / parts + 56) / 64;
  const int lines = static_cast<int>(needed < 1 ? 1 : needed > 4 ? 4 : needed);
  if (a + b + c <= t.l2_to) return {fetch::into_l1, lines};
  return {fetch::into_l2, lines * t.repeats};
}

/// Whether the next problem of a batch in L2, or tile of problems, of so many bytes is fetched by a
/// kernel that fetches into `to`.
[[gnu::always_inline]] constexpr bool fetches_from_l2(fetch to, index bytes, const gemm_tuning& t) {
  return to == fetch::into_l1 && bytes >= t.l2_from && bytes <= t.l2_to;
}

/// Whether a processor's own prefetching follows an operand of so many bytes to the next problem,
/// which begins `step` bytes on: where it lies within a page behind.
[[gnu::always_inline]] constexpr bool lies_in_line(index step, index bytes) {
  return step >= 0 && step - bytes < 4096;
}

/// Where the operands of a batch come from.
enum class residence : unsigned char { l2, l3, memory };

/// The same as fetches_from_l2 for a batch beyond L2: wherever some of them fit there, and where
/// they lie in line only from l3_from or memory_from on. Matrices at shuffled addresses run at half
/// the rate without (orders 8 to 32, Zen 4).
[[gnu::always_inline]] constexpr bool fetches_beyond_l2(residence from, index bytes, bool in_line,
                                                        const gemm_tuning& t) {
  return (!in_line || bytes >= (from == residence::l3 ? t.l3_from : t.memory_from)) &&
         bytes <= t.memory_to;
}

/// Whether the problems of a batch, of so many bytes each, are read as one stream, which a
/// processor follows by itself: a vector times rows of its own. With fetches such streams lose, but
/// for those of a few lines (from memory, Zen 5: 1 x 16 x 16 37 GB/s, with fetches 27, 1 x 64 x 64
/// 32 and 29; in single precision 1 x 32 x 32 38 and 30, 1 x 8 x 8 28 and 40).
[[gnu::always_inline]] constexpr bool is_one_stream(const gemm_shape& s, index bytes) {
  return s.m == 1 && !s.b.shared && has_rows(s.b) && bytes >= 1536;
}

/// By their bytes. A batch cannot count on all of L3: of order 16 and 24 MB, where L3 has 32, it
/// runs at twice the rate if it is computed as one from memory (Zen 4).
[[gnu::always_inline]] constexpr residence residence_of(double bytes, index l2, index l3) {
  return bytes <= static_cast<double>(l2)           ? residence::l2
         : bytes <= 0.625 * static_cast<double>(l3) ? residence::l3
                                                    : residence::memory;
}

/// Problems of a variable batch that are sorted by their shapes at a time. 10,000 of orders 2 to
/// 32, double precision, Zen 5, beside fixed batches of the same problems: one by one in the order
/// of memory 0.56 of the rate, 64 at a time 0.58, 256 0.78, 1024 0.95, all 1.05; but each shape of
/// many more would lead through all of memory.
inline constexpr index binned_problems = 4096;

/// The work of one product, in flops, where threads share it: an entry of C that is read and
/// written counts as four terms, so that a batch that only scales C is shared, too (67 MB, Emerald
/// Rapids: one thread 13.4 ms, two 7.5).
[[gnu::always_inline]] constexpr double work_of(gemm_shape s) {
  if (s.k < 4) s.k = 4;
  return flops_of(s);
}

/// Rows of one product that are a task for so many threads: whole sixteens, of nearly equal tasks
/// two for each thread, or a multiple of that where A would leave the caches. Never more tasks than
/// there is work for: then as many for each thread, or fewer than threads. Each task copies B into
/// panels once more (order 256, double precision, Zen 3, one thread: 16 rows 32 GFLOP/s, all 42;
/// order 512 23 and 39).
[[gnu::always_inline]] constexpr index rows_of_task(const gemm_shape& s, int threads) {
  constexpr index most = 512;  // half as many more, or less, to come out even
  const index each = threads < 1 ? 1 : threads, round = each == 1 ? 1 : 2 * each,
              rounds = (s.m + round * most / 2) / (round * most),
              worth = static_cast<index>(work_of(s) / task_flops);
  index tasks = rounds < 1 ? round : rounds * round;
  if (tasks > worth) tasks = worth >= each ? worth / each * each : worth;
  if (tasks < 1) tasks = 1;
  return ((s.m + tasks - 1) / tasks + 15) / 16 * 16;
}

/// Problems between the one at work and the one that is fetched from beyond L2.
[[gnu::always_inline]] constexpr index problems_ahead(index bytes, const gemm_tuning& t) {
  return bytes < t.distance ? (t.distance + bytes - 1) / (bytes < 1 ? 1 : bytes) : 1;
}

/// Problems, or tiles of problems, of so many bytes through which one register tile goes before the
/// next.
[[gnu::always_inline]] constexpr index problems_at_once(index bytes, const gemm_tuning& t) {
  return bytes < t.group ? t.group / (bytes < 1 ? 1 : bytes) : 1;
}

/// The most problems through which one register tile goes before the next, of a batch of which
/// `ahead` are fetched ahead.
///
/// Beyond L2 they are as many as are fetched ahead, so that they come in the order of their use:
/// from L3 orders 12 to 20 are 1.2 times as fast as with 64 KB at once (Zen 5). From memory, by
/// columns, it is one, and the processor's own prefetching follows each operand from end to end:
/// 1.1 to 1.4 times the rate of as many as are fetched ahead (double precision, orders 10 to 16,
/// Zen 4).
[[gnu::always_inline]] constexpr index problems_at_most(residence from, gemm_path path,
                                                        index ahead) {
  if (from == residence::l2) return INT64_MAX;
  return from == residence::memory && path == gemm_path::by_columns ? 1 : ahead;
}

/// Whether results of so many bytes go past the caches, by columns by way of scratch: where that is
/// in cache.
[[gnu::always_inline]] constexpr bool streams_results(index bytes, const gemm_tuning& t) {
  return bytes <= t.stream_to;
}

/// The same by lanes, so many in a vector: where that is whole lines (halves of them, Zen 3, 0.8 to
/// 0.9 of the rate through the caches).
[[gnu::always_inline]] constexpr bool streams_lanes(index bytes, int lanes, scalar type,
                                                    const gemm_tuning& t) {
  return streams_results(bytes, t) && lanes * static_cast<int>(bytes_of(real_of(type))) % 64 == 0;
}

/// Whether results of so many bytes go past the caches from registers (writes_lines), unless none
/// do: order 24 runs at 1.24 times the rate even where by way of scratch orders beyond 16 lose
/// (Zen 4).
[[gnu::always_inline]] constexpr bool streams_lines(index bytes, const gemm_tuning& t) {
  return t.stream_to > 0 && bytes <= 12288;
}

/// Whether results past the caches are written from registers, line by line, and not by way of
/// scratch, by vectors of `width` entries: where a vector is a line and rows are two or more of
/// them (from memory, double precision, Zen 5: order 16 1.25 times the rate, 24 1.3, 32 1.06; 8, a
/// line each, 0.92). By a kernel of its own: asking costs order 16 in L2 3 %.
constexpr bool writes_lines(const gemm_shape& s, int width) {
  return !is_complex(s.type) && width * static_cast<index>(bytes_of(s.type)) == 64 &&
         has_rows(s.c) && s.n % width == 0 && s.n > width && s.c.row % width == 0;
}

/// Interleaved blocks of so many bytes that pass together where a block is several vectors: these
/// are computed one after the other, while the lines that they share are in L1.
[[gnu::always_inline]] constexpr index blocks_at_once(index bytes) {
  return bytes < 8192 ? 8192 / (bytes < 1 ? 1 : bytes) : 1;
}

/// Problems whose results wait in scratch on their way past the caches.
[[gnu::always_inline]] constexpr index streamed_problems(index bytes, const gemm_tuning& t) {
  return bytes < t.stream_group ? t.stream_group / (bytes < 1 ? 1 : bytes) : 1;
}

}  // namespace tenfold::select
