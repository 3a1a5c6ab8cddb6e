#include "fake_driver.hpp"

#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace {

tenfold::testing::fake_driver_state state;

constexpr int invalid_value = 1, out_of_memory = 2, refused = 209, no_context = 201;
int in_context() { return state.contexts > 0 ? 0 : no_context; }

void* pointer(std::size_t address) { return reinterpret_cast<void*>(address); }
char a_context, a_module, a_function, some_constants[1024];

}  // namespace

tenfold::testing::fake_driver_state* tenfold_fake_driver_state() { return &state; }

extern "C" {
int cuInit(unsigned);
int cuDriverGetVersion(int*);
int cuGetErrorString(int, const char**);
int cuDeviceGetCount(int*);
int cuDeviceGet(int*, int);
int cuDeviceGetName(char*, int, int);
int cuDeviceGetAttribute(int*, int, int);
int cuDevicePrimaryCtxRetain(void**, int);
int cuDevicePrimaryCtxRelease_v2(int);
int cuCtxPushCurrent_v2(void*);
int cuCtxPopCurrent_v2(void**);
int cuModuleLoadData(void**, const void*);
int cuModuleUnload(void*);
int cuModuleGetFunction(void**, void*, const char*);
int cuModuleGetGlobal_v2(std::size_t*, std::size_t*, void*, const char*);
int cuFuncSetAttribute(void*, int, int);
int cuLaunchKernel(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                   void*, void**, void**);
int cuMemAlloc_v2(std::size_t*, std::size_t);
int cuMemFree_v2(std::size_t);
int cuMemAllocHost_v2(void**, std::size_t);
int cuMemFreeHost(void*);
int cuMemcpyHtoDAsync_v2(std::size_t, const void*, std::size_t, void*);
int cuMemcpyDtoHAsync_v2(void*, std::size_t, std::size_t, void*);
int cuMemcpyDtoDAsync_v2(std::size_t, std::size_t, std::size_t, void*);
int cuStreamSynchronize(void*);
int cuStreamIsCapturing(void*, int*);
}

int cuInit(unsigned) { return 0; }
int cuDriverGetVersion(int* version) {
  *version = state.version;
  return 0;
}
int cuGetErrorString(int code, const char** text) {
  *text = code == refused         ? "no image of this kind"
          : code == out_of_memory ? "out of memory"
                                  : "something else";
  return 0;
}
int cuDeviceGetCount(int* count) {
  *count = 1;
  return 0;
}
int cuDeviceGet(int* device, int number) {
  *device = 40 + number;
  return 0;
}
int cuDeviceGetName(char* name, int bytes, int device) {
  if (device != 40) return invalid_value;
  std::strncpy(name, "A fake", static_cast<std::size_t>(bytes));
  return 0;
}
int cuDeviceGetAttribute(int* value, int attribute, int device) {
  if (device != 40) return invalid_value;
  switch (attribute) {
    case 10:  // warp size
      return *value = 32, 0;
    case 13:  // clock of multiprocessors in kHz
      return *value = 1980000, 0;
    case 16:  // multiprocessors
      return *value = 132, 0;
    case 36:  // memory clock in kHz
      return *value = 2619000, 0;
    case 37:  // bus width in bits
      return *value = 5120, 0;
    case 39:  // threads of a multiprocessor
      return *value = 2048, 0;
    case 75:
      return *value = 9, 0;
    case 76:
      return *value = 0, 0;
    case 81:  // shared bytes of a multiprocessor
      return *value = 228 * 1024, 0;
    case 82:  // registers of a multiprocessor
      return *value = 65536, 0;
    case 97:  // shared bytes of a block
      return *value = 227 * 1024, 0;
    case 106:  // blocks of a multiprocessor
      return *value = 32, 0;
    case 111:  // reserved bytes of a block
      return *value = 1024, 0;
    default:
      return invalid_value;
  }
}
int cuDevicePrimaryCtxRetain(void** context, int) {
  ++state.retained;
  *context = &a_context;
  return 0;
}
int cuDevicePrimaryCtxRelease_v2(int) {
  --state.retained;
  return 0;
}
int cuCtxPushCurrent_v2(void* context) {
  if (context != &a_context) return no_context;
  ++state.contexts;
  return 0;
}
int cuCtxPopCurrent_v2(void** context) {
  *context = &a_context;
  --state.contexts;
  return 0;
}
int cuModuleLoadData(void** module, const void* image) {
  if (in_context() != 0) return no_context;
  ++state.images;
  ++state.calls.loads;
  if (std::memcmp(image,
                  "\x7f"
                  "ELF",
                  4) != 0)
    return invalid_value;
  if (state.refused_images > 0) {
    --state.refused_images;
    return state.refusal;
  }
  ++state.modules;
  *module = &a_module;
  return 0;
}
int cuModuleUnload(void* module) {
  if (in_context() != 0 || module != &a_module) return no_context;
  --state.modules;
  return 0;
}
int cuModuleGetFunction(void** function, void* module, const char* name) {
  if (in_context() != 0 || module != &a_module) return no_context;
  state.last_function = name;
  *function = &a_function;
  return 0;
}
int cuModuleGetGlobal_v2(std::size_t* address, std::size_t* bytes, void* module, const char*) {
  if (in_context() != 0 || module != &a_module) return no_context;
  *address = reinterpret_cast<std::size_t>(some_constants);
  *bytes = sizeof some_constants;
  return 0;
}
int cuFuncSetAttribute(void* function, int attribute, int value) {
  if (in_context() != 0 || function != &a_function || (attribute != 8 && attribute != 9))
    return invalid_value;
  if (state.refused_attributes > 0) {
    --state.refused_attributes;
    return invalid_value;
  }
  (attribute == 8 ? state.shared_bytes_allowed : state.shared_percent) = value;
  return 0;
}
int cuLaunchKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                   void* stream, void** arguments, void** extra) {
  if (in_context() != 0) return no_context;
  if (function != &a_function || grid_y != 1 || grid_z != 1 || block_y != 1 || block_z != 1 ||
      arguments == nullptr || extra != nullptr)
    return invalid_value;
  state.launches.push_back({grid_x, block_x, shared_bytes, stream});
  return 0;
}
int cuMemAlloc_v2(std::size_t* address, std::size_t bytes) {
  if (in_context() != 0 || bytes == 0) return invalid_value;
  if (bytes > state.most_bytes) return out_of_memory;
  ++state.allocations;
  ++state.calls.allocations;
  *address = reinterpret_cast<std::uintptr_t>(std::malloc(bytes));
  return 0;
}
int cuMemFree_v2(std::size_t address) {
  if (in_context() != 0) return no_context;
  --state.allocations;
  ++state.calls.frees;
  std::free(pointer(address));
  return 0;
}
int cuMemAllocHost_v2(void** address, std::size_t bytes) {
  if (in_context() != 0 || bytes == 0) return invalid_value;
  ++state.host_allocations;
  ++state.calls.allocations;
  *address = std::malloc(bytes);
  return 0;
}
int cuMemFreeHost(void* address) {
  if (in_context() != 0) return no_context;
  --state.host_allocations;
  ++state.calls.frees;
  std::free(address);
  return 0;
}
int cuMemcpyHtoDAsync_v2(std::size_t to, const void* from, std::size_t bytes, void*) {
  if (in_context() != 0) return no_context;
  ++state.calls.copies_in;
  std::memcpy(pointer(to), from, bytes);
  return 0;
}
int cuMemcpyDtoDAsync_v2(std::size_t to, std::size_t from, std::size_t bytes, void*) {
  if (in_context() != 0) return no_context;
  ++state.copies_within;
  std::memcpy(pointer(to), pointer(from), bytes);
  return 0;
}
int cuMemcpyDtoHAsync_v2(void* to, std::size_t from, std::size_t bytes, void*) {
  if (in_context() != 0) return no_context;
  ++state.calls.copies_out;
  std::memcpy(to, pointer(from), bytes);
  return 0;
}
int cuStreamSynchronize(void*) {
  ++state.calls.waits;
  return in_context();
}
int cuStreamIsCapturing(void* stream, int* status) {
  if (in_context() != 0) return no_context;
  *status = stream != nullptr && stream == state.captured ? 1 : 0;
  return 0;
}
