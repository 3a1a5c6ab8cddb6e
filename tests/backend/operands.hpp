#pragma once

#include <algorithm>
#include <complex>
#include <numeric>
#include <samples.hpp>
#include <tenfold/backend/batched_blas.hpp>
#include <tenfold/tensor/conjugated.hpp>
#include <tenfold/tensor/gathered.hpp>
#include <tenfold/tensor/interleaved.hpp>
#include <tenfold/tensor/pointers.hpp>
#include <tenfold/tensor/tensor.hpp>
#include <tenfold/tensor/view.hpp>
#include <vector>

#include "numbers.hpp"

/// Batches of M x N matrices as the types of the tensor room, each in memory of its own:
/// `operand()` is what a product takes. M and N are extents of the type, or `dyn`.
namespace tenfold::testing {

/// What every batch below is made of.
struct sizes {
  index count, rows, columns;
};

/// An X of the arguments and those of the sizes that its type does not tell.
template <class X, index M, index N, class... Argument>
X with_sizes(const sizes& s, const Argument&... x) {
  if constexpr (M == dyn && N == dyn)
    return X(x..., s.rows, s.columns);
  else if constexpr (M == dyn)
    return X(x..., s.rows);
  else if constexpr (N == dyn)
    return X(x..., s.columns);
  else
    return X(x...);
}

struct in_tensor {
  template <class T, index M, index N>
  class of {
   public:
    explicit of(const sizes& s) : x_(with_sizes<tensor<T, dyn, M, N>, M, N>(s, s.count)) {}
    tensor<T, dyn, M, N>& operand() { return x_; }

   private:
    tensor<T, dyn, M, N> x_;
  };
};

/// One matrix for all problems.
struct in_matrix {
  template <class T, index M, index N>
  class of {
   public:
    explicit of(const sizes& s) : x_(with_sizes<tensor<T, M, N>, M, N>(s)) {}
    tensor<T, M, N>& operand() { return x_; }

   private:
    tensor<T, M, N> x_;
  };
};

/// Column-major over all axes of a batch of a fixed size: neighbours are entries of two problems.
template <index Count>
struct batch_first {
  template <class T, index M, index N>
  class of {
   public:
    explicit of(const sizes&) : memory_(static_cast<std::size_t>(Count * M * N)) {}
    auto operand() { return basic_view<T, extents<Count, M, N>, layout_left>(memory_.data()); }

   private:
    std::vector<T> memory_;
  };
};

template <index W>
struct in_blocks {
  template <class T, index M, index N>
  class of {
   public:
    explicit of(const sizes& s) : x_(with_sizes<interleaved<T, W, M, N>, M, N>(s, s.count)) {}
    interleaved<T, W, M, N>& operand() { return x_; }

   private:
    interleaved<T, W, M, N> x_;
  };
};

/// Problems in falling order with one entry between them.
template <class T>
class list_of_problems {
 public:
  explicit list_of_problems(index count, index entries)
      : memory_(static_cast<std::size_t>(count * (entries + 1))) {
    for (index b = 0; b < count; ++b)
      list_.push_back(memory_.data() + (count - 1 - b) * (entries + 1));
  }
  T* const* list() const { return list_.data(); }

 private:
  std::vector<T> memory_;
  std::vector<T*> list_;
};

struct behind_pointers {
  template <class T, index M, index N>
  class of {
   public:
    explicit of(const sizes& s) : size_(s), all_(s.count, s.rows * s.columns) {}
    auto operand() { return with_sizes<pointers<T, M, N>, M, N>(size_, all_.list(), size_.count); }

   private:
    sizes size_;
    list_of_problems<T> all_;
  };
};

/// Columns two entries longer than the matrices.
struct behind_strided_pointers {
  template <class T, index M, index N>
  class of {
   public:
    explicit of(const sizes& s) : size_(s), all_(s.count, (s.rows + 2) * s.columns) {}
    auto operand() {
      return strided_pointers<T, M, N>(all_.list(), {size_.count, size_.rows, size_.columns},
                                       {1, size_.rows + 2});
    }

   private:
    sizes size_;
    list_of_problems<T> all_;
  };
};

/// Anywhere, each entry once; I: the integer of the map.
template <class I>
struct in_array {
  template <class T, index M, index N>
  class of {
   public:
    explicit of(const sizes& s)
        : size_(s),
          array_(static_cast<std::size_t>(s.count * s.rows * s.columns + 3)),
          map_(array_.size()) {
      std::iota(map_.begin(), map_.end(), I{0});
      generator g(9);
      std::shuffle(map_.begin(), map_.end(), g);
    }
    auto operand() {
      return with_sizes<gathered<T, M, N>, M, N>(
          size_, array_.data(),
          index_map<I>(map_.data(), size_.count, size_.rows * size_.columns,
                       static_cast<index>(array_.size())));
    }

   private:
    sizes size_;
    std::vector<T> array_;
    std::vector<I> map_;
  };
};

/// Entry (i, j) of problem b, or of the one matrix.
template <class X>
auto entry_of(const X& x, index b, index i, index j) {
  using T = typename X::value_type;
  if constexpr (X::rank() == 2)
    return static_cast<T>(x(i, j));
  else
    return static_cast<T>(x(b, i, j));
}

/// x(b, i, j) := f(b, i, j) for a batch, or a matrix.
template <class X, class F>
void for_each_entry(X& x, const F& f) {
  if constexpr (std::remove_cvref_t<X>::rank() == 2) {
    for (index i = 0; i < x.extent(0); ++i)
      for (index j = 0; j < x.extent(1); ++j) x(i, j) = f(0, i, j);
  } else {
    for (index b = 0; b < x.extent(0); ++b)
      for (index i = 0; i < x.extent(1); ++i)
        for (index j = 0; j < x.extent(2); ++j) x(b, i, j) = f(b, i, j);
  }
}
template <class X>
void fill_entries(X& x, generator& g) {
  using T = typename std::remove_cvref_t<X>::value_type;
  for_each_entry(x, [&](index, index, index) { return draw<T>(g, entries_kind::exact); });
}

/// Reads `X` as it is, or as its conjugate.
template <bool Conjugates, class X>
decltype(auto) maybe_conjugate(X& x) {
  if constexpr (Conjugates)
    return conj(x);
  else
    return (x);
}

/// A product of operands of the types with the extents M, N, K.
template <op OpA, op OpB, bool ConjugatesA = false, bool ConjugatesB = false>
struct call_of {
  static constexpr bool ta = OpA != op::none, tb = OpB != op::none;

  /// Runs C := alpha op_a(A) op_b(B) + beta C over whole numbers kept as A, B and C; the number of
  /// entries that are wrong.
  template <class T, index M, index N, index K, class A, class B, class C>
  static index errors(const sizes& s, index k, T alpha, T beta) {
    typename A::template of<T, ta ? K : M, ta ? M : K> a(
        {s.count, ta ? k : s.rows, ta ? s.rows : k});
    typename B::template of<T, tb ? N : K, tb ? K : N> b(
        {s.count, tb ? s.columns : k, tb ? k : s.columns});
    typename C::template of<T, M, N> c(s);
    generator g(static_cast<std::uint64_t>(s.count * 100 + s.rows * 10 + k));
    auto&& x = a.operand();
    auto&& y = b.operand();
    auto&& z = c.operand();
    fill_entries(x, g);
    fill_entries(y, g);
    fill_entries(z, g);
    const auto taken = [](T value, bool yes) { return yes ? conjugate(value) : value; };
    constexpr bool ca = (OpA == op::conjugate_transpose) != ConjugatesA;
    constexpr bool cb = (OpB == op::conjugate_transpose) != ConjugatesB;
    std::vector<T> want;
    for (index p = 0; p < s.count; ++p)
      for (index i = 0; i < s.rows; ++i)
        for (index j = 0; j < s.columns; ++j) {
          T sum = 0;
          for (index l = 0; l < k; ++l)
            sum += taken(ta ? entry_of(x, p, l, i) : entry_of(x, p, i, l), ca) *
                   taken(tb ? entry_of(y, p, j, l) : entry_of(y, p, l, j), cb);
          want.push_back(alpha * sum + beta * entry_of(z, p, i, j));
        }
    if (beta == T(0)) for_each_entry(z, [](index, index, index) { return not_a_number<T>(); });
    gemm<OpA, OpB>(alpha, maybe_conjugate<ConjugatesA>(x), maybe_conjugate<ConjugatesB>(y), beta,
                   z);
    index wrong = 0;
    auto w = want.begin();
    for (index p = 0; p < s.count; ++p)
      for (index i = 0; i < s.rows; ++i)
        for (index j = 0; j < s.columns; ++j, ++w) wrong += !(entry_of(z, p, i, j) == *w);
    return wrong;
  }
};

}  // namespace tenfold::testing
