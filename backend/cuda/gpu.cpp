#include <tenfold/backend/cuda/device_tunings.hpp>
#include <tenfold/backend/cuda/gpu.hpp>
#include <tenfold/tensor/error.hpp>

namespace tenfold::cuda {
namespace {

/// Whether the driver takes an image for one that it cannot read: of another architecture, version
/// or compiler. Other failures say nothing of the image.
bool is_refusal(int code) {
  // CUDA_ERROR_INVALID_IMAGE, _NO_BINARY_FOR_GPU, _INVALID_PTX, _UNSUPPORTED_PTX_VERSION,
  // _INVALID_SOURCE
  for (const int refusal : {200, 209, 218, 222, 300}) {
    if (code == refusal) return true;
  }
  return false;
}

/// Numbers of CUdevice_attribute and CUfunction_attribute (cuda.h).
enum device_attribute : int {
  warp_size = 10,
  clock_of_multiprocessors = 13,  // kHz
  multiprocessors = 16,
  clock_of_memory = 36,  // kHz
  bus_width = 37,        // bits
  threads_of_multiprocessor = 39,
  capability_major = 75,
  capability_minor = 76,
  shared_bytes_of_multiprocessor = 81,
  registers_of_multiprocessor = 82,
  shared_bytes_of_block = 97,
  blocks_of_multiprocessor = 106,
  reserved_bytes_of_block = 111
};
constexpr int most_dynamic_shared_bytes = 8, preferred_shared_percent = 9;
/// What every function may have without asking.
constexpr index common_shared_bytes = 48 * 1024;

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace

/// Makes the context current, and after that what was before.
class gpu::current {
 public:
  explicit current(const gpu& on) : driver_(on.driver_) {
    driver_.require(driver_.CtxPushCurrent(on.context_), "cuCtxPushCurrent");
  }
  ~current() {
    void* ours = nullptr;
    driver_.CtxPopCurrent(&ours);
  }
  current(const current&) = delete;

 private:
  const driver& driver_;
};

gpu::gpu(int number, image_cache images, const driver& by, std::span<const char* const> libraries)
    : driver_(by), compiler_(driver_.version()), images_(std::move(images)), libraries_(libraries) {
  int count = 0;
  driver_.require(driver_.DeviceGetCount(&count), "cuDeviceGetCount");
  if (number < 0 || number >= count)
    throw backend_error("tenfold: device " + std::to_string(number) +
                        " was asked for, but the driver counts " + std::to_string(count) +
                        " devices");
  driver_.require(driver_.DeviceGet(&device_, number), "cuDeviceGet");
  char name[256] = {};
  driver_.require(driver_.DeviceGetName(name, sizeof(name) - 1, device_), "cuDeviceGetName");
  name_ = name;
  const auto attribute = [&](device_attribute which) {
    int value = 0;
    driver_.require(driver_.DeviceGetAttribute(&value, which, device_), "cuDeviceGetAttribute");
    return value;
  };
  capabilities_.architecture = attribute(capability_major) * 10 + attribute(capability_minor);
  capabilities_.multiprocessors = attribute(multiprocessors);
  capabilities_.threads = attribute(threads_of_multiprocessor);
  capabilities_.blocks = attribute(blocks_of_multiprocessor);
  capabilities_.registers = attribute(registers_of_multiprocessor);
  capabilities_.shared_bytes = attribute(shared_bytes_of_multiprocessor);
  capabilities_.shared_bytes_block = attribute(shared_bytes_of_block);
  capabilities_.reserved_bytes = attribute(reserved_bytes_of_block);
  // Two transfers in each cycle of the memory's clock. A driver that does not tell says 0.
  const double bandwidth = 2.0 * 1000 * attribute(clock_of_memory) * attribute(bus_width) / 8;
  if (bandwidth > 0) capabilities_.bandwidth = bandwidth;
  capabilities_.warp = attribute(warp_size);
  const double clock = 1000.0 * attribute(clock_of_multiprocessors);
  if (clock > 0) capabilities_.clock = clock;
  tunings = load_device_tunings(device_key(name_));
  driver_.require(driver_.DevicePrimaryCtxRetain(&context_, device_), "cuDevicePrimaryCtxRetain");
}

gpu::~gpu() {
  workspaces.forget(*this);
  if (driver_.CtxPushCurrent(context_) == 0) {
    library_.reset();
    for (const auto& [text, is] : texts_) driver_.ModuleUnload(is.module);
    void* ours = nullptr;
    driver_.CtxPopCurrent(&ours);
  }
  driver_.DevicePrimaryCtxRelease(device_);
}

const gpu::loaded_text& gpu::loaded(const text_key& key, device_image image) {
  if (const auto known = texts_.find(key); known != texts_.end()) return known->second;
  const std::string& text = key.first;
  const int architecture = capabilities_.architecture;
  loaded_text made;
  const auto load = [&] {
    made.registers = image.registers;
    made.spilled_bytes = image.spilled_bytes;
    return driver_.ModuleLoadData(&made.module, image.code.data());
  };
  const int code = load();
  if (is_refusal(code)) {
    // What was kept may be of another driver's time: once more from the text.
    images_.remove(image_key(text, architecture, compiler_.version()));
    image = image_of(text, architecture, compiler_, images_);
    std::string call = "cuModuleLoadData";
    if (compiler_.version() > driver_.version())
      call += " of what was compiled by NVRTC " + version_text(compiler_.version()) +
              ", which is newer than the driver's CUDA " + version_text(driver_.version()) + ",";
    driver_.require(load(), call.c_str());
  } else {
    driver_.require(code, "cuModuleLoadData");
  }
  return texts_[key] = made;
}

device_function gpu::load(const std::string& text, const char* entry, const device_use& use) {
  const bool has_constants = use.constants != nullptr;
  const std::pair<text_key, std::string> key({text, has_constants ? use.stream : nullptr}, entry);
  std::unique_lock lock(mutex_);
  if (const auto known = functions_.find(key); known != functions_.end()) return known->second;
  device_image image;
  if (texts_.find(key.first) == texts_.end()) {
    lock.unlock();  // others may compile at the same time
    image = image_of(text, capabilities_.architecture, compiler_, images_);
    lock.lock();
  }
  const current context(*this);
  const loaded_text& is = loaded(key.first, std::move(image));
  device_function f{nullptr, is.registers, is.spilled_bytes};
  driver_.require(driver_.ModuleGetFunction(&f.handle, is.module, entry), "cuModuleGetFunction");
  if (has_constants) {
    std::size_t bytes = 0;
    driver_.require(driver_.ModuleGetGlobal(&f.constants, &bytes, is.module, use.constants),
                    "cuModuleGetGlobal");
  }
  // Once for all launches: so much of shared memory as any of them may ask for.
  if (capabilities_.shared_bytes_block > common_shared_bytes)
    driver_.require(driver_.FuncSetAttribute(f.handle, most_dynamic_shared_bytes,
                                             static_cast<int>(capabilities_.shared_bytes_block)),
                    "cuFuncSetAttribute");
  if (use.shared_bytes) {
    const index bytes = use.shared_bytes(f.registers);
    const index percent = (100 * bytes - 1) / capabilities_.shared_bytes + 1;
    driver_.require(driver_.FuncSetAttribute(f.handle, preferred_shared_percent,
                                             static_cast<int>(percent < 100 ? percent : 100)),
                    "cuFuncSetAttribute");
  }
  return functions_[key] = f;
}

void gpu::launch(device_function f, const device_launch& how, void** arguments) {
  const current context(*this);
  driver_.require(
      driver_.LaunchKernel(f.handle, static_cast<unsigned>(how.blocks), 1, 1,
                           static_cast<unsigned>(how.threads), 1, 1,
                           static_cast<unsigned>(how.shared_bytes), how.stream, arguments, nullptr),
      "cuLaunchKernel");
}

bool gpu::has_library() {
  std::call_once(library_is_sought_, [this] {
    const current context(*this);
    // Nobody needs it. The newest comes first, but may be too new for the driver.
    for (std::size_t first = 0; first < libraries_.size() && !library_; ++first) {
      try {
        library_.emplace(*this, libraries_.subspan(first));
      } catch (const backend_error&) {
      }
    }
  });
  return library_.has_value();
}

void gpu::multiply(std::span<const library_call> calls, void* stream) {
  const current context(*this);
  library_->multiply(calls, stream);
}

void gpu::require_room(int code, const char* call, std::size_t bytes) const {
  if (code != 0)
    driver_.require(code, (call + (" of " + std::to_string(bytes)) + " bytes").c_str());
}

void* gpu::allocate(std::size_t bytes) {
  const current context(*this);
  void* memory = nullptr;
  require_room(driver_.MemAlloc(&memory, bytes < 1 ? 1 : bytes), "cuMemAlloc", bytes);
  return memory;
}

void gpu::release(void* memory) noexcept { release(memory, driver_.MemFree); }

void* gpu::allocate_on_host(std::size_t bytes) {
  const current context(*this);
  void* memory = nullptr;
  require_room(driver_.MemAllocHost(&memory, bytes < 1 ? 1 : bytes), "cuMemAllocHost", bytes);
  return memory;
}

void gpu::release_on_host(void* memory) noexcept { release(memory, driver_.MemFreeHost); }

void gpu::release(void* memory, int (*by)(void*)) noexcept {
  if (memory == nullptr || driver_.CtxPushCurrent(context_) != 0) return;
  by(memory);
  void* ours = nullptr;
  driver_.CtxPopCurrent(&ours);
}

void gpu::copy_in(void* to, const void* from, std::size_t bytes, void* stream) {
  const current context(*this);
  driver_.require(driver_.MemcpyHtoDAsync(to, from, bytes, stream), "cuMemcpyHtoDAsync");
}

void gpu::copy_out(void* to, const void* from, std::size_t bytes, void* stream) {
  const current context(*this);
  driver_.require(driver_.MemcpyDtoHAsync(to, from, bytes, stream), "cuMemcpyDtoHAsync");
}

void gpu::copy_within(void* to, const void* from, std::size_t bytes, void* stream) {
  const current context(*this);
  driver_.require(driver_.MemcpyDtoDAsync(to, from, bytes, stream), "cuMemcpyDtoDAsync");
}

void gpu::wait(void* stream) {
  const current context(*this);
  driver_.require(driver_.StreamSynchronize(stream), "cuStreamSynchronize");
}

bool gpu::is_captured(void* stream) {
  const current context(*this);
  int status = 0;
  // The default stream cannot be asked while another is captured.
  return driver_.StreamIsCapturing(stream, &status) != 0 || status != 0;
}

}  // namespace tenfold::cuda
