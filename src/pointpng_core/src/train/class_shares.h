#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include <torch/types.h>

#include "model/classifier.h"
#include "pointpng/evaluation.h"

namespace pointpng {

/// How a classifier is tested. Every shape has one random pose; with several votes, other poses and
/// other subsets of its points are classified too, and the probabilities are averaged.
struct ClassifyTest {
  std::string rotations = "so3";  ///< none | z | so3
  std::string up = "z";
  std::int64_t votes = 1;
  std::uint64_t seed = 0;
};

/// Called with the share that is done, from 0 to 1.
using OnShare = std::function<void(double)>;

/// Probabilities of the classes, [shapes, classes].
torch::Tensor class_shares(Classifier& classifier, const ShapeSet& shapes, const ClassifyTest& test,
                           const OnShare& on_share = nullptr);

/// The most probable class against the label of each shape.
Confusion confusion_of(const torch::Tensor& shares, const ShapeSet& shapes);

}  // namespace pointpng
