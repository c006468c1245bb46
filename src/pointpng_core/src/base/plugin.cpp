#include "base/plugin.h"

#include <dlfcn.h>

#include <fmt/format.h>

#include "pointpng/error.h"

namespace pointpng {

void* plugin_entry(const char* library, const char* entry, const std::string& what) {
  // The file beside this library (its RUNPATH), or wherever the loader looks.
  void* const loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  void* const found = loaded == nullptr ? nullptr : dlsym(loaded, entry);
  if (found == nullptr) throw InputError(fmt::format("{} is not installed: {}", what, dlerror()));
  return found;
}

}  // namespace pointpng
