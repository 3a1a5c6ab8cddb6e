#include "common/module.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstdlib>

namespace tenfold::bench {

module::module(const char* variable, const std::vector<std::string>& names) {
  const char* const chosen = variable != nullptr ? std::getenv(variable) : nullptr;
  const bool asked = chosen != nullptr && *chosen != '\0';
  for (const std::string& name : asked ? std::vector<std::string>{chosen} : names) {
    handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) {
      if (asked) error_ = dlerror();
      continue;
    }
    link_map* map = nullptr;
    path_ = dlinfo(handle_, RTLD_DI_LINKMAP, static_cast<void*>(&map)) == 0 ? map->l_name : name;
    return;
  }
}

void* module::find(const char* name) const {
  return handle_ == nullptr ? nullptr : dlsym(handle_, name);
}

void choose_blas_settings() {
  const auto set = [](const char* variable, const char* value) { setenv(variable, value, 0); };
  for (const char* variable :
       {"OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"}) {
    set(variable, "1");
  }
  set("MKL_THREADING_LAYER", "SEQUENTIAL");
  set("MKL_INTERFACE_LAYER", "LP64");
#if defined(__x86_64__)
  // On CPUs newer than themselves both fall back to kernels without AVX-512.
  if (__builtin_cpu_supports("avx512f") != 0) {
    set("OPENBLAS_CORETYPE", "SKYLAKEX");
    set("BLIS_ARCH_TYPE", "skx");
  }
#endif
}

}  // namespace tenfold::bench
