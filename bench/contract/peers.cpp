#include "contract/peers.hpp"

#include <memory>

#include "contract/cblas.hpp"
#include "contract/eigen_tensor.hpp"
#include "contract/ttgt.hpp"

namespace tenfold::bench {

peers::peers(report& out) : out_(out) {
  choose_blas_settings();
  gemm_libraries_.push_back(
      {"openblas", {"TENFOLD_OPENBLAS", {"libopenblas.so.0", "libopenblas.so"}}});
  gemm_libraries_.push_back({"blis", {"TENFOLD_BLIS", {"libblis.so.4", "libblis.so"}}});
  gemm_libraries_.push_back({"mkl", {"TENFOLD_MKL", {"libmkl_rt.so.3", "libmkl_rt.so.2"}}});
  for (const gemm_library& l : gemm_libraries_) {
    if (gemm_of<double>(l.library) == nullptr) {
      out.missing(l.name);
    } else if (const auto core = l.library.symbol<char*()>("openblas_get_corename")) {
      out.note(l.name + " multiplies as for " + core());
    }
  }
  if (gemm_of<double>(gemm_libraries_.front().library) == nullptr) out.missing("ttgt");
  const std::string file = TENFOLD_BENCH_TBLIS;  // empty where CMake did not find it
  const module tblis(nullptr, file.empty() ? std::vector<std::string>{} : std::vector{file});
  if (const auto open = tblis.symbol<const tblis_module*()>("open_tblis")) {
    tblis_ = open();
    out.note(std::string("tblis ") + tblis_->version);
  } else {
    out.missing("tblis");
  }
  if (!has_eigen_tensor) out.missing("eigen tensor");
}

template <class T>
void peers::add_products(std::vector<candidate>& to, contraction_data<T>& matrices) const {
  for (const gemm_library& l : gemm_libraries_) {
    const auto gemm = gemm_of<T>(l.library);
    if (gemm == nullptr) continue;
    add_checked(to, matrices, l.name, [&matrices, gemm] {
      multiply(gemm, matrices.x.m(), matrices.x.n(), matrices.x.k(), matrices.a.data(), order::rows,
               matrices.b.data(), order::rows, matrices.c.data());
    });
  }
}

template <class T>
void peers::add_contractions(std::vector<candidate>& to, contraction_data<T>& data) {
  add_tblis(to, data);
  if (auto pass = eigen_contraction(data)) add_checked(to, data, "eigen tensor", std::move(pass));
  // The others copy operands: those of Python into its own arrays and again where a library turns
  // them, TTGT into matrices.
  if (10 * data.bytes() > static_cast<double>(out_.where().memory)) {
    out_.note(data.x.name + ' ' + scalar_letter<T> +
              ": no memory for the copies that ttgt, numpy, torch and jax make.");
    return;
  }
  add_ttgt(to, data);
  add_python(to, data);
}

template <class T>
void peers::add_tblis(std::vector<candidate>& to, contraction_data<T>& data) const {
  if (tblis_ == nullptr) return;
  const auto operand = [](const std::string& labels, const dynamic_tensor<T>& t) {
    return tblis_operand{const_cast<T*>(t.data()), labels.c_str(), t.shape().extents.data(),
                         t.shape().strides.data(), static_cast<unsigned>(t.rank())};
  };
  const tblis_operand a = operand(data.x.a, data.a), b = operand(data.x.b, data.b),
                      c = operand(data.x.c, data.c);
  if (data.x.b.empty())
    add_checked(to, data, "tblis", [=, this] { tblis_->assign(scalar_letter<T>, a, c); });
  else
    add_checked(to, data, "tblis", [=, this] { tblis_->multiply(scalar_letter<T>, a, b, c); });
}

template <class T>
void peers::add_ttgt(std::vector<candidate>& to, contraction_data<T>& data) const {
  const auto gemm = gemm_of<T>(gemm_libraries_.front().library);
  if (gemm == nullptr || !data.x.is_matrix_product()) return;
  const auto all = std::make_shared<ttgt<T>>(data, gemm);
  add_checked(to, data, "ttgt", [all] { (*all)(); });
}

void peers::start_python() {
  if (python_started_) return;
  python_started_ = true;
  std::string there;
  for (const python_peers::library& l : python_.libraries())
    there += (there.empty() ? "" : ", ") + l.name + ' ' + l.version;
  if (!there.empty()) out_.note("Python: " + there);
  for (const std::string name : {"numpy", "torch", "jax"})
    if (there.find(name + ' ') == std::string::npos) out_.missing(name);
}

template <class T>
void peers::add_python(std::vector<candidate>& to, contraction_data<T>& data) {
  start_python();
  if (python_.libraries().empty() || python_.end()) return;
  const std::string not_loaded = python_.load(data);
  for (const auto& [name, version] : python_.libraries()) {
    data.poison();
    std::string why = not_loaded;
    if (why.empty()) why = python_.run(name);
    if (why.empty()) why = python_.fetch(data.c);
    if (python_.end()) return note_end();
    if (!why.empty()) {
      out_.note(name + " did not compute " + data.x.text() + ": " + why);
      continue;
    }
    data.check_entries(name);
    to.push_back({name, [this, library = name] { python_.run(library); },
                  [this] { return python_.seconds(); }});
  }
}

void peers::note_end() {
  out_.note("The process of numpy, torch and jax " + *python_.end() +
            ": later rows are without them.");
}

measured peers::time(std::vector<candidate>& candidates, char scalar, effort e) {
  const bool ended_before = python_.end().has_value();
  measured t = out_.time(candidates, scalar, e);
  python_.forget();
  if (!python_.end()) return t;
  if (!ended_before) note_end();
  for (std::size_t i = candidates.size(); i-- > 0;) {
    if (!candidates[i].clock) continue;
    candidates.erase(candidates.begin() + static_cast<std::ptrdiff_t>(i));
    t.timings.erase(t.timings.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return t;
}

template void peers::add_products(std::vector<candidate>&, contraction_data<double>&) const;
template void peers::add_products(std::vector<candidate>&, contraction_data<float>&) const;
template void peers::add_contractions(std::vector<candidate>&, contraction_data<double>&);
template void peers::add_contractions(std::vector<candidate>&, contraction_data<float>&);

}  // namespace tenfold::bench
