#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "pointpng/error.h"
#include "pointpng/registration.h"

namespace pointpng {

inline const Range& find_range(std::span<const Range> ranges, std::string_view name) {
  for (const Range& range : ranges)
    if (range.name == name) return range;
  throw std::logic_error("no range is called " + std::string(name));
}

/// Throws `InputError`: "hypotheses must be in [1, 64], got 70".
inline void require_in_range(const Range& range, double value) {
  if (!(value >= range.least && value <= range.most))
    throw InputError(
        fmt::format("{} must be in [{}, {}], got {}", range.name, range.least, range.most, value));
}

}  // namespace pointpng
