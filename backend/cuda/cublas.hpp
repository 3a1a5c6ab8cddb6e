#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <tenfold/backend/cuda/device_machine.hpp>
#include <tenfold/backend/cuda/shared_library.hpp>

namespace tenfold::cuda {

/// NVIDIA's BLAS, of CUDA 13 or 12: products of large matrices, with the precision of their type
/// (no TF32) and the same bits in each run of a call. It has one handle, and for each stream a
/// workspace, which calls that run at the same time must not share.
class cublas {
 public:
  static constexpr const char* usual_names[] = {"libcublas.so.13", "libcublas.so.12"};

  /// For the device of `machine`, whose context is current, here and in all that follows. Throws
  /// backend_error if none of the libraries is there, or it cannot use the device.
  cublas(device_machine& machine, std::span<const char* const> names);
  ~cublas();
  cublas(const cublas&) = delete;

  /// Starts a product, or several as device_machine::multiply has them: by one call, or, before
  /// CUDA 12.5, by one each. Memory is taken for the first one on a stream alone. May be asked from
  /// several threads at once. Throws backend_error.
  void multiply(std::span<const library_call> calls, void* stream);

 private:
  using handle = void*;
  /// cublas?gemmStridedBatched_64, cublas?gemmBatched_64 and cublas?gemmGroupedBatched_64 of any
  /// scalar, as cublas_api.h declares them; operations are integers, every result but 0 is an
  /// error. Of the last one lists of addresses alone lie on the device.
  using strided_function = int(handle, int op_a, int op_b, std::int64_t m, std::int64_t n,
                               std::int64_t k, const void* alpha, const void* a, std::int64_t lda,
                               long long step_a, const void* b, std::int64_t ldb, long long step_b,
                               const void* beta, void* c, std::int64_t ldc, long long step_c,
                               std::int64_t count);
  using listed_function = int(handle, int op_a, int op_b, std::int64_t m, std::int64_t n,
                              std::int64_t k, const void* alpha, const void* const* a,
                              std::int64_t lda, const void* const* b, std::int64_t ldb,
                              const void* beta, void* const* c, std::int64_t ldc,
                              std::int64_t count);
  using grouped_function = int(handle, const int* op_a, const int* op_b, const std::int64_t* m,
                               const std::int64_t* n, const std::int64_t* k, const void* alpha,
                               const void* const* a, const std::int64_t* lda, const void* const* b,
                               const std::int64_t* ldb, const void* beta, void* const* c,
                               const std::int64_t* ldc, std::int64_t groups,
                               const std::int64_t* counts);

  void multiply(const library_call& call);
  template <class T>
  void multiply_together(std::span<const library_call> calls);
  /// Throws backend_error: that this call gave that status.
  void require(int status, const char* call) const;
  void* workspace_of(void* stream);

  device_machine& machine_;
  shared_library library_;
  handle handle_ = nullptr;
  const char* (*status_text_)(int status) = nullptr;
  int (*destroy_)(handle) = nullptr;
  int (*set_stream_)(handle, void* stream) = nullptr;
  int (*set_workspace_)(handle, void* memory, std::size_t bytes) = nullptr;
  strided_function* strided_[4] = {};  // by scalar
  listed_function* listed_[4] = {};
  grouped_function* grouped_[2] = {};  // of real ones, from CUDA 12.5 on
  std::mutex mutex_;                   // for the handle and what follows
  std::map<void*, void*> workspaces_;
};

}  // namespace tenfold::cuda
