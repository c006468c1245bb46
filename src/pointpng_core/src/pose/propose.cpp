#include "pose/propose.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/parallel.h"
#include "embed/kernels.h"
#include "pose/normal_weights.h"

namespace pointpng {
namespace {

constexpr int kDegree = 4;  // of the spherical harmonics of normals

Candidate candidate_of(const RotationHypothesis& rotation, const Eigen::Vector3f& translation) {
  return {{rotation.target_from_source.toRotationMatrix().cast<float>(), translation},
          Origin::kEmbedding,
          rotation.loss,
          {}};
}

/// Counts of translations over a cube around the origin.
class Histogram {
 public:
  explicit Histogram(float half_edge)
      : cells_per_unit_(0.5F * static_cast<float>(kVoting.cells) / half_edge) {}

  void vote(const Eigen::Vector3f& shift) {
    const Eigen::Vector3i cell =
        (shift.array() * cells_per_unit_ + 0.5F * static_cast<float>(kVoting.cells))
            .floor()
            .cast<int>();
    if (cell.minCoeff() < 0 || cell.maxCoeff() >= kVoting.cells) return;
    ++counts_[index(cell[0], cell[1], cell[2])];
  }

  /// Centre of the fullest cell and its neighbours, which are cleared.
  Eigen::Vector3f take_peak() {
    const auto fullest = std::max_element(counts_.begin(), counts_.end());
    const int at = static_cast<int>(fullest - counts_.begin());
    const Eigen::Vector3i cell(at / (kVoting.cells * kVoting.cells),
                               at / kVoting.cells % kVoting.cells, at % kVoting.cells);
    Eigen::Vector3f sum = Eigen::Vector3f::Zero();
    float total = 0.0F;
    const Eigen::Vector3i low = (cell.array() - 1).max(0),
                          high = (cell.array() + 1).min(kVoting.cells - 1);
    for (int x = low[0]; x <= high[0]; ++x)
      for (int y = low[1]; y <= high[1]; ++y)
        for (int z = low[2]; z <= high[2]; ++z) {
          int& count = counts_[index(x, y, z)];
          const auto weight = static_cast<float>(count);
          sum += weight * Eigen::Vector3f(static_cast<float>(x), static_cast<float>(y),
                                          static_cast<float>(z));
          total += weight;
          count = 0;
        }
    if (total == 0.0F) return Eigen::Vector3f::Zero();
    return ((sum / total).array() + 0.5F - 0.5F * static_cast<float>(kVoting.cells)) /
           cells_per_unit_;
  }

 private:
  static std::size_t index(int x, int y, int z) {
    return (static_cast<std::size_t>(x) * kVoting.cells + static_cast<std::size_t>(y)) *
               kVoting.cells +
           static_cast<std::size_t>(z);
  }

  float cells_per_unit_;
  std::vector<int> counts_ = std::vector<int>(index(kVoting.cells, 0, 0), 0);
};

/// Some points of a cloud with rare normals more often, as [x, y, z, nx, ny, nz].
Eigen::Matrix<float, 6, Eigen::Dynamic> voters_of(const PreparedCloudData& cloud,
                                                  std::int64_t count) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(cloud.points.rows()));
  std::iota(rows.begin(), rows.end(), 0);
  rows = draw_by_weight(rows, cloud.weights, static_cast<std::size_t>(count), 5);
  Eigen::Matrix<float, 6, Eigen::Dynamic> voters(6, std::ssize(rows));
  for (std::size_t k = 0; k < rows.size(); ++k)
    voters.col(static_cast<Eigen::Index>(k)) << cloud.points.row(rows[k]).transpose(),
        cloud.normals.row(rows[k]).transpose();
  return voters;
}

/// Each rotation with the translations that most pairs of voters with similar normals agree on.
Candidates with_voted_translations(const RegistrationProblem& problem,
                                   const std::vector<RotationHypothesis>& rotations,
                                   std::int64_t voters, int translations) {
  const auto from = voters_of(problem.source, voters), to = voters_of(problem.target, voters);
  std::vector<Candidates> found(rotations.size());
  parallel_for(0, std::ssize(rotations), [&](std::int64_t r) {
    const RotationHypothesis& hypothesis = rotations[static_cast<std::size_t>(r)];
    const Eigen::Matrix3f rotation = hypothesis.target_from_source.toRotationMatrix().cast<float>();
    Histogram histogram(kVoting.largest_shift *
                        std::max(problem.source.radius, problem.target.radius));
    for (Eigen::Index i = 0; i < from.cols(); ++i) {
      const Eigen::Vector3f place = rotation * from.col(i).head<3>(),
                            normal = rotation * from.col(i).tail<3>();
      for (Eigen::Index j = 0; j < to.cols(); ++j)
        if (std::abs(to.col(j).tail<3>().dot(normal)) > kVoting.normal_agreement)
          histogram.vote(to.col(j).head<3>() - place);
    }
    for (int k = 0; k < translations; ++k)
      found[static_cast<std::size_t>(r)].push_back(candidate_of(hypothesis, histogram.take_peak()));
  });
  Candidates all;
  for (const Candidates& some : found) all.insert(all.end(), some.begin(), some.end());
  return all;
}

/// Spherical harmonics of the normals, on average; the constant one is left out.
Eigen::VectorXf normal_distribution(const PreparedCloudData& cloud) {
  constexpr std::int64_t kHarmonics = (kDegree + 1) * (kDegree + 1);
  Eigen::Matrix<float, Eigen::Dynamic, kHarmonics, Eigen::RowMajor> harmonics(cloud.normals.rows(),
                                                                              kHarmonics);
  kernels::spherical_harmonics(cloud.normals.data(), cloud.normals.rows(), kDegree,
                               harmonics.data());
  Eigen::VectorXf sums = harmonics.colwise().sum().transpose();
  sums[0] = 0.0F;
  for (int l = 1; l <= kDegree; l += 2) sums.segment(l * l, 2 * l + 1).setZero();  // no signs
  return sums.normalized();
}

}  // namespace

Candidates CentroidProposer::propose(const RegistrationProblem& /*problem*/) const {
  Candidates candidates;
  for (const RotationHypothesis& rotation : rotations_)
    candidates.push_back(candidate_of(rotation, Eigen::Vector3f::Zero()));
  return candidates;
}

Candidates TranslationVotingProposer::propose(const RegistrationProblem& problem) const {
  return with_voted_translations(problem, rotations_, kVoting.voters, kVoting.translations);
}

Candidates NormalDistributionProposer::propose(const RegistrationProblem& problem) const {
  const std::vector<std::int64_t> one_channel(kDegree + 1, 1);
  const std::vector<RotationHypothesis> rotations = search_rotations(
      one_channel, normal_distribution(problem.source), normal_distribution(problem.target),
      {.num_hypotheses = kNormalDistribution.rotations,
       .distinct_deg = kNormalDistribution.distinct_deg,
       .num_refined = kNormalDistribution.refined});
  Candidates candidates = with_voted_translations(problem, rotations, kNormalDistribution.voters,
                                                  kNormalDistribution.translations);
  for (Candidate& candidate : candidates) {
    candidate.origin = Origin::kNormals;
    candidate.embedding_loss = std::numeric_limits<double>::quiet_NaN();
  }
  return candidates;
}

Candidates GuessProposer::propose(const RegistrationProblem& problem) const {
  if (!guess_) return {};
  Candidate candidate;
  candidate.pose = problem.centred(*guess_);
  candidate.origin = Origin::kInitialGuess;
  return {candidate};
}

}  // namespace pointpng
