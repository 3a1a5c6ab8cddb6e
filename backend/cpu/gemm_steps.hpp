#pragma once

#include <algorithm>
#include <tenfold/backend/cpu/caches.hpp>
#include <tenfold/backend/cpu/gemm.hpp>
#include <tenfold/backend/interface/select.hpp>

/// On the walk over a batch: how far it is from problem to problem, and what is fetched on the way.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

using select::residence;

/// Bytes of the operands: of one A and one B, of what each problem has of its own, and of what all
/// share.
struct operand_bytes {
  index a = 0, b = 0, each = 0, shared = 0;

  template <class T>
  static operand_bytes of(const gemm_shape& s) {
    constexpr index size = sizeof(T);
    operand_bytes bytes{s.m * s.k * size, s.k * s.n * size};
    const auto add = [&](const matrix_batch& x, index its) {
      (x.shared ? bytes.shared : bytes.each) += its;
    };
    add(s.a, bytes.a);
    add(s.b, bytes.b);
    add(s.c, s.m * s.n * size);
    return bytes;
  }
  double all(index count) const {
    return static_cast<double>(each) * static_cast<double>(count) + static_cast<double>(shared);
  }
};

inline residence residence_of(double bytes) {
  return select::residence_of(bytes, caches().l2, caches().l3);
}

/// Of problems at any addresses so many at a time are looked up, and no more are fetched ahead.
inline constexpr index looked_up = 64, furthest_ahead = 16;

/// The steps through problems at any addresses.
template <class T>
problem_steps steps_at_addresses(const gemm_shape& s, const gemm_tuning& tuned, residence from) {
  problem_steps to;
  if (from == residence::l2) return to;
  const index each = operand_bytes::of<T>(s).each;
  to.fetches = select::fetches_beyond_l2(from, each, false, tuned);
  to.ahead = std::min(select::problems_ahead(each, tuned), furthest_ahead);
  to.at_once = select::problems_at_most(from, select::gemm_path::by_columns, to.ahead);
  return to;
}

/// The steps through a batch whose problems, or tiles of `width` problems, lie apart regularly, and
/// what is fetched on the way.
template <class T>
problem_steps steps_through(const gemm_shape& s, const gemm_kernel<T>& kernel,
                            const gemm_arguments<T>& g, residence from, index width) {
  const auto step = [](const matrix_batch& x, const batch_place& p) {
    return x.shared ? 0 : p.problem;
  };
  problem_steps to{step(s.a, g.a), step(s.b, g.b), step(s.c, g.c)};
  const operand_bytes bytes = operand_bytes::of<T>(s);
  const index each = bytes.each * width;
  const gemm_tuning& tuned = *kernel.tuned;
  const bool beyond_l2 = from != residence::l2;
  const index ahead = beyond_l2 ? select::problems_ahead(each, tuned) : 1;
  to.at_once = select::problems_at_most(from, kernel.path, ahead);
  to.from_memory = from == residence::memory;
  constexpr index size = sizeof(T);
  const bool in_line = select::lies_in_line(to.a * size, bytes.a * width) &&
                       select::lies_in_line(to.b * size, bytes.b * width);
  const bool is_stream =
      in_line && kernel.path == select::gemm_path::by_columns && select::is_one_stream(s, each);
  to.fetches = beyond_l2 ? !is_stream && select::fetches_beyond_l2(from, each, in_line, tuned)
                         : select::fetches_from_l2(kernel.ahead, each, tuned);
  if (!to.fetches) return to;
  to.next_a = ahead * to.a;
  to.next_b = ahead * to.b;
  to.next_c = beyond_l2 ? ahead * to.c : 0;
  return to;
}

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
