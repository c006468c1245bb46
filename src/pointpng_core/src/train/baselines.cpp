#include <torch/types.h>

#include "model/layers.h"
#include "model/unit.h"
#include "train/losses.h"
#include "train/model_objective.h"

namespace pointpng {
namespace {

/// PA and AE of a step, for the log.
std::vector<std::pair<std::string, Tensor>> sensitivity(const Tensor& predicted, const Tensor& z,
                                                        const Tensor& z_plus) {
  const Tensor pa = (predicted * z_plus).sum(-1).mean().detach();
  return {{"pa", pa}, {"ae", pa - (z * z_plus).sum(-1).mean().detach()}};
}

/// SimCLR: makes the views of a shape alike, whatever the rotation. AE is meaningless for it.
class SimClrObjective : public ModelObjective {
 public:
  using ModelObjective::ModelObjective;

 protected:
  StepLoss loss_of(const Tensor& z, const Tensor& z_plus, const Tensor&,
                   torch::Generator) override {
    const Tensor loss = contrastive_loss(z, z_plus, train_.loss.temperature);
    return {loss, {{"invariant", loss}}};
  }
};

/// SEN, as SIE's authors compare with it: the contrastive loss between u_g(z) and z⁺ alone.
class SenObjective : public ModelObjective {
 public:
  using ModelObjective::ModelObjective;

 protected:
  StepLoss loss_of(const Tensor& z, const Tensor& z_plus, const Tensor& g,
                   torch::Generator) override {
    const Tensor predicted = model_->predictor().apply(g, z);
    const Tensor loss = contrastive_loss(predicted, z_plus, train_.loss.temperature);
    StepLoss step{loss, sensitivity(predicted, z, z_plus)};
    step.watched.emplace_back("equivariant", loss);
    return step;
  }
};

/// EquiMod: an invariant loss on a projection of z, which is not part of the model, and the
/// equivariant one.
class EquiModObjective : public ModelObjective {
 public:
  EquiModObjective(const ModelConfig& model, const TrainConfig& train)
      : ModelObjective(model, train), all_(*model_, embedding_length(model)) {}

  torch::nn::Module& module() override { return all_; }

 protected:
  StepLoss loss_of(const Tensor& z, const Tensor& z_plus, const Tensor& g,
                   torch::Generator) override {
    const double temperature = train_.loss.temperature;
    const Tensor predicted = model_->predictor().apply(g, z);
    const Tensor invariant =
        contrastive_loss(unit(all_.projection(z)), unit(all_.projection(z_plus)), temperature);
    const Tensor equivariant = contrastive_loss(predicted, z_plus, temperature);
    StepLoss step{invariant + train_.loss.equimod_equivariance * equivariant,
                  sensitivity(predicted, z, z_plus)};
    step.watched.emplace_back("invariant", invariant);
    step.watched.emplace_back("equivariant", equivariant);
    return step;
  }

 private:
  /// The model's parts by the names they have in a model, and the projection.
  struct WithProjection : torch::nn::Module {
    WithProjection(Model& model, std::int64_t d) {
      for (const auto& part : model.named_children()) register_module(part.key(), part.value());
      projection = register_module("projection", Mlp(d, d, d));
    }
    Mlp projection{nullptr};
  };
  WithProjection all_;
};

/// SIE: z in an invariant and an equivariant part, variance and covariance regularised.
class SieObjective : public ModelObjective {
 public:
  using ModelObjective::ModelObjective;

 protected:
  StepLoss loss_of(const Tensor& z, const Tensor& z_plus, const Tensor& g,
                   torch::Generator) override {
    const Tensor predicted = model_->predictor().apply(g, z);
    const SieLoss loss =
        sie_loss(predicted, z, z_plus, model_->config().sie_invariant, train_.loss);
    StepLoss step{loss.total, sensitivity(predicted, z, z_plus)};
    step.watched.emplace_back("invariant", loss.invariance);
    step.watched.emplace_back("equivariant", loss.equivariance);
    step.watched.emplace_back("regularisation", loss.regularisation + loss.stability);
    return step;
  }
};

}  // namespace

std::unique_ptr<Objective> make_baseline(const ModelConfig& model, const TrainConfig& train) {
  if (train.objective == "simclr") return std::make_unique<SimClrObjective>(model, train);
  if (train.objective == "sen") return std::make_unique<SenObjective>(model, train);
  if (train.objective == "equimod") return std::make_unique<EquiModObjective>(model, train);
  return std::make_unique<SieObjective>(model, train);
}

}  // namespace pointpng
