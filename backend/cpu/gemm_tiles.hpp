#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <tenfold/backend/cpu/gemm.hpp>
#include <utility>

/// The register tiles of products whose shapes are numbers: rows and columns as constants, in
/// tables; all else at run time.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

/// From one register tile to the next: entries of the operands, and bytes of what is fetched; or
/// the addresses of the problems to which the tiles belong, see problem_steps.
struct tile_steps {
  index a, b, c;
  index next_a, next_b, next_c;
  const problem_addresses* at = nullptr;
  index ahead = 1;
};

template <class T>
using tile_function = void (*)(const T* a, const T* b, T* c, const tile_operands<T>&,
                               const fetch_cursor& next, index k, index count, const tile_steps&);

/// Whether tiles of W lanes count on neighbouring columns, whose distance is then a constant: with
/// strides known when the program runs the addresses of a tile cost as much as its arithmetic (n =
/// 8, interleaved: 0.6 of the rate). Only where a block of problems is one vector.
template <class T, int W>
inline constexpr bool columns_touch = W * sizeof(real<T>) == 64;

/// C := alpha S + beta C for the sums S[rows][columns][W] of a register tile at c, of whose last
/// column only `tail` entries exist, if that is not 0; all else is that of t. Apart from the tiles,
/// whose code it would make half as long again.
///
/// As in a register tile all of C that is read is read before any of it is written.
template <class T, int W, lane_access How>
[[gnu::noinline]] void update_tile(T* sums, const tile_operands<T>& t, T* first, index c_n,
                                   int tail, int rows, int columns) {
  constexpr bool splits = How == lane_access::split;
  const auto alpha = broadcast<T, W>(t.alpha), beta = broadcast<T, W>(t.beta);
  constexpr bool may_have_part = How == lane_access::lanes && W <= lanes<T>;
  const bool has_part = may_have_part && tail > 0;
  const int whole = has_part ? columns - 1 : columns;
  const auto load_sum = [](const T* p) {
    if constexpr (splits)
      return load_split<T, W>(p, W);
    else
      return load<T, W>(p);
  };
  const auto store_sum = [](T* p, const vec<T, W>& v) {
    if constexpr (splits)
      store_split<T, W>(p, v, W);
    else
      store<T, W>(p, v);
  };
  // Calls whole_entry(sum, place in C) or part_entry(the same) for each entry of the tile.
  const auto for_each_entry = [&](const auto& whole_entry, const auto& part_entry)
      __attribute__((always_inline)) {
    T* sum = sums;
    for (int m = 0; m < rows; ++m) {
      T* c = first + m * t.c_m;
      for (int n = 0; n < whole; ++n, sum += W, c += c_n) whole_entry(sum, c);
      if (!has_part) continue;
      part_entry(sum, c);
      sum += W;
    }
  };
  const auto set_sums = [&](const auto& value) __attribute__((always_inline)) {
    const auto set = [&](T* sum, const T*) { store_sum(sum, value(load_sum(sum))); };
    for_each_entry(set, set);
  };
  if constexpr (is_complex_type<T>) {
    if (t.conjugate_sum) set_sums([](const vec<T, W>& v) { return conjugate(v); });
  }
  if (t.beta != T(0)) {
    const auto add = [&](T * sum, const vec<T, W>& old) __attribute__((always_inline)) {
      store_sum(sum, value_of<false>(fma(alpha, load_sum(sum), beta * old)));
    };
    for_each_entry(
        [&](T* sum, const T* c) {
          if constexpr (splits)
            add(sum, load_split<T, W>(c, t.c_im));
          else
            add(sum, load<T, W>(c));
        },
        [&](T* sum, const T* c) {
          if constexpr (may_have_part) add(sum, load_partial<T, W>(c, tail));
        });
  } else if (t.alpha != T(1)) {
    set_sums([&](const vec<T, W>& v) { return value_of<false>(alpha * v); });
  }
  if constexpr (W > 1 && (splits || !is_complex_type<T>)) {
    if (t.past_caches) {
      const auto write = [&](const T* sum, T* c) {
        if constexpr (splits)
          stream_split<T, W>(c, load_sum(sum), t.c_im);
        else
          stream<T, W>(c, load_sum(sum));
      };
      return for_each_entry(write, write);
    }
  }
  for_each_entry(
      [&](const T* sum, T* c) {
        if constexpr (splits)
          store_split<T, W>(c, load_split<T, W>(sum, W), t.c_im);
        else
          store<T, W>(c, load<T, W>(sum));
      },
      [&](const T* sum, T* c) {
        if constexpr (may_have_part) store_partial<T, W>(c, load<T, W>(sum), tail);
      });
}

constexpr tile_modes without_last(tile_modes how) {
  how.last = 0;
  return how;
}

/// `count` register tiles. `Touch`: columns are W apart.
///
/// The operands are not copied as a whole: a vector that takes in an address just written waits for
/// it.
template <class T, int W, int M, int N, tile_modes How, bool Touch>
void tiles(const T* a, const T* b, T* c, const tile_operands<T>& operands, const fetch_cursor& next,
           index k, index count, const tile_steps& step) {
  constexpr bool narrows = N == 1 && How.last != 0;  // the tile is that narrower vector
  constexpr tile_modes how = narrows ? without_last(How) : How;
  const bool is_sum = is_sum_only(operands) && !operands.conjugate_sum;
  // What a tile uses besides its sums is loaded anew for each. g++ would keep it in mask and vector
  // registers; there it waits behind the multiply-adds before, and all that needs the address of a
  // store with it: up to 25 ns a tile (order 16: 0.87 of the rate, Zen 4).
  index sums_only = is_sum ? 1 : 0, fetches = next.fetches ? 1 : 0;
  index row_of_c = is_sum ? operands.c_m : N * W;
  alignas(64) std::byte memory[sizeof(T) * M * N * W];
  T* const sums = reinterpret_cast<T*>(memory);
  tile_operands<T> t;
  t.a = a;
  t.a_m = operands.a_m;
  t.a_k = operands.a_k;
  t.a_im = operands.a_im;
  t.b = b;
  t.b_k = operands.b_k;
  t.b_n = Touch ? W : operands.b_n;
  t.b_im = operands.b_im;
  t.tail = operands.tail;
  t.c = sums;
  t.c_n = Touch || !is_sum ? W : operands.c_n;
  t.c_im = is_sum ? operands.c_im : W;
  t.past_caches = is_sum && operands.past_caches;
  t.next = next;
  t.next.fetches = false;

  // Where the tile lies in its problem, and what it fetches of the next.
  const problem_addresses* at = step.at;
  index in_a = 0, in_b = 0, in_c = 0;
  std::uintptr_t fetched_a = 0, fetched_b = 0, fetched_c = 0;
  if (at != nullptr) {
    in_a = a - static_cast<const T*>(at->a);
    in_b = b - static_cast<const T*>(at->b);
    in_c = c - static_cast<T*>(at->c);
    fetched_a = next.a - reinterpret_cast<std::uintptr_t>(at[step.ahead].a);
    fetched_b = next.b - reinterpret_cast<std::uintptr_t>(at[step.ahead].b);
    fetched_c = next.c - reinterpret_cast<std::uintptr_t>(at[step.ahead].c);
  }
  for (index left = count; left > 0; --left) {
    t.c_m = reloaded(row_of_c);
    t.next.fetches = reloaded(fetches) != 0;
    if (at != nullptr) {
      t.a = static_cast<const T*>(at->a) + in_a;
      t.b = static_cast<const T*>(at->b) + in_b;
      c = static_cast<T*>(at->c) + in_c;
      if (next.fetches) {
        start_at(t.next, at[step.ahead]);
        t.next.a += fetched_a;
        t.next.b += fetched_b;
        t.next.c += fetched_c;
      }
      ++at;
    }
    if (reloaded(sums_only) != 0) t.c = c;
    register_tile<T, narrows ? How.last : W, M, N, dynamic_k, how, epilogue::overwrite>(t, k);
    if (reloaded(sums_only) == 0)
      update_tile<T, W, How.c>(sums, operands, c, Touch ? W : operands.c_n,
                               How.tail == 0 ? 0 : operands.tail, M, N);
    t.a += step.a;
    t.b += step.b;
    c += step.c;
    if (!t.next.fetches) continue;
    t.next.a += static_cast<std::uintptr_t>(step.next_a);
    t.next.b += static_cast<std::uintptr_t>(step.next_b);
    t.next.c += static_cast<std::uintptr_t>(step.next_c);
  }
}

/// Register tiles of up to `Cut::widest` columns and, with n of them, up to Cut::rows(n) rows.
template <class T, int W, class Cut, tile_modes How, bool Touch>
struct tile_table {
  static constexpr int width = W, widest = Cut::widest;
  static constexpr bool touches = Touch;
  static constexpr int rows(int columns) { return Cut::rows(columns); }

  static tile_function<T> tile(index rows, index columns) {
    return entries[static_cast<std::size_t>(start(static_cast<int>(columns)) + rows - 1)];
  }

 private:
  static constexpr int start(int columns) {  // of the tiles with so many columns
    int before = 0;
    for (int n = 1; n < columns; ++n) before += Cut::rows(n);
    return before;
  }
  static constexpr int columns_of(int i) {
    int n = 1;
    while (start(n + 1) <= i) ++n;
    return n;
  }
  static constexpr auto make = []<int... I>(std::integer_sequence<int, I...>) {
    return std::array<tile_function<T>, sizeof...(I)>{
        &tiles<T, W, I - start(columns_of(I)) + 1, columns_of(I), How, Touch>...};
  };
  static constexpr auto entries = make(std::make_integer_sequence<int, start(Cut::widest + 1)>{});
};

/// By columns; W: those of a narrower vector serve results of one.
template <class T, int W>
struct columns_cut {
  static constexpr int widest =
      W == neighbours<T> ? select::most_vectors(registers, scalar_of<T>) : 1;
  static constexpr int rows(int n) {
    const int most = select::most_rows(n, registers, scalar_of<T>);
    return most < select::carried_rows ? most : select::carried_rows;
  }
};
template <class T, int W, bool Partial, bool Conjugate, int Last = 0>
using columns_table = tile_table<T, W, columns_cut<T, W>,
                                 tile_modes{.tail = Partial ? any_tail : 0,
                                            .conjugate_a = Conjugate,
                                            .ahead = select::fetch::into_l1,
                                            .repeats = true,
                                            .last = Last,
                                            .pairs = select::pairs_steps(registers)},
                                 true>;

template <class T, int W, lane_access A>
struct lanes_cut {
  static constexpr select::tile_shape most =
      select::most_lanes_tile(registers, scalar_of<T>, A == lane_access::uniform, vectors_in<T, W>);
  static constexpr int widest = most.n;
  static constexpr int rows(int) { return most.m; }
};
template <class T, int W, lane_access A, bool Conjugate>
using lanes_table = tile_table<T, W, lanes_cut<T, W, A>,
                               tile_modes{.a = A,
                                          .b = problem_lanes<T>,
                                          .c = problem_lanes<T>,
                                          .conjugate_a = Conjugate,
                                          .ahead = select::fetch::into_l2,
                                          .lines = 2,
                                          .repeats = true,
                                          .streams = true,
                                          .pairs = select::pairs_steps(registers)},
                               columns_touch<T, W>>;

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
