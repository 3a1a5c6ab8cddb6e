#pragma once

#include <tenfold/backend/cpu/fetch.hpp>
#include <tenfold/backend/cpu/mapped.hpp>
#include <tenfold/backend/cpu/pack.hpp>
#include <tenfold/backend/cpu/staged_result.hpp>
#include <tenfold/backend/cpu/static_contract.hpp>
#include <tenfold/backend/cpu/static_entries.hpp>
#include <tenfold/backend/cpu/static_steps.hpp>
#include <tenfold/backend/cpu/step_pointers.hpp>
#include <tenfold/backend/cpu/tile_rows.hpp>
#include <tenfold/backend/interface/arguments.hpp>
#include <tenfold/backend/interface/select.hpp>
#include <utility>

/// One tile of a program that is a constant: every step becomes one micro-kernel of static shape.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

/// The steps of P::value, whose scalar is T, in a tile. `Scaled`: see run_static.
template <class P, class T, bool Scaled>
class static_tile {
 public:
  /// One tile. Its steps are compiled for tiles that fetch ahead, and once more for others, unless
  /// they lie behind a call.
  template <int F>
  [[gnu::always_inline]] static void run(const program_arguments<T>& args, T* workspace, T* scratch,
                                         tile_at& at) {
    static constexpr const program_phase& phase = P::value.phases[F];
    if constexpr (streams_of<P, F>.are_fetched() && select::is_behind_a_call(phase.tile_flops)) {
      call_tile<F>(args, workspace, scratch, at);
    } else {
      run_steps<phase.first_step>(args, workspace, scratch, at,
                                  std::make_integer_sequence<int, phase.step_count>{});
    }
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
      if constexpr (ref.where == buffer::output &&
                    stages<P, static_cast<int>(phase_of<P, S>())>()) {
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

 private:
  template <int F>
  [[gnu::noinline]] static void call_tile(const program_arguments<T>& args, T* workspace,
                                          T* scratch, tile_at& at) {
    static constexpr const program_phase& phase = P::value.phases[F];
    run_steps<phase.first_step>(args, workspace, scratch, at,
                                std::make_integer_sequence<int, phase.step_count>{});
  }

  template <int First, int... S>
  [[gnu::always_inline]] static void run_steps(const program_arguments<T>& args, T* workspace,
                                               T* scratch, tile_at& at,
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
                                                     T* scratch, tile_at& at) {
    static constexpr const program_step& step = P::value.steps[S];
    if constexpr (!runs_with_earlier<First, S, InSlab>()) {
      if constexpr (!InSlab && step.slabs.steps > 0) {
        for (; at.slab < step.slabs.count; ++at.slab)
          run_slab<S>(args, workspace, scratch, at,
                      std::make_integer_sequence<int, step.slabs.steps>{});
        at.slab = 0;
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
                                              T* scratch, tile_at& at,
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
  /// Entry-wise products, entry by entry: what several of them read is in L1 or a register, and the
  /// terms of a sum meet in a register.
  template <int S, int... I>
  [[gnu::always_inline]] static void run_together(const program_arguments<T>& args, T* workspace,
                                                  T* scratch, const tile_at& at,
                                                  std::integer_sequence<int, I...>) {
    static constexpr index extent = P::value.steps[S].n.extent;
    using products = std::integer_sequence<int, I...>;
    for_each_outer_of<P, S, 0>(
        std::array{pointers<S + I>(args, workspace, scratch, at)...},
        [&](const auto& p) __attribute__((always_inline)) {
          for (index x = 0; x < extent; ++x) {
            if constexpr (fetches<P, S>()) {
              if (x % entries_of_piece == 0 && at.next != nullptr) at.next->fetch();
            }
            run_entry<P, S, width_of<P, S>()>(p.data(), 0, x, {}, products{});
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
    static constexpr select::chunks columns(there.n.extent, sandwich_columns_of<P>(S));
    const epilogue_scalars scalars = scalars_of<last>(args);
    for_each_outer_of<P, S, 0>(
        std::array{pointers<S>(args, workspace, scratch, at),
                   pointers<S + 1 + I>(args, workspace, scratch, at)...,
                   pointers<last>(args, workspace, scratch, at)},
        [&](const auto& p) __attribute__((always_inline)) {
          for_each_row_of_tiles<columns>([&]<int N>(index first,
                                                    index count) __attribute__((always_inline)) {
            constexpr sandwich_strides strides{there.m.a, there.k.a, there.k.b, there.n.b,
                                               back.m.a,  back.k.a,  back.m.c,  back.n.c};
            sandwich_row<T, width_of<P, S>(), static_cast<int>(there.m.extent),
                         static_cast<int>(there.k.extent), static_cast<int>(back.m.extent), N,
                         strides, there.halves, finish_of<last>(), fetches<P, S>()>(
                p[0].a, p[0].b + first * there.n.b, p[last - S].a, p[last - S].c + first * back.n.c,
                count, scalars.alpha, scalars.beta,
                at.next, [&](int q, index x, const auto& y) __attribute__((always_inline)) {
                  return run_entry<P, S + 1, width_of<P, S>()>(p.data() + 1, q, first + x, y,
                                                               products);
                });
          });
        },
        std::make_integer_sequence<int, last - S + 1>{});
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

  /// What is fetched beside a row that goes through a map.
  template <int S>
  [[gnu::always_inline]] static void fetch_beside_row(const tile_at& at) {
    constexpr index pieces = streams_of<P, static_cast<int>(phase_of<P, S>())>.of_row;
    if constexpr (fetches<P, S>() && pieces > 0) {
      if (at.next == nullptr) return;
      for (index i = 0; i < pieces; ++i) at.next->fetch();
    }
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
          fetch_beside_row<S>(at);
          constexpr int w = width_of<P, S>();
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
          fetch_beside_row<S>(at);
          constexpr int w = width_of<P, S>();
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
              contract<P, S, finish>(q, scalars.alpha, scalars.beta, at.next);
            else
              contract_halves<P, S, finish>(q, scalars.alpha, scalars.beta, at.next);
          });
    } else if constexpr (step.kind == step_kind::halve) {
      halve(p.a, step.m.a, step.k.a, p.c, step.m.c, step.k.c, step.m.extent, step.k.extent,
            step.halves);
    } else if constexpr (step.kind == step_kind::pack) {
      for_each_outer<step.outer_count>(
          loops, step.outer_count,
          p, [&](const step_pointers<T, A, C>& q) __attribute__((always_inline)) {
            constexpr lane_strides stride{step.n.a, step.a.lane_stride};
            fetch_beside_row<S>(at);
            constexpr int w = width_of<P, S>();
            const int count = lanes_of_vector<S>(at);
            if constexpr (moves_touching<T, w, A>(step.n.extent, stride, step.a.conjugated)) {
              if (count == w)
                return pack_touching<T, w, step.n.extent>(q.c, q.a, vectors_of<P, S>());
            }
            pack<T, w, step.a.conjugated && is_complex_type<A>, least_entries<T>(step.n.extent)>(
                q.c, q.a, step.n.extent, stride, count, vectors_of<P, S>());
          });
    } else {
      for_each_outer<step.outer_count>(
          loops, step.outer_count,
          p, [&](const step_pointers<T, A, C>& q) __attribute__((always_inline)) {
            constexpr lane_strides stride{step.n.c, step.c.lane_stride};
            fetch_beside_row<S>(at);
            constexpr int w = width_of<P, S>();
            const int count = lanes_of_vector<S>(at);
            if constexpr (moves_touching<T, w, C>(step.n.extent, stride,
                                                  finish != epilogue::overwrite)) {
              if (count == w)
                return unpack_touching<T, w, step.n.extent>(q.c, q.a, vectors_of<P, S>());
            }
            unpack<T, finish, w, least_entries<T>(step.n.extent)>(q.c, q.a, step.n.extent, stride,
                                                                  count, scalars.alpha,
                                                                  scalars.beta, vectors_of<P, S>());
          });
    }
  }

  template <int S>
  [[gnu::always_inline]] static int lanes_of_vector(const tile_at& at) {
    return vectors_of<P, S>() > 1 ? width_of<P, S>() : at.lane_count;
  }
};

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
