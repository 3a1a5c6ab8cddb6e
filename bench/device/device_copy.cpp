#include "device/device_copy.hpp"

#include "common/buffer.hpp"

namespace tenfold::bench {
namespace {

constexpr const char* driver_names[] = {"libcuda.so.1"};

// On an H200 as fast as by the driver; four accesses to a thread are 0.95 times as fast.
constexpr int threads = 128;
constexpr const char* kernel_text = R"(// a copy, 16 bytes at a time
struct alignas(16) pair { double x, y; };
struct copying { pair* to; const pair* from; };
extern "C" __global__ void __launch_bounds__(128) copy(const __grid_constant__ copying c) {
  const long long here = blockIdx.x * 128ll + threadIdx.x;
  c.to[here] = c.from[here];
}
)";
constexpr std::size_t block_bytes = std::size_t{16} * threads;

}  // namespace

device_copy::device_copy(const device_queue& where, std::size_t bytes)
    : library_("NVIDIA's driver, which copies,", driver_names),
      where_(where),
      half_(bytes / 2 / block_bytes * block_bytes),
      from_(where, half_ / sizeof(double)),
      to_(where, half_ / sizeof(double)),
      kernel_(where.machine->load(kernel_text, "copy")) {
  library_.find("cuMemcpyDtoDAsync_v2", copy_);
  buffer<double> numbers(half_ / sizeof(double));
  numbers.fill(1);
  from_.copy_from(view<const double, dyn>(numbers.data(), static_cast<index>(numbers.size())));
  where_.wait();
  int first = 0;
  void* context = nullptr;
  driver_.require(driver_.DeviceGet(&first, 0), "cuDeviceGet");
  driver_.require(driver_.DevicePrimaryCtxRetain(&context, first), "cuDevicePrimaryCtxRetain");
  driver_.require(driver_.CtxPushCurrent(context), "cuCtxPushCurrent");
}

device_copy::~device_copy() {
  void* context = nullptr;
  driver_.CtxPopCurrent(&context);
  int first = 0;
  if (driver_.DeviceGet(&first, 0) == 0) driver_.DevicePrimaryCtxRelease(first);
}

std::vector<candidate> device_copy::passes() {
  return {{"driver",
           [this] {
             driver_.require(copy_(to_.data(), from_.data(), half_, where_.stream),
                             "cuMemcpyDtoDAsync");
           }},
          {"kernel", [this] {
             struct {
               void* to;
               const void* from;
             } arguments{to_.data(), from_.data()};
             void* list[] = {&arguments};
             where_.machine->launch(
                 kernel_, {static_cast<index>(half_ / block_bytes), threads, 0, where_.stream},
                 list);
           }}};
}

}  // namespace tenfold::bench
