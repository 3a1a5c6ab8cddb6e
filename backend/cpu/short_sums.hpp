#pragma once

#include <algorithm>
#include <cstdint>
#include <tenfold/backend/cpu/gemm_steps.hpp>
#include <tenfold/backend/cpu/lane_sums.hpp>
#include <tenfold/backend/cpu/parallel.hpp>
#include <tenfold/backend/cpu/permute.hpp>
#include <tenfold/backend/cpu/sum_rows.hpp>
#include <tenfold/backend/cpu/update.hpp>
#include <tenfold/backend/cpu/whole_steps.hpp>
#include <variant>

/// Many sums of few terms, the terms neighbours in memory: batches of small matrices times vectors,
/// of dot products, rows of a long matrix. The lanes are terms, as where they are many, but a
/// vector of results is made of a vector each of as many sums, by additions across them: where each
/// sum puts its own lanes together, log2 W additions and shuffles are paid for one result; together
/// 1 and 2 (W - 1) / W of them.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

/// How the rows of short sums are loaded: each by vectors of its own, the last one of what is left;
/// or, where they are of one vector at most, by whole vectors, of which lanes behind a row are not
/// used, several rows at a time where they fit and follow one another without a gap.
/// (Where a row is one vector and not in the caches, a load of what is left of it, masked, waits:
/// 5 x 5 times a vector each from memory 37 GB/s by whole vectors, 22 by masked ones; single
/// precision, 13 x 13: 45 and 31; Zen 5.)
enum class row_loads : unsigned char { of_row, whole };

/// C(x) := alpha sum_k A(x, k) B(x, k) + beta C(x) for rows x, k along neighbours of both; B may be
/// absent. `Segment` lanes of a vector are the terms of one sum: all W, or fewer that hold them,
/// where a whole vector is of W / Segment rows.
template <class T, int W, row_loads Loads = row_loads::of_row, int Segment = W>
class short_sums {
 public:
  /// `loops` are those around the rows.
  short_sums(const loop_list& loops, const sum_rows& rows, index terms,
             const step_arguments<T>& args)
      : a_(static_cast<const T*>(args.a)),
        b_(static_cast<const T*>(args.b)),
        args_(args),
        terms_(terms),
        rows_(rows),
        loops_(loops) {
    const double entries = static_cast<double>(loops.extent()) *
                           static_cast<double>(rows.count * terms) * (b_ == nullptr ? 1 : 2);
    is_in_l2_ = residence_of(entries * static_cast<double>(sizeof(T))) == residence::l2;
    loops_.add({(rows.count + w - 1) / w, rows.a * w, 0, rows.c * w});
    is_shared_ = rows.b == 0 || rows.together % w == 0;
    for (index r = 0; r < w; ++r) in_a_[r] = std::min(r, rows.count - 1) * rows.a;
    if (!is_shared_) {
      shared_row at;
      for (index r = 0; r < rows.together + w; ++r) {
        in_b_[r] = at.number * rows.b;
        if (rows.count >= w || r + 1 < rows.count) at.advance({0, 1}, rows.together);
      }
    }
    step_ = row_of_b(w);
    if constexpr (is_whole) set_lanes();
  }

  /// Whether rows are of one vector and follow one another without a gap, so that what a whole
  /// vector loads behind a row is the operand's, too.
  static bool can_run(const sum_rows& rows, index terms, const step_arguments<T>& args) {
    return terms <= Segment && rows.a == terms &&
           (args.b == nullptr || rows.b == 0 || rows.b == terms);
  }

  void run() const {
    const index grain = std::max<index>(1, select::reduced_task / (w * std::max<index>(1, terms_)));
    parallel_tiles(loops_.extent(), grain, [&](index begin, index end) {
      if (b_ == nullptr)
        run<b_is::absent>(begin, end);
      else
        is_shared_ ? run<b_is::shared>(begin, end) : run<b_is::of_row>(begin, end);
    });
  }

 private:
  static constexpr int w = W;  ///< lanes, and sums that are made together
  static constexpr bool is_whole = Loads == row_loads::whole, is_packed = Segment < W;
  static constexpr int packed_rows = W / Segment;  ///< of a vector
  enum class b_is : unsigned char { absent, shared, of_row };
  /// Rows are of one vector; or of a group first the first vector of all, or all vectors of the
  /// first row, see select::sums_row_by_row. With fetches but for one vector in L2.
  enum class order : unsigned char { one_vector, one_vector_fetched, by_vectors, by_rows };

  template <b_is B>
  void run(index begin, index end) const {
    if constexpr (!is_whole) {
      if (select::sums_row_by_row(terms_, w)) return groups<B, order::by_rows>(begin, end);
      if (terms_ > w) return groups<B, order::by_vectors>(begin, end);
    }
    is_in_l2_ ? groups<B, order::one_vector>(begin, end)
              : groups<B, order::one_vector_fetched>(begin, end);
  }

  /// Which row of B a row of A has, and which of those that share it the row is.
  struct shared_row {
    index number = 0, place = 0;

    void advance(const shared_row& by, index together) {
      number += by.number;
      place += by.place;
      if (place < together) return;
      place -= together;
      ++number;
    }
  };
  shared_row row_of_b(index row) const { return {row / rows_.together, row % rows_.together}; }

  /// Groups of w sums. Of the last one some are those of the group before; where there are fewer
  /// than w in all, the last one fills it up.
  template <b_is B, order Order>
  void groups(index begin, index end) const {
    const sum_rows rows = rows_;
    const bool is_plain = rows.c == 1 && args_.alpha == T(1) && args_.beta == T(0);
    loop_walk at(loops_, begin);
    const int last = loops_.count() - 1;
    shared_row first = row_of_b(at.at(last) * w);
    for (index g = begin; g < end; ++g) {
      const index row = at.at(last) * w, left = rows.count - row;
      const index back = left < w && rows.count >= w ? w - left : 0;
      if (back > 0) first = row_of_b(row - back);
      const vec<T, w> totals = sums<B, Order>(
          a_ + (at.a - back * rows.a), b_ + (at.b + first.number * rows.b), row - back, first);
      T* const c = args_.c + at.c;
      if (left >= w && is_plain)
        store_each(c, totals);
      else
        finish(totals, back, std::min<index>(left, w), c);
      at.next();
      if (left > w)
        first.advance(step_, rows.together);
      else
        first = {};
    }
  }

  /// The sums of a group from some row on.
  template <b_is B, order Order>
  [[gnu::always_inline]] vec<T, w> sums(const T* a, const T* b, index row,
                                        const shared_row& shared) const {
    const index first = shared.place;
    if constexpr (is_whole) {
      const index left_a = (rows_.count - row) * terms_;
      const index left_b =
          B == b_is::of_row ? (rows_.count / rows_.together - shared.number) * terms_ : terms_;
      bool all_whole = left_a - (w - packed_rows) * terms_ >= w;
      if constexpr (B == b_is::of_row)
        all_whole = all_whole && left_b - in_b_[first + w - packed_rows] >= w;
      return all_whole ? whole_sums<B, Order, true>(a, left_a, b, left_b, first)
                       : whole_sums<B, Order, false>(a, left_a, b, left_b, first);
    } else {
      return row_sums<B, Order>(a, b, in_b_ + first);
    }
  }

  template <b_is B, order Order>
  [[gnu::always_inline]] vec<T, w> row_sums(const T* a, const T* b, const index* in_b) const {
    constexpr bool is_one = Order == order::one_vector || Order == order::one_vector_fetched;
    const index whole = is_one ? 0 : terms_ / w * w;
    const auto left = static_cast<int>(terms_ - whole);
    const auto all = [](const T* p) __attribute__((always_inline)) { return load<T, w>(p); };
    const auto some = [left](const T* p) __attribute__((always_inline)) {
      return load_partial<T, w>(p, left);
    };
    vec<T, w> s[w];
    const auto add = [&](index r, index k, auto load_terms) __attribute__((always_inline)) {
      const T* const x = a + in_a_[r] + k;
      const T* const y = b + (B == b_is::shared ? 0 : in_b[r]) + k;
      if constexpr (B == b_is::absent)
        s[r] = is_one ? load_terms(x) : s[r] + load_terms(x);
      else
        s[r] = is_one ? load_terms(x) * load_terms(y) : fma(load_terms(x), load_terms(y), s[r]);
      if constexpr (Order != order::one_vector) fetch_ahead(x);
    };
#pragma GCC unroll 16
    for (index r = 0; r < w; ++r) {
      if constexpr (is_one) {
        add(r, 0, some);
        continue;
      }
      s[r] = broadcast<T, w>(T(0));
      if constexpr (Order == order::by_rows) {
        for (index k = 0; k < whole; k += w) add(r, k, all);
        if (left > 0) add(r, whole, some);
      }
    }
    if constexpr (Order == order::by_vectors) {
      for (index k = 0; k < whole; k += w) {
#pragma GCC unroll 16
        for (index r = 0; r < w; ++r) add(r, k, all);
      }
      if (left > 0) {
#pragma GCC unroll 16
        for (index r = 0; r < w; ++r) add(r, whole, some);
      }
    }
    return sums_across<T, w>(s);
  }

  /// The same by whole vectors; so many entries of A and of B are left.
  template <b_is B, order Order, bool AllWhole>
  [[gnu::always_inline]] vec<T, w> whole_sums(const T* a, index left_a, const T* b, index left_b,
                                              index first) const {
    const auto entries = [](const T* p, index left) __attribute__((always_inline)) {
      if (AllWhole || left >= w) return load<T, w>(p);
      return left > 0 ? load_partial<T, w>(p, static_cast<int>(left)) : vec<T, w>(T(0));
    };
    using V = typename short_vec<T, w>::type;
    const lane_set<T, w> terms = lanes_of_terms_;
    V s[Segment];
    vec<T, w> y(T(0));
    if constexpr (B == b_is::shared) {
      y = load_partial<T, w>(b, static_cast<int>(terms_));
      if constexpr (is_packed) y = orders_of_b_[0].permuted(y);
    }
#pragma GCC unroll 16
    for (int v = 0; v < Segment; ++v) {
      const index in_a = v * packed_rows * terms_;
      vec<T, w> x = entries(a + in_a, left_a - in_a);
      if constexpr (is_packed)
        if (terms_ < Segment) x = order_of_a_.permuted(x);
      if constexpr (B == b_is::of_row) {
        const index at = in_b_[first + v * packed_rows];
        y = entries(b + at, left_b - at);
        if constexpr (is_packed) y = orders_of_b_[order_at_[first + v * packed_rows]].permuted(y);
      }
      if constexpr (B != b_is::absent) x = x * y;
      x = terms.kept(x);
      s[v] = (V)x.data;
      if constexpr (Order == order::one_vector_fetched) fetch_ahead(a + in_a);
    }
    vec<T, w> totals;
    totals.data = (decltype(totals.data))sums_across<w, Segment>(s);
    if constexpr (is_packed) totals = order_of_totals_.permuted(totals);
    return totals;
  }

  void set_lanes() requires is_whole {
    const auto terms = static_cast<int>(terms_);
    const auto k_of = [&](int lane) { return lane % Segment; };
    lanes_of_terms_.set([&](int i) { return k_of(i) < terms; });
    if constexpr (is_packed) {
      const auto row_of = [&](int lane) { return lane / Segment; };
      const auto from = [&](int row, int k) { return std::min(row * terms + k, w - 1); };
      order_of_a_.set([&](int i) { return from(row_of(i), k_of(i)); });
      order_of_totals_.set([&](int i) { return i % packed_rows * Segment + i / packed_rows; });
      if (is_shared_) return orders_of_b_[0].set([&](int i) { return from(0, k_of(i)); });
      const auto together = static_cast<int>(rows_.together);
      for (int first = 0; first < together; ++first) {
        orders_of_b_[first].set(
            [&](int i) { return from((first + row_of(i)) / together, k_of(i)); });
      }
      for (int r = 0; r < together + w; ++r)
        order_at_[r] = static_cast<unsigned char>(r % together);
    }
  }

  /// (In line: g++ finds a function that fetches alone to do nothing.)
  [[gnu::always_inline]] static void fetch_ahead(const T* x) {
    __builtin_prefetch(
        reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(x) + select::summed_ahead));
  }

  /// to[r] := lane r. Complex lanes are in their own order, not in that of `store`.
  [[gnu::always_inline]] static void store_each(T* to, const vec<T, w>& totals) {
    if constexpr (is_complex_type<T>) {
      real<T> re[w], im[w];
      store<real<T>, w>(re, totals.re);
      store<real<T>, w>(im, totals.im);
      for (int r = 0; r < w; ++r) to[r] = T(re[r], im[r]);
    } else {
      store<T, w>(to, totals);
    }
  }

  /// Totals begin to begin + count are the next results, from c on.
  [[gnu::noinline]] void finish(vec<T, w> totals, index begin, index count, T* c) const {
    alignas(64) T each[lanes<T>];  // as many as update_run loads at a time
    store_each(each, totals);
    if (rows_.c == 1) return update_run(c, each + begin, count, args_.alpha, args_.beta);
    for (index r = 0; r < count; ++r)
      update_entry(c[r * rows_.c], each[begin + r], args_.alpha, args_.beta);
  }

  const T *a_, *b_;
  const step_arguments<T>& args_;
  index terms_;
  bool is_in_l2_;
  bool is_shared_;  ///< all rows of a group have one row of B
  sum_rows rows_;
  loop_list loops_;  ///< those around the rows, and groups of w of these
  shared_row step_;  ///< from one group to the next
  // Where rows are: from the first one of a group on, and from the row of B of that one on, which
  // may be any of those that share it.
  index in_a_[w], in_b_[sum_rows::most_together + w];

  // Of whole vectors: which lanes are terms, and how several rows lie in them.
  template <bool Is, template <class, int> class Lanes>
  using if_so = std::conditional_t<Is, Lanes<T, w>, std::monostate>;
  if_so<is_whole, lane_set> lanes_of_terms_;
  if_so<is_packed, lane_order> order_of_a_, order_of_totals_;
  if_so<is_packed, lane_order> orders_of_b_[is_packed ? sum_rows::most_together : 1];
  unsigned char order_at_[sum_rows::most_together + w];
};

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
