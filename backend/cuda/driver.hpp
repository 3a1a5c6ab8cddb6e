#pragma once

#include <cstddef>
#include <span>
#include <tenfold/backend/cuda/shared_library.hpp>

namespace tenfold::cuda {

/// The functions of NVIDIA's driver that are used, under their names without `cu`, which cuda.h
/// explains. Handles are pointers, and so are addresses on a device (CUdeviceptr is an integer of
/// their size); devices are numbers, and every result but 0 is an error.
class driver {
 public:
  /// Opens libcuda.so.1, or the first of other libraries with these functions. Throws backend_error
  /// if it, or every device, is missing.
  driver();
  explicit driver(std::span<const char* const> names);

  /// Throws backend_error: that this call gave that code.
  void require(int code, const char* call) const;

  /// The version of CUDA that it supports: major * 1000 + minor * 10, as CUDA counts.
  int version() const { return version_; }

 private:
  shared_library library_;
  int version_ = 0;

 public:
  int (*Init)(unsigned flags);
  int (*GetErrorString)(int code, const char** text);
  int (*DeviceGetCount)(int* count);
  int (*DeviceGet)(int* device, int number);
  int (*DeviceGetName)(char* name, int bytes, int device);
  int (*DeviceGetAttribute)(int* value, int attribute, int device);
  int (*DevicePrimaryCtxRetain)(void** context, int device);
  int (*DevicePrimaryCtxRelease)(int device);
  int (*CtxPushCurrent)(void* context);
  int (*CtxPopCurrent)(void** context);
  int (*ModuleLoadData)(void** module, const void* image);
  int (*ModuleUnload)(void* module);
  int (*ModuleGetFunction)(void** function, void* module, const char* name);
  int (*ModuleGetGlobal)(void** address, std::size_t* bytes, void* module, const char* name);
  int (*FuncSetAttribute)(void* function, int attribute, int value);
  int (*LaunchKernel)(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                      unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                      void* stream, void** arguments, void** extra);
  int (*MemAlloc)(void** address, std::size_t bytes);
  int (*MemFree)(void* address);
  int (*MemAllocHost)(void** address, std::size_t bytes);
  int (*MemFreeHost)(void* address);
  int (*MemcpyHtoDAsync)(void* to, const void* from, std::size_t bytes, void* stream);
  int (*MemcpyDtoHAsync)(void* to, const void* from, std::size_t bytes, void* stream);
  int (*MemcpyDtoDAsync)(void* to, const void* from, std::size_t bytes, void* stream);
  int (*StreamSynchronize)(void* stream);
  int (*StreamIsCapturing)(void* stream, int* status);
};

}  // namespace tenfold::cuda
