#pragma once

#include <algorithm>
#include <cstdint>
#include <tenfold/backend/cpu/batch_tile.hpp>
#include <tenfold/backend/cpu/gemm_steps.hpp>
#include <tenfold/backend/cpu/scratch.hpp>
#include <tenfold/backend/cpu/update.hpp>

/// The walk over a batch whose lanes are columns of one result: strided, or at any addresses; else
/// by way of scratch.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

/// Problems [begin, end) of a strided batch whose results are neighbours, read by nobody soon: some
/// of them at a time are written to scratch, and from there to memory.
template <class T>
void gemm_past_caches(const gemm_shape& s, const gemm_kernel<T>& kernel, tile_operands<T> t,
                      problem_steps step, T* c, index problems) {
  const index entries = s.m * s.n,
              group = select::streamed_problems(entries * index{sizeof(T)}, *kernel.tuned);
  constexpr index in_line = line / index{sizeof(T)};
  const scratch_block block(static_cast<std::size_t>(group * entries + in_line) * sizeof(T));
  step.next_c = 0;
  for (index p = 0; p < problems; p += group) {
    const index count = problems - p < group ? problems - p : group;
    t.c = block.as<T>() +
          static_cast<index>(reinterpret_cast<std::uintptr_t>(c) / sizeof(T)) % in_line;
    kernel.run(t, count, step);
    stream_run(c, t.c, count * entries);
    t.a += count * step.a;
    t.b += count * step.b;
    c += count * entries;
  }
  streams_end();
}

/// What register tiles by columns need besides addresses.
template <class T>
tile_operands<T> columns_operands(const gemm_shape& s, const gemm_kernel<T>& kernel,
                                  const gemm_arguments<T>& g) {
  const tile_strides strides = strides_by_columns<T>(s);
  tile_operands<T> t;
  t.a_m = strides.a_m;
  t.a_k = strides.a_k;
  t.b_k = strides.b_k;
  t.c_m = strides.c_m;
  t.b_n = t.c_n = kernel.walk.width;
  t.tail = kernel.walk.tail;
  t.alpha = g.alpha;
  t.beta = s.c.layout == batch_layout::gathered ? T(0) : g.beta;
  t.conjugate_sum = s.b.conjugated;
  return t;
}

/// Whether register tiles by columns need no scratch.
template <class T>
bool lies_in_columns(const gemm_shape& s) {
  return has_strides<T>(s.a) && select::has_rows(s.b) && select::has_rows(s.c);
}

template <class T>
problem_addresses addresses_of(const gemm_shape& s, const gemm_arguments<T>& g, index p) {
  return {problem_address<T>(s.a, g.a, p), problem_address<T>(s.b, g.b, p),
          problem_address<T>(s.c, g.c, p)};
}

/// Bytes from one address to another.
inline index bytes_between(const void* x, const void* y) {
  return static_cast<index>(reinterpret_cast<std::uintptr_t>(y) -
                            reinterpret_cast<std::uintptr_t>(x));
}

/// Behind the last of problems [begin, end) up to which matrices of an operand lie `gap` bytes
/// apart.
template <class T>
index even_until(const matrix_batch& x, const batch_place& place, index begin, index end,
                 index gap) {
  if (x.layout == batch_layout::strided) return end;
  const auto run = [&](auto at) {
    index p = begin;
    for (bool all = true; p + 8 < end; p += 8) {  // without a branch for each
      for (index i = p; i < p + 8; ++i) all = all & (bytes_between(at(i), at(i + 1)) == gap);
      if (!all) break;
    }
    while (p + 1 < end && bytes_between(at(p), at(p + 1)) == gap) ++p;
    return p + 1;
  };
  const auto* const list = static_cast<const T* const*>(place.data);
  if (x.layout == batch_layout::pointers) return run([list](index p) { return list[p]; });
  return run([&](index p) { return problem_address<T>(x, place, p); });
}

/// Problems from one on that lie evenly apart, so many bytes: a strided batch.
struct even_problems {
  index count, a, b, c;

  template <class T>
  static even_problems from(const gemm_shape& s, const gemm_arguments<T>& g, index begin,
                            index end) {
    if (end - begin < 2) return {end - begin, 0, 0, 0};
    const problem_addresses first = addresses_of(s, g, begin), next = addresses_of(s, g, begin + 1);
    even_problems even{1, bytes_between(first.a, next.a), bytes_between(first.b, next.b),
                       bytes_between(first.c, next.c)};
    if (even.a % index{sizeof(T)} != 0 || even.b % index{sizeof(T)} != 0 ||
        even.c % index{sizeof(T)} != 0)
      return even;
    // Part by part: no list is searched far beyond where another one ends the run.
    for (index p = begin, stop = p; p + 1 < end; p = stop - 1) {
      const index most = std::min(end, p + looked_up);
      stop = even_until<T>(s.a, g.a, p, most, even.a);
      stop = even_until<T>(s.b, g.b, p, stop, even.b);
      stop = even_until<T>(s.c, g.c, p, stop, even.c);
      even.count = stop - begin;
      if (stop < most) break;
    }
    return even;
  }
};

/// Problems [begin, end) that lie in columns, wherever they are. The lists of addresses go on to
/// `listed`. A kernel is called for many at once: called for each, problems of order 2 took 27 ns
/// instead of 6 (Zen 5).
///
/// Matrices that lie evenly apart, as those of one array do, are a strided batch: with no look at
/// their addresses for each register tile orders 10 to 16 from L3 run at 1.08 times the rate
/// (Zen 4).
template <class T>
void gemm_at_addresses(const gemm_shape& s, const gemm_kernel<T>& kernel,
                       const gemm_arguments<T>& g, tile_operands<T> t, problem_steps step,
                       residence from, index begin, index end, index listed) {
  constexpr index most = looked_up;
  problem_addresses at[most + furthest_ahead];
  step.at = at;
  if (step.ahead > end - begin) step.ahead = end - begin;
  for (index p = begin; p < end;) {
    const even_problems even = even_problems::from(s, g, p, end);
    if (even.count >= most) {
      gemm_arguments<T> strided = g;
      strided.a.problem = even.a / index{sizeof(T)};
      strided.b.problem = even.b / index{sizeof(T)};
      strided.c.problem = even.c / index{sizeof(T)};
      const problem_addresses first = addresses_of(s, g, p);
      t.a = static_cast<const T*>(first.a);
      t.b = static_cast<const T*>(first.b);
      t.c = static_cast<T*>(first.c);
      kernel.run(t, even.count, steps_through(s, kernel, strided, from, 1));
      p += even.count;
      continue;
    }
    const index count = end - p < most ? end - p : most;
    for (index i = 0; i < count + step.ahead; ++i)
      at[i] = addresses_of(s, g, p + i < listed ? p + i : listed - 1);
    kernel.run(t, count, step);
    p += count;
  }
}

/// Problems [begin, end). `next_b`: B that is not in place, where what is used next lies in memory.
template <class T>
void gemm_by_columns(const gemm_shape& s, const gemm_kernel<T>& kernel, const gemm_arguments<T>& g,
                     residence from, index begin, index end, const T* next_b = nullptr) {
  tile_operands<T> t = columns_operands<T>(s, kernel, g);
  if (lies_in_columns<T>(s)) {
    const auto is_regular = [](const matrix_batch& x) { return x.layout == batch_layout::strided; };
    if (!is_regular(s.a) || !is_regular(s.b) || !is_regular(s.c))
      return gemm_at_addresses<T>(s, kernel, g, t, steps_at_addresses<T>(s, *kernel.tuned, from),
                                  from, begin, end, g.count);
    t.a = problem_address<T>(s.a, g.a, begin);
    t.b = problem_address<T>(s.b, g.b, begin);
    t.c = problem_address<T>(s.c, g.c, begin);
    problem_steps step = steps_through(s, kernel, g, from, 1);
    if (next_b != nullptr)
      step.next_b = bytes_between(t.b, next_b) / index{sizeof(T)};
    else if (end - begin == 1)
      step.fetches = false;
    if (from != residence::memory || t.beta != T(0)) return kernel.run(t, end - begin, step);
    const index result = s.m * s.n * index{sizeof(T)};
    const auto apart = static_cast<std::uintptr_t>(g.c.problem * index{sizeof(T)});
    if (kernel.past_caches != nullptr && select::streams_lines(result, *kernel.tuned) &&
        (reinterpret_cast<std::uintptr_t>(t.c) | apart) % line == 0) {
      t.past_caches = true;
      step.next_c = 0;
      kernel.past_caches(kernel.walk, t, end - begin, step);
      return streams_end();
    }
    if (select::streams_results(result, *kernel.tuned) && s.c.row == s.n &&
        g.c.problem == s.m * s.n)
      return gemm_past_caches(s, kernel, t, step, t.c, end - begin);
    return kernel.run(t, end - begin, step);
  }

  constexpr int v = lanes<T>;
  const bool a_in = has_strides<T>(s.a), b_in = select::has_rows(s.b), c_in = select::has_rows(s.c);
  const index ld = (s.n + v - 1) / v * v;
  const select::gemm_scratch size = select::columns_scratch(s, lanes<T>);
  const scratch_block block(static_cast<std::size_t>(size.entries()) * sizeof(T));
  T* const b_scratch = block.as<T>();  // whole vectors first: they stay aligned
  if (a_in && c_in) {
    // Some B at a time are brought into rows; then problems pass as if they lay in columns, A
    // fetched ahead and results past the caches (from memory, double precision, Emerald Rapids: B
    // transposed and shared, order 64 72 GFLOP/s, one by one 41).
    gemm_shape in_rows = s;
    in_rows.b.layout = batch_layout::strided;
    in_rows.b.row = ld;
    in_rows.b.column = 1;
    const index each = s.b.shared ? 0 : s.k * ld,
                group = s.b.shared ? end - begin
                                   : select::converted_problems(s.k * ld * index{sizeof(T)});
    for (index p = begin; p < end; p += group) {
      const index count = std::min(group, end - p);
      for (index i = 0; i < (s.b.shared ? 1 : count); ++i)
        read_matrix<T>(b_scratch + i * each, ld, s.b, g.b, s.k, s.n, p + i);
      gemm_arguments<T> from_scratch = g;
      // As if problem 0 lay before them.
      from_scratch.b = {
          reinterpret_cast<const T*>(reinterpret_cast<std::uintptr_t>(b_scratch) -
                                     static_cast<std::uintptr_t>(p * each) * sizeof(T)),
          each};
      // What is fetched moves on from problem to problem as what lies in scratch does.
      const bool goes_on =
          p + count < end && has_strides<T>(s.b) &&
          (count == 1 || (s.b.layout == batch_layout::strided && g.b.problem == each));
      gemm_by_columns<T>(in_rows, kernel, from_scratch, from, p, p + count,
                         goes_on ? problem_address<T>(s.b, g.b, p + count) : nullptr);
    }
    return;
  }
  T* const c_scratch = b_scratch + size.b;
  T* const a_scratch = c_scratch + size.c;
  for (index p = begin; p < end; ++p) {
    if (a_in) {
      t.a = problem_address<T>(s.a, g.a, p);
    } else {
      if (!s.a.shared || p == begin) read_matrix<T>(a_scratch, s.k, s.a, g.a, s.m, s.k, p);
      t.a = a_scratch;
    }
    if (b_in) {
      t.b = problem_address<T>(s.b, g.b, p);
    } else {
      if (!s.b.shared || p == begin) read_matrix<T>(b_scratch, ld, s.b, g.b, s.k, s.n, p);
      t.b = b_scratch;
    }
    if (c_in) {
      t.c = problem_address<T>(s.c, g.c, p);
    } else {
      if (t.beta != T(0)) read_matrix<T>(c_scratch, ld, s.c, g.c, s.m, s.n, p);
      t.c = c_scratch;
    }
    kernel.run(t, 1, {});
    if (!c_in) write_matrix<T>(c_scratch, ld, s.c, g.c, s.m, s.n, p);
  }
}

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
