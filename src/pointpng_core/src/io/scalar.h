#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace pointpng {

/// The number types that point formats store.
enum class Scalar {
  kInt8,
  kUInt8,
  kInt16,
  kUInt16,
  kInt32,
  kUInt32,
  kInt64,
  kUInt64,
  kFloat16,
  kFloat32,
  kFloat64
};

/// Bytes that one number takes.
std::size_t size_of(Scalar type);

/// The number at `bytes`, which need not be aligned.
double load_scalar(Scalar type, const std::byte* bytes, std::endian order);

/// IEEE 754 binary16 to binary32.
float half_to_float(std::uint16_t bits);

/// A trivially copyable value at `bytes` in the given byte order.
template <class T>
T load_as(const std::byte* bytes, std::endian order) {
  std::byte raw[sizeof(T)];
  for (std::size_t i = 0; i < sizeof(T); ++i)
    raw[i] = bytes[order == std::endian::native ? i : sizeof(T) - 1 - i];
  T value;
  std::memcpy(&value, raw, sizeof(T));
  return value;
}

}  // namespace pointpng
