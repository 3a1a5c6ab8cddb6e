#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <tenfold/backend/cuda/device_tensor.hpp>
#include <tenfold/backend/cuda/shared_library.hpp>
#include <tenfold/backend/device_batched_blas.hpp>
#include <tenfold/dsel/on_device.hpp>
#include <tenfold/tensor/reflection.hpp>
#include <test_device.hpp>

#include <doctest/doctest.h>

#include <fuse_problems.hpp>

// Calls that a CUDA graph captures, and what it does when it is replayed. Needs a GPU.

namespace tenfold {
namespace {

/// A stream, and what was captured of a call that was put on it, by functions of NVIDIA's driver.
class captured_call {
 public:
  captured_call() : library_("NVIDIA's driver", names) {
    library_.find("cuDeviceGet", DeviceGet);
    library_.find("cuDevicePrimaryCtxRetain", DevicePrimaryCtxRetain);
    library_.find("cuDevicePrimaryCtxRelease_v2", DevicePrimaryCtxRelease);
    library_.find("cuCtxPushCurrent_v2", CtxPushCurrent);
    library_.find("cuCtxPopCurrent_v2", CtxPopCurrent);
    library_.find("cuStreamCreate", StreamCreate);
    library_.find("cuStreamDestroy_v2", StreamDestroy);
    library_.find("cuStreamBeginCapture_v2", StreamBeginCapture);
    library_.find("cuStreamEndCapture", StreamEndCapture);
    library_.find("cuGraphInstantiateWithFlags", GraphInstantiate);
    library_.find("cuGraphLaunch", GraphLaunch);
    library_.find("cuGraphExecDestroy", GraphExecDestroy);
    library_.find("cuGraphDestroy", GraphDestroy);
    void* context = nullptr;
    REQUIRE(DeviceGet(&device_, 0) == 0);
    REQUIRE(DevicePrimaryCtxRetain(&context, device_) == 0);
    REQUIRE(CtxPushCurrent(context) == 0);
    REQUIRE(StreamCreate(&stream_, does_not_wait_for_the_default_stream) == 0);
  }
  ~captured_call() {
    if (ready_ != nullptr) GraphExecDestroy(ready_);
    if (graph_ != nullptr) GraphDestroy(graph_);
    StreamDestroy(stream_);
    void* context = nullptr;
    CtxPopCurrent(&context);
    DevicePrimaryCtxRelease(device_);
  }
  captured_call(const captured_call&) = delete;

  void* stream() const { return stream_; }

  /// Captures f(), once. While it is captured the driver refuses what would wait or allocate.
  template <class F>
  void capture(const F& f) {
    REQUIRE(StreamBeginCapture(stream_, refusing_what_is_not_captured) == 0);
    f();
    REQUIRE(StreamEndCapture(stream_, &graph_) == 0);
    REQUIRE(GraphInstantiate(&ready_, graph_, 0) == 0);
  }
  void replay() const { REQUIRE(GraphLaunch(ready_, stream_) == 0); }

 private:
  static constexpr const char* names[] = {"libcuda.so.1"};
  static constexpr unsigned does_not_wait_for_the_default_stream = 1;
  static constexpr int refusing_what_is_not_captured = 0;

  cuda::shared_library library_;
  int (*DeviceGet)(int*, int);
  int (*DevicePrimaryCtxRetain)(void**, int);
  int (*DevicePrimaryCtxRelease)(int);
  int (*CtxPushCurrent)(void*);
  int (*CtxPopCurrent)(void**);
  int (*StreamCreate)(void**, unsigned);
  int (*StreamDestroy)(void*);
  int (*StreamBeginCapture)(void*, int);
  int (*StreamEndCapture)(void*, void**);
  int (*GraphInstantiate)(void**, void*, unsigned long long);
  int (*GraphLaunch)(void*, void*);
  int (*GraphExecDestroy)(void*);
  int (*GraphDestroy)(void*);
  int device_ = 0;
  void *stream_ = nullptr, *graph_ = nullptr, *ready_ = nullptr;
};

/// Null where tests run on an emulation, which is said. The first GPU has been opened before.
std::unique_ptr<captured_call> capture_on_gpu() {
  const char* const said = std::getenv("TENFOLD_TEST_DEVICE");
  if (said != nullptr && std::strcmp(said, "cuda") == 0) return std::make_unique<captured_call>();
  MESSAGE("skipped: graphs need a GPU, named by TENFOLD_TEST_DEVICE=cuda");
  return nullptr;
}

}  // namespace

TEST_SUITE_BEGIN("device");

TEST_CASE("a captured batched product adds to its result whenever it is replayed") {
  testing::test_device machine;
  const auto graph = capture_on_gpu();
  if (graph == nullptr) return;
  const auto where = on(machine, graph->stream());
  tensor<double, dyn, 4, 4> a(50), b(50), c(50), got(50);
  fill(a, 1);
  fill(b, 2);
  fill(c, 3);
  const auto A = copied(where, a), B = copied(where, b);
  auto C = copied(where, c);
  const auto call = [&] { gemm(where, 2.0, A, B, 1.0, C); };
  call();
  graph->capture(call);
  graph->replay();
  graph->replay();
  C.copy_to(got);
  for (int i = 0; i < 3; ++i) gemm(2.0, a, b, 1.0, c);
  CHECK(same(got, c));
}

TEST_CASE("a captured expression with memory between its launches is computed again") {
  testing::test_device machine;
  const auto graph = capture_on_gpu();
  if (graph == nullptr) return;
  const auto where = on(machine, graph->stream());
  tensor<double, dyn, dyn> a(300, 400), b(400, 500), c(500, 60), y(300, 60), got(300, 60);
  fill(a, 1);
  fill(b, 2);
  fill(c, 3);
  fill(y, 4);
  const auto A = copied(where, a), B = copied(where, b), C = copied(where, c);
  auto Y = copied(where, y);
  const auto call = [&] { einsum<"ij,jk,kl->il">(where, into(Y), A, B, C, beta(1)); };
  call();
  graph->capture(call);
  graph->replay();
  graph->replay();
  Y.copy_to(got);
  for (int i = 0; i < 3; ++i) einsum<"ij,jk,kl->il">(into(y), a, b, c, beta(1));
  CHECK(same(got, y));
}

TEST_CASE("a captured fused kernel with tables in halves reads them whenever it is replayed") {
  using namespace operands;
  testing::test_device machine;
  const auto graph = capture_on_gpu();
  if (graph == nullptr) return;
  const auto where = on(machine, graph->stream());
  diffusion_problem<double, true, 5, 6> x(20);
  reflect(x.B, 1);
  reflect(x.G, -1);
  auto V = copied(where, x.V);
  const auto U = copied(where, x.U);
  auto At = copied(where, x.B), Slopes = copied(where, x.G);
  const auto M = copied(where, x.D);
  const auto call = [&] {
    diffusion_kernel<true>()(where, v = V, u = U, B = reflection_symmetric(At),
                             G = reflection_antisymmetric(Slopes), D = M);
  };
  call();
  x.expect(true);
  // Other tables: what was read of them when the call was captured must not be kept.
  graph->capture(call);
  for (index i = 0; i < x.B.size(); ++i) x.B.data()[i] *= 2;
  At.copy_from(x.B);
  graph->replay();
  graph->replay();
  x.expect(true);
  x.expect(true);
  V.copy_to(x.V);
  CHECK(same(x.V, x.W));
}

TEST_SUITE_END();

}  // namespace tenfold
