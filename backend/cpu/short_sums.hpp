#pragma once

#include <algorithm>
#include <cstdint>
#include <tenfold/backend/cpu/gemm_steps.hpp>
#include <tenfold/backend/cpu/loop_walk.hpp>
#include <tenfold/backend/cpu/parallel.hpp>
#include <tenfold/backend/cpu/update.hpp>
#include <tenfold/backend/cpu/whole_steps.hpp>

/// Many sums of few terms, the terms neighbours in memory: batches of small matrices times vectors,
/// of dot products, rows of a long matrix. The lanes are terms, as where they are many, but a
/// vector of results is made of a vector each of as many sums, by additions across them: where each
/// sum puts its own lanes together, log2 W additions and shuffles are paid for one result; together
/// 1 and 2 (W - 1) / W of them.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

/// Of segments of `Segment` lanes each the sums of their halves: those of x in the first half of
/// each segment, of y in the second.
template <int Segment, class V, int... I>
[[gnu::always_inline]] inline V halves_added(V x, V y, std::integer_sequence<int, I...>) {
  constexpr int w = sizeof...(I), half = Segment / 2;
  const V low = __builtin_shufflevector(x, y, (I % Segment < half ? I : w + I - half)...);
  const V high = __builtin_shufflevector(x, y, (I % Segment < half ? I + half : w + I)...);
  return low + high;
}

/// The sum of the lanes of v[r] in lane r, for W vectors of W lanes, each in the order of
/// sum_of_lanes.
template <int W, int Vectors, class V>
[[gnu::always_inline]] inline V sums_across(V* v) {
  if constexpr (Vectors == 1) {
    return v[0];
  } else {
    constexpr int half = Vectors / 2;
#pragma GCC unroll 16
    for (int i = 0; i < half; ++i)
      v[i] = halves_added<Vectors>(v[i], v[i + half], std::make_integer_sequence<int, W>{});
    return sums_across<W, half>(v);
  }
}
template <class T, int W>
[[gnu::always_inline]] inline vec<T, W> sums_across(vec<T, W>* v) {
  using R = real<T>;
  using V = typename short_vec<R, W>::type;
  const auto of = [&](auto part) __attribute__((always_inline)) {
    V parts[W];
#pragma GCC unroll 16
    for (int i = 0; i < W; ++i) parts[i] = (V)part(v[i]).data;
    vec<R, W> sums;
    sums.data = (decltype(sums.data))sums_across<W, W>(parts);
    return sums;
  };
  if constexpr (is_complex_type<T>) {
    const auto re = [](const vec<T, W>& x) __attribute__((always_inline)) { return x.re; };
    const auto im = [](const vec<T, W>& x) __attribute__((always_inline)) { return x.im; };
    return {of(re), of(im)};
  } else {
    return of([](const vec<T, W>& x) __attribute__((always_inline)) { return x; });
  }
}

/// C(x, m) := alpha sum_k A(x, m, k) B(x, m, k) + beta C(x, m), k along neighbours of both; B may
/// be absent, and the same for all m.
template <class T, int W>
class short_sums {
 public:
  short_sums(const program_step& step, const step_loop* loops, const step_arguments<T>& args)
      : a_(static_cast<const T*>(args.a)),
        b_(static_cast<const T*>(args.b)),
        args_(args),
        terms_(step.k.extent) {
    for (int l = 0; l < step.outer_count; ++l) loops_.add_folded(loops[l]);
    loops_.add_folded(step.m);
    if (loops_.count() == 0) loops_.add(step.m);
    const double bytes = static_cast<double>(loops_.extent()) * static_cast<double>(terms_) *
                         static_cast<double>(sizeof(T) * (b_ == nullptr ? 1 : 2));
    is_in_l2_ = residence_of(bytes) == residence::l2;
    step_loop& last = loops_.data()[loops_.count() - 1];
    m_ = last;
    last = {(m_.extent + w - 1) / w, m_.a * w, m_.b * w, m_.c * w};
  }

  void run() const {
    const index grain = std::max<index>(1, select::reduced_task / (w * std::max<index>(1, terms_)));
    parallel_tiles(loops_.extent(), grain, [&](index begin, index end) {
      if (b_ == nullptr)
        run<b_is::absent>(begin, end);
      else
        m_.b == 0 ? run<b_is::shared>(begin, end) : run<b_is::of_row>(begin, end);
    });
  }

 private:
  static constexpr int w = W;  ///< lanes, and sums that are made together
  enum class b_is : unsigned char { absent, shared, of_row };
  /// Of a group first the first vector of all rows, or all vectors of the first row, see
  /// select::sums_row_by_row; with fetches from beyond L2.
  enum class order : unsigned char { by_vectors, by_vectors_fetched, by_rows };

  template <b_is B>
  void run(index begin, index end) const {
    if (select::sums_row_by_row(terms_, w))
      groups<B, order::by_rows>(begin, end);
    else
      is_in_l2_ ? groups<B, order::by_vectors>(begin, end)
                : groups<B, order::by_vectors_fetched>(begin, end);
  }

  /// Where the rows of a group are, from its first one on.
  struct rows_at {
    index a[w], b[w];
  };

  /// Groups of w sums. Of the last one along m some are those of the group before; where fewer than
  /// w are along m in all, the last one fills it up.
  template <b_is B, order Order>
  void groups(index begin, index end) const {
    const index terms = terms_;
    const step_loop m = m_;
    const bool is_plain = m.c == 1 && args_.alpha == T(1) && args_.beta == T(0);
    rows_at rows;
    for (index r = 0; r < w; ++r) {
      rows.a[r] = std::min(r, m.extent - 1) * m.a;
      rows.b[r] = std::min(r, m.extent - 1) * m.b;
    }
    loop_walk at(loops_, begin);
    for (index g = begin; g < end; ++g, at.next()) {
      const index left = m.extent - at.at(loops_.count() - 1) * w;
      const index back = left < w && m.extent >= w ? w - left : 0;
      const T *const a = a_ + (at.a - back * m.a), *const b = b_ + (at.b - back * m.b);
      const vec<T, w> totals = sums<B, Order>(rows, a, b, terms);
      T* const c = args_.c + at.c;
      if (left >= w && is_plain)
        store_each(c, totals);
      else
        finish(totals, back, std::min<index>(left, w), c);
    }
  }

  template <b_is B, order Order>
  [[gnu::always_inline]] static vec<T, w> sums(const rows_at& rows, const T* a, const T* b,
                                               index terms) {
    const index whole = terms / w * w;
    const auto left = static_cast<int>(terms - whole);
    const auto all = [](const T* p) __attribute__((always_inline)) { return load<T, w>(p); };
    const auto some = [left](const T* p) __attribute__((always_inline)) {
      return load_partial<T, w>(p, left);
    };
    vec<T, w> s[w];
    const auto add = [&](int r, index k, auto load_terms) __attribute__((always_inline)) {
      const T* const x = a + rows.a[r] + k;
      if constexpr (B == b_is::absent)
        s[r] = s[r] + load_terms(x);
      else
        s[r] = fma(load_terms(x), load_terms(b + (B == b_is::shared ? 0 : rows.b[r]) + k), s[r]);
      if constexpr (Order != order::by_vectors)
        __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(x) +
                                                         select::summed_ahead));
    };
#pragma GCC unroll 16
    for (int r = 0; r < w; ++r) {
      s[r] = broadcast<T, w>(T(0));
      if constexpr (Order == order::by_rows) {
        for (index k = 0; k < whole; k += w) add(r, k, all);
        if (left > 0) add(r, whole, some);
      }
    }
    if constexpr (Order != order::by_rows) {
      for (index k = 0; k < whole; k += w) {
#pragma GCC unroll 16
        for (int r = 0; r < w; ++r) add(r, k, all);
      }
      if (left > 0) {
#pragma GCC unroll 16
        for (int r = 0; r < w; ++r) add(r, whole, some);
      }
    }
    return sums_across<T, w>(s);
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
    if (m_.c == 1) return update_run(c, each + begin, count, args_.alpha, args_.beta);
    for (index r = 0; r < count; ++r)
      update_entry(c[r * m_.c], each[begin + r], args_.alpha, args_.beta);
  }

  const T *a_, *b_;
  const step_arguments<T>& args_;
  index terms_;
  bool is_in_l2_;
  loop_list loops_;  ///< of the sums, in the order of A; the last one in groups of w
  step_loop m_;      ///< that one
};

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
