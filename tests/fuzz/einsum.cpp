// Random expressions on run-time strings against the reference: parse, expand, bind, plan, lower,
// launch.
//
//   fuzz_einsum [SEED [CASES]]      case number i of seed s is case 0 of seed s + i
//
// A case draws sums of one to three products with labels of all classes (batch, free, contracted,
// in many operands, private to one, repeated on a diagonal, hidden in an ellipsis), operands that
// are repeated along some of them, extents from 0 on, strides of any kind, the four scalars and
// mixes of them, conjugated or not, alpha and beta, a path; and runs as a string, through a plan,
// and on every instruction set of the CPU. Exact data must give exact results; entries outside the
// result and inputs must stay as they are; alpha = 0 reads no input and beta = 0 no output; where
// no operand varies along a label the results must be equal in every bit, wherever a tile or a
// vector ends; a plan gives the bits of the string. A failing case is made smaller and printed.
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <planned.hpp>
#include <string>
#include <tenfold/dsel/reusable_plan.hpp>
#include <tenfold/tensor/error.hpp>
#include <variant>

#include "draw_case.hpp"
#include "expression_case.hpp"
#include "run_fuzz.hpp"

namespace tenfold::testing {
namespace {

/// Copies what stands at index 0 of `label` to all others.
template <class T>
void make_constant(sample<T>& x, const std::vector<int>& axes, int label) {
  const operand_shape<max_rank> shape = x.shape();
  reference::for_each_point(shape.extents.data(), shape.rank, [&](const index* i) {
    index at = 0, from = 0;
    for (std::size_t d = 0; d < axes.size(); ++d) {
      at += i[d] * x.strides()[d];
      if (axes[d] != label) from += i[d] * x.strides()[d];
    }
    x.data()[at] = x.data()[from];
  });
}

template <class T>
bool same_bits(const std::vector<T>& x, const std::vector<T>& y) {
  return x.size() == y.size() &&
         (x.empty() || __builtin_memcmp(x.data(), y.data(), x.size() * sizeof(T)) == 0);
}

const char* name_of(instruction_set isa) {
  const char* const names[] = {"baseline", "avx2", "avx512"};
  return names[static_cast<int>(isa)];
}

/// A sample of any scalar.
using any_sample = std::variant<sample<float>, sample<double>, sample<std::complex<float>>,
                                sample<std::complex<double>>>;

any_sample make_sample(scalar type, const std::vector<index>& extents,
                       const std::vector<index>& strides) {
  switch (type) {
    case scalar::f32:
      return sample<float>(extents, strides);
    case scalar::f64:
      return sample<double>(extents, strides);
    case scalar::c32:
      return sample<std::complex<float>>(extents, strides);
    case scalar::c64:
      break;
  }
  return sample<std::complex<double>>(extents, strides);
}

template <class T>
constexpr T not_a_number() {
  if constexpr (is_complex(scalar_of<T>)) {
    constexpr auto nan = std::numeric_limits<typename T::value_type>::quiet_NaN();
    return T(nan, nan);
  } else {
    return std::numeric_limits<T>::quiet_NaN();
  }
}

/// What is wrong with the case, or "", for an output of Ts.
template <class T>
std::string run_case(const expression_case& c) {
  generator g(c.seed + 0x9e3779b97f4a7c15u);
  const std::size_t operands = c.operands();
  std::vector<any_sample> x;
  for (std::size_t o = 0; o < operands; ++o) {
    const auto extents = extents_of(c, o);
    x.push_back(make_sample(c.type[o], extents, c.recipe[o].strides(extents)));
    std::visit(
        [&](auto& s) {
          s.fill(g, c.kind);
          if (c.constant >= 0) make_constant(s, c.axes[o], c.constant);
        },
        x.back());
  }
  const auto y_extents = extents_of(c, operands);
  sample<T> y(y_extents, c.recipe[operands].strides(y_extents));
  y.fill(g, c.kind);
  if (c.constant >= 0) make_constant(y, c.axes[operands], c.constant);
  const std::vector<T> before = y.entries();
  const sample<T> y_before = y;

  operand_list inputs;
  bool twins = false;
  for (std::size_t o = 0; o < operands; ++o) {
    inputs.push_back(std::visit([](const auto& s) { return seen(s); }, x[c.twin[o]]));
    inputs.back().shape.conjugated = c.conjugated[o];
    twins = twins || c.twin[o] != o;
  }
  const auto count = static_cast<int>(operands);
  const alpha_factor alpha = c.settings.alpha;
  const beta_factor beta = c.settings.beta;
  const bind_options& options = c.settings.binding;
  const std::complex<double> a(alpha.re, alpha.im), b(beta.re, beta.im);
  const expectation want = expect(c.text, inputs);
  if (want.extents != y_extents) return "the reference has a result of other extents";
  const double work = c.kind == entries_kind::exact
                          ? 0
                          : work_of(c.text, inputs, c.settings) + 2;  // + 2: alpha and beta
  const scalar computed =
      options.accumulates ? binding::with_precision(options.accumulate, is_complex(scalar_of<T>))
                          : scalar_of<T>;
  if (is_zero(alpha)) {
    for (auto& any : x) {
      std::visit([](auto& s) { s.fill(not_a_number<std::remove_cvref_t<decltype(*s.data())>>()); },
                 any);
    }
  }
  const std::vector<any_sample> x_before = x;
  std::vector<T> bits;  // of the last run, without the gaps

  const auto judge = [&](const std::string& how) -> std::string {
    for (std::size_t o = 0; o < operands; ++o) {
      const bool same = std::visit(
          [&](const auto& s) {
            return same_bits(s.memory(),
                             std::get<std::remove_cvref_t<decltype(s)>>(x_before[o]).memory());
          },
          x[o]);
      if (!same) return how + ": an input was written";
    }
    const double r = residual(want, y.shape(), y.data(), before, a, b, work, computed);
    if (!(r <= 1)) return how + ": residual " + std::to_string(r) + " of the tolerance";
    bits = y.entries();
    if (c.constant >= 0) {
      sample<T> first = y;
      make_constant(first, c.axes[operands], c.constant);
      if (!same_bits(first.memory(), y.memory())) return how + ": bits depend on the position";
    }
    if (y.spoilt_gaps() > 0) return how + ": wrote between the entries of the output";
    return "";
  };
  const auto reset = [&] {
    y = y_before;
    if (is_zero(beta)) y.fill(not_a_number<T>());
  };

  reset();
  evaluate(c.text, inputs.data(), count, y.shape(), y.data(), c.settings);
  std::string wrong = judge("evaluate");
  if (!wrong.empty()) return wrong;
  const std::vector<T> evaluated = bits;

  reset();
  const auto y_shape = y.shape();
  const run_time_plan planned(c.text, inputs.data(), count, &y_shape, c.settings);
  planned.run(inputs.data(), count, y_shape, y.data(), c.settings);
  wrong = judge("plan");
  if (!wrong.empty()) return wrong;
  // A plan cannot know which operands will be one tensor.
  if (!twins && !same_bits(bits, evaluated)) return "plan: other bits than evaluate";
  if (is_zero(alpha)) return "";

  for (const instruction_set isa : instruction_sets()) {
    reset();
    evaluate_on(isa, c.text, inputs, y.shape(), y.data(), c.settings);
    wrong = judge(name_of(isa));
    if (!wrong.empty()) return wrong;
  }
  return "";
}

std::string run_case(const expression_case& c) {
  try {
    switch (c.type.back()) {
      case scalar::f32:
        return run_case<float>(c);
      case scalar::f64:
        return run_case<double>(c);
      case scalar::c32:
        return run_case<std::complex<float>>(c);
      case scalar::c64:
        return run_case<std::complex<double>>(c);
    }
    return "an output of no scalar";
  } catch (const error& e) {
    return std::string("threw ") + e.what();
  }
}

/// The same failure with smaller extents and simpler strides, scalars and factors.
expression_case shrink(expression_case c) {
  for (bool smaller = true; smaller;) {
    smaller = false;
    const auto attempt = [&](const expression_case& next) {
      if (run_case(next).empty()) return false;
      c = next;
      return smaller = true;
    };
    for (std::size_t l = 0; l < c.extent.size(); ++l) {
      for (const index e : {index{1}, c.extent[l] / 2, c.extent[l] - 1}) {
        expression_case next = c;
        next.extent[l] = e;
        if (e > 0 && e < c.extent[l] && attempt(next)) break;
      }
    }
    for (std::size_t o = 0; o < c.recipe.size(); ++o) {
      for (std::size_t a = 0; a < c.axes[o].size(); ++a) {
        expression_case next = c;
        next.recipe[o].pad[a] = 0;
        next.recipe[o].sign[a] = 1;
        if (next.recipe[o].pad != c.recipe[o].pad || next.recipe[o].sign != c.recipe[o].sign) {
          attempt(next);
        }
      }
      expression_case next = c;
      std::iota(next.recipe[o].order.rbegin(), next.recipe[o].order.rend(), 0);
      if (next.recipe[o].order != c.recipe[o].order) attempt(next);
      next = c;
      next.twin[o] = o;
      if (c.twin[o] != o) attempt(next);
      next = c;
      if (o < c.operands() && c.conjugated[o]) {
        next.conjugated[o] = false;
        attempt(next);
      }
    }
    for (double alpha_factor::*part : {&alpha_factor::re, &alpha_factor::im}) {
      expression_case next = c;
      next.settings.alpha.*part = part == &alpha_factor::re ? 1 : 0;
      if (next.settings.alpha.*part != c.settings.alpha.*part) attempt(next);
    }
    for (double beta_factor::*part : {&beta_factor::re, &beta_factor::im}) {
      expression_case next = c;
      next.settings.beta.*part = 0;
      if (c.settings.beta.*part != 0) attempt(next);
    }
    expression_case next = c;
    next.settings.path = {};
    if (!(c.settings.path == path_options{})) attempt(next);
  }
  return c;
}

int fuzz(std::uint64_t seed, index cases) {
  const bool verbose = std::getenv("TENFOLD_FUZZ_VERBOSE") != nullptr;  // to find what crashes
  index failures = 0;
  for (index i = 0; i < cases && failures < 10; ++i) {
    const std::uint64_t at = seed + static_cast<std::uint64_t>(i);
    const expression_case c = draw_case(at);
    if (verbose) {
      std::printf("case %llu\n", static_cast<unsigned long long>(at));
      print(c);
      std::fflush(stdout);
    }
    const std::string wrong = run_case(c);
    if (wrong.empty()) continue;
    ++failures;
    std::printf("FAILED: %s\n  again with: fuzz_einsum %llu 1\n", wrong.c_str(),
                static_cast<unsigned long long>(at));
    print(c);
    const expression_case small = shrink(c);
    std::printf("  smaller: %s\n", run_case(small).c_str());
    print(small);
    std::fflush(stdout);
  }
  std::printf("%ld failures\n", static_cast<long>(failures));
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace tenfold::testing

int main(int argc, char** argv) {
  using namespace tenfold::testing;
  return run_fuzz("einsum", argc, argv, fuzz);
}
