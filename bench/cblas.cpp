/// The suite `cblas`: batches called through C, beside the same call of C++ and the batches of
/// other libraries.
#include <tenfold_cblas.h>

#include <tenfold/batched_blas.hpp>

#include <complex>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/buffer.hpp"
#include "common/module.hpp"
#include "common/report.hpp"
#include "common/timing.hpp"
#include "gemm/batch_data.hpp"

namespace tenfold::bench {
namespace {

/// The functions of the C interface.
template <class T>
struct c_names;
template <>
struct c_names<double> {
  static constexpr auto* batch = cblas_dgemm_batch;
  static constexpr auto* strided = cblas_dgemm_batch_strided;
};
template <>
struct c_names<float> {
  static constexpr auto* batch = cblas_sgemm_batch;
  static constexpr auto* strided = cblas_sgemm_batch_strided;
};
template <>
struct c_names<std::complex<double>> {
  static constexpr auto* batch = cblas_zgemm_batch;
  static constexpr auto* strided = cblas_zgemm_batch_strided;
};
template <>
struct c_names<std::complex<float>> {
  static constexpr auto* batch = cblas_cgemm_batch;
  static constexpr auto* strided = cblas_cgemm_batch_strided;
};

/// Entries in a C list of arguments: those of complex numbers have no type, and a factor of them is
/// passed by address.
template <class T>
using c_entry = std::conditional_t<parts_of<T> == 2, void, T>;

template <class T>
auto passed(const T& factor) {
  if constexpr (parts_of<T> == 2) {
    return static_cast<const void*>(&factor);
  } else {
    return factor;
  }
}

struct library {
  const char* name;
  module file;
};

/// Row-major n x n times n x n, one after the other, alpha = 1 and beta = 0, and the list of their
/// addresses.
template <class T>
struct squares {
  explicit squares(int n, int count)
      : order(n), a_(entries(n, count)), b_(entries(n, count)), c_(entries(n, count)) {
    a_.fill(1);
    b_.fill(2);
    c_.fill(3);
    batch.m = batch.n = batch.k = n;
    batch.count = count;
    batch.a = reinterpret_cast<const T*>(a_.data());
    batch.b = reinterpret_cast<const T*>(b_.data());
    batch.c = reinterpret_cast<T*>(c_.data());
    for (std::ptrdiff_t p = 0; p < count; ++p) {
      a.push_back(batch.a + p * batch.a_size());
      b.push_back(batch.b + p * batch.b_size());
      c.push_back(batch.c + p * batch.c_size());
    }
  }

  int order;
  gemm_batch<T> batch;
  std::vector<const T*> a, b;
  std::vector<T*> c;

 private:
  static std::size_t entries(int n, int count) {
    return static_cast<std::size_t>(n) * static_cast<std::size_t>(n) *
           static_cast<std::size_t>(count) * parts_of<T>;
  }
  buffer<real_type<T>> a_, b_, c_;
};

template <class T, class F>
candidate strided_candidate(const char* name, F* f, const squares<T>& x) {
  return {name, [f, &x] {
            const int n = x.order;
            const T one(1), zero(0);
            f(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, passed(one), x.batch.a, n, n * n,
              x.batch.b, n, n * n, passed(zero), x.batch.c, n, n * n,
              static_cast<int>(x.batch.count));
          }};
}

template <class T, class F>
candidate batch_candidate(const char* name, F* f, squares<T>& x) {
  return {name, [f, &x] {
            const CBLAS_TRANSPOSE plain = CblasNoTrans;
            const int n = x.order, count = static_cast<int>(x.batch.count);
            const T one(1), zero(0);
            f(CblasRowMajor, &plain, &plain, &n, &n, &n, &one,
              reinterpret_cast<const c_entry<T>**>(x.a.data()), &n,
              reinterpret_cast<const c_entry<T>**>(x.b.data()), &n, &zero,
              reinterpret_cast<c_entry<T>**>(x.c.data()), &n, 1, &count);
          }};
}

/// The call through C first, then that of C++, then the libraries that have such a batch.
template <class T>
std::vector<candidate> candidates_of(const std::vector<library>& libraries, squares<T>& x,
                                     bool strided) {
  using names = c_names<T>;
  std::vector<candidate> all;
  if (strided) {
    all.push_back(strided_candidate("tenfold", names::strided, x));
    all.push_back({"c++", [&x] {
                     const int n = x.order;
                     gemm(order::row_major, op::none, op::none, n, n, n, T(1), x.batch.a, n, n * n,
                          x.batch.b, n, n * n, T(0), x.batch.c, n, n * n, x.batch.count);
                   }});
  } else {
    all.push_back(batch_candidate("tenfold", names::batch, x));
    all.push_back({"c++", [&x] {
                     const int n = x.order;
                     gemm(order::row_major, op::none, op::none, n, n, n, T(1), x.a.data(), n,
                          x.b.data(), n, T(0), x.c.data(), n, x.batch.count);
                   }});
  }
  const std::string name =
      std::string("cblas_") + scalar_letter<T> + "gemm_batch" + (strided ? "_strided" : "");
  for (const library& l : libraries) {
    // Complex batches of OpenBLAS 0.3.31 fail the check of results, which those of MKL, called
    // alike, pass; that would end the suite.
    if (parts_of<T> == 2 && std::string_view(l.name) == "openblas") continue;
    if (strided) {
      using function = std::remove_pointer_t<decltype(names::strided)>;
      if (auto* const f = l.file.symbol<function>(name.c_str()))
        all.push_back(strided_candidate(l.name, f, x));
    } else {
      using function = std::remove_pointer_t<decltype(names::batch)>;
      if (auto* const f = l.file.symbol<function>(name.c_str()))
        all.push_back(batch_candidate(l.name, f, x));
    }
  }
  return all;
}

template <class T>
void run_case(report& out, const std::vector<library>& libraries, int n, int count, bool strided) {
  const std::string name = "cblas n=" + std::to_string(n) + " batch=" + std::to_string(count);
  const char* const layout = strided ? "strided" : "pointers";
  const std::string label = name + ' ' + scalar_letter<T> + ' ' + layout;
  if (!out.settings().wants(label)) return;
  out.progress(label);
  squares<T> x(n, count);
  const std::vector<candidate> candidates = candidates_of(libraries, x, strided);

  std::vector<std::ptrdiff_t> checked;
  for (std::ptrdiff_t p = 0; p < count; p += count / 100) checked.push_back(p);
  checked.push_back(count - 1);
  const expected<T> right(x.batch, std::move(checked));
  for (const candidate& tried : candidates) {
    right.prepare();
    tried.pass();
    right.compare(name, tried.name);
  }

  const auto bytes = static_cast<std::size_t>(x.batch.bytes());
  const level where = bytes <= out.where().l2   ? level::l2
                      : bytes <= out.where().l3 ? level::l3
                                                : level::dram;
  const effort e{out.settings().quick ? 7 : 31, 0.002};
  const measured m = out.time(candidates, scalar_letter<T>, e);
  out.add(rates(name, scalar_letter<T>, layout, where == level::dram ? "memory" : "cache",
                x.batch.flops(), candidates, m.timings,
                out.bound(m.peak, x.batch.flops(), x.batch.bytes(), where)));
}

template <class T>
void run_all(report& out, const std::vector<library>& libraries) {
  for (const bool strided : {true, false}) {
    for (const int count : {1000, 10000}) {
      if (out.settings().quick && count > 1000) continue;
      for (const int n : {2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32}) {
        const bool is_power = (n & (n - 1)) == 0;
        if (!out.settings().quick || is_power) run_case<T>(out, libraries, n, count, strided);
      }
    }
  }
}

}  // namespace
}  // namespace tenfold::bench

int main(int argc, char** argv) {
  using namespace tenfold::bench;
  report out("cblas", argc, argv);
  out.measure_machine();
  choose_blas_settings();
  std::vector<library> libraries;
  libraries.push_back({"mkl", {"TENFOLD_MKL", {"libmkl_rt.so.3", "libmkl_rt.so.2"}}});
  libraries.push_back({"openblas", {"TENFOLD_OPENBLAS", {"libopenblas.so.0", "libopenblas.so"}}});
  libraries.push_back({"blis", {"TENFOLD_BLIS", {"libblis.so.4", "libblis.so"}}});
  for (const library& l : libraries) {
    if (l.file.symbol<void()>("cblas_dgemm_batch") != nullptr) {
      out.note(std::string(l.name) + " is " + l.file.path());
    } else {
      out.missing(l.name);
    }
  }
  run_all<double>(out, libraries);
  run_all<float>(out, libraries);
  run_all<std::complex<double>>(out, libraries);
  run_all<std::complex<float>>(out, libraries);
  return out.finish() ? 0 : 1;
}
