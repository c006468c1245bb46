#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "pointpng/evaluation.h"
#include "pointpng/registration.h"

namespace pointpng {

/// Local registration from initial guesses that are off by up to `degrees`, as in tracking.
Aligner tracker_of(const Registration& registration, double degrees, std::uint64_t seed);

/// What global registration says about a pair.
struct EstimatedPose {
  Alignment alignment;  ///< rejected with a reason where a cloud can't be registered
  double cpu_ms = 0.0;  ///< its share of the processor time of the call, by its time on the clock
  std::optional<Eigen::Quaterniond> searched;  ///< the best rotation of the embedding alone
};

/// Some pairs in one call; the memory of all of them is needed at once.
std::vector<EstimatedPose> estimate_together(const Registration& registration,
                                             std::span<const PosePair> pairs);

}  // namespace pointpng
