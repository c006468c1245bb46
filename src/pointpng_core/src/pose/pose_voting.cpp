#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "base/parallel.h"
#include "cloud/voxel_index.h"
#include "pose/propose.h"

namespace pointpng {
namespace {

constexpr float kPi = std::numbers::pi_v<float>;
constexpr int kLengthBins = 20, kTiltBins = 8, kFoldBins = 16;
constexpr int kBins = kLengthBins * kTiltBins * kTiltBins * kFoldBins;
constexpr int kRollBins = 32;

/// A point with a normal and the rotation that takes the normal to the x axis.
struct OrientedPoint {
  Eigen::Vector3f place, normal;
  Eigen::Matrix3f to_axis;
};

/// Another point as seen from an oriented point. Signs of normals mean nothing, so each is taken
/// such that it points along the line between the points; `sign` says whether the first was turned.
struct PairFeature {
  int bin = -1;        ///< of length and angles; -1: of no use
  float sign = 1.0F;   ///< of the first normal
  float roll = 0.0F;   ///< of the second point about the first normal, radians
  bool sign_is_open;   ///< the line is nearly in the first point's tangent plane …
  bool fold_is_open;   ///< … or the second's
  int other_fold_bin;  ///< where the pair would be with the second normal the other way
};

Eigen::Matrix3f rotation_to_x(const Eigen::Vector3f& normal) {
  Eigen::Matrix3f rows;
  rows.row(0) = normal.transpose();
  rows.row(1) = normal.unitOrthogonal().transpose();
  rows.row(2) = normal.cross(rows.row(1).transpose()).transpose();
  return rows;
}

std::vector<OrientedPoint> oriented_points(const PreparedCloudData& cloud, float spacing) {
  std::vector<OrientedPoint> points;
  for (const std::int64_t i : voxel_rows(cloud.points, spacing)) {
    const Eigen::Vector3f normal = cloud.normals.row(i).transpose();
    points.push_back({cloud.points.row(i).transpose(), normal, rotation_to_x(normal)});
  }
  return points;
}

PairFeature feature_of(const OrientedPoint& first, const OrientedPoint& second, float longest) {
  PairFeature feature;
  const Eigen::Vector3f line = second.place - first.place;
  const float length = line.norm();
  if (length < kPoseVoting.shortest * longest || length >= longest) return feature;
  const Eigen::Vector3f along = first.to_axis * line / length;
  const float tilt = along[0], other_tilt = second.normal.dot(line) / length;
  feature.sign = tilt < 0.0F ? -1.0F : 1.0F;
  const float other_sign = other_tilt < 0.0F ? -1.0F : 1.0F;
  const float fold = feature.sign * other_sign * first.normal.dot(second.normal);
  const float in_plane = kPoseVoting.in_plane;
  feature.sign_is_open = std::abs(tilt) < in_plane;
  feature.fold_is_open = std::abs(other_tilt) < in_plane;
  if (feature.sign_is_open && feature.fold_is_open && std::abs(fold) > kPoseVoting.parallel)
    return feature;  // both on one plane: would fit anywhere on any plane
  const auto tilt_bin = [](float cosine) {
    return std::min(kTiltBins - 1, static_cast<int>(std::acos(std::min(1.0F, std::abs(cosine))) *
                                                    (2.0F * kTiltBins / kPi)));
  };
  const auto fold_bin = [](float cosine) {
    return std::min(kFoldBins - 1, static_cast<int>(std::acos(std::clamp(cosine, -1.0F, 1.0F)) *
                                                    (kFoldBins / kPi)));
  };
  const int length_bin = std::min(kLengthBins - 1, static_cast<int>(length / longest * kLengthBins));
  const int before = (length_bin * kTiltBins + tilt_bin(tilt)) * kTiltBins + tilt_bin(other_tilt);
  feature.bin = before * kFoldBins + fold_bin(fold);
  feature.other_fold_bin = before * kFoldBins + fold_bin(-fold);
  // With the normal reversed the frame is rotated by half a turn about its y axis.
  feature.roll = std::atan2(feature.sign * along[2], along[1]);
  return feature;
}

/// A pair of the model in the table.
struct TableEntry {
  std::int32_t first;
  float sign, roll;
};

/// All pairs of the model, sorted by bin.
struct PairTable {
  std::vector<std::int32_t> start = std::vector<std::int32_t>(kBins + 1, 0);
  std::vector<TableEntry> entries;
};

PairTable table_of(const std::vector<OrientedPoint>& model, float longest) {
  std::vector<std::pair<std::int32_t, TableEntry>> found;
  for (std::size_t i = 0; i < model.size(); ++i)
    for (std::size_t j = 0; j < model.size(); ++j) {
      if (i == j) continue;
      const PairFeature feature = feature_of(model[i], model[j], longest);
      if (feature.bin < 0) continue;
      const auto add = [&](int bin, float sign, float roll) {
        found.push_back({bin, {static_cast<std::int32_t>(i), sign, roll}});
      };
      // Turned the other way, the fold changes its side and the roll its sign of z.
      const float other_roll = -feature.roll;
      add(feature.bin, feature.sign, feature.roll);
      if (feature.fold_is_open) add(feature.other_fold_bin, feature.sign, feature.roll);
      if (feature.sign_is_open) add(feature.other_fold_bin, -feature.sign, other_roll);
      if (feature.sign_is_open && feature.fold_is_open) add(feature.bin, -feature.sign, other_roll);
    }
  PairTable table;
  for (const auto& [bin, entry] : found) ++table.start[static_cast<std::size_t>(bin) + 1];
  std::partial_sum(table.start.begin(), table.start.end(), table.start.begin());
  table.entries.resize(found.size());
  std::vector<std::int32_t> next(table.start.begin(), table.start.end() - 1);
  for (const auto& [bin, entry] : found)
    table.entries[static_cast<std::size_t>(next[static_cast<std::size_t>(bin)]++)] = entry;
  return table;
}

struct VotedPose {
  RigidTransform scene_from_model;
  float votes = 0.0F;
};

/// Votes for the poses in which one point of the scene is a point of the model: which point, whether
/// its normal is reversed, and the roll about it.
class LocalAccumulator {
 public:
  explicit LocalAccumulator(std::size_t model_points)
      : votes_(model_points * 2 * kRollBins, 0.0F) {}

  void clear() { std::fill(votes_.begin(), votes_.end(), 0.0F); }

  void vote(const TableEntry& entry, const PairFeature& seen, float weight) {
    float roll = seen.sign * (seen.roll - entry.roll) / (2.0F * kPi);
    roll -= std::floor(roll);
    const auto reversed = static_cast<std::size_t>(entry.sign * seen.sign < 0.0F);
    const float at = roll * kRollBins;
    const auto bin = static_cast<std::size_t>(at) % kRollBins;
    const auto row = (static_cast<std::size_t>(entry.first) * 2 + reversed) * kRollBins;
    votes_[row + bin] += weight;
  }

  /// The fullest cells with their neighbours.
  void add_peaks(const OrientedPoint& seen, const std::vector<OrientedPoint>& model,
                 std::vector<VotedPose>& poses) const {
    std::array<std::size_t, 2> best = {0, 0};
    std::array<float, 2> most = {0.0F, 0.0F};
    for (std::size_t row = 0; row < votes_.size(); row += kRollBins)
      for (std::size_t bin = 0; bin < kRollBins; ++bin) {
        const float sum = smoothed(row, bin);
        if (sum <= most[1]) continue;
        if (sum > most[0]) {
          // The neighbour of a peak is no second peak.
          if (row != best[0] / kRollBins * kRollBins) best[1] = best[0], most[1] = most[0];
          best[0] = row + bin, most[0] = sum;
        } else if (row != best[0] / kRollBins * kRollBins) {
          best[1] = row + bin, most[1] = sum;
        }
      }
    for (std::size_t k = 0; k < best.size(); ++k)
      if (most[k] > 0.0F) poses.push_back({pose_at(best[k], seen, model), most[k]});
  }

 private:
  float smoothed(std::size_t row, std::size_t bin) const {
    return votes_[row + bin] + 0.5F * (votes_[row + (bin + 1) % kRollBins] +
                                       votes_[row + (bin + kRollBins - 1) % kRollBins]);
  }

  RigidTransform pose_at(std::size_t cell, const OrientedPoint& seen,
                         const std::vector<OrientedPoint>& model) const {
    const std::size_t bin = cell % kRollBins, reversed = cell / kRollBins % 2;
    const OrientedPoint& point = model[cell / kRollBins / 2];
    const float roll = 2.0F * kPi * (static_cast<float>(bin) + 0.5F) / kRollBins;
    Eigen::Matrix3f turn = Eigen::AngleAxisf(roll, Eigen::Vector3f::UnitX()).toRotationMatrix();
    if (reversed == 1) turn = turn * Eigen::Vector3f(-1.0F, 1.0F, -1.0F).asDiagonal();
    RigidTransform pose;
    pose.rotation = seen.to_axis.transpose() * turn * point.to_axis;
    pose.translation = seen.place - pose.rotation * point.place;
    return pose;
  }

  std::vector<float> votes_;
};

/// Poses that many scene points vote for, most votes first: each collects the votes of its likes.
std::vector<VotedPose> clustered(const RegistrationProblem& problem, std::vector<VotedPose> poses) {
  std::stable_sort(poses.begin(), poses.end(),
                   [](const VotedPose& a, const VotedPose& b) { return a.votes > b.votes; });
  poses.resize(std::min(poses.size(), kPoseVoting.clustered));
  std::vector<VotedPose> sums = poses;
  for (std::size_t i = 0; i < poses.size(); ++i)
    for (std::size_t j = 0; j < poses.size(); ++j)
      if (i != j && problem.is_same(poses[i].scene_from_model, poses[j].scene_from_model))
        sums[i].votes += poses[j].votes;
  std::stable_sort(sums.begin(), sums.end(),
                   [](const VotedPose& a, const VotedPose& b) { return a.votes > b.votes; });
  std::vector<VotedPose> distinct;
  for (const VotedPose& pose : sums) {
    if (distinct.size() == kPoseVoting.proposed) break;
    if (std::none_of(distinct.begin(), distinct.end(), [&](const VotedPose& other) {
          return problem.is_same(pose.scene_from_model, other.scene_from_model);
        }))
      distinct.push_back(pose);
  }
  return distinct;
}

}  // namespace

Candidates PoseVotingProposer::propose(const RegistrationProblem& problem) const {
  const bool source_is_model = problem.source.radius <= problem.target.radius;
  const PreparedCloudData& small = source_is_model ? problem.source : problem.target;
  const PreparedCloudData& large = source_is_model ? problem.target : problem.source;
  const float spacing = kPoseVoting.spacing * problem.radius;
  const float longest = kPoseVoting.longest * problem.radius;
  const std::vector<OrientedPoint> model = oriented_points(small, spacing);
  const std::vector<OrientedPoint> scene = oriented_points(large, spacing);
  const PairTable table = table_of(model, longest);

  Cloud places(static_cast<Eigen::Index>(scene.size()), 3);
  for (std::size_t i = 0; i < scene.size(); ++i)
    places.row(static_cast<Eigen::Index>(i)) = scene[i].place.transpose();
  const VoxelIndex index(places, longest);
  const std::size_t step = std::max<std::size_t>(1, scene.size() / kPoseVoting.references);
  const auto references = static_cast<std::int64_t>((scene.size() + step - 1) / step);
  constexpr std::int64_t kBlock = 16;
  std::vector<std::vector<VotedPose>> voted(static_cast<std::size_t>((references + kBlock - 1) / kBlock));
  parallel_for(0, static_cast<std::int64_t>(voted.size()), [&](std::int64_t block) {
    LocalAccumulator accumulator(model.size());
    for (std::int64_t r = block * kBlock; r < std::min(references, (block + 1) * kBlock); ++r) {
      const OrientedPoint& seen = scene[static_cast<std::size_t>(r) * step];
      accumulator.clear();
      index.for_each_within(seen.place, longest, [&](Eigen::Index row, float) {
        const PairFeature feature = feature_of(seen, scene[static_cast<std::size_t>(row)], longest);
        if (feature.bin < 0) return;
        const auto first = static_cast<std::size_t>(table.start[static_cast<std::size_t>(feature.bin)]),
                   last = static_cast<std::size_t>(table.start[static_cast<std::size_t>(feature.bin) + 1]);
        if (last - first > kPoseVoting.most_partners) return;
        for (std::size_t k = first; k < last; ++k)
          accumulator.vote(table.entries[k], feature, 1.0F);
      });
      accumulator.add_peaks(seen, model, voted[static_cast<std::size_t>(block)]);
    }
  });
  std::vector<VotedPose> poses;
  for (const auto& some : voted) poses.insert(poses.end(), some.begin(), some.end());

  Candidates proposed;
  for (const VotedPose& pose : clustered(problem, std::move(poses))) {
    Candidate candidate;
    candidate.pose = source_is_model ? pose.scene_from_model : pose.scene_from_model.inverse();
    candidate.origin = Origin::kPointPairs;
    proposed.push_back(candidate);
  }
  return proposed;
}

}  // namespace pointpng
