#include <algorithm>
#include <complex>
#include <cstring>
#include <tenfold/backend/cpu/batch_tile.hpp>
#include <tenfold/backend/cpu/caches.hpp>
#include <tenfold/backend/cpu/gemm.hpp>
#include <tenfold/backend/cpu/parallel.hpp>
#include <tenfold/backend/cpu/scratch.hpp>
#include <tenfold/backend/cpu/update.hpp>
#include <tenfold/backend/cpu/whole_steps.hpp>
#include <tenfold/backend/gemm_list.hpp>
#include <tenfold/backend/tuning_in_use.hpp>
#include <vector>

/// The walk over a batch in any layout: what a kernel cannot reach in place is made in scratch.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {
namespace {

using select::residence;

// ---- what comes next ----------------------------------------------------------------------------

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

residence residence_of(double bytes) {
  return select::residence_of(bytes, caches().l2, caches().l3);
}

/// Of problems at any addresses so many at a time are looked up, and no more are fetched ahead.
constexpr index looked_up = 64, furthest_ahead = 16;

/// The steps through problems at any addresses.
template <class T>
problem_steps steps_at_addresses(const gemm_shape& s, const gemm_tuning& tuned, residence from) {
  problem_steps to;
  if (from == residence::l2) return to;
  const index each = operand_bytes::of<T>(s).each;
  to.fetches = select::fetches_from_memory(each, false, tuned);
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
  constexpr index size = sizeof(T);
  const bool in_line = select::lies_in_line(to.a * size, bytes.a * width) &&
                       select::lies_in_line(to.b * size, bytes.b * width);
  to.fetches = beyond_l2 ? select::fetches_from_memory(each, in_line, tuned)
                         : select::fetches_from_l2(kernel.ahead, each, tuned);
  if (!to.fetches) return to;
  to.next_a = ahead * to.a;
  to.next_b = ahead * to.b;
  to.next_c = beyond_l2 ? ahead * to.c : 0;
  return to;
}

// ---- by columns ---------------------------------------------------------------------------------

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
index bytes_between(const void* x, const void* y) {
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

template <class T>
void gemm_by_columns(const gemm_shape& s, const gemm_kernel<T>& kernel, const gemm_arguments<T>& g,
                     residence from, index begin, index end) {
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
    if (end - begin == 1) step.fetches = false;
    const bool streams =
        from == residence::memory && t.beta == T(0) &&
        select::streams_results(s.m * s.n * static_cast<index>(sizeof(T)), *kernel.tuned);
    const auto bytes = static_cast<std::uintptr_t>(g.c.problem * index{sizeof(T)});
    if (streams && kernel.past_caches != nullptr &&
        (reinterpret_cast<std::uintptr_t>(t.c) | bytes) % line == 0) {
      t.past_caches = true;
      step.next_c = 0;
      kernel.past_caches(kernel.walk, t, end - begin, step);
      return streams_end();
    }
    if (streams && s.c.row == s.n && g.c.problem == s.m * s.n)
      return gemm_past_caches(s, kernel, t, step, t.c, end - begin);
    return kernel.run(t, end - begin, step);
  }

  constexpr int v = lanes<T>;
  const bool a_in = has_strides<T>(s.a), b_in = select::has_rows(s.b), c_in = select::has_rows(s.c);
  const index ld = (s.n + v - 1) / v * v;
  const select::gemm_scratch size = select::columns_scratch(s, lanes<T>);
  const scratch_block block(static_cast<std::size_t>(size.entries()) * sizeof(T));
  T* const b_scratch = block.as<T>();  // whole vectors first: they stay aligned
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

// ---- by lanes -----------------------------------------------------------------------------------

/// Whether V problems from b on lie in memory as lanes. Those of an interleaved batch beyond its
/// last problem are padding, which may be read and written.
template <class T>
[[gnu::always_inline]] inline bool lies_in_lanes(const matrix_batch& x, const batch_place& p,
                                                 index b, int count) {
  constexpr index v = lanes<T>;
  if (x.layout == batch_layout::interleaved)
    return x.block % v == 0 || (count == v && b % x.block + v <= x.block);
  return steps_over_lanes<T>(x) && p.problem == 1 && count == v;
}

/// An operand of a tile of V problems: its first lanes and how to go on, in entries of T, and in
/// reals from real to imaginary parts.
template <class T>
struct lane_operand {
  T* data;
  index row, column, im;
};

template <class T>
[[gnu::always_inline]] inline lane_operand<T> lanes_in_place(const matrix_batch& x,
                                                             const batch_place& p, index b) {
  return {problem_address<T>(x, p, b), x.row * x.block, x.column * x.block, x.block};
}
template <class T>
[[gnu::always_inline]] inline lane_operand<T> lanes_in_scratch(const matrix_batch& x, T* scratch,
                                                               index rows, index columns) {
  constexpr index v = lanes<T>;
  const tile_order order = order_in_tile(x, rows, columns);
  return {scratch, order.row * v, order.column * v, v};
}

/// Tiles [begin, end) of V problems.
template <class T>
void gemm_by_lanes(const gemm_shape& s, const gemm_kernel<T>& kernel, const gemm_arguments<T>& g,
                   residence from, index begin, index end) {
  constexpr index v = lanes<T>;
  const bool adds = s.c.layout == batch_layout::gathered;
  tile_operands<T> t;
  t.alpha = g.alpha;
  t.beta = adds ? T(0) : g.beta;
  t.conjugate_sum = s.b.conjugated;
  const auto take_a = [&](const lane_operand<T>& x) {
    t.a = x.data;
    t.a_m = x.row;
    t.a_k = x.column;
    t.a_im = x.im;
  };
  const auto take_b = [&](const lane_operand<T>& x) {
    t.b = x.data;
    t.b_k = x.row;
    t.b_n = x.column;
    t.b_im = x.im;
  };
  const auto take_c = [&](const lane_operand<T>& x) {
    t.c = x.data;
    t.c_m = x.row;
    t.c_n = x.column;
    t.c_im = x.im;
  };
  const bool uniform = is_uniform<T>(s.a);
  if (uniform) take_a(lanes_in_place<T>(s.a, g.a, 0));

  // Everything interleaved in equal blocks of whole vectors: every block_tiles-th tile is a step
  // on.
  const index block = s.c.block, block_tiles = block / v;
  const auto in_blocks = [&](const matrix_batch& x) {
    return x.layout == batch_layout::interleaved && x.block == block && block % v == 0;
  };
  if ((uniform || in_blocks(s.a)) && in_blocks(s.b) && in_blocks(s.c)) {
    problem_steps step = steps_through(s, kernel, g, from, v);
    t.past_caches =
        from == residence::memory && t.beta == T(0) &&
        select::streams_results(s.m * s.n * v * static_cast<index>(sizeof(T)), *kernel.tuned) &&
        reinterpret_cast<std::uintptr_t>(g.c.data) % (v * sizeof(T)) == 0;
    if (t.past_caches) step.next_c = 0;
    for (index first = begin; first < end && first < begin + block_tiles; ++first) {
      if (!uniform) take_a(lanes_in_place<T>(s.a, g.a, first * v));
      take_b(lanes_in_place<T>(s.b, g.b, first * v));
      take_c(lanes_in_place<T>(s.c, g.c, first * v));
      kernel.run(t, (end - first + block_tiles - 1) / block_tiles, step);
    }
    if (t.past_caches) streams_end();
    return;
  }

  // Problems that are neighbours throughout: so are the tiles.
  const auto touches = [](const matrix_batch& x, const batch_place& p) {
    return steps_over_lanes<T>(x) && p.problem == 1;
  };
  const index whole = end * v <= g.count ? end : g.count / v;
  if (begin < whole && (uniform || touches(s.a, g.a)) && touches(s.b, g.b) && touches(s.c, g.c)) {
    if (!uniform) take_a(lanes_in_place<T>(s.a, g.a, begin * v));
    take_b(lanes_in_place<T>(s.b, g.b, begin * v));
    take_c(lanes_in_place<T>(s.c, g.c, begin * v));
    kernel.run(t, whole - begin, {uniform ? 0 : v, v, v});
    begin = whole;
  }

  const select::gemm_scratch size = select::lanes_scratch(s, lanes<T>);
  const scratch_block scratch(static_cast<std::size_t>(size.entries()) * sizeof(T));
  T* const b_scratch = scratch.as<T>();
  T* const c_scratch = b_scratch + size.b;
  T* const a_scratch = c_scratch + size.c;
  for (index tile = begin; tile < end; ++tile) {
    const index p = tile * v, left = g.count - p;
    const int count = static_cast<int>(left < v ? left : v);
    const auto read = [&](const matrix_batch& x, const batch_place& place, T* to, index rows,
                          index columns) __attribute__((always_inline)) {
      if (lies_in_lanes<T>(x, place, p, count)) return lanes_in_place<T>(x, place, p);
      if (!x.shared || tile == begin) read_tile<T>(to, x, place, rows, columns, p, count);
      return lanes_in_scratch<T>(x, to, rows, columns);
    };
    if (!uniform) take_a(read(s.a, g.a, a_scratch, s.m, s.k));
    take_b(read(s.b, g.b, b_scratch, s.k, s.n));
    const bool in_place = lies_in_lanes<T>(s.c, g.c, p, count);
    if (!in_place && t.beta != T(0)) read_tile<T>(c_scratch, s.c, g.c, s.m, s.n, p, count);
    take_c(in_place ? lanes_in_place<T>(s.c, g.c, p)
                    : lanes_in_scratch<T>(s.c, c_scratch, s.m, s.n));
    kernel.run(t, 1, {});
    if (!in_place) write_tile<T>(c_scratch, s.c, g.c, s.m, s.n, p, count);
  }
}

// ---- the batch ----------------------------------------------------------------------------------

/// C := beta C, once for each entry that the map names.
template <class T>
void scale_gathered(const gemm_shape& s, const gemm_arguments<T>& g) {
  if (g.beta == T(1)) return;
  index size = 0;
  const auto each = [&](const auto& f) {
    for (index p = 0; p < g.count; ++p)
      for (index i = 0; i < s.m; ++i)
        for (index j = 0; j < s.n; ++j) {
          const index at = gathered_at(g.c, p * g.c.problem + i * s.c.row + j * s.c.column);
          if (at >= 0) f(at);
        }
  };
  each([&](index at) { size = at < size ? size : at + 1; });
  const scratch_block seen(static_cast<std::size_t>(size));
  if (size == 0) return;
  std::memset(seen.data(), 0, static_cast<std::size_t>(size));
  auto* const c = static_cast<T*>(const_cast<void*>(g.c.data));
  each([&](index at) {
    if (seen.data()[at] != std::byte{0}) return;
    seen.data()[at] = std::byte{1};
    c[at] = g.beta == T(0) ? T(0) : scaled(g.beta, c[at]);
  });
}

/// Problems [begin, end) of a batch, by the calling thread. A tile of lanes belongs to the range
/// that holds its first problem.
template <class T>
void run_gemm(const gemm_shape& s, const gemm_kernel<T>& kernel, const gemm_arguments<T>& g,
              residence from, index begin, index end) {
  constexpr index v = lanes<T>;
  if (kernel.path == select::gemm_path::by_lanes)
    gemm_by_lanes<T>(s, kernel, g, from, (begin + v - 1) / v, (end + v - 1) / v);
  else
    gemm_by_columns<T>(s, kernel, g, from, begin, end);
}

/// The whole batch. Gathered results of several problems may meet in one entry: they are added in
/// the order of the batch, by one thread.
template <class T>
void run_gemm(const gemm_shape& s, const gemm_kernel<T>& kernel, const gemm_arguments<T>& g) {
  const residence from = residence_of(operand_bytes::of<T>(s).all(g.count));
  const bool adds = s.c.layout == batch_layout::gathered;
  if (adds) scale_gathered(s, g);
  parallel_tiles(g.count,
                 adds ? g.count : select::tiles_per_task(flops_of(s), 1024.0 * kernel.tuned->task),
                 [&](index begin, index end) { run_gemm<T>(s, kernel, g, from, begin, end); });
}

// ---- products of any shape ----------------------------------------------------------------------

/// A shape oriented for its kernel.
template <class T>
struct prepared_gemm {
  gemm_shape shape;
  gemm_kernel<T> kernel;
  bool is_transposed = false;

  prepared_gemm() = default;
  explicit prepared_gemm(const gemm_shape& given)
      : prepared_gemm(given, tuning_in_use(compiled_set).of(given)) {}
  prepared_gemm(const gemm_shape& given, const gemm_tuning& tuned) {
    const gemm_shape s = select::without_unit_axes(given);
    const select::gemm_choice choice = select::gemm(s, lanes<T>, tuned);
    is_transposed = choice.transposed;
    shape = is_transposed ? transposed(s) : s;
    kernel = dynamic_kernel<T>(shape, choice.path, tuned);
  }
  gemm_arguments<T> oriented(const gemm_arguments<T>& g) const {
    return is_transposed ? transposed(g) : g;
  }
};

/// The same by the tuning in use. A thread keeps what it prepared last (one product of order 8,
/// sizes at run time, Zen 4: 110 ns instead of 170).
template <class T>
prepared_gemm<T> prepare(const gemm_shape& given) {
  static thread_local struct {
    gemm_shape shape;
    prepared_gemm<T> ready;
  } last;
  if (last.ready.kernel.products == nullptr || last.shape != given)
    last = {given, prepared_gemm<T>(given)};
  return last.ready;  // a copy: while it runs, the thread may take up another product
}
template <class T>
prepared_gemm<T> prepare(const gemm_shape& given, const gemm_tuning& tuned) {
  return prepared_gemm<T>(given, tuned);
}

/// One kind of the problems of a list, and what does not change from one to the next.
template <class T>
struct listed_kind {
  prepared_gemm<T> ready;
  gemm_arguments<T> all;  ///< those of the whole list
  tile_operands<T> tile;
  bool at_addresses;
  problem_steps step;
  residence from;

  listed_kind(const gemm_list<T>& list, index kind, residence where)
      : ready(list.shapes[kind]), from(where) {
    gemm_arguments<T> g;
    if (list.shapes[kind].k > 0) {
      g.a.data = list.a;
      g.b.data = list.b;
    }
    g.c.data = list.c;
    g.count = list.first[list.run_count];
    g.alpha = list.alpha[kind];
    g.beta = list.beta[kind];
    all = ready.oriented(g);
    const gemm_shape& s = ready.shape;
    at_addresses = ready.kernel.path == select::gemm_path::by_columns && lies_in_columns<T>(s);
    step = steps_at_addresses<T>(s, *ready.kernel.tuned, from);
    if (at_addresses) tile = columns_operands<T>(s, ready.kernel, all);
  }

  /// Those from `first` on alone.
  gemm_arguments<T> part(index first, index count) const {
    gemm_arguments<T> g = all;
    const auto move = [&](batch_place& x) {
      if (x.data != nullptr) x.data = static_cast<const void* const*>(x.data) + first;
    };
    move(g.a);
    move(g.b);
    move(g.c);
    g.count = count;
    return g;
  }
};

/// Those of the problems [begin, end) of a list that are in the given run, which is of this kind.
template <class T>
void run_part(const gemm_list<T>& list, const listed_kind<T>& kind, index run, index begin,
              index end) {
  const index first = list.first[run], next = list.first[run + 1];
  const index from_here = begin > first ? begin : first, to_here = end < next ? end : next;
  const prepared_gemm<T>& ready = kind.ready;
  if (!kind.at_addresses)
    return run_gemm<T>(ready.shape, ready.kernel, kind.part(first, next - first), kind.from,
                       from_here - first, to_here - first);
  // The lists go on behind the run, where the next kind reads its operands too.
  const bool goes_on = run + 1 < list.run_count && list.shapes[list.kinds[run + 1]].k > 0;
  gemm_at_addresses<T>(ready.shape, ready.kernel, kind.all, kind.tile, kind.step, kind.from,
                       from_here, to_here, next + goes_on);
}

/// Problems in the order of the list; kinds are prepared once.
template <class T>
void run_list(const gemm_list<T>& list) {
  const index total = list.first[list.run_count];
  std::vector<operand_bytes> bytes_of;  // by kind
  bytes_of.reserve(static_cast<std::size_t>(list.kind_count));
  for (index i = 0; i < list.kind_count; ++i)
    bytes_of.push_back(operand_bytes::of<T>(list.shapes[i]));
  double bytes = 0;
  for (index run = 0; run < list.run_count; ++run)
    bytes += bytes_of[static_cast<std::size_t>(list.kinds[run])].all(list.first[run + 1] -
                                                                     list.first[run]);
  const residence from = residence_of(bytes);
  const index task = select::tiles_per_task(list.flops / static_cast<double>(total));
  std::vector<listed_kind<T>> kinds;  // unless they are as good as never met again
  const bool recur = 4 * list.kind_count <= list.run_count + total / task;
  if (recur) kinds.reserve(static_cast<std::size_t>(list.kind_count));
  for (index i = 0; recur && i < list.kind_count; ++i) kinds.emplace_back(list, i, from);
  parallel_tiles(total, task, [&](index begin, index end) {
    index run = std::upper_bound(list.first, list.first + list.run_count, begin) - list.first - 1;
    for (; run < list.run_count && list.first[run] < end; ++run) {
      const std::int32_t kind = list.kinds[run];
      if (recur)
        run_part<T>(list, kinds[static_cast<std::size_t>(kind)], run, begin, end);
      else
        run_part<T>(list, listed_kind<T>(list, kind, from), run, begin, end);
    }
  });
}

template <class T>
void run_prepared(const prepared_gemm<T>& ready, const gemm_arguments<T>& g) {
  run_gemm<T>(ready.shape, ready.kernel, ready.oriented(g));
}

/// C(b) := alpha A(b) B(b) + beta C(b) of one number each.
template <class T>
void run_entry_wise(const gemm_shape& s, const gemm_arguments<T>& g) {
  const auto operand = [](buffer where, const matrix_batch& x) {
    operand_ref ref;
    ref.where = where;
    ref.type = scalar_of<T>;
    ref.conjugated = x.conjugated;
    return ref;
  };
  program_step step;
  step.kind = step_kind::pointwise;
  step.a = operand(buffer::input, s.a);
  step.b = operand(buffer::input, s.b);
  step.c = operand(buffer::output, s.c);
  step.n.extent = g.count;
  step.n.a = s.a.shared ? 0 : g.a.problem;
  step.n.b = s.b.shared ? 0 : g.b.problem;
  step.n.c = g.c.problem;
  run_pointwise(step, nullptr,
                step_arguments<T>{g.a.data, g.b.data, static_cast<T*>(const_cast<void*>(g.c.data)),
                                  g.alpha, g.beta});
}

/// One product of many rows (or columns) is a batch of blocks of them, which threads share.
template <class T, class... Tuned>
void run_product(const gemm_shape& given, const gemm_arguments<T>& all, const Tuned&... tuned) {
  if (select::is_entry_wise(given) && all.alpha != T(0)) return run_entry_wise(given, all);
  const auto lies = [](const matrix_batch& x) { return x.layout == batch_layout::strided; };
  const bool may_split = all.count == 1 && flops_of(given) >= 2 * select::task_flops &&
                         lies(given.a) && lies(given.b) && lies(given.c);
  if (!may_split) return run_prepared<T>(prepare<T>(given, tuned...), all);
  gemm_shape s = given.m < given.n ? transposed(given) : given;
  const index rows = select::rows_of_task(s);
  if (s.m < 2 * rows) return run_prepared<T>(prepare<T>(given, tuned...), all);
  gemm_arguments<T> g = given.m < given.n ? transposed(all) : all;
  const index blocks = s.m / rows, rest = s.m % rows;
  s.m = rows;
  s.a.shared = s.c.shared = false;
  s.b.shared = true;
  g.a.problem = rows * s.a.row;
  g.b.problem = 0;
  g.c.problem = rows * s.c.row;
  g.count = blocks;
  run_prepared<T>(prepare<T>(s, tuned...), g);
  if (rest == 0) return;
  s.m = rest;
  g.a.data = static_cast<const T*>(g.a.data) + blocks * g.a.problem;
  g.c.data = static_cast<const T*>(g.c.data) + blocks * g.c.problem;
  g.count = 1;
  run_prepared<T>(prepare<T>(s, tuned...), g);
}

}  // namespace

#define TENFOLD_DEFINE_GEMM(T)                                                                   \
  void gemm(const gemm_shape& shape, const gemm_arguments<T>& g) { run_product<T>(shape, g); }   \
  void gemm(const gemm_shape& shape, const gemm_arguments<T>& g, const gemm_tuning& tuned) {     \
    run_product<T>(shape, g, tuned);                                                             \
  }                                                                                              \
  void gemm(const gemm_shape& shape, const gemm_arguments<T>& g, const gemm_kernel<T>& kernel) { \
    run_gemm<T>(shape, kernel, g);                                                               \
  }                                                                                              \
  void gemm(const gemm_list<T>& list) { run_list(list); }
TENFOLD_DEFINE_GEMM(float)
TENFOLD_DEFINE_GEMM(double)
TENFOLD_DEFINE_GEMM(std::complex<float>)
TENFOLD_DEFINE_GEMM(std::complex<double>)
#undef TENFOLD_DEFINE_GEMM

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
