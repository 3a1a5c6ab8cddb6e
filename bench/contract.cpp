/// The suite `contract`: tensors that leave the caches. The contractions of TCCG beside a matrix
/// product of the same m, n and k, and shapes that memory bounds beside its bandwidth.
#include <tenfold/tenfold.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "common/buffer.hpp"
#include "common/check.hpp"
#include "common/module.hpp"
#include "common/report.hpp"
#include "common/timing.hpp"
#include "contract/tiny.hpp"

namespace tenfold::bench {
namespace {

using extents_by_label = std::map<char, index>;

/// Two operands, or one, and a result, row-major.
struct contraction {
  std::string name, a, b, c;  ///< b may be empty
  extents_by_label extents;

  std::string text() const { return a + (b.empty() ? "" : "," + b) + "->" + c; }
  index product(const std::string& labels) const {
    index n = 1;
    for (const char l : labels) n *= extents.at(l);
    return n;
  }
  /// Labels of x that y has, or has not, each once.
  static std::string of(const std::string& x, const std::string& y, bool shared) {
    std::string some;
    for (const char l : x)
      if ((y.find(l) != std::string::npos) == shared && some.find(l) == std::string::npos)
        some += l;
    return some;
  }
  std::string all() const { return a + of(b, a, false); }
  index m() const { return product(of(of(a, b, false), c, true)); }
  index n() const { return product(of(of(b, a, false), c, true)); }
  index k() const { return product(of(all(), c, false)); }
  double flops() const { return 2.0 * static_cast<double>(product(of(all(), "", false))); }
};

template <class T>
dynamic_tensor<T> tensor_over(const contraction& x, const std::string& labels, std::uint64_t seed) {
  operand_shape<max_rank> shape;
  shape.type = scalar_of<T>;
  shape.rank = static_cast<int>(labels.size());
  index stride = 1;
  for (std::size_t i = labels.size(); i-- > 0;) {
    shape.extents[i] = x.extents.at(labels[i]);
    shape.strides[i] = stride;
    stride *= shape.extents[i];
  }
  dynamic_tensor<T> t(shape);
  buffer<T> line(4096);
  line.fill(seed);
  for (index i = 0; i < t.size(); ++i)
    t.data()[i] = line[static_cast<std::size_t>((i + i / 4096) % 4096)];
  return t;
}

/// Some entries of the result against plain loops in long double.
template <class T>
void check_entries(const contraction& x, const dynamic_tensor<T>& a, const dynamic_tensor<T>& b,
                   const dynamic_tensor<T>& c) {
  const auto stride_in = [](const auto& t, const std::string& labels, char l) {
    index s = 0;
    for (std::size_t i = 0; i < labels.size(); ++i)
      if (labels[i] == l) s += t.stride(static_cast<int>(i));
    return s;
  };
  const std::string sums = contraction::of(x.all(), x.c, false);
  const index count = x.k();
  for (index some = 0; some < 64; ++some) {
    index entry = c.size() <= 64 ? some % c.size() : some * (c.size() - 1) / 63;
    const index result = entry;
    index in_a = 0, in_b = 0;
    for (std::size_t i = x.c.size(); i-- > 0;) {
      const index at = entry % x.extents.at(x.c[i]);
      entry /= x.extents.at(x.c[i]);
      in_a += at * stride_in(a, x.a, x.c[i]);
      in_b += at * stride_in(b, x.b, x.c[i]);
    }
    reference_entry want{0, 0};
    for (index k = 0; k < count; ++k) {
      index left = k, ka = in_a, kb = in_b;
      for (const char l : sums) {
        const index at = left % x.extents.at(l);
        left /= x.extents.at(l);
        ka += at * stride_in(a, x.a, l);
        kb += at * stride_in(b, x.b, l);
      }
      const long double p = static_cast<long double>(a.data()[ka]) *
                            (x.b.empty() ? 1 : static_cast<long double>(b.data()[kb]));
      want.value += p;
      want.magnitude += std::fabs(p);
    }
    check(x.text(), "tenfold", c.data() + result, 1, static_cast<double>(count + 2),
          [&](std::ptrdiff_t) { return want; });
    if (count > 100000000 && some >= 1) return;
  }
}

// ---- a matrix product of the same sizes ---------------------------------------------------------

template <class T>
using cblas_gemm = void(int, int, int, int, int, int, T, const T*, int, const T*, int, T, T*, int);

struct gemm_library {
  std::string name;
  module library;

  template <class T>
  cblas_gemm<T>* product() const {
    return library.template symbol<cblas_gemm<T>>(sizeof(T) == 8 ? "cblas_dgemm" : "cblas_sgemm");
  }
};

std::vector<gemm_library> open_libraries(report& out) {
  choose_blas_settings();
  std::vector<gemm_library> all;
  all.push_back({"openblas", {"TENFOLD_OPENBLAS", {"libopenblas.so.0", "libopenblas.so"}}});
  all.push_back({"blis", {"TENFOLD_BLIS", {"libblis.so.4", "libblis.so"}}});
  all.push_back({"mkl", {"TENFOLD_MKL", {"libmkl_rt.so.3", "libmkl_rt.so.2"}}});
  for (const gemm_library& l : all) {
    if (l.library.symbol<void>("cblas_dgemm") == nullptr) {
      out.missing(l.name);
    } else if (const auto core = l.library.symbol<char*()>("openblas_get_corename")) {
      out.note(l.name + " multiplies as for " + core());
    }
  }
  return all;
}

// ---- cases --------------------------------------------------------------------------------------

effort effort_of(const report& out) { return {out.settings().quick ? 3 : 5, 0}; }

/// Beside a matrix product of the same m, n and k.
template <class T>
void run_beside_gemm(report& out, const std::vector<gemm_library>& libraries,
                     const contraction& x) {
  if (!out.settings().wants(x.name + ' ' + scalar_letter<T>)) return;
  out.progress(x.name + ' ' + scalar_letter<T>);
  const auto a = tensor_over<T>(x, x.a, 1), b = tensor_over<T>(x, x.b, 2);
  auto c = tensor_over<T>(x, x.c, 3);
  const index m = x.m(), n = x.n(), k = x.k();
  buffer<T> ga(static_cast<std::size_t>(m * k)), gb(static_cast<std::size_t>(k * n)),
      gc(static_cast<std::size_t>(m * n));
  ga.fill(1);
  gb.fill(2);
  gc.fill(3);
  const std::string text = x.text();
  std::vector<candidate> candidates{{"tenfold", [&] { einsum(text, into(c), a, b); }}};
  for (const gemm_library& l : libraries) {
    const auto f = l.product<T>();
    if (f == nullptr) continue;
    candidates.push_back({l.name, [&, f] {
                            constexpr int row_major = 101, plain = 111;
                            f(row_major, plain, plain, static_cast<int>(m), static_cast<int>(n),
                              static_cast<int>(k), T(1), ga.data(), static_cast<int>(k), gb.data(),
                              static_cast<int>(n), T(0), gc.data(), static_cast<int>(n));
                          }});
  }
  candidates[0].pass();
  check_entries(x, a, b, c);
  const measured t = out.time(candidates, scalar_letter<T>, effort_of(out));
  const double bytes =
      static_cast<double>(sizeof(T)) * static_cast<double>(a.size() + b.size() + c.size());
  out.add(rates(x.name, scalar_letter<T>, "strided", "memory", x.flops(), candidates, t.timings,
                out.bound(t.peak, x.flops(), bytes, level::dram)));
}

/// What nearly all bytes of a case are: read, copied to another place, or written.
enum class traffic { read, copied, written };

/// Beside the bandwidth of memory: of the faster way that streams as the case does.
void run_beside_bandwidth(report& out, const contraction& x, traffic most) {
  if (!out.settings().wants(x.name + " d")) return;
  out.progress(x.name);
  const auto a = tensor_over<double>(x, x.a, 1), b = tensor_over<double>(x, x.b, 2);
  auto c = tensor_over<double>(x, x.c, 3);
  const std::string text = x.text();
  const std::vector<candidate> candidates{{"tenfold", [&] {
                                             if (x.b.empty())
                                               einsum(text, into(c), a);
                                             else
                                               einsum(text, into(c), a, b);
                                           }}};
  candidates[0].pass();
  check_entries(x, a, b, c);
  const measured t = out.time(candidates, 'd', effort_of(out));
  // Of a diagonal only its entries are touched.
  const index read = x.product(contraction::of(x.a, "", false)) +
                     (x.b.empty() ? 0 : x.product(contraction::of(x.b, "", false)));
  const double bytes = 8.0 * static_cast<double>(read + c.size());
  const level from = bytes > 64e6 ? level::dram : level::l3;
  const auto faster = [&](stream one, stream other) {
    return out.bandwidth(one, from) > out.bandwidth(other, from) ? one : other;
  };
  const stream way = most == traffic::read     ? stream::read
                     : most == traffic::copied ? faster(stream::copy, stream::copy_nt)
                                               : faster(stream::set, stream::set_nt);
  row r;
  r.case_name = x.name;
  r.scalar = "d";
  r.layout = "strided";
  r.where = from == level::dram ? "memory" : "cache";
  r.unit = "GB/s";
  r.tenfold = 1e-9 * bytes / t.timings[0].seconds;
  r.bound = {out.bandwidth(way, from), std::string(stream_names[static_cast<std::size_t>(way)]) +
                                           ' ' + level_names[static_cast<std::size_t>(from)]};
  r.spread = t.timings[0].spread;
  out.add(r);
}

/// Tensors of many short labels, as states of qubits: the extents are those of the labels in turn,
/// again and again. Planned once, beside one matrix product of the same sizes, planned once, with
/// the long side in rows and in columns.
void run_many_labels(report& out, contraction x, const std::string& extents) {
  x.name = "labels " + x.text() + ' ' + extents;
  if (!out.settings().wants(x.name)) return;
  out.progress(x.name);
  for (std::size_t i = 0; i < 26; ++i)
    x.extents[static_cast<char>('a' + i)] = extents[i % extents.size()] - '0';
  const auto a = tensor_over<double>(x, x.a, 1), b = tensor_over<double>(x, x.b, 2);
  auto c = tensor_over<double>(x, x.c, 3);
  const contraction rows{"", "mk", "kn", "mn", {{'m', x.m()}, {'n', x.n()}, {'k', x.k()}}};
  const contraction columns{"", "nk", "km", "nm", rows.extents};
  const auto planned = [](const contraction& y, const auto& u, const auto& v, const auto& w) {
    return plan(y.text(), into(like(w)), like(u), like(v));
  };
  const auto a1 = tensor_over<double>(rows, rows.a, 1), b1 = tensor_over<double>(rows, rows.b, 2),
             a2 = tensor_over<double>(columns, columns.a, 1),
             b2 = tensor_over<double>(columns, columns.b, 2);
  auto c1 = tensor_over<double>(rows, rows.c, 3), c2 = tensor_over<double>(columns, columns.c, 3);
  const auto ours = planned(x, a, b, c), one = planned(rows, a1, b1, c1),
             other = planned(columns, a2, b2, c2);
  const std::vector<candidate> candidates{{"tenfold", [&] { ours(into(c), a, b); }},
                                          {"product", [&] { one(into(c1), a1, b1); }},
                                          {"turned", [&] { other(into(c2), a2, b2); }}};
  candidates[0].pass();
  check_entries(x, a, b, c);
  const measured t = out.time(candidates, 'd', effort_of(out));
  const double bytes = 8 * static_cast<double>(a.size() + b.size() + c.size());
  out.add(rates(x.name, 'd', "strided", "cache", x.flops(), candidates, t.timings,
                out.bound(t.peak, x.flops(), bytes, level::l2)));
}

std::string reversed(const std::string& s) { return {s.rbegin(), s.rend()}; }

/// The list of TCCG: extents in double and in single precision.
std::vector<std::pair<contraction, contraction>> tccg(double scale) {
  const std::string file = TENFOLD_BENCH_DATA "/tccg.txt";
  std::ifstream in(file);
  if (!in) {
    std::fprintf(stderr, "contract: cannot read %s\n", file.c_str());
    std::exit(2);
  }
  std::vector<std::pair<contraction, contraction>> all;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string labels, single, semicolon, twice;
    words >> labels >> single >> semicolon >> twice;
    std::istringstream parts(labels);
    contraction x;
    std::getline(parts, x.c, '-');
    std::getline(parts, x.a, '-');
    std::getline(parts, x.b, '-');
    x.name = "tccg " + labels;
    // Column-major: the other way round.
    for (std::string* s : {&x.a, &x.b, &x.c}) *s = reversed(*s);
    const auto with = [&](const std::string& numbers) {
      contraction y = x;
      std::istringstream list(numbers);
      char label = 'a';
      // The one matrix product of the list takes seconds: a third of each extent.
      const double by = labels == "ab-ac-cb" ? scale / 3 : scale;
      for (std::string n; std::getline(list, n, ','); ++label)
        y.extents[label] = std::max<index>(4, static_cast<index>(std::stod(n) * by));
      return y;
    };
    all.emplace_back(with(twice), with(single));
  }
  return all;
}

double geometric_mean(const report& out, const std::string& scalar, const std::string& peer) {
  double sum = 0;
  int count = 0;
  for (const row& r : out.rows()) {
    if (r.case_name.rfind("tccg", 0) != 0 || r.scalar != scalar) continue;
    for (const auto& [name, rate] : r.peers) {
      if (name != peer) continue;
      sum += std::log(r.tenfold / rate);
      ++count;
    }
  }
  return count == 0 ? 0 : std::exp(sum / count);
}

int run(int argc, char** argv) {
  report out("contract", argc, argv);
  out.measure_machine();
  const std::vector<gemm_library> libraries = open_libraries(out);
  const bool quick = out.settings().quick;
  for (const auto& [twice, single] : tccg(quick ? 0.5 : 1)) {
    run_beside_gemm<double>(out, libraries, twice);
    run_beside_gemm<float>(out, libraries, single);
  }
  const index big = quick ? 64 : 96;
  run_beside_gemm<double>(
      out, libraries,
      {"ipx,iqx->pq", "ipx", "iqx", "pq", {{'i', 1000}, {'p', 32}, {'q', 32}, {'x', 64}}});
  run_beside_bandwidth(
      out, {"jk,ijkl->il", "jk", "ijkl", "il", {{'i', big}, {'j', big}, {'k', big}, {'l', big}}},
      traffic::read);
  run_beside_bandwidth(
      out, {"bic,bicf->bif", "bic", "bicf", "bif", {{'b', 4096}, {'i', 16}, {'c', 32}, {'f', 32}}},
      traffic::read);
  run_beside_bandwidth(
      out, {"ab,cd->abcd", "ab", "cd", "abcd", {{'a', 64}, {'b', 64}, {'c', 64}, {'d', 64}}},
      traffic::written);
  run_beside_bandwidth(out, {"ijk->kji", "ijk", "", "kji", {{'i', 256}, {'j', 256}, {'k', 256}}},
                       traffic::copied);
  run_beside_bandwidth(out, {"ijk->", "ijk", "", "", {{'i', 512}, {'j', 512}, {'k', 512}}},
                       traffic::read);
  run_beside_bandwidth(out, {"iij->ij", "iij", "", "ij", {{'i', 1024}, {'j', 1024}}},
                       traffic::copied);
  const std::string state = "abcdefghijklmno";
  run_many_labels(out, {"", state, "ph", "abcdefgpijklmno", {}}, "2");
  run_many_labels(out, {"", state, "po", "abcdefghijklmnp", {}}, "2");
  run_many_labels(out, {"", state, "pqbk", "apcdefghijqlmno", {}}, "2");
  run_many_labels(out, {"", state, "pqao", "pbcdefghijklmnq", {}}, "2");
  run_many_labels(out, {"", state, "pqrcgl", "abpdefqhijkrmno", {}}, "2");
  run_many_labels(out, {"", "abcdefghij", "acegiklmno", "bdfhjklmno", {}}, "234");
  run_many_labels(out, {"", "abcdefghij", "kalcmengoi", "bdfhjklmno", {}}, "234");
  run_many_labels(out, {"", "abcdefghij", "jlhnfkdmbo", "acegiklmno", {}}, "432");
  run_tiny(out);
  for (const gemm_library& l : libraries) {
    for (const char* scalar : {"d", "s"}) {
      const double mean = geometric_mean(out, scalar, l.name);
      if (mean == 0) continue;
      char text[96];
      std::snprintf(text, sizeof(text), "tccg %s: %.2f of %s's matrix products in geometric mean",
                    scalar, mean, l.name.c_str());
      out.note(text);
    }
  }
  return out.finish() ? 0 : 1;
}

}  // namespace
}  // namespace tenfold::bench

int main(int argc, char** argv) { return tenfold::bench::run(argc, argv); }
