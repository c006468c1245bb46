#pragma once

#include <filesystem>
#include <memory>

#include "embed/embedder.h"
#include "pointpng/runtime.h"

namespace pointpng {

/// What the learning library offers to this one, which does not link it: it is loaded when first
/// asked for, because LibTorch brings hundreds of shared libraries along.
struct LearningPlugin {
  std::shared_ptr<const Embedder> (*load_embedder)(const std::filesystem::path& file,
                                                   Device device) = nullptr;
  LearningInfo (*info)() = nullptr;
  LearningSpeed (*speed)(Device device) = nullptr;
};

/// Throws `InputError` with a sentence where the library is not installed or can't be loaded.
const LearningPlugin& learning_plugin();

}  // namespace pointpng
