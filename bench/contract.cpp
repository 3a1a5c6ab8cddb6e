/// The suite `contract`: tensors that leave the caches. The contractions of TCCG beside other
/// libraries and beside a matrix product of the same m, n and k, and shapes that memory bounds
/// beside its bandwidth.
#include <tenfold/tenfold.hpp>

#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "common/report.hpp"
#include "common/timing.hpp"
#include "contract/contraction.hpp"
#include "contract/peers.hpp"
#include "contract/tccg.hpp"
#include "contract/tiny.hpp"

namespace tenfold::bench {
namespace {

effort effort_of(const report& out) { return {out.settings().quick ? 3 : 5, 0}; }

/// An expression that is planned in each call.
template <class T>
std::function<void()> planned_anew(contraction_data<T>& data) {
  return [&data, text = data.x.text()] {
    if (data.x.b.empty())
      einsum(text, into(data.c), data.a);
    else
      einsum(text, into(data.c), data.a, data.b);
  };
}

/// Beside other libraries, and a matrix product of the same m, n and k.
template <class T>
void run_beside_gemm(report& out, peers& others, const contraction& x) {
  if (!out.settings().wants(x.name + ' ' + scalar_letter<T>)) return;
  out.progress(x.name + ' ' + scalar_letter<T>);
  contraction_data<T> data(x), matrices(x.as_matrices());
  std::vector<candidate> candidates;
  add_checked(candidates, data, "tenfold", planned_anew(data));
  others.add_products(candidates, matrices);
  others.add_contractions(candidates, data);
  const measured t = others.time(candidates, scalar_letter<T>, effort_of(out));
  out.add(rates(x.name, scalar_letter<T>, "strided", "memory", x.flops(), candidates, t.timings,
                out.bound(t.peak, x.flops(), data.bytes(), level::dram)));
}

/// What nearly all bytes of a case are: read, copied to another place, or written.
enum class traffic { read, copied, written };

/// Beside other libraries and the bandwidth of what holds it: of the faster way that streams as the
/// case does.
template <class T>
void run_beside_bandwidth(report& out, peers& others, const contraction& x, traffic most) {
  if (!out.settings().wants(x.name + ' ' + scalar_letter<T>)) return;
  out.progress(x.name + ' ' + scalar_letter<T>);
  contraction_data<T> data(x);
  std::vector<candidate> candidates;
  add_checked(candidates, data, "tenfold", planned_anew(data));
  others.add_contractions(candidates, data);
  const measured t = others.time(candidates, scalar_letter<T>, effort_of(out));
  // Of a diagonal only its entries are touched.
  const index read = x.product(contraction::of(x.a, "", false)) +
                     (x.b.empty() ? 0 : x.product(contraction::of(x.b, "", false)));
  const double bytes = static_cast<double>(sizeof(T)) * static_cast<double>(read + data.c.size());
  const auto l2 = static_cast<double>(out.where().l2);
  const level from = bytes > 64e6 ? level::dram : bytes > l2 ? level::l3 : level::l2;
  const auto faster = [&](stream one, stream other) {
    return out.bandwidth(one, from) > out.bandwidth(other, from) ? one : other;
  };
  const stream way = most == traffic::read     ? stream::read
                     : most == traffic::copied ? faster(stream::copy, stream::copy_nt)
                                               : faster(stream::set, stream::set_nt);
  const limit bound{out.bandwidth(way, from),
                    std::string(stream_names[static_cast<std::size_t>(way)]) + ' ' +
                        level_names[static_cast<std::size_t>(from)]};
  row r = rates(x.name, scalar_letter<T>, "strided", from == level::dram ? "memory" : "cache",
                bytes, candidates, t.timings, bound);
  r.unit = "GB/s";
  out.add(r);
}

/// Tensors of many short labels, as states of qubits: the extents are those of the labels in turn,
/// again and again. Planned once, beside one matrix product of the same sizes, planned once, with
/// the long side in rows and in columns, and beside other libraries.
void run_many_labels(report& out, peers& others, contraction x, const std::string& extents) {
  x.name = "labels " + x.text() + ' ' + extents;
  if (!out.settings().wants(x.name)) return;
  out.progress(x.name);
  for (std::size_t i = 0; i < 26; ++i)
    x.extents[static_cast<char>('a' + i)] = extents[i % extents.size()] - '0';
  contraction rows = x.as_matrices(), columns = rows;
  columns.a = "nk", columns.b = "km", columns.c = "nm";
  contraction_data<double> data(x), one(rows), other(columns);
  const auto planned_once = [](contraction_data<double>& d) {
    return [&d, ready = plan(d.x.text(), into(like(d.c)), like(d.a), like(d.b))] {
      ready(into(d.c), d.a, d.b);
    };
  };
  std::vector<candidate> candidates;
  add_checked(candidates, data, "tenfold", planned_once(data));
  add_checked(candidates, one, "product", planned_once(one));
  add_checked(candidates, other, "turned", planned_once(other));
  others.add_contractions(candidates, data);
  // What another process left in the caches must not count: passes in a row, the first untimed.
  const measured t = others.time(candidates, 'd', {out.settings().quick ? 5 : 9, 0.003});
  out.add(rates(x.name, 'd', "strided", "cache", x.flops(), candidates, t.timings,
                out.bound(t.peak, x.flops(), data.bytes(), level::l2)));
}

/// In both precisions.
void run_bandwidth_cases(report& out, peers& others) {
  const auto run = [&](const contraction& x, traffic most) {
    run_beside_bandwidth<double>(out, others, x, most);
    run_beside_bandwidth<float>(out, others, x, most);
  };
  // 5.2 GB in double precision; less where they do not fit.
  const bool quick = out.settings().quick, fits = out.where().memory > std::size_t{8} << 30;
  const index big = quick ? 64 : fits ? 160 : 96;
  if (!quick && !fits) out.note("jk,ijkl->il has extents of 96: there is no memory for 160.");
  run({"jk,ijkl->il", "jk", "ijkl", "il", {{'i', big}, {'j', big}, {'k', big}, {'l', big}}},
      traffic::read);
  run({"bic,bicf->bif", "bic", "bicf", "bif", {{'b', 4096}, {'i', 16}, {'c', 32}, {'f', 32}}},
      traffic::read);
  run({"ab,cd->abcd", "ab", "cd", "abcd", {{'a', 64}, {'b', 64}, {'c', 64}, {'d', 64}}},
      traffic::written);
  run({"ijk->kji", "ijk", "", "kji", {{'i', 256}, {'j', 256}, {'k', 256}}}, traffic::copied);
  run({"ijk->", "ijk", "", "", {{'i', 512}, {'j', 512}, {'k', 512}}}, traffic::read);
  run({"iij->ij", "iij", "", "ij", {{'i', 1024}, {'j', 1024}}}, traffic::copied);
  // Batches of small matrices: in double precision 256 KiB, then 128 MiB.
  for (const auto& [n, entries] : {std::pair<index, index>{4, 1 << 15},
                                   {13, 1 << 15},
                                   {32, 1 << 15},
                                   {4, 1 << 24},
                                   {13, 1 << 24},
                                   {32, 1 << 24}}) {
    const extents_by_label extents{{'b', entries / (n * n)}, {'i', n}, {'j', n}};
    const std::string order = ' ' + std::to_string(n);
    run({"bij,bj->bi" + order, "bij", "bj", "bi", extents}, traffic::read);
    run({"bij->bi" + order, "bij", "", "bi", extents}, traffic::read);
    run({"bi,bj->bij" + order, "bi", "bj", "bij", extents}, traffic::written);
    run({"bij->bji" + order, "bij", "", "bji", extents}, traffic::copied);
  }
}

void run_label_cases(report& out, peers& others) {
  const std::string state = "abcdefghijklmno";
  run_many_labels(out, others, {"", state, "ph", "abcdefgpijklmno", {}}, "2");
  run_many_labels(out, others, {"", state, "po", "abcdefghijklmnp", {}}, "2");
  run_many_labels(out, others, {"", state, "pqbk", "apcdefghijqlmno", {}}, "2");
  run_many_labels(out, others, {"", state, "pqao", "pbcdefghijklmnq", {}}, "2");
  run_many_labels(out, others, {"", state, "pqrcgl", "abpdefqhijkrmno", {}}, "2");
  run_many_labels(out, others, {"", "abcdefghij", "acegiklmno", "bdfhjklmno", {}}, "234");
  run_many_labels(out, others, {"", "abcdefghij", "kalcmengoi", "bdfhjklmno", {}}, "234");
  run_many_labels(out, others, {"", "abcdefghij", "jlhnfkdmbo", "acegiklmno", {}}, "432");
}

/// Tenfold beside each peer over the rows of TCCG.
void note_geometric_means(report& out) {
  for (const std::string scalar : {"d", "s"}) {
    std::vector<std::string> names;  // in the order of the rows
    std::map<std::string, std::vector<double>> logarithms;
    std::size_t rows = 0;
    for (const row& r : out.rows()) {
      if (r.case_name.rfind("tccg", 0) != 0 || r.scalar != scalar) continue;
      ++rows;
      for (const auto& [name, rate] : r.peers) {
        if (logarithms[name].empty()) names.push_back(name);
        logarithms[name].push_back(std::log(r.tenfold / rate));
      }
    }
    std::string sentence;
    for (const std::string& name : names) {
      const std::vector<double>& all = logarithms[name];
      const double sum = std::accumulate(all.begin(), all.end(), 0.0);
      char text[96];
      std::snprintf(text, sizeof(text), "%s %.2f of %s", sentence.empty() ? "" : ",",
                    std::exp(sum / static_cast<double>(all.size())), name.c_str());
      sentence += text;
      if (all.size() < rows) sentence += " in " + std::to_string(all.size()) + " rows";
    }
    if (rows > 0) out.note("tccg " + scalar + ", geometric mean of ratios:" + sentence);
  }
}

int run(int argc, char** argv) {
  report out("contract", argc, argv);
  out.measure_machine();
  peers others(out);
  for (const tccg_case& x : tccg(out.settings().quick ? 1.5e9 : 6e10)) {
    run_beside_gemm<double>(out, others, x.d);
    run_beside_gemm<float>(out, others, x.s);
  }
  run_beside_gemm<double>(
      out, others,
      {"ipx,iqx->pq", "ipx", "iqx", "pq", {{'i', 1000}, {'p', 32}, {'q', 32}, {'x', 64}}});
  run_bandwidth_cases(out, others);
  run_label_cases(out, others);
  run_tiny(out);
  note_geometric_means(out);
  return out.finish() ? 0 : 1;
}

}  // namespace
}  // namespace tenfold::bench

int main(int argc, char** argv) { return tenfold::bench::run(argc, argv); }
