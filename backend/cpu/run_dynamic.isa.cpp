#include <array>
#include <tenfold/backend/cpu/caches.hpp>
#include <tenfold/backend/cpu/even_odd.hpp>
#include <tenfold/backend/cpu/gemm.hpp>
#include <tenfold/backend/cpu/listed_tile.hpp>
#include <tenfold/backend/cpu/loop_walk.hpp>
#include <tenfold/backend/cpu/mapped.hpp>
#include <tenfold/backend/cpu/parallel.hpp>
#include <tenfold/backend/cpu/parts.hpp>
#include <tenfold/backend/cpu/register_tile.hpp>
#include <tenfold/backend/cpu/scratch.hpp>
#include <tenfold/backend/cpu/step_pointers.hpp>
#include <tenfold/backend/cpu/transpose.hpp>
#include <tenfold/backend/cpu/whole_steps.hpp>
#include <tenfold/backend/interface/arguments.hpp>
#include <tenfold/backend/interface/select.hpp>

/// Runs a program that is data: the same walk as run_static, the micro-kernels from a table of
/// register tiles whose contracted loop has a run-time count.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

namespace {

template <class T>
inline constexpr int most_rows = select::dynamic_tile(scalar_of<T>).m;
template <class T>
inline constexpr int most_columns = select::dynamic_tile(scalar_of<T>).n;

template <class T>
using tile_function = void (*)(tile_operands<T>, const k_loop*, int, index, index);

/// `count` register tiles side by side along n. `update` serves overwriting too: alpha = 1 changes
/// no bit and beta = 0 does not read.
template <class T, int W, int M, int N, tile_modes How>
void tiles(tile_operands<T> t, const k_loop* k_outer, int k_outer_count, index k, index count) {
  for (index i = 0; i < count; ++i) {
    register_tile<T, W, M, N, dynamic_k, How, epilogue::update>(t, k_outer, k_outer_count, k);
    if constexpr (How.a_varies) t.a += N * t.a_n;
    t.b += N * t.b_n;
    t.c += N * t.c_n;
  }
}

/// The tiles of one mode with up to `Rows` rows and `Columns` columns; tile (m, n) is entry
/// (m - 1) * Columns + n - 1.
template <class T, int W, int Rows, tile_modes How, int Columns = most_columns<T>>
struct tile_table {
  static constexpr auto make = []<int... I>(std::integer_sequence<int, I...>) {
    return std::array<tile_function<T>, sizeof...(I)>{
        &tiles<T, W, I / Columns + 1, I % Columns + 1, How>...};
  };
  static constexpr auto entries = make(std::make_integer_sequence<int, Rows * Columns>{});
};

constexpr tile_modes read_once(tile_modes how) {
  how.reads_once = true;
  return how;
}

/// The table for a step. Only where A stands still along n are there several rows: an entry-wise
/// product and a single operand have nothing to share between rows.
template <class T, int W>
const tile_function<T>* tiles_of(const program_step& step) {
  constexpr access u = access::uniform, l = access::lanes;
  if (step.b.where == buffer::none) {
    return step.a_varies
               ? tile_table<T, W, 1, read_once(tile_modes{l, l, true, false})>::entries.data()
               : tile_table<T, W, 1, tile_modes{l, l, false, false}>::entries.data();
  }
  if (is_row(step))
    return tile_table<T, W, 1, read_once(tile_modes{u, l, false, true}),
                      select::dynamic_row(scalar_of<T>).n>::entries.data();
  // Width 1 knows no difference between an entry and a vector of one lane.
  if (step.a.how == u || W == 1) {
    return step.a_varies
               ? tile_table<T, W, 1, tile_modes{u, l, true, true}>::entries.data()
               : tile_table<T, W, most_rows<T>, tile_modes{u, l, false, true}>::entries.data();
  }
  return step.a_varies
             ? tile_table<T, W, 1, tile_modes{l, l, true, true}>::entries.data()
             : tile_table<T, W, most_rows<T>, tile_modes{l, l, false, true}>::entries.data();
}

template <class T>
using half_function = void (*)(tile_operands<T>, index, half_strides, index);

/// As tiles, of a matrix in halves.
template <class T, int W, int Pairs, bool Middle, int N, reflection Kind, epilogue Finish>
void half_tiles(tile_operands<T> t, index first, half_strides h, index count) {
  for (index i = 0; i < count; ++i) {
    even_odd_tile<T, W, Pairs, Middle, N, dynamic_k, Kind, Finish>(t, first, h, [] {});
    t.b += N * t.b_n;
    t.c += N * t.c_n;
  }
}

/// The tiles of one kind of symmetry, 1 to most_pairs pairs of rows by as many columns as there are
/// registers for: entry (2 (pairs - 1) + middle) * most_even_odd_columns + columns - 1.
template <class T, int W, reflection Kind, epilogue Finish>
inline constexpr auto half_tile_table = []<int... I>(std::integer_sequence<int, I...>) {
  constexpr int most = select::most_even_odd_columns;
  constexpr auto columns = [](int i) {
    const int there = select::even_odd_columns(i / most + 2, registers);
    return i % most < there ? i % most + 1 : there;
  };
  return std::array<half_function<T>, sizeof...(I)>{
      &half_tiles<T, W, I / most / 2 + 1, I / most % 2 != 0, columns(I), Kind, Finish>...};
}
(std::make_integer_sequence<int, 2 * select::most_pairs * select::most_even_odd_columns>{});

template <class T, int W, epilogue Finish>
const half_function<T>* half_tiles_of(reflection kind) {
  return kind == reflection::odd ? half_tile_table<T, W, reflection::odd, Finish>.data()
                                 : half_tile_table<T, W, reflection::even, Finish>.data();
}

template <class T>
using listed_function = void (*)(listed_operands<T>, index, index);

/// Tile (m, n) of listed rows is entry (m - 1) most_listed_columns + n - 1.
template <class T, int W>
inline constexpr auto listed_table = []<int... I>(std::integer_sequence<int, I...>) {
  constexpr int most = select::most_listed_columns;
  constexpr auto columns = [](int m, int n) { return std::min(n, select::listed_columns(m)); };
  return std::array<listed_function<T>, sizeof...(I)>{
      &listed_tiles<T, W, I / most + 1, columns(I / most + 1, I % most + 1)>...};
}
(std::make_integer_sequence<int, select::most_listed_columns * select::listed_rows>{});

template <class T, int W>
class dynamic_runner {
 public:
  dynamic_runner(const program_view& p, const program_phase& phase,
                 const program_arguments<T>& args, T* workspace)
      : program_(p), phase_(phase), args_(args), workspace_(workspace) {}

  void run() {
    const phase_range range = range_of(phase_, args_.extents);
    const program_step& first = program_.steps[phase_.first_step];
    if (first.kind == step_kind::gemm) {
      const tile_position at;
      const auto place = [&](const operand_ref& x) {
        return batch_place{address<T>(x, nullptr, at), x.tile_stride[0]};
      };
      return gemm(gemm_of(first, program_.type),
                  gemm_arguments<T>{place(first.a), place(first.b), place(first.c), range.count,
                                    args_.alpha, args_.beta});
    }
    if (is_whole(first.kind))
      return run_whole(phase_, first, program_.loops + first.first_loop, args_, workspace_);
    from_memory_ =
        static_cast<double>(range.count) * bytes_read_once() > static_cast<double>(caches().l3);
    auto body = [&](index begin, index end) {
      const scratch_block block(static_cast<std::size_t>(phase_.scratch_entries) * sizeof(T));
      for (index i = begin; i < end; ++i) run_tile(block.as<T>(), position_of(phase_, range, i));
    };
    if (phase_.scatters) return for_each_part(args_.order, phase_, range, body);
    parallel_tiles(range.count, select::tiles_per_task(phase_.tile_flops), body);
  }

 private:
  /// X: what lies there; in the workspace and in scratch that is T.
  template <class X>
  X* address(const operand_ref& ref, T* scratch, const tile_position& at) const {
    switch (ref.where) {
      case buffer::none:
      case buffer::registers:  // of sandwiches, which no run-time capabilities offer
        return nullptr;
      case buffer::input:
        return static_cast<X*>(const_cast<void*>(args_.inputs[ref.slot])) + distance(ref, at);
      case buffer::output:
        return static_cast<X*>(args_.output) + distance(ref, at);
      case buffer::workspace:
        return reinterpret_cast<X*>(workspace_) + distance(ref, at);
      case buffer::scratch:
        return reinterpret_cast<X*>(scratch) + ref.offset;
    }
    return nullptr;
  }

  void run_tile(T* scratch, const tile_position& at) const {
    for (int s = 0; s < phase_.step_count; ++s) {
      const program_step& step = program_.steps[phase_.first_step + s];
      const step_loop* const loops = program_.loops + step.first_loop;
      if (step.together > 1) {
        run_together(&step, scratch, at);
        s += step.together - 1;
        continue;
      }
      if (step.a.mapped || step.c.mapped) {
        run_mapped(step, loops, scratch, at);
        continue;
      }
      switch (step.kind) {
        case step_kind::contract:
          run_contract(step, loops, scratch, at);
          break;
        case step_kind::pack:
          run_pack(step, loops, scratch, at);
          break;
        case step_kind::unpack:
          run_unpack(step, loops, scratch, at);
          break;
        case step_kind::gemm:
        case step_kind::blocked:
        case step_kind::pointwise:
        case step_kind::reduce:
          break;  // phases of their own
        case step_kind::halve:
          halve(address<T>(step.a, scratch, at), step.m.a, step.k.a,
                address<T>(step.c, scratch, at), step.m.c, step.k.c, step.m.extent, step.k.extent,
                step.halves);
          break;
      }
    }
  }

  /// A step that reads, or adds to, entries through a map.
  void run_mapped(const program_step& step, const step_loop* loops, T* scratch,
                  const tile_position& at) const {
    if (step.kind == step_kind::unpack) {
      if (args_.output_map.wide) return scatter_through<std::int64_t>(step, loops, scratch, at);
      return scatter_through<std::int32_t>(step, loops, scratch, at);
    }
    switch (step.a.type) {
      case scalar::f32:
        return gather_from<float>(step, loops, scratch, at);
      case scalar::f64:
        return gather_from<double>(step, loops, scratch, at);
      case scalar::c32:
        return gather_from<std::complex<float>>(step, loops, scratch, at);
      case scalar::c64:
        return gather_from<std::complex<double>>(step, loops, scratch, at);
    }
  }

  template <class I>
  void scatter_through(const program_step& step, const step_loop* loops, T* scratch,
                       const tile_position& at) const {
    const auto* const numbers = static_cast<const I*>(args_.output_map.numbers);
    const step_pointers<T, T, const I> p{scratch + step.a.offset, nullptr,
                                         numbers + distance(step.c, at)};
    for_each_outer<max_outer_loops>(
        loops, step.outer_count, p, [&](const step_pointers<T, T, const I>& q) {
          scatter_add<T, W>(static_cast<T*>(args_.output), q.a, q.c, step.n.extent,
                            {step.n.c, step.c.lane_stride}, at.lane_count, 0);
        });
  }

  template <class A>
  void gather_from(const program_step& step, const step_loop* loops, T* scratch,
                   const tile_position& at) const {
    if constexpr (widens<A, T>) {
      if (args_.maps[step.a.slot].wide)
        gather_from<A, std::int64_t>(step, loops, scratch, at);
      else
        gather_from<A, std::int32_t>(step, loops, scratch, at);
    }
  }

  template <class A, class I>
  void gather_from(const program_step& step, const step_loop* loops, T* scratch,
                   const tile_position& at) const {
    const auto* const x = static_cast<const A*>(args_.inputs[step.a.slot]);
    const auto* const numbers = static_cast<const I*>(args_.maps[step.a.slot].numbers);
    const step_pointers<T, I> p{numbers + distance(step.a, at), nullptr, scratch + step.c.offset};
    for_each_outer<max_outer_loops>(loops, step.outer_count, p, [&](const step_pointers<T, I>& q) {
      const lane_strides stride{step.n.a, step.a.lane_stride};
      if constexpr (is_complex_type<A>) {
        if (step.a.conjugated)
          return gather<T, W, true>(q.c, x, q.a, step.n.extent, stride, at.lane_count, 0);
      }
      gather<T, W, false>(q.c, x, q.a, step.n.extent, stride, at.lane_count, 0);
    });
  }

  /// alpha and beta of a step: those of the call where it leaves the result.
  T alpha_of(const program_step& step) const {
    const T alpha = step.finish == epilogue::update ? args_.alpha : T(1);
    return step.sign < 0 ? -alpha : alpha;
  }
  T beta_of(const program_step& step) const {
    if (step.accumulates) return T(1);
    return step.finish == epilogue::update ? args_.beta : T(0);
  }

  /// Whether runs of entries of X may touch (select::runs_touch), and f(their number) for those
  /// that do.
  template <class X>
  static constexpr bool may_touch = std::is_same_v<X, T> && !is_complex_type<T> && W >= 4;
  template <class F>
  static void with_run(index n, const F& f) {
    if (n == 2) return f(std::integral_constant<int, 2>{});
    if (n == 3) return f(std::integral_constant<int, 3>{});
    f(std::integral_constant<int, 4>{});
  }

  int lanes_of_vector(const tile_position& at) const {
    return phase_.vectors > 1 ? W : at.lane_count;
  }

  void run_pack(const program_step& step, const step_loop* loops, T* scratch,
                const tile_position& at) const {
    switch (step.a.type) {
      case scalar::f32:
        return pack_from<float>(step, loops, scratch, at);
      case scalar::f64:
        return pack_from<double>(step, loops, scratch, at);
      case scalar::c32:
        return pack_from<std::complex<float>>(step, loops, scratch, at);
      case scalar::c64:
        return pack_from<std::complex<double>>(step, loops, scratch, at);
    }
  }

  template <class A>
  void pack_from(const program_step& step, const step_loop* loops, T* scratch,
                 const tile_position& at) const {
    if constexpr (widens<A, T>) {
      if (is_complex_type<A> && step.a.conjugated)
        pack_from<A, is_complex_type<A>>(step, loops, scratch, at);
      else
        pack_from<A, false>(step, loops, scratch, at);
    }
  }

  template <class A, bool Conjugated>
  void pack_from(const program_step& step, const step_loop* loops, T* scratch,
                 const tile_position& at) const {
    const step_pointers<T, A> p{address<A>(step.a, scratch, at), nullptr,
                                address<T>(step.c, scratch, at)};
    for_each_outer<max_outer_loops>(loops, step.outer_count, p, [&](const step_pointers<T, A>& q) {
      const lane_strides stride{step.n.a, step.a.lane_stride};
      const int count = lanes_of_vector(at);
      if constexpr (may_touch<A>) {
        if (count == W && moves_touching<T, W, A>(step.n.extent, stride, Conjugated))
          return with_run(step.n.extent, [&]<int N>(std::integral_constant<int, N>) {
            pack_touching<T, W, N>(q.c, q.a, phase_.vectors);
          });
      }
      pack<T, W, Conjugated>(q.c, q.a, step.n.extent, stride, count, phase_.vectors);
    });
  }

  void run_unpack(const program_step& step, const step_loop* loops, T* scratch,
                  const tile_position& at) const {
    switch (step.c.type) {
      case scalar::f32:
        return unpack_to<float>(step, loops, scratch, at);
      case scalar::f64:
        return unpack_to<double>(step, loops, scratch, at);
      case scalar::c32:
        return unpack_to<std::complex<float>>(step, loops, scratch, at);
      case scalar::c64:
        return unpack_to<std::complex<double>>(step, loops, scratch, at);
    }
  }

  template <class C>
  void unpack_to(const program_step& step, const step_loop* loops, T* scratch,
                 const tile_position& at) const {
    if constexpr (narrows<T, C>) {
      const step_pointers<T, T, C> p{address<T>(step.a, scratch, at), nullptr,
                                     address<C>(step.c, scratch, at)};
      for_each_outer<max_outer_loops>(
          loops, step.outer_count, p, [&](const step_pointers<T, T, C>& q) {
            const lane_strides stride{step.n.c, step.c.lane_stride};
            const int count = lanes_of_vector(at);
            const T alpha = alpha_of(step), beta = beta_of(step);
            if constexpr (may_touch<C>) {
              if (count == W &&
                  moves_touching<T, W, C>(step.n.extent, stride, alpha != T(1) || beta != T(0)))
                return with_run(step.n.extent, [&]<int N>(std::integral_constant<int, N>) {
                  unpack_touching<T, W, N>(q.c, q.a, phase_.vectors);
                });
            }
            unpack<T, epilogue::update, W>(q.c, q.a, step.n.extent, stride, count, alpha, beta,
                                           phase_.vectors);
          });
    }
  }

  void run_contract(const program_step& step, const step_loop* loops, T* scratch,
                    const tile_position& at) const {
    const step_pointers<T> p{address<T>(step.a, scratch, at), address<T>(step.b, scratch, at),
                             address<T>(step.c, scratch, at)};
    const T alpha = alpha_of(step), beta = beta_of(step);
    if (is_entry_wise(step) && alpha == T(1) && beta == T(0))
      return multiply_entries(step, loops, p);
    if constexpr (W > 1 && !is_complex_type<T>) {
      if (step.halves != reflection::none) return contract_halves(step, loops, p, alpha, beta);
      if (step.row_count > 0) return contract_listed(step, loops, p, alpha, beta);
    }
    contract(step, loops, p, alpha, beta);
  }

  /// Whether a step is C[n] := A[n] B[n].
  static bool is_entry_wise(const program_step& step) {
    return step.a_varies && step.b.where != buffer::none && step.a.how == access::lanes &&
           step.b.how == access::lanes && step.m.extent == 1 && step.k.extent == 1 &&
           step.k_outer_count == 0;
  }
  static void multiply_entries(const program_step& step, const step_loop* loops,
                               const step_pointers<T>& p) {
    for_each_outer<max_outer_loops>(loops, step.outer_count, p, [&](const step_pointers<T>& q) {
      together_product one{q.a, q.b, q.c, step.n, step_loop{}, true, false, false};
      run_together(&one, 1, step.n.extent);
    });
  }

  /// One of the products that run together, and whether it begins a sum of them.
  struct together_product {
    const T *a, *b;
    T* c;
    step_loop n, around;
    bool begins, accumulates, is_negative;
  };

  /// Entry-wise products, some entries at a time: see program_step::together.
  void run_together(const program_step* steps, T* scratch, const tile_position& at) const {
    const int count = steps->together;
    together_product p[select::most_together];
    for (int j = 0; j < count; ++j) {
      const program_step& step = steps[j];
      const auto goes_on = [&](int i) {
        return i > 0 && i < count && steps[i].accumulates && steps[i - 1].c == steps[i].c;
      };
      p[j] = {address<T>(step.a, scratch, at),
              address<T>(step.b, scratch, at),
              address<T>(step.c, scratch, at),
              step.n,
              step.outer_count == 0 ? step_loop{} : program_.loops[step.first_loop],
              !goes_on(j),
              step.accumulates,
              step.sign < 0};
    }
    run_together(p, count, steps->n.extent);
  }

  static void run_together(together_product* p, int count, index entries) {
    bool side_by_side = true;
    for (int j = 0; j < count; ++j)
      side_by_side = side_by_side && p[j].n.a == W && p[j].n.b == W && p[j].n.c == W;
    if (side_by_side)
      run_together<true>(p, count, entries);
    else
      run_together<false>(p, count, entries);
  }

  /// SideBySide: all entries lie one behind another.
  template <bool SideBySide>
  static void run_together(together_product* p, int count, index entries) {
    const auto move = [=](index n, index around) {
      for (int j = 0; j < count; ++j) {
        p[j].a += n * p[j].n.a + around * p[j].around.a;
        p[j].b += n * p[j].n.b + around * p[j].around.b;
        p[j].c += n * p[j].n.c + around * p[j].around.c;
      }
    };
    for (index left = p->around.extent; left > 0; --left) {
      index x = 0;
      for (; x + 8 <= entries; x += 8, move(8, 0)) entries_together<8, SideBySide>(p, count);
      for (; x < entries; ++x, move(1, 0)) entries_together<1, SideBySide>(p, count);
      move(-entries, 1);
    }
  }

  /// N entries. A sum stays in registers; all are stored when all is read.
  template <int N, bool SideBySide>
  [[gnu::always_inline]] static void entries_together(const together_product* p, int count) {
    const auto stride = [](index n) { return SideBySide ? W : n; };
    vec<T, W> sums[select::most_together][N];
    int done = 0;
    for (int j = 0; j < count; ++done) {
      vec<T, W> sum[N];
      const auto multiply = [&sum, stride ](const together_product& t, const auto& add)
          __attribute__((always_inline)) {
        const T* const a = t.a;
        const T* const b = t.b;
        const index a_n = stride(t.n.a), b_n = stride(t.n.b);
        if (t.is_negative) {
#pragma GCC unroll 16
          for (int i = 0; i < N; ++i)
            add(sum[i], broadcast<T, W>(T(-1)) * load<T, W>(a + i * a_n), load<T, W>(b + i * b_n));
        } else {
#pragma GCC unroll 16
          for (int i = 0; i < N; ++i) add(sum[i], load<T, W>(a + i * a_n), load<T, W>(b + i * b_n));
        }
      };
      const auto begin =
          [](vec<T, W> & s, vec<T, W> a, vec<T, W> b) __attribute__((always_inline)) {
        s = a * b;
      };
      const auto go_on =
          [](vec<T, W> & s, vec<T, W> a, vec<T, W> b) __attribute__((always_inline)) {
        s = fma(a, b, s);
      };
      if (p[j].accumulates) {
#pragma GCC unroll 16
        for (int i = 0; i < N; ++i) sum[i] = load<T, W>(p[j].c + i * stride(p[j].n.c));
        multiply(p[j], go_on);
      } else {
        multiply(p[j], begin);
      }
      for (++j; j < count && !p[j].begins; ++j) multiply(p[j], go_on);
#pragma GCC unroll 16
      for (int i = 0; i < N; ++i) sums[done][i] = sum[i];
    }
    done = 0;
    for (int j = 0; j < count; ++j) {
      if (!p[j].begins) continue;
#pragma GCC unroll 16
      for (int i = 0; i < N; ++i) store<T, W>(p[j].c + i * stride(p[j].n.c), sums[done][i]);
      ++done;
    }
  }

  /// The register tiles of a row, side by side along n.
  template <class Function>
  struct row_of_tiles {
    Function longer, shorter;
    index long_count, short_count, done;  ///< done: columns of the longer ones
  };
  /// tile(n): the function for n columns.
  template <class Tile>
  static auto row_of(const select::chunks& columns, const Tile& tile) {
    return row_of_tiles<decltype(tile(1))>{
        tile(columns.longer), columns.short_count > 0 ? tile(columns.longer - 1) : nullptr,
        columns.long_count, columns.short_count, columns.long_count * columns.longer};
  }

  void contract_halves(const program_step& step, const step_loop* loops, const step_pointers<T>& p,
                       T alpha, T beta) const {
    tile_operands<T> t{p.a,      p.b,      p.c,      step.m.a, step.k.a, 0,
                       step.k.b, step.n.b, step.m.c, step.n.c, alpha,    beta};
    const half_strides h{step.m.a, step.k.a, step.m.extent, step.k.extent};
    const half_function<T>* const functions =
        alpha == T(1) && beta == T(0) ? half_tiles_of<T, W, epilogue::overwrite>(step.halves)
                                      : half_tiles_of<T, W, epilogue::update>(step.halves);
    const index all = h.rows / 2;
    const select::chunks pairs(all, select::most_pairs);
    const select::chunks columns(step.n.extent, select::even_odd_columns(h.rows, registers));
    for (index first = 0; first < all;) {
      const int count = first < pairs.long_count * pairs.longer ? pairs.longer : pairs.longer - 1;
      const bool middle = first + count == all && h.rows % 2 != 0;
      const auto row = row_of(columns, [&](int n) {
        return functions[(2 * (count - 1) + middle) * select::most_even_odd_columns + n - 1];
      });
      for_each_outer<max_outer_loops>(loops, step.outer_count, p, [&](const step_pointers<T>& q) {
        t.a = q.a;
        t.b = q.b;
        t.c = q.c;
        row.longer(t, first, h, row.long_count);
        if (row.short_count == 0) return;
        t.b += row.done * step.n.b;
        t.c += row.done * step.n.c;
        row.shorter(t, first, h, row.short_count);
      });
      first += count;
    }
  }

  /// Rows and contracted values through tables: see program_step::row_count.
  void contract_listed(const program_step& step, const step_loop* loops, const step_pointers<T>& p,
                       T alpha, T beta) const {
    loop_list row_loops, sums;
    sums.add(loops + step.outer_count, step.k_outer_count);
    sums.add(step.k);
    row_loops.add(loops + step.outer_count + step.k_outer_count, step.row_count);
    row_loops.add(step.m);
    const index row_count = row_loops.extent(), terms = sums.extent();
    constexpr index most = select::most_listed;
    index a_m[most], c_m[most], a_k[most], b_k[most];
    loop_walk row(row_loops, 0), term(sums, 0);
    for (index m = 0; m < row_count; ++m, row.next()) a_m[m] = row.a, c_m[m] = row.c;
    for (index k = 0; k < terms; ++k, term.next()) a_k[k] = term.a, b_k[k] = term.b;
    const select::chunks rows(row_count, select::listed_rows);
    const auto height = [&](index r) {
      return r < rows.long_count ? rows.longer : rows.longer - 1;
    };
    T packed[select::most_listed_entries];
    for (index r = 0; r < rows.count(); ++r) {
      const index first = rows.start(r);
      for (index k = 0; k < terms; ++k)
        for (int m = 0; m < height(r); ++m)
          packed[first * terms + k * height(r) + m] = p.a[a_m[first + m] + a_k[k]];
    }
    listed_operands<T> t{packed, p.b, p.c, b_k, c_m, step.n.b, step.n.c, alpha, beta};
    for_each_outer<max_outer_loops>(loops, step.outer_count, p, [&](const step_pointers<T>& q) {
      for (index r = 0; r < rows.count(); ++r) {
        const int m = height(r);
        const auto all =
            row_of(select::chunks(step.n.extent, select::listed_columns(m)), [&](int n) {
              return listed_table<T, W>.data()[(m - 1) * select::most_listed_columns + n - 1];
            });
        t.a = packed + rows.start(r) * terms;
        t.c_m = c_m + rows.start(r);
        t.b = q.b;
        t.c = q.c;
        all.longer(t, terms, all.long_count);
        if (all.short_count == 0) continue;
        t.b += all.done * step.n.b;
        t.c += all.done * step.n.c;
        all.shorter(t, terms, all.short_count);
      }
    });
  }

  /// The operand in memory that no two register tiles of a step read, and its strides; null: there
  /// is none.
  struct once {
    const operand_ref* x = nullptr;
    index step_loop::*along = &step_loop::a;
  };
  static once read_once_by(const program_step& step) {
    once r;
    if (step.kind != step_kind::contract) return r;
    if (step.b.where != buffer::none && is_row(step)) {
      r = {&step.b, &step_loop::b};
    } else if (step.b.where == buffer::none && step.a_varies) {
      r.x = &step.a;
    }
    if (r.x != nullptr && r.x->where != buffer::input) r.x = nullptr;
    return r;
  }

  /// Of one tile of the phase.
  double bytes_read_once() const {
    double bytes = 0;
    for (int s = 0; s < phase_.step_count; ++s) {
      const program_step& step = program_.steps[phase_.first_step + s];
      const once r = read_once_by(step);
      if (r.x == nullptr) continue;
      double entries = W;
      const auto count = [&](const step_loop& l) {
        if (l.*r.along != 0) entries *= static_cast<double>(l.extent);
      };
      count(step.n);
      count(step.k);
      for (int l = 0; l < step.outer_count + step.k_outer_count; ++l)
        count(program_.loops[step.first_loop + l]);
      bytes += entries * sizeof(T);
    }
    return bytes;
  }

  /// Contracted values that register tiles of so many columns fetch ahead: where their rows lie in
  /// memory one behind another, so that behind the last is what the next tile reads. Of rows that
  /// are longer, or farther apart, the processor fetches as much (0.92 to 1.0 with this).
  index rows_ahead(const program_step& step, int columns) const {
    if (!from_memory_) return 0;
    const once r = read_once_by(step);
    if (r.x == nullptr) return 0;
    const index row = index{columns} * W, next = step.k.*r.along;
    return next < W || next > 2 * row ? 0 : select::rows_ahead(row * index{sizeof(T)});
  }

  void contract(const program_step& step, const step_loop* loops, const step_pointers<T>& p,
                T alpha, T beta) const {
    const int most = is_row(step) ? select::dynamic_row(scalar_of<T>).n : most_columns<T>;
    const select::chunks rows(step.m.extent, most_rows<T>), columns(step.n.extent, most);
    k_loop k_outer[max_outer_loops];
    for (int i = 0; i < step.k_outer_count; ++i) {
      const step_loop& loop = loops[step.outer_count + i];
      k_outer[i] = {loop.extent, loop.a, loop.b};
    }
    tile_operands<T> t;
    t.a_m = step.m.a;
    t.a_k = step.k.a;
    t.a_n = step.n.a;
    t.b_k = step.k.b;
    t.b_n = step.n.b;
    t.c_m = step.m.c;
    t.c_n = step.n.c;
    t.alpha = alpha;
    t.beta = beta;
    t.k_ahead = rows_ahead(step, columns.longer);
    const tile_function<T>* const functions = tiles_of<T, W>(step);
    const auto row_of_height = [&](int m) {
      return row_of(columns, [&](int n) { return functions[(m - 1) * most + n - 1]; });
    };
    const auto high = row_of_height(rows.longer);
    const auto low = rows.short_count > 0 ? row_of_height(rows.longer - 1) : high;
    for_each_outer<max_outer_loops>(loops, step.outer_count, p, [&](const step_pointers<T>& q) {
      const auto run_row = [&](const auto& row, index first) {
        t.a = q.a + first * step.m.a;
        t.b = q.b;
        t.c = q.c + first * step.m.c;
        row.longer(t, k_outer, step.k_outer_count, step.k.extent, row.long_count);
        if (row.short_count == 0) return;
        t.a += row.done * step.n.a;
        t.b += row.done * step.n.b;
        t.c += row.done * step.n.c;
        row.shorter(t, k_outer, step.k_outer_count, step.k.extent, row.short_count);
      };
      index first = 0;
      for (index r = 0; r < rows.long_count; ++r, first += rows.longer) run_row(high, first);
      for (index r = 0; r < rows.short_count; ++r, first += rows.longer - 1) run_row(low, first);
    });
  }

  const program_view& program_;
  const program_phase& phase_;
  const program_arguments<T>& args_;
  T* workspace_;
  bool from_memory_ = false;  ///< what steps read once does not stay in the caches
};

template <class T>
void run(const program_view& p, const program_arguments<T>& args) {
  const scratch_block workspace(static_cast<std::size_t>(p.workspace_entries) * sizeof(T));
  for (int f = 0; f < p.phase_count; ++f) {
    const program_phase& phase = p.phases[f];
    if (phase.width == 1) {
      dynamic_runner<T, 1>(p, phase, args, workspace.as<T>()).run();
    } else {
      dynamic_runner<T, lanes<T>>(p, phase, args, workspace.as<T>()).run();
    }
  }
}

}  // namespace

void run_dynamic(const program_view& p, const program_arguments<float>& args) { run(p, args); }
void run_dynamic(const program_view& p, const program_arguments<double>& args) { run(p, args); }
void run_dynamic(const program_view& p, const program_arguments<std::complex<float>>& args) {
  run(p, args);
}
void run_dynamic(const program_view& p, const program_arguments<std::complex<double>>& args) {
  run(p, args);
}

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
