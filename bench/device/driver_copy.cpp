#include "device/driver_copy.hpp"

#include "common/buffer.hpp"

namespace tenfold::bench {
namespace {

constexpr const char* driver_names[] = {"libcuda.so.1"};

}  // namespace

driver_copy::driver_copy(const device_queue& where, std::size_t bytes)
    : library_("NVIDIA's driver, which copies,", driver_names),
      where_(where),
      half_(bytes / 2 / sizeof(double) * sizeof(double)),
      from_(where, half_ / sizeof(double)),
      to_(where, half_ / sizeof(double)) {
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

driver_copy::~driver_copy() {
  void* context = nullptr;
  driver_.CtxPopCurrent(&context);
  int first = 0;
  if (driver_.DeviceGet(&first, 0) == 0) driver_.DevicePrimaryCtxRelease(first);
}

candidate driver_copy::pass() {
  return {"copy", [this] {
            driver_.require(copy_(to_.data(), from_.data(), half_, where_.stream),
                            "cuMemcpyDtoDAsync");
          }};
}

}  // namespace tenfold::bench
