#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace pointpng {

/// An array as a `.safetensors` file holds it.
struct StoredTensor {
  std::string dtype;  ///< "F32", "I64", …
  std::vector<std::int64_t> shape;
  std::vector<std::byte> bytes;  ///< little endian, row-major

  std::int64_t count() const;             ///< number of elements
  std::span<const float> floats() const;  ///< of an F32 array
};

/// Bytes per element of a dtype; 0 for one that is not known here.
std::size_t dtype_size(const std::string& dtype);

/// Named arrays with text fields: the `.safetensors` format, which Python and other tools read and
/// which holds nothing that could be executed.
struct Safetensors {
  std::map<std::string, StoredTensor> tensors;
  std::map<std::string, std::string> metadata;
};

/// Atomic.
void write_safetensors_file(const std::filesystem::path& path, const Safetensors& file);

/// Throws `InputError` for anything that is not a sound file: sizes are checked before they are
/// used.
Safetensors read_safetensors_file(const std::filesystem::path& path);

}  // namespace pointpng
