#include "model/torch_embedder.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <c10/util/Optional.h>
#include <torch/types.h>

#include "model/device_judge.h"
#include "model/graph.h"
#include "model/search.h"

namespace pointpng {
namespace {

class TorchEmbedder : public Embedder {
 public:
  explicit TorchEmbedder(std::shared_ptr<Model> model) : model_(std::move(model)) {
    model_->eval();
    if (model_->device().is_cpu()) return;
    stream_ = c10::impl::VirtualGuardImpl(model_->device().type())
                  .getStreamFromGlobalPool(model_->device());
    judge_ = make_judge(model_->device(), *stream_);
  }

  Eigen::VectorXf embed(const Cloud& cloud, std::string_view name) const override {
    const NamedCloud one{cloud, name};
    return embed(std::span(&one, 1)).front();
  }

  /// In batches: the launches of one cost as much as those of a single cloud.
  std::vector<Eigen::VectorXf> embed(std::span<const NamedCloud> clouds) const override {
    constexpr std::size_t kMostClouds = 32;  // of a batch: bounds the memory of the device
    const c10::OptionalStreamGuard on_own_stream(stream_);
    const torch::NoGradGuard no_grad;
    std::vector<Eigen::VectorXf> rows;
    for (std::size_t first = 0; first < clouds.size(); first += kMostClouds)
      embed_batch(clouds.subspan(first, std::min(kMostClouds, clouds.size() - first)), rows);
    return rows;
  }

  std::vector<RotationHypothesis> search(const Eigen::VectorXf& source,
                                         const Eigen::VectorXf& target,
                                         const RotationSearchConfig& config) const override {
    // Few numbers, many small steps: nothing for another device.
    if (model_->config().predictor == "wigner")
      return search_rotations(model_->config().channels, source, target, config);
    const c10::OptionalStreamGuard on_own_stream(stream_);
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

  const Judge* judge() const override { return judge_.get(); }

  std::string device() const override { return model_->device().str(); }

 private:
  void embed_batch(std::span<const NamedCloud> clouds, std::vector<Eigen::VectorXf>& rows) const {
    std::vector<Tensor> prepared;
    for (const NamedCloud& given : clouds)
      prepared.push_back(prepare(given.cloud, model_->config(), given.name));
    const Tensor z = run(torch::stack(prepared)).contiguous();
    for (std::int64_t i = 0; i < z.size(0); ++i)
      rows.emplace_back(
          Eigen::Map<const Eigen::VectorXf>(z.data_ptr<float>() + i * z.size(1), z.size(1)));
  }

  /// z on the host. Its copy waits for the device, so a clock that is read after it is right.
  Tensor run(const Tensor& clouds) const {
    const auto embed = [this](const Tensor& there) { return model_->embed(there); };
    if (!stream_ || !graph_recorder()) return embed(clouds).to(torch::kCPU);
    const Tensor there = clouds.to(model_->device());
    const std::scoped_lock lock(mutex_);
    // A size that comes only once is not worth a recording.
    Batch& batch = batches_[clouds.size(0)];
    if (++batch.seen == 2) batch.replay = graph_recorder()(embed, there);
    return (batch.replay ? batch.replay(there) : embed(there)).to(torch::kCPU);
  }

  Tensor to_batch(const Eigen::VectorXf& z) const {
    return torch::from_blob(const_cast<float*>(z.data()), {1, z.size()})
        .clone()
        .to(model_->device());
  }

  std::shared_ptr<Model> model_;
  c10::optional<c10::Stream> stream_;  // its own, so that two embedders don't wait for each other
  std::unique_ptr<const Judge> judge_;

  struct Batch {
    std::int64_t seen = 0;
    Computation replay;
  };
  mutable std::mutex mutex_;
  mutable std::map<std::int64_t, Batch> batches_;  // by the number of clouds
};

}  // namespace

std::shared_ptr<const Embedder> make_embedder(std::shared_ptr<Model> model) {
  return std::make_shared<TorchEmbedder>(std::move(model));
}

}  // namespace pointpng
