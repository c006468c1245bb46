#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "io/scalar.h"
#include "pointpng/error.h"

namespace pointpng {

/// Takes little-endian values off the front of some bytes; throws `InputError` where they end
/// early.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class T>
  T read() {
    return load_as<T>(take(sizeof(T)).data(), std::endian::little);
  }
  std::span<const std::byte> take(std::uint64_t count) {
    if (count > bytes_.size()) throw InputError("a record ends early");
    const auto front = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return front;
  }
  std::string read_string() {  ///< 32-bit length, then the characters
    const auto text = take(read<std::uint32_t>());
    return {reinterpret_cast<const char*>(text.data()), text.size()};
  }
  std::span<const std::byte> rest() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace pointpng
