#pragma once

#include <tenfold/backend/cpu/mapped.hpp>
#include <tenfold/backend/cpu/pack.hpp>
#include <tenfold/backend/cpu/step_pointers.hpp>
#include <tenfold/backend/interface/arguments.hpp>

/// Where the operands of a program that is data lie, and its steps that pack and unpack them.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

/// Where a tile lies, and which slab of it steps are in that run slab by slab.
struct slab_position : tile_position {
  index slab = 0;
};

template <class T, int W>
class dynamic_moves {
 protected:
  dynamic_moves(const program_view& p, const program_phase& phase, const program_arguments<T>& args,
                T* workspace)
      : program_(p), phase_(phase), args_(args), workspace_(workspace) {}

  /// X: what lies there; in the workspace and in scratch that is T.
  template <class X>
  X* address(const operand_ref& ref, T* scratch, const slab_position& at) const {
    switch (ref.where) {
      case buffer::none:
      case buffer::registers:  // of sandwiches, which no run-time capabilities offer
        return nullptr;
      case buffer::input:
        return static_cast<X*>(const_cast<void*>(args_.inputs[ref.slot])) +
               distance_in_slab(ref, at);
      case buffer::output:
        return static_cast<X*>(args_.output) + distance_in_slab(ref, at);
      case buffer::workspace:
        return reinterpret_cast<X*>(workspace_) + distance_in_slab(ref, at);
      case buffer::scratch:
        return reinterpret_cast<X*>(scratch) + ref.offset + at.slab * ref.slab_stride;
    }
    return nullptr;
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

  /// A step that reads, or adds to, entries through a map.
  void run_mapped(const program_step& step, const step_loop* loops, T* scratch,
                  const slab_position& at) const {
    if (step.kind == step_kind::unpack) {
      if (args_.output_map.wide) return scatter_through<std::int64_t>(step, loops, scratch, at);
      return scatter_through<std::int32_t>(step, loops, scratch, at);
    }
    with_entries<T>(step.a, [&]<class A, bool Conjugated>(std::type_identity<A>,
                                                          std::bool_constant<Conjugated>) {
      if (args_.maps[step.a.slot].wide)
        gather_from<A, Conjugated, std::int64_t>(step, loops, scratch, at);
      else
        gather_from<A, Conjugated, std::int32_t>(step, loops, scratch, at);
    });
  }

  template <class I>
  void scatter_through(const program_step& step, const step_loop* loops, T* scratch,
                       const slab_position& at) const {
    const auto* const numbers = static_cast<const I*>(args_.output_map.numbers);
    const step_pointers<T, T, const I> p{scratch + step.a.offset, nullptr,
                                         numbers + distance(step.c, at)};
    for_each_outer<max_step_loops>(
        loops, step.outer_count, p, [&](const step_pointers<T, T, const I>& q) {
          scatter_add<T, W>(static_cast<T*>(args_.output), q.a, q.c, step.n.extent,
                            {step.n.c, step.c.lane_stride}, at.lane_count, 0);
        });
  }

  template <class A, bool Conjugated, class I>
  void gather_from(const program_step& step, const step_loop* loops, T* scratch,
                   const slab_position& at) const {
    const auto* const x = static_cast<const A*>(args_.inputs[step.a.slot]);
    const auto* const numbers = static_cast<const I*>(args_.maps[step.a.slot].numbers);
    const step_pointers<T, I> p{numbers + distance(step.a, at), nullptr, scratch + step.c.offset};
    for_each_outer<max_step_loops>(loops, step.outer_count, p, [&](const step_pointers<T, I>& q) {
      gather<T, W, Conjugated>(q.c, x, q.a, step.n.extent, {step.n.a, step.a.lane_stride},
                               at.lane_count, 0);
    });
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

  int lanes_of_vector(const slab_position& at) const {
    return phase_.vectors > 1 ? W : at.lane_count;
  }

  void run_pack(const program_step& step, const step_loop* loops, T* scratch,
                const slab_position& at) const {
    with_entries<T>(step.a, [&]<class A, bool Conjugated>(std::type_identity<A>,
                                                          std::bool_constant<Conjugated>) {
      pack_from<A, Conjugated>(step, loops, scratch, at);
    });
  }

  template <class A, bool Conjugated>
  void pack_from(const program_step& step, const step_loop* loops, T* scratch,
                 const slab_position& at) const {
    const step_pointers<T, A> p{address<A>(step.a, scratch, at), nullptr,
                                address<T>(step.c, scratch, at)};
    for_each_outer<max_step_loops>(loops, step.outer_count, p, [&](const step_pointers<T, A>& q) {
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
                  const slab_position& at) const {
    with_type(step.c.type, [&]<class C>(std::type_identity<C>) {
      if constexpr (narrows<T, C>) unpack_to<C>(step, loops, scratch, at);
    });
  }

  template <class C>
  void unpack_to(const program_step& step, const step_loop* loops, T* scratch,
                 const slab_position& at) const {
    const step_pointers<T, T, C> p{address<T>(step.a, scratch, at), nullptr,
                                   address<C>(step.c, scratch, at)};
    for_each_outer<max_step_loops>(
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

  const program_view& program_;
  const program_phase& phase_;
  const program_arguments<T>& args_;
  T* workspace_;

 private:
  static index distance_in_slab(const operand_ref& ref, const slab_position& at) {
    return distance(ref, at) + at.slab * ref.slab_stride;
  }
};

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
