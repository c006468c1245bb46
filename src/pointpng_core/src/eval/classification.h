#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <torch/types.h>

#include "model/classifier.h"
#include "pointpng/evaluation.h"
#include "train/class_shares.h"
#include "train/probe.h"

namespace pointpng {

/// How clouds are rotated in training and in testing: none | z | so3, as in `ClassifyConfig`.
struct ClassifyProtocol {
  std::string train, test;
};

/// Throws `InputError` for a name that `classify_protocols` does not have.
ClassifyProtocol classify_protocol(const std::string& name);

/// What is trained on an encoder, and how.
struct FitConfig {
  std::string head = "mlp";  ///< linear | mlp (both on the frozen encoder) | finetune (all of it)
  ProbeConfig probe;
  TrainConfig train;  ///< of fine-tuning and of PointNet, with how clouds are shown
};

/// Settings that work on two cores; the caller sets `rotations` and `up`.
FitConfig default_fit(const std::string& head);

/// A classifier and what it cost.
struct FittedClassifier {
  std::shared_ptr<Classifier> classifier;
  TrainingCost cost;
};

/// Trains a classifier on shapes whose classes are all used (see `with_used_classes`), from the
/// encoder of a model. Fine-tuning starts from a trained head.
FittedClassifier fit_classifier(const Model& model, const ShapeSet& train, const FitConfig& config,
                                torch::Device device, const OnShare& on_share = nullptr);

/// The supervised baseline: a PointNet from scratch, in the epochs or minutes of `config.train`.
FittedClassifier fit_pointnet(const ShapeSet& train, const FitConfig& config, torch::Device device,
                              const OnShare& on_share = nullptr);

/// Shapes to learn from are drawn from `train`, those to be tested on from `test`; both have the
/// same classes. Throws `InputError` where there are too few classes or shapes.
FewShotResult few_shot(const Model& model, const ShapeSet& train, const ShapeSet& test,
                       const FewShotConfig& episodes, const FitConfig& fit,
                       const ClassifyTest& shown, torch::Device device,
                       const OnShare& on_share = nullptr);

}  // namespace pointpng
