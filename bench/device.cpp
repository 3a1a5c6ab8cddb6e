/// The suite `device`: batched products, an expression of several steps and the kernels of the
/// bake-off problems on a GPU, beside cuBLAS, cuTENSOR and copies within
/// its memory.
#include <tenfold/device.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tenfold/backend/cuda/gpu.hpp>
#include <utility>
#include <vector>

#include "common/check.hpp"
#include "common/report.hpp"
#include "device/device_suite.hpp"
#include "device/operators.hpp"
#include "device/products.hpp"
#include "fem/reference.hpp"
#include "fem/tables.hpp"
#if defined(TENFOLD_BENCH_EMULATION)
#include <emulated_device.hpp>
#endif

namespace tenfold::bench {
namespace {

/// Bytes: of tables, and lost where pieces are aligned.
constexpr std::size_t room_for_tables = std::size_t{1} << 16;

// ---- copies ------------------------------------------------------------------------------------

template <class T>
void copy(const device_queue& where, const T* x, device_tensor<T, dyn>& y) {
  einsum<"i->i">(where, into(y), there<dyn>(x, y.size()));
}

template <class T>
void run_copy(device_suite& suite, device_numbers<T>& numbers) {
  if (!suite.begins("copy", scalar_letter<T>, true)) return;
  const index count = suite.emulated() ? 1000 : static_cast<index>(suite.bytes() / 2 / sizeof(T));
  numbers.restart();
  const T* const x = numbers.take(count);
  device_tensor<T, dyn> y(suite.where(), count);
  const double bytes = 2.0 * sizeof(T) * static_cast<double>(count);
  const auto looked_at = sampled_problems(count);
  device_sample<T> result(suite.where(), y.data(), 1, looked_at);
  const auto right = device_sample<T>(suite.where(), x, 1, looked_at).fetch();
  suite.run({.name = "copy",
             .scalar = scalar_letter<T>,
             .unit = "GB/s",
             .work = bytes,
             .bytes = bytes,
             .candidates = {{"tenfold", [&] { copy(suite.where(), x, y); }}},
             .poison = [&] { result.poison(); },
             .compare =
                 [&](const std::string& tried) {
                   check("copy", tried, result.fetch().data(), std::ssize(right), 0,
                         [&](std::ptrdiff_t i) {
                           return reference_entry{right[size_of(i)], 0};
                         });
                 }});
}

// ---- another order, sums -----------------------------------------------------------------------

/// x (rows, columns) in memory, which are all of what a case reads.
struct plane {
  index rows, columns;
};
template <class T>
plane plane_of(const device_suite& suite, double share) {
  const index columns = suite.emulated() ? 40 : 1024;
  const auto entries = static_cast<index>(share * static_cast<double>(suite.bytes()) / sizeof(T));
  return {suite.emulated() ? 70 : entries / columns, columns};
}

template <class T>
void run_permutation(device_suite& suite, device_numbers<T>& numbers) {
  if (!suite.begins("ij->ji", scalar_letter<T>, true)) return;
  const device_queue& where = suite.where();
  const plane p = plane_of<T>(suite, 0.5);
  const index count = p.rows * p.columns;
  numbers.restart();
  const T* const x = numbers.take(count);
  device_tensor<T, dyn, dyn> y(where, p.columns, p.rows);
  const double bytes = 2.0 * sizeof(T) * static_cast<double>(count);
  const auto looked_at = sampled_problems(count);
  std::vector<candidate> candidates{
      {"tenfold",
       [&] { einsum<"ij->ji">(where, into(y), there<dyn, dyn>(x, p.rows, p.columns)); }}};
  if (const cutensor* const peer = suite.tensor_peer())
    candidates.push_back({"cutensor", peer->permute<T>({"ij", {p.rows, p.columns}, x},
                                                       {"ji", {p.columns, p.rows}, y.data()})});
  std::vector<std::ptrdiff_t> from;
  for (const std::ptrdiff_t at : looked_at) from.push_back(at % p.rows * p.columns + at / p.rows);
  device_sample<T> result(where, y.data(), 1, looked_at);
  const auto right = device_sample<T>(where, x, 1, from).fetch();
  suite.run({.name = "ij->ji",
             .scalar = scalar_letter<T>,
             .unit = "GB/s",
             .work = bytes,
             .bytes = bytes,
             .candidates = std::move(candidates),
             .poison = [&] { result.poison(); },
             .compare =
                 [&](const std::string& tried) {
                   check("ij->ji", tried, result.fetch().data(), std::ssize(right), 0,
                         [&](std::ptrdiff_t i) {
                           return reference_entry{right[size_of(i)], 0};
                         });
                 }});
}

/// Sums of rows, or of columns, of which one is looked at.
template <class T>
void run_sums(device_suite& suite, device_numbers<T>& numbers, bool of_rows) {
  const std::string name = of_rows ? "ij->i" : "ij->j";
  if (!suite.begins(name, scalar_letter<T>, true)) return;
  const device_queue& where = suite.where();
  const plane p = plane_of<T>(suite, 0.99);
  numbers.restart();
  const T* const x = numbers.take(p.rows * p.columns);
  device_tensor<T, dyn> y(where, of_rows ? p.rows : p.columns);
  const double bytes = sizeof(T) * static_cast<double>(p.rows * p.columns + y.size());
  const std::ptrdiff_t at = y.size() / 3;
  std::vector<std::ptrdiff_t> terms;
  for (std::ptrdiff_t k = 0; k < (of_rows ? p.columns : p.rows); ++k)
    terms.push_back(of_rows ? at * p.columns + k : k * p.columns + at);
  reference_entry right{0, 0};
  const auto summed = device_sample<T>(where, x, 1, terms).fetch();
  for (const T term : summed) {
    right.value += term;
    right.magnitude += std::fabs(term);
  }
  std::vector<candidate> candidates{
      {"tenfold", [&] { einsum(name, where, into(y), there<dyn, dyn>(x, p.rows, p.columns)); }}};
  if (const cutensor* const peer = suite.tensor_peer())
    candidates.push_back({"cutensor", peer->sum<T>({"ij", {p.rows, p.columns}, x},
                                                   {of_rows ? "i" : "j", {y.size()}, y.data()})});
  device_sample<T> result(where, y.data(), 1, {at});
  suite.run({.name = name,
             .scalar = scalar_letter<T>,
             .unit = "GB/s",
             .work = bytes,
             .bytes = bytes,
             .candidates = std::move(candidates),
             .poison = [&] { result.poison(); },
             .compare =
                 [&](const std::string& tried) {
                   check(name, tried, result.fetch().data(), 1, static_cast<double>(terms.size()),
                         [&](std::ptrdiff_t) { return right; });
                 }});
}

// ---- an expression of three steps --------------------------------------------------------------

/// y(e,q,r,s) = sum_{i,j,k} A(q,i) B(r,j) C(k,s) x(e,i,j,k), p nodes and p + 1 points in a
/// direction: a product for each step, all in the memory of the device.
struct three_steps {
  int p;
  index elements;
  const double *a, *b, *c, *x;
  double* y;

  int q() const { return p + 1; }
  std::ptrdiff_t nodes() const { return p * p * p; }
  std::ptrdiff_t points() const { return q() * q() * q(); }
};

void contract(const device_queue& where, const three_steps& t) {
  const int p = t.p, q = t.q();
  einsum<"qi,rj,ks,eijk->eqrs">(where, into(there<dyn, dyn, dyn, dyn>(t.y, t.elements, q, q, q)),
                                there<dyn, dyn>(t.a, q, p), there<dyn, dyn>(t.b, q, p),
                                there<dyn, dyn>(t.c, p, q),
                                there<dyn, dyn, dyn, dyn>(t.x, t.elements, p, p, p));
}

/// The same by a call of cuBLAS for each step, with memory for what is between them. Empty where it
/// has no such call.
std::function<void()> contract_by(const cublas& peer, const device_queue& where,
                                  const three_steps& t) {
  const int p = t.p, q = t.q();
  const auto ijs = std::make_shared<device_tensor<double, dyn>>(where, t.elements * p * p * q);
  const auto irs = std::make_shared<device_tensor<double, dyn>>(where, t.elements * p * q * q);
  const auto step = [&](gemm_batch<double> g, const double* a, const double* b, double* c) {
    g.a = a;
    g.b = b;
    g.c = c;
    return peer.strided(g);
  };
  const auto last =
      step(batch_of<double>(t.elements * p * p, q, p, 1, false), t.x, t.c, ijs->data());
  const auto middle =
      step(batch_of<double>(q, q, p, t.elements * p, true), t.b, ijs->data(), irs->data());
  const auto first = step(batch_of<double>(q, q * q, p, t.elements, true), t.a, irs->data(), t.y);
  if (!last) return {};
  return [=] {
    last();
    middle();
    first();
    (void)ijs, (void)irs;  // kept as long as this
  };
}

/// By a call of cuTENSOR for each step.
std::function<void()> contract_by(const cutensor& peer, const device_queue& where,
                                  const three_steps& t) {
  const index p = t.p, q = t.q(), e = t.elements;
  const auto ijs = std::make_shared<device_tensor<double, dyn>>(where, e * p * p * q);
  const auto irs = std::make_shared<device_tensor<double, dyn>>(where, e * p * q * q);
  const auto last = peer.contract<double>({"eijk", {e, p, p, p}, t.x}, {"ks", {p, q}, t.c},
                                          {"eijs", {e, p, p, q}, ijs->data()});
  const auto middle =
      peer.contract<double>({"rj", {q, p}, t.b}, {"eijs", {e, p, p, q}, ijs->data()},
                            {"eirs", {e, p, q, q}, irs->data()});
  const auto first = peer.contract<double>({"qi", {q, p}, t.a}, {"eirs", {e, p, q, q}, irs->data()},
                                           {"eqrs", {e, q, q, q}, t.y});
  return [=] {
    last();
    middle();
    first();
    (void)ijs, (void)irs;  // kept as long as this
  };
}

reference_entry entry_of(const three_steps& here, std::ptrdiff_t problem, std::ptrdiff_t entry) {
  const int p = here.p, q = here.q();
  const double* const a = here.a + entry / q / q * p;
  const double* const b = here.b + entry / q % q * p;
  const double* const c = here.c + entry % q;
  const double* x = here.x + problem * here.nodes();
  reference_entry sum{0, 0};
  for (int i = 0; i < p; ++i) {
    for (int j = 0; j < p; ++j) {
      for (int k = 0; k < p; ++k) {
        const long double product = static_cast<long double>(a[i]) * b[j] * c[k * q] * *x++;
        sum.value += product;
        sum.magnitude += std::fabs(product);
      }
    }
  }
  return sum;
}

void run_three_steps(device_suite& suite, device_numbers<double>& numbers, int p) {
  const std::string name = "three steps p=" + std::to_string(p);
  if (!suite.begins(name, 'd', p == 4)) return;
  const device_queue& where = suite.where();
  three_steps t{p, 1, nullptr, nullptr, nullptr, nullptr, nullptr};
  const std::ptrdiff_t table = p * t.q();
  const double bytes_each = sizeof(double) * static_cast<double>(t.nodes() + t.points());
  t.elements = suite.problems(bytes_each);
  numbers.restart();
  t.a = numbers.take(table);
  t.b = numbers.take(table);
  t.c = numbers.take(table);
  t.x = numbers.take(t.elements * t.nodes());
  device_tensor<double, dyn> y(where, t.elements * t.points());
  t.y = y.data();

  std::vector<candidate> candidates{{"tenfold", [&] { contract(where, t); }}};
  if (const cublas* const peer = suite.peer()) {
    if (auto pass = contract_by(*peer, where, t)) candidates.push_back({"cublas", std::move(pass)});
  }
  if (const cutensor* const peer = suite.tensor_peer())
    candidates.push_back({"cutensor", contract_by(*peer, where, t)});

  const auto looked_at = sampled_problems(t.elements);
  const auto fetched = [&](const double* from, std::ptrdiff_t size,
                           const std::vector<std::ptrdiff_t>& problems) {
    return device_sample<double>(where, from, size, problems).fetch();
  };
  const auto a = fetched(t.a, table, {0}), b = fetched(t.b, table, {0}),
             c = fetched(t.c, table, {0}), x = fetched(t.x, t.nodes(), looked_at);
  const three_steps here{p, std::ssize(looked_at), a.data(), b.data(), c.data(), x.data(), nullptr};
  device_sample<double> result(where, t.y, t.points(), looked_at);
  const double bytes = bytes_each * static_cast<double>(t.elements);
  suite.run({.name = name,
             .scalar = 'd',
             .unit = "GB/s",
             .work = bytes,
             .bytes = bytes,
             .candidates = std::move(candidates),
             .poison = [&] { result.poison(); },
             .compare =
                 [&](const std::string& tried) {
                   const auto& got = result.fetch();
                   check(name, tried, got.data(), std::ssize(got), 3 * (p + 2),
                         [&](std::ptrdiff_t i) {
                           return entry_of(here, i / t.points(), i % t.points());
                         });
                 }});
}

// ---- bake-off kernels --------------------------------------------------------------------------

void run_kernel(device_suite& suite, device_numbers<double>& numbers, operator_kind kind, int p) {
  const std::string name = bake_off{kind, 1}.name("BK", p);
  if (!suite.begins(name, 'd', p == 4)) return;
  const device_queue& where = suite.where();
  const fem_tables tables(p, kind == operator_kind::collocated);
  const int P = tables.P(), Q = tables.Q();
  tensor<double, dyn, dyn> B_here(Q, P), H_here(Q, Q);
  for (int q = 0; q < Q; ++q) {
    for (int i = 0; i < P; ++i) B_here(q, i) = static_cast<double>(tables.value(q, i));
    for (int r = 0; r < Q; ++r) H_here(q, r) = static_cast<double>(tables.slope(q, r));
  }
  device_tensor<double, dyn, dyn> B(where, Q, P), H(where, Q, Q);
  B.copy_from(B_here);
  H.copy_from(H_here);

  const std::ptrdiff_t nodes = P * P * P, entries = data_entries(kind, p);
  const double bytes_each = element_bytes(kind, p, sizeof(double));
  const index elements = suite.problems(bytes_each);
  numbers.restart();
  const double* const u = numbers.take(elements * nodes);
  const double* const d = numbers.take(elements * entries);
  device_tensor<double, dyn> v(where, elements * nodes);
  const device_elements x{kind, p, elements, u, d, B.data(), H.data(), v.data()};

  const auto looked_at = sampled_problems(elements);
  const auto u_here = device_sample<double>(where, u, nodes, looked_at).fetch();
  const auto d_here = device_sample<double>(where, d, entries, looked_at).fetch();
  std::vector<reference_entry> right;
  for (std::size_t e = 0; e < looked_at.size(); ++e) {
    const auto of_element = [e](const std::vector<double>& all, std::ptrdiff_t size) {
      const auto first = all.begin() + static_cast<std::ptrdiff_t>(e) * size;
      return std::vector<long double>(first, first + size);
    };
    const element_result result =
        apply_to_element(kind, tables, of_element(u_here, nodes), of_element(d_here, entries));
    for (std::size_t i = 0; i < result.value.size(); ++i)
      right.push_back({result.value[i], result.magnitude[i]});
  }
  device_sample<double> result(where, v.data(), nodes, looked_at);
  const auto count = static_cast<double>(elements);
  suite.run({.name = name,
             .scalar = 'd',
             .unit = "GDoF/s",
             .work = count * p * p * p,
             .bytes = count * bytes_each,
             .of_copy = 0.80,
             .candidates = {{"tenfold", [&] { apply(where, x); }}},
             .poison = [&] { result.poison(); },
             .compare =
                 [&](const std::string& tried) {
                   check(name, tried, result.fetch().data(), std::ssize(right),
                         element_work(kind, p),
                         [&](std::ptrdiff_t i) { return right[size_of(i)]; });
                 }});
}

// ------------------------------------------------------------------------------------------------

template <class T>
void run_copies_and_products(device_suite& suite, device_numbers<T>& numbers) {
  run_copy(suite, numbers);
  run_permutation(suite, numbers);
  run_sums(suite, numbers, true);
  run_sums(suite, numbers, false);
  for (const product_case& x : squares()) run_product<T>(suite, numbers, x);
  if (!suite.emulated()) {  // emulated threads are too slow for them
    for (const product_case& x : large_squares()) run_product<T>(suite, numbers, x);
  }
  for (const product_case& x : other_layouts()) run_product<T>(suite, numbers, x);
  run_variable_products<T>(suite, numbers);
  run_groups<T>(suite, numbers);
  for (const product_case& x : complex_squares()) run_product<std::complex<T>>(suite, numbers, x);
}

int run_all(device_suite& suite) {
  {
    device_numbers<float> numbers(suite.where(), suite.bytes() + room_for_tables);
    run_copies_and_products(suite, numbers);
  }
  device_numbers<double> numbers(suite.where(), suite.bytes() + room_for_tables);
  run_copies_and_products(suite, numbers);
  for (const product_case& shape : finite_elements()) run_product<double>(suite, numbers, shape);
  for (int p = first_fem_degree; p <= last_fem_degree; ++p) run_three_steps(suite, numbers, p);
  for (const operator_kind kind :
       {operator_kind::mass, operator_kind::diffusion, operator_kind::collocated}) {
    for (int p = first_fem_degree; p <= last_fem_degree; ++p) run_kernel(suite, numbers, kind, p);
    for (const int high : {10, 12}) run_kernel(suite, numbers, kind, high);
  }
  return suite.finish();
}

int run_emulated([[maybe_unused]] report& out) {
#if defined(TENFOLD_BENCH_EMULATION)
  emulation::emulated_device machine;
  device_suite suite(out, on(machine));
  return run_all(suite);
#else
  std::fprintf(stderr, "device: --emulated needs a build with the tests (TENFOLD_BUILD_TESTS)\n");
  return 2;
#endif
}

int run_on_gpu(report& out) {
  std::optional<cuda::gpu> gpu;
  try {
    gpu.emplace();
  } catch (const backend_error& missing) {
    std::fprintf(stderr, "%s\n", missing.what());
    std::printf("The suite device is skipped: it has nothing to run on.\n");
    return 0;
  }
  device_suite suite(out, on(*gpu), gpu->name());
  return run_all(suite);
}

}  // namespace
}  // namespace tenfold::bench

int main(int argc, char** argv) {
  using namespace tenfold::bench;
  report out("device", argc, argv);
  try {
    return out.settings().emulated ? run_emulated(out) : run_on_gpu(out);
  } catch (const tenfold::backend_error& failed) {
    std::fprintf(stderr, "\n%s\n", failed.what());
    return 1;
  }
}
