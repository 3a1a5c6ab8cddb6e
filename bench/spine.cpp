/// The suite `spine`: the expressions that everything stands on, beside loops and the best kernels
/// that can be written by hand.
#include <tenfold/einsum.hpp>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "common/allocations.hpp"
#include "common/buffer.hpp"
#include "common/check.hpp"
#include "common/eigen.hpp"
#include "common/hand_vector.hpp"
#include "common/mass.hpp"
#include "common/report.hpp"
#include "common/timing.hpp"

namespace tenfold::bench {
namespace {

std::size_t operator""_z(unsigned long long n) { return n; }

// --- cases ---

/// What a case is beside its candidates, of which Tenfold's is the first.
struct description {
  std::string name;
  char scalar;
  std::string layout, where;
  double flops, bytes;  ///< per pass
};

effort effort_of(const report& out, const description& c) {
  if (c.where == "memory") return {out.settings().quick ? 3 : 7, 0};
  return {out.settings().quick ? 9 : 31, 0.002};
}

void run_case(report& out, const description& c, const std::vector<candidate>& candidates) {
  const measured m = out.time(candidates, c.scalar, effort_of(out, c));
  const level where = c.where == "memory" ? level::dram : level::l2;
  out.add(rates(c.name, c.scalar, c.layout, c.where, c.flops, candidates, m.timings,
                out.bound(m.peak, c.flops, c.bytes, where)));
}

/// Runs each candidate on a poisoned result and compares with expected(i).
template <class T, class F>
void check_all(const std::string& name, const std::vector<candidate>& candidates, buffer<T>& result,
               double work, F expected) {
  for (const candidate& c : candidates) {
    result.poison();
    c.pass();
    check(name, c.name, result.data(), static_cast<std::ptrdiff_t>(result.size()), work, expected);
  }
}

// --- mass ---

template <class T>
void run_mass(report& out, int p, mass_layout layout, bool streaming) {
  const int P = p + 1, Q = p + 2, W = lanes<T>;
  const std::size_t nodes = static_cast<std::size_t>(P * P * P);
  const std::size_t points = static_cast<std::size_t>(Q * Q * Q);
  const double bytes = mass_entries_per_element(p) * sizeof(T);
  const std::size_t budget = streaming ? streaming_bytes(out.where()) : cached_bytes(out.where());
  const auto groups = static_cast<std::size_t>(static_cast<double>(budget) / (bytes * W));
  const std::size_t elements = std::max(groups, 1_z) * static_cast<std::size_t>(W);

  const bool interleaved = layout == mass_layout::interleaved;
  const description c{"mass p=" + std::to_string(p),
                      scalar_letter<T>,
                      interleaved ? "interleaved" : "strided",
                      streaming ? "memory" : "cache",
                      static_cast<double>(elements) * mass_flops_per_element(p),
                      static_cast<double>(elements) * bytes};
  const std::string label = c.name + ' ' + c.scalar + ' ' + c.layout + ' ' + c.where;
  if (!out.settings().wants(label)) return;
  out.progress(label);

  buffer<T> b(static_cast<std::size_t>(Q * P)), u(elements * nodes), d(elements * points),
      v(elements * nodes);
  b.fill(1);
  u.fill(2);
  d.fill(3);
  const auto operation = [&](const char* name, mass_operator<T> f) {
    return candidate{name, [&, f] {
                       f(b.data(), u.data(), d.data(), v.data(),
                         static_cast<std::ptrdiff_t>(elements));
                     }};
  };
  const std::vector<candidate> candidates{
      operation("tenfold", tenfold_mass_operator<T>(p, layout)),
      operation("hand", hand_mass_operator<T>(p, layout, streaming)),
      operation("loops", plain_mass_operator<T>(p, layout))};

  // All elements in cache, a few hundred of those in memory, the first and the last among them.
  const auto place = [&](std::size_t e, std::size_t entry, std::size_t entries) {
    const auto w = static_cast<std::size_t>(W);
    return interleaved ? (e / w * entries + entry) * w + e % w : e * entries + entry;
  };
  const auto element = [&](const buffer<T>& from, std::size_t e, std::size_t entries) {
    std::vector<long double> x(entries);
    for (std::size_t i = 0; i < entries; ++i) {
      x[i] = static_cast<long double>(from[place(e, i, entries)]);
    }
    return x;
  };
  const std::vector<long double> table(b.data(), b.data() + b.size());
  const std::size_t step = std::max(elements / 200, 1_z);
  std::vector<std::size_t> checked{elements - 1};
  for (std::size_t e = 0; e < elements; e += step) checked.push_back(e);
  std::vector<mass_reference> references;
  for (const std::size_t e : checked) {
    references.push_back(mass_of_element(p, table, element(u, e, nodes), element(d, e, points)));
  }
  for (const candidate& tried : candidates) {
    v.poison();
    tried.pass();
    for (std::size_t i = 0; i < checked.size(); ++i) {
      std::vector<T> result(nodes);
      for (std::size_t n = 0; n < nodes; ++n) result[n] = v[place(checked[i], n, nodes)];
      check(c.name + " element " + std::to_string(checked[i]), tried.name, result.data(),
            static_cast<std::ptrdiff_t>(nodes), mass_work(p), [&](std::ptrdiff_t n) {
              const auto at = static_cast<std::size_t>(n);
              return reference_entry{references[i].value[at], references[i].magnitude[at]};
            });
    }
  }
  run_case(out, c, candidates);
}

void run_all_mass(report& out) {
  for (int p = first_mass_degree; p <= last_mass_degree; ++p) {
    const bool quick = out.settings().quick;
    if (quick && p % 2 == 1) continue;
    for (const auto layout : {mass_layout::interleaved, mass_layout::strided}) {
      run_mass<double>(out, p, layout, false);
      if (!quick || p == 4) run_mass<float>(out, p, layout, false);
    }
    for (const auto layout : {mass_layout::interleaved, mass_layout::strided}) {
      if (quick && (p != 4 || layout == mass_layout::strided)) continue;
      run_mass<double>(out, p, layout, true);
      if (!quick) run_mass<float>(out, p, layout, true);
    }
  }
}

// --- tiny ---

// The candidates are functions of whole arrays, not inlined, so that each is one loop around one
// product, as the compiler makes it.

template <int N>
[[gnu::noinline]] void tiny_tenfold(const tensor<double, N, N>* a, const tensor<double, N, N>* b,
                                    tensor<double, N, N>* c, int count) {
  for (int t = 0; t < count; ++t) einsum<"ij,jk->ik">(into(c[t]), a[t], b[t]);
}

template <int N>
[[gnu::noinline]] void tiny_by_value(const tensor<double, N, N>* a, const tensor<double, N, N>* b,
                                     tensor<double, N, N>* c, int count) {
  for (int t = 0; t < count; ++t) c[t] = einsum<"ij,jk->ik">(a[t], b[t]);
}

template <int N>
[[gnu::noinline]] void tiny_loops(const double (*a)[N][N], const double (*b)[N][N],
                                  double (*c)[N][N], int count) {
  for (int t = 0; t < count; ++t) {
    for (int i = 0; i < N; ++i) {
      for (int k = 0; k < N; ++k) {
        double sum = 0;
        for (int j = 0; j < N; ++j) sum += a[t][i][j] * b[t][j][k];
        c[t][i][k] = sum;
      }
    }
  }
}

#if defined(TENFOLD_BENCH_EIGEN)
template <int N>
[[gnu::noinline]] void tiny_eigen(const double (*a)[N][N], const double (*b)[N][N],
                                  double (*c)[N][N], int count) {
  using matrix = Eigen::Matrix<double, N, N, Eigen::RowMajor>;
  for (int t = 0; t < count; ++t) {
    Eigen::Map<matrix>(&c[t][0][0]).noalias() =
        Eigen::Map<const matrix>(&a[t][0][0]) * Eigen::Map<const matrix>(&b[t][0][0]);
  }
}
#endif

template <int N>
void run_tiny(report& out) {
  const std::string name = "tiny ij,jk->ik " + std::to_string(N);
  if (!out.settings().wants(name)) return;
  out.progress(name);
  // In L1 for the smallest, and never more than a quarter of L2: the loop around is short.
  constexpr int count = 64;
  constexpr std::size_t entries = N * N * count;
  buffer<double> a(entries), b(entries), c(entries), reference(entries);
  a.fill(1);
  b.fill(2);
  std::vector<tensor<double, N, N>> A(count), B(count), C(count);
  for (std::size_t t = 0; t < count; ++t) {
    std::copy_n(a.data() + t * N * N, N * N, A[t].data());
    std::copy_n(b.data() + t * N * N, N * N, B[t].data());
  }
  const auto as_matrices = [](auto& x) { return reinterpret_cast<double(*)[N][N]>(x.data()); };
  const auto am = as_matrices(a), bm = as_matrices(b), cm = as_matrices(c);

  std::vector<candidate> candidates{
      {"tenfold", [&] { tiny_tenfold<N>(A.data(), B.data(), C.data(), count); }},
      {"tenfold by value", [&] { tiny_by_value<N>(A.data(), B.data(), C.data(), count); }},
      {"loops", [=] { tiny_loops<N>(am, bm, cm, count); }}};
#if defined(TENFOLD_BENCH_EIGEN)
  candidates.push_back({"eigen", [=] { tiny_eigen<N>(am, bm, cm, count); }});
#endif

  for (const candidate& tried : candidates) {
    const bool ours = tried.name.rfind("tenfold", 0) == 0;
    c.poison();
    for (auto& x : C) std::fill_n(x.data(), N * N, c[0]);
    const std::size_t before = allocations();
    tried.pass();
    if (ours && allocations() != before) {
      std::fprintf(stderr, "\n%s: %s allocates\n", name.c_str(), tried.name.c_str());
      std::exit(1);
    }
    if (ours) {
      for (std::size_t t = 0; t < count; ++t) std::copy_n(C[t].data(), N * N, &c[t * N * N]);
    }
    check(name, tried.name, c.data(), static_cast<std::ptrdiff_t>(entries), N + 2,
          [&](std::ptrdiff_t at) {
            const std::ptrdiff_t t = at / (N * N), i = at / N % N, k = at % N;
            reference_entry e{};
            for (int j = 0; j < N; ++j) {
              const long double product = static_cast<long double>(am[t][i][j]) * bm[t][j][k];
              e.value += product;
              e.magnitude += std::fabs(product);
            }
            return e;
          });
  }
  run_case(out, {name, 'd', "strided", "cache", 2.0 * N * entries, 3.0 * 8 * entries}, candidates);
}

// --- a few expressions ---

/// y[i] = sum over the rest, in plain loops over static or dynamic extents: the state of everything
/// that is not a mass operator.
void run_dot(report& out, std::ptrdiff_t n) {
  const std::string name = "dot i,i-> " + std::to_string(n);
  if (!out.settings().wants(name)) return;
  out.progress(name);
  buffer<double> a(static_cast<std::size_t>(n)), b(static_cast<std::size_t>(n)), y(1);
  a.fill(1);
  b.fill(2);
  const view<const double, dyn> A(a.data(), n), B(b.data(), n);
  const view<double> Y(y.data());
  std::vector<candidate> candidates{{"tenfold", [&] { einsum<"i,i->">(into(Y), A, B); }},
                                    {"loops", [&] {
                                       double sum = 0;
                                       for (std::ptrdiff_t i = 0; i < n; ++i) {
                                         sum += a.data()[i] * b.data()[i];
                                       }
                                       y[0] = sum;
                                     }}};
#if defined(TENFOLD_BENCH_EIGEN)
  using vector = Eigen::Map<const Eigen::VectorXd>;
  candidates.push_back({"eigen", [&] { y[0] = vector(a.data(), n).dot(vector(b.data(), n)); }});
#endif
  check_all(name, candidates, y, static_cast<double>(n) + 2, [&](std::ptrdiff_t) {
    reference_entry e{};
    for (std::size_t i = 0; i < a.size(); ++i) {
      const long double product = static_cast<long double>(a[i]) * b[i];
      e.value += product;
      e.magnitude += std::fabs(product);
    }
    return e;
  });
  const double entries = static_cast<double>(n);
  run_case(out, {name, 'd', "strided", "cache", 2 * entries, 16 * entries}, candidates);
}

void run_matvec(report& out, std::ptrdiff_t n) {
  const std::string name = "matvec ij,j->i " + std::to_string(n);
  if (!out.settings().wants(name)) return;
  out.progress(name);
  const auto size = static_cast<std::size_t>(n);
  buffer<double> a(size * size), x(size), y(size);
  a.fill(1);
  x.fill(2);
  const view<const double, dyn, dyn> A(a.data(), n, n);
  const view<const double, dyn> X(x.data(), n);
  const view<double, dyn> Y(y.data(), n);
  std::vector<candidate> candidates{{"tenfold", [&] { einsum<"ij,j->i">(into(Y), A, X); }},
                                    {"loops", [&] {
                                       for (std::ptrdiff_t i = 0; i < n; ++i) {
                                         double sum = 0;
                                         for (std::ptrdiff_t j = 0; j < n; ++j) {
                                           sum += a.data()[i * n + j] * x.data()[j];
                                         }
                                         y.data()[i] = sum;
                                       }
                                     }}};
#if defined(TENFOLD_BENCH_EIGEN)
  using matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  candidates.push_back({"eigen", [&] {
                          Eigen::Map<Eigen::VectorXd>(y.data(), n).noalias() =
                              Eigen::Map<const matrix>(a.data(), n, n) *
                              Eigen::Map<const Eigen::VectorXd>(x.data(), n);
                        }});
#endif
  check_all(name, candidates, y, static_cast<double>(n) + 2, [&](std::ptrdiff_t i) {
    reference_entry e{};
    for (std::ptrdiff_t j = 0; j < n; ++j) {
      const long double product = static_cast<long double>(a.data()[i * n + j]) * x.data()[j];
      e.value += product;
      e.magnitude += std::fabs(product);
    }
    return e;
  });
  const double entries = static_cast<double>(n) * static_cast<double>(n);
  run_case(out, {name, 'd', "strided", "cache", 2 * entries, 8 * entries}, candidates);
}

void run_outer(report& out, std::ptrdiff_t n) {
  const std::string name = "outer i,j->ij " + std::to_string(n);
  if (!out.settings().wants(name)) return;
  out.progress(name);
  const auto size = static_cast<std::size_t>(n);
  buffer<double> a(size), b(size), y(size * size);
  a.fill(1);
  b.fill(2);
  const view<const double, dyn> A(a.data(), n), B(b.data(), n);
  const view<double, dyn, dyn> Y(y.data(), n, n);
  std::vector<candidate> candidates{{"tenfold", [&] { einsum<"i,j->ij">(into(Y), A, B); }},
                                    {"loops", [&] {
                                       for (std::ptrdiff_t i = 0; i < n; ++i) {
                                         for (std::ptrdiff_t j = 0; j < n; ++j) {
                                           y.data()[i * n + j] = a.data()[i] * b.data()[j];
                                         }
                                       }
                                     }}};
#if defined(TENFOLD_BENCH_EIGEN)
  using matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  candidates.push_back({"eigen", [&] {
                          Eigen::Map<matrix>(y.data(), n, n).noalias() =
                              Eigen::Map<const Eigen::VectorXd>(a.data(), n) *
                              Eigen::Map<const Eigen::RowVectorXd>(b.data(), n);
                        }});
#endif
  check_all(name, candidates, y, 2, [&](std::ptrdiff_t at) {
    const long double product = static_cast<long double>(a.data()[at / n]) * b.data()[at % n];
    return reference_entry{product, std::fabs(product)};
  });
  const double entries = static_cast<double>(n) * static_cast<double>(n);
  run_case(out, {name, 'd', "strided", "cache", entries, 8 * entries}, candidates);
}

void run_trace(report& out, std::ptrdiff_t n) {
  const std::string name = "trace ii-> " + std::to_string(n);
  if (!out.settings().wants(name)) return;
  out.progress(name);
  const auto size = static_cast<std::size_t>(n);
  buffer<double> a(size * size), y(1);
  a.fill(1);
  const view<const double, dyn, dyn> A(a.data(), n, n);
  const view<double> Y(y.data());
  std::vector<candidate> candidates{{"tenfold", [&] { einsum<"ii->">(into(Y), A); }},
                                    {"loops", [&] {
                                       double sum = 0;
                                       for (std::ptrdiff_t i = 0; i < n; ++i) {
                                         sum += a.data()[i * n + i];
                                       }
                                       y[0] = sum;
                                     }}};
#if defined(TENFOLD_BENCH_EIGEN)
  using matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  candidates.push_back({"eigen", [&] { y[0] = Eigen::Map<const matrix>(a.data(), n, n).trace(); }});
#endif
  check_all(name, candidates, y, static_cast<double>(n) + 2, [&](std::ptrdiff_t) {
    reference_entry e{};
    for (std::ptrdiff_t i = 0; i < n; ++i) {
      e.value += static_cast<long double>(a.data()[i * n + i]);
      e.magnitude += std::fabs(static_cast<long double>(a.data()[i * n + i]));
    }
    return e;
  });
  const double entries = static_cast<double>(n);
  run_case(out, {name, 'd', "strided", "cache", entries, 8 * entries}, candidates);
}

/// c(b,i,k) = sum_j a(b,i,j) b(b,j,k); batch 1 is a plain product of matrices with dynamic extents.
template <index N>
void run_gemm(report& out, const std::string& name, std::ptrdiff_t n, std::ptrdiff_t batch) {
  if (!out.settings().wants(name)) return;
  out.progress(name);
  const auto size = static_cast<std::size_t>(n * n * batch);
  buffer<double> a(size), b(size), c(size);
  a.fill(1);
  b.fill(2);
  std::vector<candidate> candidates;
  if constexpr (N == dyn) {
    candidates.push_back({"tenfold", [&] {
                            const view<const double, dyn, dyn> A(a.data(), n, n), B(b.data(), n, n);
                            const view<double, dyn, dyn> C(c.data(), n, n);
                            einsum<"ij,jk->ik">(into(C), A, B);
                          }});
  } else {
    candidates.push_back({"tenfold", [&] {
                            const view<const double, dyn, N, N> A(a.data(), batch),
                                B(b.data(), batch);
                            const view<double, dyn, N, N> C(c.data(), batch);
                            einsum<"bij,bjk->bik">(into(C), A, B);
                          }});
  }
  const auto loops = [&](std::ptrdiff_t extent) {
    for (std::ptrdiff_t t = 0; t < batch; ++t) {
      const double* const A = a.data() + t * extent * extent;
      const double* const B = b.data() + t * extent * extent;
      double* const C = c.data() + t * extent * extent;
      for (std::ptrdiff_t i = 0; i < extent; ++i) {
        for (std::ptrdiff_t k = 0; k < extent; ++k) C[i * extent + k] = 0;
        for (std::ptrdiff_t j = 0; j < extent; ++j) {
          for (std::ptrdiff_t k = 0; k < extent; ++k) {
            C[i * extent + k] += A[i * extent + j] * B[j * extent + k];
          }
        }
      }
    }
  };
  candidates.push_back({"loops", [&, loops] { loops(N == dyn ? n : N); }});
#if defined(TENFOLD_BENCH_EIGEN)
  constexpr int extent = N == dyn ? Eigen::Dynamic : static_cast<int>(N);
  using matrix = Eigen::Matrix<double, extent, extent, Eigen::RowMajor>;
  candidates.push_back({"eigen", [&] {
                          for (std::ptrdiff_t t = 0; t < batch; ++t) {
                            const std::ptrdiff_t at = t * n * n;
                            Eigen::Map<matrix>(c.data() + at, n, n).noalias() =
                                Eigen::Map<const matrix>(a.data() + at, n, n) *
                                Eigen::Map<const matrix>(b.data() + at, n, n);
                          }
                        }});
#endif
  check_all(name, candidates, c, static_cast<double>(n) + 2, [&](std::ptrdiff_t at) {
    const std::ptrdiff_t t = at / (n * n) * n * n, i = at / n % n, k = at % n;
    reference_entry e{};
    for (std::ptrdiff_t j = 0; j < n; ++j) {
      const long double product =
          static_cast<long double>(a.data()[t + i * n + j]) * b.data()[t + j * n + k];
      e.value += product;
      e.magnitude += std::fabs(product);
    }
    return e;
  });
  const double entries = static_cast<double>(size);
  run_case(out, {name, 'd', "strided", "cache", 2 * static_cast<double>(n) * entries, 24 * entries},
           candidates);
}

}  // namespace
}  // namespace tenfold::bench

int main(int argc, char** argv) {
  using namespace tenfold::bench;
  report out("spine", argc, argv);
#if !defined(TENFOLD_BENCH_EIGEN)
  out.missing("eigen");
#endif
  out.measure_machine();
  run_all_mass(out);
  run_tiny<2>(out);
  run_tiny<3>(out);
  run_tiny<4>(out);
  run_tiny<8>(out);
  run_dot(out, 4096);
  run_matvec(out, 200);
  run_outer(out, 200);
  run_trace(out, 200);
  run_gemm<8>(out, "gemm n=8", 8, 256);
  run_gemm<tenfold::dyn>(out, "matmul ij,jk->ik 64", 64, 1);
  run_gemm<tenfold::dyn>(out, "matmul ij,jk->ik 128", 128, 1);
  return out.finish() ? 0 : 1;
}
