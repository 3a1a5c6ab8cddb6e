/// The suite `gemm`: batches of small matrix products beside the libraries that are installed, and
/// beside what the machine can do.
#include <tenfold/batched_blas.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "common/buffer.hpp"
#include "common/check.hpp"
#include "common/hand_vector.hpp"
#include "common/plot.hpp"
#include "common/report.hpp"
#include "common/timing.hpp"
#include "gemm/batch.hpp"
#include "gemm/peers.hpp"
#include "gemm/static_products.hpp"

namespace tenfold::bench {
namespace {

// ---- the bound ---------------------------------------------------------------------------------

/// The share of the peak that a row-major product reaches whose lanes are columns of one C, when a
/// cycle has as many loads as multiply-adds (two of 512 bits on the CPUs this is for): lanes behind
/// the last column are idle, and per k each entry of A is loaded (as a broadcast) for every panel
/// of columns, each vector of B for every panel of rows.
double row_major_share(const gemm_sizes& s, int lanes) {
  constexpr int row_caps[] = {0, 14, 10, 8, 6};  // rows of a register tile of so many vectors
  constexpr int widest = 4;
  const int vectors = (s.n + lanes - 1) / lanes;
  const int panels = (vectors + widest - 1) / widest;
  int loads = 0;
  for (int panel = 0, done = 0; panel < panels; ++panel) {
    const int v = (vectors - done + panels - panel - 1) / (panels - panel);
    loads += s.m + v * ((s.m + row_caps[v] - 1) / row_caps[v]);
    done += v;
  }
  const double multiply_adds = s.m * vectors;
  return static_cast<double>(s.n) / (lanes * vectors) * std::min(1.0, multiply_adds / loads);
}

template <class T>
limit bound_of(const report& out, const gemm_batch<T>& x, level l) {
  limit best = out.bound(scalar_letter<T>, x.flops(), x.bytes(), l);
  if constexpr (parts_of<T> == 1) {
    if (x.where == storage::strided) {
      const double tile =
          out.peak(scalar_letter<T>) * row_major_share({x.m, x.n, x.k}, lanes<real_type<T>>);
      if (tile < best.value) best = {tile, "loads"};
    }
  }
  return best;
}

// ---- data and checks ---------------------------------------------------------------------------

/// Memory for A, B and C of one batch, filled once.
template <class R>
class arena {
 public:
  explicit arena(std::size_t bytes) : all_(bytes / sizeof(R) + 4 * gap) { all_.fill(1); }

  /// As many problems of these sizes as fit, and where they lie.
  template <class T>
  void lay_out(gemm_batch<T>& x) {
    const auto entries = static_cast<std::ptrdiff_t>(all_.size() - 4 * gap) / parts_of<T>;
    const std::ptrdiff_t shared = x.shared_a ? x.a_size() : 0;
    const std::ptrdiff_t each = (x.shared_a ? 0 : x.a_size()) + x.b_size() + x.c_size();
    constexpr std::ptrdiff_t W = simd_block<T>;
    x.count = std::max((entries - shared) / each / W * W, W);
    R* next = all_.data();
    const auto take = [&](std::ptrdiff_t size) {
      R* const here = next;
      constexpr std::ptrdiff_t line = 64 / sizeof(R);
      next += (size * parts_of<T> + line - 1) / line * line + static_cast<std::ptrdiff_t>(gap);
      return reinterpret_cast<T*>(here);
    };
    if (static_cast<std::size_t>(x.count * each + shared) * sizeof(T) > all_.size() * sizeof(R)) {
      std::fprintf(stderr, "\nthe caches are too small for a block of these matrices\n");
      std::exit(1);
    }
    x.a = take(x.shared_a ? shared : x.count * x.a_size());
    x.b = take(x.count * x.b_size());
    x.c = take(x.count * x.c_size());
  }

 private:
  /// Between the arrays, so that they do not lie at the same place of a page.
  static constexpr std::size_t gap = 7 * 64 / sizeof(R);

  buffer<R> all_;
};

/// What some problems of a batch must give.
template <class T>
class expected {
  using R = real_type<T>;
  static constexpr int parts = parts_of<T>;

 public:
  expected(const gemm_batch<T>& x, std::vector<std::ptrdiff_t> problems)
      : x_(x), problems_(std::move(problems)) {
    for (const std::ptrdiff_t p : problems_) {
      for (std::ptrdiff_t e = 0; e < x.c_size(); ++e) {
        for (int part = 0; part < parts; ++part) before_.push_back(result(p, e, part));
      }
      for (int i = 0; i < x.m; ++i) {
        for (int j = 0; j < x.n; ++j) add_entry(p, i, j);
      }
    }
  }

  /// Sets the results to what they were before, or to NaN where they must not be read.
  void prepare() const {
    const R* before = before_.data();
    for (const std::ptrdiff_t p : problems_) {
      for (std::ptrdiff_t e = 0; e < x_.c_size(); ++e) {
        for (int part = 0; part < parts; ++part, ++before) {
          result(p, e, part) = x_.beta == T(0) ? std::numeric_limits<R>::quiet_NaN() : *before;
        }
      }
    }
  }

  void compare(const std::string& name, const std::string& candidate) const {
    const reference_entry* wanted = entries_.data();
    std::vector<R> got(static_cast<std::size_t>(x_.c_size() * parts));
    for (const std::ptrdiff_t p : problems_) {
      for (std::size_t r = 0; r < got.size(); ++r) {
        got[r] = result(p, static_cast<std::ptrdiff_t>(r) / parts, static_cast<int>(r % parts));
      }
      check(name + " problem " + std::to_string(p), candidate, got.data(),
            static_cast<std::ptrdiff_t>(got.size()), x_.k + 2,
            [&](std::ptrdiff_t i) { return wanted[i]; });
      wanted += got.size();
    }
  }

 private:
  R& result(std::ptrdiff_t problem, std::ptrdiff_t entry, int part) const {
    return reinterpret_cast<R*>(x_.c)[x_.place(problem, entry, x_.c_size(), part)];
  }

  void add_entry(std::ptrdiff_t p, int i, int j) {
    const auto a = [&](int k, int part) -> long double {
      const R* const A = reinterpret_cast<const R*>(x_.a);
      const std::ptrdiff_t entry = std::ptrdiff_t{i} * x_.k + k;
      return x_.shared_a ? A[entry * parts + part] : A[x_.place(p, entry, x_.a_size(), part)];
    };
    const auto b = [&](int k, int part) -> long double {
      return reinterpret_cast<const R*>(
          x_.b)[x_.place(p, std::ptrdiff_t{k} * x_.n + j, x_.b_size(), part)];
    };
    reference_entry part[2] = {};
    const auto add = [&](int to, long double product) {
      part[to].value += product;
      part[to].magnitude += std::fabs(product);
    };
    for (int k = 0; k < x_.k; ++k) {
      add(0, a(k, 0) * b(k, 0));
      if constexpr (parts == 2) {
        add(0, -a(k, 1) * b(k, 1));
        add(1, a(k, 0) * b(k, 1));
        add(1, a(k, 1) * b(k, 0));
      }
    }
    for (int r = 0; r < parts; ++r) {
      if (x_.beta != T(0)) add(r, result(p, std::ptrdiff_t{i} * x_.n + j, r));
      entries_.push_back(part[r]);
    }
  }

  gemm_batch<T> x_;
  std::vector<std::ptrdiff_t> problems_;
  std::vector<R> before_;
  std::vector<reference_entry> entries_;
};

// ---- a case ------------------------------------------------------------------------------------

/// A candidate that takes longer for one pass over memory is left out: it is far from all others.
constexpr double longest_pass = 2;

/// The sizes known only at the call, so that the kernels of the library run.
template <class T>
void run_time_product(const gemm_batch<T>& x) {
  if (x.where == storage::interleaved) {
    constexpr index W = simd_block<T>;
    const interleaved_view<const T, W, dyn, dyn> A(x.a, x.count, x.m, x.k),
        B(x.b, x.count, x.k, x.n);
    const interleaved_view<T, W, dyn, dyn> C(x.c, x.count, x.m, x.n);
    gemm(T(1), A, B, x.beta, C);
    return;
  }
  const view<const T, dyn, dyn, dyn> B(x.b, x.count, x.k, x.n);
  const view<T, dyn, dyn, dyn> C(x.c, x.count, x.m, x.n);
  if (x.shared_a) {
    gemm(T(1), view<const T, dyn, dyn>(x.a, x.m, x.k), B, x.beta, C);
  } else {
    gemm(T(1), view<const T, dyn, dyn, dyn>(x.a, x.count, x.m, x.k), B, x.beta, C);
  }
}

effort effort_of(const report& out, bool streaming) {
  if (streaming) return {out.settings().quick ? 3 : 5, 0};
  return {out.settings().quick ? 7 : 31, 0.002};
}

/// Checks the candidates, of which Tenfold's is the first, times them and adds the row.
template <class T>
void run_batch(report& out, const std::string& name, const gemm_batch<T>& x, bool streaming,
               std::vector<candidate> candidates) {
  std::vector<std::ptrdiff_t> checked;
  const std::ptrdiff_t step = streaming ? std::max<std::ptrdiff_t>(x.count / 200, 1) : 1;
  for (std::ptrdiff_t p = 0; p < x.count - 1; p += step) checked.push_back(p);
  checked.push_back(x.count - 1);
  const expected<T> right(x, std::move(checked));

  std::vector<candidate> timed;
  for (candidate& tried : candidates) {
    right.prepare();
    const double start = cpu_seconds();
    tried.pass();
    const bool slow = streaming && cpu_seconds() - start > longest_pass;
    right.compare(name, tried.name);
    if (!slow || timed.empty()) timed.push_back(std::move(tried));
  }

  const auto timings = time_alternately(timed, effort_of(out, streaming));
  const auto rate = [&](std::size_t i) { return x.flops() / timings[i].seconds * 1e-9; };
  row r{name,
        std::string(1, scalar_letter<T>),
        name_of(x.where),
        streaming ? "memory" : "cache",
        "GFLOP/s",
        rate(0),
        {},
        bound_of(out, x, streaming ? level::dram : level::l2),
        timings[0].spread};
  for (std::size_t i = 1; i < timed.size(); ++i) r.peers.emplace_back(timed[i].name, rate(i));
  out.add(std::move(r));
}

/// Tenfold with static sizes where there are any, Tenfold with sizes at the call, and the peers.
template <class T>
std::vector<candidate> candidates_of(const gemm_peers& peers, const gemm_batch<T>& x,
                                     const static_products<T>& fixed) {
  std::vector<candidate> all;
  const auto add = [&](const char* name, auto* f) {
    if (f != nullptr) all.push_back({name, [f, x] { f(x); }});
  };
  add("tenfold", fixed.tenfold);
  add(fixed.tenfold != nullptr ? "tenfold run-time" : "tenfold", &run_time_product<T>);
  for (candidate& c : peers.candidates(x)) all.push_back(std::move(c));
  add("eigen", fixed.eigen);
  add("hand", fixed.hand);
  add("loops", fixed.loops);
  return all;
}

/// What the filter of the command line is compared with: "gemm n=8 d strided cache".
std::string label_of(const std::string& name, char scalar, const char* layout, bool streaming) {
  return name + ' ' + scalar + ' ' + layout + (streaming ? " memory" : " cache");
}

// ---- squares -----------------------------------------------------------------------------------

template <class T>
void run_square(report& out, const gemm_peers& peers, arena<real_type<T>>& memory, storage where,
                int n, T beta, bool streaming) {
  const std::string name = "gemm n=" + std::to_string(n) + (beta == T(0) ? "" : " beta=1");
  const std::string label = label_of(name, scalar_letter<T>, name_of(where), streaming);
  if (!out.settings().wants(label)) return;
  out.progress(label);
  gemm_batch<T> x;
  x.where = where;
  x.m = x.n = x.k = n;
  x.beta = beta;
  memory.lay_out(x);
  const auto fixed = where == storage::strided ? square_products<T, storage::strided>(n)
                                               : square_products<T, storage::interleaved>(n);
  run_batch(out, name, x, streaming, candidates_of(peers, x, fixed));
}

/// Is n one of those of a quick run?
bool wanted_order(const report& out, int n, std::initializer_list<int> quick) {
  return !out.settings().quick || std::find(quick.begin(), quick.end(), n) != quick.end();
}

template <class T>
void run_cached_squares(report& out, const gemm_peers& peers, std::initializer_list<int> quick) {
  arena<real_type<T>> memory(cached_bytes(out.where()));
  for (const storage where : {storage::strided, storage::interleaved}) {
    for (int n = 1; n <= 32; ++n) {
      if (!has_order<T>(n) || !wanted_order(out, n, quick)) continue;
      run_square<T>(out, peers, memory, where, n, T(0), false);
    }
  }
}

void run_streaming_squares(report& out, const gemm_peers& peers) {
  const auto wanted = [&](storage where, int n, double beta) {
    const std::string name = "gemm n=" + std::to_string(n) + (beta == 0 ? "" : " beta=1");
    return wanted_order(out, n, {8}) && (beta == 0 || !out.settings().quick) &&
           out.settings().wants(label_of(name, 'd', name_of(where), true));
  };
  std::vector<std::tuple<storage, double, int>> all;
  for (const storage where : {storage::strided, storage::interleaved}) {
    for (const double beta : {0.0, 1.0}) {
      for (const int n : {2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64}) {
        if (wanted(where, n, beta)) all.emplace_back(where, beta, n);
      }
    }
  }
  if (all.empty()) return;
  arena<double> memory(streaming_bytes(out.where()));
  for (const auto& [where, beta, n] : all) {
    run_square<double>(out, peers, memory, where, n, beta, true);
  }
}

// ---- shapes of finite elements -----------------------------------------------------------------

void run_fem(report& out, const gemm_peers& peers) {
  arena<double> memory(cached_bytes(out.where()));
  for (std::size_t i = 0; i < fem_sizes.size(); ++i) {
    const gemm_sizes s = fem_sizes[i];
    const std::string name = "gemm " + std::to_string(s.m) + 'x' + std::to_string(s.n) + 'x' +
                             std::to_string(s.k) + " sharedA";
    if (!wanted_order(out, s.k, {4, 8}) ||
        !out.settings().wants(label_of(name, 'd', "strided", false)))
      continue;
    out.progress(name);
    gemm_batch<double> x;
    x.m = s.m;
    x.n = s.n;
    x.k = s.k;
    x.shared_a = true;
    memory.lay_out(x);
    run_batch(out, name, x, false, candidates_of(peers, x, fem_products(i)));
  }
}

// ---- single products ---------------------------------------------------------------------------

void run_single(report& out, const gemm_peers& peers) {
  for (const int n : {40, 48, 64, 80, 96, 128, 160, 192, 256}) {
    const std::string name = "gemm single n=" + std::to_string(n);
    if (!wanted_order(out, n, {64, 128, 256}) ||
        !out.settings().wants(label_of(name, 'd', "strided", false)))
      continue;
    out.progress(name);
    const auto size = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
    buffer<double> a(size), b(size), c(size);
    a.fill(1);
    b.fill(2);
    c.fill(3);
    gemm_batch<double> x;
    x.m = x.n = x.k = n;
    x.count = 1;
    x.a = a.data();
    x.b = b.data();
    x.c = c.data();
    std::vector<candidate> all{{"tenfold", [x] {
                                  const view<const double, dyn, dyn> A(x.a, x.m, x.k),
                                      B(x.b, x.k, x.n);
                                  gemm(1.0, A, B, 0.0, view<double, dyn, dyn>(x.c, x.m, x.n));
                                }}};
    for (candidate& peer : peers.candidates(x)) all.push_back(std::move(peer));
    run_batch(out, name, x, false, std::move(all));
  }
}

// ---- variable batches --------------------------------------------------------------------------

/// Many problems of many sizes inside one buffer, A, B and C of each side by side in turn.
class variable_batch {
 public:
  using problem = gemm_peers::problem;

  variable_batch(int count, bool cubes) {
    std::mt19937 random(1);
    std::uniform_int_distribution<int> order(2, 32);
    std::ptrdiff_t size = 0;
    for (int i = 0; i < count; ++i) {
      problem p{order(random), 0, 0, nullptr, nullptr, nullptr};
      p.n = cubes ? p.m : order(random);
      p.k = cubes ? p.m : order(random);
      problems_.push_back(p);
      size += entries_of(p);
    }
    all_ = std::make_unique<buffer<double>>(static_cast<std::size_t>(size));
    all_->fill(1);
    double* next = all_->data();
    for (problem& p : problems_) {
      p.a = next;
      p.b = p.a + p.m * p.k;
      p.c = next + p.m * p.k + p.k * p.n;
      next += entries_of(p);
      flops_ += 2.0 * p.m * p.n * p.k;
      gemm_problem<double> call;
      call.m = p.m;
      call.n = call.ldb = call.ldc = p.n;
      call.k = call.lda = p.k;
      call.a = p.a;
      call.b = p.b;
      call.c = p.c;
      calls_.push_back(call);
      group& g = groups_[{p.m, p.n, p.k}];
      g.a.push_back(p.a);
      g.b.push_back(p.b);
      g.c.push_back(p.c);
    }
  }

  double flops() const { return flops_; }
  double bytes() const { return 8.0 * static_cast<double>(all_->size()); }
  const std::vector<problem>& problems() const { return problems_; }

  void run_variable() const {
    gemm<double>(order::row_major, calls_.data(), static_cast<index>(calls_.size()));
  }

  /// The same problems, sorted beforehand: one fixed batch for each shape.
  void run_fixed() const {
    for (const auto& [shape, g] : groups_) {
      const auto [m, n, k] = shape;
      gemm<double>(order::row_major, op::none, op::none, m, n, k, 1.0, g.a.data(), k, g.b.data(), n,
                   0.0, g.c.data(), n, static_cast<index>(g.a.size()));
    }
  }

  void check_all(const std::string& name, const candidate& tried) const {
    for (const problem& p : problems_) {
      std::fill_n(p.c, p.m * p.n, std::numeric_limits<double>::quiet_NaN());
    }
    tried.pass();
    for (std::size_t i = 0; i < problems_.size(); i += 37) {
      const problem& p = problems_[i];
      check(name + " problem " + std::to_string(i), tried.name, p.c, p.m * p.n, p.k + 2,
            [&](std::ptrdiff_t at) {
              reference_entry e{};
              for (int k = 0; k < p.k; ++k) {
                const long double product =
                    static_cast<long double>(p.a[at / p.n * p.k + k]) * p.b[k * p.n + at % p.n];
                e.value += product;
                e.magnitude += std::fabs(product);
              }
              return e;
            });
    }
  }

 private:
  static std::ptrdiff_t entries_of(const problem& p) { return p.m * p.k + p.k * p.n + p.m * p.n; }
  struct group {
    std::vector<const double*> a, b;
    std::vector<double*> c;
  };

  std::vector<problem> problems_;
  std::vector<gemm_problem<double>> calls_;
  std::map<std::tuple<int, int, int>, group> groups_;
  std::unique_ptr<buffer<double>> all_;
  double flops_ = 0;
};

void run_variable(report& out, const gemm_peers& peers, bool cubes) {
  const std::string name = cubes ? "gemm variable n=2..32" : "gemm variable mnk=2..32";
  if (!out.settings().wants(name)) return;
  out.progress(name);
  const variable_batch batch(10'000, cubes);
  std::vector<candidate> all{{"tenfold", [&] { batch.run_variable(); }},
                             {"fixed batches", [&] { batch.run_fixed(); }}};
  for (candidate& peer : peers.candidates(batch.problems())) all.push_back(std::move(peer));
  for (const candidate& tried : all) batch.check_all(name, tried);
  const auto timings = time_alternately(all, {out.settings().quick ? 7 : 21, 0.002});
  const auto rate = [&](std::size_t i) { return batch.flops() / timings[i].seconds * 1e-9; };
  // All sizes together are more than L2 and less than a streaming set: the level that holds them.
  const bool in_l3 = batch.bytes() < static_cast<double>(out.where().l3) / 2;
  row r{name,
        "d",
        "pointers",
        in_l3 ? "cache" : "memory",
        "GFLOP/s",
        rate(0),
        {},
        out.bound('d', batch.flops(), batch.bytes(), in_l3 ? level::l3 : level::dram),
        timings[0].spread};
  for (std::size_t i = 1; i < all.size(); ++i) r.peers.emplace_back(all[i].name, rate(i));
  out.add(std::move(r));
}

/// What sorting costs: 10,000 problems of order 1, told apart by 31 leading dimensions, as a
/// variable batch and as the groups that it consists of. The row is the difference; the budget is a
/// twentieth of what the problems of orders 2..32 cost.
void run_sorting(report& out) {
  const std::string name = "gemm variable n=2..32 sorting";
  if (!out.settings().wants(name)) return;
  out.progress(name);
  constexpr std::size_t count = 10'000;
  buffer<double> a(count), b(count), c(count);
  a.fill(1);
  b.fill(2);
  std::mt19937 random(1);
  std::uniform_int_distribution<index> leading(2, 32);
  std::vector<gemm_problem<double>> problems(count);
  std::map<index, std::vector<std::size_t>> bins;
  for (std::size_t i = 0; i < count; ++i) {
    gemm_problem<double>& p = problems[i];
    p.m = p.n = p.k = 1;
    p.lda = p.ldb = p.ldc = leading(random);
    p.a = a.data() + i;
    p.b = b.data() + i;
    p.c = c.data() + i;
    bins[p.lda].push_back(i);
  }
  std::vector<gemm_group<double>> groups;
  std::vector<const double*> list_a, list_b;
  std::vector<double*> list_c;
  for (const auto& [ld, members] : bins) {
    gemm_group<double> g;
    g.m = g.n = g.k = 1;
    g.lda = g.ldb = g.ldc = ld;
    g.count = static_cast<index>(members.size());
    groups.push_back(g);
    for (const std::size_t i : members) {
      list_a.push_back(problems[i].a);
      list_b.push_back(problems[i].b);
      list_c.push_back(problems[i].c);
    }
  }
  const variable_batch whole(static_cast<int>(count), true);
  const std::vector<candidate> all{
      {"variable",
       [&] { gemm<double>(order::row_major, problems.data(), static_cast<index>(count)); }},
      {"groups",
       [&] {
         gemm<double>(order::row_major, groups.data(), static_cast<index>(groups.size()),
                      list_a.data(), list_b.data(), list_c.data());
       }},
      {"orders 2..32", [&] { whole.run_fixed(); }}};
  for (std::size_t i = 0; i < 2; ++i) {
    c.poison();
    all[i].pass();
    check(name, all[i].name, c.data(), static_cast<std::ptrdiff_t>(count), 3,
          [&](std::ptrdiff_t at) {
            const long double product = static_cast<long double>(a.data()[at]) * b.data()[at];
            return reference_entry{product, std::fabs(product)};
          });
  }
  const auto timings = time_alternately(all, {out.settings().quick ? 7 : 21, 0.002});
  row r{name,
        "d",
        "pointers",
        "cache",
        "s",
        timings[0].seconds - timings[1].seconds,
        {},
        {timings[2].seconds / 20, "budget"},
        timings[0].spread};
  for (std::size_t i = 0; i < all.size(); ++i) {
    r.peers.emplace_back(all[i].name, timings[i].seconds);
  }
  out.add(std::move(r));
}

// ---- plots -------------------------------------------------------------------------------------

/// The rows `gemm n=N` + ending of one scalar, layout and place as a plot beside the JSON.
bool plot_squares(const report& out, const std::string& scalar, const std::string& layout,
                  const std::string& where, const std::string& ending) {
  std::string file = out.settings().json;
  if (file.empty()) return true;
  if (const auto dot = file.rfind(".json"); dot != std::string::npos) file.erase(dot);
  file += '_' + scalar + '_' + layout + (where == "memory" ? "_memory" : "") +
          (ending.empty() ? "" : "_beta1") + ".svg";
  curve ours{"Tenfold", {}, curve::look::ours}, bound{"bound", {}, curve::look::bound};
  std::vector<curve> others;
  for (const row& r : out.rows()) {
    int n = 0, read = 0;
    if (r.scalar != scalar || r.layout != layout || r.where != where) continue;
    if (std::sscanf(r.case_name.c_str(), "gemm n=%d%n", &n, &read) != 1 ||
        r.case_name.substr(static_cast<std::size_t>(read)) != ending)
      continue;
    ours.points.emplace_back(n, r.tenfold);
    bound.points.emplace_back(n, r.bound.value);
    for (const auto& [name, value] : r.peers) {
      auto at = std::find_if(others.begin(), others.end(),
                             [&, &name = name](const curve& c) { return c.name == name; });
      if (at == others.end()) at = others.insert(at, {name, {}, curve::look::other});
      at->points.emplace_back(n, value);
    }
  }
  if (ours.points.size() < 3) return true;
  std::vector<curve> curves{bound, ours};
  curves.insert(curves.end(), others.begin(), others.end());
  const std::string title =
      "C = A B" + std::string(ending.empty() ? "" : " + C") + ", n x n, batched, " + scalar + ", " +
      layout + (where == "memory" ? ", streaming from memory" : ", in L2") + ", one core";
  if (!write_plot(file, title, "n", "GFLOP/s", curves)) {
    std::fprintf(stderr, "gemm: cannot write %s\n", file.c_str());
    return false;
  }
  std::printf("%s\n", file.c_str());
  return true;
}

bool plot_all(const report& out) {
  bool written = true;
  for (const char* layout : {"strided", "interleaved"}) {
    for (const char* scalar : {"d", "s", "z", "c"}) {
      written = plot_squares(out, scalar, layout, "cache", "") && written;
    }
    for (const char* ending : {"", " beta=1"}) {
      written = plot_squares(out, "d", layout, "memory", ending) && written;
    }
  }
  return written;
}

}  // namespace
}  // namespace tenfold::bench

int main(int argc, char** argv) {
  using namespace tenfold::bench;
  const options o = read_options(argc, argv);
  const machine m = describe_machine();
  report out("gemm", o, m);
  if (!keep_to_one_core()) out.note("This process could not be confined to one core.");
  const gemm_peers peers(out);
  out.measure_machine();
  run_cached_squares<double>(out, peers, {2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 24, 32});
  run_cached_squares<float>(out, peers, {4, 8, 16, 24});
  run_cached_squares<std::complex<double>>(out, peers, {2, 4, 8, 16});
  run_cached_squares<std::complex<float>>(out, peers, {4, 8, 16});
  run_fem(out, peers);
  run_single(out, peers);
  run_variable(out, peers, true);
  run_variable(out, peers, false);
  run_sorting(out);
  run_streaming_squares(out, peers);
  const bool written = out.finish();
  return plot_all(out) && written ? 0 : 1;
}
