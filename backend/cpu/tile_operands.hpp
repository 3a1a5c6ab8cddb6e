#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <tenfold/backend/cpu/load_store.hpp>
#include <tenfold/backend/cpu/step_pointers.hpp>
#include <tenfold/backend/interface/program.hpp>
#include <tenfold/backend/interface/select.hpp>

/// What register tiles are given: addresses and strides, and as constants how they are read.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

/// What is fetched into the caches while a tile computes, for tiles to come: so many bytes further
/// with each contracted value. Spread like this, because fetches in a burst wait for each other.
struct fetch_cursor {
  bool fetches = false;
  std::uintptr_t a = 0, b = 0, c = 0;  ///< addresses, which may lie behind the operands
  index rate_a = 0, rate_b = 0, rate_c = 0;
  int lines = 0;  ///< with tile_modes::repeats: fetched to L2 from each address on

  [[gnu::always_inline]] void advance(index contracted) {
    a += static_cast<std::uintptr_t>(contracted * rate_a);
    b += static_cast<std::uintptr_t>(contracted * rate_b);
    c += static_cast<std::uintptr_t>(contracted * rate_c);
  }
};

/// Fetches the lines of `Count` entries, `ahead` behind those at p, to write to them. As a number:
/// the last may lie behind the array.
template <int Count, class T>
[[gnu::always_inline]] inline void fetch_to_write(const T* p, index ahead) {
  const auto first =
      reinterpret_cast<std::uintptr_t>(p) + static_cast<std::uintptr_t>(ahead) * sizeof(T);
#pragma GCC unroll 16
  for (std::uintptr_t i = 0; i < Count * sizeof(T); i += 64)
    __builtin_prefetch(reinterpret_cast<const void*>(first + i), 1);
}

/// Pointers and strides, in scalars, of one register tile. Strides of loops that an operand does
/// not know are not read.
template <class T>
struct tile_operands {
  const T* a = nullptr;
  const T* b = nullptr;
  T* c = nullptr;
  index a_m = 0, a_k = 0, a_n = 0;  ///< a_n: only where A varies with n
  index b_k = 0, b_n = 0;
  index c_m = 0, c_n = 0;
  T alpha = T(1), beta = T(0);         ///< only with epilogue::update
  int tail = 0;                        ///< entries of the last column where there are any_tail
  index a_im = 0, b_im = 0, c_im = 0;  ///< reals from real to imaginary parts, where they are split
  bool conjugate_sum = false;          ///< with epilogue::update: conj(sum) for sum
  bool sum_only = false;               ///< alpha is 1 and beta 0, which need not be asked for
  bool past_caches = false;            ///< with tile_modes::streams: C is written to memory at once
  fetch_cursor next = {};              ///< with tile_modes::ahead or fetches_run
  index k_ahead = 0;  ///< with tile_modes::reads_once: contracted values ahead; 0: nothing
};

/// What the register tiles of a step are given that begins at p.
template <class T>
[[gnu::always_inline]] inline tile_operands<T> operands_of(const program_step& step,
                                                           const step_pointers<T>& p, T alpha,
                                                           T beta) {
  tile_operands<T> t;
  t.a = p.a;
  t.b = p.b;
  t.c = p.c;
  t.a_m = step.m.a;
  t.a_k = step.k.a;
  t.a_n = step.n.a;
  t.b_k = step.k.b;
  t.b_n = step.n.b;
  t.c_m = step.m.c;
  t.c_n = step.n.c;
  t.alpha = alpha;
  t.beta = beta;
  return t;
}

/// The operands of problems that are computed together, one beside another.
template <class T, std::size_t Problems>
using side_by_side = std::array<tile_operands<T>, Problems>;

/// How the entries of a tile are reached.
struct tile_modes {
  lane_access a = lane_access::uniform;
  lane_access b = lane_access::lanes;
  bool a_varies = false;  ///< A moves with n as well: an entry-wise product
  bool has_b = true;      ///< false: B = 1
  lane_access c = lane_access::lanes;
  int tail = 0;              ///< if not 0, the last column, of B and C, has only so many entries
  bool conjugate_a = false;  ///< conj(A) for A
  select::fetch ahead = select::fetch::none;
  int lines = 1;         ///< fetched of each operand per contracted value
  bool repeats = false;  ///< and next.lines of them, all to L2
  bool streams = false;  ///< C may go past the caches: it is aligned like a vector
  int unroll = select::unrolled_products;  ///< up to so many products the loop over a static k is
  bool reads_once = false;   ///< no other tile reads these lanes of B, or of A where there is no B
  int last = 0;              ///< if not 0, the last column is a narrower vector of so many lanes
  bool fetches_run = false;  ///< into L2, one line with each contracted value, from next.a on
  bool pairs = false;        ///< a loop over k that fetches nothing is unrolled by two

  friend constexpr bool operator==(const tile_modes&, const tile_modes&) = default;
};

/// Calls f(I) for I < Count, constants.
template <std::size_t Count, class F>
[[gnu::always_inline]] inline void unrolled(const F& f) {
  [&]<std::size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
    (f(std::integral_constant<std::size_t, I>{}), ...);
  }
  (std::make_index_sequence<Count>{});
}

/// A tail whose number of entries is in tile_operands.
inline constexpr int any_tail = -1;

/// The strides of a register tile as part of its key: with strides at run time the addresses of an
/// unrolled tile cost as much as its arithmetic (0.58 instead of 0.9 of the hand-written mass
/// operator at p = 3).
struct tile_strides {
  index a_m, a_k, a_n, b_k, b_n, c_m, c_n;
};

/// What stands for a K that is known only when the program runs.
inline constexpr int dynamic_k = -1;

/// Whether the loop over a static K is unrolled.
template <int W, int M, int N, int K>
constexpr bool is_unrolled(const tile_modes& how) {
  return K > 0 && (W == 1 || M * N * K <= how.unroll);
}

/// A large tile that fetches is a loop: in a burst, before its sums, fetches wait for each other
/// (from L3, double precision, Zen 5: strided order 16 125 GFLOP/s instead of 98, interleaved order
/// 12 101 instead of 72), and between unrolled ones they make g++ keep columns in memory.
constexpr tile_modes as_loop(tile_modes how) {
  how.unroll = 0;
  return how;
}

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
