#pragma once

#include <filesystem>
#include <map>
#include <string>

#include <torch/types.h>

namespace pointpng {

/// A `.safetensors` file with LibTorch's tensors; see io/safetensors.h.
struct TensorFile {
  std::map<std::string, torch::Tensor> tensors;
  std::map<std::string, std::string> metadata;
};

/// Atomic.
void write_safetensors(const std::filesystem::path& path, const TensorFile& file);

/// Throws `InputError` for anything that is not a sound file.
TensorFile read_safetensors(const std::filesystem::path& path);

}  // namespace pointpng
