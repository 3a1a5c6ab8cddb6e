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

}  // namespace tenfold::bench
