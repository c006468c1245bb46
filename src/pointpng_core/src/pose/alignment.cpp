#include "pose/alignment.h"

#include <cmath>

#include <nlohmann/json.hpp>

namespace pointpng {
namespace {

/// JSON has no NaN: what was not measured is null.
nlohmann::json number(double value) {
  return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json();
}

}  // namespace

std::array<double, 16> row_major(const Eigen::Isometry3d& transform) {
  std::array<double, 16> rows;
  Eigen::Map<Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>(rows.data()) = transform.matrix();
  return rows;
}

void to_json(nlohmann::json& json, const StageTimes& times) {
  json = {{"prepare", times.prepare}, {"embed", times.embed},   {"search", times.search},
          {"parts", times.parts},     {"refine", times.refine}, {"total", times.total}};
}

void to_json(nlohmann::json& json, const Evidence& evidence) {
  json = {{"score", number(evidence.score)},
          {"source_overlap", number(evidence.source_overlap)},
          {"target_overlap", number(evidence.target_overlap)},
          {"residual", number(evidence.residual)},
          {"searched", evidence.searched},
          {"margin", number(evidence.margin)},
          {"other_turn", number(evidence.other_turn)},
          {"preference", number(evidence.preference)},
          {"rivals", number(evidence.rivals)},
          {"raggedness", number(evidence.raggedness)},
          {"free_directions", evidence.free_directions}};
}

void to_json(nlohmann::json& json, const Hypothesis& hypothesis) {
  json = {{"target_from_source", row_major(hypothesis.target_from_source)},
          {"origin", hypothesis.origin},
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
          {"reason", alignment.reason},
          {"target_from_source", row_major(alignment.target_from_source)},
          {"covariance", covariance},
          {"confidence", number(alignment.confidence)},
          {"fitness", number(alignment.fitness)},
          {"residual", number(alignment.residual)},
          {"embedding_loss", number(alignment.embedding_loss)},
          {"margin", number(alignment.margin)},
          {"evidence", alignment.evidence},
          {"modes", alignment.modes},
          {"hypotheses", alignment.hypotheses},
          {"notes", alignment.notes},
          {"ms", alignment.times_ms}};
}

}  // namespace pointpng
