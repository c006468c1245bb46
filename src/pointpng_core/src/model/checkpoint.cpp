#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/types.h>

#include "model/model.h"
#include "pointpng/error.h"

namespace pointpng {
namespace {

constexpr const char* kFormat = "pointpng";
constexpr int kVersion = 1;

using nlohmann::json;

/// How many numbers the matrices of such a model hold.
double matrix_elements(const ModelConfig& c) {
  const auto sum = [](const std::vector<std::int64_t>& v) {
    return static_cast<double>(std::accumulate(v.begin(), v.end(), std::int64_t{0}));
  };
  const auto number = [](std::int64_t value) { return static_cast<double>(value); };
  const double width = number(c.width), d = number(embedding_length(c));
  const double block = (4.0 + 2.0 * number(c.mlp_ratio)) * width * width;
  const bool transformer = c.backbone == "transformer";
  double count = number(transformer ? c.depth + c.decoder_depth : c.depth) * block;
  count += width * (transformer ? d : sum(c.channels));
  count += number(c.patch_widths[0] + 2 * c.patch_widths[2]) * number(c.patch_widths[1]) +
           number(c.patch_widths[2]) * width;
  const double turned = d - number(c.sie_invariant);
  if (c.predictor == "sie") count += 64.0 * turned * turned;
  if (c.predictor == "equimod") count += 2.0 * d * d;
  if (c.predictor == "sen") count += 2.0 * d * d;
  if (c.predictor == "cope")
    count += number(c.cope_mlp) * (number(c.cope_mlp) + 8.0 * number(c.cope_frequencies)) +
             d * (number(c.cope_hidden) + number(c.embedding / c.cope_reduction));
  return count;
}

std::string shape_text(const Tensor& tensor) {
  return fmt::format("{}", fmt::join(tensor.sizes(), "×"));
}

}  // namespace

json metadata_json(const TensorFile& file, const std::string& name) {
  const auto found = file.metadata.find(name);
  if (found == file.metadata.end()) return json::object();
  json parsed = json::parse(found->second, nullptr, /*allow_exceptions=*/false);
  return parsed.is_discarded() ? json::object() : parsed;
}

void require_room(const ModelConfig& config, const TensorFile& file, const std::string& origin) {
  double stored = 0.0;
  for (const auto& [name, tensor] : file.tensors) stored += static_cast<double>(tensor.numel());
  if (matrix_elements(config) > stored)
    throw InputError(fmt::format(
        "{} has fewer weights than its configuration asks for: it is of another architecture",
        origin));
}

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

std::map<std::string, std::string> file_header(const std::string& kind, const ModelConfig& config) {
  return {{"format", kFormat},
          {"format_version", std::to_string(kVersion)},
          {"kind", kind},
          {"config", json(config).dump()}};
}

ModelConfig check_header(const TensorFile& file, const std::string& kind,
                         const std::filesystem::path& path) {
  const auto field = [&](const char* name) {
    const auto found = file.metadata.find(name);
    return found == file.metadata.end() ? std::string() : found->second;
  };
  if (field("format") != kFormat)
    throw InputError(
        fmt::format("{} was not written by pointpng: its metadata name no format", path.string()));
  if (field("format_version") != std::to_string(kVersion))
    throw InputError(
        fmt::format("{} has version '{}' of the format, this pointpng reads version {}",
                    path.string(), field("format_version"), kVersion));
  if (field("kind") != kind)
    throw InputError(fmt::format("{} holds a {}, not a {}", path.string(), field("kind"), kind));
  ModelConfig config;
  try {
    config = metadata_json(file, "config").get<ModelConfig>();
  } catch (const json::exception&) {
    throw InputError(fmt::format("{} has an unreadable model configuration", path.string()));
  }
  try {
    validate(config);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", path.string(), error.what()));
  }
  return config;
}

void save_model(const std::filesystem::path& path, const Model& model, const ModelCard& card) {
  TensorFile file{named_state(model), file_header("model", model.config())};
  file.metadata["training"] = card.training.dump();
  file.metadata["metrics"] = card.metrics.dump();
  write_safetensors(path, file);
}

LoadedModel load_model(const std::filesystem::path& path, torch::Device device) {
  const TensorFile file = read_safetensors(path);
  const ModelConfig config = check_header(file, "model", path);
  require_room(config, file, path.string());
  LoadedModel loaded{std::make_shared<Model>(config),
                     {metadata_json(file, "training"), metadata_json(file, "metrics")}};
  load_state(*loaded.model, file.tensors, "", path.string());
  loaded.model->to(device);
  loaded.model->eval();
  return loaded;
}

}  // namespace pointpng
