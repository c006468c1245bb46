#include "pointpng/registration.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/choices.h"
#include "base/parallel.h"
#include "base/stopwatch.h"
#include "pointpng/error.h"
#include "pose/gravity.h"
#include "pose/propose.h"
#include "pose/refine.h"
#include "pose/verify.h"

namespace pointpng {
namespace {

/// A sentence where the clouds' sizes say that they can't be registered; else empty.
std::string size_objection(const RegistrationProblem& problem, double ratio_limit) {
  const double ratio = static_cast<double>(problem.source.radius) / problem.target.radius;
  const double larger = std::max(ratio, 1.0 / ratio);
  if (larger <= ratio_limit) return "";
  return fmt::format("one cloud is {:.0f} times as large as the other: are both in the same unit?",
                     larger);
}

/// The clouds' notes, their preparation times and the total, added to an answer.
void add_clouds(const RegistrationProblem& problem, double elapsed_ms, Alignment& result) {
  for (const PreparedCloudData* cloud : {&problem.target, &problem.source})
    result.notes.insert(result.notes.begin(), cloud->notes.begin(), cloud->notes.end());
  result.times_ms.prepare = problem.source.take_prepare_ms() + problem.target.take_prepare_ms();
  result.times_ms.total = elapsed_ms + result.times_ms.prepare;
}

Alignment rejected(const RegistrationProblem& problem, std::string reason) {
  Alignment result;
  result.rejection_reason = std::move(reason);
  add_clouds(problem, 0.0, result);
  return result;
}

Candidates propose(const RegistrationProblem& problem,
                   const std::vector<const Proposer*>& proposers) {
  Candidates all;
  for (const Proposer* proposer : proposers) {
    const Candidates some = proposer->propose(problem);
    all.insert(all.end(), some.begin(), some.end());
  }
  turn_upright(problem, all);
  return all;
}

/// How often more hypotheses are proposed.
std::size_t rounds_of(Effort effort) { return static_cast<std::size_t>(effort) + 1; }

/// The pair at a resolution of the smaller cloud's spacing times `share`.
RegistrationProblem at_detail(const RegistrationProblem& problem, float share) {
  const PreparedCloudData& smaller =
      problem.source.radius <= problem.target.radius ? problem.source : problem.target;
  const float spacing = share * smaller.spacing;
  RegistrationProblem detailed(problem.source.at_spacing(spacing),
                               problem.target.at_spacing(spacing));
  detailed.is_detailed = &detailed.source != &problem.source || &detailed.target != &problem.target;
  return detailed;
}

/// The best rotations in embedding space; where up is known the best upright ones, and the others
/// as their competitors.
std::vector<RotationHypothesis> searched_rotations(const RegistrationProblem& problem,
                                                   const Embedder& embedder, int count) {
  const auto search = [&](const std::optional<UpDirections>& up) {
    return embedder.search(problem.source.embedding(), problem.target.embedding(),
                           {.num_hypotheses = count, .up = up});
  };
  std::vector<RotationHypothesis> rotations = search({});
  if (!problem.up) return rotations;
  const std::vector<RotationHypothesis> upright = search(problem.up);
  rotations.insert(rotations.begin(), upright.begin(), upright.end());
  return rotations;
}

/// Rotations of the embedding to a tenth of a degree: its last digits must not decide which local
/// minimum is found.
void round_rotations(std::vector<RotationHypothesis>& rotations) {
  for (RotationHypothesis& rotation : rotations) {
    Eigen::Vector4d& q = rotation.target_from_source.coeffs();
    q = (q * kVoting.rotation_steps).array().round() / kVoting.rotation_steps;
    rotation.target_from_source.normalize();
  }
}

}  // namespace

const std::vector<std::string>& refinement_names() {
  static const std::vector<std::string> names = {"none", "icp", "plane", "gicp"};
  return names;
}

Refinement parse_refinement(std::string_view name) {
  return static_cast<Refinement>(choice("refine", name, refinement_names()));
}

const std::string& to_string(Refinement refinement) {
  return refinement_names()[static_cast<std::size_t>(refinement)];
}

const std::vector<std::string>& effort_names() {
  static const std::vector<std::string> names = {"fast", "normal", "thorough"};
  return names;
}

Effort parse_effort(std::string_view name) {
  return static_cast<Effort>(choice("effort", name, effort_names()));
}

const std::string& to_string(Effort effort) {
  return effort_names()[static_cast<std::size_t>(effort)];
}

void validate(const RegistrationConfig& config) {
  require_in_range(range_of("hypotheses"), config.num_hypotheses);
  require_in_range(range_of("points"), config.num_points);
  require_in_range(range_of("confidence"), config.min_confidence);
}

Registration Registration::load(const std::string& model, const RegistrationConfig& config,
                                const ComputeOptions& compute) {
  require_in_range(range_of("threads"), compute.threads);
  set_num_threads(compute.threads);
  return {load_embedder(find_model(model), compute.device), config};
}

Registration::Registration(std::shared_ptr<const Embedder> embedder,
                           const RegistrationConfig& config)
    : embedder_(std::move(embedder)), config_(config) {
  validate(config_);
}

std::string Registration::device() const { return embedder_->device(); }

Registration Registration::with(const RegistrationConfig& config) const {
  return {embedder_, config};
}

PreparedCloud Registration::prepare(const Cloud& cloud, std::string_view name,
                                    const CloudOptions& options) const {
  const auto data = prepare_cloud(cloud, config_.num_points, name, options);
  data->embedder = embedder_;
  return PreparedCloud(data);
}

Alignment Registration::align(const PreparedCloud& source, const PreparedCloud& target,
                              const std::optional<Eigen::Isometry3d>& initial_guess) const {
  const RegistrationProblem whole(source.data(), target.data());
  if (std::string objection = size_objection(whole, kPair.max_size_ratio); !objection.empty())
    return rejected(whole, std::move(objection));
  const bool refines = config_.refinement != Refinement::kNone;
  const CoarseRefiner coarse;
  const Verifier verifier(config_);
  StageTimes times;
  Stopwatch total, watch;

  embed_together(std::array{&whole.source, &whole.target});
  times.embed = watch.lap_ms();
  std::vector<RotationHypothesis> rotations =
      searched_rotations(whole, *embedder_, config_.num_hypotheses);
  if (refines) round_rotations(rotations);
  times.search = watch.lap_ms();

  const CentroidProposer centroids(rotations);
  const GuessProposer guess(initial_guess);
  Candidates candidates = propose(whole, {&centroids, &guess});
  refines ? coarse.refine(whole, candidates) : score_all(whole, candidates);
  times.refine = watch.lap_ms();

  const RegistrationProblem* fine = &whole;
  const FineRefiner finely(config_.refinement);
  std::optional<RegistrationProblem> detailed;
  if (config_.partial_overlap && refines &&
      !verifier.is_decisive(whole, upright_first(whole, candidates))) {
    const RegistrationProblem parts = at_detail(whole, kEffort.coarse_detail);
    detailed.emplace(at_detail(whole, kEffort.fine_detail));
    fine = &*detailed;
    const TranslationVotingProposer translations(rotations);
    const PointPairProposer point_pairs;
    const PoseVotingProposer pose_voting, patient_voting(kEffort.patience);
    const LocalMatchProposer local_matches;
    const NormalDistributionProposer normals;
    const struct {
      const RegistrationProblem& problem;
      std::vector<const Proposer*> proposers;
    } rounds[] = {{parts, {&translations, &normals, &pose_voting}},
                  {parts, {&point_pairs, &local_matches}},
                  {*fine, {&patient_voting, &point_pairs, &local_matches}}};
    score_all(*fine, candidates);
    for (std::size_t round = 0; round < rounds_of(config_.effort); ++round) {
      Candidates more = propose(rounds[round].problem, rounds[round].proposers);
      coarse.refine(rounds[round].problem, *fine, more);
      candidates.insert(candidates.end(), more.begin(), more.end());
      sort_distinct(*fine, candidates);
      times.parts += watch.lap_ms();
      finely.refine(*fine, candidates);
      times.refine += watch.lap_ms();
      if (verifier.is_clear(*fine, upright_first(*fine, candidates))) break;
    }
  } else if (refines) {
    finely.refine(whole, candidates);
  }
  Alignment result = verifier.conclude(*fine, upright_first(*fine, candidates), /*searched=*/true);
  if (std::string doubt = size_objection(whole, kPair.usual_size_ratio);
      !result.accepted && !doubt.empty())
    result.rejection_reason = std::move(doubt);
  times.refine += watch.lap_ms();
  result.times_ms = times;
  add_clouds(whole, total.lap_ms(), result);
  return result;
}

void Registration::embed(std::span<const PreparedCloud> clouds) const {
  std::vector<const PreparedCloudData*> data;
  for (const PreparedCloud& cloud : clouds) data.push_back(&cloud.data());
  embed_together(data);
}

std::vector<Alignment> Registration::align_many(std::span<const PreparedPair> pairs) const {
  std::vector<PreparedCloud> clouds;
  for (const PreparedPair& pair : pairs) clouds.insert(clouds.end(), {pair.source, pair.target});
  Stopwatch watch;
  embed(clouds);
  const double embed_ms =
      watch.lap_ms() / static_cast<double>(std::max<std::size_t>(1, pairs.size()));
  std::vector<Alignment> found(pairs.size());
  parallel_for(0, std::ssize(pairs), [&](std::int64_t i) {
    const PreparedPair& pair = pairs[static_cast<std::size_t>(i)];
    Alignment& alignment = found[static_cast<std::size_t>(i)];
    alignment = align(pair.source, pair.target, pair.initial_guess);
    alignment.times_ms.embed += embed_ms;
    alignment.times_ms.total += embed_ms;
  });
  return found;
}

Alignment Registration::align_from(const PreparedCloud& source, const PreparedCloud& target,
                                   const Eigen::Isometry3d& initial_guess) const {
  const RegistrationProblem problem(source.data(), target.data());
  if (std::string objection = size_objection(problem, kPair.max_size_ratio); !objection.empty())
    return rejected(problem, std::move(objection));
  Stopwatch total;
  const std::optional<Eigen::Isometry3d> guess(initial_guess);
  Candidates candidates = GuessProposer(guess).propose(problem);
  CoarseRefiner().refine(problem, candidates);
  FineRefiner(config_.refinement).refine(problem, candidates);
  Alignment result = Verifier(config_).conclude(problem, candidates, /*searched=*/false);
  result.times_ms.refine = total.lap_ms();
  add_clouds(problem, result.times_ms.refine, result);
  return result;
}

Alignment Registration::align(const Cloud& source, const Cloud& target,
                              const CloudOptions& of_source, const CloudOptions& of_target) const {
  Stopwatch watch;
  std::array<std::optional<PreparedCloud>, 2> prepared;
  parallel_for(0, 2, [&](std::int64_t i) {
    prepared[static_cast<std::size_t>(i)] = i == 0 ? prepare(source, "the source", of_source)
                                                   : prepare(target, "the target", of_target);
  });
  const double elapsed_ms = watch.lap_ms();
  Alignment result = align(*prepared[0], *prepared[1]);
  result.times_ms.total += elapsed_ms - result.times_ms.prepare;  // both at the same time
  result.times_ms.prepare = elapsed_ms;
  return result;
}

}  // namespace pointpng
