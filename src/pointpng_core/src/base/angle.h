#pragma once

#include <numbers>

namespace pointpng {

inline constexpr double kDegreesPerRadian = 180.0 / std::numbers::pi;
inline constexpr double kRadiansPerDegree = std::numbers::pi / 180.0;

}  // namespace pointpng
