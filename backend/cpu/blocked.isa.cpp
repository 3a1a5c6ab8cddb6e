#include <algorithm>
#include <array>
#include <tenfold/backend/cpu/caches.hpp>
#include <tenfold/backend/cpu/loop_walk.hpp>
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

/// Panels. B lies [vector of columns][k][entry], A lies [group of rows][k][row].
template <class T>
inline constexpr int column_lanes = neighbours<T>;
template <class T>
inline constexpr select::tile_shape tile = select::blocked_tile(registers, scalar_of<T>);
template <class T>
inline constexpr int row_lanes = std::max(tile<T>.m, block_entries<T>);

// ---- where entries lie --------------------------------------------------------------------------

/// The distances of two operands along a part of a group of loops that are merged into one index.
struct distances {
  index* x;
  index* y;

  /// Of indices [begin, begin + count); `to_x` and `to_y` say which operands.
  void fill(const step_loop* loops, int loop_count, index step_loop::*to_x, index step_loop::*to_y,
            index begin, index count) const {
    loop_walk walk(loops, loop_count, begin);
    const auto of = [&](index step_loop::*operand) {
      return operand == &step_loop::a ? walk.a : operand == &step_loop::b ? walk.b : walk.c;
    };
    for (index i = 0; i < count; ++i, walk.next()) {
      x[i] = of(to_x);
      y[i] = of(to_y);
    }
  }
};

/// Whether the distances go up in equal steps.
[[gnu::always_inline]] inline bool is_regular(const index* at, index count) {
  for (index i = 2; i < count; ++i)
    if (at[i] - at[i - 1] != at[1] - at[0]) return false;
  return true;
}

// ---- packing ------------------------------------------------------------------------------------

/// Entries of an operand that are neighbours in memory lie in panels `apart` indices from one
/// another; 0: nowhere, or side by side.
struct neighbours_apart {
  index lanes = 0, k = 0;

  /// Of a group of loops that ends with one of `extent` values and before it the one along which
  /// they are neighbours.
  static index of(const step_loop* loops, int count, index step_loop::*to) {
    return count > 1 && loops[count - 2].*to == 1 && loops[count - 1].*to != 1
               ? loops[count - 1].extent
               : 0;
  }
};

/// A part of an operand as panels: W lanes at each of k_count contracted values,
///   to[lane / W * W * k_count + k * W + lane % W] := conj?(from[lane_at[lane] + k_at[k]]),
/// 0 in lanes that fill the last panel.
template <class T, int W, bool Conjugated, class X>
class packing {
 public:
  packing(T* to, const X* from, const index* lane_at, index lanes_count, const index* k_at,
          index k_count, neighbours_apart near)
      : to_(to),
        from_(from),
        lane_at_(lane_at),
        lanes_count_(lanes_count),
        k_at_(k_at),
        k_count_(k_count),
        near_(near) {}

  void run() const {
    const index panels = (lanes_count_ + W - 1) / W;
    const index apart = near_.lanes % W == 0 ? near_.lanes / W : 0;
    if (apart == 0) {
      for (index q = 0; q < panels;) {
        const index count = side_by_side(q, panels);
        count > 1 ? rows(q, count) : panel(q);
        q += count;
      }
      return;
    }
    // All neighbours of one contracted value at a time: they share a page.
    for (index c = 0; c < std::min(apart, panels); ++c) {
      index near = 0;  // panels c, c + apart, ... up to here
      while (are_neighbours(c + near, apart)) near += p * apart;
      for (index k = 0; k < k_count_; ++k)
        for (index q = c; q < c + near; q += p * apart)
          pack_block<T, W, Conjugated, p>(to_ + (q * k_count_ + k) * W, apart * k_count_ * W,
                                          from_ + lane_at_[q * W] + k_at_[k], lane_stride(q));
      for (index q = c + near; q < panels; q += apart) panel(q);
    }
  }

 private:
  static constexpr int p = block_entries<T>;

  /// How many panels from q on hold neighbours of one another, all at once; at least 1.
  index side_by_side(index q, index panels) const {
    index count = 0;
    while (q + count < panels && is_whole(q + count) && lane_stride(q + count) == 1 &&
           lane_at_[(q + count) * W] == lane_at_[q * W] + count * W)
      ++count;
    return std::max<index>(count, 1);
  }
  /// Such panels: of each contracted value all its neighbours, a run of memory.
  void rows(index q, index count) const {
    for (index k = 0; k < k_count_; ++k) {
      const X* const x = from_ + lane_at_[q * W] + k_at_[k];
      for (index i = 0; i < count * W; i += p)
        store_row<T, p>(to_ + ((q + i / W) * k_count_ + k) * W + i % W,
                        load_row<T, p, Conjugated>(x + i));
    }
  }

  bool is_whole(index q) const {
    return (q + 1) * W <= lanes_count_ && is_regular(lane_at_ + q * W, W);
  }
  index lane_stride(index q) const { return lane_at_[q * W + 1] - lane_at_[q * W]; }

  /// Whether the panels q, q + apart, ... hold neighbours of memory, as many as a block transposes.
  bool are_neighbours(index q, index apart) const {
    for (index i = 0; i < p; ++i) {
      const index other = q + i * apart;
      if ((other + 1) * W > lanes_count_ || !is_whole(other) ||
          lane_stride(other) != lane_stride(q) || lane_at_[other * W] - lane_at_[q * W] != i)
        return false;
    }
    return true;
  }

  void panel(index q) const {
    T* const to = to_ + q * k_count_ * W;
    const index* const at = lane_at_ + q * W;
    const auto count = static_cast<int>(std::min<index>(W, lanes_count_ - q * W));
    if (!is_regular(at, count)) {
      if (count < W || !runs_of_lanes<W / 2>(to, at)) scattered(to, at, count);
      return;
    }
    const index stride = count > 1 ? at[1] - at[0] : 1, apart = near_.k;
    if (apart > 0 && count == W && stride != 1) {
      for (index base = 0; base < k_count_; base += p * apart) {
        for (index k = base; k < std::min(base + apart, k_count_); ++k) {
          bool near = k + (p - 1) * apart < k_count_;
          for (index i = 1; i < p && near; ++i) near = k_at_[k + i * apart] - k_at_[k] == i;
          if (near) {
            pack_block<T, W, Conjugated, p>(to + k * W, apart * W, from_ + at[0] + k_at_[k],
                                            stride);
          } else {
            for (index i = k; i < std::min(base + p * apart, k_count_); i += apart)
              one_by_one(to, at, count, i);
          }
        }
      }
      return;
    }
    for (index k = 0; k < k_count_;) {
      const index step = k + 1 < k_count_ ? k_at_[k + 1] - k_at_[k] : 0;
      index end = k + 1;
      while (end < k_count_ && k_at_[end] - k_at_[end - 1] == step) ++end;
      const X* const x = from_ + at[0] + k_at_[k];
      if (stride == 1 && count == W) {
        for (index i = k; i < end; ++i)
          for (int l = 0; l < W; l += p)
            store_row<T, p>(to + i * W + l, load_row<T, p, Conjugated>(x + (i - k) * step + l));
      } else {
        pack<T, W, Conjugated>(to + k * W, x, end - k, {step, stride}, count);
      }
      k = end;
    }
  }

  /// Lanes that are neighbours R or fewer at a time; false: they are all apart.
  template <int R>
  bool runs_of_lanes(T* to, const index* at) const {
    if constexpr (R < 2) {
      return false;
    } else {
      bool runs = R <= p;
      for (int l = 0; l < W && runs; ++l) runs = at[l] == at[l / R * R] + l % R;
      if (!runs) return runs_of_lanes<R / 2>(to, at);
      for (index k = 0; k < k_count_; ++k)
        for (int l = 0; l < W; l += R)
          store_row<T, R>(to + k * W + l, load_row<T, R, Conjugated>(from_ + at[l] + k_at_[k]));
      return true;
    }
  }

  /// Lanes anywhere: transposed where contracted values are neighbours.
  void scattered(T* to, const index* at, int count) const {
    for (index k = 0; k < k_count_;) {
      bool near = count == W && k + p <= k_count_;
      for (index i = 1; i < p && near; ++i) near = k_at_[k + i] - k_at_[k] == i;
      if (near) {
        pack_block_at<T, W, Conjugated, p>(to + k * W, W, from_ + k_at_[k],
                                           [&](int l) { return at[l]; });
        k += p;
      } else {
        one_by_one(to, at, count, k++);
      }
    }
  }

  void one_by_one(T* to, const index* at, int count, index k) const {
    for (int l = 0; l < count; ++l) to[k * W + l] = widen<T, Conjugated>(from_[at[l] + k_at_[k]]);
    for (int l = count; l < W; ++l) to[k * W + l] = T(0);
  }

  T* to_;
  const X* from_;
  const index* lane_at_;
  index lanes_count_;
  const index* k_at_;
  index k_count_;
  neighbours_apart near_;
};

/// The same of an operand of any scalar.
template <class T, int W>
void pack_operand(T* to, const void* from, index distance, const operand_ref& ref,
                  const index* lane_at, index lanes_count, const index* k_at, index k_count,
                  neighbours_apart near) {
  with_entries<T>(
      ref, [&]<class X, bool Conjugated>(std::type_identity<X>, std::bool_constant<Conjugated>) {
        packing<T, W, Conjugated, X>(to, static_cast<const X*>(from) + distance, lane_at,
                                     lanes_count, k_at, k_count, near)
            .run();
      });
}

// ---- register tiles -----------------------------------------------------------------------------

/// C[m][n] := alpha sum_k A[k][m] B[n][k] + beta C[m][n] of panels, C being given by `t`.
template <class T>
using tile_function = void (*)(tile_operands<T> t, index k);

template <class T, int M, int N>
void multiply_tile(tile_operands<T> t, index k) {
  t.a_m = 1;
  t.a_k = row_lanes<T>;
  constexpr tile_modes how{.streams = true};
  register_tile<T, column_lanes<T>, M, N, dynamic_k, how, epilogue::update>(t, k);
}

/// The tile of the fewest rows that holds `rows`, with so many vectors of columns.
template <class T>
tile_function<T> tile_of(index rows, index vectors) {
  constexpr int most = tile<T>.m, half = most > 1 ? most / 2 : 1;
  static constexpr auto with_rows =
      []<int M, int... N>(std::integer_sequence<int, M>, std::integer_sequence<int, N...>) {
    return std::array<tile_function<T>, sizeof...(N)>{&multiply_tile<T, M, N + 1>...};
  };
  static constexpr auto columns = std::make_integer_sequence<int, tile<T>.n>{};
  static constexpr auto all = with_rows(std::integer_sequence<int, most>{}, columns),
                        some = with_rows(std::integer_sequence<int, half>{}, columns),
                        one = with_rows(std::integer_sequence<int, 1>{}, columns);
  return (rows > half ? all : rows > 1 ? some : one)[static_cast<std::size_t>(vectors - 1)];
}
template <class T>
constexpr bool is_tile(index rows) {
  return rows == tile<T>.m || rows == tile<T>.m / 2 || rows == 1;
}

/// C := alpha sums + beta C for up to a vector of columns of a row; `side_by_side`: in memory, too.
template <class T>
[[gnu::always_inline]] inline void update_row(T* c, const index* column_at, bool side_by_side,
                                              const T* sums, int count, T alpha, T beta) {
  if (side_by_side) return update_run(c + column_at[0], sums, count, alpha, beta);
  for (int i = 0; i < count; ++i) update_entry(c[column_at[i]], sums[i], alpha, beta);
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
      : step_(step), args_(args), in_a_(in_a), in_b_(in_b), in_c_(in_c) {
    k_ = {loops + step.outer_count, step.k_outer_count};
    m_ = {k_.loops + k_.count, step.row_count};
    n_ = {m_.loops + m_.count, step.column_count};
    for (group* g : {&k_, &m_, &n_})
      for (int l = 0; l < g->count; ++l) g->extent *= g->loops[l].extent;
    streams_ = !is_complex_type<T> && k_.extent <= step.blocks.k && step.blocks.parts == 1 &&
               m_.extent * n_.extent * index{sizeof(T)} > caches().l3;
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
  static constexpr int v = column_lanes<T>, width = tile<T>.n * v;

  /// Contracted values [begin, end), all rows and columns, into a result that lies as C does or,
  /// `dense`, row by row.
  void sum(const target<T>& to, index begin, index end, bool dense) const {
    const index n = step_.blocks.n;
    parallel_tiles((n_.extent + n - 1) / n, 1, [&](index first, index last) {
      for (index j = first; j < last; ++j)
        columns(to, begin, end, dense, j * n, std::min(n, n_.extent - j * n));
    });
  }

  /// The columns of one register tile: where those of B are, and whether those of C are vectors
  /// of neighbours, each, and all, c_n apart.
  struct column_panel {
    index columns = 0, vectors = 0;
    const T* b = nullptr;
    index b_k = 0, b_n = 0;
    bool is_packed = true;
    bool side_by_side[tile<T>.n] = {};
    bool in_vectors = false;
    index c_n = 0;
  };

  /// The same of columns [j, j + n).
  void columns(const target<T>& to, index begin, index end, bool dense, index j, index n) const {
    const index kc = step_.blocks.k, most = std::min(kc, end - begin);
    const scratch_block numbers(static_cast<std::size_t>(2 * (n + most)) * sizeof(index));
    index* const at = numbers.as<index>();
    const distances in_n{at, at + n}, in_k{at + 2 * n, at + 2 * n + most};
    in_n.fill(n_.loops, n_.count, &step_loop::b, &step_loop::c, j, n);
    if (dense)
      for (index i = 0; i < n; ++i) in_n.y[i] = j + i;
    const index panel_count = (n + width - 1) / width;
    const scratch_block list(static_cast<std::size_t>(panel_count) * sizeof(column_panel));
    column_panel* const panels = list.as<column_panel>();
    for (index i = 0; i < panel_count; ++i) {
      column_panel& x = panels[i] = {};
      x.columns = std::min<index>(width, n - i * width);
      x.vectors = (x.columns + v - 1) / v;
      x.in_vectors = in_vectors(in_n.y + i * width, x.columns, x.c_n);
      for (index c = 0; c < x.columns; c += v)
        x.side_by_side[c / v] =
            are_neighbours(in_n.y + i * width + c, std::min<index>(v, x.columns - c));
    }
    const scratch_block packed(static_cast<std::size_t>(whole(n, v) * most) * sizeof(T));
    T* const b = packed.as<T>();
    const neighbours_apart near{neighbours_apart::of(n_.loops, n_.count, &step_loop::b),
                                neighbours_apart::of(k_.loops, k_.count, &step_loop::b)};
    const bool transposes = near.lanes > 0 && near.lanes % v == 0;
    const bool may_stay = !transposes && select::reads_in_place(m_.extent, most, tile<T>.m);
    const index together = transposes ? near.lanes * block_entries<T> * select::packed_runs : width;
    target<T> now = to;
    for (index p = begin; p < end; p += kc) {
      const index k = std::min(kc, end - p);
      in_k.fill(k_.loops, k_.count, &step_loop::a, &step_loop::b, p, k);
      for (index i = 0; i < panel_count; ++i) {
        column_panel& x = panels[i];
        x.b = b + i * width * k;
        x.b_k = v;
        x.b_n = v * k;
        x.is_packed = !(may_stay && read_in_place(x, in_n.x + i * width, in_k.y, k));
      }
      parallel_tiles(
          (n + together - 1) / together, select::packed_panels(k * together),
          [&](index first, index last) {
            for (index i = first; i < last;) {
              index end_of_packed = i;
              while (end_of_packed < last && (transposes || panels[end_of_packed].is_packed))
                ++end_of_packed;
              const index c = i * together;
              if (end_of_packed > i)
                pack_operand<T, v>(b + c * k, args_.b, in_b_, step_.b, in_n.x + c,
                                   std::min(end_of_packed * together, n) - c, in_k.y, k, near);
              i = std::max(end_of_packed, i + 1);
            }
          });
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
  static bool are_neighbours(const index* at, index count) {
    return is_regular(at, count) && (count == 1 || at[1] - at[0] == 1);
  }
  /// Whether the columns are whole vectors of neighbours, the same distance apart.
  static bool in_vectors(const index* at, index columns, index& apart) {
    if (columns % v != 0) return false;
    apart = columns > v ? at[v] - at[0] : 0;
    for (index c = 0; c < columns; c += v)
      if (!are_neighbours(at + c, v) || at[c] - at[0] != c / v * apart) return false;
    return true;
  }
  /// Leaves the columns of B where they are, if they lie like a panel.
  bool read_in_place(column_panel& x, const index* column_at, const index* k_at, index k) const {
    index apart = 0;
    if (!lies_as<T>(step_.b) || !is_regular(k_at, k) || !in_vectors(column_at, x.columns, apart))
      return false;
    x.b = static_cast<const T*>(args_.b) + in_b_ + column_at[0] + k_at[0];
    x.b_k = k > 1 ? k_at[1] - k_at[0] : 0;
    x.b_n = apart;
    return true;
  }

  /// The same of rows [i, i + m) and k contracted values, B being ready.
  void rows(const target<T>& to, bool dense, index i, index m, const index* column_at,
            const column_panel* panels, index panel_count, const index* k_at, index k) const {
    const scratch_block numbers(static_cast<std::size_t>(2 * m) * sizeof(index));
    const distances in_m{numbers.as<index>(), numbers.as<index>() + m};
    in_m.fill(m_.loops, m_.count, &step_loop::a, &step_loop::c, i, m);
    if (dense)
      for (index r = 0; r < m; ++r) in_m.y[r] = (i + r) * n_.extent;
    const scratch_block packed(static_cast<std::size_t>(whole(m, row_lanes<T>) * k) * sizeof(T));
    T* const a = packed.as<T>();
    pack_operand<T, row_lanes<T>>(a, args_.a, in_a_, step_.a, in_m.x, m, k_at, k,
                                  {0, neighbours_apart::of(k_.loops, k_.count, &step_loop::a)});
    const index tiles_of_panel = (m + tile<T>.m - 1) / tile<T>.m;
    for (index c = 0; c < panel_count; ++c, column_at += width) {
      const column_panel* const next = c + 1 < panel_count ? panels + c + 1 : nullptr;
      for (index r = 0, t = 0; r < m; r += tile<T>.m, ++t) {
        // Where B is read in place, the rows of the next panel lie too far apart to be foreseen
        // (`dcba := sum_e ce deba` of extents 36: 33 GFLOP/s instead of 22, Granite Rapids).
        if (next != nullptr && !next->is_packed)
          fetch(*next, k * t / tiles_of_panel, k * (t + 1) / tiles_of_panel);
        tiles(to, panels[c], column_at, in_m.y + r, std::min<index>(tile<T>.m, m - r),
              a + r / row_lanes<T> * row_lanes<T> * k + r % row_lanes<T>, k);
      }
    }
  }
  static void fetch(const column_panel& x, index begin, index end) {
    for (index k = begin; k < end; ++k)
      for (index i = 0; i < x.vectors; ++i) __builtin_prefetch(x.b + k * x.b_k + i * x.b_n);
  }

  /// One register tile: into C where its rows and columns lie regularly, else by way of scratch.
  void tiles(const target<T>& to, const column_panel& x, const index* column_at,
             const index* row_at, index rows, const T* a, index k) const {
    tile_operands<T> t;
    t.a = a;
    t.b = x.b;
    t.b_k = x.b_k;
    t.b_n = x.b_n;
    const tile_function<T> multiply = tile_of<T>(rows, x.vectors);
    if (x.in_vectors && is_tile<T>(rows) && is_regular(row_at, rows)) {
      t.c = to.data + row_at[0] + column_at[0];
      t.c_m = rows > 1 ? row_at[1] - row_at[0] : 0;
      t.c_n = x.c_n;
      t.alpha = to.alpha;
      t.beta = to.beta;
      constexpr auto line = static_cast<std::uintptr_t>(v * sizeof(T));
      const auto step = static_cast<std::uintptr_t>((t.c_m | t.c_n) * index{sizeof(T)});
      t.past_caches =
          streams_ && t.beta == T(0) && (reinterpret_cast<std::uintptr_t>(t.c) | step) % line == 0;
      for (index row = 0; row < rows && !t.past_caches; ++row)
        for (index i = 0; i < x.vectors; ++i) __builtin_prefetch(t.c + row * t.c_m + i * t.c_n, 1);
      return multiply(t, k);
    }
    for (index row = 0; row < rows; ++row)
      for (index i = 0; i < x.columns; i += v)
        __builtin_prefetch(to.data + row_at[row] + column_at[i], 1);
    alignas(64) std::byte memory[sizeof(T) * tile<T>.m * width];
    T* const sums = reinterpret_cast<T*>(memory);
    t.c = sums;
    t.c_m = width;
    t.c_n = v;
    multiply(t, k);
    for (index row = 0; row < rows; ++row)
      for (index i = 0; i < x.columns; i += v)
        update_row(to.data + row_at[row], column_at + i, x.side_by_side[i / v],
                   sums + row * width + i, static_cast<int>(std::min<index>(v, x.columns - i)),
                   to.alpha, to.beta);
  }

  /// Parts of the contracted values side by side, then their sum in order.
  void in_parts() const {
    const index parts = step_.blocks.parts, entries = m_.extent * n_.extent;
    const scratch_block results(static_cast<std::size_t>(parts * entries) * sizeof(T));
    T* const each = results.as<T>();
    parallel_tiles(parts, 1, [&](index first, index last) {
      for (index p = first; p < last; ++p)
        sum({each + p * entries, T(1), T(0)}, k_.extent * p / parts, k_.extent * (p + 1) / parts,
            true);
    });
    const scratch_block numbers(static_cast<std::size_t>(2 * n_.extent) * sizeof(index));
    const distances in_n{numbers.as<index>(), numbers.as<index>() + n_.extent};
    in_n.fill(n_.loops, n_.count, &step_loop::b, &step_loop::c, 0, n_.extent);
    for (index i = 0; i < m_.extent; ++i) {
      index in_a = 0, in_c = 0;
      distances{&in_a, &in_c}.fill(m_.loops, m_.count, &step_loop::a, &step_loop::c, i, 1);
      for (index j = 0; j < n_.extent; ++j) {
        T total = each[i * n_.extent + j];
        for (index p = 1; p < parts; ++p) total += each[p * entries + i * n_.extent + j];
        update_row(args_.c + in_c_ + in_c, in_n.y + j, false, &total, 1, args_.alpha, args_.beta);
      }
    }
  }

  const program_step& step_;
  const step_arguments<T>& args_;
  index in_a_, in_b_, in_c_;  ///< where the operands of this product start
  bool streams_;              ///< results that are not read go past the caches
  group m_, n_, k_;
};

template <class T>
void run_batch(const program_step& step, const step_loop* loops, const step_arguments<T>& args) {
  loop_list batch;
  batch.add(loops, step.outer_count);
  parallel_tiles(batch.extent(), 1, [&](index begin, index end) {
    loop_walk at(batch, begin);
    for (index p = begin; p < end; ++p, at.next())
      product<T>(step, loops, args, at.a, at.b, at.c).run();
  });
}

}  // namespace

#define TENFOLD_DEFINE_BLOCKED(T)                                    \
  void run_blocked(const program_step& step, const step_loop* loops, \
                   const step_arguments<T>& args) {                  \
    run_batch<T>(step, loops, args);                                 \
  }
TENFOLD_DEFINE_BLOCKED(float)
TENFOLD_DEFINE_BLOCKED(double)
TENFOLD_DEFINE_BLOCKED(std::complex<float>)
TENFOLD_DEFINE_BLOCKED(std::complex<double>)
#undef TENFOLD_DEFINE_BLOCKED

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
