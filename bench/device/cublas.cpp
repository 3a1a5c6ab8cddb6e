#include "device/cublas.hpp"

#include <complex>
#include <string>
#include <vector>

#include "device/lists.hpp"

// The declarations are those of cublas_api.h: operations are enumerations of ints, 0 is none; every
// result but 0 is an error.
namespace tenfold::bench {
namespace {

constexpr int none = 0;

using create_function = int(void** handle);
using destroy_function = int(void* handle);
using set_stream_function = int(void* handle, void* stream);

template <class T>
using strided_function = int(void* handle, int op_a, int op_b, int m, int n, int k, const T* alpha,
                             const T* a, int lda, long long stride_a, const T* b, int ldb,
                             long long stride_b, const T* beta, T* c, int ldc, long long stride_c,
                             int count);

/// The lists of addresses lie on the device, all else on the host.
template <class T>
using grouped_function = int(void* handle, const int* op_a, const int* op_b, const int* m,
                             const int* n, const int* k, const T* alpha, const T* const* a,
                             const int* lda, const T* const* b, const int* ldb, const T* beta,
                             T* const* c, const int* ldc, int groups, const int* group_size);

void require(int status, const char* call) {
  if (status != 0)
    throw backend_error(std::string("cuBLAS: ") + call + " gave status " + std::to_string(status));
}

}  // namespace

cublas::cublas(report& out, const device_queue& where)
    : where_(where), library_("TENFOLD_CUBLAS", {"libcublas.so.13", "libcublas.so.12"}) {
  const auto create = library_.symbol<create_function>("cublasCreate_v2");
  const auto destroy = library_.symbol<destroy_function>("cublasDestroy_v2");
  const auto set_stream = library_.symbol<set_stream_function>("cublasSetStream_v2");
  if (create == nullptr || destroy == nullptr || set_stream == nullptr) {
    out.missing("cublas");
    if (!library_.error().empty()) out.note(library_.error());
    return;
  }
  out.note("cublas is " + library_.path());
  void* handle = nullptr;
  const int status = create(&handle);
  if (status != 0) {
    out.note("cublasCreate_v2 gave status " + std::to_string(status) + ": its column is empty.");
    return;
  }
  handle_ = {handle, destroy};
  require(set_stream(handle, where.stream), "cublasSetStream_v2");
}

template <class Function>
Function* cublas::find(char letter, const char* name) const {
  if (handle_ == nullptr) return nullptr;
  const char upper = static_cast<char>(letter - 'a' + 'A');
  return library_.symbol<Function>((std::string("cublas") + upper + name).c_str());
}

template <class T>
std::function<void()> cublas::strided(const gemm_batch<T>& x) const {
  auto* const f = find<strided_function<T>>(scalar_letter<T>, "gemmStridedBatched");
  if (f == nullptr) return {};
  return [f, x, handle = handle_] {
    const T one(1), zero(0);
    require(f(handle.get(), none, none, x.n, x.m, x.k, &one, x.b, x.n, x.b_size(), x.a, x.k,
              x.a_step(), &zero, x.c, x.n, x.c_size(), static_cast<int>(x.count)),
            "gemmStridedBatched");
  };
}

template <class T>
std::function<void()> cublas::grouped(const std::vector<gemm_batch<T>>& groups) const {
  auto* const f = find<grouped_function<T>>(scalar_letter<T>, "gemmGroupedBatched");
  if (f == nullptr) return {};
  struct lists {
    std::vector<int> op, m, n, k, count;
    std::vector<T> one, zero;
    std::vector<T*> a, b, c;
  };
  const auto all = std::make_shared<lists>();
  for (const gemm_batch<T>& x : groups) {
    all->op.push_back(none);
    all->m.push_back(x.m);
    all->n.push_back(x.n);
    all->k.push_back(x.k);
    all->count.push_back(static_cast<int>(x.count));
    all->one.push_back(T(1));
    all->zero.push_back(T(0));
    for (std::ptrdiff_t i = 0; i < x.count; ++i) {
      all->a.push_back(const_cast<T*>(x.a) + i * x.a_step());
      all->b.push_back(const_cast<T*>(x.b) + i * x.b_size());
      all->c.push_back(x.c + i * x.c_size());
    }
  }
  return [f, all, handle = handle_, a = list_there(where_, all->a), b = list_there(where_, all->b),
          c = list_there(where_, all->c)] {
    require(
        f(handle.get(), all->op.data(), all->op.data(), all->n.data(), all->m.data(), all->k.data(),
          all->one.data(), b.get(), all->n.data(), a.get(), all->k.data(), all->zero.data(),
          c.get(), all->n.data(), static_cast<int>(all->m.size()), all->count.data()),
        "gemmGroupedBatched");
  };
}

template std::function<void()> cublas::strided(const gemm_batch<double>&) const;
template std::function<void()> cublas::strided(const gemm_batch<float>&) const;
template std::function<void()> cublas::strided(const gemm_batch<std::complex<double>>&) const;
template std::function<void()> cublas::strided(const gemm_batch<std::complex<float>>&) const;
template std::function<void()> cublas::grouped(const std::vector<gemm_batch<double>>&) const;
template std::function<void()> cublas::grouped(const std::vector<gemm_batch<float>>&) const;
template std::function<void()> cublas::grouped(
    const std::vector<gemm_batch<std::complex<double>>>&) const;
template std::function<void()> cublas::grouped(
    const std::vector<gemm_batch<std::complex<float>>>&) const;

}  // namespace tenfold::bench
