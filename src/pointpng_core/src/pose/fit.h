#pragma once

#include <cstdint>
#include <vector>

#include <Eigen/Core>
#include <Eigen/Geometry>

#include "pose/scan.h"

namespace pointpng {

/// How two scans may be placed; between their centred points (see `Scan`), so in single precision.
struct Placement {
  Eigen::Matrix3f rotation = Eigen::Matrix3f::Identity();
  Eigen::Vector3f translation = Eigen::Vector3f::Zero();

  Eigen::Vector3f operator()(const Eigen::Vector3f& point) const {
    return rotation * point + translation;
  }
};

Placement inverse(const Placement& placement);

/// Rotation angle between two placements in radians.
float angle_between(const Placement& a, const Placement& b);

/// Whether two placements are nearly the same: within some 10° and a seventh of `radius`.
bool is_same_place(const Placement& a, const Placement& b, float radius);

/// How well the surfaces of two scans agree in a placement.
struct Fit {
  float score = 0.0F;           ///< 0 … 1, mean of both directions, the nearer the more
  float source_overlap = 0.0F;  ///< share of the source on the target's surface
  float target_overlap = 0.0F;
  float residual = 0.0F;  ///< root mean square distance to the surface of what overlaps
};

/// The yardstick of a pair: distances count relative to it.
float common_spacing(const Scan& source, const Scan& target);

/// Judges a placement by up to `points` of each scan; distances beyond `tolerance` don't count.
Fit measure_fit(const Scan& source, const Scan& target, const Placement& placement,
                std::int64_t points, float tolerance);

/// How each point agrees with the other scan's surface: what `measure_fit` sums up.
struct PointwiseFit {
  std::vector<float> source_worth, target_worth;     ///< shares of the score
  std::vector<char> source_touches, target_touches;  ///< whether the point overlaps
};
PointwiseFit pointwise_fit(const Scan& source, const Scan& target, const Placement& placement,
                           float tolerance);

/// By how many standard errors the points, each compared with itself, prefer one placement to
/// another: 0 where they can't tell, below it where they prefer the other.
float preference(const PointwiseFit& one, const PointwiseFit& other);

/// Share of neighbouring points of which one overlaps and the other does not, both scans added up:
/// a true overlap is in few pieces, a chance one is ragged.
float raggedness(const Scan& source, const Scan& target, const PointwiseFit& fit);

/// Information that the matches of a placement hold about a small motion of the source (rotation
/// about the target's centre, translation), as the normal equations of point-to-plane distances.
struct Information {
  Eigen::Matrix<double, 6, 6> system = Eigen::Matrix<double, 6, 6>::Zero();
  double weight = 0.0;  ///< sum of the matches' weights
};
Information information_at(const Scan& source, const Scan& target, const Placement& placement,
                           float reach);

/// How `settle` moves a placement downhill.
struct SettleSchedule {
  std::int64_t points = 256;  ///< of each scan
  int steps = 12;
  float first_reach = 0.0F;  ///< distance at which a match loses its say, at the first step …
  float last_reach = 0.0F;   ///< … and at the last; falls geometrically between
};

/// Point-to-plane steps in both directions, each match weighted by its distance, so that what does
/// not overlap loses its say as the reach shrinks.
Placement settle(const Scan& source, const Scan& target, Placement placement,
                 const SettleSchedule& schedule);

}  // namespace pointpng
