#pragma once

#include <cmath>
#include <complex>
#include <limits>
#include <samples.hpp>
#include <string_view>
#include <tenfold/backend/reference/contract.hpp>
#include <tenfold/dsel/run_time.hpp>
#include <vector>

/// What an expression shall give: subscripts read by `reading`, summed by the reference backend in
/// long double.
namespace tenfold::testing {

/// Operands without their types.
using operand_list = std::vector<run_time_operand>;

template <class X>
run_time_operand seen(const X& x) {
  return run_time_operand_of(x);
}
template <class T>
run_time_operand seen(const sample<T>& x) {
  return {x.shape(), x.data()};
}

/// The result in row-major order before alpha and beta, and the same of the operands' absolute
/// values with every sign positive.
struct expectation {
  std::vector<index> extents;
  std::vector<std::complex<long double>> sum;
  std::vector<long double> magnitude;

  index size() const { return static_cast<index>(sum.size()); }
};

/// Sums of products of any scalars, conjugated as the shapes say; an operand of extent 1 is
/// repeated along a label where another of its term, or the output, has more.
expectation expect(std::string_view text, const operand_list& operands);

/// How far y is from alpha * expected + beta * before, entry by entry, in units of
///   2 work eps (|alpha| |x1| |x2|... + |beta| |before|),   work = sum over steps of (k + 2);
/// the largest over all entries, NaN if one is NaN. With work = 0 every bit must be right.
/// `before` is in row-major order and empty if beta is 0. eps is that of `computed`, in which the
/// arithmetic ran; where T is narrower, one rounding to T is allowed as well.
template <class T>
double residual(const expectation& e, const operand_shape<max_rank>& shape, const T* y,
                const std::vector<T>& before, std::complex<double> alpha, std::complex<double> beta,
                double work, scalar computed = scalar_of<T>) {
  using wide = std::complex<long double>;
  const auto widened = [](const auto& x) { return reference::as_wide<wide>(x, false); };
  const bool single = real_of(scalar_of<T>) == scalar::f32;
  const auto rounded = [&](std::complex<double> f) {
    return real_of(computed) == scalar::f32 ? widened(std::complex<float>(f)) : widened(f);
  };
  const wide a = rounded(alpha), b = rounded(beta);
  constexpr auto eps_single = static_cast<long double>(std::numeric_limits<float>::epsilon());
  constexpr auto eps_double = static_cast<long double>(std::numeric_limits<double>::epsilon());
  const long double eps = real_of(computed) == scalar::f32 ? eps_single : eps_double;
  const bool narrowed = single && real_of(computed) == scalar::f64;
  double worst = 0;
  std::size_t n = 0;
  reference::for_each_point(shape.extents.data(), shape.rank, [&](const index* i) {
    index at = 0;
    for (int d = 0; d < shape.rank; ++d) at += shape.strides[static_cast<std::size_t>(d)] * i[d];
    wide want = 0;
    long double size = 0;
    if (a != wide(0)) {
      want += a * e.sum[n];
      size += std::abs(a) * e.magnitude[n];
    }
    if (b != wide(0)) {
      want += b * widened(before[n]);
      size += std::abs(b * widened(before[n]));
    }
    const long double off = std::abs(widened(y[at]) - want);
    long double allowed = 2 * static_cast<long double>(work) * eps * size;
    if (narrowed && work > 0) allowed += eps_single * std::abs(want);
    const double ratio =
        off == 0 ? 0 : static_cast<double>(off / allowed);  // off / 0 is infinite, as it shall be
    if (!(ratio <= worst)) worst = ratio;
    ++n;
  });
  if (n != e.sum.size()) return std::numeric_limits<double>::infinity();
  return worst;
}

}  // namespace tenfold::testing
