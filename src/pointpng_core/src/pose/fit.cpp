#include "pose/fit.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>

#include "pose/match_sums.h"

namespace pointpng {
namespace {

using System = Eigen::Matrix<float, 6, 6>;
using Step = Eigen::Matrix<float, 6, 1>;

/// Sums over the points of one scan that lie near the other's surface.
struct OneWay {
  float score = 0.0F, overlap = 0.0F, square = 0.0F;
  int counted = 0;
};

/// Every how many-th point is looked at, so that `points` of them are.
Eigen::Index stride(const Scan& scan, std::int64_t points) {
  return std::max<Eigen::Index>(1, scan.points.rows() / std::max<std::int64_t>(1, points));
}

/// What a point is worth that overlaps; `height` is its distance from the surface.
struct Touch {
  float worth, height;
};

/// Calls `use` with the row of every `step`-th point and, where it overlaps, its touch (else null).
template <typename Use>
void for_each_touch(const Scan& from, const Scan& to, const Placement& placement, Eigen::Index step,
                    float tolerance, Use use) {
  constexpr float kOffPlane = 0.25F;  // distance from the surface that counts, in tolerances
  constexpr float kNearMiss = 0.5F;   // what a point costs that is near the surface but not on it
  const float limit = tolerance * tolerance;
  const float off_plane_limit = kOffPlane * kOffPlane * limit;
  for (Eigen::Index i = 0; i < from.points.rows(); i += step) {
    const Eigen::Vector3f place = placement(from.points.row(i).transpose());
    const int j = to.field.nearest(place);
    const Eigen::Vector3f offset =
        j < 0 ? Eigen::Vector3f::Zero() : Eigen::Vector3f(place - to.points.row(j).transpose());
    const float square = offset.squaredNorm();
    if (j < 0 || square >= limit) {
      use(i, nullptr);
      continue;
    }
    const Eigen::Vector3f normal = to.normals.row(j).transpose();
    const float cosine = std::abs(normal.dot(placement.rotation * from.normals.row(i).transpose()));
    const float height = normal.dot(offset);
    const float on_plane = 1.0F - height * height / off_plane_limit;
    const float worth = on_plane >= 0.0F ? on_plane : kNearMiss * std::max(-1.0F, on_plane);
    const Touch touch{worth * (1.0F - 0.5F * square / limit) * cosine, height};
    use(i, &touch);
  }
}

OneWay measure_one_way(const Scan& from, const Scan& to, const Placement& placement,
                       std::int64_t points, float tolerance) {
  OneWay sum;
  for_each_touch(from, to, placement, stride(from, points), tolerance,
                 [&](Eigen::Index, const Touch* touch) {
                   ++sum.counted;
                   if (touch == nullptr) return;
                   sum.score += touch->worth;
                   sum.overlap += 1.0F;
                   sum.square += touch->height * touch->height;
                 });
  return sum;
}

/// Mean difference of what points are worth, and the square of its standard error.
struct Difference {
  double mean = 0.0, variance = 0.0;
};

Difference difference(const std::vector<float>& one, const std::vector<float>& other) {
  double sum = 0.0, squares = 0.0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    const double step = static_cast<double>(one[i]) - other[i];
    sum += step;
    squares += step * step;
  }
  const auto count = static_cast<double>(std::max<std::size_t>(1, one.size()));
  const double mean = sum / count;
  return {mean, std::max(0.0, squares / count - mean * mean) / count};
}

/// Share of pairs of neighbours of which one is marked.
float borders(const Scan& scan, const std::vector<char>& marked) {
  Eigen::Index borders = 0;
  for (Eigen::Index i = 0; i < scan.neighbours.rows(); ++i)
    for (Eigen::Index k = 0; k < scan.neighbours.cols(); ++k)
      borders += marked[static_cast<std::size_t>(i)] !=
                         marked[static_cast<std::size_t>(scan.neighbours(i, k))]
                     ? 1
                     : 0;
  return static_cast<float>(borders) /
         static_cast<float>(std::max<Eigen::Index>(1, scan.neighbours.size()));
}

/// Sums the matches of up to `points` of each scan, weighted by distance and by how far the normals
/// agree.
MatchSums matches_at(const Scan& source, const Scan& target, const Placement& placement,
                     std::int64_t points, float reach) {
  const float limit = reach * reach;
  MatchSums sums;
  const auto visit = [&](const Scan& from, const Scan& to, const Placement& motion, bool forward) {
    const Eigen::Index step = stride(from, points);
    for (Eigen::Index i = 0; i < from.points.rows(); i += step) {
      const Eigen::Vector3f here = from.points.row(i).transpose(), place = motion(here);
      const int j = to.field.nearest(place);
      if (j < 0) continue;
      const Eigen::Vector3f there = to.points.row(j).transpose();
      const float square = (place - there).squaredNorm();
      if (square >= 4.0F * limit) continue;
      const Eigen::Vector3f own = from.normals.row(i).transpose(),
                            other = to.normals.row(j).transpose();
      const float cosine = other.dot(motion.rotation * own);
      const float robust = 1.0F / (1.0F + square / limit);
      const float weight = robust * robust * cosine * cosine;
      sums.add(forward ? Match{place, there, other, weight}
                       : Match{placement(there), here, own, weight});
    }
  };
  visit(source, target, placement, true);
  visit(target, source, inverse(placement), false);
  sums.flush();
  return sums;
}

/// Turns and shifts have different units, so each kind is damped by its own size.
Step damped_solution(System system, const Step& right_side) {
  constexpr float kDamping = 3e-5F;
  system.diagonal().head<3>().array() += kDamping * system.diagonal().head<3>().sum();
  system.diagonal().tail<3>().array() += kDamping * system.diagonal().tail<3>().sum();
  const Step scale = system.diagonal().cwiseSqrt().cwiseInverse();
  const System scaled = scale.asDiagonal() * system * scale.asDiagonal();
  return scale.cwiseProduct(scaled.ldlt().solve(scale.cwiseProduct(right_side)));
}

Placement moved_by(const Step& step, const Placement& placement) {
  const float angle = step.head<3>().norm();
  const Eigen::Matrix3f turn =
      angle > 0.0F ? Eigen::AngleAxisf(angle, step.head<3>() / angle).toRotationMatrix()
                   : Eigen::Matrix3f::Identity();
  const Eigen::Matrix3f rotation = turn * placement.rotation;
  return {Eigen::Quaternionf(rotation).normalized().toRotationMatrix(),
          turn * placement.translation + step.tail<3>()};
}

}  // namespace

Placement inverse(const Placement& placement) {
  const Eigen::Matrix3f back = placement.rotation.transpose();
  return {back, -(back * placement.translation)};
}

float angle_between(const Placement& a, const Placement& b) {
  const float chord = (a.rotation - b.rotation).norm() / (2.0F * std::numbers::sqrt2_v<float>);
  return 2.0F * std::asin(std::min(1.0F, chord));
}

bool is_same_place(const Placement& a, const Placement& b, float radius) {
  constexpr float kSameTurn = 0.17F, kSameShift = 0.15F;  // radians, radii
  return (a.translation - b.translation).norm() < kSameShift * radius &&
         angle_between(a, b) < kSameTurn;
}

float common_spacing(const Scan& source, const Scan& target) {
  return std::max(source.spacing, target.spacing);
}

Fit measure_fit(const Scan& source, const Scan& target, const Placement& placement,
                std::int64_t points, float tolerance) {
  const OneWay there = measure_one_way(source, target, placement, points, tolerance);
  const OneWay back = measure_one_way(target, source, inverse(placement), points, tolerance);
  const auto share = [](float sum, int count) {
    return sum / static_cast<float>(std::max(1, count));
  };
  Fit fit;
  fit.score = 0.5F * (share(there.score, there.counted) + share(back.score, back.counted));
  fit.source_overlap = share(there.overlap, there.counted);
  fit.target_overlap = share(back.overlap, back.counted);
  fit.residual =
      std::sqrt((there.square + back.square) / std::max(1.0F, there.overlap + back.overlap));
  return fit;
}

PointwiseFit pointwise_fit(const Scan& source, const Scan& target, const Placement& placement,
                           float tolerance) {
  PointwiseFit fit;
  const auto collect = [&](const Scan& from, const Scan& to, const Placement& motion,
                           std::vector<float>& worth, std::vector<char>& touches) {
    for_each_touch(from, to, motion, 1, tolerance, [&](Eigen::Index, const Touch* touch) {
      worth.push_back(touch == nullptr ? 0.0F : touch->worth);
      touches.push_back(touch == nullptr ? 0 : 1);
    });
  };
  collect(source, target, placement, fit.source_worth, fit.source_touches);
  collect(target, source, inverse(placement), fit.target_worth, fit.target_touches);
  return fit;
}

float preference(const PointwiseFit& one, const PointwiseFit& other) {
  const Difference source = difference(one.source_worth, other.source_worth),
                   target = difference(one.target_worth, other.target_worth);
  const double error = std::sqrt(source.variance + target.variance);
  return error > 0.0 ? static_cast<float>((source.mean + target.mean) / error) : 0.0F;
}

float raggedness(const Scan& source, const Scan& target, const PointwiseFit& fit) {
  return borders(source, fit.source_touches) + borders(target, fit.target_touches);
}

Information information_at(const Scan& source, const Scan& target, const Placement& placement,
                           float reach) {
  const MatchSums sums =
      matches_at(source, target, placement, source.points.rows() + target.points.rows(), reach);
  return {sums.point_to_plane().system.cast<double>(), sums.weight()};
}

Placement settle(const Scan& source, const Scan& target, Placement placement,
                 const SettleSchedule& schedule) {
  constexpr float kLongestTurn = 0.35F;  // radians: beyond, the linear model says nothing
  constexpr float kSideways = 0.1F;      // little, so that flat things don't slide without end
  constexpr float kStill = 1e-4F;        // of the reach: a step that short changes nothing any more
  const float shrink = std::pow(schedule.last_reach / schedule.first_reach,
                                1.0F / static_cast<float>(std::max(1, schedule.steps - 1)));
  float reach = schedule.first_reach;
  for (int i = 0; i < schedule.steps; ++i, reach *= shrink) {
    const MatchSums sums = matches_at(source, target, placement, schedule.points, reach);
    const NormalEquations plane = sums.point_to_plane(), point = sums.point_to_point();
    Step step = damped_solution(plane.system + kSideways * point.system,
                                plane.right_side + kSideways * point.right_side);
    if (!step.allFinite()) break;  // nothing matches
    const float turn = step.head<3>().norm();
    if (turn > kLongestTurn) step *= kLongestTurn / turn;
    placement = moved_by(step, placement);
    if (turn * target.radius + step.tail<3>().norm() < kStill * schedule.last_reach) break;
  }
  return placement;
}

}  // namespace pointpng
