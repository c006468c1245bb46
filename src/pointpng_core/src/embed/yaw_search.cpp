#include "embed/yaw_search.h"

#include <cmath>
#include <numbers>

namespace pointpng {
namespace {

constexpr int kYaws = 72;  // the highest degree has at most a tenth as many peaks

/// Offset in steps of the top of the parabola through three values, of which the middle is largest.
double top_of(double before, double here, double after) {
  const double bend = before - 2.0 * here + after;
  return bend < 0.0 ? 0.5 * (before - after) / bend : 0.0;
}

}  // namespace

std::vector<RotationHypothesis> search_yaws(const Eigen::VectorXf& correlation, std::int64_t degree,
                                            const UpDirections& up,
                                            const RotationSearchConfig& config) {
  constexpr double kStep = 2.0 * std::numbers::pi / kYaws;
  const Eigen::Vector3d axis = up.target.normalized();
  const auto upright = Eigen::Quaterniond::FromTwoVectors(up.source, up.target);
  const auto rotation_at = [&](double steps) {
    return Eigen::Quaterniond(Eigen::AngleAxisd(steps * kStep, axis)) * upright;
  };
  const auto similarity_at = [&](const Eigen::Quaterniond& rotation) {
    return flat_wigner(rotation, degree).dot(correlation.cast<double>());
  };
  std::vector<double> similarity;
  for (int i = 0; i < kYaws; ++i) similarity.push_back(similarity_at(rotation_at(i)));
  std::vector<RotationHypothesis> peaks;
  for (int i = 0; i < kYaws; ++i) {
    const double before = similarity[static_cast<std::size_t>((i + kYaws - 1) % kYaws)],
                 here = similarity[static_cast<std::size_t>(i)],
                 after = similarity[static_cast<std::size_t>((i + 1) % kYaws)];
    if (before > here || after > here) continue;
    const Eigen::Quaterniond rotation = rotation_at(i + top_of(before, here, after));
    peaks.push_back({rotation, embedding_loss(similarity_at(rotation))});
  }
  return pick_distinct(std::move(peaks), config.num_hypotheses, config.distinct_deg);
}

}  // namespace pointpng
