#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include <Eigen/SVD>

#include "base/parallel.h"
#include "base/rows.h"
#include "cloud/sampling.h"
#include "cloud/voxel_index.h"
#include "embed/fast_math.h"
#include "embed/kernels.h"
#include "embed/rotation_search.h"
#include "embed/similarity_peak.h"
#include "embed/small_products.h"
#include "pose/propose.h"

namespace pointpng {
namespace {

using RowMatrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr int kDegree = 4;  // of the spherical harmonics
constexpr int kHarmonics = (kDegree + 1) * (kDegree + 1);
constexpr int kShells = 5, kChannels = 2 * kShells;  // every shell by itself and by |n · x|
constexpr int kCorrelation = 165;                    // Σ (2l+1)²
constexpr int kSpectrum = (kDegree + 1) * kChannels;

using Moments = Eigen::Matrix<float, kChannels, kHarmonics, Eigen::RowMajor>;

/// Balls of points about some keys of a cloud, described by moments that rotate as the cloud does.
struct Balls {
  Cloud keys;
  std::vector<Moments> moments;  ///< of unit length
  RowMatrix spectra;             ///< what no rotation changes: length of each degree and channel
};

/// Moments of one ball: radial shells × {1, |n · x|} × Y_l(x), all scaled to unit length.
Moments moments_of(const PreparedCloudData& cloud, const VoxelIndex& index,
                   const Eigen::Vector3f& key, float reach) {
  thread_local std::vector<float> directions, harmonics;
  thread_local std::vector<std::pair<float, float>> polar;  // distance, |n · x|
  directions.clear();
  polar.clear();
  index.for_each_within(key, reach, [&](Eigen::Index row, float square) {
    const float distance = std::sqrt(square);
    if (distance < 1e-6F * reach) return;
    const Eigen::Vector3f x = (cloud.points.row(row).transpose() - key) / distance;
    directions.insert(directions.end(), {x[0], x[1], x[2]});
    polar.emplace_back(distance / reach, std::abs(x.dot(cloud.normals.row(row).transpose())));
  });
  const auto count = static_cast<std::int64_t>(polar.size());
  harmonics.resize(static_cast<std::size_t>(count) * kHarmonics);
  kernels::spherical_harmonics(directions.data(), count, kDegree, harmonics.data());
  constexpr float kFirst = 0.15F, kStep = 0.175F;  // centres of the shells, in reaches
  Moments moments = Moments::Zero();
  for (std::int64_t i = 0; i < count; ++i) {
    const auto [distance, along] = polar[static_cast<std::size_t>(i)];
    const Eigen::Map<const Eigen::Matrix<float, 1, kHarmonics>> y(harmonics.data() +
                                                                  i * kHarmonics);
    const float place = (distance - kFirst) / kStep;
    const int below = static_cast<int>(std::floor(place));
    for (const int shell : {below, below + 1}) {
      if (shell < 0 || shell >= kShells) continue;
      const float weight = 1.0F - std::abs(place - static_cast<float>(shell));
      moments.row(shell) += weight * y;
      moments.row(shell + kShells) += weight * along * y;
    }
  }
  moments.col(0) *= kLocalMatches.degree_0;
  const float norm = moments.norm();
  return norm > 0.0F ? Moments(moments / norm) : moments;
}

Balls balls_of(const PreparedCloudData& cloud, std::int64_t count, float reach) {
  Balls balls;
  count = std::min<std::int64_t>(count, cloud.points.rows());
  balls.keys = rows_at(cloud.points, farthest_point_sample(cloud.points, count,
                                                           farthest_from_centroid(cloud.points)));
  balls.moments.resize(static_cast<std::size_t>(count));
  balls.spectra.resize(count, kSpectrum);
  const VoxelIndex index(cloud.points, reach);
  parallel_for(0, count, [&](std::int64_t i) {
    const Moments moments = moments_of(cloud, index, balls.keys.row(i).transpose(), reach);
    for (int l = 0; l <= kDegree; ++l)
      balls.spectra.row(i).segment(l * kChannels, kChannels) =
          moments.middleCols(l * l, 2 * l + 1).rowwise().norm().transpose();
    balls.moments[static_cast<std::size_t>(i)] = moments;
  });
  return balls;
}

/// A ball of the source and one of the target that may be the same, with the rotation between them:
/// a whole pose.
struct BallMatch {
  int source = 0, target = 0;
  float log_weight = 0.0F;  ///< how clearly each picks the other and this rotation
  RigidTransform pose;
};

void correlate(const Moments& source, const Moments& target, float* correlation) {
  for (int l = 0; l <= kDegree; ++l) {
    const int order = 2 * l + 1;
    Eigen::Map<RowMatrix>(correlation, order, order).noalias() =
        target.middleCols(l * l, order).transpose() * source.middleCols(l * l, order);
    correlation += order * order;
  }
}

/// Of a pair of balls over the grid of rotations: the best one, and the sum of exp(similarity / τ).
struct GridSummary {
  float best = 0.0F, mass = 0.0F;
  int rotation = 0;
};

POINTPNG_SIMD
void summarise(const float* correlations, std::int64_t count, const float* wigner_columns,
               std::int64_t rotations, float* similarity, GridSummary* summaries) {
  products::multiply({correlations, kCorrelation}, wigner_columns, rotations, count, kCorrelation,
                     rotations, similarity, rotations);
  for (std::int64_t i = 0; i < count; ++i) {
    const float* const row = similarity + i * rotations;
    GridSummary& summary = summaries[i];
    summary.best = row[0];
    summary.rotation = 0;
    for (std::int64_t r = 1; r < rotations; ++r)
      if (row[r] > summary.best) summary.best = row[r], summary.rotation = static_cast<int>(r);
    float mass = 0.0F;
    for (std::int64_t r = 0; r < rotations; ++r)
      if (row[r] > summary.best - 0.25F)
        mass += std::exp((row[r] - 1.0F) * (1.0F / kLocalMatches.temperature));
    summary.mass = mass;
  }
}

/// Pairs of rows whose spectra are most alike.
std::vector<std::pair<int, int>> similar_pairs(const Balls& source, const Balls& target) {
  const auto rows = source.spectra.rows(), columns = target.spectra.rows();
  const RowMatrix bound = source.spectra * target.spectra.transpose();
  const auto kept =
      static_cast<Eigen::Index>(kLocalMatches.similar * static_cast<float>(rows * columns));
  std::vector<std::int32_t> order(static_cast<std::size_t>(rows * columns));
  std::iota(order.begin(), order.end(), 0);
  std::nth_element(
      order.begin(), order.begin() + kept, order.end(),
      [&](std::int32_t a, std::int32_t b) { return bound.data()[a] > bound.data()[b]; });
  order.resize(static_cast<std::size_t>(kept));
  std::sort(order.begin(), order.end());
  std::vector<std::pair<int, int>> pairs;
  for (const std::int32_t at : order)
    pairs.emplace_back(at / static_cast<int>(columns), at % static_cast<int>(columns));
  return pairs;
}

/// The matches that are clearest: softmax over all partners and rotations of a ball, for both balls
/// (dual softmax), so that a flat patch, which fits many, says little.
std::vector<BallMatch> clear_matches(const Balls& source, const Balls& target) {
  const RotationGrid& grid = rotation_grid_with_wigner(kLocalMatches.rotations, kDegree);
  const RowMatrix wigner_columns = grid.wigner.transpose();
  const std::vector<std::pair<int, int>> pairs = similar_pairs(source, target);
  std::vector<GridSummary> summaries(pairs.size());
  constexpr std::int64_t kBlock = 64;
  const auto count = static_cast<std::int64_t>(pairs.size());
  parallel_for(0, (count + kBlock - 1) / kBlock, [&](std::int64_t block) {
    const std::int64_t first = block * kBlock, size = std::min(kBlock, count - first);
    std::vector<float> correlations(static_cast<std::size_t>(size * kCorrelation)),
        similarity(static_cast<std::size_t>(size * kLocalMatches.rotations));
    for (std::int64_t i = 0; i < size; ++i) {
      const auto [s, t] = pairs[static_cast<std::size_t>(first + i)];
      correlate(source.moments[static_cast<std::size_t>(s)],
                target.moments[static_cast<std::size_t>(t)],
                correlations.data() + i * kCorrelation);
    }
    summarise(correlations.data(), size, wigner_columns.data(), kLocalMatches.rotations,
              similarity.data(), summaries.data() + first);
  });
  std::vector<float> source_mass(source.moments.size(), 1e-30F),
      target_mass(target.moments.size(), 1e-30F);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    source_mass[static_cast<std::size_t>(pairs[i].first)] += summaries[i].mass;
    target_mass[static_cast<std::size_t>(pairs[i].second)] += summaries[i].mass;
  }
  const auto log_weight = [&](std::size_t i, float similarity) {
    return 2.0F * (similarity - 1.0F) / kLocalMatches.temperature -
           std::log(source_mass[static_cast<std::size_t>(pairs[i].first)]) -
           std::log(target_mass[static_cast<std::size_t>(pairs[i].second)]);
  };
  std::vector<float> weights(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) weights[i] = log_weight(i, summaries[i].best);
  std::vector<std::size_t> order(pairs.size());
  std::iota(order.begin(), order.end(), 0);
  const std::size_t kept = std::min(order.size(), kLocalMatches.matches);
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept), order.end(),
                    [&](std::size_t a, std::size_t b) {
                      return weights[a] != weights[b] ? weights[a] > weights[b] : a < b;
                    });
  std::vector<BallMatch> matches(kept);
  parallel_for(0, static_cast<std::int64_t>(kept), [&](std::int64_t k) {
    const std::size_t i = order[static_cast<std::size_t>(k)];
    const auto [s, t] = pairs[i];
    std::array<float, kCorrelation> correlation;
    correlate(source.moments[static_cast<std::size_t>(s)],
              target.moments[static_cast<std::size_t>(t)], correlation.data());
    const int rotation = summaries[i].rotation;
    const SimilarityPeak::Place peak =
        SimilarityPeak(grid.generators, correlation.data())
            .climb(grid.rotations[static_cast<std::size_t>(rotation)].cast<double>(),
                   grid.wigner.row(rotation).transpose(), kLocalMatches.newton_steps);
    BallMatch& match = matches[static_cast<std::size_t>(k)];
    match = {s, t, log_weight(i, static_cast<float>(peak.similarity)), {}};
    match.pose.rotation = peak.rotation.toRotationMatrix().cast<float>();
    match.pose.translation =
        target.keys.row(t).transpose() - match.pose.rotation * source.keys.row(s).transpose();
  });
  return matches;
}

struct KeyedMatch {
  BallMatch match;
  Eigen::Vector3f source, target;  ///< centres of the balls
  int voter;                       ///< ball of the source over all scales: has one vote
};

/// How far a match agrees with a pose, 0 to 1.
float agreement(const KeyedMatch& voter, const RigidTransform& pose, float reach) {
  const float off = (pose * voter.source - voter.target).squaredNorm() / (reach * reach);
  if (off >= 1.0F) return 0.0F;
  const float turned = angle_between(pose, voter.match.pose) / kLocalMatches.agreeing_angle;
  if (turned >= 1.0F) return 0.0F;
  return (1.0F - off) * (1.0F - turned * turned);
}

/// The pose that the matches that agree with it have in common (weighted Procrustes on the centres
/// and the rotations).
RigidTransform fitted(const std::vector<KeyedMatch>& matches, const std::vector<float>& weights,
                      const RigidTransform& about, float reach, float radius) {
  float total = 0.0F;
  Eigen::Vector3f source_mean = Eigen::Vector3f::Zero(), target_mean = Eigen::Vector3f::Zero();
  std::vector<float> shares(matches.size());
  for (std::size_t i = 0; i < matches.size(); ++i) {
    shares[i] = weights[i] * agreement(matches[i], about, reach);
    total += shares[i];
    source_mean += shares[i] * matches[i].source;
    target_mean += shares[i] * matches[i].target;
  }
  if (total <= 0.0F) return about;
  source_mean /= total;
  target_mean /= total;
  const float lever = kLocalMatches.lever * radius;
  Eigen::Matrix3f sum = Eigen::Matrix3f::Zero();
  for (std::size_t i = 0; i < matches.size(); ++i)
    if (shares[i] > 0.0F)
      sum += shares[i] / total *
             (matches[i].match.pose.rotation + (matches[i].target - target_mean) *
                                                   (matches[i].source - source_mean).transpose() /
                                                   (lever * lever));
  const Eigen::JacobiSVD<Eigen::Matrix3f> svd(sum, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Eigen::Matrix3f sign = Eigen::Matrix3f::Identity();
  sign(2, 2) = (svd.matrixU() * svd.matrixV().transpose()).determinant();
  RigidTransform pose;
  pose.rotation = svd.matrixU() * sign * svd.matrixV().transpose();
  pose.translation = target_mean - pose.rotation * source_mean;
  return pose;
}

/// The poses that most matches agree on.
Candidates voted(const RegistrationProblem& problem, const std::vector<KeyedMatch>& matches,
                 int voters) {
  const float reach = kLocalMatches.agreeing_shift * problem.radius;
  float best = -std::numeric_limits<float>::infinity();
  for (const KeyedMatch& match : matches) best = std::max(best, match.match.log_weight);
  std::vector<float> weights;
  for (const KeyedMatch& match : matches)
    weights.push_back(std::exp(kLocalMatches.power * (match.match.log_weight - best)));
  std::vector<float> votes(matches.size());
  parallel_for(0, static_cast<std::int64_t>(matches.size()), [&](std::int64_t i) {
    std::vector<float> of_voter(static_cast<std::size_t>(voters), 0.0F);
    const RigidTransform& pose = matches[static_cast<std::size_t>(i)].match.pose;
    for (std::size_t j = 0; j < matches.size(); ++j) {
      float& vote = of_voter[static_cast<std::size_t>(matches[j].voter)];
      vote = std::max(vote, weights[j] * agreement(matches[j], pose, reach));
    }
    votes[static_cast<std::size_t>(i)] = std::accumulate(of_voter.begin(), of_voter.end(), 0.0F);
  });
  std::vector<std::size_t> order(matches.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return votes[a] > votes[b]; });
  std::vector<const RigidTransform*> taken;
  Candidates proposed;
  for (const std::size_t i : order) {
    if (proposed.size() == kLocalMatches.proposed) break;
    const RigidTransform& pose = matches[i].match.pose;
    if (std::any_of(taken.begin(), taken.end(),
                    [&](const RigidTransform* other) { return problem.is_same(pose, *other); }))
      continue;
    taken.push_back(&pose);
    Candidate candidate;
    candidate.pose = fitted(matches, weights, pose, reach, problem.radius);
    candidate.origin = Origin::kLocalMatches;
    proposed.push_back(candidate);
  }
  return proposed;
}

}  // namespace

Candidates LocalMatchProposer::propose(const RegistrationProblem& problem) const {
  std::vector<KeyedMatch> matches;
  int voters = 0;
  for (const float share : kLocalMatches.reaches) {
    const float reach = share * problem.radius;
    const Balls source = balls_of(problem.source, kLocalMatches.source_keys, reach),
                target = balls_of(problem.target, kLocalMatches.target_keys, reach);
    for (const BallMatch& match : clear_matches(source, target))
      matches.push_back({match, source.keys.row(match.source).transpose(),
                         target.keys.row(match.target).transpose(), voters + match.source});
    voters += static_cast<int>(source.moments.size());
  }
  return voted(problem, matches, voters);
}

}  // namespace pointpng
