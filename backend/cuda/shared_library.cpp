#include <dlfcn.h>

#include <cstdlib>
#include <tenfold/backend/cuda/shared_library.hpp>
#include <tenfold/tensor/error.hpp>

namespace tenfold::cuda {

shared_library::shared_library(const std::string& what, std::span<const char* const> names)
    : what_(what) {
  std::string refused;  // what the loader says of the first that is there and does not load
  const auto open = [&](const std::string& folder) {
    for (const char* const name : names) {
      if (handle_ != nullptr) return;
      const std::string file = folder + name;
      handle_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (handle_ != nullptr) return;
      const std::string why = dlerror();
      const bool absent = why.starts_with(file + ": cannot open shared object file: No such file");
      if (refused.empty() && !absent) refused = why;
    }
  };
  open("");
  const char* path = std::getenv("TENFOLD_CUDA_PATH");
  if (path != nullptr && *path == '\0') path = nullptr;
  if (path != nullptr)
    for (const char* const inside : {"/lib64/", "/lib/", "/"}) open(path + std::string(inside));
  if (handle_ != nullptr) return;
  if (!refused.empty()) throw backend_error("tenfold: " + what_ + " does not load: " + refused);
  std::string all;
  for (const char* const name : names) all += (all.empty() ? "" : ", ") + std::string(name);
  throw backend_error("tenfold: " + what_ + " is missing: the loader finds none of " + all +
                      (path != nullptr ? ", nor are they in TENFOLD_CUDA_PATH, " + std::string(path)
                                       : ", and TENFOLD_CUDA_PATH is not set"));
}

void* shared_library::symbol(const char* name) const {
  void* const found = symbol_or_null(name);
  if (found == nullptr) throw backend_error("tenfold: " + what_ + " has no function " + name);
  return found;
}

void* shared_library::symbol_or_null(const char* name) const { return dlsym(handle_, name); }

}  // namespace tenfold::cuda
