#pragma once

#include <tenfold/backend/cpu/caches.hpp>
#include <tenfold/backend/cpu/fetch.hpp>
#include <tenfold/backend/cpu/gemm_static.hpp>
#include <tenfold/backend/cpu/mapped.hpp>
#include <tenfold/backend/cpu/parallel.hpp>
#include <tenfold/backend/cpu/parts.hpp>
#include <tenfold/backend/cpu/scratch.hpp>
#include <tenfold/backend/cpu/staged_result.hpp>
#include <tenfold/backend/cpu/step_pointers.hpp>
#include <tenfold/backend/cpu/tile_rows.hpp>
#include <tenfold/backend/cpu/transpose.hpp>
#include <tenfold/backend/cpu/unrolled.hpp>
#include <tenfold/backend/cpu/whole_steps.hpp>
#include <tenfold/backend/interface/arguments.hpp>
#include <tenfold/backend/interface/select.hpp>
#include <utility>

/// Runs a program that is a constant: every step becomes one micro-kernel of static shape.
///
/// `P` is a type with `static constexpr auto value`, a program. Micro-kernels are keyed by their
/// shape, not by P, so that expressions (and steps) of one shape share them.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

/// What programs that are constants may assume: the flags this file is compiled with.
inline constexpr capabilities static_capabilities{
    device::cpu, lanes<double> * 8, registers, 32768, 1048576, true, nullptr, compiled_model};

/// Phases and steps are read through references into P::value: copies of them in each function cost
/// g++ 0.3 s more for the mass operator.
template <class P, class T, bool Scaled>
class static_runner {
 public:
  [[gnu::always_inline]] static void run(const program_arguments<T>& args) {
    constexpr index workspace = P::value.workspace_entries;
    if constexpr (workspace == 0) {
      run_phases(args, nullptr, std::make_integer_sequence<int, P::value.phase_count>{});
    } else {
      const scratch_block block(static_cast<std::size_t>(workspace) * sizeof(T));
      run_phases(args, block.as<T>(), std::make_integer_sequence<int, P::value.phase_count>{});
    }
  }

 private:
  template <int... F>
  [[gnu::always_inline]] static void run_phases(const program_arguments<T>& args, T* workspace,
                                                std::integer_sequence<int, F...>) {
    (run_phase<F>(args, workspace), ...);
  }

  template <int F>
  [[gnu::always_inline]] static void run_phase(const program_arguments<T>& args, T* workspace) {
    static constexpr const program_phase& phase = P::value.phases[F];
    if constexpr (P::value.steps[phase.first_step].kind == step_kind::gemm) {
      run_product<phase.first_step>(args, range_of(phase, args.extents).count);
    } else if constexpr (is_whole(P::value.steps[phase.first_step].kind)) {
      static constexpr const program_step& step = P::value.steps[phase.first_step];
      run_whole(phase, step, P::value.loops.data() + step.first_loop, args, workspace);
    } else if constexpr (phase.scatters) {
      const phase_range range = range_of(phase, args.extents);
      for_each_part(args.order, phase, range, [&](index begin, index end) {
        run_tiles<F>(args, workspace, range, begin, end);
      });
    } else if constexpr (phase.tile_count == 0 && phase.width == 1) {
      run_tiles<F>(args, workspace, range_of(phase, args.extents), 0, 1);
    } else {
      const phase_range range = range_of(phase, args.extents);
      parallel_tiles(
          range.count, select::tiles_per_task(phase.tile_flops),
          [&](index begin, index end) { run_tiles<F>(args, workspace, range, begin, end); });
    }
  }

  template <int S>
  [[gnu::always_inline]] static void run_product(const program_arguments<T>& args, index count) {
    static constexpr const program_step& step = P::value.steps[S];
    constexpr gemm_shape shape = gemm_of(step, P::value.type);
    const tile_at first;
    const gemm_arguments<T> g{
        {address<S, &program_step::a, T>(args, nullptr, nullptr, first), step.a.tile_stride[0]},
        {address<S, &program_step::b, T>(args, nullptr, nullptr, first), step.b.tile_stride[0]},
        {address<S, &program_step::c, T>(args, nullptr, nullptr, first), step.c.tile_stride[0]},
        count,
        Scaled ? args.alpha : T(1),
        Scaled ? args.beta : T(0)};
    run_static_gemm<shape, Scaled>(g);
  }

  template <int F>
  [[gnu::always_inline]] static void run_tiles(const program_arguments<T>& args, T* workspace,
                                               const phase_range& range, index begin, index end) {
    static constexpr const program_phase& phase = P::value.phases[F];
    const auto run = [&](T * scratch) __attribute__((always_inline)) {
      if constexpr (streams<F>.lines() > 0) {
        if (static_cast<double>(range.count) * static_cast<double>(streams<F>.bytes) >
            static_cast<double>(caches().l3)) {
          const auto run_one = [&](index i, staged_result<T> * result)
              __attribute__((always_inline)) {
            run_ahead<F>(
                args, range, i, end, result, [&](const tile_at& at) __attribute__((always_inline)) {
                  run_tile<F>(args, workspace, scratch, at);
                });
          };
          if constexpr (stages<F>()) {
            T* const result = static_cast<T*>(args.output);
            if ((!Scaled || args.beta == T(0)) &&
                reinterpret_cast<std::uintptr_t>(result) % 64 == 0) {
              staged_result<T> staged(piece<F>, result);
              for (index i = begin; i < end; ++i) run_one(i, &staged);
              return;
            }
          }
          for (index i = begin; i < end; ++i) run_one(i, nullptr);
          return;
        }
      }
      for (index i = begin; i < end; ++i) {
        run_tile<F>(args, workspace, scratch, {position_of(phase, range, i)});
      }
    };
    if constexpr (phase.scratch_entries == 0) {
      run(nullptr);
    } else if constexpr (static_cast<std::size_t>(phase.scratch_entries) * sizeof(T) <=
                         stack_bytes) {
      alignas(64) std::byte block[static_cast<std::size_t>(phase.scratch_entries) * sizeof(T)];
      run(reinterpret_cast<T*>(block));
    } else {
      const scratch_block block(static_cast<std::size_t>(phase.scratch_entries) * sizeof(T));
      run(block.as<T>());
    }
  }

  template <int S>
  static constexpr std::size_t phase_of() {
    std::size_t at = 0;
    for (std::size_t f = 0; f < static_cast<std::size_t>(P::value.phase_count); ++f) {
      const program_phase& phase = P::value.phases[f];
      if (S >= phase.first_step && S < phase.first_step + phase.step_count) at = f;
    }
    return at;
  }

  /// Scratch of so many bytes lies on the stack, where a tiny program finds it at once.
  static constexpr std::size_t stack_bytes = 4096;

  /// Entries of products that run together between which lines are fetched.
  static constexpr index entries_of_piece = 4;

  static constexpr int most_registers = static_capabilities.registers_for(scalar_of<T>);
  /// Columns of the sandwich that begins with step s.
  static constexpr int sandwich_columns_of(std::size_t s) {
    const program_step& there = P::value.steps[s];
    const program_step& back = P::value.steps[s + static_cast<std::size_t>(there.sandwich) - 1];
    return select::sandwich_columns(there.m.extent, back.m.extent, there.halves != reflection::none,
                                    there.sandwich - 2, most_registers);
  }

  /// Pieces of work in one tile of a step, see tile_streams.
  static constexpr index pieces_of(std::size_t s) {
    const program_step& step = P::value.steps[s];
    index outer = step.slabs.count;
    for (int l = 0; l < step.outer_count; ++l) {
      outer *= P::value.loops[static_cast<std::size_t>(step.first_loop + l)].extent;
    }
    if (step.sandwich > 1)
      return outer * select::chunks(step.n.extent, sandwich_columns_of(s)).count();
    if (step.kind != step_kind::contract) return 0;
    if (step.together > 1)
      return outer * ((step.n.extent + entries_of_piece - 1) / entries_of_piece);
    if (step.halves != reflection::none) {
      return step.k.extent / 2 * outer *
             select::chunks(step.m.extent / 2, select::most_pairs).count() *
             select::chunks(step.n.extent, select::even_odd_columns(step.m.extent, most_registers))
                 .count();
    }
    if (!has_tile_rows(step)) return 0;
    const select::tile_shape tile = tile_of(step);
    return outer * select::chunks(step.m.extent, tile.m).count() *
           select::chunks(step.n.extent, tile.n).count();
  }
  static constexpr select::tile_shape tile_of(const program_step& step) {
    return P::value.unrolled ? select::unrolled_tile(step.m.extent, step.n.extent)
                             : select::choose_tile(step.m.extent, step.n.extent, sums(step),
                                                   most_registers, step.a.how == access::lanes)
                                   .shape;
  }
  /// Whether the register tiles of a step are unrolled and run row by row.
  static constexpr bool has_tile_rows(const program_step& step) {
    return step.k_outer_count == 0 && !P::value.unrolled && step.k.extent <= select::static_sum;
  }

  /// What a tile of phase F reads from memory.
  template <int F>
  static constexpr tile_streams streams = [] {
    const program_phase& phase = P::value.phases[static_cast<std::size_t>(F)];
    tile_streams all;
    int in_sandwich = 0;  // what a sandwich does is in its pieces
    for (int i = phase.first_step; i < phase.first_step + phase.step_count; ++i) {
      const auto s = static_cast<std::size_t>(i);
      add_streams(all, P::value, phase, P::value.steps[s]);
      if (--in_sandwich > 0) continue;
      all.pieces += pieces_of(s);
      in_sandwich = P::value.steps[s].sandwich;
    }
    return all;
  }();
  /// The result of a tile of phase F, and whether it may go past the caches.
  template <int F>
  static constexpr result_piece piece = piece_of(P::value,
                                                 P::value.phases[static_cast<std::size_t>(F)]);
  template <int F>
  static constexpr bool stages() {
    const program_phase& phase = P::value.phases[static_cast<std::size_t>(F)];
    return select::is_behind_a_call(phase.tile_flops) && piece<F>.entries > 0;
  }

  /// Runs tile i of phase F. Meanwhile it fetches what tile i + 1 < end reads, and the numbers of
  /// maps, which are needed to fetch what they lead to, that tile i + 2 reads; and what the tile
  /// before it left in `result`, if that is not null, goes to memory.
  template <int F, class Run>
  [[gnu::always_inline]] static void run_ahead(const program_arguments<T>& args,
                                               const phase_range& range, index i, index end,
                                               staged_result<T>* result, Run run) {
    static constexpr const program_phase& phase = P::value.phases[F];
    tile_at at{position_of(phase, range, i)};
    at.is_followed = i + 1 < end;
    if (result == nullptr && !at.is_followed) return run(at);
    line_fetcher::range lines[streams<F>.count];
    if (at.is_followed) {
      at.after = position_of(phase, range, i + 1);
      at.is_followed = at.after.lane_count == phase.width * phase.vectors;
      const tile_position second = position_of(phase, range, i + 2 < end ? i + 2 : i + 1);
      for (int s = 0; s < streams<F>.count; ++s) {
        const tile_stream& one = streams<F>.list[s];
        const void* base = args.inputs[one.ref.slot];
        index size = one.size;
        if (one.is_map) {
          base = args.maps[one.ref.slot].numbers;
          size = args.maps[one.ref.slot].wide ? 8 : 4;
        }
        const index begin = distance(one.ref, one.is_map ? second : at.after) * size;
        const auto first =
            reinterpret_cast<std::uintptr_t>(base) + static_cast<std::uintptr_t>(begin);
        lines[s] = {first, first + static_cast<std::uintptr_t>(one.bytes)};
      }
    }
    line_fetcher next(lines, i + 1 < end ? streams<F>.count : 0, streams<F>.lines());
    at.next = &next;
    if (result != nullptr && at.lane_count == phase.width * phase.vectors)
      at.staged = result->begin(at, next, streams<F>.pieces);
    run(at);
  }

  /// One tile. Its steps are compiled for tiles that fetch ahead, and once more for others, unless
  /// they lie behind a call.
  template <int F>
  [[gnu::always_inline]] static void run_tile(const program_arguments<T>& args, T* workspace,
                                              T* scratch, const tile_at& at) {
    static constexpr const program_phase& phase = P::value.phases[F];
    if constexpr (streams<F>.lines() > 0 && select::is_behind_a_call(phase.tile_flops)) {
      call_tile<F>(args, workspace, scratch, at);
    } else {
      run_steps<phase.first_step>(args, workspace, scratch, at,
                                  std::make_integer_sequence<int, phase.step_count>{});
    }
  }
  template <int F>
  [[gnu::noinline]] static void call_tile(const program_arguments<T>& args, T* workspace,
                                          T* scratch, const tile_at& at) {
    static constexpr const program_phase& phase = P::value.phases[F];
    run_steps<phase.first_step>(args, workspace, scratch, at,
                                std::make_integer_sequence<int, phase.step_count>{});
  }

  template <int First, int... S>
  [[gnu::always_inline]] static void run_steps(const program_arguments<T>& args, T* workspace,
                                               T* scratch, const tile_at& at,
                                               std::integer_sequence<int, S...>) {
    (run_unless_done<First, First + S>(args, workspace, scratch, at), ...);
  }

  /// How many steps begin with one and run as one, in a slab or not.
  static constexpr int steps_from(const program_step& step, bool in_slab) {
    if (!in_slab && step.slabs.steps > 0) return step.slabs.steps;
    return step.sandwich > 1 ? step.sandwich : step.together;
  }

  /// Whether step S runs with one before it, of the steps from First on.
  template <int First, int S, bool InSlab>
  static constexpr bool runs_with_earlier() {
    int behind = First;
    while (behind < S)
      behind += steps_from(P::value.steps[static_cast<std::size_t>(behind)], InSlab);
    return behind > S;
  }

  template <int First, int S, bool InSlab = false>
  [[gnu::always_inline]] static void run_unless_done(const program_arguments<T>& args, T* workspace,
                                                     T* scratch, const tile_at& at) {
    static constexpr const program_step& step = P::value.steps[S];
    if constexpr (!runs_with_earlier<First, S, InSlab>()) {
      if constexpr (!InSlab && step.slabs.steps > 0) {
        tile_at in_slab = at;
        for (; in_slab.slab < step.slabs.count; ++in_slab.slab)
          run_slab<S>(args, workspace, scratch, in_slab,
                      std::make_integer_sequence<int, step.slabs.steps>{});
      } else if constexpr (step.sandwich > 1) {
        run_sandwich<S>(args, workspace, scratch, at,
                        std::make_integer_sequence<int, step.sandwich - 2>{});
      } else if constexpr (step.together > 1) {
        run_together<S>(args, workspace, scratch, at,
                        std::make_integer_sequence<int, step.together>{});
      } else {
        run_step<S>(args, workspace, scratch, at);
      }
    }
  }
  template <int First, int... S>
  [[gnu::always_inline]] static void run_slab(const program_arguments<T>& args, T* workspace,
                                              T* scratch, const tile_at& at,
                                              std::integer_sequence<int, S...>) {
    (run_unless_done<First, First + S, true>(args, workspace, scratch, at), ...);
  }

  /// Where the operands of step S lie in the tile.
  template <int S, class A = T, class C = T>
  [[gnu::always_inline]] static step_pointers<T, A, C> pointers(const program_arguments<T>& args,
                                                                T* workspace, T* scratch,
                                                                const tile_at& at) {
    return {address<S, &program_step::a, A>(args, workspace, scratch, at),
            address<S, &program_step::b, T>(args, workspace, scratch, at),
            address<S, &program_step::c, C>(args, workspace, scratch, at)};
  }

  /// Moves the pointers of some steps through their outer loops, which are alike, from number Loop
  /// on; calls f at each place.
  template <int First, int Loop, class F, int... I>
  [[gnu::always_inline]] static void for_each_outer_of(std::array<step_pointers<T>, sizeof...(I)> p,
                                                       F f,
                                                       std::integer_sequence<int, I...> steps) {
    static constexpr const program_step& step = P::value.steps[First];
    if constexpr (Loop == step.outer_count) {
      f(p);
    } else {
      for (index left = P::value.loops[step.first_loop + Loop].extent; left > 0; --left) {
        for_each_outer_of<First, Loop + 1>(p, f, steps);
        (go_on<First + I, Loop>(std::get<I>(p)), ...);
      }
    }
  }
  template <int S, int Loop>
  [[gnu::always_inline]] static void go_on(step_pointers<T>& p) {
    static constexpr const step_loop& loop = P::value.loops[P::value.steps[S].first_loop + Loop];
    p.a += loop.a;
    p.b += loop.b;
    p.c += loop.c;
  }

  /// Whether step s, behind step `first` which it runs with, adds to what the step before it has in
  /// its register.
  static constexpr bool continues(int first, int s) {
    const auto at = static_cast<std::size_t>(s);
    return s > first && P::value.steps[at].accumulates &&
           P::value.steps[at - 1].c == P::value.steps[at].c;
  }

  /// The number of the sum, each in a register, that step S of the steps from First on belongs to.
  template <int First, int S>
  static constexpr int sum_of_step = [] {
    int sum = 0;
    for (int s = First + 1; s <= S; ++s) sum += !continues(First, s);
    return sum;
  }();

  /// What `Count` products entry by entry read: each entry once, though several read it.
  template <int Count>
  struct entries_read {
    int count = 0;
    int number[2 * Count] = {};  ///< of a and b of each step
    int step[2 * Count] = {};    ///< who reads an entry first
    int uses[2 * Count] = {};
  };
  template <int First, int Count>
  static constexpr entries_read<Count> entries_of = [] {
    entries_read<Count> all;
    const auto step = [](int i) -> const program_step& {
      return P::value.steps[static_cast<std::size_t>(First + i)];
    };
    const auto is_same = [&](int x, int y) {
      const program_step &in_x = step(x / 2), &in_y = step(y / 2);
      const auto strides = [&](const step_loop& of_x, const step_loop& of_y) {
        return (x % 2 == 0 ? of_x.a : of_x.b) == (y % 2 == 0 ? of_y.a : of_y.b);
      };
      bool same = (x % 2 == 0 ? in_x.a : in_x.b) == (y % 2 == 0 ? in_y.a : in_y.b) &&
                  strides(in_x.n, in_y.n) && strides(in_x.m, in_y.m);
      for (int l = 0; l < in_x.outer_count; ++l)
        same = same && strides(P::value.loops[static_cast<std::size_t>(in_x.first_loop + l)],
                               P::value.loops[static_cast<std::size_t>(in_y.first_loop + l)]);
      return same;
    };
    for (int i = 0; i < 2 * Count; ++i) {
      int same = 0;
      while (same < i && !is_same(same, i)) ++same;
      all.number[i] = same < i ? all.number[same] : all.count++;
      if (same == i) all.step[all.number[i]] = i / 2;
      ++all.uses[all.number[i]];
    }
    return all;
  }();
  /// Loads what step I of the steps from First on reads first; what lies in registers is `held`.
  /// What others read, too, is kept in a register: g++ loads it anew for each otherwise, and the
  /// loads are what takes the time.
  template <int First, int Count, int I, int Width>
  [[gnu::always_inline]] static void read(const step_pointers<T>& p, index q, index x,
                                          const vec<T, Width>& held, vec<T, Width>* entries) {
    static constexpr const program_step& step = P::value.steps[First + I];
    static constexpr const auto& all = entries_of<First, Count>;
    constexpr int a = all.number[2 * I], b = all.number[2 * I + 1];
    const auto entry = [&]<buffer Where, int Uses>(const T* from) __attribute__((always_inline)) {
      if constexpr (Where == buffer::registers) return held;
      vec<T, Width> one = load<T, Width>(from);
      if constexpr (Uses > 1) pin(one);
      return one;
    };
    if constexpr (all.step[a] == I)
      entries[a] =
          entry.template operator()<step.a.where, all.uses[a]>(p.a + q * step.m.a + x * step.n.a);
    if constexpr (all.step[b] == I && b != a)
      entries[b] =
          entry.template operator()<step.b.where, all.uses[b]>(p.b + q * step.m.b + x * step.n.b);
  }

  /// sum := or += sign a b of entry (q, x) of step I of the steps from First on.
  template <int First, int Count, int I, int Width>
  [[gnu::always_inline]] static void combine(const step_pointers<T>& p, index q, index x,
                                             const vec<T, Width>* entries, vec<T, Width>& sum) {
    static constexpr int S = First + I;
    static constexpr const program_step& step = P::value.steps[S];
    static constexpr const auto& all = entries_of<First, Count>;
    vec<T, Width> a = entries[all.number[2 * I]];
    const vec<T, Width> b = entries[all.number[2 * I + 1]];
    if constexpr (step.sign < 0) a = broadcast<T, Width>(T(-1)) * a;
    if constexpr (!step.accumulates) {
      sum = a * b;
    } else if constexpr (continues(First, S)) {
      sum = fma(a, b, sum);
    } else {
      sum = fma(a, b, load<T, Width>(p.c + q * step.m.c + x * step.n.c));
    }
  }
  /// Stores the sum unless it stays in registers or the next step, if it is before End, adds to it.
  template <int S, int End, int Width>
  [[gnu::always_inline]] static void leave(const step_pointers<T>& p, index q, index x,
                                           const vec<T, Width>& sum) {
    static constexpr const program_step& step = P::value.steps[S];
    if constexpr (step.c.where != buffer::registers && (S + 1 == End || !continues(S, S + 1)))
      store<T, Width>(p.c + q * step.m.c + x * step.n.c, sum);
  }
  /// Entry (q, x) of the products from step First on; returns the sum that stays in registers, or
  /// the last one.
  template <int First, int Width, int... I>
  [[gnu::always_inline]] static vec<T, Width> run_entry(const step_pointers<T>* p, index q, index x,
                                                        const vec<T, Width>& held,
                                                        std::integer_sequence<int, I...>) {
    constexpr int count = sizeof...(I), end = First + count;
    constexpr int result = [] {
      int s = end - 1;
      while (s > First && P::value.steps[static_cast<std::size_t>(s)].c.where != buffer::registers)
        --s;
      return P::value.steps[static_cast<std::size_t>(s)].c.where == buffer::registers ? s : end - 1;
    }();
    vec<T, Width> entries[entries_of<First, count>.count];
    vec<T, Width> sums[sum_of_step<First, end - 1> + 1];
    (read<First, count, I, Width>(p[I], q, x, held, entries), ...);
    (combine<First, count, I, Width>(p[I], q, x, entries, sums[sum_of_step<First, First + I>]),
     ...);
    (leave<First + I, end, Width>(p[I], q, x, sums[sum_of_step<First, First + I>]), ...);
    return sums[sum_of_step<First, result>];
  }
  /// Entry-wise products, entry by entry: what several of them read is in L1 or a register, and the
  /// terms of a sum meet in a register.
  template <int S, int... I>
  [[gnu::always_inline]] static void run_together(const program_arguments<T>& args, T* workspace,
                                                  T* scratch, const tile_at& at,
                                                  std::integer_sequence<int, I...>) {
    static constexpr index extent = P::value.steps[S].n.extent;
    using products = std::integer_sequence<int, I...>;
    for_each_outer_of<S, 0>(
        std::array{pointers<S + I>(args, workspace, scratch, at)...},
        [&](const auto& p) __attribute__((always_inline)) {
          for (index x = 0; x < extent; ++x) {
            if constexpr (fetches<S>()) {
              if (x % entries_of_piece == 0 && at.next != nullptr) at.next->fetch();
            }
            run_entry<S, width_of<S>()>(p.data(), 0, x, {}, products{});
          }
        },
        products{});
  }

  /// A sandwich; I: the products in it.
  template <int S, int... I>
  [[gnu::always_inline]] static void run_sandwich(const program_arguments<T>& args, T* workspace,
                                                  T* scratch, const tile_at& at,
                                                  std::integer_sequence<int, I...> products) {
    constexpr int last = S + sizeof...(I) + 1;
    static constexpr const program_step& there = P::value.steps[S];
    static constexpr const program_step& back = P::value.steps[last];
    static constexpr select::chunks columns(there.n.extent, sandwich_columns_of(S));
    const epilogue_scalars scalars = scalars_of<last>(args);
    for_each_outer_of<S, 0>(
        std::array{pointers<S>(args, workspace, scratch, at),
                   pointers<S + 1 + I>(args, workspace, scratch, at)...,
                   pointers<last>(args, workspace, scratch, at)},
        [&](const auto& p) __attribute__((always_inline)) {
          index done = 0;
          const auto row = [&]<int N>(index count) __attribute__((always_inline)) {
            constexpr sandwich_strides strides{there.m.a, there.k.a, there.k.b, there.n.b,
                                               back.m.a,  back.k.a,  back.m.c,  back.n.c};
            sandwich_row<T, width_of<S>(), static_cast<int>(there.m.extent),
                         static_cast<int>(there.k.extent), static_cast<int>(back.m.extent), N,
                         strides, there.halves, finish_of<last>(), fetches<S>()>(
                p[0].a, p[0].b + done * there.n.b, p[last - S].a, p[last - S].c + done * back.n.c,
                count, scalars.alpha, scalars.beta,
                at.next, [&](int q, index x, const auto& y) __attribute__((always_inline)) {
                  return run_entry<S + 1, width_of<S>()>(p.data() + 1, q, done + x, y, products);
                });
            done += count * N;
          };
          if constexpr (columns.long_count > 0)
            row.template operator()<columns.longer>(columns.long_count);
          if constexpr (columns.short_count > 0)
            row.template operator()<columns.longer - 1>(columns.short_count);
        },
        std::make_integer_sequence<int, last - S + 1>{});
  }

  /// Where operand `Which` of step S lies in the tile. X: what lies there; in the workspace and in
  /// scratch that is T. Only what moves an operand is compiled: all tile loops for all operands
  /// cost g++ 10 ms more for each shape.
  template <int S, operand_ref program_step::*Which, class X>
  [[gnu::always_inline]] static X* address(const program_arguments<T>& args, T* workspace,
                                           T* scratch, const tile_at& at) {
    static constexpr const operand_ref& ref = P::value.steps[S].*Which;
    if constexpr (ref.where == buffer::none || ref.where == buffer::registers) {
      return nullptr;
    } else if constexpr (ref.where == buffer::scratch) {
      return reinterpret_cast<X*>(scratch) + ref.offset + at.slab * ref.slab_stride;
    } else {
      if constexpr (ref.where == buffer::output && stages<static_cast<int>(phase_of<S>())>()) {
        if (at.staged != nullptr) return static_cast<X*>(at.staged) + at.slab * ref.slab_stride;
      }
      const index distance = distance_of<S, Which>(at);
      if constexpr (ref.where == buffer::input) {
        return static_cast<X*>(const_cast<void*>(args.inputs[ref.slot])) + distance;
      } else if constexpr (ref.where == buffer::output) {
        return static_cast<X*>(args.output) + distance;
      } else {
        return reinterpret_cast<X*>(workspace) + distance;
      }
    }
  }

  /// How far operand `Which` of step S lies from its base in the tile.
  template <int S, operand_ref program_step::*Which>
  [[gnu::always_inline]] static index distance_of(const tile_at& at) {
    static constexpr const operand_ref& ref = P::value.steps[S].*Which;
    constexpr std::size_t tile_loops = [] {
      std::size_t n = max_tile_loops;
      while (n > 0 && ref.tile_stride[n - 1] == 0) --n;
      return n;
    }();
    index distance = ref.offset + at.slab * ref.slab_stride;
    if constexpr (ref.lane_stride != 0) distance += at.lane * ref.lane_stride;
    for (std::size_t t = 0; t < tile_loops; ++t) distance += at.tile[t] * ref.tile_stride[t];
    return distance;
  }

  /// A step that reads, or adds to, entries through a map.
  template <int S>
  [[gnu::always_inline]] static void run_mapped(const program_arguments<T>& args, T* scratch,
                                                const tile_at& at) {
    static constexpr const program_step& step = P::value.steps[S];
    if constexpr (step.kind == step_kind::pack) {
      const entry_map& map = args.maps[step.a.slot];
      if (map.wide) {
        gather_through<S, std::int64_t>(args, map, scratch, at);
      } else {
        gather_through<S, std::int32_t>(args, map, scratch, at);
      }
    } else if (args.output_map.wide) {
      scatter_through<S, std::int64_t>(args, scratch, at);
    } else {
      scatter_through<S, std::int32_t>(args, scratch, at);
    }
  }
  template <int S, class I>
  static void gather_through(const program_arguments<T>& args, const entry_map& map, T* scratch,
                             const tile_at& at) {
    static constexpr const program_step& step = P::value.steps[S];
    using A = entry_type<step.a.type>;
    const auto* const x = static_cast<const A*>(args.inputs[step.a.slot]);
    const I* const numbers =
        static_cast<const I*>(map.numbers) + distance_of<S, &program_step::a>(at);
    for_each_outer<step.outer_count>(
        P::value.loops.data() + step.first_loop, step.outer_count,
        step_pointers<T, I, T>{numbers, nullptr, scratch + step.c.offset},
        [&](const step_pointers<T, I, T>& q) {
          constexpr lane_strides stride{step.n.a, step.a.lane_stride};
          constexpr int w = width_of<S>();
          if constexpr (std::is_same_v<A, T> && may_be_runs<T>(step.n.extent, w, stride)) {
            if (at.lane_count == w)
              return gather_row<T, w, step.n.extent>(q.c, x, q.a, stride, ahead(step.a, at));
          }
          gather<T, w, step.a.conjugated && is_complex_type<A>>(q.c, x, q.a, step.n.extent, stride,
                                                                at.lane_count, ahead(step.a, at));
        });
  }
  template <int S, class I>
  static void scatter_through(const program_arguments<T>& args, T* scratch, const tile_at& at) {
    static constexpr const program_step& step = P::value.steps[S];
    const I* const numbers =
        static_cast<const I*>(args.output_map.numbers) + distance_of<S, &program_step::c>(at);
    for_each_outer<step.outer_count>(
        P::value.loops.data() + step.first_loop, step.outer_count,
        step_pointers<T, T, const I>{scratch + step.a.offset, nullptr, numbers},
        [&](const step_pointers<T, T, const I>& q) {
          constexpr lane_strides stride{step.n.c, step.c.lane_stride};
          constexpr int w = width_of<S>();
          T* const y = static_cast<T*>(args.output);
          if constexpr (may_be_runs<T>(step.n.extent, w, stride)) {
            if (at.lane_count == w)
              return scatter_add_row<T, w, step.n.extent>(y, q.a, q.c, stride, ahead(step.c, at));
          }
          scatter_add<T, w>(y, q.a, q.c, step.n.extent, stride, at.lane_count, ahead(step.c, at));
        });
  }

  /// How step S leaves what it computes: as an update only where alpha or beta is more than 1 or 0.
  template <int S>
  static constexpr epilogue finish_of() {
    constexpr const program_step& step = P::value.steps[S];
    constexpr bool scaled = Scaled && step.finish == epilogue::update;
    if (!scaled && step.accumulates && step.sign > 0 && !is_complex_type<T> &&
        step.kind == step_kind::contract)
      return epilogue::add;
    return scaled || step.accumulates || step.sign < 0 ? epilogue::update : epilogue::overwrite;
  }
  struct epilogue_scalars {
    T alpha, beta;
  };
  template <int S>
  [[gnu::always_inline]] static epilogue_scalars scalars_of(const program_arguments<T>& args) {
    constexpr const program_step& step = P::value.steps[S];
    constexpr bool scaled = Scaled && step.finish == epilogue::update;
    const T factor = scaled ? args.alpha : T(1);
    return {step.sign < 0 ? -factor : factor, step.accumulates ? T(1) : scaled ? args.beta : T(0)};
  }

  template <int S>
  [[gnu::always_inline]] static void run_step(const program_arguments<T>& args, T* workspace,
                                              T* scratch, const tile_at& at) {
    static constexpr const program_step& step = P::value.steps[S];
    if constexpr (step.a.mapped || step.c.mapped) {
      run_mapped<S>(args, scratch, at);
    } else {
      run_direct<S>(args, workspace, scratch, at);
    }
  }

  template <int S>
  [[gnu::always_inline]] static void run_direct(const program_arguments<T>& args, T* workspace,
                                                T* scratch, const tile_at& at) {
    static constexpr const program_step& step = P::value.steps[S];
    static constexpr const step_loop* loops = P::value.loops.data() + step.first_loop;
    constexpr epilogue finish = finish_of<S>();
    const epilogue_scalars scalars = scalars_of<S>(args);
    // Only what is packed from and what is unpacked to has another scalar than T.
    using A = std::conditional_t<step.kind == step_kind::pack, entry_type<step.a.type>, T>;
    using C = std::conditional_t<step.kind == step_kind::unpack, entry_type<step.c.type>, T>;
    const step_pointers<T, A, C> p = pointers<S, A, C>(args, workspace, scratch, at);
    if constexpr (step.kind == step_kind::contract) {
      for_each_outer<step.outer_count>(
          loops, step.outer_count,
          p, [&](const step_pointers<T>& q) __attribute__((always_inline)) {
            if constexpr (step.halves == reflection::none)
              contract<S, finish>(q, scalars.alpha, scalars.beta, at.next);
            else
              contract_halves<S, finish>(q, scalars.alpha, scalars.beta, at.next);
          });
    } else if constexpr (step.kind == step_kind::halve) {
      halve(p.a, step.m.a, step.k.a, p.c, step.m.c, step.k.c, step.m.extent, step.k.extent,
            step.halves);
    } else if constexpr (step.kind == step_kind::pack) {
      for_each_outer<step.outer_count>(
          loops, step.outer_count,
          p, [&](const step_pointers<T, A, C>& q) __attribute__((always_inline)) {
            constexpr lane_strides stride{step.n.a, step.a.lane_stride};
            constexpr int w = width_of<S>();
            const int count = lanes_of_vector<S>(at);
            if constexpr (moves_touching<T, w, A>(step.n.extent, stride, step.a.conjugated)) {
              if (count == w) return pack_touching<T, w, step.n.extent>(q.c, q.a, vectors_of<S>());
            }
            pack<T, w, step.a.conjugated && is_complex_type<A>, least_entries<T>(step.n.extent)>(
                q.c, q.a, step.n.extent, stride, count, vectors_of<S>());
          });
    } else {
      for_each_outer<step.outer_count>(
          loops, step.outer_count,
          p, [&](const step_pointers<T, A, C>& q) __attribute__((always_inline)) {
            constexpr lane_strides stride{step.n.c, step.c.lane_stride};
            constexpr int w = width_of<S>();
            const int count = lanes_of_vector<S>(at);
            if constexpr (moves_touching<T, w, C>(step.n.extent, stride,
                                                  finish != epilogue::overwrite)) {
              if (count == w)
                return unpack_touching<T, w, step.n.extent>(q.c, q.a, vectors_of<S>());
            }
            unpack<T, finish, w, least_entries<T>(step.n.extent)>(q.c, q.a, step.n.extent, stride,
                                                                  count, scalars.alpha,
                                                                  scalars.beta, vectors_of<S>());
          });
    }
  }

  template <int S>
  static constexpr int width_of() {
    return P::value.phases[phase_of<S>()].width;
  }
  template <int S>
  static constexpr int vectors_of() {
    return P::value.phases[phase_of<S>()].vectors;
  }
  template <int S>
  [[gnu::always_inline]] static int lanes_of_vector(const tile_at& at) {
    return vectors_of<S>() > 1 ? width_of<S>() : at.lane_count;
  }
  /// Whether the rows of B or C in the unrolled step S lie in scratch and may be read or written as
  /// whole vectors: none begins where the last vector of another ends.
  template <int S>
  static constexpr bool has_padded_rows(const operand_ref& x, index step_loop::*along) {
    const program_step& step = P::value.steps[S];
    if (x.where != buffer::scratch) return false;
    const index w = unrolled_width<T>(lanes_of_unrolled<T>(step), step.n.extent, step.k.extent),
                row = (step.n.extent + w - 1) / w * w;
    const auto is_apart = [&](const step_loop& l) {
      return l.extent == 1 || l.*along == 0 || l.*along >= row || l.*along <= -row;
    };
    bool all = is_apart(step.m) && is_apart(step.k);
    for (int i = 0; i < step.outer_count + step.k_outer_count; ++i)
      all = all && is_apart(P::value.loops[static_cast<std::size_t>(step.first_loop + i)]);
    return all;
  }
  template <int S>
  static constexpr bool fetches() {
    return streams<static_cast<int>(phase_of<S>())>.lines() > 0;
  }

  template <int S, epilogue Finish>
  [[gnu::always_inline]] static void contract(const step_pointers<T>& p, T alpha, T beta,
                                              [[maybe_unused]] line_fetcher* next) {
    static constexpr const program_step& step = P::value.steps[S];
    static constexpr int width = width_of<S>();
    static constexpr tile_modes how{step.a.how, access::lanes, step.a_varies,
                                    step.b.where != buffer::none};
    static constexpr select::tile_shape shape = tile_of(step);
    static constexpr select::chunks rows(step.m.extent, shape.m), columns(step.n.extent, shape.n);

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
    if constexpr (P::value.unrolled && lanes_of_unrolled<T>(step) != unrolled_lanes::none) {
      constexpr unrolled_padding padded{has_padded_rows<S>(step.b, &step_loop::b),
                                        has_padded_rows<S>(step.c, &step_loop::c)};
      run_unrolled<T, static_cast<int>(step.m.extent), static_cast<int>(step.n.extent),
                   static_cast<int>(step.k.extent), lanes_of_unrolled<T>(step), padded, Finish>(t);
      return;
    }
    const auto tiles = [&]<int M, int N>(tile_operands<T> u, index count)
        __attribute__((always_inline)) {
      if constexpr (step.k_outer_count > 0) {
        k_loop outer[step.k_outer_count];
        for (int i = 0; i < step.k_outer_count; ++i) {
          const step_loop& l =
              P::value.loops[static_cast<std::size_t>(step.first_loop + step.outer_count + i)];
          outer[i] = {l.extent, l.a, l.b};
        }
        for (index i = 0; i < count; ++i) {
          register_tile<T, width, M, N, dynamic_k, how, Finish>(u, outer, step.k_outer_count,
                                                                step.k.extent);
          u.a += N * step.n.a;
          u.b += N * step.n.b;
          u.c += N * step.n.c;
        }
      } else if constexpr (P::value.unrolled) {
        for (index i = 0; i < count; ++i) {
          register_tile<T, width, M, N, static_cast<int>(step.k.extent), how, Finish>(u);
          u.a += N * step.n.a;
          u.b += N * step.n.b;
          u.c += N * step.n.c;
        }
      } else if constexpr (step.k.extent <= select::static_sum &&
                           (width > 1 || M * N * step.k.extent <= select::unrolled_scalars)) {
        constexpr tile_strides strides{step.m.a, step.k.a, step.n.a, step.k.b,
                                       step.n.b, step.m.c, step.n.c};
        constexpr int k = static_cast<int>(step.k.extent);
        if constexpr (select::is_in_line(M * step.n.extent * k))
          tile_row<T, width, M, N, k, strides, how, Finish, fetches<S>()>(u.a, u.b, u.c, count,
                                                                          alpha, beta, next);
        else
          call_tile_row<T, width, M, N, k, strides, how, Finish, fetches<S>()>(u.a, u.b, u.c, count,
                                                                               alpha, beta, next);
      } else {
        for (index i = 0; i < count; ++i) {
          register_tile<T, width, M, N, dynamic_k, how, Finish>(u, step.k.extent);
          u.a += N * step.n.a;
          u.b += N * step.n.b;
          u.c += N * step.n.c;
        }
      }
    };
    const auto row = [&]<int M>(tile_operands<T> u) __attribute__((always_inline)) {
      if constexpr (columns.long_count > 0) {
        tiles.template operator()<M, columns.longer>(u, columns.long_count);
      }
      if constexpr (columns.short_count > 0) {
        constexpr index done = columns.long_count * columns.longer;
        u.a += done * step.n.a;
        u.b += done * step.n.b;
        u.c += done * step.n.c;
        tiles.template operator()<M, columns.longer - 1>(u, columns.short_count);
      }
    };
    for (index i = 0; i < rows.long_count; ++i) {
      row.template operator()<rows.longer>(t);
      t.a += rows.longer * step.m.a;
      t.c += rows.longer * step.m.c;
    }
    if constexpr (rows.short_count > 0) {
      for (index i = 0; i < rows.short_count; ++i) {
        row.template operator()<rows.longer - 1>(t);
        t.a += (rows.longer - 1) * step.m.a;
        t.c += (rows.longer - 1) * step.m.c;
      }
    }
  }

  /// As contract, a chunk of pairs of rows after the other.
  template <int S, epilogue Finish, int First = 0>
  [[gnu::always_inline]] static void contract_halves(const step_pointers<T>& p, T alpha, T beta,
                                                     line_fetcher* next) {
    static constexpr const program_step& step = P::value.steps[S];
    constexpr int m = static_cast<int>(step.m.extent), k = static_cast<int>(step.k.extent);
    constexpr select::chunks pairs(m / 2, select::most_pairs);
    constexpr int chunk = First < pairs.long_count * pairs.longer ? pairs.longer : pairs.longer - 1;
    constexpr select::chunks columns(
        step.n.extent,
        select::even_odd_columns(m, static_capabilities.registers_for(scalar_of<T>)));
    static constexpr tile_strides strides{step.m.a, step.k.a, 0,       step.k.b,
                                          step.n.b, step.m.c, step.n.c};
    step_pointers<T> u = p;
    const auto row = [&]<int N>(index count) __attribute__((always_inline)) {
      even_odd_row<T, width_of<S>(), First, chunk, N, m, k, strides, step.halves, Finish,
                   fetches<S>()>(u.a, u.b, u.c, count, alpha, beta, next);
      u.b += count * N * step.n.b;
      u.c += count * N * step.n.c;
    };
    if constexpr (columns.long_count > 0) {
      row.template operator()<columns.longer>(columns.long_count);
    }
    if constexpr (columns.short_count > 0) {
      row.template operator()<columns.longer - 1>(columns.short_count);
    }
    if constexpr (First + chunk < m / 2)
      contract_halves<S, Finish, First + chunk>(p, alpha, beta, next);
  }
};

/// As run_static, behind a call.
template <class P, bool Scaled, class T>
[[gnu::noinline]] void run_tiled(const program_arguments<T>& args) {
  static_runner<P, T, Scaled>::run(args);
}

/// Runs the program P::value, whose scalar is T: float, double, or std::complex of them. `Scaled`
/// says whether alpha and beta are more than 1 and 0. Only what is unrolled is worth a place in the
/// caller; the code of everything else is generated once for all calls.
template <class P, bool Scaled, class T>
[[gnu::always_inline]] inline void run_static(const program_arguments<T>& args) {
  if constexpr (P::value.unrolled) {
    static_runner<P, T, Scaled>::run(args);
  } else {
    run_tiled<P, Scaled>(args);
  }
}

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
