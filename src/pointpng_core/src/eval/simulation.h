#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "base/random.h"
#include "pointpng/evaluation.h"

namespace pointpng {

/// Pairs of the kinds that real sensors give, made by rays in scenes that are furnished with the
/// given shapes; see `pose_protocols`.
struct SimulatedProtocol {
  std::string_view name;
  /// `shape`: the row of the shape that the pair is about.
  PosePair (*make)(const ShapeSet& shapes, std::size_t shape, Random& random);
};

std::span<const SimulatedProtocol> simulated_protocols();

}  // namespace pointpng
