#pragma once

#include <doctest/doctest.h>

#include <fake_gpu.hpp>
#include <tenfold/backend/cuda/device_queue.hpp>
#include <tenfold/backend/cuda/gpu.hpp>

/// What a CUDA graph captures of a call: on a GPU that runs nothing, but counts.
namespace tenfold::testing {

class counting_gpu {
 public:
  counting_gpu() : fresh_(refresh()), gpu_(0, cuda::image_cache(""), fake_driver(), fake_cublas) {}

  /// A stream of it.
  device_queue where() { return on(gpu_, &stream_); }

  /// Runs a call twice. What the second one asked of the driver beside launches and copies within
  /// the device.
  template <class F>
  fake_calls second_call(const F& call) {
    call();
    const fake_driver_state& now = fake_state();
    const fake_calls before = now.calls;
    const auto launches = now.launches.size();
    const int by_library = cublas_state().calls;
    call();
    for (std::size_t l = launches; l < now.launches.size(); ++l)
      CHECK(now.launches[l].stream == &stream_);
    CHECK(now.launches.size() - launches + static_cast<std::size_t>(cublas_state().calls) >
          static_cast<std::size_t>(by_library));
    return {now.calls.waits - before.waits,           now.calls.allocations - before.allocations,
            now.calls.frees - before.frees,           now.calls.copies_in - before.copies_in,
            now.calls.copies_out - before.copies_out, now.calls.loads - before.loads};
  }

 private:
  static bool refresh() {
    fake_state() = {};
    cublas_state() = {};
    cublas_state().contexts = &fake_state().contexts;
    return true;
  }

  bool fresh_;
  int stream_ = 0;
  cuda::gpu gpu_;
};

/// The second of two calls alike only launches, and copies within the device.
template <class F>
void check_captured(counting_gpu& on_this, const F& call) {
  const fake_calls more = on_this.second_call(call);
  CHECK(more.waits == 0);
  CHECK(more.allocations == 0);
  CHECK(more.frees == 0);
  CHECK(more.copies_in == 0);
  CHECK(more.copies_out == 0);
  CHECK(more.loads == 0);
}

}  // namespace tenfold::testing
