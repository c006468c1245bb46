#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <Eigen/Geometry>

#include "pointpng/evaluation.h"

namespace pointpng {

/// Two clouds with a known pose between them.
struct PosePair {
  Cloud source, target;
  Eigen::Isometry3d target_from_source = Eigen::Isometry3d::Identity();
  /// The whole object in the source's frame, where the source is a part of it: symmetry is the
  /// object's, not the part's. Empty where the source is all that is known.
  Cloud object;
  std::string class_name;  ///< empty where unknown
  std::string name;        ///< of the shape or the frames
};

/// `count` pairs that visit the classes in turn. Pair i follows from the seed and i, not from the
/// count. What the user should know, such as shapes with few points, is appended to `notes`.
/// Throws `InputError` for an unknown protocol and for shapes that can't be used.
std::vector<PosePair> make_pairs(const ShapeSet& shapes, const std::string& protocol,
                                 std::int64_t count, std::uint64_t seed,
                                 std::vector<std::string>* notes = nullptr);

}  // namespace pointpng
