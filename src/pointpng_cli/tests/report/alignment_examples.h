#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <string>

#include <Eigen/Geometry>

#include "report/alignment_report.h"

namespace pointpng {

/// Points on the faces of a chair with one armrest, about a metre high: no symmetry.
inline Cloud chair(Eigen::Index count, std::uint64_t seed) {
  using Box = std::array<float, 6>;  // corner, size
  constexpr std::array<Box, 8> kBoxes = {{{-.25f, -.25f, .42f, .5f, .5f, .05f},
                                          {-.25f, .21f, .47f, .5f, .04f, .5f},
                                          {-.25f, -.25f, 0, .05f, .05f, .42f},
                                          {.2f, -.25f, 0, .05f, .05f, .42f},
                                          {-.25f, .2f, 0, .05f, .05f, .42f},
                                          {.2f, .2f, 0, .05f, .05f, .42f},
                                          {.2f, -.2f, .66f, .05f, .41f, .04f},
                                          {.2f, -.2f, .47f, .05f, .05f, .19f}}};
  std::array<float, 3 * kBoxes.size()> areas{};
  float total = 0;
  for (std::size_t i = 0; i < areas.size(); ++i)
    total += areas[i] = kBoxes[i / 3][3 + (i + 1) % 3] * kBoxes[i / 3][3 + (i + 2) % 3];
  std::mt19937_64 random(seed);
  const auto uniform = [&](float low, float high) {
    return std::uniform_real_distribution<float>(low, high)(random);
  };
  Cloud points(count, 3);
  for (Eigen::Index row = 0; row < count; ++row) {
    float left = uniform(0.0F, total);
    std::size_t face = 0;
    while (face + 1 < areas.size() && left > areas[face]) left -= areas[face++];
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const float at = axis == face % 3 ? std::floor(uniform(0.0F, 2.0F)) : uniform(0.0F, 1.0F);
      points(row, static_cast<Eigen::Index>(axis)) =
          kBoxes[face / 3][axis] + at * kBoxes[face / 3][3 + axis];
    }
  }
  return points;
}

inline Cloud moved(const Cloud& points, const Eigen::Isometry3d& pose) {
  Cloud result(points.rows(), 3);
  for (Eigen::Index row = 0; row < points.rows(); ++row)
    result.row(row) = (pose * points.row(row).transpose().cast<double>()).transpose().cast<float>();
  return result;
}

inline Eigen::Isometry3d pose_of(double degrees, const Eigen::Vector3d& axis,
                                 const Eigen::Vector3d& translation) {
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  pose.translate(translation);
  pose.rotate(Eigen::AngleAxisd(degrees * std::numbers::pi / 180.0, axis.normalized()));
  return pose;
}

inline Hypothesis hypothesis(const Eigen::Isometry3d& pose, Origin origin, double score,
                             double overlap, double residual) {
  Hypothesis result;
  result.target_from_source = pose;
  result.origin = origin;
  result.embedding_loss = origin == Origin::kEmbedding ? 1.0 - score : std::nan("");
  result.score = score;
  result.source_overlap = overlap;
  result.target_overlap = 0.97 * overlap;
  result.residual = residual;
  return result;
}

/// A chair that was rotated by 143° and found again, with hypotheses that are rotated further.
inline AlignmentPage accepted_example(Eigen::Index count = 2000) {
  const Eigen::Isometry3d truth = pose_of(143, {0.3, -0.4, 1}, {0.9, -0.5, 0.35});
  const auto turned = [&](double degrees, double x) {
    return Eigen::Isometry3d(truth * pose_of(degrees, {0, 0, 1}, {x, 0, 0}));
  };
  AlignmentPage page;
  page.source_name = "chair scan.ply";
  page.target_name = "chair.off";
  page.model_name = "object.safetensors";
  page.unit = "m";
  page.settings = {{"refine", "plane"}, {"hypotheses", 4}, {"search", {{"grid", 576}}}};
  page.source = chair(count, 1);
  page.target = moved(chair(count, 2), truth);

  Alignment& alignment = page.alignment;
  alignment.accepted = true;
  alignment.confidence = 0.987;
  alignment.target_from_source = truth;
  alignment.hypotheses = {
      hypothesis(truth, Origin::kEmbedding, 0.942, 0.981, 0.0041),
      hypothesis(turned(180, 0), Origin::kEmbedding, 0.713, 0.702, 0.0167),
      hypothesis(turned(90, 0), Origin::kPointPairs, 0.664, 0.655, 0.0182),
      hypothesis(turned(12, 0.06), Origin::kInitialGuess, 0.487, 0.421, 0.0225)};
  alignment.score = 0.942;
  alignment.residual = 0.0041;
  alignment.embedding_loss = 0.058;
  alignment.evidence.margin = 0.229;
  alignment.covariance.diagonal() << 1e-6, 4e-6, 9e-6, 1e-6, 1e-6, 4e-6;
  alignment.times_ms = {3.1, 5.2, 0.7, 0.0, 12.4, 21.9};
  return page;
}

/// The same chair, and an answer that nobody should use.
inline AlignmentPage rejected_example() {
  AlignmentPage page = accepted_example();
  Alignment& alignment = page.alignment;
  alignment.accepted = false;
  alignment.rejection_reason =
      "Only 70 % of the source lies on the target’s surface, and another pose fits as well.";
  alignment.confidence = 0.08;
  alignment.hypotheses.erase(alignment.hypotheses.begin());
  const Hypothesis& best = alignment.hypotheses.front();
  alignment.target_from_source = best.target_from_source;
  alignment.score = best.score;
  alignment.residual = best.residual;
  alignment.embedding_loss = best.embedding_loss;
  alignment.evidence.margin = best.score - alignment.hypotheses[1].score;
  alignment.times_ms.parts = 8.8;
  alignment.times_ms.total += 8.8;
  alignment.notes = {"The source was downsampled from 120 000 to 1 024 points."};
  return page;
}

}  // namespace pointpng
