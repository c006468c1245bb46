#include "embed/equivariant_weights.h"

#include <cstdint>
#include <numeric>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "pointpng/error.h"

namespace pointpng {
namespace {

constexpr std::int64_t kPlaceHidden = 64;
constexpr std::int64_t kRelationWidth = 16;

std::string stored_name(const std::string& name) { return "backbone." + name; }

/// Lists the weights of a model with their shapes, layer by layer.
class NeededWeights {
 public:
  struct Needed {
    std::string name;
    std::vector<std::int64_t> shape;
  };

  explicit NeededWeights(const ModelConfig& config) {
    add_tokens(config);
    add_mlp("place", 2, kPlaceHidden, config.width);
    add_linear("relation", 2, kRelationWidth);
    list_.push_back({"bias.weight", {config.depth * config.heads, kRelationWidth}});
    for (std::int64_t i = 0; i < config.depth; ++i)
      add_block(fmt::format("encoder_{}", i), config.width, config.mlp_ratio * config.width);
    add_norm("encoder_norm", config.width);
    const std::int64_t channels =
        std::accumulate(config.channels.begin(), config.channels.end(), std::int64_t{0});
    add_linear("head_directions", config.width, channels);
    if (config.patch_moments) add_linear("head_moments", config.width, channels);
  }

  const std::vector<Needed>& list() const { return list_; }

 private:
  void add_tokens(const ModelConfig& config) {
    const std::int64_t a = config.patch_widths[0], b = config.patch_widths[1],
                       c = config.patch_widths[2];
    add_linear("tokens.first", 3, a);
    add_linear("tokens.second", a, b);
    add_linear("tokens.third", 2 * b, c);
    add_linear("tokens.last", c, config.width);
    if (!config.patch_batch_norm) return;
    add_batch_norm("tokens.first_norm", a);
    add_batch_norm("tokens.third_norm", c);
  }

  void add_block(const std::string& name, std::int64_t width, std::int64_t hidden) {
    add_norm(name + ".attention_norm", width);
    add_norm(name + ".mlp_norm", width);
    add_linear(name + ".qkv", width, 3 * width);
    add_linear(name + ".out", width, width);
    add_mlp(name + ".mlp", width, hidden, width);
  }

  void add_mlp(const std::string& name, std::int64_t in, std::int64_t hidden, std::int64_t out) {
    add_linear(name + ".expand", in, hidden);
    add_linear(name + ".contract", hidden, out);
  }

  void add_linear(const std::string& name, std::int64_t in, std::int64_t out) {
    list_.push_back({name + ".weight", {out, in}});
    list_.push_back({name + ".bias", {out}});
  }

  void add_norm(const std::string& name, std::int64_t width) {
    for (const char* part : {".weight", ".bias"}) list_.push_back({name + part, {width}});
  }

  void add_batch_norm(const std::string& name, std::int64_t width) {
    add_norm(name, width);
    for (const char* part : {".running_mean", ".running_var"})
      list_.push_back({name + part, {width}});
  }

  std::vector<Needed> list_;
};

void require(const NeededWeights::Needed& needed, const Safetensors& file,
             const std::string& origin) {
  const std::string name = stored_name(needed.name);
  const auto found = file.tensors.find(name);
  if (found == file.tensors.end())
    throw InputError(
        fmt::format("{} has no weights '{}': it is of another architecture", origin, name));
  const StoredTensor& tensor = found->second;
  if (tensor.shape != needed.shape || tensor.dtype != "F32")
    throw InputError(fmt::format(
        "{}: weights '{}' are {} {}, the model needs F32 {}: it is of another architecture", origin,
        name, tensor.dtype, fmt::join(tensor.shape, "×"), fmt::join(needed.shape, "×")));
}

}  // namespace

EquivariantWeights::EquivariantWeights(const ModelConfig& config, const Safetensors& file,
                                       const std::filesystem::path& origin)
    : file_(file) {
  const NeededWeights weights(config);
  for (const auto& needed : weights.list()) require(needed, file, origin.string());
}

EquivariantWeights::Matrix EquivariantWeights::matrix(const std::string& name) const {
  const StoredTensor& stored = tensor(name);
  return Eigen::Map<const Matrix>(stored.floats().data(), stored.shape[0], stored.shape[1]);
}

Eigen::VectorXf EquivariantWeights::vector(const std::string& name) const {
  const StoredTensor& stored = tensor(name);
  return Eigen::Map<const Eigen::VectorXf>(stored.floats().data(), stored.shape[0]);
}

const StoredTensor& EquivariantWeights::tensor(const std::string& name) const {
  return file_.tensors.at(stored_name(name));
}

}  // namespace pointpng
