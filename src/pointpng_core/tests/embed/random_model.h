#pragma once

#include <cmath>
#include <cstring>
#include <memory>
#include <string>

#include "base/random.h"
#include "embed/equivariant_embedder.h"

namespace pointpng {

/// The weights of an equivariant model before any training.
inline Safetensors random_weights(const ModelConfig& config, std::uint64_t seed) {
  Safetensors file;
  Random random({seed});
  const auto add = [&](const std::string& name, std::vector<std::int64_t> shape, auto value) {
    StoredTensor tensor{"F32", shape, {}};
    std::int64_t count = 1;
    for (const std::int64_t size : shape) count *= size;
    std::vector<float> values(static_cast<std::size_t>(count));
    for (float& number : values) number = value();
    tensor.bytes.resize(values.size() * sizeof(float));
    std::memcpy(tensor.bytes.data(), values.data(), tensor.bytes.size());
    file.tensors["backbone." + name] = std::move(tensor);
  };
  const auto linear = [&](const std::string& name, std::int64_t in, std::int64_t out,
                          bool biased = true) {
    const float bound = 1.0F / std::sqrt(static_cast<float>(in));
    const auto draw = [&] { return random.uniform(-bound, bound); };
    add(name + ".weight", {out, in}, draw);
    if (biased) add(name + ".bias", {out}, draw);
  };
  const auto norm = [&](const std::string& name, std::int64_t width) {
    add(name + ".weight", {width}, [] { return 1.0F; });
    add(name + ".bias", {width}, [] { return 0.0F; });
  };
  const std::int64_t width = config.width;
  const auto& widths = config.patch_widths;
  linear("tokens.first", 3, widths[0]);
  linear("tokens.second", widths[0], widths[1]);
  linear("tokens.third", 2 * widths[1], widths[2]);
  linear("tokens.last", widths[2], width);
  linear("place.expand", 2, 64);
  linear("place.contract", 64, width);
  linear("relation", 2, 16);
  linear("bias", 16, config.depth * config.heads, false);
  for (std::int64_t i = 0; i < config.depth; ++i) {
    const std::string block = "encoder_" + std::to_string(i);
    norm(block + ".attention_norm", width);
    norm(block + ".mlp_norm", width);
    linear(block + ".qkv", width, 3 * width);
    linear(block + ".out", width, width);
    linear(block + ".mlp.expand", width, config.mlp_ratio * width);
    linear(block + ".mlp.contract", config.mlp_ratio * width, width);
  }
  norm("encoder_norm", width);
  std::int64_t total = 0;
  for (const std::int64_t channels : config.channels) total += channels;
  linear("head_directions", width, total);
  if (config.patch_moments) linear("head_moments", width, total);
  return file;
}

inline std::shared_ptr<const Embedder> random_embedder(const ModelConfig& config,
                                                       std::uint64_t seed) {
  return make_equivariant_embedder(config, random_weights(config, seed), "a random model");
}

}  // namespace pointpng
