#pragma once

#include <filesystem>
#include <map>
#include <string>

#include <torch/types.h>

namespace pointpng {

/// Named tensors with a page of text fields: the `.safetensors` format, which Python and other
/// tools read and which holds nothing that could be executed.
struct TensorFile {
  std::map<std::string, torch::Tensor> tensors;
  std::map<std::string, std::string> metadata;
};

/// Written whole or not at all.
void write_safetensors(const std::filesystem::path& path, const TensorFile& file);

/// Throws `InputError` for anything that is not a sound file: sizes are checked before they are
/// used.
TensorFile read_safetensors(const std::filesystem::path& path);

}  // namespace pointpng
