/// The suite `fem`: the CEED bake-off problems, as fused kernels beside kernels written by hand and
/// what other libraries reach.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <tenfold/tensor/tensor.hpp>
#include <vector>

#include "common/bandwidth.hpp"
#include "common/buffer.hpp"
#include "common/check.hpp"
#include "common/hand_vector.hpp"
#include "common/report.hpp"
#include "common/timing.hpp"
#include "fem/dealii.hpp"
#include "fem/degree.hpp"
#include "fem/mesh.hpp"
#include "fem/recorded.hpp"
#include "fem/reference.hpp"
#include "fem/summary.hpp"
#include "fem/tables.hpp"

namespace tenfold::bench {
namespace {

std::size_t size_of(std::ptrdiff_t n) { return static_cast<std::size_t>(n); }

/// The entries of a lane of an interleaved block, in long double.
template <class T>
std::vector<long double> lane_of(const T* block, int entries, int lane) {
  std::vector<long double> x;
  for (int i = 0; i < entries; ++i) {
    x.push_back(static_cast<long double>(block[i * lanes<T> + lane]));
  }
  return x;
}

bool wants(const report& out, const std::string& name, char scalar, const char* where) {
  return out.settings().wants(name + ' ' + scalar + ' ' + where);
}

// --- element vectors ---

template <class T>
void run_kernel(report& out, operator_kind kind, int p, const operator_candidates<T>& operators) {
  const std::string name = bake_off{kind, 1}.name("BK", p);
  if (!wants(out, name, scalar_letter<T>, "cache")) return;
  out.progress(name + ' ' + scalar_letter<T>);
  constexpr int W = lanes<T>;
  const int nodes = (p + 1) * (p + 1) * (p + 1), entries = data_entries(kind, p);
  const double bytes = element_bytes(kind, p, sizeof(T));
  const auto fitting =
      static_cast<std::ptrdiff_t>(static_cast<double>(cached_bytes(out.where())) / (bytes * W));
  const std::ptrdiff_t blocks = std::max<std::ptrdiff_t>(fitting, 1);

  buffer<T> u(size_of(blocks * nodes * W)), v(u.size()), d(size_of(blocks * entries * W));
  u.fill(1);
  d.fill(2);
  const element_vectors<T> data{u.data(), d.data(), v.data(), blocks};
  std::vector<candidate> candidates{{"tenfold", [&] { operators.tenfold(data); }}};
  if (operators.hand) candidates.push_back({"hand", [&] { operators.hand(data); }});
  candidates.push_back({"run-time extents", [&] { operators.tenfold_at_run_time(data); }});

  const fem_tables tables(p, kind == operator_kind::collocated);
  for (const candidate& tried : candidates) {
    v.poison();
    tried.pass();
    for (const std::ptrdiff_t block : {std::ptrdiff_t{0}, blocks - 1}) {
      for (const int lane : {0, W / 2, W - 1}) {
        const element_result expected =
            apply_to_element(kind, tables, lane_of(u.data() + block * nodes * W, nodes, lane),
                             lane_of(d.data() + block * entries * W, entries, lane));
        std::vector<T> result;
        for (int i = 0; i < nodes; ++i)
          result.push_back(v[size_of((block * nodes + i) * W + lane)]);
        check(name, tried.name, result.data(), nodes, element_work(kind, p), [&](std::ptrdiff_t i) {
          return reference_entry{expected.value[size_of(i)], expected.magnitude[size_of(i)]};
        });
      }
    }
  }

  const double elements = static_cast<double>(blocks * W);
  const double flops = elements * element_flops(kind, p);
  const measured m = out.time(candidates, scalar_letter<T>, {out.settings().quick ? 9 : 31, 0.002});
  out.add(rates(name, scalar_letter<T>, "interleaved", "cache", flops, candidates, m.timings,
                out.bound(m.peak, flops, elements * bytes, level::l2)));
}

// --- vectors of degrees of freedom ---

/// Some degrees of freedom, from everywhere, and what is right there.
template <class T>
struct sampled_result {
  std::vector<std::ptrdiff_t> dofs;
  std::vector<reference_entry> expected;

  sampled_result(const cube_mesh& mesh, operator_kind kind, const fem_tables& tables, const T* u,
                 const T* d) {
    constexpr int W = lanes<T>;
    constexpr std::ptrdiff_t samples = 60;
    const int nodes = mesh.P() * mesh.P() * mesh.P(), entries = data_entries(kind, mesh.p);
    std::map<std::ptrdiff_t, reference_entry> sums;
    for (std::ptrdiff_t i = 0; i < samples; ++i) {
      sums[i * (mesh.dofs() - 1) / (samples - 1)] = {0, 0};
    }
    std::vector<bool> is_sampled(size_of(mesh.dofs()));
    for (const auto& [dof, sum] : sums) is_sampled[size_of(dof)] = true;
    std::map<std::ptrdiff_t, bool> met;
    for (std::ptrdiff_t part = 0; part < mesh.blocks * mesh.components; ++part) {
      const std::int32_t* const map = mesh.map.data() + part * nodes * W;
      for (int lane = 0; lane < W; ++lane) {
        element_result result;
        for (int i = 0; i < nodes; ++i) {
          const std::int32_t dof = map[i * W + lane];
          if (dof < 0 || !is_sampled[size_of(dof)]) continue;
          if (result.value.empty()) {
            std::vector<long double> at_nodes;
            for (int j = 0; j < nodes; ++j) {
              const std::int32_t from = map[j * W + lane];
              at_nodes.push_back(from < 0 ? 0 : static_cast<long double>(u[from]));
            }
            const T* const block = d + part / mesh.components * entries * W;
            result = apply_to_element(kind, tables, at_nodes, lane_of(block, entries, lane));
          }
          sums[dof].value += result.value[size_of(i)];
          sums[dof].magnitude += result.magnitude[size_of(i)];
          met[dof] = true;
        }
      }
    }
    for (const auto& [dof, is_met] : met) {
      dofs.push_back(dof);
      expected.push_back(sums[dof]);
    }
  }

  void check_against(const std::string& name, const std::string& tried, const T* v,
                     double work) const {
    std::vector<T> result;
    for (const std::ptrdiff_t dof : dofs) result.push_back(v[dof]);
    check(name, tried, result.data(), static_cast<std::ptrdiff_t>(result.size()), work,
          [&](std::ptrdiff_t i) { return expected[size_of(i)]; });
  }
};

/// Elements along an edge for 3 million unique degrees of freedom in memory, 30 to 47 thousand in
/// the caches.
int elements_along(int p, int components, bool streaming) {
  const double along = std::cbrt((streaming ? 3.05e6 : 36e3) / components);
  return std::max(1, static_cast<int>(std::lround((along - 1) / p)));
}

/// Ends the program (status 1) unless two results agree to 1e-12 of the largest entry.
void compare(const std::string& name, const std::string& tried, const std::vector<double>& result,
             const std::vector<double>& expected) {
  double largest = 0;
  for (const double x : expected) largest = std::max(largest, std::fabs(x));
  check(name, tried, result.data(), static_cast<std::ptrdiff_t>(result.size()), 1,
        [&](std::ptrdiff_t i) {
          const long double allowed = 1e-12L * largest / std::numeric_limits<double>::epsilon();
          return reference_entry{expected[size_of(i)], allowed / 2};
        });
}

/// Peers that are here, and rates of those that are not.
struct other_libraries {
  dealii_library dealii;
  recorded_rates recorded;
};

/// GDoF/s in cache, by case and scalar: no mat-vec from memory can be faster.
using cached_rates = std::map<std::string, double>;

template <class T>
void run_matvec(report& out, const bake_off& problem, int p, bool streaming,
                const operator_candidates<T>& operators, const other_libraries& others,
                cached_rates& in_cache) {
  const std::string name = problem.name("BP", p);
  const char* const where = streaming ? "memory" : "cache";
  if (!wants(out, name, scalar_letter<T>, where)) return;
  out.progress(name + ' ' + scalar_letter<T> + ' ' + where);
  constexpr int W = lanes<T>;
  const operator_kind kind = problem.kind;
  const cube_mesh mesh(p, elements_along(p, problem.components, streaming), W, problem.components,
                       kind != operator_kind::mass);
  const fem_tables tables(p, kind == operator_kind::collocated);
  const index_map<std::int32_t> map(mesh.map.data(), mesh.blocks, mesh.numbers(), mesh.dofs());
  const scatter_order order(map);
  const int entries = data_entries(kind, p);
  // Tensors, so that pages are what users have.
  tensor<T, dyn> u(mesh.dofs()), v(mesh.dofs()), d(mesh.blocks * entries * W);
  store_geometry(mesh, tables, kind, d.data());
  for (index i = 0; i < u.size(); ++i) {
    u(i) = static_cast<T>(0.25 + static_cast<double>(i * 7919 % 1009) / 1009);
  }

  const std::vector<std::int32_t> lines = lines_of_blocks(mesh, sizeof(T));
  const mapped_vectors<T> data{u.data(), d.data(), v.data(), mesh, map, order, lines};
  const bool scalar = problem.components == 1;
  std::vector<candidate> candidates{
      {"tenfold",
       [&] { (scalar ? operators.tenfold_matvec : operators.tenfold_vector_matvec)(data); }},
      {"hand", [&] { (scalar ? operators.hand_matvec : operators.hand_vector_matvec)(data); }}};
  const sampled_result<T> reference(mesh, kind, tables, u.data(), d.data());
  for (const candidate& tried : candidates) {
    v.fill(std::numeric_limits<T>::quiet_NaN());
    tried.pass();
    reference.check_against(name, tried.name, v.data(), element_work(kind, p) + 8);
  }

  if constexpr (scalar_letter<T> == 'd') {
    if (scalar && others.dealii) {
      const auto theirs = others.dealii.make(kind, mesh, u.data());
      candidates.push_back({others.dealii.name(), [theirs] { theirs.multiply(); }});
      candidates.back().pass();
      std::vector<double> result(size_of(mesh.dofs()));
      theirs.get_result(result.data());
      compare(name, candidates.back().name, result, {v.data(), v.data() + v.size()});
    }
  }

  if (streaming) {  // no peer, but the bound
    candidates.push_back({"reading", [&] {
                            stream_read(u.data(), u.size());
                            stream_read(d.data(), d.size());
                          }});
  }
  const effort cached{out.settings().quick ? 5 : 15, 0.002};
  const effort from_memory{out.settings().quick ? 3 : 9, 0};
  const measured m = out.time(candidates, scalar_letter<T>, streaming ? from_memory : cached);

  const auto dofs = static_cast<double>(mesh.dofs());
  const auto elements = static_cast<double>(mesh.elements());
  const double flops = elements * problem.components * element_flops(kind, p);
  // The source is read, the result read and written; what is stored and the map are read.
  const double bytes = 3 * sizeof(T) * dofs + elements * entries * sizeof(T) +
                       sizeof(std::int32_t) * static_cast<double>(mesh.map.count());
  limit bound{dofs / bytes * out.bandwidth(stream::read, level::l3), "read L3"};
  if (streaming) {
    const auto bytes_read =
        static_cast<double>(sizeof(T)) * static_cast<double>(u.size() + d.size());
    bound = {dofs / bytes * bytes_read / m.timings.back().seconds * 1e-9, "read DRAM"};
    candidates.pop_back();
    const auto cached_rate = in_cache.find(name + ' ' + scalar_letter<T>);
    if (cached_rate != in_cache.end() && cached_rate->second < bound.value) {
      bound = {cached_rate->second, "in cache"};
    }
  } else if (m.peak / flops * dofs < bound.value) {
    bound = {m.peak / flops * dofs, "peak"};
  }
  row r = rates(name, scalar_letter<T>, "gathered", where, dofs, candidates, m.timings, bound);
  r.unit = "GDoF/s";
  if (!streaming) in_cache[name + ' ' + scalar_letter<T>] = r.tenfold;
  if (scalar_letter<T> == 'd') {
    for (const auto& [library, rate] : others.recorded.of(name.substr(0, 3), p, where)) {
      r.peers.emplace_back(library + ", recorded", rate);
    }
  }
  out.add(std::move(r));
}

constexpr operator_kind kinds[] = {operator_kind::mass, operator_kind::diffusion,
                                   operator_kind::collocated};

template <class T>
void run_kernels(report& out, int p, const std::array<operator_candidates<T>, 3>& operators) {
  for (const operator_kind kind : kinds) {
    run_kernel<T>(out, kind, p, operators[static_cast<std::size_t>(kind)]);
  }
}

template <class T>
void run_degree(report& out, int p, const other_libraries& others) {
  const auto operators = candidates_of<T>(p);
  cached_rates in_cache;
  run_kernels<T>(out, p, operators);
  for (const bool streaming : {false, true}) {
    for (const int components : {1, 3}) {
      if (components == 3 && (sizeof(T) == 4 || out.settings().quick)) continue;
      for (const operator_kind kind : kinds) {
        run_matvec<T>(out, {kind, components}, p, streaming,
                      operators[static_cast<std::size_t>(kind)], others, in_cache);
      }
    }
  }
}

}  // namespace
}  // namespace tenfold::bench

int main(int argc, char** argv) {
  using namespace tenfold::bench;
  report out("fem", argc, argv);
  const other_libraries others{dealii_library(out),
                               recorded_rates(TENFOLD_BENCH_DATA "/fem_peers.txt")};
  out.measure_machine();
  for (int p = first_fem_degree; p <= last_fem_degree; ++p) {
    if (out.settings().quick && p != 4) continue;
    run_degree<double>(out, p, others);
    if (!out.settings().quick) run_degree<float>(out, p, others);
  }
  if (!out.settings().quick) {
    for (const int p : high_fem_degrees) run_kernels<double>(out, p, candidates_of<double>(p));
  }
  print_summary(out);
  out.note(
      "Peers named \"recorded\" were not measured in this run: on one AVX-512 core (Zen 5), "
      "copy bandwidth of main memory 40 GB/s (bench/data/fem_peers.txt).");
  const bool written = out.finish();
  return plot_fem(out) && written ? 0 : 1;
}
