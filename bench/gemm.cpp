/// The suite `gemm`: batches of small matrix products beside the libraries that are installed, and
/// beside what the machine can do.
#include <tenfold/batched_blas.hpp>

#include <algorithm>
#include <complex>
#include <initializer_list>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "common/hand_vector.hpp"
#include "common/report.hpp"
#include "common/timing.hpp"
#include "gemm/batch_data.hpp"
#include "gemm/peers.hpp"
#include "gemm/plots.hpp"
#include "gemm/static_products.hpp"
#include "gemm/variable.hpp"

namespace tenfold::bench {
namespace {

// ---- the bound ---------------------------------------------------------------------------------

/// The share of the peak that a row-major product reaches whose lanes are columns of one C, when a
/// cycle has as many loads as multiply-adds (two of 512 bits on the CPUs this is for): lanes behind
/// the last column are idle, or half of a vector that is not needed (which is time only where 512
/// bits pass in halves, as on Zen 4; elsewhere the bound is above what can be had), and per k each
/// entry of A is loaded (as a broadcast) for every panel of columns, each vector of B for every
/// panel of rows.
double row_major_share(const gemm_sizes& s, int lanes) {
  constexpr int row_caps[] = {0, 16, 10, 8, 6};  // rows of a register tile of so many vectors
  constexpr int widest = 4;
  const int vectors = (s.n + lanes - 1) / lanes;
  const int panels = (vectors + widest - 1) / widest;
  int loads = 0;
  for (int panel = 0, done = 0; panel < panels; ++panel) {
    const int v = (vectors - done + panels - panel - 1) / (panels - panel);
    loads += s.m + v * ((s.m + row_caps[v] - 1) / row_caps[v]);
    done += v;
  }
  const int rest = s.n % lanes;
  const double filled = vectors - (rest > 0 && 2 * rest <= lanes ? 0.5 : 0);
  return s.n / (lanes * filled) * std::min(1.0, static_cast<double>(s.m * vectors) / loads);
}

template <class T>
limit bound_of(const report& out, double peak, const gemm_batch<T>& x, level l) {
  limit best = out.bound(peak, x.flops(), x.bytes(), l);
  if constexpr (parts_of<T> == 1) {
    if (x.where == storage::strided) {
      const double tile = peak * row_major_share({x.m, x.n, x.k}, lanes<real_type<T>>);
      if (tile < best.value) best = {tile, "loads"};
    }
  }
  return best;
}

// ---- a case ------------------------------------------------------------------------------------

/// A candidate that takes longer for one pass over memory is left out: it is far from all others.
constexpr double longest_pass = 1.5;
/// A pass over this part of the batch tells.
constexpr std::ptrdiff_t sampled_part = 64;

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

/// Says why a row is left out.
void leave_out(report& out, const std::string& label) {
  out.note(label + ": left out, a block of these matrices is larger than half of L2.");
}

/// Checks the candidates, of which Tenfold's is the first, times them and adds the row. Squares
/// from memory have one more beside them, that passes through A, B and C and multiplies nothing.
template <class T>
void run_batch(report& out, const std::string& name, const gemm_batch<T>& x, bool streaming,
               std::vector<candidate> candidates) {
  std::vector<std::ptrdiff_t> checked;
  const std::ptrdiff_t step = streaming ? std::max<std::ptrdiff_t>(x.count / 200, 1) : 1;
  for (std::ptrdiff_t p = 0; p < x.count - 1; p += step) checked.push_back(p);
  checked.push_back(x.count - 1);
  const expected<T> right(x, std::move(checked));

  for (const candidate& tried : candidates) {
    right.prepare();
    tried.pass();
    right.compare(name, tried.name);
  }
  if constexpr (std::is_same_v<T, double>) {
    if (streaming)
      candidates.push_back(
          {"streams", [x] { stream_sum(x.a, x.b, x.c, x.count * x.c_size(), x.beta != T(0)); }});
  }

  const measured m = out.time(candidates, scalar_letter<T>, effort_of(out, streaming));
  out.add(rates(name, scalar_letter<T>, name_of(x.where), streaming ? "memory" : "cache", x.flops(),
                candidates, m.timings,
                bound_of(out, m.peak, x, streaming ? level::dram : level::l2)));
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

/// Leaves out those that would take too long for the whole of a streaming batch, but for Tenfold.
template <class T>
std::vector<candidate> quick_ones(const gemm_peers& peers, const gemm_batch<T>& whole,
                                  const static_products<T>& fixed) {
  gemm_batch<T> part = whole;
  part.count = std::max<std::ptrdiff_t>(whole.count / sampled_part, 1);
  const std::vector<candidate> sampled = candidates_of(peers, part, fixed);
  std::vector<candidate> all = candidates_of(peers, whole, fixed), quick;
  const double share = static_cast<double>(part.count) / static_cast<double>(whole.count);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double start = cpu_seconds();
    sampled[i].pass();
    if (i == 0 || cpu_seconds() - start < share * longest_pass) quick.push_back(std::move(all[i]));
  }
  return quick;
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
  if (!memory.lay_out(x)) return leave_out(out, label);
  const auto fixed = where == storage::strided ? square_products<T, storage::strided>(n)
                                               : square_products<T, storage::interleaved>(n);
  run_batch(out, name, x, streaming,
            streaming ? quick_ones(peers, x, fixed) : candidates_of(peers, x, fixed));
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
      for (const int n : {2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128, 192, 256}) {
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
    if (!memory.lay_out(x)) {
      leave_out(out, name);
      continue;
    }
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

}  // namespace
}  // namespace tenfold::bench

int main(int argc, char** argv) {
  using namespace tenfold::bench;
  report out("gemm", argc, argv);
  out.measure_machine();
  const gemm_peers peers(out);
  if (!tenfold::tuning_source().empty())
    out.note("Run-time sizes go by the tuning table " + tenfold::tuning_source() + '.');
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
  return plot_squares(out) && written ? 0 : 1;
}
