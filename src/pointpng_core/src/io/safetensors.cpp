#include "io/safetensors.h"

#include <bit>
#include <cstring>
#include <ostream>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "pointpng/error.h"
#include "pointpng/io.h"

namespace pointpng {
namespace {

static_assert(std::endian::native == std::endian::little, "safetensors are little endian");

using nlohmann::json;

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

StoredTensor read_tensor(const std::string& name, const json& entry,
                         std::span<const std::byte> data, const std::filesystem::path& path) {
  const auto fail = [&](const char* why) -> InputError {
    return InputError(fmt::format("{}: tensor '{}' {}", path.string(), name, why));
  };
  StoredTensor tensor;
  std::vector<std::uint64_t> range;
  try {
    tensor.dtype = entry.at("dtype").get<std::string>();
    tensor.shape = entry.at("shape").get<std::vector<std::int64_t>>();
    range = entry.at("data_offsets").get<std::vector<std::uint64_t>>();
  } catch (const json::exception&) {
    throw fail("has no sound dtype, shape and data_offsets");
  }
  const std::size_t element = dtype_size(tensor.dtype);
  if (element == 0) throw fail("has a type that is not known here");
  if (range.size() != 2 || range[0] > range[1] || range[1] > data.size())
    throw fail("lies outside of the file; it may be cut off");
  std::uint64_t elements = 1;
  for (const std::int64_t size : tensor.shape) {
    // No product that fits the file can pass this bound, so the multiplication never overflows.
    if (size < 0 || static_cast<std::uint64_t>(size) > data.size() ||
        (size > 0 && elements > data.size() / static_cast<std::uint64_t>(size)))
      throw fail("claims a size that the file does not hold");
    elements *= static_cast<std::uint64_t>(size);
  }
  if (elements * element != range[1] - range[0])
    throw fail("has a shape that does not match its bytes");
  const auto bytes = data.subspan(range[0], range[1] - range[0]);
  tensor.bytes.assign(bytes.begin(), bytes.end());
  return tensor;
}

}  // namespace

std::int64_t StoredTensor::count() const {
  return static_cast<std::int64_t>(bytes.size() / dtype_size(dtype));
}

std::span<const float> StoredTensor::floats() const {
  return {reinterpret_cast<const float*>(bytes.data()), bytes.size() / sizeof(float)};
}

std::size_t dtype_size(const std::string& dtype) {
  static const std::map<std::string, std::size_t> sizes = {{"F64", 8},  {"F32", 4}, {"F16", 2},
                                                           {"BF16", 2}, {"I64", 8}, {"I32", 4},
                                                           {"I16", 2},  {"U8", 1},  {"BOOL", 1}};
  const auto found = sizes.find(dtype);
  return found == sizes.end() ? 0 : found->second;
}

void write_safetensors_file(const std::filesystem::path& path, const Safetensors& file) {
  json header = json::object();
  if (!file.metadata.empty()) header["__metadata__"] = file.metadata;
  std::uint64_t offset = 0;
  for (const auto& [name, tensor] : file.tensors) {
    header[name] = {{"dtype", tensor.dtype},
                    {"shape", tensor.shape},
                    {"data_offsets", {offset, offset + tensor.bytes.size()}}};
    offset += tensor.bytes.size();
  }
  // Text that is not UTF-8 (such as a path) must not prevent saving the weights: it is replaced.
  std::string text = header.dump(-1, ' ', false, json::error_handler_t::replace);
  text.append((8 - text.size() % 8) % 8, ' ');  // the format wants the data aligned
  const std::uint64_t length = text.size();
  write_file_atomically(path, [&](std::ostream& out) {
    out.write(reinterpret_cast<const char*>(&length), sizeof(length));
    out << text;
    for (const auto& [name, tensor] : file.tensors)
      out.write(reinterpret_cast<const char*>(tensor.bytes.data()),
                static_cast<std::streamsize>(tensor.bytes.size()));
  });
}

Safetensors read_safetensors_file(const std::filesystem::path& path) {
  const MappedFile file(path);
  const Parsed parsed = parse(file);
  Safetensors result;
  std::size_t used = 0;
  for (const auto& [name, entry] : parsed.header.items()) {
    if (name == "__metadata__") {
      for (const auto& [key, value] : entry.items())
        if (value.is_string()) result.metadata[key] = value.get<std::string>();
      continue;
    }
    StoredTensor tensor = read_tensor(name, entry, parsed.data, path);
    // Tensors that share bytes could need far more memory than the file has.
    used += tensor.bytes.size();
    if (used > parsed.data.size())
      throw InputError(fmt::format("{}: its tensors overlap", path.string()));
    result.tensors[name] = std::move(tensor);
  }
  return result;
}

}  // namespace pointpng
