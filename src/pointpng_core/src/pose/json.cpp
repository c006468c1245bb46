#include "pointpng/json.h"

#include <array>
#include <cmath>

#include <nlohmann/json.hpp>

namespace pointpng {
namespace {

/// JSON has no NaN.
nlohmann::json number(double value) {
  return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json();
}

}  // namespace

void to_json(nlohmann::json& json, const StageTimes& times) {
  json = {{"prepare", times.prepare}, {"embed", times.embed},   {"search", times.search},
          {"parts", times.parts},     {"refine", times.refine}, {"total", times.total}};
}

void to_json(nlohmann::json& json, const Evidence& evidence) {
  json = {{"score", number(evidence.score)},
          {"source_overlap", number(evidence.source_overlap)},
          {"target_overlap", number(evidence.target_overlap)},
          {"residual", number(evidence.residual)},
          {"detailed", evidence.detailed},
          {"searched", evidence.searched},
          {"margin", number(evidence.margin)},
          {"competitor_angle_deg", number(evidence.competitor_angle_deg)},
          {"separation", number(evidence.separation)},
          {"competitors", number(evidence.competitors)},
          {"fragmentation", number(evidence.fragmentation)},
          {"contradiction", number(evidence.contradiction)},
          {"expected_source_overlap", number(evidence.expected_source_overlap)},
          {"expected_target_overlap", number(evidence.expected_target_overlap)},
          {"sliding", number(evidence.sliding)},
          {"unconstrained_dof", evidence.unconstrained_dof}};
}

void to_json(nlohmann::json& json, const Hypothesis& hypothesis) {
  json = {{"target_from_source", row_major(hypothesis.target_from_source)},
          {"origin", to_string(hypothesis.origin)},
          {"embedding_loss", number(hypothesis.embedding_loss)},
          {"score", number(hypothesis.score)},
          {"source_overlap", number(hypothesis.source_overlap)},
          {"target_overlap", number(hypothesis.target_overlap)},
          {"residual", number(hypothesis.residual)}};
}

void to_json(nlohmann::json& json, const Alignment& alignment) {
  std::array<double, 36> covariance;
  Eigen::Map<Eigen::Matrix<double, 6, 6, Eigen::RowMajor>>(covariance.data()) =
      alignment.covariance;
  json = {{"accepted", alignment.accepted},
          {"reason", alignment.rejection_reason},
          {"target_from_source", row_major(alignment.target_from_source)},
          {"covariance", covariance},
          {"confidence", number(alignment.confidence)},
          {"fitness", number(alignment.score)},
          {"residual", number(alignment.residual)},
          {"embedding_loss", number(alignment.embedding_loss)},
          {"margin", number(alignment.evidence.margin)},
          {"evidence", alignment.evidence},
          {"modes", alignment.num_symmetric_modes},
          {"hypotheses", alignment.hypotheses},
          {"notes", alignment.notes},
          {"ms", alignment.times_ms}};
}

void to_json(nlohmann::json& json, const RegistrationConfig& config) {
  json = {{"refine", to_string(config.refinement)}, {"hypotheses", config.num_hypotheses},
          {"parts", config.partial_overlap},        {"points", config.num_points},
          {"effort", to_string(config.effort)},     {"confidence", config.min_confidence}};
}

}  // namespace pointpng
