#include "embed/learning_plugin.h"

#include "base/plugin.h"
#include "pointpng/error.h"

namespace pointpng {

const LearningPlugin& learning_plugin() {
  using Entry = const LearningPlugin* (*)();
  static const LearningPlugin* const plugin = reinterpret_cast<Entry>(plugin_entry(
      "libpointpng_learning.so.0", "pointpng_learning_plugin",
      "LibTorch support (training, evaluation, CUDA, models other than equivariant + wigner)"))();
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
