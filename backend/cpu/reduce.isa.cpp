#include <algorithm>
#include <tenfold/backend/cpu/loop_walk.hpp>
#include <tenfold/backend/cpu/parallel.hpp>
#include <tenfold/backend/cpu/scratch.hpp>
#include <tenfold/backend/cpu/short_sums.hpp>
#include <tenfold/backend/cpu/update.hpp>
#include <tenfold/backend/cpu/whole_steps.hpp>

/// Sums along which the operands are neighbours in memory: dot products, rows of a matrix times a
/// vector, sums of all entries. The lanes are neighbouring terms of one sum; some vectors of them
/// are summed side by side, and put together once at its end, in an order that shapes and the
/// instruction set alone say.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {
namespace {

inline constexpr int most_rows = select::reduced_rows;
/// Vectors of one sum side by side: as many as multiply-adds are under way where both factors come
/// from L1.
inline constexpr int side_by_side = 4;
/// Terms that are converted at a time: a multiple of those side by side, for any vector.
inline constexpr index converted_terms = 512;

/// An operand along k: where it lies, converted first if it is not of T.
template <class T>
class terms {
 public:
  terms(const operand_ref& ref, const void* base) : ref_(ref), base_(base) {}

  bool are_foreign() const { return !lies_as<T>(ref_); }

  const T* at(index distance) const { return static_cast<const T*>(base_) + distance; }

  /// Terms from a distance on, at `to` if they are converted.
  const T* converted(T* to, index distance, index count) const {
    if (!are_foreign()) return at(distance);
    with_entries<T>(
        ref_, [&]<class X, bool Conjugated>(std::type_identity<X>, std::bool_constant<Conjugated>) {
          copy_run<T, Conjugated>(to, static_cast<const X*>(base_) + distance, count, 1);
        });
    return to;
  }

 private:
  const operand_ref& ref_;
  const void* base_;
};

template <class T>
class reduction {
 public:
  reduction(const program_step& step, const step_loop* loops, const step_arguments<T>& args)
      : step_(step), args_(args), a_(step.a, args.a), b_(step.b, args.b) {
    rows_ = step.m.extent < most_rows ? static_cast<int>(step.m.extent) : most_rows;
    loops_.add(loops, step.outer_count);
    loops_.add({(step.m.extent + rows_ - 1) / rows_, step.m.a * rows_, 0, step.m.c * rows_});
    k_loops_.add(loops + step.outer_count, step.k_outer_count);
    groups_ = loops_.extent();
    runs_ = k_loops_.extent();
  }

  void run() const {
    const index parts = step_.blocks.parts;
    if (parts > 1) return in_parts();
    const index grain = std::max<index>(
        1, select::reduced_task / std::max<index>(1, rows_ * runs_ * step_.k.extent));
    parallel_tiles(groups_, grain, [&](index begin, index end) {
      for_each_group(begin, end, [&](const loop_walk& at, index, int rows) {
        T totals[most_rows];
        sum(at, rows, 0, 1, totals);
        for (int r = 0; r < rows; ++r)
          update_entry(args_.c[at.c + r * step_.m.c], totals[r], args_.alpha, args_.beta);
      });
    });
  }

 private:
  /// Calls f(where, number, rows) for groups of rows.
  template <class F>
  void for_each_group(index begin, index end, F f) const {
    loop_walk at(loops_, begin);
    for (index g = begin; g < end; ++g, at.next()) {
      const index left = step_.m.extent - at.at(step_.outer_count) * rows_;
      f(at, g, static_cast<int>(std::min<index>(rows_, left)));
    }
  }

  /// Part p of `parts` of the sums of some rows: of the runs along k, or of the only one.
  void sum(const loop_walk& at, int rows, index p, index parts, T* totals) const {
    const auto with = [&]<int... R>(std::integer_sequence<int, R...>) {
      const bool has_b = step_.b.where != buffer::none;
      ((rows == R + 1 ? (has_b ? sum<R + 1, true>(at, p, parts, totals)
                               : sum<R + 1, false>(at, p, parts, totals))
                      : void()),
       ...);
    };
    with(std::make_integer_sequence<int, most_rows>{});
  }

  template <int Rows, bool HasB>
  void sum(const loop_walk& at, index p, index parts, T* totals) const {
    partial_sums<Rows> s;
    for (auto& row : s)
      for (auto& v : row) v = broadcast<T, w>(T(0));
    const bool by_runs = step_.k_outer_count > 0;
    const index count = by_runs ? runs_ : (step_.k.extent + unit - 1) / unit;
    const index begin = count * p / parts, end = count * (p + 1) / parts;
    if (by_runs) {
      loop_walk k(k_loops_, begin);
      for (index i = begin; i < end; ++i, k.next())
        add_run<Rows, HasB>(s, at.a + k.a, at.b + k.b, step_.k.extent);
    } else {
      const index first = begin * unit;
      add_run<Rows, HasB>(s, at.a + first, at.b + first,
                          std::min(end * unit, step_.k.extent) - first);
    }
    static_assert(side_by_side == 4);
#pragma GCC unroll 4
    for (int r = 0; r < Rows; ++r)
      totals[r] = sum_of_lanes<T, w>((s[r][0] + s[r][1]) + (s[r][2] + s[r][3]));
  }
  static constexpr index unit = converted_terms;  ///< where one run is cut into parts
  static constexpr int w = lanes<T>;
  template <int Rows>
  using partial_sums = vec<T, w>[Rows][side_by_side];

  /// Neighbouring terms of some rows.
  template <int Rows, bool HasB>
  [[gnu::always_inline]] void add_run(partial_sums<Rows>& s, index in_a, index in_b,
                                      index count) const {
    const T* a[Rows];
    if (!a_.are_foreign() && !(HasB && b_.are_foreign())) {
#pragma GCC unroll 4
      for (int r = 0; r < Rows; ++r) a[r] = a_.at(in_a + r * step_.m.a);
      return add<Rows, HasB>(s, a, HasB ? b_.at(in_b) : nullptr, count);
    }
    alignas(64) std::byte bytes[(Rows + 1) * converted_terms * sizeof(T)];
    T* const memory = reinterpret_cast<T*>(bytes);
    for (index k = 0; k < count; k += converted_terms) {
      const index some = std::min(converted_terms, count - k);
      for (int r = 0; r < Rows; ++r)
        a[r] = a_.converted(memory + r * converted_terms, in_a + r * step_.m.a + k, some);
      const T* const b =
          HasB ? b_.converted(memory + Rows * converted_terms, in_b + k, some) : nullptr;
      add<Rows, HasB>(s, a, b, some);
    }
  }

  /// s[r] += sum_k a[r][k] b[k], or of a[r][k].
  template <int Rows, bool HasB>
  [[gnu::always_inline]] static void add(partial_sums<Rows>& s, const T* const* a, const T* b,
                                         index count) {
    const auto term = [&](int v, index k, auto load_terms) __attribute__((always_inline)) {
      vec<T, w> factor{};
      if constexpr (HasB) factor = load_terms(b + k);
#pragma GCC unroll 4
      for (int r = 0; r < Rows; ++r) {
        const vec<T, w> x = load_terms(a[r] + k);
        if constexpr (HasB)
          s[r][v] = fma(x, factor, s[r][v]);
        else
          s[r][v] = s[r][v] + x;
      }
    };
    const auto whole = [](const T* p) __attribute__((always_inline)) { return load<T, w>(p); };
    index k = 0;
    for (; k + side_by_side * w <= count; k += side_by_side * w) {
#pragma GCC unroll 4
      for (int v = 0; v < side_by_side; ++v) term(v, k + v * w, whole);
    }
#pragma GCC unroll 4
    for (int v = 0; v < side_by_side; ++v) {
      const index left = count - k;
      if (left >= w) {
        term(v, k, whole);
      } else if (left > 0) {
        term(
            v, k, [&](const T* p) __attribute__((always_inline)) {
              return load_partial<T, w>(p, static_cast<int>(left));
            });
      }
      k += w;
    }
  }

  /// Parts of all sums side by side, then their totals in order.
  void in_parts() const {
    const index parts = step_.blocks.parts, entries = groups_ * rows_;
    const scratch_block memory(static_cast<std::size_t>(parts * entries) * sizeof(T));
    T* const each = memory.as<T>();
    parallel_tiles(parts, 1, [&](index first, index last) {
      for (index p = first; p < last; ++p) {
        for_each_group(0, groups_, [&](const loop_walk& at, index g, int rows) {
          sum(at, rows, p, parts, each + p * entries + g * rows_);
        });
      }
    });
    for_each_group(0, groups_, [&](const loop_walk& at, index g, int rows) {
      for (int r = 0; r < rows; ++r) {
        T total = each[g * rows_ + r];
        for (index p = 1; p < parts; ++p) total += each[p * entries + g * rows_ + r];
        update_entry(args_.c[at.c + r * step_.m.c], total, args_.alpha, args_.beta);
      }
    });
  }

  const program_step& step_;
  const step_arguments<T>& args_;
  terms<T> a_, b_;
  loop_list loops_;    ///< outer ones, groups of rows
  loop_list k_loops_;  ///< contracted ones around k
  int rows_;
  index groups_, runs_;
};

/// By several rows in a vector, or by the shortest vectors that hold the terms, of four lanes at
/// least.
template <class T, int W>
void run_short(const loop_list& loops, const sum_rows& rows, index terms,
               const step_arguments<T>& args) {
  const auto runs = [&]<int Segment>(std::integral_constant<int, Segment>) {
    if constexpr (permutes<T, W> && Segment <= W) {
      using sums = short_sums<T, W, row_loads::whole, Segment>;
      if (!sums::can_run(rows, terms, args)) return false;
      sums(loops, rows, terms, args).run();
      return true;
    }
    return false;
  };
  if constexpr (W == lanes<T>)
    if (runs(std::integral_constant<int, 2>{}) || runs(std::integral_constant<int, 4>{}) ||
        runs(std::integral_constant<int, 8>{}))
      return;
  if constexpr (!is_complex_type<T> && W >= 8)
    if (2 * terms <= W) return run_short<T, W / 2>(loops, rows, terms, args);
  if (!runs(std::integral_constant<int, W>{})) short_sums<T, W>(loops, rows, terms, args).run();
}
template <class T>
void run_short(const program_step& step, const step_loop* loops, const step_arguments<T>& args) {
  loop_list around;
  for (int l = 0; l < step.outer_count; ++l) around.add_folded(loops[l]);
  around.add_folded(step.m);
  if (around.count() == 0) around.add(step.m);
  const sum_rows rows = sum_rows::take(around);
  run_short<T, lanes<T>>(around, rows, step.k.extent, args);
}

}  // namespace

template <class T>
void run_reduce(const program_step& step, const step_loop* loops, const step_arguments<T>& args) {
  const bool has_b = step.b.where != buffer::none;
  if (select::sums_together(step.k.extent, lanes<T>) && step.k_outer_count == 0 &&
      step.blocks.parts <= 1 && lies_as<T>(step.a) && (!has_b || lies_as<T>(step.b)))
    return run_short<T>(step, loops, args);
  reduction<T>(step, loops, args).run();
}

template void run_reduce(const program_step&, const step_loop*, const step_arguments<float>&);
template void run_reduce(const program_step&, const step_loop*, const step_arguments<double>&);
template void run_reduce(const program_step&, const step_loop*,
                         const step_arguments<std::complex<float>>&);
template void run_reduce(const program_step&, const step_loop*,
                         const step_arguments<std::complex<double>>&);

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
