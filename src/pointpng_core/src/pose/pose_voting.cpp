#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "cloud/voxel_index.h"
#include "pose/normal_weights.h"
#include "pose/propose.h"

namespace pointpng {
namespace {

constexpr float kPi = std::numbers::pi_v<float>;
constexpr int kLengthBins = 20, kTiltBins = 8, kFoldBins = 16;
constexpr int kBins = kLengthBins * kTiltBins * kTiltBins * kFoldBins;
constexpr std::uint32_t kRollBins = 32;
constexpr unsigned kRollShift = 11;  // 2^16 steps in 32 bins

/// A point with a normal and the rotation that takes the normal to the x axis.
struct OrientedPoint {
  Eigen::Vector3f place, normal;
  Eigen::Matrix3f to_axis;
};

/// Bins of the angles that belong to a cosine in [-1, 1], by table: arc cosines would take most of
/// the time.
template <int kAngles>
class AngleBins {
 public:
  explicit AngleBins(float range) {
    for (int i = 0; i < kSteps; ++i) {
      const float cosine = -1.0F + (static_cast<float>(i) + 0.5F) * 2.0F / kSteps;
      bins_[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(
          std::clamp(static_cast<int>(std::acos(cosine) / range * kAngles), 0, kAngles - 1));
    }
  }
  int operator()(float cosine) const {
    const int step = static_cast<int>((cosine + 1.0F) * (0.5F * kSteps));
    return bins_[static_cast<std::size_t>(std::clamp(step, 0, kSteps - 1))];
  }

 private:
  static constexpr int kSteps = 1024;
  std::array<std::uint8_t, kSteps> bins_;
};

/// A full turn in 2^16 steps: sums and differences wrap by themselves.
using Roll = std::uint16_t;

/// atan2 in those steps, to a quarter of a degree.
Roll roll_of(float y, float x) {
  const float ay = std::abs(y), ax = std::abs(x);
  const float ratio = std::min(ax, ay) / std::max(std::max(ax, ay), 1e-30F);
  float turn = ratio * (0.159155F + 0.0434F * (1.0F - ratio));  // of the first octant
  if (ay > ax) turn = 0.25F - turn;
  if (x < 0.0F) turn = 0.5F - turn;
  if (y < 0.0F) turn = -turn;
  return static_cast<Roll>(static_cast<int>(turn * 65536.0F));
}

/// Another point as seen from an oriented point. Signs of normals mean nothing, so each is taken
/// such that it points along the line between the points.
struct PairFeature {
  int bin = -1;                 ///< of length and angles; -1: of no use
  int other_bin = -1;           ///< where it would be with one of the normals the other way
  bool turned = false;          ///< whether the first normal was turned
  Roll roll = 0;                ///< of the second point about the first normal
  bool first_is_open = false;   ///< the line is nearly in the first point's tangent plane …
  bool second_is_open = false;  ///< … or in the second's
};

Eigen::Matrix3f rotation_to_x(const Eigen::Vector3f& normal) {
  Eigen::Matrix3f rows;
  rows.row(0) = normal.transpose();
  rows.row(1) = normal.unitOrthogonal().transpose();
  rows.row(2) = normal.cross(rows.row(1).transpose()).transpose();
  return rows;
}

std::vector<OrientedPoint> oriented_points(const PreparedCloudData& cloud,
                                           const std::vector<std::int64_t>& rows) {
  std::vector<OrientedPoint> points;
  points.reserve(rows.size());
  for (const std::int64_t i : rows) {
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
  feature.turned = tilt < 0.0F;
  const float fold =
      (feature.turned == (other_tilt < 0.0F) ? 1.0F : -1.0F) * first.normal.dot(second.normal);
  feature.first_is_open = std::abs(tilt) < kPoseVoting.in_plane;
  feature.second_is_open = std::abs(other_tilt) < kPoseVoting.in_plane;
  if (feature.first_is_open && feature.second_is_open && std::abs(fold) > kPoseVoting.parallel)
    return feature;  // both on one plane: would fit anywhere on any plane
  static const AngleBins<kTiltBins> tilt_bin(0.5F * kPi);
  static const AngleBins<kFoldBins> fold_bin(kPi);
  const int length_bin = static_cast<int>(length / longest * kLengthBins);
  const int before = (length_bin * kTiltBins + tilt_bin(std::abs(tilt))) * kTiltBins +
                     tilt_bin(std::abs(other_tilt));
  feature.bin = before * kFoldBins + fold_bin(fold);
  feature.other_bin = before * kFoldBins + fold_bin(-fold);
  // With the normal turned the frame is rotated by half a turn about its y axis.
  feature.roll = roll_of(feature.turned ? -along[2] : along[2], along[1]);
  return feature;
}

/// A pair of the model in the table.
struct TableEntry {
  std::uint32_t row;  ///< of its first point in the accumulator, the first or the turned one
  Roll roll;
};

/// Rows of the accumulator: two per point of the model, its normal as it is and turned.
std::uint32_t row_of(std::size_t point, bool turned) {
  return static_cast<std::uint32_t>((2 * point + (turned ? 1 : 0)) * kRollBins);
}

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
      const auto add = [&](int bin, bool turned, Roll roll) {
        found.push_back({bin, {row_of(i, turned), roll}});
      };
      // A normal in whose tangent plane the line is may as well be taken the other way.
      const Roll other_roll = static_cast<Roll>(-feature.roll);
      add(feature.bin, feature.turned, feature.roll);
      if (feature.second_is_open) add(feature.other_bin, feature.turned, feature.roll);
      if (feature.first_is_open) add(feature.other_bin, !feature.turned, other_roll);
      if (feature.first_is_open && feature.second_is_open)
        add(feature.bin, !feature.turned, other_roll);
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

/// Votes for the poses in which one point of the scene is a point of the model: which point,
/// whether its normal is turned, and the roll about it.
class LocalAccumulator {
 public:
  explicit LocalAccumulator(std::size_t model_points) : votes_(model_points * 2 * kRollBins, 0) {}

  void clear() { std::fill(votes_.begin(), votes_.end(), Votes{0}); }

  /// For all pairs of the model that look like this one.
  void vote(std::span<const TableEntry> entries, const PairFeature& seen) {
    const std::uint32_t turned = seen.turned ? kRollBins : 0;
    for (const TableEntry& entry : entries) {
      const auto difference =
          static_cast<Roll>(seen.turned ? entry.roll - seen.roll : seen.roll - entry.roll);
      ++votes_[(entry.row ^ turned) + (difference >> kRollShift)];
    }
  }

  /// The two fullest cells, each with its neighbours, of different points.
  void add_peaks(const OrientedPoint& seen, const std::vector<OrientedPoint>& model,
                 std::vector<VotedPose>& poses) const {
    struct Peak {
      std::size_t cell = 0;
      int votes = 0;
    };
    std::array<Peak, 2> best;
    for (std::size_t row = 0; row < votes_.size(); row += kRollBins) {
      const Votes* const votes = votes_.data() + row;
      // A cell counts twice and its neighbours once, so no cell has more than this.
      if (4 * *std::max_element(votes, votes + kRollBins) <= best[1].votes) continue;
      Peak peak;
      for (std::size_t bin = 0; bin < kRollBins; ++bin) {
        const int sum = 2 * votes[bin] + votes[(bin + 1) % kRollBins] +
                        votes[(bin + kRollBins - 1) % kRollBins];
        if (sum > peak.votes) peak = {row + bin, sum};
      }
      if (peak.votes > best[0].votes)
        best = {peak, best[0]};
      else if (peak.votes > best[1].votes)
        best[1] = peak;
    }
    for (const Peak& peak : best)
      if (peak.votes > 0)
        poses.push_back({pose_at(peak.cell, seen, model), static_cast<float>(peak.votes)});
  }

 private:
  using Votes = std::uint16_t;

  RigidTransform pose_at(std::size_t cell, const OrientedPoint& seen,
                         const std::vector<OrientedPoint>& model) const {
    const std::size_t bin = cell % kRollBins, turned = cell / kRollBins % 2;
    const OrientedPoint& point = model[cell / kRollBins / 2];
    const float roll = 2.0F * kPi * (static_cast<float>(bin) + 0.5F) / kRollBins;
    Eigen::Matrix3f turn = Eigen::AngleAxisf(roll, Eigen::Vector3f::UnitX()).toRotationMatrix();
    if (turned == 1) turn = turn * Eigen::Vector3f(-1.0F, 1.0F, -1.0F).asDiagonal();
    RigidTransform pose;
    pose.rotation = seen.to_axis.transpose() * turn * point.to_axis;
    pose.translation = seen.place - pose.rotation * point.place;
    return pose;
  }

  std::vector<Votes> votes_;
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
  const std::vector<OrientedPoint> model =
      oriented_points(small, draw_by_weight(voxel_rows(small.points, spacing), small.weights,
                                            effort_ * kPoseVoting.model_points, 1));
  const std::vector<std::int64_t> scene_rows = voxel_rows(large.points, spacing);
  const std::vector<OrientedPoint> scene = oriented_points(large, scene_rows),
                                   voters = oriented_points(
                                       large, draw_by_weight(scene_rows, large.weights,
                                                             effort_ * kPoseVoting.references, 2));
  const PairTable table = table_of(model, longest);

  Cloud places(static_cast<Eigen::Index>(scene.size()), 3);
  for (std::size_t i = 0; i < scene.size(); ++i)
    places.row(static_cast<Eigen::Index>(i)) = scene[i].place.transpose();
  const VoxelIndex index(places, longest);
  const auto references = std::ssize(voters);
  constexpr std::int64_t kBlock = 16;
  std::vector<std::vector<VotedPose>> voted(
      static_cast<std::size_t>((references + kBlock - 1) / kBlock));
  parallel_for(0, static_cast<std::int64_t>(voted.size()), [&](std::int64_t block) {
    LocalAccumulator accumulator(model.size());
    for (std::int64_t r = block * kBlock; r < std::min(references, (block + 1) * kBlock); ++r) {
      const OrientedPoint& seen = voters[static_cast<std::size_t>(r)];
      accumulator.clear();
      index.for_each_within(seen.place, longest, [&](Eigen::Index row, float) {
        const PairFeature feature = feature_of(seen, scene[static_cast<std::size_t>(row)], longest);
        if (feature.bin < 0) return;
        const std::int32_t* const start = table.start.data() + feature.bin;
        const auto count = static_cast<std::size_t>(start[1] - start[0]);
        if (count <= kPoseVoting.most_partners)
          accumulator.vote({table.entries.data() + start[0], count}, feature);
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
