#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <torch/types.h>

#include "base/random.h"
#include "model/classifier.h"
#include "pointpng/cloud.h"
#include "pointpng/training.h"
#include "train/objective.h"
#include "train/views.h"

namespace pointpng {

/// The shapes, without classes that have none, to train a classifier on. Throws `InputError`
/// where shapes have no label and where there are fewer than two classes; `name` is used in the
/// message.
ShapeSet with_used_classes(const ShapeSet& shapes, const std::string& name);

/// The shapes with the labels of a classifier: classes are matched by name. Throws `InputError`
/// for shapes without a label and for classes that the classifier doesn't know.
ShapeSet with_classes(const ShapeSet& shapes, const std::vector<std::string>& classes,
                      const std::string& name);

/// A classifier of these classes on the backbone of a model, with the head given by `config`.
ClassifierConfig classifier_config(const ModelConfig& model, std::vector<std::string> classes,
                                   const ClassifyConfig& config);

/// The labels, [N].
torch::Tensor labels_of(const ShapeSet& shapes);

/// A random rotation according to `config.rotations`, [4].
torch::Tensor random_turn(const ClassifyConfig& config, Random& random);

/// A cloud as a classifier sees it in training: some of its points, randomly scaled, prepared and
/// rotated, [points, 3].
torch::Tensor random_view(const Shape& shape, const ModelConfig& model,
                          const ClassifyConfig& config, Random& random);

/// Labelled clouds: each shape once per epoch, with other points and another rotation.
class LabelledSource : public BatchSource {
 public:
  /// Throws `InputError` for shapes that can't be used.
  LabelledSource(ShapeSet shapes, ModelConfig model, TrainConfig train, BatchShare share = {});

  PairBatch make(std::int64_t step) const override;
  double steps_per_epoch() const override;
  std::int64_t clouds_per_step() const override { return train_.batch; }

 private:
  ShapeSet set_;
  ModelConfig model_;
  TrainConfig train_;
  BatchShare share_;
};

/// Weight of a shape of each class, [classes], 1 on average over the shapes: see
/// `ClassifyConfig::balance`.
torch::Tensor class_weights(const ShapeSet& shapes, double balance);

/// The loss of a classifier's scores [B, classes]: cross-entropy with smoothed labels.
torch::Tensor classification_loss(const torch::Tensor& scores, const torch::Tensor& labels,
                                  const torch::Tensor& weights, double smoothing);

/// Trains a classifier on labelled clouds; `weights` as above.
std::unique_ptr<Objective> classifier_objective(std::shared_ptr<Classifier> classifier,
                                                torch::Tensor weights, double label_smoothing);

}  // namespace pointpng
