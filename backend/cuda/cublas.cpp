#include <iterator>
#include <string>
#include <tenfold/backend/cuda/cublas.hpp>
#include <tenfold/tensor/error.hpp>
#include <vector>

namespace tenfold::cuda {
namespace {

constexpr char letters[] = {'S', 'D', 'C', 'Z'};
static_assert(scalar::f32 == scalar{0} && scalar::f64 == scalar{1} && scalar::c32 == scalar{2} &&
              scalar::c64 == scalar{3});
static_assert(static_cast<int>(library_op::none) == 0 &&
              static_cast<int>(library_op::transpose) == 1 &&
              static_cast<int>(library_op::conjugate_transpose) == 2);

/// What the library takes by itself (cuBLAS, "cublasSetWorkspace"): 32 MiB from Hopper on.
std::size_t workspace_bytes(const device_capabilities& d) {
  return std::size_t{d.architecture >= 90 ? 32u : 4u} << 20;
}

const void* const* list(const batch_place& x) { return static_cast<const void* const*>(x.data); }
void* const* list_of_results(const batch_place& x) {
  return static_cast<void* const*>(const_cast<void*>(x.data));
}

}  // namespace

// A new handle takes factors from the host, computes as precisely as the type is, and adds without
// atomics, in the same order each time.
cublas::cublas(device_machine& machine, std::span<const char* const> names)
    : machine_(machine), library_("cuBLAS, which multiplies large matrices,", names) {
  library_.find("cublasGetStatusString", status_text_);
  library_.find("cublasDestroy_v2", destroy_);
  library_.find("cublasSetStream_v2", set_stream_);
  library_.find("cublasSetWorkspace_v2", set_workspace_);
  for (std::size_t s = 0; s < 4; ++s) {
    const std::string name = std::string("cublas") + letters[s] + "gemm";
    library_.find((name + "StridedBatched_64").c_str(), strided_[s]);
    library_.find((name + "Batched_64").c_str(), listed_[s]);
    if (s < std::size(grouped_))
      library_.find_newer((name + "GroupedBatched_64").c_str(), grouped_[s]);
  }
  int (*create)(handle*) = nullptr;
  library_.find("cublasCreate_v2", create);
  require(create(&handle_), "cublasCreate");
}

// It waits for the device.
cublas::~cublas() {
  destroy_(handle_);
  for (const auto& [stream, memory] : workspaces_) machine_.release(memory);
}

void cublas::require(int status, const char* call) const {
  if (status != 0)
    throw backend_error(std::string("tenfold: ") + call + " failed: " + status_text_(status));
}

void* cublas::workspace_of(void* stream) {
  void*& memory = workspaces_[stream];
  if (memory == nullptr) memory = machine_.allocate(workspace_bytes(machine_.capabilities()));
  return memory;
}

void cublas::multiply(std::span<const library_call> calls, void* stream) {
  const std::lock_guard lock(mutex_);
  void* const workspace = workspace_of(stream);
  // In this order: with a stream the handle gets a workspace of its own.
  require(set_stream_(handle_, stream), "cublasSetStream");
  require(set_workspace_(handle_, workspace, workspace_bytes(machine_.capabilities())),
          "cublasSetWorkspace");
  const scalar type = calls.front().product.type;
  if (calls.size() == 1 || is_complex(type) || grouped_[static_cast<std::size_t>(type)] == nullptr)
    for (const library_call& call : calls) multiply(call);
  else if (type == scalar::f32)
    multiply_together<float>(calls);
  else
    multiply_together<double>(calls);
}

void cublas::multiply(const library_call& call) {
  const library_product& p = call.product;
  const library_arguments& x = call.arguments;
  const auto type = static_cast<std::size_t>(p.type);
  const int op_a = static_cast<int>(p.op_a), op_b = static_cast<int>(p.op_b);
  if (p.layout == batch_layout::strided)
    require(strided_[type](handle_, op_a, op_b, p.m, p.n, p.k, x.alpha, x.a.data, p.lda,
                           x.a.problem, x.b.data, p.ldb, x.b.problem, x.beta,
                           const_cast<void*>(x.c.data), p.ldc, x.c.problem, x.count),
            "cublas?gemmStridedBatched");
  else
    require(listed_[type](handle_, op_a, op_b, p.m, p.n, p.k, x.alpha, list(x.a), p.lda, list(x.b),
                          p.ldb, x.beta, list_of_results(x.c), p.ldc, x.count),
            "cublas?gemmBatched");
}

template <class T>
void cublas::multiply_together(std::span<const library_call> calls) {
  std::vector<int> op_a, op_b;
  std::vector<std::int64_t> m, n, k, lda, ldb, ldc, count;
  std::vector<T> alpha, beta;
  for (const auto& [p, x] : calls) {
    op_a.push_back(static_cast<int>(p.op_a));
    op_b.push_back(static_cast<int>(p.op_b));
    m.push_back(p.m);
    n.push_back(p.n);
    k.push_back(p.k);
    lda.push_back(p.lda);
    ldb.push_back(p.ldb);
    ldc.push_back(p.ldc);
    count.push_back(x.count);
    alpha.push_back(*static_cast<const T*>(x.alpha));
    beta.push_back(*static_cast<const T*>(x.beta));
  }
  const library_arguments& first = calls.front().arguments;
  require(grouped_[static_cast<std::size_t>(scalar_of<T>)](
              handle_, op_a.data(), op_b.data(), m.data(), n.data(), k.data(), alpha.data(),
              list(first.a), lda.data(), list(first.b), ldb.data(), beta.data(),
              list_of_results(first.c), ldc.data(), std::ssize(calls), count.data()),
          "cublas?gemmGroupedBatched");
}

}  // namespace tenfold::cuda
