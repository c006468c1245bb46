#include "model/torch_embedder.h"

#include <filesystem>
#include <utility>

#include <ATen/Context.h>
#include <torch/cuda.h>
#include <torch/types.h>
#include <torch/version.h>

#include "model/search.h"

namespace pointpng {
namespace {

class TorchEmbedder : public Embedder {
 public:
  explicit TorchEmbedder(std::shared_ptr<Model> model) : model_(std::move(model)) {
    model_->eval();
  }

  Eigen::VectorXf embed(const Cloud& cloud, std::string_view name) const override {
    const Tensor z = model_->embed(cloud, name).to(torch::kCPU).contiguous();
    return Eigen::Map<const Eigen::VectorXf>(z.data_ptr<float>(), z.numel());
  }

  std::vector<RotationHypothesis> search(const Eigen::VectorXf& source,
                                         const Eigen::VectorXf& target,
                                         const RotationSearchConfig& config) const override {
    const Hypotheses found = pointpng::search(*model_, to_batch(source), to_batch(target), config);
    const Tensor rotations = found.rotations[0].to(torch::kCPU, torch::kFloat64).contiguous(),
                 losses = found.losses[0].to(torch::kCPU, torch::kFloat64).contiguous();
    std::vector<RotationHypothesis> hypotheses;
    for (std::int64_t k = 0; k < losses.size(0); ++k) {
      const double* q = rotations.data_ptr<double>() + 4 * k;
      hypotheses.push_back(
          {Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized(), losses.data_ptr<double>()[k]});
    }
    return pick_distinct(std::move(hypotheses), config.num_hypotheses, config.distinct_deg);
  }

  std::string device() const override { return model_->device().str(); }

 private:
  Tensor to_batch(const Eigen::VectorXf& z) const {
    return torch::from_blob(const_cast<float*>(z.data()), {1, z.size()})
        .clone()
        .to(model_->device());
  }

  std::shared_ptr<Model> model_;
};

}  // namespace

std::shared_ptr<const Embedder> make_embedder(std::shared_ptr<Model> model) {
  return std::make_shared<TorchEmbedder>(std::move(model));
}

}  // namespace pointpng
