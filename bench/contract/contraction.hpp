#pragma once

#include <tenfold/tenfold.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/buffer.hpp"
#include "common/check.hpp"
#include "common/timing.hpp"

namespace tenfold::bench {

using extents_by_label = std::map<char, index>;

/// C := A B, or a sum, permutation or diagonal of A alone, by labels; all row-major.
struct contraction {
  std::string name, a, b, c;  ///< b may be empty: there is no second operand
  extents_by_label extents;

  std::string text() const { return a + (b.empty() ? "" : "," + b) + "->" + c; }
  index product(const std::string& labels) const {
    index n = 1;
    for (const char l : labels) n *= extents.at(l);
    return n;
  }
  /// Labels of x that y has, or has not, each once.
  static std::string of(const std::string& x, const std::string& y, bool shared) {
    std::string some;
    for (const char l : x)
      if ((y.find(l) != std::string::npos) == shared && some.find(l) == std::string::npos)
        some += l;
    return some;
  }
  std::string all() const { return a + of(b, a, false); }
  index m() const { return product(of(of(a, b, false), c, true)); }
  index n() const { return product(of(of(b, a, false), c, true)); }
  index k() const { return product(of(all(), c, false)); }
  double flops() const { return 2.0 * static_cast<double>(product(of(all(), "", false))); }

  /// The matrix product of the same m, n and k.
  contraction as_matrices() const {
    return {"", "mk", "kn", "mn", {{'m', m()}, {'n', n()}, {'k', k()}}};
  }
  /// Whether it is one matrix product, but for the order of the entries: each label is in two of
  /// A, B and C, and in neither of them twice.
  bool is_matrix_product() const {
    const std::string everywhere = a + b + c;
    const auto times = [](const std::string& x, char l) {
      return std::count(x.begin(), x.end(), l);
    };
    return !b.empty() && std::all_of(everywhere.begin(), everywhere.end(), [&](char l) {
      return times(everywhere, l) == 2 && times(a, l) < 2 && times(b, l) < 2 && times(c, l) < 2;
    });
  }
};

/// Extents and strides of the tensor with these labels.
template <class T>
operand_shape<max_rank> shape_of(const contraction& x, const std::string& labels) {
  operand_shape<max_rank> shape;
  shape.type = scalar_of<T>;
  shape.rank = static_cast<int>(labels.size());
  index stride = 1;
  for (std::size_t i = labels.size(); i-- > 0;) {
    shape.extents[i] = x.extents.at(labels[i]);
    shape.strides[i] = stride;
    stride *= shape.extents[i];
  }
  return shape;
}

template <class T>
dynamic_tensor<T> tensor_over(const contraction& x, const std::string& labels, std::uint64_t seed) {
  dynamic_tensor<T> t(shape_of<T>(x, labels));
  buffer<T> line(4096);
  line.fill(seed);
  for (index i = 0; i < t.size(); ++i)
    t.data()[i] = line[static_cast<std::size_t>((i + i / 4096) % 4096)];
  return t;
}

/// Some entries of the result by plain loops in long double, by their places in C.
template <class T>
std::map<index, reference_entry> reference_entries(const contraction& x, const dynamic_tensor<T>& a,
                                                   const dynamic_tensor<T>& b, index size) {
  const auto stride_in = [](const auto& t, const std::string& labels, char l) {
    index s = 0;
    for (std::size_t i = 0; i < labels.size(); ++i)
      if (labels[i] == l) s += t.stride(static_cast<int>(i));
    return s;
  };
  struct sum {
    index extent, in_a, in_b, at;
  };
  std::vector<sum> sums;
  for (const char l : contraction::of(x.all(), x.c, false))
    sums.push_back({x.extents.at(l), stride_in(a, x.a, l), stride_in(b, x.b, l), 0});

  std::map<index, reference_entry> entries;
  const index some = std::min<index>(size, 64);
  for (index e = 0; e < some; ++e) {
    const index place = some == 1 ? 0 : e * (size - 1) / (some - 1);
    index left = place, in_a = 0, in_b = 0;
    for (std::size_t i = x.c.size(); i-- > 0;) {
      const index at = left % x.extents.at(x.c[i]);
      left /= x.extents.at(x.c[i]);
      in_a += at * stride_in(a, x.a, x.c[i]);
      in_b += at * stride_in(b, x.b, x.c[i]);
    }
    reference_entry& want = entries[place] = {0, 0};
    for (index k = 0; k < x.k(); ++k) {
      const long double p = static_cast<long double>(a.data()[in_a]) *
                            (x.b.empty() ? 1 : static_cast<long double>(b.data()[in_b]));
      want.value += p;
      want.magnitude += std::fabs(p);
      for (std::size_t i = sums.size(); i-- > 0;) {
        sum& s = sums[i];
        in_a += s.in_a;
        in_b += s.in_b;
        if (++s.at < s.extent) break;
        in_a -= s.extent * s.in_a;
        in_b -= s.extent * s.in_b;
        s.at = 0;
      }
    }
  }
  return entries;
}

/// The tensors of a contraction: the same for all candidates.
template <class T>
struct contraction_data {
  explicit contraction_data(contraction of)
      : x(std::move(of)),
        a(tensor_over<T>(x, x.a, 1)),
        b(tensor_over<T>(x, x.b, 2)),
        c(shape_of<T>(x, x.c)),
        reference(reference_entries(x, a, b, c.size())) {}

  double bytes() const {
    return static_cast<double>(sizeof(T)) * static_cast<double>(a.size() + b.size() + c.size());
  }
  void poison() { std::fill_n(c.data(), c.size(), std::numeric_limits<T>::quiet_NaN()); }
  /// Ends the program where C is not what the candidate should have computed.
  void check_entries(const std::string& candidate) const {
    for (const auto& entry : reference)
      check(x.text(), candidate, c.data() + entry.first, 1, static_cast<double>(x.k() + 2),
            [&](std::ptrdiff_t) { return entry.second; });
  }

  contraction x;
  dynamic_tensor<T> a, b, c;
  std::map<index, reference_entry> reference;
};

/// Adds a candidate that computes C, after its result was compared with the reference.
template <class T>
void add_checked(std::vector<candidate>& to, contraction_data<T>& data, const std::string& name,
                 std::function<void()> pass) {
  data.poison();
  pass();
  data.check_entries(name);
  to.push_back({name, std::move(pass)});
}

}  // namespace tenfold::bench
