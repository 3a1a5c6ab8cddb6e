#pragma once

#include <tenfold/backend/cpu/caches.hpp>
#include <tenfold/backend/cpu/gemm_static.hpp>
#include <tenfold/backend/cpu/parallel.hpp>
#include <tenfold/backend/cpu/parts.hpp>
#include <tenfold/backend/cpu/scratch.hpp>
#include <tenfold/backend/cpu/staged_result.hpp>
#include <tenfold/backend/cpu/static_tile.hpp>
#include <tenfold/backend/cpu/whole_steps.hpp>
#include <tenfold/backend/interface/arguments.hpp>
#include <tenfold/backend/interface/select.hpp>
#include <utility>

/// Runs a program that is a constant, phase by phase and tile by tile.
///
/// `P` is a type with `static constexpr auto value`, a program. Micro-kernels are keyed by their
/// shape, not by P, so that expressions (and steps) of one shape share them.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

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
  using tile = static_tile<P, T, Scaled>;

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
      require_library<T>();
      static constexpr const program_step& step = P::value.steps[phase.first_step];
      run_whole(phase, step, P::value.loops.data() + step.first_loop, args, workspace);
    } else if constexpr (phase.scatters) {
      const phase_range range = range_of(phase, args.extents);
      for_each_part(args, P::value.phases.data(), phase, range, [&](index begin, index end) {
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
        {tile::template address<S, &program_step::a, T>(args, nullptr, nullptr, first),
         step.a.tile_stride[0]},
        {tile::template address<S, &program_step::b, T>(args, nullptr, nullptr, first),
         step.b.tile_stride[0]},
        {tile::template address<S, &program_step::c, T>(args, nullptr, nullptr, first),
         step.c.tile_stride[0]},
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
      if constexpr (streams_of<P, F>.are_fetched()) {
        if (bytes_of_sweep(streams_of<P, F>, range.count, args.maps) >
            static_cast<double>(caches().l3))
          return run_ahead<F>(args, workspace, scratch, range, begin, end);
      }
      tile_at at;
      for (index i = begin; i < end; ++i) {
        move_to(at, phase, range, i);
        tile::template run<F>(args, workspace, scratch, at);
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

  /// Scratch of so many bytes lies on the stack, where a tiny program finds it at once.
  static constexpr std::size_t stack_bytes = 4096;

  /// The same, where a tile meanwhile fetches what the next one reads, and, where the call itself
  /// is larger than the caches, what the one before left in scratch goes to memory.
  template <int F>
  [[gnu::always_inline]] static void run_ahead(const program_arguments<T>& args, T* workspace,
                                               T* scratch, const phase_range& range, index begin,
                                               index end) {
    static constexpr const program_phase& phase = P::value.phases[F];
    T* staged = nullptr;
    if constexpr (stages<P, F>()) {
      const double read = static_cast<double>(range.count * streams_of<P, F>.bytes);
      T* const y = static_cast<T*>(args.output);
      if (read > static_cast<double>(caches().l3) && (!Scaled || args.beta == T(0)) &&
          reinterpret_cast<std::uintptr_t>(y) % 64 == 0)
        staged = y;
    }
    staged_result<T> result(staged_piece<P, F>, staged);
    tile_at at;
    ranges_ahead ahead;
    for (index i = begin; i < end; ++i) {
      look_ahead(phase, range, i, end, streams_of<P, F>, args.inputs, args.maps, at, ahead);
      line_fetcher next(ahead.ranges, ahead.count, streams_of<P, F>.pieces);
      at.next = ahead.count > 0 || staged != nullptr ? &next : nullptr;
      at.staged = staged != nullptr && at.lane_count == phase.width * phase.vectors
                      ? result.begin(at, next, streams_of<P, F>.pieces)
                      : nullptr;
      tile::template run<F>(args, workspace, scratch, at);
    }
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
