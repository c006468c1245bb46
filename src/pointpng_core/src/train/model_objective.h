#pragma once

#include <memory>
#include <utility>

#include <torch/types.h>

#include "train/objective.h"

namespace pointpng {

/// Base of the methods that train a model: z and z⁺ of the visible patches.
class ModelObjective : public Objective {
 public:
  ModelObjective(const ModelConfig& model, const TrainConfig& train)
      : train_(train), model_(std::make_shared<Model>(model)) {}

  StepLoss loss(const PairBatch& batch, torch::Generator generator) override {
    Patches patches = batch.patches;
    if (train_.mask_ratio > 0.0)
      patches = patches.select(draw_mask(patches, train_.mask_ratio, generator).visible);
    const auto z = model_->backbone().embed(patches).chunk(2);
    return loss_of(group().gather(z[0]), group().gather(z[1]), group().gather(batch.rotation),
                   generator);
  }
  torch::nn::Module& module() override { return *model_; }
  std::shared_ptr<Model> model() override { return model_; }
  void save(const std::filesystem::path& path, const ModelCard& card) override {
    save_model(path, *model_, card);
  }

 protected:
  virtual StepLoss loss_of(const Tensor& z, const Tensor& z_plus, const Tensor& g,
                           torch::Generator generator) = 0;

  TrainConfig train_;
  std::shared_ptr<Model> model_;
};

/// The methods that Point-PNG is compared with: simclr, sen, equimod, sie.
std::unique_ptr<Objective> make_baseline(const ModelConfig& model, const TrainConfig& train);

}  // namespace pointpng
