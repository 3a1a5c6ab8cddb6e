#include "gemm/variable.hpp"

#include <tenfold/batched_blas.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "common/buffer.hpp"
#include "common/check.hpp"
#include "common/timing.hpp"

namespace tenfold::bench {
namespace {

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

}  // namespace

void run_variable(report& out, const gemm_peers& peers, bool cubes) {
  const std::string name = cubes ? "gemm variable n=2..32" : "gemm variable mnk=2..32";
  if (!out.settings().wants(name)) return;
  out.progress(name);
  const variable_batch batch(10'000, cubes);
  std::vector<candidate> all{{"tenfold", [&] { batch.run_variable(); }},
                             {"fixed batches", [&] { batch.run_fixed(); }}};
  for (candidate& peer : peers.candidates(batch.problems())) all.push_back(std::move(peer));
  for (const candidate& tried : all) batch.check_all(name, tried);
  const measured m = out.time(all, 'd', {out.settings().quick ? 7 : 21, 0.002});
  // All sizes together are more than L2 and less than a streaming set: the level that holds them.
  const bool in_l3 = batch.bytes() < static_cast<double>(out.where().l3) / 2;
  out.add(rates(name, 'd', "pointers", in_l3 ? "cache" : "memory", batch.flops(), all, m.timings,
                out.bound(m.peak, batch.flops(), batch.bytes(), in_l3 ? level::l3 : level::dram)));
}

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

}  // namespace tenfold::bench
