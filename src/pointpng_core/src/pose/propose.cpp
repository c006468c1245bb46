#include "pose/propose.h"

#include <algorithm>
#include <cmath>

namespace pointpng {
namespace {

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

/// Translations that may go with a rotation, most votes first.
std::vector<Eigen::Vector3f> voted_translations(const RegistrationProblem& problem,
                                                const Eigen::Matrix3f& rotation) {
  const PreparedCloudData &source = problem.source, &target = problem.target;
  Histogram histogram(kVoting.largest_shift * std::max(source.radius, target.radius));
  for (Eigen::Index i = 0; i < source.points.rows(); i += stride(source, kVoting.voters)) {
    const Eigen::Vector3f place = rotation * source.points.row(i).transpose(),
                          normal = rotation * source.normals.row(i).transpose();
    for (Eigen::Index j = 0; j < target.points.rows(); j += stride(target, kVoting.voters))
      if (std::abs(target.normals.row(j).dot(normal)) > kVoting.normal_agreement)
        histogram.vote(target.points.row(j).transpose() - place);
  }
  std::vector<Eigen::Vector3f> translations;
  for (int k = 0; k < kVoting.translations; ++k) translations.push_back(histogram.take_peak());
  return translations;
}

Candidate candidate_of(const RotationHypothesis& rotation, const Eigen::Vector3f& translation) {
  return {{rotation.target_from_source.toRotationMatrix().cast<float>(), translation},
          Origin::kEmbedding,
          rotation.loss,
          {}};
}

}  // namespace

Candidates CentroidProposer::propose(const RegistrationProblem& /*problem*/) const {
  Candidates candidates;
  for (const RotationHypothesis& rotation : rotations_)
    candidates.push_back(candidate_of(rotation, Eigen::Vector3f::Zero()));
  return candidates;
}

Candidates TranslationVotingProposer::propose(const RegistrationProblem& problem) const {
  Candidates candidates;
  for (const RotationHypothesis& rotation : rotations_)
    for (const Eigen::Vector3f& translation :
         voted_translations(problem, rotation.target_from_source.toRotationMatrix().cast<float>()))
      candidates.push_back(candidate_of(rotation, translation));
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
