#pragma once

#include <numbers>

namespace pointpng::cli {

inline constexpr double kDegreesPerRadian = 180.0 / std::numbers::pi;

}  // namespace pointpng::cli
