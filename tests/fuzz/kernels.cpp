// Random fused kernels, as data, against their statements one by one: unroll, plan, lower, launch.
//
//   fuzz_kernels [SEED [CASES]]      case number i of seed s is case 0 of seed s + i
//
// Strides are drawn, too, and of which inputs entries are complex or conjugated. A failing case is
// printed.
#include <cmath>
#include <complex>
#include <cstdio>
#include <planned.hpp>
#include <string>
#include <tenfold/dsel/run_kernel.hpp>
#include <vector>

#include "draw_kernel.hpp"
#include "run_fuzz.hpp"

namespace tenfold::testing {
namespace {

/// A number and a bound of what it would be with all signs positive, which says how large rounding
/// may be.
struct rounded {
  std::complex<double> value;
  double size;

  explicit rounded(std::complex<double> x) : rounded(x, std::abs(x)) {}
  rounded(std::complex<double> v, double s) : value(v), size(s) {}
  rounded& operator*=(rounded x) { return *this = {value * x.value, size * x.size}; }
  friend rounded operator+(rounded x, rounded y) { return {x.value + y.value, x.size + y.size}; }
  friend rounded operator-(rounded x, rounded y) { return {x.value - y.value, x.size + y.size}; }
};

/// What lies in memory: real numbers, of a complex entry two.
struct entries {
  std::vector<double> reals;
  std::size_t each;  ///< real numbers

  entries(index count, bool is_complex)
      : reals(static_cast<std::size_t>(count) * (is_complex ? 2 : 1), 77),
        each(is_complex ? 2 : 1) {}
  std::size_t count() const { return reals.size() / each; }
  std::complex<double> at(std::size_t i) const {
    return {reals[i * each], each == 2 ? reals[i * each + 1] : 0};
  }
  void set(std::size_t i, std::complex<double> x) {
    reals[i * each] = x.real();
    if (each == 2) reals[i * each + 1] = x.imag();
  }
};

std::string shown(std::complex<double> x) {
  return "(" + std::to_string(x.real()) + "," + std::to_string(x.imag()) + ")";
}

/// Empty: right. Else what is wrong.
std::string run_case(const kernel_case& c, std::uint64_t seed, bool& ran) {
  generator g(seed + 1);
  std::vector<std::vector<rounded>> values;
  std::vector<entries> memory;
  std::vector<run_time_operand> operands;
  const bool is_complex = chance(g, 0.4);
  for (int o = 0; o < c.k.operand_count; ++o) {
    const auto& axes = c.axes[static_cast<std::size_t>(o)];
    operand_shape<max_rank> shape;
    const bool is_input = c.k.operands[o].role == operand_role::input;
    const bool has_complex = is_complex && !(is_input && chance(g, 0.3));
    shape.type = has_complex ? scalar::c64 : scalar::f64;
    shape.conjugated = is_input && has_complex && chance(g, 0.4);
    shape.rank = static_cast<int>(axes.size());
    const bool pads = chance(g, 0.2);
    index stride = 1;
    for (std::size_t d = axes.size(); d-- > 0;) {
      shape.extents[d] = c.extent_of(axes[d]);
      shape.strides[d] = stride;
      stride = stride * std::max<index>(shape.extents[d], 1) + (pads ? 1 : 0);
    }
    const auto eighths = [&] { return static_cast<double>(between(g, -8, 8)) / 8; };
    std::vector<rounded> seen;
    for (index i = 0; i < c.entries_of(o); ++i) {
      const double real = eighths();
      seen.emplace_back(std::complex<double>(real, has_complex ? eighths() : 0));
    }
    entries room(stride, has_complex);
    std::size_t i = 0;
    reference::for_each_point(shape.extents.data(), shape.rank, [&](const index* at) {
      index place = 0;
      for (std::size_t d = 0; d < axes.size(); ++d) place += at[d] * shape.strides[d];
      const std::complex<double> x = seen[i++].value;
      room.set(static_cast<std::size_t>(place), shape.conjugated ? std::conj(x) : x);
    });
    values.push_back(std::move(seen));
    memory.push_back(std::move(room));
    operands.push_back({shape, memory.back().reals.data()});
  }
  try {
    if (const diagnostic wrong = check(c.k)) throw_diagnostic(wrong, c.text);
    const run_time_kernel planned(c.k, c.text, operands.data());
    planned.run(operands.data());
  } catch (const backend_error&) {
    return "";  // it is too long
  } catch (const std::exception& refused) {
    return refused.what();
  }
  ran = true;
  run_statements(c, values);
  const auto out = static_cast<std::size_t>(c.k.output());
  const std::vector<rounded>& right = values[out];
  const operand_shape<max_rank>& shape = operands[out].shape;
  std::vector<bool> written(memory[out].count(), false);
  std::string wrong;
  std::size_t i = 0;
  reference::for_each_point(shape.extents.data(), shape.rank, [&](const index* at) {
    index place = 0;
    for (int d = 0; d < shape.rank; ++d)
      place += at[d] * shape.strides[static_cast<std::size_t>(d)];
    const std::complex<double> got = memory[out].at(static_cast<std::size_t>(place));
    written[static_cast<std::size_t>(place)] = true;
    if (!(std::abs(got - right[i].value) <= 1e-12 * right[i].size) && wrong.empty())
      wrong = "entry " + std::to_string(i) + " is " + shown(got) + " instead of " +
              shown(right[i].value);
    ++i;
  });
  for (std::size_t x = 0; x < written.size(); ++x)
    if (!written[x] && memory[out].reals[x * memory[out].each] != 77)
      wrong = "an entry outside the result was written";
  return wrong;
}

int fuzz(std::uint64_t seed, index cases) {
  index failures = 0, done = 0;
  for (index i = 0; i < cases && failures < 10; ++i) {
    const std::uint64_t at = seed + static_cast<std::uint64_t>(i);
    generator g(at);
    const kernel_case c = draw_kernel(g);
    if (!is_complete(c)) continue;
    bool ran = false;
    const std::string wrong = run_case(c, at, ran);
    done += ran;
    if (wrong.empty()) continue;
    ++failures;
    print_failure(c, "kernels", at, wrong);
  }
  std::printf("%ld failures, %ld kernels ran\n", static_cast<long>(failures),
              static_cast<long>(done));
  return failures == 0 && (done > 0 || cases < 10) ? 0 : 1;
}

}  // namespace
}  // namespace tenfold::testing

int main(int argc, char** argv) {
  using namespace tenfold::testing;
  return run_fuzz("kernels", argc, argv, fuzz);
}
