#include "pose/point_pairs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <span>
#include <utility>

#include <ATen/Parallel.h>

#include "base/random.h"

namespace pointpng {
namespace {

constexpr float kShortest = 0.35F, kLongest = 1.6F;  // baseline of a pair, in radii
constexpr int kDistanceBins = 12, kAngleBins = 7;
constexpr int kBins = kDistanceBins * kAngleBins * kAngleBins * kAngleBins;

struct OrientedPair {
  int first, second;
};

struct Sample {
  std::vector<Eigen::Vector3f> points, normals;
};

Sample sample_of(const Scan& scan, std::int64_t count, std::uint64_t key) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(scan.points.rows()));
  std::iota(order.begin(), order.end(), 0);
  Random({key}).shuffle(order);
  order.resize(std::min<std::size_t>(order.size(), static_cast<std::size_t>(count)));
  Sample sample;
  for (const std::int64_t i : order) {
    sample.points.emplace_back(scan.points.row(i).transpose());
    sample.normals.emplace_back(scan.normals.row(i).transpose());
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
  if (length < kShortest || length >= kLongest) return -1;
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
  const int d = static_cast<int>((length - kShortest) / (kLongest - kShortest) * kDistanceBins);
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

/// The placements (for either sign of the normal) that bring one pair onto the other.
void add_placements(const Sample& source, OrientedPair from, const Sample& target, OrientedPair to,
                    std::vector<Placement>& placements) {
  constexpr float kAgreeing = 0.85F;  // of the other normals, as |cosine|
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
    Placement placement;
    placement.rotation = frame_of(line, sign * onto) * here.transpose();
    if (!placement.rotation.allFinite()) continue;
    if (std::abs((placement.rotation * other_here).dot(other_there)) < kAgreeing) continue;
    const Eigen::Vector3f middle_here =
        0.5F * (at(source.points, from.first) + at(source.points, from.second));
    const Eigen::Vector3f middle_there =
        0.5F * (at(target.points, to.first) + at(target.points, to.second));
    placement.translation = middle_there - placement.rotation * middle_here;
    placements.push_back(placement);
  }
}

/// Pairs of the source, the rarer in the target's table the likelier, with some of their partners.
std::vector<Placement> looked_up(const Sample& source, const Sample& target, float radius,
                                 const PointPairsConfig& config) {
  const Table table = table_of(target, radius);
  Random random({static_cast<std::uint64_t>(config.source_pairs), 0x9a175});
  std::vector<Placement> placements;
  const auto count = static_cast<std::int64_t>(source.points.size());
  std::int64_t accepted = 0;
  for (std::int64_t tries = 0; tries < 40 * config.source_pairs && accepted < config.source_pairs;
       ++tries) {
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
    if (luck * partners > static_cast<float>(config.matches)) continue;
    ++accepted;
    const std::int64_t taken = std::min<std::int64_t>(config.matches, last - first);
    const std::int64_t offset = random.below(last - first);
    for (std::int64_t k = 0; k < taken; ++k)
      add_placements(source, pair, target,
                     table.pairs[static_cast<std::size_t>(
                         first + (offset + k * (last - first) / taken) % (last - first))],
                     placements);
  }
  return placements;
}

/// How many points come near a surface.
float glance(std::span<const Eigen::Vector3f> points, const Scan& surface,
             const Placement& placement, float reach) {
  float sum = 0.0F;
  const float per_square = 1.0F / (reach * reach);
  for (const Eigen::Vector3f& point : points) {
    const Eigen::Vector3f place = placement(point);
    const int j = surface.field.nearest(place);
    if (j < 0) continue;
    const float square = (place - surface.points.row(j).transpose()).squaredNorm();
    sum += std::max(0.0F, 1.0F - square * per_square);
  }
  return sum;
}

/// The best `count` of the candidates by a glance with `points` points of each scan, best first.
std::vector<std::size_t> best_at_a_glance(const std::vector<Placement>& placements,
                                          std::vector<std::size_t> candidates, const Scan& source,
                                          const Scan& target, std::int64_t points, float reach,
                                          std::size_t count) {
  const Sample from = sample_of(source, points, 3), to = sample_of(target, points, 4);
  std::vector<float> scores(placements.size());
  at::parallel_for(0, static_cast<std::int64_t>(candidates.size()), 256,
                   [&](std::int64_t begin, std::int64_t end) {
                     for (std::int64_t i = begin; i < end; ++i) {
                       const std::size_t candidate = candidates[static_cast<std::size_t>(i)];
                       const Placement& placement = placements[candidate];
                       scores[candidate] = glance(from.points, target, placement, reach) +
                                           glance(to.points, source, inverse(placement), reach);
                     }
                   });
  count = std::min(count, candidates.size());
  std::partial_sort(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(count),
                    candidates.end(), [&](std::size_t a, std::size_t b) {
                      return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
                    });
  candidates.resize(count);
  return candidates;
}

}  // namespace

std::vector<Placement> match_point_pairs(const Scan& source, const Scan& target,
                                         const PointPairsConfig& config) {
  const float radius = std::min(source.radius, target.radius);
  const Sample from = sample_of(source, config.source_points, 1),
               to = sample_of(target, config.target_points, 2);
  const std::vector<Placement> placements = looked_up(from, to, radius, config);
  const float reach = 0.15F * radius;
  std::vector<std::size_t> order(placements.size());
  std::iota(order.begin(), order.end(), 0);
  // A first look at all of them by few points, a second one at the promising.
  order = best_at_a_glance(placements, std::move(order), source, target, config.judged_points / 4,
                           reach, placements.size() / 8);
  order = best_at_a_glance(placements, std::move(order), source, target, config.judged_points,
                           reach, 1500);
  std::vector<Placement> kept;
  for (const std::size_t candidate : order) {
    if (std::cmp_greater_equal(kept.size(), config.kept)) break;
    const Placement& placement = placements[candidate];
    const bool is_known = std::any_of(kept.begin(), kept.end(), [&](const Placement& other) {
      return is_same_place(placement, other, radius);
    });
    if (!is_known) kept.push_back(placement);
  }
  return kept;
}

}  // namespace pointpng
