#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <torch/nn/module.h>

#include "model/model.h"
#include "pointpng/training.h"
#include "train/process_group.h"
#include "train/views.h"

namespace pointpng {

/// One step's loss and named metrics; all on the device.
struct StepLoss {
  Tensor total;
  std::vector<std::pair<std::string, Tensor>> watched;
};

/// What a run minimises, with the weights that it trains.
class Objective {
 public:
  virtual ~Objective() = default;
  virtual StepLoss loss(const PairBatch& batch, torch::Generator generator) = 0;
  virtual torch::nn::Module& module() = 0;
  /// Called after each step; `progress` from 0 to 1.
  virtual void after_step(double progress) { (void)progress; }
  /// Writes the result: a model, or a pre-trained encoder.
  virtual void save(const std::filesystem::path& path, const ModelCard& card) = 0;
  /// The model for evaluation during training; null where the objective trains none.
  virtual std::shared_ptr<Model> model() { return nullptr; }

  /// From now on batches are this process's shares. Losses stay those of whole batches. The group
  /// must outlive the objective's use.
  void share_batches(const ProcessGroup& group);

 protected:
  const ProcessGroup& group() const { return *group_; }
  /// Random masks for the clouds of this process, as one process draws them for the whole batch.
  Mask draw_mask(const Patches& patches, double ratio, torch::Generator generator) const;

 private:
  const ProcessGroup* group_ = &ProcessGroup::alone();
};

/// The objective that `train.objective` names, with fresh weights.
std::unique_ptr<Objective> make_objective(const ModelConfig& model, const TrainConfig& train);

/// Copies the encoder's weights of a model or of a masked autoencoder into an objective's backbone:
/// `--init`. Throws `InputError` where the two don't fit; returns how many tensors were taken.
int initialise_encoder(Objective& objective, const ModelConfig& config,
                       const std::filesystem::path& path);

/// Copies all weights of a model of the same configuration: what fine-tuning starts from.
void load_weights(Objective& objective, const std::filesystem::path& path);

}  // namespace pointpng
