#include "io/scalar.h"

#include <cmath>
#include <limits>

namespace pointpng {

std::size_t size_of(Scalar type) {
  switch (type) {
    case Scalar::kInt8:
    case Scalar::kUInt8:
      return 1;
    case Scalar::kInt16:
    case Scalar::kUInt16:
    case Scalar::kFloat16:
      return 2;
    case Scalar::kInt32:
    case Scalar::kUInt32:
    case Scalar::kFloat32:
      return 4;
    case Scalar::kInt64:
    case Scalar::kUInt64:
    case Scalar::kFloat64:
      return 8;
  }
  return 0;
}

float half_to_float(std::uint16_t bits) {
  const float sign = (bits & 0x8000U) ? -1.0F : 1.0F;
  const int exponent = (bits >> 10) & 0x1F;
  const int fraction = bits & 0x3FF;
  if (exponent == 0x1F)
    return fraction ? std::numeric_limits<float>::quiet_NaN()
                    : sign * std::numeric_limits<float>::infinity();
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), -24);
  return sign * std::ldexp(static_cast<float>(fraction + 0x400), exponent - 25);
}

double load_scalar(Scalar type, const std::byte* bytes, std::endian order) {
  switch (type) {
    case Scalar::kInt8:
      return load_as<std::int8_t>(bytes, order);
    case Scalar::kUInt8:
      return load_as<std::uint8_t>(bytes, order);
    case Scalar::kInt16:
      return load_as<std::int16_t>(bytes, order);
    case Scalar::kUInt16:
      return load_as<std::uint16_t>(bytes, order);
    case Scalar::kInt32:
      return load_as<std::int32_t>(bytes, order);
    case Scalar::kUInt32:
      return load_as<std::uint32_t>(bytes, order);
    case Scalar::kInt64:
      return static_cast<double>(load_as<std::int64_t>(bytes, order));
    case Scalar::kUInt64:
      return static_cast<double>(load_as<std::uint64_t>(bytes, order));
    case Scalar::kFloat16:
      return half_to_float(load_as<std::uint16_t>(bytes, order));
    case Scalar::kFloat32:
      return load_as<float>(bytes, order);
    case Scalar::kFloat64:
      return load_as<double>(bytes, order);
  }
  return 0;
}

}  // namespace pointpng
