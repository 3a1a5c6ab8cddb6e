#include <algorithm>
#include <complex>
#include <cstring>
#include <tenfold/backend/cpu/batch_tile.hpp>
#include <tenfold/backend/cpu/gemm.hpp>
#include <tenfold/backend/cpu/gemm_by_columns.hpp>
#include <tenfold/backend/cpu/gemm_by_lanes.hpp>
#include <tenfold/backend/cpu/gemm_steps.hpp>
#include <tenfold/backend/cpu/large_products.hpp>
#include <tenfold/backend/cpu/parallel.hpp>
#include <tenfold/backend/cpu/parts.hpp>
#include <tenfold/backend/cpu/scratch.hpp>
#include <tenfold/backend/cpu/whole_steps.hpp>
#include <tenfold/backend/gemm_list.hpp>
#include <tenfold/backend/tuning_in_use.hpp>
#include <vector>

/// Batches in any layout, products of any shape, lists of them: each taken to its kernel and walk.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {
namespace {

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
  auto* const c = static_cast<T*>(const_cast<void*>(g.c.data));
  if (g.beta == T(0)) return each([&](index at) { c[at] = T(0); });
  each([&](index at) { size = at < size ? size : at + 1; });
  const scratch_block seen(static_cast<std::size_t>(size));
  if (size == 0) return;
  std::memset(seen.data(), 0, static_cast<std::size_t>(size));
  each([&](index at) {
    if (seen.data()[at] != std::byte{0}) return;
    seen.data()[at] = std::byte{1};
    c[at] = scaled(g.beta, c[at]);
  });
}

/// Problems [begin, end) of a batch, by the calling thread. A tile of lanes belongs to the range
/// that holds its first problem.
template <class T>
void run_gemm(const gemm_shape& s, const gemm_kernel<T>& kernel, const gemm_arguments<T>& g,
              residence from, index begin, index end) {
  if (kernel.path == select::gemm_path::by_lanes)
    gemm_by_lanes<T>(s, kernel, g, from, (begin + kernel.lanes - 1) / kernel.lanes,
                     (end + kernel.lanes - 1) / kernel.lanes);
  else
    gemm_by_columns<T>(s, kernel, g, from, begin, end);
}

/// The whole batch. Gathered results of several problems may meet in one entry: they are added as
/// the order of C says, or in the order of the batch, by one thread.
template <class T>
void run_gemm(const gemm_shape& s, const gemm_kernel<T>& kernel, const gemm_arguments<T>& g) {
  const residence from = residence_of(operand_bytes::of<T>(s).all(g.count));
  const bool adds = s.c.layout == batch_layout::gathered;
  const index grain = select::tiles_per_task(select::work_of(s), 1024.0 * kernel.tuned->task);
  const auto run = [&](index begin, index end) { run_gemm<T>(s, kernel, g, from, begin, end); };
  if (adds) scale_gathered(s, g);
  if (adds && g.c.order != nullptr)
    return for_each_part(*g.c.order, kernel.path == select::gemm_path::by_lanes ? kernel.lanes : 1,
                         grain, run);
  parallel_tiles(g.count, adds ? g.count : grain, run);
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
      : prepared_gemm(given, given, tuning_in_use(compiled_set).of(given),
                      tuning_in_use(compiled_set).of(given)) {}
  /// The kernel is that of `given` by its tuning; which way it goes, `like` says by another.
  prepared_gemm(const gemm_shape& given, const gemm_shape& like, const gemm_tuning& tuned,
                const gemm_tuning& tuned_like) {
    const select::gemm_choice choice =
        select::gemm(select::without_unit_axes(like), lanes<T>, tuned_like);
    const gemm_shape s = select::without_unit_axes(given);
    is_transposed = choice.transposed;
    shape = is_transposed ? transposed(s) : s;
    kernel = dynamic_kernel<T>(shape, choice.path, tuned);
  }
  gemm_arguments<T> oriented(const gemm_arguments<T>& g) const {
    return is_transposed ? transposed(g) : g;
  }
};

/// The same by the tuning in use; of real numbers `like` is the shape given. A thread keeps what it
/// prepared last (one product of order 8, sizes at run time, Zen 4: 110 ns instead of 170).
template <class T>
prepared_gemm<T> prepare(const gemm_shape& given, const gemm_shape& like) {
  static thread_local struct {
    gemm_shape shape, like;
    prepared_gemm<T> ready;
  } last;
  if (last.ready.kernel.products == nullptr || last.shape != given ||
      (is_complex_type<T> && last.like != like)) {
    const tuning& in_use = tuning_in_use(compiled_set);
    last = {given, like, prepared_gemm<T>(given, like, in_use.of(given), in_use.of(like))};
  }
  return last.ready;  // a copy: while it runs, the thread may take up another product
}
template <class T>
prepared_gemm<T> prepare(const gemm_shape& given, const gemm_shape& like,
                         const gemm_tuning& tuned) {
  return prepared_gemm<T>(given, like, tuned, tuned);
}

template <class T>
void run_prepared(const prepared_gemm<T>& ready, const gemm_arguments<T>& g) {
  run_gemm<T>(ready.shape, ready.kernel, ready.oriented(g));
}

/// A step of a program that computes the same.
inline program_step step_of(step_kind kind, const gemm_shape& s) {
  const auto operand = [&](buffer where, const matrix_batch& x) {
    operand_ref ref;
    ref.where = where;
    ref.type = s.type;
    ref.conjugated = x.conjugated;
    return ref;
  };
  program_step step;
  step.kind = kind;
  step.a = operand(buffer::input, s.a);
  step.b = operand(buffer::input, s.b);
  step.c = operand(buffer::output, s.c);
  return step;
}
/// Its loop along the batch.
template <class T>
step_loop problems_of(const gemm_shape& s, const gemm_arguments<T>& g) {
  return {g.count, s.a.shared ? 0 : g.a.problem, s.b.shared ? 0 : g.b.problem, g.c.problem};
}
template <class T>
step_arguments<T> arguments_of(const gemm_arguments<T>& g) {
  return {g.a.data, g.b.data, static_cast<T*>(const_cast<void*>(g.c.data)), g.alpha, g.beta};
}

/// C(b) := alpha A(b) B(b) + beta C(b) of one number each.
template <class T>
void run_entry_wise(const gemm_shape& s, const gemm_arguments<T>& g) {
  program_step step = step_of(step_kind::pointwise, s);
  step.n = problems_of(s, g);
  run_pointwise(step, nullptr, arguments_of(g));
}

/// C(b, m) := alpha sum_k A(b, m, k) B(b, k) + beta C(b, m), k along neighbours.
template <class T>
void run_sums(const gemm_shape& s, const gemm_arguments<T>& g) {
  program_step step = step_of(step_kind::reduce, s);
  const step_loop problems = problems_of(s, g);
  step.outer_count = 1;
  step.m = {s.m, s.a.row, 0, s.c.row};
  step.k = {s.k, 1, 1, 0};
  run_reduce(step, &problems, arguments_of(g));
}

/// Products of matrices that leave the caches, one after the other, each in blocks that the threads
/// share.
template <class T>
void run_large(const gemm_shape& given, const gemm_arguments<T>& all) {
  const bool turned = given.c.column != 1;  // results are neighbours along columns
  const gemm_shape s = turned ? transposed(given) : given;
  const gemm_arguments<T> g = turned ? transposed(all) : all;
  program_step step = step_of(step_kind::blocked, s);
  step.k_outer_count = step.row_count = step.column_count = 1;
  step.blocks = blocks_of_product(s, compiled_set);
  const step_loop loops[] = {
      {s.k, s.a.column, s.b.row, 0}, {s.m, s.a.row, 0, s.c.row}, {s.n, 0, s.b.column, s.c.column}};
  for (index p = 0; p < g.count; ++p)
    run_blocked(step, loops,
                step_arguments<T>{problem_address<T>(s.a, g.a, s.a.shared ? 0 : p),
                                  problem_address<T>(s.b, g.b, s.b.shared ? 0 : p),
                                  problem_address<T>(s.c, g.c, p), g.alpha, g.beta});
}

/// One product of many rows (or columns) is a batch of blocks of them, and of the rest of them one
/// more, which threads share (two threads, Emerald Rapids: 1536 x 512 x 512 1.97 times the rate of
/// one, order 256 1.7; with longer blocks and the rest behind them 1.31 and 1.25). Complex products
/// go the way of `like`: turned, or by lanes, they would have other bits.
template <class T, class... Tuned>
void run_in_blocks(const gemm_shape& given, const gemm_shape& like, const gemm_arguments<T>& all,
                   const Tuned&... tuned) {
  const auto prepared = [&](const gemm_shape& part) {
    return prepare<T>(part, is_complex_type<T> ? like : part, tuned...);
  };
  const bool may_split = all.count == 1 && select::work_of(given) >= 2 * select::task_flops &&
                         select::are_strided(given);
  const bool by_columns = given.m < given.n;  // said as rows of C^T
  gemm_shape s = by_columns ? transposed(given) : given;
  const index rows = may_split ? select::rows_of_task(s, threads_here()) : s.m;
  if (rows >= s.m) return run_prepared<T>(prepared(given), all);
  const index blocks = s.m / rows, rest = s.m % rows;
  s.a.shared = s.c.shared = false;
  s.b.shared = true;
  const auto prepared_rows = [&](index count) {
    s.m = count;
    return prepared(by_columns ? transposed(s) : s);
  };
  const prepared_gemm<T> block = prepared_rows(rows),
                         last = rest > 0 ? prepared_rows(rest) : prepared_gemm<T>();
  gemm_arguments<T> g = by_columns ? transposed(all) : all;
  const auto oriented = [&](const prepared_gemm<T>& ready) {
    return ready.oriented(by_columns ? transposed(g) : g);
  };
  g.a.problem = rows * s.a.row;
  g.b.problem = 0;
  g.c.problem = rows * s.c.row;
  g.count = blocks;
  const gemm_arguments<T> of_blocks = oriented(block);
  if (rest > 0) {
    g.a.data = static_cast<const T*>(g.a.data) + blocks * g.a.problem;
    g.c.data = static_cast<const T*>(g.c.data) + blocks * g.c.problem;
    g.count = 1;
  }
  const gemm_arguments<T> of_last = oriented(last);
  const residence from = residence_of(operand_bytes::of<T>(given).all(1));
  parallel_tiles(blocks + (rest > 0), 1, [&](index begin, index end) {
    const index whole_end = std::min(end, blocks);
    if (begin < whole_end)
      run_gemm<T>(block.shape, block.kernel, of_blocks, from, begin, whole_end);
    if (end > blocks) run_gemm<T>(last.shape, last.kernel, of_last, from, 0, 1);
  });
}

/// Problems that are the rows of one product.
template <class T, class... Tuned>
void run_rows(const gemm_shape& s, gemm_arguments<T> g, const Tuned&... tuned) {
  const gemm_shape one = select::one_of_rows(s, g.count, g.a.problem, g.c.problem);
  g.count = 1;
  if (g.alpha != T(0) && select::are_sums_of_neighbours(one, lanes<T>)) return run_sums(one, g);
  run_in_blocks<T>(one, select::as_many_rows(one), g, tuned...);
}

/// Whether C := 1 C, which is left out: (1 + 0 i) x has a NaN where x has an infinity.
template <class T>
bool keeps_result(const gemm_shape& s, const gemm_arguments<T>& g) {
  return (s.k == 0 || g.alpha == T(0)) && g.beta == T(1);
}

template <class T, class... Tuned>
void run_product(const gemm_shape& given, const gemm_arguments<T>& all, const Tuned&... tuned) {
  if (keeps_result(given, all)) return;
  if (select::is_entry_wise(given) && all.alpha != T(0)) return run_entry_wise(given, all);
  if (select::are_rows_of_one(given)) return run_rows<T>(given, all, tuned...);
  const gemm_shape turned = transposed(given);
  if (select::are_rows_of_one(turned)) return run_rows<T>(turned, transposed(all), tuned...);
  if (all.alpha != T(0)) {
    if (select::are_sums_of_neighbours(given, lanes<T>)) return run_sums(given, all);
    if (select::are_sums_of_neighbours(turned, lanes<T>)) return run_sums(turned, transposed(all));
    if (select::is_large(given)) return run_large(given, all);
  }
  run_in_blocks<T>(given, given, all, tuned...);
}

// ---- lists of products --------------------------------------------------------------------------

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
  if (keeps_result(ready.shape, kind.all)) return;
  if (select::is_large(ready.shape) && kind.all.alpha != T(0))
    return run_large(ready.shape, kind.part(from_here, to_here - from_here));
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
  double bytes = 0, scaling = 0;  // scaling: the work, if they only scaled C
  for (index run = 0; run < list.run_count; ++run) {
    const std::int32_t kind = list.kinds[run];
    const gemm_shape& s = list.shapes[kind];
    const index count = list.first[run + 1] - list.first[run];
    bytes += bytes_of[static_cast<std::size_t>(kind)].all(count);
    scaling += select::work_of({s.type, s.m, s.n, 0, {}, {}, {}}) * static_cast<double>(count);
  }
  const residence from = residence_of(bytes);
  const index task =
      select::tiles_per_task(std::max(list.flops, scaling) / static_cast<double>(total));
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

}  // namespace

template <class T>
void gemm(const gemm_shape& shape, const gemm_arguments<T>& g) {
  run_product<T>(shape, g);
}
template <class T>
void gemm(const gemm_shape& shape, const gemm_arguments<T>& g, const gemm_tuning& tuned) {
  run_product<T>(shape, g, tuned);
}
template <class T>
void gemm(const gemm_shape& shape, const gemm_arguments<T>& g, const gemm_kernel<T>& kernel) {
  run_gemm<T>(shape, kernel, g);
}
template <class T>
void gemm(const gemm_list<T>& list) {
  run_list(list);
}

#define TENFOLD_INSTANTIATE(T)                                                            \
  template void gemm(const gemm_shape&, const gemm_arguments<T>&);                        \
  template void gemm(const gemm_shape&, const gemm_arguments<T>&, const gemm_tuning&);    \
  template void gemm(const gemm_shape&, const gemm_arguments<T>&, const gemm_kernel<T>&); \
  template void gemm(const gemm_list<T>&);
TENFOLD_INSTANTIATE(float)
TENFOLD_INSTANTIATE(double)
TENFOLD_INSTANTIATE(std::complex<float>)
TENFOLD_INSTANTIATE(std::complex<double>)

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
