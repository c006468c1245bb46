#include "embed/learning_plugin.h"

#include <dlfcn.h>

#include <fmt/format.h>

#include "pointpng/error.h"

namespace pointpng {
namespace {

constexpr const char* kLibrary = "libpointpng_learning.so.0";
constexpr const char* kEntry = "pointpng_learning_plugin";

/// The library beside this one (its RUNPATH), or wherever the loader looks.
const LearningPlugin* load(std::string& problem) {
  void* const library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  void* const entry = library == nullptr ? nullptr : dlsym(library, kEntry);
  if (entry == nullptr) {
    problem = fmt::format(
        "LibTorch support (training, evaluation, CUDA, models other than equivariant + wigner) is "
        "not installed: {}",
        dlerror());
    return nullptr;
  }
  return reinterpret_cast<const LearningPlugin* (*)()>(entry)();
}

}  // namespace

const LearningPlugin& learning_plugin() {
  static std::string problem;
  static const LearningPlugin* const plugin = load(problem);
  if (plugin == nullptr) throw InputError(problem);
  return *plugin;
}

LearningSpeed learning_speed(Device device) { return learning_plugin().speed(device); }

LearningInfo learning_info() {
  try {
    return learning_plugin().info();
  } catch (const InputError& missing) {
    LearningInfo info;
    info.problem = missing.what();
    return info;
  }
}

}  // namespace pointpng
