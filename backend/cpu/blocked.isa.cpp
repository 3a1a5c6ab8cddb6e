#include <algorithm>
#include <array>
#include <cstdint>
#include <tenfold/backend/cpu/caches.hpp>
#include <tenfold/backend/cpu/column_order.hpp>
#include <tenfold/backend/cpu/column_panels.hpp>
#include <tenfold/backend/cpu/loop_walk.hpp>
#include <tenfold/backend/cpu/panels.hpp>
#include <tenfold/backend/cpu/parallel.hpp>
#include <tenfold/backend/cpu/register_tile.hpp>
#include <tenfold/backend/cpu/scratch.hpp>
#include <tenfold/backend/cpu/update.hpp>
#include <tenfold/backend/cpu/whole_steps.hpp>

/// Products of operands that leave the caches or whose labels are scattered. Blocks of A and B are
/// packed straight from their strides into panels, the transposition that an order of labels would
/// ask for being part of that (P. Springer, P. Bientinesi, Design of a high-performance GEMM-like
/// tensor-tensor multiplication, 2018); results go to their strides row by row of a register tile
/// (D. Matthews, High-performance tensor contraction without transposition, 2018). What is left in
/// between is one matrix product, cut as Goto and van de Geijn cut it.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {
namespace {

/// B lies [vector of columns][k][entry], A lies [group of rows][k][row].
template <class T>
inline constexpr int row_lanes = std::max(blocked_tile<T>.m, block_entries<T>);

// ---- register tiles -----------------------------------------------------------------------------

/// C[m][n] := alpha sum_k A[k][m] B[n][k] + beta C[m][n] of panels, for rows [first, end) of a
/// block: t.a is where its row 0 lies, t.c where row `first` does. Ends with t.c behind them.
template <class T>
using tile_function = void (*)(tile_operands<T>& t, index k, index first, index end);

/// By whole tiles, one after the other: a call for each costs as much as some of its contracted
/// values (`fedcba := sum_g cged bafg`, 16 and 24 values a label, single precision, Zen 3: 56
/// GFLOP/s, tile by tile 50).
template <class T, int M, int N>
void multiply_tiles(tile_operands<T>& t, index k, index first, index end) {
  constexpr tile_modes how{.streams = true, .fetches_run = true};
  const T* const a = t.a;
  for (index r = first; r < end; r += M, t.c += M * t.c_m) {
    t.a = a + r / row_lanes<T> * row_lanes<T> * k + r % row_lanes<T>;
    if (!t.past_caches)
      for (index m = 0; m < M; ++m)
        for (index n = 0; n < N; ++n) __builtin_prefetch(t.c + m * t.c_m + n * t.c_n, 1);
    register_tile<T, column_lanes<T>, M, N, dynamic_k, how, epilogue::update>(t, k);
    t.next.a += static_cast<std::uintptr_t>(t.next.rate_a * k);
  }
  t.a = a;
}

/// The most rows of a tile of so many vectors of columns.
template <class T>
constexpr int rows_of_tile(int vectors) {
  return vectors > blocked_tile<T>.n ? streamed_tile<T>.m : blocked_tile<T>.m;
}
/// The tiles of the fewest rows that hold `rows`, with so many vectors of columns.
template <class T>
tile_function<T> tiles_of(index rows, int vectors) {
  constexpr int most = blocked_tile<T>.m, half = most > 1 ? most / 2 : 1;
  static_assert(streamed_tile<T>.m == most || streamed_tile<T>.m == half);
  static constexpr auto with_rows =
      []<int M, int... N>(std::integer_sequence<int, M>, std::integer_sequence<int, N...>) {
    return std::array<tile_function<T>, sizeof...(N)>{&multiply_tiles<T, M, N + 1>...};
  };
  static constexpr auto columns = std::make_integer_sequence<int, blocked_tile<T>.n>{};
  static constexpr auto all_columns = std::make_integer_sequence<int, streamed_tile<T>.n>{};
  static constexpr auto all = with_rows(std::integer_sequence<int, most>{}, columns);
  static constexpr auto some = with_rows(std::integer_sequence<int, half>{}, all_columns),
                        one = with_rows(std::integer_sequence<int, 1>{}, all_columns);
  const auto n = static_cast<std::size_t>(vectors - 1);
  return rows > half ? all[n] : rows > 1 ? some[n] : one[n];
}
template <class T>
constexpr bool is_tile(index rows) {
  return rows == blocked_tile<T>.m || rows == blocked_tile<T>.m / 2 || rows == 1;
}

// ---- blocks -------------------------------------------------------------------------------------

/// Rounded up to whole parts.
constexpr index whole(index n, index part) { return (n + part - 1) / part * part; }

/// A result and its factors.
template <class T>
struct target {
  T* data;
  T alpha, beta;
};

/// One product of the batch.
template <class T>
class product {
 public:
  product(const program_step& step, const step_loop* loops, const step_arguments<T>& args,
          index in_a, index in_b, index in_c)
      : step_(step),
        args_(args),
        in_a_(in_a),
        in_b_(in_b),
        in_c_(in_c),
        k_{loops + step.outer_count, step.k_outer_count},
        m_{k_.loops + k_.count, step.row_count},
        n_(m_.loops + m_.count, step.column_count, step.blocks.run),
        near_in_c_(step.column_count > 0 ? m_.loops[m_.count + step.column_count - 1].c : 0) {
    for (group* g : {&k_, &m_})
      for (int l = 0; l < g->count; ++l) g->extent *= g->loops[l].extent;
    streams_ = !is_complex_type<T> && args.beta == T(0) && k_.extent <= step.blocks.k &&
               step.blocks.parts == 1 && m_.extent * n_.extent() * index{sizeof(T)} > caches().l3;
  }

  void run() const {
    if (step_.blocks.parts > 1) return in_parts();
    sum({args_.c + in_c_, args_.alpha, args_.beta}, 0, k_.extent, false);
  }

 private:
  struct group {
    const step_loop* loops = nullptr;
    int count = 0;
    index extent = 1;
  };
  static constexpr int v = column_lanes<T>, width = panel_columns<T>;
  static_assert(sizeof(column_panel<T>) <= select::column_panel_bytes(width));

  /// Contracted values [begin, end), all rows and columns, into a result that lies as C does or,
  /// `dense`, row by row.
  void sum(const target<T>& to, index begin, index end, bool dense) const {
    const index most = step_.blocks.n;
    parallel_tiles(n_.blocks(most), 1, [&](index first, index last) {
      for (index i = first; i < last; ++i) columns(to, begin, end, dense, n_.at(i, most));
    });
  }

  /// The same of the columns of a block.
  void columns(const target<T>& to, index begin, index end, bool dense,
               const column_order::block& of) const {
    const index kc = step_.blocks.k, most = std::min(kc, end - begin);
    neighbours_apart near{of.run > 1 ? of.run : 0,
                          neighbours_apart::of(k_.loops, k_.count, &step_loop::b)};
    const bool pads = near_in_c_ == 1 && select::pads_runs(of.run, m_.extent, v);
    const padded_runs<v> padded{of.run, pads ? std::min(of.left, of.count) : of.count};
    index n = of.count;
    if (pads) {
      n = padded.places(of.count);
      near.lanes = padded.whole(of.run);
    }
    const scratch_block numbers(static_cast<std::size_t>(2 * (n + most)) * sizeof(index));
    index* const at = numbers.as<index>();
    const distances in_n{at, at + n}, in_k{at + 2 * n, at + 2 * n + most};
    n_.fill(of.first, of.count, in_n.x, in_n.y);
    if (dense)
      for (index i = 0; i < of.count; ++i) in_n.y[i] = of.first + i;
    if (pads) {
      padded.spread(in_n.x, of.count);
      padded.spread(in_n.y, of.count);
    }
    const scratch_block list(static_cast<std::size_t>((n + v - 1) / v) * sizeof(column_panel<T>));
    column_panel<T>* const panels = list.as<column_panel<T>>();
    const int vectors =
        streams_ && select::takes_streamed_tile(k_.extent) ? streamed_tile<T>.n : blocked_tile<T>.n;
    index panel_count = 0;
    for (index first = 0; first < n; first += panels[panel_count++].vectors * v)
      panels[panel_count] = panel_from<T>(in_n.y, first, n, vectors);
    const scratch_block packed(static_cast<std::size_t>(whole(n, v) * most) * sizeof(T));
    T* const b = packed.as<T>();
    const bool transposes = near.lanes > 0 && near.lanes % std::min(v, least_part) == 0;
    const bool may_stay = !transposes && select::reads_in_place(m_.extent, most, blocked_tile<T>.m);
    target<T> now = to;
    for (index p = begin; p < end; p += kc) {
      const index k = std::min(kc, end - p);
      in_k.fill(k_.loops, k_.count, &step_loop::a, &step_loop::b, p, k);
      for (index i = 0; i < panel_count; ++i) {
        column_panel<T>& x = panels[i];
        x.b = b + x.first * k;
        x.b_k = v;
        x.b_n = v * k;
        x.is_packed = !(may_stay && read_in_place(x, in_n.x + x.first, in_k.y, k));
      }
      const auto pack = [&](index first, index last) {
        pack_operand<T, v>(b + first * k, args_.b, in_b_, step_.b, in_n.x + first, last - first,
                           in_k.y, k, near);
      };
      if (transposes) {
        const index together = near.lanes * block_entries<T> * select::packed_runs;
        parallel_tiles(
            (n + together - 1) / together, select::packed_panels(k * together),
            [&](index first, index last) { pack(first * together, std::min(last * together, n)); });
      } else {
        parallel_tiles(panel_count, select::packed_panels(k * width),
                       [&](index first, index last) { pack_panels(panels, first, last, pack); });
      }
      const index m = step_.blocks.m;
      parallel_tiles((m_.extent + m - 1) / m, 1, [&](index first, index last) {
        for (index i = first; i < last; ++i)
          rows(now, dense, i * m, std::min(m, m_.extent - i * m), in_n.y, panels, panel_count,
               in_k.x, k);
        streams_end();
      });
      now.beta = T(1);
    }
  }
  /// Packs what is not read in place of panels [first, last), as many side by side as there are.
  template <class Pack>
  static void pack_panels(const column_panel<T>* panels, index first, index last, Pack pack) {
    for (index i = first; i < last; ++i) {
      const index begin = i;
      while (i < last && panels[i].is_packed) ++i;
      if (i > begin) pack(panels[begin].first, panels[i - 1].first + panels[i - 1].columns);
    }
  }
  /// Leaves the columns of B where they are, if they lie like a panel.
  bool read_in_place(column_panel<T>& x, const index* column_at, const index* k_at, index k) const {
    index apart = 0;
    if (!lies_as<T>(step_.b) || !is_regular(k_at, k) || !in_vectors<T>(column_at, x.columns, apart))
      return false;
    x.b = static_cast<const T*>(args_.b) + in_b_ + column_at[0] + k_at[0];
    x.b_k = k > 1 ? k_at[1] - k_at[0] : 0;
    x.b_n = apart;
    return true;
  }

  /// The same of rows [i, i + m) and k contracted values, B being ready. A panel of B passes all
  /// rows, while the next one is fetched.
  void rows(const target<T>& to, bool dense, index i, index m, const index* column_at,
            const column_panel<T>* panels, index panel_count, const index* k_at, index k) const {
    const scratch_block numbers(static_cast<std::size_t>(3 * m) * sizeof(index));
    const distances in_m{numbers.as<index>(), numbers.as<index>() + m};
    in_m.fill(m_.loops, m_.count, &step_loop::a, &step_loop::c, i, m);
    if (dense)
      for (index r = 0; r < m; ++r) in_m.y[r] = (i + r) * n_.extent();
    index* const even = numbers.as<index>() + 2 * m;
    count_even(in_m.y, m, even);
    const scratch_block packed(static_cast<std::size_t>(whole(m, row_lanes<T>) * k) * sizeof(T));
    T* const a = packed.as<T>();
    pack_operand<T, row_lanes<T>>(a, args_.a, in_a_, step_.a, in_m.x, m, k_at, k,
                                  {0, neighbours_apart::of(k_.loops, k_.count, &step_loop::a)});
    tile_operands<T> t;
    t.a = a;
    t.a_m = 1;
    t.a_k = row_lanes<T>;
    for (index p = 0; p < panel_count; ++p) {
      const column_panel<T>& x = panels[p];
      const column_panel<T>* const next = p + 1 < panel_count ? &x + 1 : nullptr;
      const index tile_rows = rows_of_tile<T>(x.vectors), parts = (m + tile_rows - 1) / tile_rows;
      t.b = x.b;
      t.b_k = x.b_k;
      t.b_n = x.b_n;
      const bool fetches_at_once = next != nullptr && !next->is_packed;
      t.next.fetches = next != nullptr && next->is_packed;
      if (t.next.fetches) start_at(t.next, *next, k, parts);
      for (index r = 0, end; r < m; r = end) {
        if (fetches_at_once) fetch(*next, k, r / tile_rows, parts);
        const index in_steps = x.in_vectors ? even[r] : 0;
        end = in_steps < tile_rows || fetches_at_once ? std::min(r + tile_rows, m)
                                                      : r + in_steps / tile_rows * tile_rows;
        if (in_steps >= tile_rows || (in_steps >= end - r && is_tile<T>(end - r)))
          into_result(to, x, column_at, in_m.y, r, end, t, k);
        else
          by_scratch(to, x, column_at, in_m.y, r, end, t, k);
      }
    }
  }
  /// Of each row, how many from it on lie in equal steps in C.
  static void count_even(const index* at, index m, index* count) {
    for (index r = m - 1; r >= 0; --r) {
      const bool goes_on = r + 2 < m && at[r + 2] - at[r + 1] == at[r + 1] - at[r];
      count[r] = goes_on ? count[r + 1] + 1 : std::min<index>(m - r, 2);
    }
  }

  /// A panel is fetched in so many parts, one with each tile. Of one that is packed, the tile
  /// itself does so, by `next`: a line with each contracted value, which of one or two parts are
  /// not all lines (order 1600, double precision: 1.06 times the rate, Emerald Rapids).
  ///
  /// Lines of memory that are packed next are not fetched: of `dcba := sum_e aebd ce`, 287 MB, they
  /// slowed the tiles by as much as packing gained (0.9 to 1.0 of the rate), of `edcba := sum_f
  /// afbce df` and `dabfe fc`, 24 to 48 values a label, by more (0.7 to 0.97; Zen 5). Nor are these
  /// faster where B is read along its own neighbours, and results wait in L2 to be transposed on
  /// their way out: without that they run at 1.3 to 1.8 times the rate, with it at 0.7 to 1.15.
  static void start_at(fetch_cursor& next, const column_panel<T>& x, index k, index parts) {
    const index bytes = x.vectors * x.b_n * index{sizeof(T)};
    next.a = reinterpret_cast<std::uintptr_t>(x.b);
    next.rate_a = (bytes + parts * k - 1) / (parts * k);
  }
  /// One that is read in place is fetched at once: its rows lie too far apart to be foreseen (`dcba
  /// := sum_e ce deba` of extents 36: 33 GFLOP/s instead of 22, Granite Rapids).
  [[gnu::always_inline]] static void fetch(const column_panel<T>& x, index k, index part,
                                           index parts) {
    for (index q = k * part / parts; q < k * (part + 1) / parts; ++q)
      for (index n = 0; n < x.vectors; ++n) __builtin_prefetch(x.b + q * x.b_k + n * x.b_n);
  }

  /// Register tiles of rows [first, end), which lie in equal steps, of columns that are vectors.
  ///
  /// What tiles have in common stands in `t`, which is not copied: that would read together what
  /// was just stored apart, and so wait until all stores before are done, those of results to
  /// memory among them (`fedcba := sum_g aged cbfg`, 16 and 24 values a label, Zen 3: 18 GFLOP/s,
  /// with a copy 12).
  void into_result(const target<T>& to, const column_panel<T>& x, const index* column_at,
                   const index* row_at, index first, index end, tile_operands<T>& t,
                   index k) const {
    const index rows = end - first;
    t.c = to.data + row_at[first] + column_at[x.first];
    t.c_m = rows > 1 ? row_at[first + 1] - row_at[first] : 0;
    t.c_n = x.c_n;
    t.alpha = to.alpha;
    t.beta = to.beta;
    constexpr auto vector = static_cast<std::uintptr_t>(v * sizeof(T));
    const auto step = static_cast<std::uintptr_t>((t.c_m | t.c_n) * index{sizeof(T)});
    t.past_caches = streams_ && (reinterpret_cast<std::uintptr_t>(t.c) | step) % vector == 0;
    tiles_of<T>(std::min<index>(rows, rows_of_tile<T>(x.vectors)), x.vectors)(t, k, first, end);
  }

  /// One register tile whose rows or columns lie otherwise. Runs that go on from row to row can go
  /// past the caches, too (`fedcba := sum_g bged cafg`, 24 and 20 values a label, single precision,
  /// Zen 5: 109 GFLOP/s instead of 80).
  void by_scratch(const target<T>& to, const column_panel<T>& x, const index* column_at,
                  const index* row_at, index first, index end, tile_operands<T>& t, index k) const {
    const index rows = end - first;
    column_at += x.first;
    row_at += first;
    const bool touch = streams_ && rows_touch(x, row_at, rows);
    for (index row = 0; row < rows && !touch; ++row)
      for (index i = 0; i < x.columns; i += v)
        __builtin_prefetch(to.data + row_at[row] + column_at[i], 1);
    alignas(64) std::byte memory[sizeof(T) * blocked_tile<T>.m * width];
    T* const sums = reinterpret_cast<T*>(memory);
    t.c = sums;
    t.c_m = width;
    t.c_n = v;
    t.alpha = T(1);
    t.beta = T(0);
    t.past_caches = false;
    tiles_of<T>(rows, x.vectors)(t, k, first, end);
    if (touch) {
      alignas(64) std::byte all[sizeof(T) * blocked_tile<T>.m * width];
      T* const in_a_row = reinterpret_cast<T*>(all);
      for (int run = 0, i = 0; run < x.run_count; i = x.run_end[run++]) {
        const int count = x.run_end[run] - i;
        for (index row = 0; row < rows; ++row)
          update_run(in_a_row + row * count, sums + row * width + i, count, to.alpha, T(0));
        stream_run(to.data + row_at[0] + column_at[i], in_a_row, rows * count);
      }
      return;
    }
    for (index row = 0; row < rows; ++row) {
      T* const c = to.data + row_at[row];
      for (int run = 0, i = 0; run < x.run_count; i = x.run_end[run++]) {
        const int count = x.run_end[run] - i;
        if (count == 1)
          update_entry(c[column_at[i]], sums[row * width + i], to.alpha, to.beta);
        else
          update_run(c + column_at[i], sums + row * width + i, count, to.alpha, to.beta);
      }
    }
  }

  /// Whether each run of a row of C ends where that of the next row begins.
  static bool rows_touch(const column_panel<T>& x, const index* row_at, index rows) {
    if (rows < 2 || !is_regular(row_at, rows)) return false;
    int i = 0;
    for (int run = 0; run < x.run_count; i = x.run_end[run++])
      if (x.run_end[run] - i != row_at[1] - row_at[0]) return false;
    return true;
  }

  /// Parts of the contracted values side by side, then their sum in order.
  void in_parts() const {
    const index parts = step_.blocks.parts, entries = m_.extent * n_.extent();
    const scratch_block results(static_cast<std::size_t>(parts * entries) * sizeof(T));
    T* const each = results.as<T>();
    parallel_tiles(parts, 1, [&](index first, index last) {
      for (index p = first; p < last; ++p)
        sum({each + p * entries, T(1), T(0)}, k_.extent * p / parts, k_.extent * (p + 1) / parts,
            true);
    });
    const scratch_block numbers(static_cast<std::size_t>(2 * n_.extent()) * sizeof(index));
    const distances in_n{numbers.as<index>(), numbers.as<index>() + n_.extent()};
    n_.fill(0, n_.extent(), in_n.x, in_n.y);
    for (index i = 0; i < m_.extent; ++i) {
      index in_a = 0, in_c = 0;
      distances{&in_a, &in_c}.fill(m_.loops, m_.count, &step_loop::a, &step_loop::c, i, 1);
      for (index j = 0; j < n_.extent(); ++j) {
        T total = each[i * n_.extent() + j];
        for (index p = 1; p < parts; ++p) total += each[p * entries + i * n_.extent() + j];
        update_entry(args_.c[in_c_ + in_c + in_n.y[j]], total, args_.alpha, args_.beta);
      }
    }
  }

  const program_step& step_;
  const step_arguments<T>& args_;
  index in_a_, in_b_, in_c_;  ///< where the operands of this product start
  group k_, m_;
  column_order n_;
  index near_in_c_;  ///< from one column of the last loop to the next
  bool streams_;     ///< results that are not read go past the caches
};

}  // namespace

template <class T>
void run_blocked(const program_step& step, const step_loop* loops, const step_arguments<T>& args) {
  loop_list batch;
  batch.add(loops, step.outer_count);
  parallel_tiles(batch.extent(), 1, [&](index begin, index end) {
    loop_walk at(batch, begin);
    for (index p = begin; p < end; ++p, at.next())
      product<T>(step, loops, args, at.a, at.b, at.c).run();
  });
}

template void run_blocked(const program_step&, const step_loop*, const step_arguments<float>&);
template void run_blocked(const program_step&, const step_loop*, const step_arguments<double>&);
template void run_blocked(const program_step&, const step_loop*,
                          const step_arguments<std::complex<float>>&);
template void run_blocked(const program_step&, const step_loop*,
                          const step_arguments<std::complex<double>>&);

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
