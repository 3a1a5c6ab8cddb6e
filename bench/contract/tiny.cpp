#include "contract/tiny.hpp"

#include <tenfold/tenfold.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/allocations.hpp"
#include "common/buffer.hpp"
#include "common/check.hpp"
#include "common/eigen.hpp"

#if defined(TENFOLD_BENCH_FASTOR)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#include <Fastor/Fastor.h>
#pragma GCC diagnostic pop
#endif

namespace tenfold::bench {
namespace {

/// Problems in a pass: in L1 for the smallest, never more than a quarter of L2.
constexpr int problems = 64;

template <std::size_t... E>
struct fixed {
  static constexpr std::size_t size = (std::size_t{1} * ... * E);
  static constexpr std::array<std::size_t, sizeof...(E)> extents{E...};
  using ours = tensor<double, static_cast<index>(E)...>;
#if defined(TENFOLD_BENCH_FASTOR)
  using fastor = Fastor::Tensor<double, E...>;
#endif
};

/// Plain loops over all labels of an expression without spaces.
class loop_nest {
 public:
  /// `extents` of the operands in turn.
  loop_nest(std::string_view text, const std::vector<std::vector<std::size_t>>& extents) {
    const auto arrow = text.find("->");
    std::string_view inputs = text.substr(0, arrow);
    for (const auto& of : extents) {
      const std::string_view labels = inputs.substr(0, inputs.find(','));
      inputs.remove_prefix(std::min(inputs.size(), labels.size() + 1));
      for (std::size_t i = 0; i < of.size(); ++i) extent_[slot(labels[i])] = of[i];
      operands_.push_back(labels);
    }
    result_ = text.substr(arrow + 2);
    for (const std::string_view labels : operands_)
      for (const char l : labels)
        if (result_.find(l) == result_.npos && sums_.find(l) == sums_.npos) sums_ += l;
  }

  double points() const {
    double all = 1;
    for (const char l : std::string(result_) + sums_) all *= static_cast<double>(extent_[slot(l)]);
    return all;
  }
  /// Entry number `at` of the result.
  reference_entry entry(std::size_t at, const std::vector<const double*>& data) const {
    std::array<std::size_t, 26> index{};
    for (std::size_t i = result_.size(); i-- > 0;) {
      index[slot(result_[i])] = at % extent_[slot(result_[i])];
      at /= extent_[slot(result_[i])];
    }
    std::size_t terms = 1;
    for (const char l : sums_) terms *= extent_[slot(l)];
    reference_entry e{0, 0};
    for (std::size_t term = 0; term < terms; ++term) {
      std::size_t left = term;
      for (const char l : sums_) {
        index[slot(l)] = left % extent_[slot(l)];
        left /= extent_[slot(l)];
      }
      long double product = 1;
      for (std::size_t o = 0; o < operands_.size(); ++o) {
        std::size_t entry = 0;
        for (const char l : operands_[o]) entry = entry * extent_[slot(l)] + index[slot(l)];
        product *= data[o][entry];
      }
      e.value += product;
      e.magnitude += std::fabs(product);
    }
    return e;
  }

 private:
  static std::size_t slot(char label) { return static_cast<std::size_t>(label - 'a'); }

  std::vector<std::string_view> operands_;
  std::string_view result_;
  std::string sums_;
  std::array<std::size_t, 26> extent_{};
};

/// One pass of each candidate over all problems. The bodies are inline, the loops are not.
template <literal S, class C, class... X>
[[gnu::noinline]] void pass_tenfold(typename C::ours* c, const typename X::ours*... x) {
  for (int t = 0; t < problems; ++t) einsum<S>(into(c[t]), x[t]...);
}
template <class C, class... X, class F>
[[gnu::noinline]] void pass_pointers(const F& f, double* c, const double* const* x) {
  [&]<std::size_t... O>(std::index_sequence<O...>) {
    for (std::size_t t = 0; t < problems; ++t)
      f(c + t * C::size, (x[O] + t * std::tuple_element_t<O, std::tuple<X...>>::size)...);
  }
  (std::index_sequence_for<X...>{});
}
#if defined(TENFOLD_BENCH_FASTOR)
template <class C, class... X, class F>
[[gnu::noinline]] void pass_fastor(const F& f, typename C::fastor* c,
                                   const typename X::fastor*... x) {
  for (int t = 0; t < problems; ++t) c[t] = f(x[t]...);
}
#endif

/// What a peer computes is an argument, or nothing where it is not installed.
struct not_there {};
#if defined(TENFOLD_BENCH_EIGEN)
#define TENFOLD_IN_EIGEN(...) __VA_ARGS__
/// Row-major entries as a matrix, or a column.
template <int R, int C>
using matrix_of = Eigen::Matrix<double, R, C, C == 1 ? Eigen::ColMajor : Eigen::RowMajor>;
template <int R, int C = 1>
[[gnu::always_inline]] inline auto in(const double* x) {
  return Eigen::Map<const matrix_of<R, C>>(x);
}
template <int R, int C = 1>
[[gnu::always_inline]] inline auto to(double* x) {
  return Eigen::Map<matrix_of<R, C>>(x);
}
#else
#define TENFOLD_IN_EIGEN(...) \
  not_there {}
#endif
#if defined(TENFOLD_BENCH_FASTOR)
#define TENFOLD_IN_FASTOR(...) __VA_ARGS__
using Fastor::Index;
#else
#define TENFOLD_IN_FASTOR(...) \
  not_there {}
#endif
using entries = const double*;

/// One expression. `eigen` is c := f(x...) over addresses of row-major entries, `fastor` over its
/// own tensors.
template <literal S, class C, class... X, class InEigen, class InFastor>
void run_expression(report& out, [[maybe_unused]] const InEigen& eigen,
                    [[maybe_unused]] const InFastor& fastor) {
  std::string name = "tiny " + std::string(S.view());
  for (const auto& extents : {std::vector<std::size_t>(X::extents.begin(), X::extents.end())...}) {
    name += ' ';
    for (const std::size_t e : extents) name += std::to_string(e);
  }
  if (!out.settings().wants(name)) return;
  out.progress(name);
  constexpr std::size_t count = sizeof...(X);
  std::array<buffer<double>, count> x{buffer<double>(X::size * problems)...};
  buffer<double> c(C::size * problems);
  std::array<const double*, count> address{};
  for (std::size_t o = 0; o < count; ++o) {
    x[o].fill(o + 1);
    address[o] = x[o].data();
  }
  const auto copies = [&]<class... T>(std::type_identity<T>...) {
    std::tuple<std::vector<T>...> all{std::vector<T>(problems)...};
    [&]<std::size_t... O>(std::index_sequence<O...>) {
      const auto copy = [&](auto& tensors, std::size_t size, const double* from) {
        for (std::size_t t = 0; t < problems; ++t)
          std::copy_n(from + t * size, size, tensors[t].data());
      };
      (copy(std::get<O>(all), X::size, address[O]), ...);
    }
    (std::index_sequence_for<X...>{});
    return all;
  };

  const auto ours = copies(std::type_identity<typename X::ours>{}...);
  std::vector<typename C::ours> result(problems);
  std::vector<candidate> candidates{
      {"tenfold", [&] {
         std::apply(
             [&](const auto&... one) { pass_tenfold<S, C, X...>(result.data(), one.data()...); },
             ours);
       }}};
#if defined(TENFOLD_BENCH_EIGEN)
  candidates.push_back({"eigen", [&] { pass_pointers<C, X...>(eigen, c.data(), address.data()); }});
#endif
#if defined(TENFOLD_BENCH_FASTOR)
  const auto theirs = copies(std::type_identity<typename X::fastor>{}...);
  std::vector<typename C::fastor> fastor_result(problems);
  candidates.push_back({"fastor", [&] {
                          std::apply(
                              [&](const auto&... one) {
                                pass_fastor<C, X...>(fastor, fastor_result.data(), one.data()...);
                              },
                              theirs);
                        }});
#endif

  const loop_nest nest(S.view(),
                       {std::vector<std::size_t>(X::extents.begin(), X::extents.end())...});
  for (const candidate& tried : candidates) {
    c.poison();
    for (auto& one : result) std::fill_n(one.data(), C::size, c[0]);
    const std::size_t before = allocations();
    tried.pass();
    if (tried.name == "tenfold" && allocations() != before) {
      std::fprintf(stderr, "\n%s: tenfold allocates\n", name.c_str());
      std::exit(1);
    }
    for (std::size_t t = 0; t < problems; ++t) {
      if (tried.name == "tenfold") std::copy_n(result[t].data(), C::size, &c[t * C::size]);
#if defined(TENFOLD_BENCH_FASTOR)
      if (tried.name == "fastor") std::copy_n(fastor_result[t].data(), C::size, &c[t * C::size]);
#endif
    }
    check(name, tried.name, c.data(), static_cast<std::ptrdiff_t>(C::size * problems),
          2 * nest.points() / static_cast<double>(C::size) + 8, [&](std::ptrdiff_t at) {
            const auto t = static_cast<std::size_t>(at) / C::size;
            std::vector<const double*> one;
            std::size_t o = 0;
            ((one.push_back(address[o++] + t * X::size)), ...);
            return nest.entry(static_cast<std::size_t>(at) % C::size, one);
          });
  }
  // A pass takes less than the clock does.
  const measured t = out.time(candidates, 'd', {out.settings().quick ? 5 : 15, 1e-3});
  // Multiplications and additions of the plan, as explain counts them.
  const double flops = problems * explain<S, typename X::ours...>().flops.factor_of(0);
  const double bytes = 8.0 * problems * static_cast<double>((C::size + ... + X::size));
  out.add(rates(name, 'd', "strided", "cache", flops, candidates, t.timings,
                out.bound(t.peak, flops, bytes, level::l1)));
}

/// Products of N x N matrices.
template <int N>
void run_square(report& out) {
  using matrix = fixed<N, N>;
  run_expression<"ij,jk->ik", matrix, matrix, matrix>(
      out, TENFOLD_IN_EIGEN([](double* c, entries a, entries b) {
        to<N, N>(c).noalias() = in<N, N>(a) * in<N, N>(b);
      }),
      TENFOLD_IN_FASTOR([](const auto& a, const auto& b) { return Fastor::matmul(a, b); }));
}

}  // namespace

void run_tiny(report& out) {
  using std::size_t;
  run_square<2>(out);
  run_square<4>(out);
  run_square<8>(out);
  run_expression<"ij,jk->ik", fixed<3, 5>, fixed<3, 7>, fixed<7, 5>>(
      out, TENFOLD_IN_EIGEN([](double* c, entries a, entries b) {
        to<3, 5>(c).noalias() = in<3, 7>(a) * in<7, 5>(b);
      }),
      TENFOLD_IN_FASTOR([](const auto& a, const auto& b) { return Fastor::matmul(a, b); }));
  run_expression<"ji,jk->ik", fixed<5, 5>, fixed<5, 5>, fixed<5, 5>>(
      out, TENFOLD_IN_EIGEN([](double* c, entries a, entries b) {
        to<5, 5>(c).noalias() = in<5, 5>(a).transpose() * in<5, 5>(b);
      }),
      TENFOLD_IN_FASTOR(
          [](const auto& a, const auto& b) { return Fastor::matmul(Fastor::transpose(a), b); }));
  run_expression<"ij,kj->ik", fixed<6, 6>, fixed<6, 6>, fixed<6, 6>>(
      out, TENFOLD_IN_EIGEN([](double* c, entries a, entries b) {
        to<6, 6>(c).noalias() = in<6, 6>(a) * in<6, 6>(b).transpose();
      }),
      TENFOLD_IN_FASTOR(
          [](const auto& a, const auto& b) { return Fastor::matmul(a, Fastor::transpose(b)); }));
  run_expression<"ij,j->i", fixed<3>, fixed<3, 3>, fixed<3>>(
      out, TENFOLD_IN_EIGEN([](double* c, entries a, entries x) {
        to<3>(c).noalias() = in<3, 3>(a) * in<3>(x);
      }),
      TENFOLD_IN_FASTOR([](const auto& a, const auto& x) { return Fastor::matmul(a, x); }));
  run_expression<"ij,j->i", fixed<8>, fixed<8, 8>, fixed<8>>(
      out, TENFOLD_IN_EIGEN([](double* c, entries a, entries x) {
        to<8>(c).noalias() = in<8, 8>(a) * in<8>(x);
      }),
      TENFOLD_IN_FASTOR([](const auto& a, const auto& x) { return Fastor::matmul(a, x); }));
  run_expression<"i,i->", fixed<>, fixed<8>, fixed<8>>(
      out, TENFOLD_IN_EIGEN([](double* c, entries a, entries b) { *c = in<8>(a).dot(in<8>(b)); }),
      TENFOLD_IN_FASTOR(
          [](const auto& a, const auto& b) { return Fastor::einsum<Index<0>, Index<0>>(a, b); }));
  run_expression<"ij,ij->", fixed<>, fixed<6, 6>, fixed<6, 6>>(
      out, TENFOLD_IN_EIGEN([](double* c, entries a, entries b) {
        *c = in<6, 6>(a).cwiseProduct(in<6, 6>(b)).sum();
      }),
      TENFOLD_IN_FASTOR([](const auto& a, const auto& b) {
        return Fastor::einsum<Index<0, 1>, Index<0, 1>>(a, b);
      }));
  run_expression<"i,j->ij", fixed<6, 6>, fixed<6>, fixed<6>>(
      out, TENFOLD_IN_EIGEN([](double* c, entries a, entries b) {
        to<6, 6>(c).noalias() = in<6>(a) * in<6>(b).transpose();
      }),
      TENFOLD_IN_FASTOR([](const auto& a, const auto& b) { return Fastor::outer(a, b); }));
  run_expression<"ij,ij->ij", fixed<7, 7>, fixed<7, 7>, fixed<7, 7>>(
      out, TENFOLD_IN_EIGEN([](double* c, entries a, entries b) {
        to<7, 7>(c) = in<7, 7>(a).cwiseProduct(in<7, 7>(b));
      }),
      TENFOLD_IN_FASTOR([](const auto& a, const auto& b) { return a * b; }));
  run_expression<"ijk,k->ij", fixed<4, 4>, fixed<4, 4, 4>, fixed<4>>(
      out, TENFOLD_IN_EIGEN([](double* c, entries a, entries x) {
        to<16>(c).noalias() = in<16, 4>(a) * in<4>(x);
      }),
      TENFOLD_IN_FASTOR([](const auto& a, const auto& x) {
        return Fastor::einsum<Index<0, 1, 2>, Index<2>>(a, x);
      }));
  run_expression<"ijk,kl->ijl", fixed<3, 3, 3>, fixed<3, 3, 3>, fixed<3, 3>>(
      out, TENFOLD_IN_EIGEN([](double* c, entries a, entries b) {
        to<9, 3>(c).noalias() = in<9, 3>(a) * in<3, 3>(b);
      }),
      TENFOLD_IN_FASTOR([](const auto& a, const auto& b) {
        return Fastor::einsum<Index<0, 1, 2>, Index<2, 3>>(a, b);
      }));
  run_expression<"ijk,il->jkl", fixed<3, 3, 3>, fixed<3, 3, 3>, fixed<3, 3>>(
      out, TENFOLD_IN_EIGEN([](double* c, entries a, entries b) {
        to<9, 3>(c).noalias() = in<3, 9>(a).transpose() * in<3, 3>(b);
      }),
      TENFOLD_IN_FASTOR([](const auto& a, const auto& b) {
        return Fastor::einsum<Index<0, 1, 2>, Index<0, 3>>(a, b);
      }));
  run_expression<"ijkl,kl->ij", fixed<3, 3>, fixed<3, 3, 3, 3>, fixed<3, 3>>(
      out, TENFOLD_IN_EIGEN([](double* c, entries a, entries x) {
        to<9>(c).noalias() = in<9, 9>(a) * in<9>(x);
      }),
      TENFOLD_IN_FASTOR([](const auto& a, const auto& x) {
        return Fastor::einsum<Index<0, 1, 2, 3>, Index<2, 3>>(a, x);
      }));
  run_expression<"ij,jk,kl->il", fixed<4, 4>, fixed<4, 4>, fixed<4, 4>, fixed<4, 4>>(
      out, TENFOLD_IN_EIGEN([](double* c, entries a, entries b, entries d) {
        to<4, 4>(c).noalias() = in<4, 4>(a) * in<4, 4>(b) * in<4, 4>(d);
      }),
      TENFOLD_IN_FASTOR([](const auto& a, const auto& b, const auto& d) {
        return Fastor::matmul(Fastor::matmul(a, b), d);
      }));
  run_expression<"ij,jk,k->i", fixed<5>, fixed<5, 5>, fixed<5, 5>, fixed<5>>(
      out, TENFOLD_IN_EIGEN([](double* c, entries a, entries b, entries x) {
        to<5>(c).noalias() = in<5, 5>(a) * (in<5, 5>(b) * in<5>(x));
      }),
      TENFOLD_IN_FASTOR([](const auto& a, const auto& b, const auto& x) {
        return Fastor::matmul(a, Fastor::matmul(b, x));
      }));
  run_expression<"i,ij,j->", fixed<>, fixed<6>, fixed<6, 6>, fixed<6>>(
      out, TENFOLD_IN_EIGEN([](double* c, entries x, entries a, entries y) {
        *c = in<6>(x).dot(in<6, 6>(a) * in<6>(y));
      }),
      TENFOLD_IN_FASTOR([](const auto& x, const auto& a, const auto& y) {
        return Fastor::einsum<Index<0>, Index<0>>(x, Fastor::matmul(a, y));
      }));
  run_expression<"ij,jk,kl,lm->im", fixed<3, 3>, fixed<3, 3>, fixed<3, 3>, fixed<3, 3>,
                 fixed<3, 3>>(
      out, TENFOLD_IN_EIGEN([](double* c, entries a, entries b, entries d, entries e) {
        to<3, 3>(c).noalias() = (in<3, 3>(a) * in<3, 3>(b)) * (in<3, 3>(d) * in<3, 3>(e));
      }),
      TENFOLD_IN_FASTOR([](const auto& a, const auto& b, const auto& d, const auto& e) {
        return Fastor::matmul(Fastor::matmul(a, b), Fastor::matmul(d, e));
      }));
}

}  // namespace tenfold::bench
