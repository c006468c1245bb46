#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <span>
#include <utility>

#include "base/parallel.h"
#include "base/random.h"
#include "pose/device_surface.h"
#include "pose/gravity.h"
#include "pose/normal_weights.h"
#include "pose/propose.h"

namespace pointpng {
namespace {

constexpr int kDistanceBins = 12, kAngleBins = 7;
constexpr int kBins = kDistanceBins * kAngleBins * kAngleBins * kAngleBins;

struct OrientedPair {
  int first, second;
};

struct Sample {
  std::vector<Eigen::Vector3f> points, normals;
};

Sample sample_of(const PreparedCloudData& cloud, std::int64_t count, std::uint64_t key) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(cloud.points.rows()));
  std::iota(rows.begin(), rows.end(), 0);
  Sample sample;
  for (const std::int64_t i :
       draw_by_weight(rows, cloud.weights, static_cast<std::size_t>(count), key)) {
    sample.points.emplace_back(cloud.points.row(i).transpose());
    sample.normals.emplace_back(cloud.normals.row(i).transpose());
  }
  return sample;
}

/// Distance and the three angles of two points with normals; angles between lines, because signs of
/// normals mean nothing. -1 where the pair is too short or too long, or all on one plane: then it
/// would fit anywhere on any plane.
int bin_of(const Sample& sample, OrientedPair pair, float radius) {
  const auto first = static_cast<std::size_t>(pair.first),
             second = static_cast<std::size_t>(pair.second);
  const Eigen::Vector3f line = sample.points[second] - sample.points[first];
  const float length = line.norm() / radius;
  if (length < kPointPairs.shortest || length >= kPointPairs.longest) return -1;
  const Eigen::Vector3f along = line / (length * radius);
  const auto angle_bin = [](float cosine) {
    const float angle = std::acos(std::min(1.0F, std::abs(cosine)));
    return std::min(kAngleBins - 1,
                    static_cast<int>(angle * (2.0F * kAngleBins / std::numbers::pi_v<float>)));
  };
  const int a = angle_bin(sample.normals[first].dot(along)),
            b = angle_bin(sample.normals[second].dot(along)),
            c = angle_bin(sample.normals[first].dot(sample.normals[second]));
  if (c == 0 && a == kAngleBins - 1 && b == kAngleBins - 1) return -1;
  const int d = static_cast<int>((length - kPointPairs.shortest) /
                                 (kPointPairs.longest - kPointPairs.shortest) * kDistanceBins);
  return ((d * kAngleBins + a) * kAngleBins + b) * kAngleBins + c;
}

/// All pairs of a sample, sorted by bin.
struct Table {
  std::array<int, kBins + 1> start{};
  std::vector<OrientedPair> pairs;
};

Table table_of(const Sample& sample, float radius) {
  const int count = static_cast<int>(sample.points.size());
  std::vector<std::pair<int, OrientedPair>> found;
  found.reserve(static_cast<std::size_t>(count) * static_cast<std::size_t>(count));
  Table table;
  for (int i = 0; i < count; ++i)
    for (int j = 0; j < count; ++j) {
      const int bin = i == j ? -1 : bin_of(sample, {i, j}, radius);
      if (bin < 0) continue;
      found.emplace_back(bin, OrientedPair{i, j});
      ++table.start[static_cast<std::size_t>(bin) + 1];
    }
  std::partial_sum(table.start.begin(), table.start.end(), table.start.begin());
  table.pairs.resize(found.size());
  std::array<int, kBins> next;
  std::copy_n(table.start.begin(), kBins, next.begin());
  for (const auto& [bin, pair] : found)
    table.pairs[static_cast<std::size_t>(next[static_cast<std::size_t>(bin)]++)] = pair;
  return table;
}

/// Axes along the line of a pair and across it, towards the first normal.
Eigen::Matrix3f frame_of(const Eigen::Vector3f& line, const Eigen::Vector3f& towards) {
  Eigen::Matrix3f frame;
  frame.col(0) = line.normalized();
  frame.col(1) = (towards - frame.col(0) * frame.col(0).dot(towards)).normalized();
  frame.col(2) = frame.col(0).cross(frame.col(1));
  return frame;
}

/// Where the first normal is nearly along the line, the second one tells the roll.
const Eigen::Vector3f& rolling_normal(const Sample& sample, OrientedPair pair, bool& is_first) {
  const auto first = static_cast<std::size_t>(pair.first),
             second = static_cast<std::size_t>(pair.second);
  const Eigen::Vector3f line = (sample.points[second] - sample.points[first]).normalized();
  is_first =
      std::abs(sample.normals[first].dot(line)) <= std::abs(sample.normals[second].dot(line));
  return is_first ? sample.normals[first] : sample.normals[second];
}

/// The poses (for either sign of the normal) that bring one pair onto the other.
void add_poses(const Sample& source, OrientedPair from, const Sample& target, OrientedPair to,
               std::vector<RigidTransform>& poses) {
  const auto at = [](const auto& rows, int i) -> const Eigen::Vector3f& {
    return rows[static_cast<std::size_t>(i)];
  };
  bool is_first = false;
  const Eigen::Vector3f& rolls = rolling_normal(source, from, is_first);
  const Eigen::Vector3f& onto = at(target.normals, is_first ? to.first : to.second);
  const Eigen::Matrix3f here =
      frame_of(at(source.points, from.second) - at(source.points, from.first), rolls);
  const Eigen::Vector3f line = at(target.points, to.second) - at(target.points, to.first);
  const Eigen::Vector3f& other_here = at(source.normals, is_first ? from.second : from.first);
  const Eigen::Vector3f& other_there = at(target.normals, is_first ? to.second : to.first);
  for (const float sign : {1.0F, -1.0F}) {
    RigidTransform pose;
    pose.rotation = frame_of(line, sign * onto) * here.transpose();
    if (!pose.rotation.allFinite()) continue;
    if (std::abs((pose.rotation * other_here).dot(other_there)) < kPointPairs.normal_agreement)
      continue;
    const Eigen::Vector3f middle_here =
        0.5F * (at(source.points, from.first) + at(source.points, from.second));
    const Eigen::Vector3f middle_there =
        0.5F * (at(target.points, to.first) + at(target.points, to.second));
    pose.translation = middle_there - pose.rotation * middle_here;
    poses.push_back(pose);
  }
}

/// Poses from pairs of the source, the rarer in the target's table the likelier, and some of their
/// matches.
std::vector<RigidTransform> looked_up(const Sample& source, const Sample& target, float radius) {
  const Table table = table_of(target, radius);
  Random random({static_cast<std::uint64_t>(kPointPairs.source_pairs), 0x9a175});
  std::vector<RigidTransform> poses;
  const auto count = static_cast<std::int64_t>(source.points.size());
  const std::int64_t attempts = kPointPairs.attempts_per_pair * kPointPairs.source_pairs;
  std::int64_t accepted = 0;
  for (std::int64_t i = 0; i < attempts && accepted < kPointPairs.source_pairs; ++i) {
    const OrientedPair pair{static_cast<int>(random.below(count)),
                            static_cast<int>(random.below(count))};
    const float luck = random.uniform();
    if (pair.first == pair.second) continue;
    const int bin = bin_of(source, pair, radius);
    if (bin < 0) continue;
    const int first = table.start[static_cast<std::size_t>(bin)],
              last = table.start[static_cast<std::size_t>(bin) + 1];
    if (first == last) continue;
    const auto partners = static_cast<float>(last - first);
    if (luck * partners > static_cast<float>(kPointPairs.matches)) continue;
    ++accepted;
    const std::int64_t taken = std::min<std::int64_t>(kPointPairs.matches, last - first);
    const std::int64_t offset = random.below(last - first);
    for (std::int64_t k = 0; k < taken; ++k)
      add_poses(source, pair, target,
                table.pairs[static_cast<std::size_t>(first + (offset + k * (last - first) / taken) %
                                                                 (last - first))],
                poses);
  }
  return poses;
}

/// How many points come near a surface, nearer ones counting more.
float quick_score(std::span<const Eigen::Vector3f> points, const PreparedCloudData& surface,
                  const RigidTransform& pose, float inlier_distance) {
  float sum = 0.0F;
  const float per_square = 1.0F / (inlier_distance * inlier_distance);
  for (const Eigen::Vector3f& point : points) {
    const Eigen::Vector3f place = pose * point;
    const int j = surface.field.nearest(place);
    if (j < 0) continue;
    const float square = (place - surface.points.row(j).transpose()).squaredNorm();
    sum += std::max(0.0F, 1.0F - square * per_square);
  }
  return sum;
}

/// The quick scores of the chosen poses, on this computer's threads …
void score_on_cpu(const RegistrationProblem& problem, const Sample& from, const Sample& to,
                  const std::vector<RigidTransform>& poses, const std::vector<std::size_t>& chosen,
                  std::vector<float>& scores) {
  constexpr std::int64_t kBlock = 256;  // poses that are worth a thread
  const float inlier_distance = kPointPairs.inlier_distance * problem.radius;
  const auto size = static_cast<std::int64_t>(chosen.size());
  parallel_for(0, (size + kBlock - 1) / kBlock, [&](std::int64_t block) {
    for (std::int64_t i = block * kBlock; i < std::min(size, (block + 1) * kBlock); ++i) {
      const std::size_t at = chosen[static_cast<std::size_t>(i)];
      scores[at] = quick_score(from.points, problem.target, poses[at], inlier_distance) +
                   quick_score(to.points, problem.source, poses[at].inverse(), inlier_distance);
    }
  });
}

/// … or on another device.
void score_by(const Judge& judge, const RegistrationProblem& problem, const Sample& from,
              const Sample& to, const std::vector<RigidTransform>& poses,
              const std::vector<std::size_t>& chosen, std::vector<float>& scores) {
  std::vector<cuda::Pose> flat;
  for (const std::size_t at : chosen) flat.push_back(device_pose(poses[at]));
  const std::vector<float> found = judge.quick_scores(
      {device_surface(problem.source), device_surface(problem.target), from.points.data()->data(),
       to.points.data()->data(), std::ssize(from.points), std::ssize(to.points), flat.data(),
       std::ssize(flat), kPointPairs.inlier_distance * problem.radius, nullptr});
  for (std::size_t i = 0; i < chosen.size(); ++i) scores[chosen[i]] = found[i];
}

/// The best `count` of the chosen poses by the quick score of `points` points of each cloud, best
/// first.
std::vector<std::size_t> best_by_quick_score(const RegistrationProblem& problem,
                                             const std::vector<RigidTransform>& poses,
                                             std::vector<std::size_t> chosen, std::int64_t points,
                                             std::size_t count) {
  const Sample from = sample_of(problem.source, points, 3),
               to = sample_of(problem.target, points, 4);
  const Embedder* embedder = problem.target.embedder.get();
  const Judge* judge = embedder == nullptr ? nullptr : embedder->judge();
  std::vector<float> scores(poses.size());
  if (judge != nullptr && !chosen.empty())
    score_by(*judge, problem, from, to, poses, chosen, scores);
  else
    score_on_cpu(problem, from, to, poses, chosen, scores);
  count = std::min(count, chosen.size());
  std::partial_sort(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(count),
                    chosen.end(), [&](std::size_t a, std::size_t b) {
                      return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
                    });
  chosen.resize(count);
  return chosen;
}

/// Adds the best of the chosen poses, `count` distinct ones at most.
void add_best(const RegistrationProblem& problem, const std::vector<RigidTransform>& poses,
              std::vector<std::size_t> chosen, std::size_t count, Candidates& proposed) {
  const std::size_t kept = chosen.size() / kPointPairs.first_kept;
  chosen = best_by_quick_score(problem, poses, std::move(chosen), kPointPairs.first_points, kept);
  chosen = best_by_quick_score(problem, poses, std::move(chosen), kPointPairs.second_points,
                               kPointPairs.second_kept);
  const std::size_t most = proposed.size() + count;
  for (const std::size_t i : chosen) {
    if (proposed.size() == most) break;
    if (std::none_of(proposed.begin(), proposed.end(), [&](const Candidate& other) {
          return problem.is_same(poses[i], other.pose);
        })) {
      Candidate candidate;
      candidate.pose = poses[i];
      candidate.origin = Origin::kPointPairs;
      proposed.push_back(candidate);
    }
  }
}

}  // namespace

Candidates PointPairProposer::propose(const RegistrationProblem& problem) const {
  const Sample from = sample_of(problem.source, kPointPairs.source_points, 1),
               to = sample_of(problem.target, kPointPairs.target_points, 2);
  const std::vector<RigidTransform> poses = looked_up(from, to, problem.radius);
  std::vector<std::size_t> upright, tilted;  // all are upright where up is not known
  for (std::size_t i = 0; i < poses.size(); ++i)
    (tilt_of(problem, poses[i]) <= kGravity.turned ? upright : tilted).push_back(i);
  Candidates proposed;
  add_best(problem, poses, std::move(upright), kPointPairs.proposed, proposed);
  add_best(problem, poses, std::move(tilted), kGravity.competitors, proposed);
  return proposed;
}

}  // namespace pointpng
