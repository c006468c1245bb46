#include "embed/model_file.h"

#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "embed/equivariant_embedder.h"
#include "embed/equivariant_weights.h"
#include "io/safetensors.h"
#include "pointpng/error.h"
#include "pointpng/runtime.h"

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

}  // namespace

json metadata_json(const Metadata& metadata, const std::string& name) {
  const auto found = metadata.find(name);
  if (found == metadata.end()) return json::object();
  json parsed = json::parse(found->second, nullptr, /*allow_exceptions=*/false);
  return parsed.is_discarded() ? json::object() : parsed;
}

void require_room(const ModelConfig& config, std::int64_t stored, const std::string& origin) {
  if (matrix_elements(config) > static_cast<double>(stored))
    throw InputError(fmt::format(
        "{} has fewer weights than its configuration asks for: it is of another architecture",
        origin));
}

Metadata file_header(const std::string& kind, const ModelConfig& config) {
  return {{"format", kFormat},
          {"format_version", std::to_string(kVersion)},
          {"kind", kind},
          {"config", json(config).dump()}};
}

ModelConfig check_header(const Metadata& metadata, const std::string& kind,
                         const std::filesystem::path& path) {
  const auto field = [&](const char* name) {
    const auto found = metadata.find(name);
    return found == metadata.end() ? std::string() : found->second;
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
    config = json::parse(field("config")).get<ModelConfig>();
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

ModelInfo inspect_model(const std::filesystem::path& file) {
  const Safetensors stored = read_safetensors_file(file);
  const auto kind = stored.metadata.find("kind");
  const bool is_classifier = kind != stored.metadata.end() && kind->second == "classifier";
  const ModelConfig config =
      check_header(stored.metadata, is_classifier ? "classifier" : "model", file);
  ModelInfo info;
  info.file = file;
  std::int64_t elements = 0;
  for (const auto& [name, tensor] : stored.tensors) elements += tensor.count();
  if (!is_classifier) require_room(config, elements, file.string());
  if (!is_classifier && is_equivariant_model(config))
    EquivariantWeights(config, stored, file);  // throws where weights do not fit
  info.bytes = std::filesystem::file_size(file);
  info.kind = is_classifier ? "classifier" : "model";
  info.metadata = stored.metadata;
  info.metadata["config"] = json(config).dump();  // with the defaults that the file leaves out
  info.embedding_length = is_classifier ? 0 : ::pointpng::embedding_length(config);
  if (!is_classifier && config.backbone == "equivariant")
    info.channels.assign(config.channels.begin(), config.channels.end());
  for (const auto& [name, tensor] : stored.tensors)
    if (!name.ends_with("running_mean") && !name.ends_with("running_var") &&
        !name.ends_with("num_batches_tracked"))
      info.parameters[name.substr(0, name.find('.'))] += tensor.count();
  return info;
}

}  // namespace pointpng
