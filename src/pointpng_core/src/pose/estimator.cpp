#include "pose/estimator.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>
#include <utility>

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <torch/types.h>

#include "model/rotation.h"
#include "pose/embedding.h"
#include "pose/fit.h"
#include "pose/point_pairs.h"
#include "pose/refine.h"
#include "pose/translation.h"
#include "pose/verdict.h"

namespace pointpng {
namespace {

constexpr double kDegrees = 180.0 / std::numbers::pi;
constexpr float kTolerance = 1.5F;    // distance that counts as touching, in spacings
constexpr float kFirstReach = 0.15F;  // of the settling, in radii
constexpr float kContender = 0.8F;    // of the best score: below it a placement can't win any more
constexpr float kLikelyMode = 0.95F;  // of the best score: as good an answer as the best
constexpr double kLargestRatio = 20.0;  // of the sizes of two clouds
constexpr int kVotedShifts = 2;
constexpr std::size_t kMostRefined = 8;
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// A placement on its way through the stages.
struct Candidate {
  Placement placement;
  const char* origin = "";
  double embedding_loss = kUnknown;
  Fit fit;
};

class Stopwatch {
 public:
  double lap_ms() {
    const auto now = std::chrono::steady_clock::now();
    const double lap = std::chrono::duration<double, std::milli>(now - last_).count();
    last_ = now;
    return lap;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

float smaller_radius(const Scan& source, const Scan& target) {
  return std::min(source.radius, target.radius);
}

/// Best first, of placements that are nearly the same only the best.
void sort_distinct(std::vector<Candidate>& candidates, float radius) {
  std::stable_sort(
      candidates.begin(), candidates.end(),
      [](const Candidate& a, const Candidate& b) { return a.fit.score > b.fit.score; });
  std::vector<Candidate> distinct;
  for (const Candidate& candidate : candidates)
    if (std::none_of(distinct.begin(), distinct.end(), [&](const Candidate& other) {
          return is_same_place(candidate.placement, other.placement, radius);
        }))
      distinct.push_back(candidate);
  candidates = std::move(distinct);
}

/// Does `work` for every candidate, on all cores.
template <typename Work>
void for_each_candidate(std::span<Candidate> candidates, Work work) {
  at::parallel_for(0, static_cast<std::int64_t>(candidates.size()), 1,
                   [&](std::int64_t begin, std::int64_t end) {
                     for (std::int64_t i = begin; i < end; ++i)
                       work(candidates[static_cast<std::size_t>(i)]);
                   });
}

/// Rotations to a tenth of a degree. The last digits of an embedding depend on how LibTorch shares
/// its work among threads; what is settled from here on does not.
Tensor rounded(const Tensor& rotations) {
  constexpr double kSteps = 1024.0;
  return rotation::canonical((rotations * kSteps).round() / kSteps);
}

/// Rotations of the embedding, each from centroid to centroid, which is right for whole objects, or
/// with `voted_shifts` translations, which may be right for parts.
std::vector<Candidate> candidates_of(const Hypotheses& hypotheses, const Scan& source,
                                     const Scan& target, int voted_shifts) {
  const torch::Tensor matrices = rotation::to_matrix(hypotheses.rotations.cpu()).contiguous();
  const torch::Tensor losses = hypotheses.losses.cpu();
  std::vector<Candidate> candidates;
  for (std::int64_t k = 0; k < matrices.size(1); ++k) {
    const Eigen::Matrix3f rotation = Eigen::Map<const Eigen::Matrix<float, 3, 3, Eigen::RowMajor>>(
        matrices.data_ptr<float>() + 9 * k);
    const std::vector<Eigen::Vector3f> shifts =
        voted_shifts == 0 ? std::vector<Eigen::Vector3f>{Eigen::Vector3f::Zero()}
                          : voted_translations(rotation, source, target, voted_shifts);
    for (const Eigen::Vector3f& shift : shifts)
      candidates.push_back({{rotation, shift}, "embedding", losses[0][k].item<double>(), {}});
  }
  return candidates;
}

/// The guess between the scans' centred points.
Placement centred(const Eigen::Isometry3d& target_from_source, const Scan& source,
                  const Scan& target) {
  return {target_from_source.linear().cast<float>(),
          (target_from_source * source.centre - target.centre).cast<float>()};
}

Eigen::Isometry3d uncentred(const Placement& placement, const Scan& source, const Scan& target) {
  Eigen::Isometry3d transform = Eigen::Isometry3d::Identity();
  const Eigen::Matrix3d rotation =
      Eigen::Quaterniond(placement.rotation.cast<double>()).normalized().toRotationMatrix();
  transform.linear() = rotation;
  transform.translation() =
      target.centre + placement.translation.cast<double>() - rotation * source.centre;
  return transform;
}

/// Settles and judges placements by some points of each scan.
void settle_by(const SettleSchedule& schedule, std::vector<Candidate>& candidates,
               const Scan& source, const Scan& target) {
  const float tolerance = kTolerance * common_spacing(source, target);
  for_each_candidate(candidates, [&](Candidate& candidate) {
    candidate.placement = settle(source, target, candidate.placement, schedule);
    candidate.fit =
        measure_fit(source, target, candidate.placement, 2 * schedule.points, tolerance);
  });
  sort_distinct(candidates, smaller_radius(source, target));
}

/// First settling: of many placements by few points, of the promising by more.
void settle_all(std::vector<Candidate>& candidates, const Scan& source, const Scan& target) {
  constexpr std::size_t kPromising = 16;
  const float spacing = common_spacing(source, target);
  SettleSchedule schedule;
  schedule.first_reach = std::max(2.0F * spacing, kFirstReach * smaller_radius(source, target));
  schedule.last_reach = spacing;
  if (candidates.size() > kPromising) {
    SettleSchedule quick = schedule;
    quick.points = 96;
    quick.steps = 8;
    settle_by(quick, candidates, source, target);
    candidates.resize(std::min(candidates.size(), kPromising));
    schedule.first_reach = 3.0F * spacing;
    schedule.steps = 6;
  }
  settle_by(schedule, candidates, source, target);
}

/// Judges placements by all points.
void measure_all(std::vector<Candidate>& candidates, const Scan& source, const Scan& target) {
  const float tolerance = kTolerance * common_spacing(source, target);
  for_each_candidate(candidates, [&](Candidate& candidate) {
    candidate.fit = measure_fit(source, target, candidate.placement,
                                source.points.rows() + target.points.rows(), tolerance);
  });
  sort_distinct(candidates, smaller_radius(source, target));
}

/// Those of the candidates, best first, that may still win; the others stay as the measure of how
/// clear the case is.
std::span<Candidate> contenders(std::vector<Candidate>& candidates) {
  const float least = kContender * candidates.front().fit.score;
  const auto end =
      std::find_if(candidates.begin(), candidates.end(),
                   [&](const Candidate& candidate) { return candidate.fit.score < least; });
  return {candidates.begin(), end};
}

/// Last settling by all points, then PCL's refinement where it helps.
void refine_contenders(std::vector<Candidate>& candidates, const Scan& source, const Scan& target,
                       const PoseConfig& config) {
  const float radius = smaller_radius(source, target), spacing = common_spacing(source, target);
  const float tolerance = kTolerance * spacing;
  const auto all_points = source.points.rows() + target.points.rows();
  SettleSchedule schedule;
  schedule.points = all_points;
  schedule.steps = 8;
  schedule.first_reach = 2.0F * spacing;
  schedule.last_reach = spacing;
  candidates.resize(std::min(candidates.size(), kMostRefined));
  for_each_candidate(contenders(candidates), [&](Candidate& candidate) {
    candidate.placement = settle(source, target, candidate.placement, schedule);
    candidate.fit = measure_fit(source, target, candidate.placement, all_points, tolerance);
  });
  sort_distinct(candidates, radius);
  for_each_candidate(contenders(candidates), [&](Candidate& candidate) {
    // Where the surfaces slide, PCL's equations are singular, and it aborts on what comes out.
    const Information information = information_at(source, target, candidate.placement, spacing);
    if (free_directions(information, radius) > 0) return;
    const Refiner refiner(config.refine, source, target);
    const Placement refined = refiner(candidate.placement, candidate.fit.source_overlap);
    const Fit fit = measure_fit(source, target, refined, all_points, tolerance);
    if (fit.score > candidate.fit.score) {
      candidate.placement = refined;
      candidate.fit = fit;
    }
  });
  sort_distinct(candidates, radius);
}

bool is_whole(const Fit& fit) {
  constexpr float kWhole = 0.95F;
  return fit.source_overlap > kWhole && fit.target_overlap > kWhole;
}

/// a after b.
Placement operator*(const Placement& a, const Placement& b) {
  return {a.rotation * b.rotation, a(b.translation)};
}

/// Whether a motion brings a scan onto itself as well as `best` fits where the scans overlap.
bool is_symmetry_of(const Scan& scan, const Placement& motion, const Fit& best) {
  constexpr float kAsGood = 0.9F;
  constexpr std::int64_t kFew = 128;  // points tell most motions that are none
  constexpr float kFarFromWhole = 0.8F;
  const float tolerance = kTolerance * scan.spacing;
  if (measure_fit(scan, scan, motion, kFew, tolerance).source_overlap < kFarFromWhole) return false;
  const Fit fit = measure_fit(scan, scan, motion, scan.points.rows(), tolerance);
  const float overlap = 0.5F * (best.source_overlap + best.target_overlap);
  return is_whole(fit) && fit.score * overlap >= kAsGood * best.score;
}

/// Whether two placements differ by a symmetry of the source or the target: then both are right.
bool is_symmetry(const Candidate& best, const Candidate& other, const Scan& source,
                 const Scan& target) {
  return is_symmetry_of(source, inverse(other.placement) * best.placement, best.fit) ||
         is_symmetry_of(target, best.placement * inverse(other.placement), best.fit);
}

Evidence evidence_of(const std::vector<Candidate>& candidates, const Scan& source,
                     const Scan& target) {
  const float spacing = common_spacing(source, target), tolerance = kTolerance * spacing;
  const Candidate& best = candidates.front();
  const PointwiseFit best_points = pointwise_fit(source, target, best.placement, tolerance);
  Evidence evidence;
  evidence.score = evidence.margin = best.fit.score;
  evidence.source_overlap = best.fit.source_overlap;
  evidence.target_overlap = best.fit.target_overlap;
  evidence.residual = best.fit.residual / spacing;
  evidence.raggedness = raggedness(source, target, best_points);
  bool is_first = true;
  for (std::size_t k = 1; k < candidates.size(); ++k) {
    const Candidate& rival = candidates[k];
    if (is_symmetry(best, rival, source, target)) continue;
    if (is_first) {
      evidence.margin = best.fit.score - rival.fit.score;
      evidence.other_turn = kDegrees * angle_between(best.placement, rival.placement);
    }
    is_first = false;
    if (rival.fit.score > kContender * best.fit.score) evidence.rivals += 1.0;
    const PointwiseFit points = pointwise_fit(source, target, rival.placement, tolerance);
    evidence.preference = std::min<double>(evidence.preference, preference(best_points, points));
  }
  return evidence;
}

/// Whether the whole clouds fit so well that no part of them could tell better.
bool is_settled(const std::vector<Candidate>& candidates, const Scan& source, const Scan& target) {
  constexpr double kSure = 0.85;
  return is_whole(candidates.front().fit) &&
         confidence_of(evidence_of(candidates, source, target)) > kSure;
}

Hypothesis to_hypothesis(const Candidate& candidate, const Scan& source, const Scan& target) {
  return {uncentred(candidate.placement, source, target),
          candidate.origin,
          candidate.embedding_loss,
          candidate.fit.score,
          candidate.fit.source_overlap,
          candidate.fit.target_overlap,
          candidate.fit.residual};
}

/// Everything that is said about the best candidate.
void conclude(const std::vector<Candidate>& candidates, const Scan& source, const Scan& target,
              const PoseConfig& config, bool searched, Alignment& result) {
  const Candidate& best = candidates.front();
  Evidence evidence = evidence_of(candidates, source, target);
  evidence.searched = searched;
  const Information information =
      information_at(source, target, best.placement, common_spacing(source, target));
  evidence.free_directions = free_directions(information, smaller_radius(source, target));
  for (const Candidate& candidate : candidates) {
    result.hypotheses.push_back(to_hypothesis(candidate, source, target));
    if (std::cmp_greater_equal(result.hypotheses.size(), config.hypotheses)) break;
  }
  result.target_from_source = result.hypotheses.front().target_from_source;
  result.covariance =
      covariance_of(information, source, best.placement,
                    std::max(best.fit.residual, 1e-6F * common_spacing(source, target)));
  result.evidence = evidence;
  result.confidence = confidence_of(evidence);
  result.fitness = best.fit.score;
  result.residual = best.fit.residual;
  result.embedding_loss = best.embedding_loss;
  result.margin = evidence.margin;
  result.modes = static_cast<int>(
      std::count_if(candidates.begin(), candidates.end(), [&](const Candidate& candidate) {
        return candidate.fit.score >= kLikelyMode * best.fit.score;
      }));
  if (evidence.free_directions == 1)
    result.notes.emplace_back(
        "the shape turns on itself about an axis: the angle about that axis is arbitrary");
  result.reason = objection(evidence, result.confidence, config.confidence);
  result.accepted = result.reason.empty();
}

}  // namespace

PoseEstimator::PoseEstimator(std::shared_ptr<Model> model, PoseConfig config)
    : model_(std::move(model)), config_(std::move(config)) {
  validate(config_);
  config_.search.hypotheses = config_.hypotheses;
  model_->eval();
}

std::shared_ptr<const Scan> PoseEstimator::prepare(const Cloud& cloud,
                                                   std::string_view name) const {
  const auto scan = clean(cloud, name);
  embed(*scan);
  return scan;
}

std::shared_ptr<Scan> PoseEstimator::clean(const Cloud& cloud, std::string_view name) const {
  Stopwatch watch;
  auto scan = std::make_shared<Scan>(clean_scan(cloud, config_.points, name));
  scan->prepare_ms = watch.lap_ms();
  return scan;
}

void PoseEstimator::embed(Scan& scan) const {
  if (scan.embedding) return;
  const torch::NoGradGuard no_grad;
  Stopwatch watch;
  scan.embedding = std::make_shared<Embedding>(Embedding{model_->embed(scan.points, scan.name)});
  scan.embed_ms = watch.lap_ms();
}

Hypotheses PoseEstimator::rotations(const Scan& source, const Scan& target) const {
  const torch::NoGradGuard no_grad;
  return search(*model_, source.embedding->z, target.embedding->z, config_.search);
}

Alignment PoseEstimator::align(const Scan& source, const Scan& target,
                               const std::optional<Eigen::Isometry3d>& guess) const {
  const torch::NoGradGuard no_grad;
  Stopwatch whole, watch;
  Alignment result;
  result.notes = source.notes;
  result.notes.insert(result.notes.end(), target.notes.begin(), target.notes.end());
  const double ratio = static_cast<double>(source.radius) / target.radius;
  if (ratio > kLargestRatio || ratio < 1.0 / kLargestRatio) {
    result.reason =
        fmt::format("one cloud is {:.0f} times as large as the other: are both in the same unit?",
                    std::max(ratio, 1.0 / ratio));
    return result;
  }
  const bool refines = config_.refine != "none";
  Hypotheses found = rotations(source, target);
  if (refines) found.rotations = rounded(found.rotations);
  result.times_ms.search = watch.lap_ms();
  std::vector<Candidate> candidates = candidates_of(found, source, target, 0);
  if (guess) candidates.push_back({centred(*guess, source, target), "guess", kUnknown, {}});
  refines ? settle_all(candidates, source, target) : measure_all(candidates, source, target);
  result.times_ms.refine = watch.lap_ms();

  if (config_.parts && refines && !is_settled(candidates, source, target)) {
    std::vector<Candidate> of_parts = candidates_of(found, source, target, kVotedShifts);
    for (const Placement& placement : match_point_pairs(source, target, {}))
      of_parts.push_back({placement, "parts", kUnknown, {}});
    settle_all(of_parts, source, target);
    candidates.insert(candidates.end(), of_parts.begin(), of_parts.end());
    sort_distinct(candidates, smaller_radius(source, target));
    result.times_ms.parts = watch.lap_ms();
  }
  if (refines) refine_contenders(candidates, source, target, config_);
  conclude(candidates, source, target, config_, true, result);
  result.times_ms.refine += watch.lap_ms();
  result.times_ms.total = whole.lap_ms();
  return result;
}

Alignment PoseEstimator::align_near(const Scan& source, const Scan& target,
                                    const Eigen::Isometry3d& guess) const {
  Stopwatch watch;
  Alignment result;
  std::vector<Candidate> candidates = {{centred(guess, source, target), "guess", kUnknown, {}}};
  settle_all(candidates, source, target);
  refine_contenders(candidates, source, target, config_);
  conclude(candidates, source, target, config_, false, result);
  result.times_ms.refine = result.times_ms.total = watch.lap_ms();
  return result;
}

Alignment PoseEstimator::align(const Cloud& source, const Cloud& target) const {
  Stopwatch watch;
  // A thread each: an embedding is many small operations, which two threads share badly.
  std::shared_ptr<const Scan> scans[2];
  at::parallel_for(0, 2, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      scans[i] = i == 0 ? prepare(source, "the source") : prepare(target, "the target");
  });
  const double elapsed_ms = watch.lap_ms();
  const double cleaned_ms = scans[0]->prepare_ms + scans[1]->prepare_ms,
               embedded_ms = scans[0]->embed_ms + scans[1]->embed_ms;
  Alignment result = align(*scans[0], *scans[1]);
  result.times_ms.prepare = elapsed_ms * cleaned_ms / (cleaned_ms + embedded_ms);
  result.times_ms.embed = elapsed_ms - result.times_ms.prepare;
  result.times_ms.total += elapsed_ms;
  return result;
}

}  // namespace pointpng
