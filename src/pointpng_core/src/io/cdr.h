#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pointpng/io.h"

namespace pointpng {

/// Reads the plain CDR (XCDR1) that ROS 2 messages are stored in, of either byte order. Throws
/// `InputError` where the message ends early.
class CdrReader {
 public:
  explicit CdrReader(std::span<const std::byte> message);

  template <class T>
  T read() {
    T value;
    read_aligned(&value, sizeof(T));
    return value;
  }
  std::string read_string();
  /// The number of items of a sequence, each at least `item_bytes` long: checked against what is
  /// left.
  std::uint32_t read_length(std::size_t item_bytes);
  std::span<const std::byte> read_bytes(std::size_t count);

 private:
  void read_aligned(void* value, std::size_t size);

  std::span<const std::byte> body_;  // alignment counts from behind the encapsulation header
  std::size_t position_ = 0;
  std::endian order_ = std::endian::little;
};

/// Writes plain CDR with its encapsulation header.
class CdrWriter {
 public:
  explicit CdrWriter(std::endian order = std::endian::little);

  template <class T>
  void write(T value) {
    write_aligned(&value, sizeof(T));
  }
  void write_string(std::string_view text);
  void write_bytes(std::span<const std::byte> bytes);  ///< without a length
  std::vector<std::byte> take() { return std::move(message_); }

 private:
  void write_aligned(const void* value, std::size_t size);

  std::vector<std::byte> message_;
  std::endian order_;
};

PointCloud2 decode_point_cloud2(std::span<const std::byte> bytes);
std::vector<std::byte> encode_point_cloud2(const PointCloud2& message,
                                           std::endian order = std::endian::little);

}  // namespace pointpng
