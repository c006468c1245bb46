#include "model/safetensors.h"

#include <array>
#include <bit>
#include <cstring>
#include <ostream>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <torch/types.h>

#include "base/file.h"
#include "pointpng/error.h"
#include "pointpng/io.h"

namespace pointpng {
namespace {

static_assert(std::endian::native == std::endian::little, "safetensors are little endian");

using nlohmann::json;
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

/// The parsed header and the bytes behind it.
struct Parsed {
  json header;
  std::span<const std::byte> data;
};

Parsed parse(const MappedFile& file) {
  const auto fail = [&](const std::string& why) -> InputError {
    return InputError(fmt::format("{} is not a safetensors file: {}", file.path().string(), why));
  };
  const auto bytes = file.bytes();
  std::uint64_t length = 0;
  if (bytes.size() < sizeof(length)) throw fail("it is too short for a header");
  std::memcpy(&length, bytes.data(), sizeof(length));
  const auto rest = bytes.subspan(sizeof(length));
  if (length > rest.size())
    throw fail(
        fmt::format("its header should have {} bytes, the file has {} after its start; it may "
                    "be cut off",
                    length, rest.size()));
  const std::string_view text(reinterpret_cast<const char*>(rest.data()), length);
  Parsed parsed{json::parse(text, nullptr, /*allow_exceptions=*/false), rest.subspan(length)};
  if (!parsed.header.is_object()) throw fail("its header is not JSON");
  return parsed;
}

Tensor read_tensor(const std::string& name, const json& entry, std::span<const std::byte> data,
                   const std::filesystem::path& path) {
  const auto fail = [&](const char* why) -> InputError {
    return InputError(fmt::format("{}: tensor '{}' {}", path.string(), name, why));
  };
  std::string type_text;
  std::vector<std::int64_t> shape;
  std::vector<std::uint64_t> range;
  try {
    type_text = entry.at("dtype").get<std::string>();
    shape = entry.at("shape").get<std::vector<std::int64_t>>();
    range = entry.at("data_offsets").get<std::vector<std::uint64_t>>();
  } catch (const json::exception&) {
    throw fail("has no sound dtype, shape and data_offsets");
  }
  const auto known = std::find_if(kTypes.begin(), kTypes.end(),
                                  [&](const auto& type) { return type.first == type_text; });
  if (known == kTypes.end()) throw fail("has a type that is not known here");
  if (range.size() != 2 || range[0] > range[1] || range[1] > data.size())
    throw fail("lies outside of the file; it may be cut off");
  std::uint64_t elements = 1;
  for (const std::int64_t size : shape) {
    // No product that fits the file can pass this bound, so the multiplication never overflows.
    if (size < 0 || static_cast<std::uint64_t>(size) > data.size() ||
        (size > 0 && elements > data.size() / static_cast<std::uint64_t>(size)))
      throw fail("claims a size that the file does not hold");
    elements *= static_cast<std::uint64_t>(size);
  }
  if (elements * c10::elementSize(known->second) != range[1] - range[0])
    throw fail("has a shape that does not match its bytes");
  Tensor tensor = torch::empty(shape, known->second);
  if (elements > 0) std::memcpy(tensor.data_ptr(), data.data() + range[0], range[1] - range[0]);
  return tensor;
}

}  // namespace

void write_safetensors(const std::filesystem::path& path, const TensorFile& file) {
  json header = json::object();
  if (!file.metadata.empty()) header["__metadata__"] = file.metadata;
  std::vector<Tensor> in_order;
  std::uint64_t offset = 0;
  for (const auto& [name, tensor] : file.tensors) {
    in_order.push_back(tensor.detach().cpu().contiguous());
    const std::uint64_t size = in_order.back().nbytes();
    header[name] = {{"dtype", type_name(tensor.scalar_type())},
                    {"shape", tensor.sizes().vec()},
                    {"data_offsets", {offset, offset + size}}};
    offset += size;
  }
  // Text that is not UTF-8 (a path can be) must not cost the weights: it is replaced.
  std::string text = header.dump(-1, ' ', false, json::error_handler_t::replace);
  text.append((8 - text.size() % 8) % 8, ' ');  // the format wants the data aligned
  const std::uint64_t length = text.size();
  write_file_atomically(path, [&](std::ostream& out) {
    out.write(reinterpret_cast<const char*>(&length), sizeof(length));
    out << text;
    for (const Tensor& tensor : in_order)
      out.write(static_cast<const char*>(tensor.data_ptr()),
                static_cast<std::streamsize>(tensor.nbytes()));
  });
}

TensorFile read_safetensors(const std::filesystem::path& path) {
  const MappedFile file(path);
  const Parsed parsed = parse(file);
  TensorFile result;
  std::size_t used = 0;
  for (const auto& [name, entry] : parsed.header.items()) {
    if (name == "__metadata__") {
      for (const auto& [key, value] : entry.items())
        if (value.is_string()) result.metadata[key] = value.get<std::string>();
      continue;
    }
    const Tensor tensor = read_tensor(name, entry, parsed.data, path);
    // Tensors that share bytes could need far more memory than the file has.
    used += tensor.nbytes();
    if (used > parsed.data.size())
      throw InputError(fmt::format("{}: its tensors overlap", path.string()));
    result.tensors[name] = tensor;
  }
  return result;
}

}  // namespace pointpng
