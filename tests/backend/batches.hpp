#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <samples.hpp>
#include <string>
#include <tenfold/backend/launch.hpp>
#include <tenfold/backend/reference/gemm.hpp>
#include <vector>

#include "numbers.hpp"

/// Operands of batched products in any layout, and products judged by the reference.
namespace tenfold::testing {

/// How the matrices of one operand are kept.
struct storage {
  batch_layout layout = batch_layout::strided;
  bool by_column = false;   ///< the entries of a column are neighbours
  index gap = 0;            ///< entries between lines, and of strided ones between problems
  index spread = 1;         ///< from one neighbour to the next
  bool backward = false;    ///< lines in falling order
  bool shared = false;      ///< one matrix for all
  bool batch_last = false;  ///< strided: neighbours are entries of two problems
  index block = 1;          ///< interleaved; 0: the whole batch
  bool wide_map = false;    ///< gathered
  bool meets = false;       ///< gathered: entries named more than once, and not at all
};

inline std::string text_of(const storage& s) {
  const auto flag = [](bool b, const char* t) { return std::string(b ? t : ""); };
  const char* const name = s.layout == batch_layout::strided       ? "strided"
                           : s.layout == batch_layout::interleaved ? "interleaved"
                           : s.layout == batch_layout::pointers    ? "pointers"
                                                                   : "gathered";
  return std::string(name) + flag(s.by_column, " by_column") + " gap " + std::to_string(s.gap) +
         " spread " + std::to_string(s.spread) + flag(s.backward, " backward") +
         flag(s.shared, " shared") + flag(s.batch_last, " batch_last") + " block " +
         std::to_string(s.block) + flag(s.wide_map, " wide_map") + flag(s.meets, " meets");
}

/// Memory for `bytes`, somewhere: the default is a vector with a guard on either side.
using memory_source = std::function<std::byte*(std::size_t bytes)>;

/// A batch of matrices in memory of its own. What is no entry holds NaN.
template <class T>
class matrices_in_memory {
  using R = real_type<T>;
  static constexpr index guard = 64;  // bytes

 public:
  /// `misaligned`: addresses are multiples of a real number's size and of no more.
  matrices_in_memory(const storage& how, index rows, index columns, index count, entries_kind kind,
                     generator& g, const memory_source& source = {}, bool misaligned = true)
      : rows_(rows), columns_(columns), count_(count) {
    shape_.layout = how.layout;
    shape_.shared = how.shared;
    const index problems = how.shared ? 1 : count;
    const index line = (how.by_column ? rows : columns) * how.spread,
                lines = how.by_column ? columns : rows;
    index ld = line + how.gap, neighbour = how.spread;
    index one = lines == 0 || line == 0 ? 0 : (lines - 1) * ld + line;  // entries of a matrix
    index total = one;
    switch (how.layout) {
      case batch_layout::strided:
        if (how.batch_last) {
          neighbour = problems;
          ld = problems * (how.by_column ? rows : columns);
          total = one = problems * rows * columns;
          place_.problem = 1;
        } else {
          place_.problem = how.shared ? 0 : one + how.gap;
          total = problems == 0 ? 0 : (problems - 1) * place_.problem + one;
        }
        break;
      case batch_layout::pointers:
        break;
      case batch_layout::interleaved:
        shape_.block = how.block > 0 ? how.block : std::max<index>(count, 1);
        ld = how.by_column ? rows : columns;
        neighbour = 1;
        place_.problem = rows * columns * shape_.block;
        total = (count + shape_.block - 1) / shape_.block * place_.problem;
        break;
      case batch_layout::gathered:
        ld = how.by_column ? rows : columns;
        neighbour = 1;
        place_.problem = rows * columns;
        total = array_size(how);
        break;
    }
    shape_.row = how.by_column ? neighbour : ld;
    shape_.column = how.by_column ? ld : neighbour;
    const auto memory = [&](index entries) {
      const auto bytes = static_cast<std::size_t>(entries) * sizeof(T);
      range all{nullptr, bytes};
      std::byte* at;
      if (source) {
        at = all.begin = source(bytes);
      } else {
        all.size += 2 * guard + 64;
        kept_.push_back(std::make_unique<std::byte[]>(all.size));
        at = (all.begin = kept_.back().get()) + guard;
        at += -reinterpret_cast<std::uintptr_t>(at) % 64;
        if (misaligned) at += sizeof(R);
      }
      watched_.push_back(all);
      std::fill_n(reinterpret_cast<R*>(all.begin), all.size / sizeof(R), nan);
      return at;
    };
    const index back = how.backward && how.layout != batch_layout::interleaved &&
                               how.layout != batch_layout::gathered && lines > 0
                           ? (lines - 1) * ld
                           : 0;
    if (back > 0) (how.by_column ? shape_.column : shape_.row) *= -1;
    if (how.layout == batch_layout::pointers) {
      for (index b = 0; b < problems; ++b)
        list_.push_back(reinterpret_cast<T*>(memory(one)) + back);
      place_.data = list_.data();
    } else {
      place_.data = reinterpret_cast<T*>(memory(total)) + back;
    }
    if (how.layout == batch_layout::gathered) make_map(how, g);
    for_each([&](const auto& at) { assign(at, draw<T>(g, kind)); });
    remember();
  }
  matrices_in_memory(const matrices_in_memory&) = delete;

  const matrix_batch& shape() const { return shape_; }
  const batch_place& place() const { return place_; }

  /// From now on `put_back` and `harmless` mean the memory as it is.
  void remember() {
    before_.clear();
    for (const auto& w : watched_) before_.insert(before_.end(), w.begin, w.begin + w.size);
  }
  void put_back() const { write(before_); }
  /// Whether nothing but entries differs from what was remembered. The lanes of an interleaved
  /// batch behind its last problem may differ too.
  bool harmless() const {
    std::vector<std::byte> after;
    for (const auto& w : watched_) after.insert(after.end(), w.begin, w.begin + w.size);
    const auto restore = [&](real_type<T>* p) {
      if (p != nullptr) std::memcpy(p, before_.data() + offset_of(p), sizeof(*p));
    };
    const bool padded = shape_.layout == batch_layout::interleaved;
    const index all = padded ? (count_ + shape_.block - 1) / shape_.block * shape_.block : count_;
    for (index b = 0; b < all; ++b)
      for (index i = 0; i < rows_; ++i)
        for (index j = 0; j < columns_; ++j) {
          const auto at = reference::place_of<T>(shape_, place_, b, i, j);
          restore(at.re);
          restore(at.im);
        }
    const bool same = unchanged();
    write(after);
    return same;
  }
  /// Whether memory is as it was remembered.
  bool unchanged() const {
    const std::byte* from = before_.data();
    for (const auto& w : watched_) {
      if (w.size > 0 && std::memcmp(w.begin, from, w.size) != 0) return false;
      from += w.size;
    }
    return true;
  }

  /// f(place) for every entry of every problem.
  template <class F>
  void for_each(const F& f) const {
    for (index b = 0; b < count_; ++b)
      for (index i = 0; i < rows_; ++i)
        for (index j = 0; j < columns_; ++j) f(reference::place_of<T>(shape_, place_, b, i, j));
  }
  void fill(T value) const {
    for_each([&](const auto& at) { assign(at, value); });
  }
  T at(index b, index i, index j) const {
    const auto p = reference::place_of<T>(shape_, place_, b, i, j);
    if (p.re == nullptr) return T(0);
    if constexpr (is_complex_type<T>)
      return T(*p.re, *p.im);
    else
      return *p.re;
  }
  void set(index b, index i, index j, T value) const {
    assign(reference::place_of<T>(shape_, place_, b, i, j), value);
  }

 private:
  struct range {
    std::byte* begin;
    std::size_t size;
  };
  static constexpr R nan = std::numeric_limits<R>::quiet_NaN();

  static void assign(const reference::entry_place<R>& at, T value) {
    if (at.re == nullptr) return;
    *at.re = std::real(value);
    if constexpr (is_complex_type<T>) *at.im = std::imag(value);
  }
  void write(const std::vector<std::byte>& bytes) const {
    const std::byte* from = bytes.data();
    for (const auto& w : watched_) {
      if (w.size > 0) std::memcpy(w.begin, from, w.size);
      from += w.size;
    }
  }

  index array_size(const storage& how) const {
    const index entries = rows_ * columns_ * (how.shared ? 1 : count_);
    return how.meets ? entries / 2 + 3 : entries + 5;
  }
  void make_map(const storage& how, generator& g) {
    const index entries = rows_ * columns_ * (how.shared ? 1 : count_), size = array_size(how);
    std::vector<index> numbers(static_cast<std::size_t>(size));
    std::iota(numbers.begin(), numbers.end(), index{0});
    std::shuffle(numbers.begin(), numbers.end(), g);
    for (index i = 0; i < entries; ++i) {
      const index to = how.meets ? (chance(g, 0.1) ? -1 : between(g, 0, size - 1))
                                 : numbers[static_cast<std::size_t>(i)];
      narrow_.push_back(static_cast<std::int32_t>(to));
      wide_.push_back(to);
    }
    if (how.shared) place_.problem = 0;
    place_.map = how.wide_map ? static_cast<const void*>(wide_.data()) : narrow_.data();
    place_.wide_map = how.wide_map;
  }
  std::size_t offset_of(const void* x) const {
    const auto* const p = static_cast<const std::byte*>(x);
    std::size_t before = 0;
    for (const auto& w : watched_) {
      if (p >= w.begin && p < w.begin + w.size)
        return before + static_cast<std::size_t>(p - w.begin);
      before += w.size;
    }
    return before;
  }

  index rows_, columns_, count_;
  matrix_batch shape_;
  batch_place place_;
  std::vector<std::unique_ptr<std::byte[]>> kept_;
  std::vector<range> watched_;
  std::vector<std::byte> before_;
  std::vector<T*> list_;
  std::vector<std::int32_t> narrow_;
  std::vector<std::int64_t> wide_;
};

/// The operands of a product, and the product judged by the reference.
template <class T>
class product {
 public:
  product(index m, index n, index k, index count, const storage& keep_a, const storage& keep_b,
          const storage& keep_c, entries_kind kind, generator& g, const memory_source& source = {},
          bool misaligned = true)
      : kind_(kind),
        a(keep_a, m, k, count, kind, g, source, misaligned),
        b(keep_b, k, n, count, kind, g, source, misaligned),
        c(keep_c, m, n, count, kind, g, source, misaligned),
        shape{scalar_of<T>, m, n, k, a.shape(), b.shape(), c.shape()},
        arguments{a.place(), b.place(), c.place(), count, T(1), T(0)} {}

  /// Runs it on the old C; the number of things that are wrong. What is right is in C.
  index errors(instruction_set isa) {
    c.put_back();
    const auto want = reference::gemm(shape, arguments);
    if (arguments.beta == T(0)) c.fill(not_a_number<T>());
    launch(shape, arguments, isa);
    return judge(want);
  }
  /// The entries that are not as they shall be, and the operands that were harmed.
  index judge(const std::vector<reference::result_entry<T>>& want) const {
    index wrong = (!a.unchanged()) + (!b.unchanged()) + (!c.harmless());
    auto w = want.begin();
    for (index p = 0; p < arguments.count; ++p)
      for (index i = 0; i < shape.m; ++i)
        for (index j = 0; j < shape.n; ++j, ++w)
          wrong += w->terms > 0 && !is_right(c.at(p, i, j), *w);
    return wrong;
  }

 private:
  bool is_right(T x, const reference::result_entry<T>& want) const {
    return close(x, want.value, tolerance(want));
  }
  long double tolerance(const reference::result_entry<T>& want) const {
    if (kind_ == entries_kind::exact) return 0;
    const auto n = static_cast<long double>(want.terms + 1);
    const long double least = std::numeric_limits<real_type<T>>::denorm_min();
    return 2 * n * (epsilon<T> * want.magnitude + least);
  }
  entries_kind kind_;

 public:
  matrices_in_memory<T> a, b, c;
  gemm_shape shape;
  gemm_arguments<T> arguments;
};

inline std::vector<instruction_set> instruction_sets() {
  std::vector<instruction_set> all;
  for (const auto isa : {instruction_set::baseline, instruction_set::avx2, instruction_set::avx512})
    if (isa <= best_instruction_set()) all.push_back(isa);
  return all;
}

/// The real numbers in a cache line: the block of an interleaved batch that is best.
template <class T>
inline constexpr index natural_block = 64 / static_cast<index>(sizeof(real_type<T>));

/// 1, 0, -1 or something else.
template <class T>
T draw_factor(generator& g) {
  const T factors[] = {T(1), T(0), T(-1), number<T>(0.75, -0.5)};
  return factors[between(g, 0, 3)];
}

/// f(T) for all four scalars.
template <class F>
void for_each_scalar(const F& f) {
  f(float{});
  f(double{});
  f(std::complex<float>{});
  f(std::complex<double>{});
}

}  // namespace tenfold::testing
