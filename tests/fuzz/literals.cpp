// Subscripts in the type, and index notation, over random operands, against the reference.
//
//   fuzz_literals [SEED [CASES]]      case number i of seed s is case 0 of seed s + i
//
// A case takes one of a list of expressions, which between them have static and run-time extents,
// row-major, column-major and any strides, real and complex operands, conjugates, sums and
// ellipses; draws the extents that the types leave open (1 among them, where an ellipsis
// stretches), strides, alpha and beta; and runs by value, into a tensor of the type of the result,
// into a view of any strides, and, where no ellipsis stands, as a statement of index notation.
// Exact data must give exact results; gaps and inputs must stay as they are.
#include <array>
#include <cstdio>
#include <map>
#include <planned.hpp>
#include <reading.hpp>
#include <string>
#include <tenfold/dsel/einsum.hpp>
#include <tenfold/dsel/index_notation.hpp>
#include <tenfold/tensor/conjugated.hpp>
#include <tenfold/tensor/error.hpp>

#include "run_fuzz.hpp"

namespace tenfold::testing {
namespace {

// --- operands of a list entry ---

/// An operand of Ts with these extents in its type: row-major, column-major, or of any strides.
template <class T, class Layout, bool Conjugated, index... E>
struct form {
  using scalar_t = T;
  using view_t = basic_view<const T, extents<E...>, Layout>;
  static constexpr bool conjugated = Conjugated;
  static constexpr std::array<index, sizeof...(E)> fixed{E...};
};
template <class T, index... E>
using row = form<T, layout_right, false, E...>;
template <class T, index... E>
using column = form<T, layout_left, false, E...>;
template <class T, index... E>
using strided = form<T, layout_stride, false, E...>;
template <class T, index... E>
using conjugated_row = form<T, layout_right, true, E...>;
template <class T, index... E>
using conjugated_column = form<T, layout_left, true, E...>;

/// Strides of any kind; those of an output keep its entries apart.
std::vector<index> draw_strides(generator& g, const std::vector<index>& extents, bool input) {
  std::vector<std::size_t> order(extents.size());
  std::iota(order.rbegin(), order.rend(), std::size_t{0});
  if (chance(g, 0.6)) std::shuffle(order.begin(), order.end(), g);
  std::vector<index> strides(extents.size());
  index stride = 1;
  for (const std::size_t axis : order) {
    const bool repeats = input && chance(g, 0.08);
    strides[axis] = repeats ? 0 : chance(g, 0.2) ? -stride : stride;
    if (!repeats) stride = stride * std::max<index>(extents[axis], 1) + between(g, 0, 2);
  }
  return strides;
}

std::vector<index> column_major(const std::vector<index>& extents) {
  std::vector<index> strides(extents.size());
  index stride = 1;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    strides[i] = stride;
    stride *= std::max<index>(extents[i], 1);
  }
  return strides;
}

/// A form with memory behind it.
template <class Form>
class operand {
  using T = typename Form::scalar_t;
  using view_t = typename Form::view_t;

 public:
  operand(generator& g, const std::vector<index>& extents, entries_kind kind)
      : memory_(extents, strides(g, extents)) {
    memory_.fill(g, kind);
    before_ = memory_.memory();
  }

  view_t view() const {
    std::array<index, sizeof(Form::fixed) / sizeof(index)> all{}, steps{};
    std::copy(memory_.extents().begin(), memory_.extents().end(), all.begin());
    std::copy(memory_.strides().begin(), memory_.strides().end(), steps.begin());
    if constexpr (std::is_same_v<typename view_t::layout_type, layout_stride>) {
      return view_t(memory_.data(), all, steps);
    } else {
      return view_t(memory_.data(),
                    typename view_t::mapping_type(typename view_t::extents_type(all)));
    }
  }
  auto operator()() const {
    if constexpr (Form::conjugated) {
      return conj(view());
    } else {
      return view();
    }
  }
  bool is_unchanged() const {
    return before_.empty() || __builtin_memcmp(before_.data(), memory_.memory().data(),
                                               before_.size() * sizeof(T)) == 0;
  }

 private:
  static std::vector<index> strides(generator& g, const std::vector<index>& extents) {
    using layout = typename view_t::layout_type;
    if (std::is_same_v<layout, layout_right>) return sample<T>::row_major(extents);
    if (std::is_same_v<layout, layout_left>) return column_major(extents);
    return draw_strides(g, extents, true);
  }

  sample<T> memory_;
  std::vector<T> before_;
};

// --- one case ---

index draw_extent(generator& g) {
  const index kind = between(g, 0, 19);
  if (kind == 0) return 0;
  if (kind < 3) return 1;
  return kind < 15 ? between(g, 2, 9) : between(g, 10, 40);
}

/// Extents of all operands: what the types fix, and by label what they leave open; along an
/// ellipsis an open one may be 1.
std::vector<std::vector<index>> draw_extents(generator& g, std::string_view text,
                                             const std::vector<std::vector<index>>& fixed) {
  std::vector<int> ranks;
  for (const auto& f : fixed) ranks.push_back(static_cast<int>(f.size()));
  const reading read = read_subscripts(text, ranks);
  std::map<std::string, index> of;
  for (std::size_t o = 0; o < fixed.size(); ++o) {
    for (std::size_t i = 0; i < fixed[o].size(); ++i) {
      if (fixed[o][i] != dyn && fixed[o][i] != 1) of[read.inputs[o][i]] = fixed[o][i];
    }
  }
  std::vector<std::vector<index>> extents = fixed;
  for (std::size_t o = 0; o < fixed.size(); ++o) {
    for (std::size_t i = 0; i < fixed[o].size(); ++i) {
      const std::string& label = read.inputs[o][i];
      if (!of.contains(label)) of[label] = draw_extent(g);
      if (fixed[o][i] == dyn) extents[o][i] = label[0] == '.' && chance(g, 0.3) ? 1 : of[label];
    }
  }
  return extents;
}

/// Stands where an expression is not written in index notation.
struct only_subscripts {};

template <literal S, class Indexed, class... Forms, std::size_t... I>
std::string run_case(std::uint64_t seed, std::index_sequence<I...>) {
  generator g(seed);
  const auto kind = chance(g, 0.3) ? entries_kind::exact : entries_kind::random;
  const auto extents =
      draw_extents(g, S.view(), {std::vector<index>(Forms::fixed.begin(), Forms::fixed.end())...});
  const std::tuple<operand<Forms>...> x{operand<Forms>(g, extents[I], kind)...};
  const operand_list inputs{run_time_operand_of(std::get<I>(x)())...};
  const expectation want = expect(S.view(), inputs);
  const double work = kind == entries_kind::exact ? 0 : work_of(S.view(), inputs) + 2;

  const auto told = [&](const char* how, double r) {
    return std::string(how) + ": residual " + std::to_string(r) + " of the tolerance";
  };
  auto y = einsum<S>(std::get<I>(x)()...);
  using T = typename decltype(y)::value_type;
  double r = residual<T>(want, shape_of<max_rank>(y), y.data(), {}, 1, 0, work);
  if (!(r <= 1)) return told("by value", r);

  const double alphas[] = {1, -1, 2}, betas[] = {0, 1, -2};
  const double a = alphas[between(g, 0, 2)], b = betas[between(g, 0, 2)];
  const T nan = T(std::numeric_limits<float>::quiet_NaN());
  std::vector<T> before(static_cast<std::size_t>(y.size()));
  fill(before.data(), y.size(), g, kind);
  const auto start_from = [&](double kept) {
    if (kept == 0) {
      y.fill(nan);
    } else {
      std::copy(before.begin(), before.end(), y.data());
    }
  };
  start_from(b);
  einsum<S>(into(y), std::get<I>(x)()..., alpha(a), beta(b));
  r = residual(want, shape_of<max_rank>(y), y.data(), before, a, b, work);
  if (!(r <= 1)) return told("into a tensor", r);

  if constexpr (!std::is_same_v<Indexed, only_subscripts>) {
    const char* const kinds[] = {"=", "+=", "-="};
    const index how = between(g, 0, 2);
    const double factor = how == 2 ? -1 : a, kept = how == 0 ? 0 : 1;
    start_from(kept);
    const auto assign = [&](const auto& left, const auto& right) {
      if (how == 0) {
        left = factor * right;
      } else if (how == 1) {
        left += right * factor;
      } else {
        left -= right;
      }
    };
    Indexed{}(assign, y, std::get<I>(x).view()...);
    r = residual(want, shape_of<max_rank>(y), y.data(), before, factor, kept, work);
    if (!(r <= 1)) return told(kinds[how], r);
  }

  constexpr auto rank = static_cast<std::size_t>(decltype(y)::rank());
  sample<T> out(want.extents, draw_strides(g, want.extents, false));
  std::size_t n = 0;
  out.for_each([&](T& entry) { entry = b == 0 ? nan : before[n++]; });
  [&]<std::size_t... D>(std::index_sequence<D...>) {
    const strided_view<T, (static_cast<void>(D), dyn)...> v(out.data(), {want.extents[D]...},
                                                            {out.strides()[D]...});
    einsum<S>(into(v), std::get<I>(x)()..., alpha(a), beta(b));
  }
  (std::make_index_sequence<rank>{});
  r = residual(want, out.shape(), out.data(), before, a, b, work);
  if (!(r <= 1)) return told("into a view", r);
  if (out.spoilt_gaps() > 0) return "wrote between the entries of the output";
  if (!(std::get<I>(x).is_unchanged() && ...)) return "an input was written";
  return "";
}

template <literal S, class Indexed, class... Forms>
std::string run(std::uint64_t seed) {
  try {
    return run_case<S, Indexed, Forms...>(seed, std::index_sequence_for<Forms...>{});
  } catch (const error& e) {
    return std::string("threw ") + e.what();
  }
}

// --- the list ---

struct listed {
  std::string_view text;
  std::string (*run)(std::uint64_t seed);
};
/// `Indexed{}(assign, y, x...)` writes the expression as assign(y(...), ...); it sees conjugated
/// operands as they are in memory.
template <literal S, class... Forms, class Indexed>
constexpr listed entry(Indexed) {
  static_assert(std::is_same_v<Indexed, only_subscripts> == subscripts<S>::said.has_ellipsis);
  return {S.view(), run<S, Indexed, Forms...>};
}

using namespace labels;
constexpr label<'e', 'l', 'e', 'm'> elem;

using d = double;
using z = std::complex<double>;

const listed expressions[] = {
    // Matrix products.
    entry<"ij,jk->ik", row<d, dyn, dyn>, row<d, dyn, dyn>>(
        [](auto assign, auto& y, auto A, auto B) { assign(y(i, k), A(i, j) * B(j, k)); }),
    entry<"ij,jk->ik", row<d, 9, 8>, row<d, 8, 11>>(
        [](auto assign, auto& y, auto A, auto B) { assign(y(i, k), A(i, j) * B(j, k)); }),
    entry<"ij,jk->ik", column<d, 9, 8>, row<d, 8, 3>>(
        [](auto assign, auto& y, auto A, auto B) { assign(y(i, k), A(i, j) * B(j, k)); }),
    entry<"ij,kj->ki", row<float, 4, 5>, row<float, 4, 5>>(
        [](auto assign, auto& y, auto A, auto B) { assign(y(k, i), A(i, j) * B(k, j)); }),
    entry<"ij,jk->ik", strided<d, dyn, 5>, row<d, 5, dyn>>(
        [](auto assign, auto& y, auto A, auto B) { assign(y(i, k), A(i, j) * B(j, k)); }),
    entry<"ij,jk,kl->il", row<d, 3, 4>, row<d, 4, 5>, column<d, 5, 9>>(
        [](auto assign, auto& y, auto A, auto B, auto C) {
          assign(y(i, l), A(i, j) * B(j, k) * C(k, l));
        }),
    // Batches.
    entry<"eij,ej->ei", row<d, dyn, 4, 5>, row<d, dyn, 5>>(
        [](auto assign, auto& y, auto A, auto B) { assign(y(e, i), A(e, i, j) * B(e, j)); }),
    entry<"ije,je->ie", column<d, 4, 5, dyn>, column<d, 5, dyn>>(
        [](auto assign, auto& y, auto A, auto B) { assign(y(i, e), A(i, j, e) * B(j, e)); }),
    entry<"eij,ejk->eik", row<float, dyn, 3, 4>, row<float, dyn, 4, 5>>(
        [](auto assign, auto& y, auto A, auto B) { assign(y(e, i, k), A(e, i, j) * B(e, j, k)); }),
    entry<"qi,eq,ql,ei->el", row<d, 5, 4>, row<d, dyn, 5>, row<d, 5, 4>, row<d, dyn, 4>>(
        [](auto assign, auto& y, auto A, auto B, auto C, auto D) {
          assign(y(e, l), A(q, i) * B(e, q) * C(q, l) * D(e, i));
        }),
    entry<"[elem]qi,[elem]i->[elem]q", row<d, dyn, 5, 4>, row<d, dyn, 4>>(
        [](auto assign, auto& y, auto A, auto B) {
          assign(y(elem, q), A(elem, q, i) * B(elem, i));
        }),
    // Labels of one operand.
    entry<"ii->i", strided<d, dyn, dyn>>(
        [](auto assign, auto& y, auto A) { assign(y(i), A(i, i)); }),
    entry<"eij->e", row<d, dyn, 4, 9>>(
        [](auto assign, auto& y, auto A) { assign(y(e), A(e, i, j)); }),
    entry<"ij->ji", row<d, 13, 18>>([](auto assign, auto& y, auto A) { assign(y(j, i), A(i, j)); }),
    entry<"iji->", row<d, 5, 9, 5>>(
        [](auto assign, auto& y, auto A) { assign(indexed(y)(), A(i, j, i)); }),
    // Outer and entry-wise products, labels in many operands.
    entry<"ei,ej->eij", row<d, dyn, 3>, row<d, dyn, 4>>(
        [](auto assign, auto& y, auto A, auto B) { assign(y(e, i, j), A(e, i) * B(e, j)); }),
    entry<"ij,ji->ij", row<d, 9, 13>, row<d, 13, 9>>(
        [](auto assign, auto& y, auto A, auto B) { assign(y(i, j), A(i, j) * B(j, i)); }),
    entry<"ai,bi,ci->abc", row<d, 2, dyn>, row<d, 3, dyn>, row<d, 4, dyn>>(
        [](auto assign, auto& y, auto A, auto B, auto C) {
          assign(y(a, b, c), A(a, i) * B(b, i) * C(c, i));
        }),
    // Sums.
    entry<"eij,ej - ei -> ei", row<d, dyn, 4, 5>, row<d, dyn, 5>, row<d, dyn, 4>>(
        [](auto assign, auto& y, auto A, auto B, auto C) {
          assign(y(e, i), A(e, i, j) * B(e, j) - C(e, i));
        }),
    entry<"-ij + ji -> ij", row<d, 9, 9>, row<d, 9, 9>>(
        [](auto assign, auto& y, auto A, auto B) { assign(y(i, j), -A(i, j) + B(j, i)); }),
    // Ellipses.
    entry<"...ij,...j->...i", row<d, dyn, 3, 4>, row<d, dyn, 4>>(only_subscripts{}),
    entry<"...i,i->...", row<d, dyn, 1, 9>, row<d, 9>>(only_subscripts{}),
    // Complex operands.
    entry<"ij,jk->ik", row<z, 9, 8>, row<z, 8, 5>>(
        [](auto assign, auto& y, auto A, auto B) { assign(y(i, k), A(i, j) * B(j, k)); }),
    entry<"ij,jk->ik", conjugated_row<z, 5, 6>, row<d, 6, dyn>>(
        [](auto assign, auto& y, auto A, auto B) { assign(y(i, k), conj(A(i, j)) * B(j, k)); }),
    entry<"eij,ej->ei", row<z, dyn, 4, 5>, conjugated_row<z, dyn, 5>>(
        [](auto assign, auto& y, auto A, auto B) { assign(y(e, i), A(e, i, j) * conj(B(e, j))); }),
    entry<"eij,ej - ei -> ei", row<d, dyn, 4, 5>, row<z, dyn, 5>, conjugated_row<z, dyn, 4>>(
        [](auto assign, auto& y, auto A, auto B, auto C) {
          assign(y(e, i), A(e, i, j) * B(e, j) - conj(C(e, i)));
        }),
    entry<"ij->ji", conjugated_column<z, 7, 9>>(
        [](auto assign, auto& y, auto A) { assign(y(j, i), conj(A(i, j))); }),
    entry<"...i,...i->...", row<z, dyn, 5>, row<d, dyn, 5>>(only_subscripts{}),
};

int fuzz(std::uint64_t seed, index cases) {
  index failures = 0;
  for (index i = 0; i < cases && failures < 10; ++i) {
    const std::uint64_t at = seed + static_cast<std::uint64_t>(i);
    const std::size_t number = at % std::size(expressions);
    const std::string wrong = expressions[number].run(at);
    if (wrong.empty()) continue;
    ++failures;
    std::printf("FAILED: \"%s\", number %zu of the list: %s\n  again with: fuzz_literals %llu 1\n",
                std::string(expressions[number].text).c_str(), number, wrong.c_str(),
                static_cast<unsigned long long>(at));
    std::fflush(stdout);
  }
  std::printf("%ld failures\n", static_cast<long>(failures));
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace tenfold::testing

int main(int argc, char** argv) {
  using namespace tenfold::testing;
  return run_fuzz("literals", argc, argv, fuzz);
}
