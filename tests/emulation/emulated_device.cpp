#include "emulated_device.hpp"

#include <dlfcn.h>
#include <stdlib.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <new>
#include <sstream>
#include <tenfold/backend/cuda/device_headers.hpp>
#include <tenfold/backend/cuda/device_queue.hpp>
#include <tenfold/tensor/error.hpp>

#include "emulation.hpp"

namespace tenfold::emulation {
namespace {

std::filesystem::path make_folder() {
  std::string pattern =
      (std::filesystem::temp_directory_path() / "tenfold-emulated-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr)
    throw backend_error("tenfold: no folder for an emulated device can be made: " + pattern);
  return pattern;
}

void write(const std::filesystem::path& to, const std::string& text) {
  std::filesystem::create_directories(to.parent_path());
  std::ofstream(to, std::ios::binary) << text;
}

std::string read(const std::filesystem::path& from) {
  std::ostringstream text;
  text << std::ifstream(from, std::ios::binary).rdbuf();
  return text.str();
}

cuda::device_machine& common_device() {
  static emulated_device one;
  return one;
}
[[maybe_unused]] const bool is_named = (emulate_by(common_device), true);

}  // namespace

emulated_device::emulated_device(const device_capabilities& like, const edit_function& edit)
    : capabilities_(like), folder_(make_folder()) {
  for (const auto& header : cuda::device_headers()) {
    std::string text = header.text;
    if (edit) edit(header.name, text);
    write(folder_ / "include" / header.name, text);
  }
}

emulated_device::~emulated_device() {
  workspaces.forget(*this);
  for (void* const library : libraries_) dlclose(library);
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

cuda::device_function emulated_device::load(const std::string& text, const char* entry,
                                            const cuda::device_use& use) {
  const std::lock_guard lock(mutex_);
  cuda::device_function& f = loaded_[text];
  if (f.handle == nullptr) {
    const auto name = [&](const char* end) {
      return folder_ / ("text" + std::to_string(libraries_.size()) + end);
    };
    write(name(".cpp"), text);
    const std::string command = std::string(TENFOLD_EMULATION_COMPILE) + " -shared -I '" +
                                (folder_ / "include").string() + "' '" + name(".cpp").string() +
                                "' -o '" + name(".so").string() + "' > '" + name(".log").string() +
                                "' 2>&1";
    if (std::system(command.c_str()) != 0)
      throw backend_error("tenfold: an emulated device cannot compile this text:\n" + text +
                          read(name(".log")));
    void* const library = dlopen(name(".so").c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
      throw backend_error(std::string("tenfold: an emulated device cannot load a text: ") +
                          dlerror());
    libraries_.push_back(library);
    f.handle = dlsym(library, entry);
    if (f.handle == nullptr)
      throw backend_error(std::string("tenfold: a text has no device kernel ") + entry);
    if (use.constants != nullptr) f.constants = dlsym(library, use.constants);
  }
  return f;
}

void emulated_device::launch(cuda::device_function f, const cuda::device_launch& how,
                             void** arguments) {
  const auto body = reinterpret_cast<void (*)(void**)>(f.handle);
  emulation::launch({std::min(how.blocks, most_blocks), how.threads, how.shared_bytes}, seed,
                    [&] { body(arguments); });
}

namespace {
constexpr std::align_val_t alignment{256};
}

void* emulated_device::allocate(std::size_t bytes) {
  void* const memory = ::operator new(bytes, alignment);
  std::memset(memory, 0xff, bytes);
  return memory;
}
void emulated_device::release(void* memory) noexcept { ::operator delete(memory, alignment); }
void emulated_device::copy_in(void* to, const void* from, std::size_t bytes, void*) {
  if (bytes > 0) std::memcpy(to, from, bytes);  // nothing may lie at null
}
void emulated_device::copy_out(void* to, const void* from, std::size_t bytes, void*) {
  if (bytes > 0) std::memcpy(to, from, bytes);
}
void emulated_device::copy_within(void* to, const void* from, std::size_t bytes, void*) {
  if (bytes > 0) std::memcpy(to, from, bytes);
}
void emulated_device::wait(void*) {}

}  // namespace tenfold::emulation
