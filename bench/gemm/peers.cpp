#include "gemm/peers.hpp"

#include <algorithm>
#include <sstream>

#include "common/module.hpp"
#include "gemm/libxsmm_module.hpp"
#include "gemm/static_products.hpp"

namespace tenfold::bench {
namespace {

// ---- BLAS: the C interface, row-major ----------------------------------------------------------

constexpr int row_major = 101, no_transpose = 111;

/// Real factors go by value, complex ones by address.
template <class T>
struct factor_of {
  using type = T;
  static T pass(const T& x) { return x; }
};
template <class R>
struct factor_of<std::complex<R>> {
  using type = const void*;
  static const void* pass(const std::complex<R>& x) { return &x; }
};
template <class T>
using factor = typename factor_of<T>::type;

/// `before`, the letter of the scalar, `after`.
template <class T>
std::string name_of(const char* before, const char* after) {
  return std::string(before) + scalar_letter<T> + after;
}

template <class T>
using cblas_gemm = void(int, int, int, int, int, int, factor<T>, const T*, int, const T*, int,
                        factor<T>, T*, int);

template <class T>
void add_loop(std::vector<candidate>& to, const std::string& name, const module& library,
              const gemm_batch<T>& x) {
  const auto f = library.symbol<cblas_gemm<T>>(name_of<T>("cblas_", "gemm").c_str());
  if (f == nullptr) return;
  to.push_back({name, [=] {
                  const T one(1), beta = x.beta;
                  for (std::ptrdiff_t t = 0; t < x.count; ++t) {
                    f(row_major, no_transpose, no_transpose, x.m, x.n, x.k, factor_of<T>::pass(one),
                      x.a + t * x.a_step(), x.k, x.b + t * x.b_size(), x.n,
                      factor_of<T>::pass(beta), x.c + t * x.c_size(), x.n);
                  }
                }});
}

// ---- MKL ---------------------------------------------------------------------------------------

template <class T>
using mkl_batch_strided = void(int, int, int, int, int, int, factor<T>, const T*, int, int,
                               const T*, int, int, factor<T>, T*, int, int, int);
template <class T>
using mkl_jit_create = int(void**, int, int, int, int, int, int, factor<T>, int, int, factor<T>,
                           int);
template <class T>
using mkl_jit_kernel = void(void*, const T*, const T*, T*);
template <class T>
using mkl_jit_pointer = mkl_jit_kernel<T>*(const void*);
/// The factors of a compact product are addresses only where they are complex.
template <class T>
using mkl_compact = void(int, int, int, int, int, int, factor<T>, const real_type<T>*, int,
                         const real_type<T>*, int, factor<T>, real_type<T>*, int, int, int);

template <class T>
void add_mkl(std::vector<candidate>& to, const module& mkl, const gemm_batch<T>& x) {
  if (x.where == storage::interleaved) {
    // Its blocks fill a vector: of this CPU they must be ours.
    constexpr int avx512 = 183;
    const auto format = mkl.symbol<int()>("mkl_get_format_compact");
    const auto f = mkl.symbol<mkl_compact<T>>(name_of<T>("mkl_", "gemm_compact").c_str());
    if (f == nullptr || format == nullptr || format() != avx512) return;
    to.push_back({"mkl compact", [=] {
                    const T one(1), beta = x.beta;
                    f(row_major, no_transpose, no_transpose, x.m, x.n, x.k, factor_of<T>::pass(one),
                      reinterpret_cast<const real_type<T>*>(x.a), x.k,
                      reinterpret_cast<const real_type<T>*>(x.b), x.n, factor_of<T>::pass(beta),
                      reinterpret_cast<real_type<T>*>(x.c), x.n, avx512, static_cast<int>(x.count));
                  }});
    return;
  }
  if (const auto f =
          mkl.symbol<mkl_batch_strided<T>>(name_of<T>("cblas_", "gemm_batch_strided").c_str())) {
    to.push_back({"mkl batch", [=] {
                    const T one(1), beta = x.beta;
                    f(row_major, no_transpose, no_transpose, x.m, x.n, x.k, factor_of<T>::pass(one),
                      x.a, x.k, static_cast<int>(x.a_step()), x.b, x.n,
                      static_cast<int>(x.b_size()), factor_of<T>::pass(beta), x.c, x.n,
                      static_cast<int>(x.c_size()), static_cast<int>(x.count));
                  }});
  }
  const auto create =
      mkl.symbol<mkl_jit_create<T>>(name_of<T>("mkl_cblas_jit_create_", "gemm").c_str());
  const auto get =
      mkl.symbol<mkl_jit_pointer<T>>((name_of<T>("mkl_jit_get_", "gemm") + "_ptr").c_str());
  const auto destroy = mkl.symbol<int(void*)>("mkl_jit_destroy");
  if (create == nullptr || get == nullptr || destroy == nullptr) return;
  const T one(1), beta = x.beta;
  void* jitter = nullptr;
  constexpr int failed = 2;
  if (create(&jitter, row_major, no_transpose, no_transpose, x.m, x.n, x.k, factor_of<T>::pass(one),
             x.k, x.n, factor_of<T>::pass(beta), x.n) == failed)
    return;
  const std::shared_ptr<void> owned(jitter, [destroy](void* p) { destroy(p); });
  to.push_back({"mkl jit", [=, kernel = get(jitter)] {
                  for (std::ptrdiff_t t = 0; t < x.count; ++t) {
                    kernel(owned.get(), x.a + t * x.a_step(), x.b + t * x.b_size(),
                           x.c + t * x.c_size());
                  }
                }});
}

// ---- LIBXSMM -----------------------------------------------------------------------------------

template <class T>
void add_libxsmm(std::vector<candidate>& to, const libxsmm_module& library,
                 const gemm_batch<T>& x) {
  if constexpr (parts_of<T> == 1) {
    const bool packed = x.where == storage::interleaved;
    const int beta = x.beta == T(0) ? 0 : 1;
    const auto width = packed ? static_cast<int>(simd_block<T>) : 1;
    void* kernel = nullptr;
    if (!packed) {
      kernel = library.dispatch(scalar_letter<T>, x.m, x.n, x.k, beta);
    } else if (library.dispatch_packed != nullptr) {
      kernel = library.dispatch_packed(scalar_letter<T>, x.m, x.n, x.k, beta, width);
    }
    if (kernel == nullptr) return;
    const auto bytes = static_cast<std::ptrdiff_t>(sizeof(T)) * width;
    to.push_back({std::string("libxsmm ") + library.version + (packed ? " packed" : ""),
                  [=, run = library.run] {
                    run(kernel, reinterpret_cast<const char*>(x.a),
                        reinterpret_cast<const char*>(x.b), reinterpret_cast<char*>(x.c),
                        x.a_step() * bytes, x.b_size() * bytes, x.c_size() * bytes,
                        x.count / width);
                  }});
  }
}

}  // namespace

struct gemm_peers::libraries {
  libraries() = default;

  module openblas{"TENFOLD_OPENBLAS", {"libopenblas.so.0", "libopenblas.so"}};
  module blis{"TENFOLD_BLIS", {"libblis.so.4", "libblis.so"}};
  module mkl{"TENFOLD_MKL", {"libmkl_rt.so.3", "libmkl_rt.so.2"}};
  std::vector<const libxsmm_module*> libxsmm;
};

gemm_peers::gemm_peers(report& out) {
  choose_blas_settings();
  all_ = std::make_unique<libraries>();
  const auto tell = [&](const char* name, const module& m) {
    if (m) {
      out.note(std::string(name) + " is " + m.path());
    } else {
      out.missing(name);
      if (!m.error().empty()) out.note(m.error());
    }
  };
  tell("openblas", all_->openblas);
  tell("blis", all_->blis);
  tell("mkl", all_->mkl);
  std::istringstream files(TENFOLD_BENCH_LIBXSMM);
  for (std::string file; std::getline(files, file, ':');) {
    const module m(nullptr, {file});
    const auto get = m.symbol<const libxsmm_module*()>("open_libxsmm");
    if (get != nullptr) all_->libxsmm.push_back(get());
  }
  if (all_->libxsmm.empty()) out.missing("libxsmm");
  if (!has_eigen) out.missing("eigen");
}

gemm_peers::~gemm_peers() = default;

template <class T>
std::vector<candidate> gemm_peers::candidates(const gemm_batch<T>& x) const {
  std::vector<candidate> found;
  for (const libxsmm_module* library : all_->libxsmm) add_libxsmm(found, *library, x);
  if (x.where == storage::strided) {
    add_loop(found, "openblas", all_->openblas, x);
    add_loop(found, "blis", all_->blis, x);
  }
  add_mkl(found, all_->mkl, x);
  return found;
}

template std::vector<candidate> gemm_peers::candidates(const gemm_batch<float>&) const;
template std::vector<candidate> gemm_peers::candidates(const gemm_batch<double>&) const;
template std::vector<candidate> gemm_peers::candidates(
    const gemm_batch<std::complex<float>>&) const;
template std::vector<candidate> gemm_peers::candidates(
    const gemm_batch<std::complex<double>>&) const;

std::vector<candidate> gemm_peers::candidates(const std::vector<problem>& problems) const {
  std::vector<candidate> found;
  for (const libxsmm_module* library : all_->libxsmm) {
    found.push_back({std::string("libxsmm ") + library->version, [&problems, library] {
                       for (const problem& p : problems) {
                         library->run(library->dispatch('d', p.m, p.n, p.k, 0),
                                      reinterpret_cast<const char*>(p.a),
                                      reinterpret_cast<const char*>(p.b),
                                      reinterpret_cast<char*>(p.c), 0, 0, 0, 1);
                       }
                     }});
  }
  const auto loop = [&](const char* name, const module& library) {
    const auto f = library.symbol<cblas_gemm<double>>("cblas_dgemm");
    if (f == nullptr) return;
    found.push_back({name, [&problems, f] {
                       for (const problem& p : problems) {
                         f(row_major, no_transpose, no_transpose, p.m, p.n, p.k, 1, p.a, p.k, p.b,
                           p.n, 0, p.c, p.n);
                       }
                     }});
  };
  loop("openblas", all_->openblas);
  loop("blis", all_->blis);
  loop("mkl", all_->mkl);
  return found;
}

}  // namespace tenfold::bench
