#include "pointpng/alignment.h"

#include "base/geometry.h"

namespace pointpng {
namespace {

/// Applies a change of frames to the poses of an answer and a linear map to its covariance.
template <typename Change>
Alignment changed(const Alignment& alignment, const PoseCovariance& jacobian, Change change) {
  Alignment result = alignment;
  result.target_from_source = change(alignment.target_from_source);
  for (Hypothesis& hypothesis : result.hypotheses)
    hypothesis.target_from_source = change(hypothesis.target_from_source);
  result.covariance = jacobian * alignment.covariance * jacobian.transpose();
  return result;
}

}  // namespace

const std::string& to_string(Origin origin) {
  static const std::string names[] = {"embedding", "parts", "matches", "normals", "guess"};
  return names[static_cast<std::size_t>(origin)];
}

StageTimes& StageTimes::operator+=(const StageTimes& other) {
  prepare += other.prepare;
  embed += other.embed;
  search += other.search;
  parts += other.parts;
  refine += other.refine;
  total += other.total;
  return *this;
}

Alignment Alignment::inverse() const {
  const Eigen::Matrix3d back = target_from_source.linear().transpose();
  // First order: t + δt and exp(δθ) R give -Rᵀ(t + δt - δθ × t) and exp(-Rᵀ δθ) Rᵀ.
  PoseCovariance jacobian = PoseCovariance::Zero();
  jacobian.topLeftCorner<3, 3>() = -back;
  jacobian.topRightCorner<3, 3>() = -back * cross_matrix(target_from_source.translation());
  jacobian.bottomRightCorner<3, 3>() = -back;
  Alignment result =
      changed(*this, jacobian, [](const Eigen::Isometry3d& pose) { return pose.inverse(); });
  result.evidence.sliding_direction = back * evidence.sliding_direction;
  std::swap(result.evidence.source_overlap, result.evidence.target_overlap);
  std::swap(result.evidence.expected_source_overlap, result.evidence.expected_target_overlap);
  for (Hypothesis& hypothesis : result.hypotheses)
    std::swap(hypothesis.source_overlap, hypothesis.target_overlap);
  return result;
}

Alignment Alignment::in_frame(const Eigen::Isometry3d& frame_from_target) const {
  PoseCovariance jacobian = PoseCovariance::Zero();
  jacobian.topLeftCorner<3, 3>() = jacobian.bottomRightCorner<3, 3>() = frame_from_target.linear();
  Alignment result = changed(
      *this, jacobian, [&](const Eigen::Isometry3d& pose) { return frame_from_target * pose; });
  result.evidence.sliding_direction = frame_from_target.linear() * evidence.sliding_direction;
  return result;
}

Alignment Alignment::for_child(const Eigen::Isometry3d& source_from_child) const {
  // The origin is elsewhere now: a small rotation moves it.
  PoseCovariance jacobian = PoseCovariance::Identity();
  jacobian.topRightCorner<3, 3>() =
      -cross_matrix(target_from_source.linear() * source_from_child.translation());
  return changed(*this, jacobian,
                 [&](const Eigen::Isometry3d& pose) { return pose * source_from_child; });
}

std::array<double, 16> row_major(const Eigen::Isometry3d& transform) {
  std::array<double, 16> rows;
  Eigen::Map<Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>(rows.data()) = transform.matrix();
  return rows;
}

}  // namespace pointpng
