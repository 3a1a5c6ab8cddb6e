#include <tenfold/backend/cpu/caches.hpp>
#include <tenfold/backend/cpu/dynamic_entries.hpp>
#include <tenfold/backend/cpu/dynamic_tiles.hpp>
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
    return step.a_varies && step.b.where != buffer::none && step.a.how == lane_access::lanes &&
           step.b.how == lane_access::lanes && step.m.extent == 1 && step.k.extent == 1 &&
           step.k_outer_count == 0;
  }
  static void multiply_entries(const program_step& step, const step_loop* loops,
                               const step_pointers<T>& p) {
    for_each_outer<max_outer_loops>(loops, step.outer_count, p, [&](const step_pointers<T>& q) {
      together_product<T> one{q.a, q.b, q.c, step.n, step_loop{}, true, false, false};
      multiply_together<T, W>(&one, 1, step.n.extent);
    });
  }

  /// Entry-wise products, some entries at a time: see program_step::together.
  void run_together(const program_step* steps, T* scratch, const tile_position& at) const {
    const int count = steps->together;
    together_product<T> p[select::most_together];
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
    multiply_together<T, W>(p, count, steps->n.extent);
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
    loop_list rows, sums;
    sums.add(loops + step.outer_count, step.k_outer_count);
    sums.add(step.k);
    rows.add(loops + step.outer_count + step.k_outer_count, step.row_count);
    rows.add(step.m);
    const listed_matrix<T> matrix(p.a, rows, sums);
    listed_operands<T> t{nullptr,  p.b,      p.c,   matrix.b_k, matrix.c_m,
                         step.n.b, step.n.c, alpha, beta};
    for_each_outer<max_outer_loops>(loops, step.outer_count, p, [&](const step_pointers<T>& q) {
      for (index r = 0; r < matrix.tiles.count(); ++r) {
        const int m = matrix.height(r);
        const auto all =
            row_of(select::chunks(step.n.extent, select::listed_columns(m)), [&](int n) {
              return listed_table<T, W>.data()[(m - 1) * select::most_listed_columns + n - 1];
            });
        t.a = matrix.tile(r);
        t.c_m = matrix.c_m + matrix.tiles.start(r);
        t.b = q.b;
        t.c = q.c;
        all.longer(t, matrix.terms, all.long_count);
        if (all.short_count == 0) continue;
        t.b += all.done * step.n.b;
        t.c += all.done * step.n.c;
        all.shorter(t, matrix.terms, all.short_count);
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
    const int most = is_row(step) ? select::dynamic_row(scalar_of<T>).n : most_dynamic_columns<T>;
    const select::chunks rows(step.m.extent, most_dynamic_rows<T>), columns(step.n.extent, most);
    k_loop k_outer[max_k_outer];
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
    const dynamic_tile_function<T>* const functions = dynamic_tiles_of<T, W>(step);
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
