#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <Eigen/Geometry>

#include "pointpng/cloud.h"

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

/// same | resampled | noisy | partial | view | plane: what `make_pairs` knows. All are of shapes in
/// the unit sphere, 1024 points a cloud where there are enough, turned uniformly over SO(3) and
/// moved by up to 0.5 along each axis; the source is turned too, so no frame of its own helps.
///   same       the same points, shuffled
///   resampled  two disjoint samples of the surface
///   noisy      resampled, noise of 0.01 (at most 0.05) on both, 5 % of the target are strays
///   partial    resampled, each cut to 70 % by a half-space of its own
///   view       another sample, only what is seen from one viewpoint 3 radii away
///   plane      such a view of the object resting on a table: half of the points are the table's
/// For depth frames there is `make_scene_pairs`.
std::vector<std::string> protocol_names();

/// `count` pairs that visit the classes in turn. Pair i follows from the seed and i, not from the
/// count. What the user should know, such as shapes with few points, is appended to `notes`.
/// Throws `InputError` for an unknown protocol and for shapes that can't be used.
std::vector<PosePair> make_pairs(const ShapeSet& shapes, const std::string& protocol,
                                 std::int64_t count, std::uint64_t seed,
                                 std::vector<std::string>* notes = nullptr);

}  // namespace pointpng
