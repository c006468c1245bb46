#include "model/classifier.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <torch/types.h>

#include "pointpng/error.h"

namespace pointpng {
namespace {

constexpr const char* kKind = "classifier";
constexpr const char* kPointNet = "pointnet";

std::shared_ptr<Backbone> backbone_of(const ClassifierConfig& config) {
  return config.encoder == kPointNet ? nullptr : make_backbone(config.model);
}

}  // namespace

void validate(const ClassifierConfig& config) {
  const auto require = [](bool holds, const char* sentence) {
    if (!holds) throw InputError(sentence);
  };
  validate(config.model);
  require(config.encoder == "backbone" || config.encoder == kPointNet,
          "the encoder of a classifier is 'backbone' or 'pointnet'");
  require(config.classes.size() >= 2, "a classifier needs at least two classes");
  require(std::set(config.classes.begin(), config.classes.end()).size() == config.classes.size(),
          "a classifier needs classes of different names");
  require(config.hidden.size() <= 4 &&
              std::all_of(config.hidden.begin(), config.hidden.end(),
                          [](std::int64_t width) { return width >= 1 && width <= 4096; }),
          "the head of a classifier has at most 4 layers of 1 to 4096 numbers");
  for (const double share : {config.dropout, config.feature_dropout})
    require(share >= 0.0 && share < 1.0, "the share of dropout must be in [0, 1)");
}

ClassifierHead::ClassifierHead(std::int64_t features, const ClassifierConfig& config)
    : dropout_(config.dropout),
      feature_dropout_(config.feature_dropout),
      mean_(register_buffer("mean", torch::zeros({features}))),
      deviation_(register_buffer("deviation", torch::ones({features}))) {
  std::int64_t in = features;
  for (const std::int64_t out : config.hidden) {
    const std::string number = std::to_string(layers_.size());
    layers_.emplace_back(register_module("layer_" + number, torch::nn::Linear(in, out)));
    norms_.emplace_back(register_module("norm_" + number, torch::nn::BatchNorm1d(out)));
    in = out;
  }
  const auto classes = static_cast<std::int64_t>(config.classes.size());
  layers_.emplace_back(register_module("out", torch::nn::Linear(in, classes)));
}

Tensor ClassifierHead::forward(const Tensor& features, std::optional<torch::Generator> generator) {
  const auto drop = [&](const Tensor& x, double share) {
    if (!is_training() || share <= 0.0) return x;
    const Tensor drawn = generator ? torch::rand(x.sizes(), *generator, x.options())
                                   : torch::rand(x.sizes(), x.options());
    return x * (drawn >= share) / (1.0 - share);
  };
  Tensor x = drop((features - mean_) / deviation_, feature_dropout_);
  for (std::size_t i = 0; i < norms_.size(); ++i)
    x = drop(torch::relu(norms_[i](layers_[i](x))), dropout_);
  return layers_.back()(x);
}

void ClassifierHead::standardise(const Tensor& features) {
  const torch::NoGradGuard no_grad;
  mean_.copy_(features.mean(0));
  // A feature that hardly varies is rounding noise and must not be amplified.
  deviation_.copy_(features.std(0).clamp_min(1e-4));
}

Classifier::Classifier(const ClassifierConfig& config)
    : config_(config), backbone_(backbone_of(config)) {
  validate(config);
  std::int64_t features = PointNetImpl::kFeatures;
  if (backbone_) {
    register_module("backbone", backbone_);
    features = backbone_->feature_length();
  } else {
    pointnet_ = register_module("pointnet", PointNet());
  }
  head_ = register_module("head", std::make_shared<ClassifierHead>(features, config));
}

torch::Device Classifier::device() const { return parameters().front().device(); }

Tensor Classifier::features(const Tensor& clouds) {
  const Tensor here = clouds.to(device());
  return backbone_ ? backbone_->features(cut_patches(here, config_.model)) : pointnet_(here);
}

void Classifier::take_encoder(const Model& model) {
  if (!backbone_) throw InputError("a PointNet starts from no model");
  load_state(*backbone_, named_state(model), "backbone.", "the model");
}

void Classifier::train_encoder(bool on) {
  for (auto& item : named_parameters())
    if (!item.key().starts_with("head.")) item.value().requires_grad_(on);
}

void save_classifier(const std::filesystem::path& path, const Classifier& classifier,
                     const ModelCard& card) {
  TensorFile file{named_state(classifier), file_header(kKind, classifier.config().model)};
  file.metadata["classifier"] = nlohmann::json(classifier.config()).dump();
  file.metadata["training"] = card.training.dump();
  file.metadata["metrics"] = card.metrics.dump();
  write_safetensors(path, file);
}

LoadedClassifier load_classifier(const std::filesystem::path& path, torch::Device device) {
  const TensorFile file = read_safetensors(path);
  const ModelConfig model = check_header(file.metadata, kKind, path);
  ClassifierConfig config;
  try {
    config = metadata_json(file.metadata, "classifier").get<ClassifierConfig>();
    config.model = model;
    validate(config);
  } catch (const nlohmann::json::exception&) {
    throw InputError(fmt::format("{} does not say what it classifies", path.string()));
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", path.string(), error.what()));
  }
  if (config.encoder != kPointNet) {
    ModelConfig without_predictor = model;
    without_predictor.predictor = "wigner";
    require_room(without_predictor, count_elements(file), path.string());
  }
  LoadedClassifier loaded{
      std::make_shared<Classifier>(config),
      {metadata_json(file.metadata, "training"), metadata_json(file.metadata, "metrics")}};
  load_state(*loaded.classifier, file.tensors, "", path.string());
  loaded.classifier->to(device);
  loaded.classifier->eval();
  return loaded;
}

bool is_classifier(const std::filesystem::path& path) {
  const auto metadata = read_safetensors(path).metadata;
  const auto kind = metadata.find("kind");
  return kind != metadata.end() && kind->second == kKind;
}

}  // namespace pointpng
