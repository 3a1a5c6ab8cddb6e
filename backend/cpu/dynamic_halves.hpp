#pragma once

#include <array>
#include <tenfold/backend/cpu/dynamic_tiles.hpp>
#include <tenfold/backend/cpu/even_odd.hpp>
#include <tenfold/backend/cpu/scratch.hpp>
#include <tenfold/backend/cpu/step_pointers.hpp>
#include <utility>

/// Products with matrices in halves, of a program that is data.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

/// Register tiles of the rows of one panel: `count` side by side along n, and that at each place of
/// one loop more.
template <class T>
struct half_tiles_operands {
  const T* panel;              ///< see for_each_half_panel
  index first, rows, columns;  ///< its first pair; M and K
  index b_k, b_n, c_m, c_n;
  T alpha, beta;
  index count;
  step_loop around;
  index b, c;  ///< where they begin, from where the step does
};

template <class T>
using half_function = void (*)(const half_tiles_operands<T>&, const T* b, T* c);

template <class T, int W, int Pairs, bool Middle, int N, reflection Kind, epilogue Finish>
void half_tiles(const half_tiles_operands<T>& all, const T* b, T* c) {
  tile_operands<T> t;
  t.b = b + all.b;
  t.c = c + all.c;
  t.b_k = all.b_k;
  t.b_n = all.b_n;
  t.c_m = all.c_m;
  t.c_n = all.c_n;
  t.alpha = all.alpha;
  t.beta = all.beta;
  for (index left = all.around.extent; left > 0; --left) {
    for (index i = 0; i < all.count; ++i) {
      even_odd_panel_tile<T, W, Pairs, Middle, N, Kind, Finish>(t, all.panel, all.first, all.rows,
                                                                all.columns);
      t.b += N * t.b_n;
      t.c += N * t.c_n;
    }
    t.b += all.around.b - all.count * N * t.b_n;
    t.c += all.around.c - all.count * N * t.c_n;
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

/// The steps of a phase that apply a matrix in halves, made ready once for all tiles: matrices in
/// panels, of each step the calls that its tiles are. `T` is real, W > 1.
template <class T, int W>
class half_products {
 public:
  static bool is_in_halves(const program_step& step) {
    return step.kind == step_kind::contract && step.halves != reflection::none;
  }

  /// Of the `count` steps of a phase. place(step): where the halves lie that it applies, which no
  /// tile and no slab moves; alpha(step), beta(step): C := alpha A B + beta C.
  template <class Place, class Alpha, class Beta>
  half_products(const program_step* steps, int count, const step_loop* loops, const Place& place,
                const Alpha& alpha, const Beta& beta)
      : steps_(steps),
        loops_(loops),
        first_calls_(static_cast<std::size_t>(count + 1) * sizeof(int)),
        calls_(static_cast<std::size_t>(room_for(steps, count).calls) * sizeof(call)),
        panels_(static_cast<std::size_t>(room_for(steps, count).entries) * sizeof(T)) {
    T* free = panels_.as<T>();
    int made = 0;
    for (int s = 0; s < count; ++s) {
      first_calls_.as<int>()[s] = made;
      if (!is_in_halves(steps[s])) continue;
      // Steps along several axes share their matrix.
      int same = 0;
      while (same < s && !have_same_panels(steps[same], steps[s])) ++same;
      const T* panel = free;
      if (same < s)
        panel = calls_.as<call>()[first_calls_.as<int>()[same]].tiles.panel;
      else
        free = pack(steps[s], place(steps[s]), free);
      add_calls(steps[s], panel, alpha(steps[s]), beta(steps[s]), made);
    }
    first_calls_.as<int>()[count] = made;
  }

  /// Runs step `s` of the phase.
  void run(int s, const step_pointers<T>& p) const {
    const program_step& step = steps_[s];
    const int outer_count = step.outer_count == 0 ? 0 : step.outer_count - 1;
    for (int i = first_calls_.as<int>()[s]; i < first_calls_.as<int>()[s + 1]; ++i) {
      const call& one = calls_.as<call>()[i];
      if (outer_count == 0) {
        one.run(one.tiles, p.b, p.c);
      } else {
        for_each_outer<max_step_loops>(
            loops_ + step.first_loop, outer_count, p,
            [&](const step_pointers<T>& q) { one.run(one.tiles, q.b, q.c); });
      }
    }
  }

 private:
  struct call {
    half_function<T> run;
    half_tiles_operands<T> tiles;
  };
  struct room {
    index calls = 0, entries = 0;
  };

  static half_strides strides_of(const program_step& step) {
    return {step.m.a, step.k.a, step.m.extent, step.k.extent};
  }
  static bool have_same_panels(const program_step& x, const program_step& y) {
    operand_ref a = x.a;
    a.value = y.a.value;  // one matrix may be read under several labels
    return is_in_halves(x) && a == y.a && x.m.a == y.m.a && x.k.a == y.k.a &&
           x.m.extent == y.m.extent && x.k.extent == y.k.extent;
  }
  static room room_for(const program_step* steps, int count) {
    room all;
    for (int s = 0; s < count; ++s) {
      if (!is_in_halves(steps[s])) continue;
      for_each_half_panel(steps[s].m.extent, [&](index, index, bool) { all.calls += 2; });
      all.entries += size_of_half_panels(strides_of(steps[s]));
    }
    return all;
  }

  static T* pack(const program_step& step, const T* halves, T* to) {
    return step.halves == reflection::odd
               ? pack_half_panels<reflection::odd>(halves, strides_of(step), to)
               : pack_half_panels<reflection::even>(halves, strides_of(step), to);
  }

  void add_calls(const program_step& step, const T* panel, T alpha, T beta, int& made) {
    half_tiles_operands<T> t{.panel = panel,
                             .first = 0,
                             .rows = step.m.extent,
                             .columns = step.k.extent,
                             .b_k = step.k.b,
                             .b_n = step.n.b,
                             .c_m = step.m.c,
                             .c_n = step.n.c,
                             .alpha = alpha,
                             .beta = beta,
                             .count = 0,
                             .around = {},
                             .b = 0,
                             .c = 0};
    if (step.outer_count > 0) t.around = loops_[step.first_loop + step.outer_count - 1];
    const half_function<T>* const functions =
        alpha == T(1) && beta == T(0) ? half_tiles_of<T, W, epilogue::overwrite>(step.halves)
                                      : half_tiles_of<T, W, epilogue::update>(step.halves);
    const select::chunks columns(step.n.extent, select::even_odd_columns(step.m.extent, registers));
    for_each_half_panel(step.m.extent, [&](index first, index pairs, bool middle) {
      t.first = first;
      t.b = t.c = 0;
      const auto add = [&](index n, index count) {
        if (count == 0) return;
        t.count = count;
        calls_.as<call>()[made++] = {
            functions[(2 * (pairs - 1) + middle) * select::most_even_odd_columns + n - 1], t};
        t.b += count * n * step.n.b;
        t.c += count * n * step.n.c;
      };
      add(columns.longer, columns.long_count);
      add(columns.longer - 1, columns.short_count);
      t.panel += size_of_half_panels({0, 0, 2 * pairs + middle, step.k.extent});
    });
  }

  const program_step* steps_;
  const step_loop* loops_;
  scratch_block first_calls_;  ///< int, by step: which calls are its
  scratch_block calls_, panels_;
};

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
