#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>
#include <torch/types.h>

#include "eval/confusion.h"
#include "model/classifier.h"
#include "pointpng/cloud.h"
#include "train/config.h"
#include "train/probe.h"

namespace pointpng {

/// How clouds are turned in training and in testing: none | z | so3, as in `ClassifyConfig`.
struct ClassifyProtocol {
  std::string train, test;
};

/// z/z, z/so3 and so3/so3, as in the paper.
std::vector<std::string> classify_protocols();
/// Throws `InputError` for another one.
ClassifyProtocol classify_protocol(const std::string& name);

/// How a classifier is tested. Every shape has one pose, drawn from the seed; with several votes it
/// is looked at again in other poses and by other parts of its points, and the shares are averaged.
struct ClassifyTest {
  std::string rotations = "so3";  ///< none | z | so3
  std::string up = "z";
  std::int64_t votes = 1;
  std::uint64_t seed = 0;
};

/// Called with the share that is done, from 0 to 1.
using OnShare = std::function<void(double)>;

/// What share a classifier gives each class, [shapes, classes].
torch::Tensor class_shares(Classifier& classifier, const ShapeSet& shapes, const ClassifyTest& test,
                           const OnShare& on_share = nullptr);

/// The class with the largest share against the label of each shape.
Confusion confusion_of(const torch::Tensor& shares, const ShapeSet& shapes);

/// What is trained on an encoder, and how.
struct FitConfig {
  std::string head = "mlp";  ///< linear | mlp (both on the frozen encoder) | finetune (all of it)
  ProbeConfig probe;
  TrainConfig train;  ///< of fine-tuning and of PointNet, with how clouds are shown
};

/// The settings that work on two cores; `rotations` and `up` are for the caller to set.
FitConfig default_fit(const std::string& head);

/// A classifier and what it cost.
struct FittedClassifier {
  std::shared_ptr<Classifier> classifier;
  std::int64_t steps = 0;
  double seconds = 0.0;      ///< by the clock
  double cpu_seconds = 0.0;  ///< of all threads, whatever else ran on the machine
};

/// Trains a classifier on shapes whose classes are all used (see `with_used_classes`), from the
/// encoder of a model. Fine-tuning starts from a trained head.
FittedClassifier fit_classifier(const Model& model, const ShapeSet& train, const FitConfig& config,
                                torch::Device device, const OnShare& on_share = nullptr);

/// The yardstick: a PointNet from scratch, in the epochs or minutes of `config.train`.
FittedClassifier fit_pointnet(const ShapeSet& train, const FitConfig& config, torch::Device device,
                              const OnShare& on_share = nullptr);

/// Few-shot classification: in each episode some classes, few shapes of each to learn from and
/// others to be tested on.
struct FewShotConfig {
  std::int64_t ways = 5;      ///< classes of an episode
  std::int64_t shots = 10;    ///< shapes of each to learn from
  std::int64_t queries = 20;  ///< shapes of each to be tested on, fewer where there are no more
  std::int64_t episodes = 10;
};

struct FewShotResult {
  std::vector<double> accuracies;  ///< one an episode
  Confusion confusion;             ///< of all of them together
  double mean() const;
  double deviation() const;  ///< of a single episode, n - 1 in its denominator
};

/// {"mean", "deviation", "accuracies"}
void to_json(nlohmann::json& json, const FewShotResult& result);

/// Shapes to learn from are drawn from `train`, those to be tested on from `test`; both have the
/// same classes. Throws `InputError` where there are too few classes or shapes.
FewShotResult few_shot(const Model& model, const ShapeSet& train, const ShapeSet& test,
                       const FewShotConfig& episodes, const FitConfig& fit,
                       const ClassifyTest& shown, torch::Device device,
                       const OnShare& on_share = nullptr);

}  // namespace pointpng
