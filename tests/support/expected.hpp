#pragma once

#include <cmath>
#include <limits>
#include <map>
#include <reading.hpp>
#include <samples.hpp>
#include <string>
#include <tenfold/backend/reference/contract.hpp>
#include <vector>

/// What an expression shall give: subscripts read by `reading`, summed by the reference backend in
/// long double.
namespace tenfold::testing {

/// One operand, its entries of type T.
template <class T>
struct seen_operand {
  operand_shape<max_rank> shape;
  const T* data;
};

template <class X>
auto seen(const X& x) {
  using T = typename operand_traits<const X>::scalar_t;
  return seen_operand<T>{shape_of<max_rank>(x), operand_traits<const X>::data(x)};
}
template <class T>
seen_operand<T> seen(const sample<T>& x) {
  return {x.shape(), x.data()};
}
template <class T>
seen_operand<T> seen(const dynamic_tensor<T>& x) {
  return {x.shape(), x.data()};
}

/// The result in row-major order before alpha and beta, and the same of the operands' absolute
/// values.
struct expectation {
  std::vector<index> extents;
  std::vector<long double> sum, magnitude;

  index size() const { return static_cast<index>(sum.size()); }
};

template <class T>
expectation expect(std::string_view text, const std::vector<seen_operand<T>>& operands) {
  const reading read = read_subscripts(text);
  reference::loop_nest<64, 32> nest;
  std::map<std::string, std::size_t> loop_of;
  std::map<std::string, index> extent_of;
  for (std::size_t o = 0; o < operands.size(); ++o) {
    for (std::size_t i = 0; i < read.inputs[o].size(); ++i) {
      extent_of[read.inputs[o][i]] = operands[o].shape.extents[i];
    }
  }
  const auto add_loop = [&](const std::string& label) {
    const auto l = static_cast<std::size_t>(nest.loops++);
    loop_of[label] = l;
    nest.extent[l] = extent_of[label];
  };
  expectation result;
  for (const auto& label : read.output) {
    add_loop(label);
    result.extents.push_back(extent_of[label]);
  }
  nest.kept = nest.loops;
  for (const auto& [label, extent] : extent_of) {
    if (!loop_of.contains(label)) add_loop(label);
  }
  const std::vector<index> strides = sample<T>::row_major(result.extents);
  std::copy(strides.begin(), strides.end(), nest.output_stride.begin());

  // The operands in long double, at the distances that they have.
  nest.operands = static_cast<int>(operands.size());
  std::vector<std::vector<long double>> values(operands.size()), sizes(operands.size());
  std::vector<const long double*> value_of, size_of;
  for (std::size_t o = 0; o < operands.size(); ++o) {
    const auto& shape = operands[o].shape;
    index low = 0, high = 0;
    bool empty = false;
    for (std::size_t i = 0; i < static_cast<std::size_t>(shape.rank); ++i) {
      nest.stride[o][loop_of[read.inputs[o][i]]] += shape.strides[i];
      const index reach = (shape.extents[i] - 1) * shape.strides[i];
      (reach < 0 ? low : high) += reach;
      empty = empty || shape.extents[i] == 0;
    }
    if (!empty) {
      for (index at = low; at <= high; ++at) {
        values[o].push_back(static_cast<long double>(operands[o].data[at]));
        sizes[o].push_back(std::fabs(values[o].back()));
      }
    }
    value_of.push_back(values[o].data() - (empty ? 0 : low));
    size_of.push_back(sizes[o].data() - (empty ? 0 : low));
  }
  index count = 1;
  for (const index n : result.extents) count *= n;
  result.sum.resize(static_cast<std::size_t>(count));
  result.magnitude = result.sum;
  reference::contract<long double>(nest, value_of.data(), result.sum.data(), 1.0L, 0.0L);
  reference::contract<long double>(nest, size_of.data(), result.magnitude.data(), 1.0L, 0.0L);
  return result;
}

/// How far y is from alpha * expected + beta * before, entry by entry, in units of
///   2 work eps (|alpha| |x1| |x2|... + |beta| |before|),   work = sum over steps of (k + 2);
/// the largest over all entries, NaN if one is NaN. With work = 0 every bit must be right.
/// `before` is in row-major order and empty if beta is 0.
template <class T>
double residual(const expectation& e, const operand_shape<max_rank>& shape, const T* y,
                const std::vector<T>& before, double alpha, double beta, double work) {
  const auto a = static_cast<long double>(static_cast<T>(alpha));
  const auto b = static_cast<long double>(static_cast<T>(beta));
  const auto eps = static_cast<long double>(std::numeric_limits<T>::epsilon());
  double worst = 0;
  std::size_t n = 0;
  reference::for_each_point(shape.extents.data(), shape.rank, [&](const index* i) {
    index at = 0;
    for (int d = 0; d < shape.rank; ++d) at += shape.strides[static_cast<std::size_t>(d)] * i[d];
    long double want = a == 0 ? 0 : a * e.sum[n];
    long double size = a == 0 ? 0 : std::fabs(a) * e.magnitude[n];
    if (b != 0) {
      want += b * static_cast<long double>(before[n]);
      size += std::fabs(b * static_cast<long double>(before[n]));
    }
    const long double off = std::fabs(static_cast<long double>(y[at]) - want);
    const long double allowed = 2 * static_cast<long double>(work) * eps * size;
    const double ratio =
        off == 0 ? 0 : static_cast<double>(off / allowed);  // off / 0 is infinite, as it shall be
    if (!(ratio <= worst)) worst = ratio;
    ++n;
  });
  if (n != e.sum.size()) return std::numeric_limits<double>::infinity();
  return worst;
}

}  // namespace tenfold::testing
