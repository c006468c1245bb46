#include "train/objective.h"

#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include <fmt/format.h>
#include <torch/types.h>

#include "model/batch_norm.h"
#include "model/mae.h"
#include "pointpng/error.h"
#include "train/losses.h"
#include "train/model_objective.h"

namespace pointpng {
namespace {

constexpr const char* kBackbone = "backbone.";
constexpr const char* kHead = "backbone.head_";

void save_encoder(const std::filesystem::path& path, const ModelConfig& config,
                  const torch::nn::Module& backbone, const ModelCard& card) {
  TensorFile file{{}, file_header("encoder", config)};
  for (const auto& [name, tensor] : named_state(backbone, kBackbone))
    if (!name.starts_with(kHead)) file.tensors[name] = tensor;
  file.metadata["training"] = card.training.dump();
  file.metadata["metrics"] = card.metrics.dump();
  write_safetensors(path, file);
}

/// A mean over the clouds of each process to that over the whole batch.
Tensor mean_of_all(const Tensor& mean, const ProcessGroup& group) {
  return group.size() == 1 ? mean : group.gather(mean.unsqueeze(0)).mean();
}

class PointPngObjective : public ModelObjective {
 public:
  using ModelObjective::ModelObjective;

 protected:
  StepLoss loss_of(const Tensor& z, const Tensor& z_plus, const Tensor& g,
                   torch::Generator generator) override {
    const PointPngLoss loss =
        point_png_loss(model_->predictor(), z, z_plus, g, train_.loss, generator);
    return {loss.total,
            {{"align", loss.align},
             {"cope", loss.cope},
             {"unif", loss.uniformity},
             {"pa", loss.pa},
             {"ae", loss.ae}}};
  }
};

class MaeObjective : public Objective {
 public:
  MaeObjective(const ModelConfig& model, const TrainConfig& train)
      : config_(model), mask_ratio_(train.mask_ratio), autoencoder_(model) {}

  StepLoss loss(const PairBatch& batch, torch::Generator generator) override {
    const Mask mask = draw_mask(batch.patches, mask_ratio_, generator);
    const Tensor loss = mean_of_all(autoencoder_.reconstruct(batch.patches, mask), group());
    return {loss, {{"reconstruction", loss}}};
  }
  torch::nn::Module& module() override { return autoencoder_; }
  void save(const std::filesystem::path& path, const ModelCard& card) override {
    save_encoder(path, config_, autoencoder_.backbone(), card);
  }

 private:
  ModelConfig config_;
  double mask_ratio_;
  MaskedAutoencoder autoencoder_;
};

class Point2VecObjective : public Objective {
 public:
  Point2VecObjective(const ModelConfig& model, const TrainConfig& train)
      : config_(model),
        momentum_(train.teacher_momentum),
        mask_ratio_(train.mask_ratio),
        pair_(model) {}

  StepLoss loss(const PairBatch& batch, torch::Generator generator) override {
    const Mask mask = draw_mask(batch.patches, mask_ratio_, generator);
    const Tensor loss = mean_of_all(pair_.predict(batch.patches, mask), group());
    return {loss, {{"prediction", loss}}};
  }
  void after_step(double progress) override {
    const double cosine = 0.5 * (1.0 + std::cos(std::numbers::pi * progress));
    pair_.follow(1.0 - (1.0 - momentum_) * cosine);
  }
  torch::nn::Module& module() override { return pair_; }
  void save(const std::filesystem::path& path, const ModelCard& card) override {
    save_encoder(path, config_, pair_.backbone(), card);
  }

 private:
  ModelConfig config_;
  double momentum_, mask_ratio_;
  Point2Vec pair_;
};

}  // namespace

void Objective::share_batches(const ProcessGroup& group) {
  group_ = &group;
  if (group.size() > 1)
    share_statistics(module(), [&group](const Tensor& rows) { return group.gather(rows); });
}

Mask Objective::draw_mask(const Patches& patches, double ratio, torch::Generator generator) const {
  const Mask all = random_mask(patches.batch() * group().size(), patches.count(), ratio,
                               std::move(generator), patches.centres.device());
  return {group().own_pairs(all.visible), group().own_pairs(all.hidden)};
}

std::unique_ptr<Objective> make_objective(const ModelConfig& model, const TrainConfig& train) {
  validate(model);
  validate(train);
  if (train.objective == "mae") return std::make_unique<MaeObjective>(model, train);
  if (train.objective == "point2vec") return std::make_unique<Point2VecObjective>(model, train);
  if (train.objective == "pointpng") return std::make_unique<PointPngObjective>(model, train);
  return make_baseline(model, train);
}

int initialise_encoder(Objective& objective, const ModelConfig& config,
                       const std::filesystem::path& path) {
  const TensorFile file = read_safetensors(path);
  const auto kind = file.metadata.find("kind");
  const bool is_model = kind != file.metadata.end() && kind->second == "model";
  const ModelConfig stored = check_header(file.metadata, is_model ? "model" : "encoder", path);
  if (stored.backbone != config.backbone)
    throw InputError(fmt::format("{} is a '{}' backbone, this run trains '{}'", path.string(),
                                 stored.backbone, config.backbone));
  const torch::NoGradGuard no_grad;
  int taken = 0;
  for (auto& [name, tensor] : named_state(objective.module())) {
    if (!name.starts_with(kBackbone) || name.starts_with(kHead)) continue;
    const auto found = file.tensors.find(name);
    if (found == file.tensors.end() || found->second.sizes() != tensor.sizes())
      throw InputError(
          fmt::format("{} does not fit this model: '{}' is missing or of another size; "
                      "use the same preset",
                      path.string(), name));
    Tensor(tensor).copy_(found->second);
    ++taken;
  }
  return taken;
}

void load_weights(Objective& objective, const std::filesystem::path& path) {
  const TensorFile file = read_safetensors(path);
  check_header(file.metadata, "model", path);
  load_state(objective.module(), file.tensors, "", path.string());
}

}  // namespace pointpng
