#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/types.h>

#include "model/model.h"
#include "pointpng/error.h"

namespace pointpng {
namespace {

using nlohmann::json;

std::string shape_text(const Tensor& tensor) {
  return fmt::format("{}", fmt::join(tensor.sizes(), "×"));
}

}  // namespace

std::map<std::string, Tensor> named_state(const torch::nn::Module& module,
                                          const std::string& prefix) {
  std::map<std::string, Tensor> state;
  for (const auto& item : module.named_parameters()) state[prefix + item.key()] = item.value();
  for (const auto& item : module.named_buffers()) state[prefix + item.key()] = item.value();
  return state;
}

void load_state(torch::nn::Module& module, const std::map<std::string, Tensor>& stored,
                const std::string& prefix, const std::string& origin) {
  const torch::NoGradGuard no_grad;
  for (auto& [name, tensor] : named_state(module, prefix)) {
    const auto found = stored.find(name);
    if (found == stored.end())
      throw InputError(
          fmt::format("{} has no weights '{}': it is of another architecture", origin, name));
    if (found->second.sizes() != tensor.sizes())
      throw InputError(
          fmt::format("{}: weights '{}' are {}, the model needs {}: it is of another "
                      "architecture",
                      origin, name, shape_text(found->second), shape_text(tensor)));
    Tensor(tensor).copy_(found->second);
  }
}

std::int64_t count_elements(const TensorFile& file) {
  std::int64_t count = 0;
  for (const auto& [name, tensor] : file.tensors) count += tensor.numel();
  return count;
}

void save_model(const std::filesystem::path& path, const Model& model, const ModelCard& card) {
  TensorFile file{named_state(model), file_header("model", model.config())};
  file.metadata["training"] = card.training.dump();
  file.metadata["metrics"] = card.metrics.dump();
  write_safetensors(path, file);
}

namespace {

/// Moves all weights of 32-bit floats in one copy; they become views of one tensor.
void move_together(torch::nn::Module& module, torch::Device device) {
  constexpr std::int64_t kAlignment = 64;  // floats: what fast matrix products ask for
  const torch::NoGradGuard no_grad;
  std::vector<Tensor> moved, flat;
  for (const auto& [name, tensor] : named_state(module)) {
    if (tensor.scalar_type() != torch::kFloat32 || tensor.numel() == 0) continue;
    const std::int64_t padding = (kAlignment - tensor.numel() % kAlignment) % kAlignment;
    moved.push_back(tensor);
    flat.push_back(torch::constant_pad_nd(tensor.flatten(), {0, padding}));
  }
  if (flat.empty()) return;
  const Tensor together = torch::cat(flat).to(device);
  std::int64_t first = 0;
  for (std::size_t i = 0; i < moved.size(); ++i) {
    moved[i].set_data(together.narrow(0, first, moved[i].numel()).view(moved[i].sizes()));
    first += flat[i].numel();
  }
}

}  // namespace

LoadedModel load_model(const std::filesystem::path& path, torch::Device device) {
  const TensorFile file = read_safetensors(path);
  const ModelConfig config = check_header(file.metadata, "model", path);
  require_room(config, count_elements(file), path.string());
  LoadedModel loaded{
      std::make_shared<Model>(config),
      {metadata_json(file.metadata, "training"), metadata_json(file.metadata, "metrics")}};
  load_state(*loaded.model, file.tensors, "", path.string());
  if (!device.is_cpu()) move_together(*loaded.model, device);
  loaded.model->to(device);
  loaded.model->eval();
  return loaded;
}

}  // namespace pointpng
