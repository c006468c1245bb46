#include "model/tensor_file.h"

#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include <torch/types.h>

#include "io/safetensors.h"
#include "pointpng/error.h"

namespace pointpng {
namespace {

using torch::Tensor;

constexpr std::array<std::pair<std::string_view, torch::ScalarType>, 9> kTypes = {{
    {"F32", torch::kFloat32},
    {"F64", torch::kFloat64},
    {"F16", torch::kFloat16},
    {"BF16", torch::kBFloat16},
    {"I64", torch::kInt64},
    {"I32", torch::kInt32},
    {"I16", torch::kInt16},
    {"U8", torch::kUInt8},
    {"BOOL", torch::kBool},
}};

std::string_view type_name(torch::ScalarType type) {
  for (const auto& [name, known] : kTypes)
    if (known == type) return name;
  throw Error("a tensor's type has no name in safetensors");
}

torch::ScalarType type_of(std::string_view dtype) {
  for (const auto& [name, known] : kTypes)
    if (name == dtype) return known;
  throw Error("a safetensors type has no counterpart in LibTorch");
}

StoredTensor to_stored(const Tensor& tensor) {
  const Tensor plain = tensor.detach().cpu().contiguous();
  StoredTensor stored{std::string(type_name(tensor.scalar_type())), tensor.sizes().vec(), {}};
  stored.bytes.resize(plain.nbytes());
  if (plain.nbytes() > 0) std::memcpy(stored.bytes.data(), plain.data_ptr(), plain.nbytes());
  return stored;
}

Tensor to_tensor(const StoredTensor& stored) {
  Tensor tensor = torch::empty(stored.shape, type_of(stored.dtype));
  if (!stored.bytes.empty())
    std::memcpy(tensor.data_ptr(), stored.bytes.data(), stored.bytes.size());
  return tensor;
}

}  // namespace

void write_safetensors(const std::filesystem::path& path, const TensorFile& file) {
  Safetensors stored{{}, file.metadata};
  for (const auto& [name, tensor] : file.tensors) stored.tensors[name] = to_stored(tensor);
  write_safetensors_file(path, stored);
}

TensorFile read_safetensors(const std::filesystem::path& path) {
  Safetensors stored = read_safetensors_file(path);
  TensorFile file{{}, std::move(stored.metadata)};
  for (const auto& [name, tensor] : stored.tensors) file.tensors[name] = to_tensor(tensor);
  return file;
}

}  // namespace pointpng
