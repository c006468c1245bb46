#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>
#include <torch/nn/module.h>

#include "model/model.h"
#include "model/pointnet.h"

namespace pointpng {

/// Everything that determines a classifier. Stored in its file.
struct ClassifierConfig {
  std::string encoder = "backbone";  ///< backbone (of `model`) | pointnet (the baseline)
  ModelConfig model;                 ///< a pointnet uses `points` only
  std::vector<std::string> classes;  ///< their names, in the order of the scores
  std::vector<std::int64_t> hidden = {256, 256};  ///< layers of the head; none: a linear one
  double dropout = 0.5;                           ///< after each of them
  double feature_dropout = 0.2;                   ///< before the first
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ClassifierConfig, encoder, model, classes, hidden,
                                                dropout, feature_dropout)

/// Throws `InputError` if a value is invalid.
void validate(const ClassifierConfig& config);

/// From features of a cloud to scores of the classes: features are standardised, then pass layers
/// with batch normalisation, ReLU and dropout.
class ClassifierHead : public torch::nn::Module {
 public:
  ClassifierHead(std::int64_t features, const ClassifierConfig& config);

  /// [B, features] → [B, classes], logits. In training, `generator` draws the dropout masks.
  Tensor forward(const Tensor& features, std::optional<torch::Generator> generator = std::nullopt);

  /// Sets the standardisation so that these features [N, features] have mean 0 and deviation 1.
  void standardise(const Tensor& features);

 private:
  double dropout_, feature_dropout_;
  Tensor mean_, deviation_;
  std::vector<torch::nn::Linear> layers_;
  std::vector<torch::nn::BatchNorm1d> norms_;
};

/// An encoder and a head that classify clouds.
class Classifier : public torch::nn::Module {
 public:
  explicit Classifier(const ClassifierConfig& config);

  const ClassifierConfig& config() const { return config_; }
  ClassifierHead& head() { return *head_; }
  torch::Device device() const;

  /// The encoder's features of prepared clouds (see `prepare`): [B, points, 3] → [B, features].
  Tensor features(const Tensor& clouds);
  /// Logits [B, classes].
  Tensor forward(const Tensor& clouds, std::optional<torch::Generator> generator = std::nullopt) {
    return head_->forward(features(clouds), std::move(generator));
  }

  /// Starts from the weights of a model with the same backbone.
  void take_encoder(const Model& model);
  /// Whether training changes the encoder.
  void train_encoder(bool on);

 private:
  ClassifierConfig config_;
  std::shared_ptr<Backbone> backbone_;  // one of these two
  PointNet pointnet_{nullptr};
  std::shared_ptr<ClassifierHead> head_;
};

void save_classifier(const std::filesystem::path& path, const Classifier& classifier,
                     const ModelCard& card);

struct LoadedClassifier {
  std::shared_ptr<Classifier> classifier;
  ModelCard card;
};
/// Throws `InputError` for other files, other versions and weights that don't fit.
LoadedClassifier load_classifier(const std::filesystem::path& path,
                                 torch::Device device = torch::Device(torch::kCPU));

/// Whether a file holds a classifier, by its metadata.
bool is_classifier(const std::filesystem::path& path);

}  // namespace pointpng
