#include "io/cdr.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "pointpng/error.h"

namespace pointpng {
namespace {

constexpr std::size_t kHeaderSize = 4;
constexpr std::int64_t kNanoseconds = 1'000'000'000;

[[noreturn]] void fail_short() {
  throw InputError("a CDR message ends early: it is damaged or not of the type that it claims");
}

}  // namespace

CdrReader::CdrReader(std::span<const std::byte> message) {
  if (message.size() < kHeaderSize) fail_short();
  const int high = std::to_integer<int>(message[0]);
  const int low = std::to_integer<int>(message[1]);
  if (high != 0 || low > 1)
    throw InputError(
        fmt::format("a message has the encoding {:#06x} instead of plain CDR", high * 256 + low));
  order_ = low == 1 ? std::endian::little : std::endian::big;
  body_ = message.subspan(kHeaderSize);
}

void CdrReader::read_aligned(void* value, std::size_t size) {
  position_ = (position_ + size - 1) / size * size;
  if (position_ > body_.size() || size > body_.size() - position_) fail_short();
  auto* out = static_cast<std::byte*>(value);
  std::memcpy(out, body_.data() + position_, size);
  if (order_ != std::endian::native) std::reverse(out, out + size);
  position_ += size;
}

std::uint32_t CdrReader::read_length(std::size_t item_bytes) {
  const auto length = read<std::uint32_t>();
  if (length > (body_.size() - position_) / item_bytes) fail_short();
  return length;
}

std::string CdrReader::read_string() {
  const auto bytes = read_bytes(read_length(1));
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return text.substr(0, text.find('\0'));  // the length counts the terminator
}

std::span<const std::byte> CdrReader::read_bytes(std::size_t count) {
  if (count > body_.size() - position_) fail_short();
  const auto bytes = body_.subspan(position_, count);
  position_ += count;
  return bytes;
}

CdrWriter::CdrWriter(std::endian order)
    : message_{std::byte{0}, std::byte{order == std::endian::little}, std::byte{0}, std::byte{0}},
      order_(order) {}

void CdrWriter::write_aligned(const void* value, std::size_t size) {
  const std::size_t body = message_.size() - kHeaderSize;
  message_.resize(kHeaderSize + (body + size - 1) / size * size);
  const auto* bytes = static_cast<const std::byte*>(value);
  message_.insert(message_.end(), bytes, bytes + size);
  if (order_ != std::endian::native)
    std::reverse(message_.end() - static_cast<std::ptrdiff_t>(size), message_.end());
}

void CdrWriter::write_string(std::string_view text) {
  write(static_cast<std::uint32_t>(text.size() + 1));
  write_bytes(std::as_bytes(std::span(text)));
  message_.push_back(std::byte{0});
}

void CdrWriter::write_bytes(std::span<const std::byte> bytes) {
  message_.insert(message_.end(), bytes.begin(), bytes.end());
}

PointCloud2 decode_point_cloud2(std::span<const std::byte> bytes) {
  CdrReader in(bytes);
  PointCloud2 message;
  const auto seconds = in.read<std::int32_t>();
  message.stamp_ns = seconds * kNanoseconds + in.read<std::uint32_t>();
  message.frame_id = in.read_string();
  message.height = in.read<std::uint32_t>();
  message.width = in.read<std::uint32_t>();
  message.fields.resize(in.read_length(13));
  for (PointField& field : message.fields) {
    field.name = in.read_string();
    field.offset = in.read<std::uint32_t>();
    field.datatype = in.read<std::uint8_t>();
    field.count = in.read<std::uint32_t>();
  }
  message.is_bigendian = in.read<std::uint8_t>() != 0;
  message.point_step = in.read<std::uint32_t>();
  message.row_step = in.read<std::uint32_t>();
  const auto data = in.read_bytes(in.read_length(1));
  message.data.assign(data.begin(), data.end());
  message.is_dense = in.read<std::uint8_t>() != 0;
  return message;
}

std::vector<std::byte> encode_point_cloud2(const PointCloud2& message, std::endian order) {
  CdrWriter out(order);
  // Floored, so that the nanoseconds of times before 1970 are positive too.
  const std::int64_t nanoseconds = (message.stamp_ns % kNanoseconds + kNanoseconds) % kNanoseconds;
  out.write(static_cast<std::int32_t>((message.stamp_ns - nanoseconds) / kNanoseconds));
  out.write(static_cast<std::uint32_t>(nanoseconds));
  out.write_string(message.frame_id);
  out.write(message.height);
  out.write(message.width);
  out.write(static_cast<std::uint32_t>(message.fields.size()));
  for (const PointField& field : message.fields) {
    out.write_string(field.name);
    out.write(field.offset);
    out.write(field.datatype);
    out.write(field.count);
  }
  out.write(static_cast<std::uint8_t>(message.is_bigendian));
  out.write(message.point_step);
  out.write(message.row_step);
  out.write(static_cast<std::uint32_t>(message.data.size()));
  out.write_bytes(message.data);
  out.write(static_cast<std::uint8_t>(message.is_dense));
  return out.take();
}

}  // namespace pointpng
