#pragma once

#include <cstdint>
#include <vector>

#include "pose/prepared_cloud.h"
#include "pose/rigid_transform.h"

namespace pointpng {

/// How well the surfaces of two clouds agree in a pose.
struct Fit {
  float score = 0.0F;           ///< in [0, 1], mean of both directions
  float source_overlap = 0.0F;  ///< share of the source's points that are inliers
  float target_overlap = 0.0F;
  float residual = 0.0F;  ///< RMS point-to-plane distance of the inliers
  /// Share of a cloud's points in front of what the other's sensor saw, the larger of both.
  float contradiction = 0.0F;
};

/// Measures a pose by up to `points` of each cloud.
Fit measure_fit(const PreparedCloudData& source, const PreparedCloudData& target,
                const RigidTransform& pose, std::int64_t points, float inlier_distance);

/// What each point contributes to the score.
struct PointwiseFit {
  std::vector<float> source_score, target_score;
  std::vector<char> source_inlier, target_inlier;
};
PointwiseFit pointwise_fit(const PreparedCloudData& source, const PreparedCloudData& target,
                           const RigidTransform& pose, float inlier_distance);

/// z-score of the paired difference of the points' scores: by how many standard errors they prefer
/// the first pose to the second; negative where they prefer the second.
float separation(const PointwiseFit& first, const PointwiseFit& second);

/// Share of neighbouring points of which only one is an inlier, both clouds added up: a true
/// overlap is in few pieces, a chance one is fragmented.
float fragmentation(const PreparedCloudData& source, const PreparedCloudData& target,
                    const PointwiseFit& fit);

}  // namespace pointpng
