#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include <nlohmann/json.hpp>
#include <torch/nn/module.h>

#include "embed/model_file.h"
#include "model/backbone.h"
#include "model/predictor.h"
#include "model/tensor_file.h"
#include "pointpng/cloud.h"
#include "pointpng/model.h"

namespace pointpng {

/// Backbone f and predictor u_g, as they are trained together and shipped in one file.
class Model : public torch::nn::Module {
 public:
  explicit Model(const ModelConfig& config);

  const ModelConfig& config() const { return config_; }
  Backbone& backbone() { return *backbone_; }
  Predictor& predictor() { return *predictor_; }
  torch::Device device() const;

  /// z of clouds that are prepared already (see `prepare`): [B, points, 3] → [B, d].
  Tensor embed(const Tensor& clouds) const;

  /// z of one cloud in any frame and unit, [1, d]; no gradient. Call `eval()` first on a model
  /// in training mode: the caller sets the mode, so that several threads may embed at once. Throws
  /// `InputError` for a cloud that can't be embedded; `name` is used in the message.
  Tensor embed(const Cloud& cloud, std::string_view name = "the cloud") const;

 private:
  ModelConfig config_;
  std::shared_ptr<Backbone> backbone_;
  std::shared_ptr<Predictor> predictor_;
};

/// A cloud as the model expects it: centred, in the unit sphere, exactly `points` points as a
/// tensor [points, 3]. Larger clouds are downsampled by farthest points, a choice that rotates with
/// the cloud; of smaller ones some points are repeated. Throws `InputError` if there are fewer than
/// `patch_points`.
Tensor prepare(const Cloud& cloud, const ModelConfig& config, std::string_view name = "the cloud");

/// Metadata of a checkpoint.
struct ModelCard {
  nlohmann::json training = nlohmann::json::object();  ///< data, seed, steps, command
  nlohmann::json metrics = nlohmann::json::object();
};

/// Names of weights and buffers with a prefix, as checkpoints store them.
std::map<std::string, Tensor> named_state(const torch::nn::Module& module,
                                          const std::string& prefix = "");
/// Copies stored tensors into a module; every one must be there with its shape, else `InputError`.
void load_state(torch::nn::Module& module, const std::map<std::string, Tensor>& stored,
                const std::string& prefix, const std::string& origin);

void save_model(const std::filesystem::path& path, const Model& model, const ModelCard& card);

/// Throws `InputError` for other files, other versions and weights that don't fit.
struct LoadedModel {
  std::shared_ptr<Model> model;
  ModelCard card;
};
LoadedModel load_model(const std::filesystem::path& path,
                       torch::Device device = torch::Device(torch::kCPU));

/// Number of elements of all tensors of a file.
std::int64_t count_elements(const TensorFile& file);

}  // namespace pointpng
