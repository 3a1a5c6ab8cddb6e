#include <tenfold/backend/cuda/driver.hpp>
#include <tenfold/tensor/error.hpp>

namespace tenfold::cuda {
namespace {

constexpr const char* usual_names[] = {"libcuda.so.1"};

}  // namespace

driver::driver() : driver(usual_names) {}

driver::driver(std::span<const char* const> names)
    : library_("NVIDIA's driver, which runs device code,", names) {
  library_.find("cuInit", Init);
  library_.find("cuGetErrorString", GetErrorString);
  library_.find("cuDeviceGetCount", DeviceGetCount);
  library_.find("cuDeviceGet", DeviceGet);
  library_.find("cuDeviceGetName", DeviceGetName);
  library_.find("cuDeviceGetAttribute", DeviceGetAttribute);
  library_.find("cuDevicePrimaryCtxRetain", DevicePrimaryCtxRetain);
  library_.find("cuDevicePrimaryCtxRelease_v2", DevicePrimaryCtxRelease);
  library_.find("cuCtxPushCurrent_v2", CtxPushCurrent);
  library_.find("cuCtxPopCurrent_v2", CtxPopCurrent);
  library_.find("cuModuleLoadData", ModuleLoadData);
  library_.find("cuModuleUnload", ModuleUnload);
  library_.find("cuModuleGetFunction", ModuleGetFunction);
  library_.find("cuModuleGetGlobal_v2", ModuleGetGlobal);
  library_.find("cuFuncSetAttribute", FuncSetAttribute);
  library_.find("cuLaunchKernel", LaunchKernel);
  library_.find("cuMemAlloc_v2", MemAlloc);
  library_.find("cuMemFree_v2", MemFree);
  library_.find("cuMemAllocHost_v2", MemAllocHost);
  library_.find("cuMemFreeHost", MemFreeHost);
  library_.find("cuMemcpyHtoDAsync_v2", MemcpyHtoDAsync);
  library_.find("cuMemcpyDtoHAsync_v2", MemcpyDtoHAsync);
  library_.find("cuMemcpyDtoDAsync_v2", MemcpyDtoDAsync);
  library_.find("cuStreamSynchronize", StreamSynchronize);
  library_.find("cuStreamIsCapturing", StreamIsCapturing);
  require(Init(0), "cuInit");
  int (*get_version)(int*) = nullptr;
  library_.find("cuDriverGetVersion", get_version);
  require(get_version(&version_), "cuDriverGetVersion");
}

void driver::require(int code, const char* call) const {
  if (code == 0) return;
  const char* text = nullptr;
  if (GetErrorString(code, &text) != 0 || text == nullptr) text = "an unknown error";
  throw backend_error(std::string("tenfold: ") + call + " failed: " + text);
}

}  // namespace tenfold::cuda
