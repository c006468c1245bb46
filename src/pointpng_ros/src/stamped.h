#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pointpng/alignment.h"
#include "pointpng/cloud.h"
#include "pointpng/registration.h"

namespace pointpng_ros {

/// A cloud with the frame and the time of its measurement.
struct StampedCloud {
  pointpng::Cloud points;
  std::string frame;
  std::int64_t stamp_ns = 0;  ///< 0: from a file
  Eigen::Isometry3d base_from_cloud = Eigen::Isometry3d::Identity();
  pointpng::CloudOptions options = {};  ///< where its sensor is, and which way is up
};

/// An object that is looked for.
struct Reference {
  StampedCloud cloud;  ///< its frame is the object's on /tf
  std::string name;    ///< for messages
};

/// An alignment as the pose of `child_frame` in `frame`, with the clouds that people look at.
struct StampedAlignment {
  pointpng::Alignment alignment;
  std::string frame;        ///< of the target
  std::string child_frame;  ///< of the source
  std::int64_t stamp_ns = 0, target_stamp_ns = 0;
  std::uint32_t source_points = 0, target_points = 0;
  pointpng::Cloud aligned;     ///< the source moved onto the target, in `frame`
  pointpng::Cloud new_target;  ///< in `frame`; empty where the target is still the last one

  /// False where registration was not even tried, as with an empty cloud.
  bool was_registered() const { return source_points > 0; }
};

/// The answers to one cloud.
using StampedAlignments = std::vector<StampedAlignment>;

}  // namespace pointpng_ros
