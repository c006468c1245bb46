#pragma once

#include <cstdint>
#include <string>

#include <torch/nn/module.h>

namespace pointpng {

/// Number of trained weights of a module, or in its parts whose names start with `prefix`.
inline std::int64_t count_weights(const torch::nn::Module& module, const std::string& prefix = "") {
  std::int64_t count = 0;
  for (const auto& item : module.named_parameters())
    if (item.key().starts_with(prefix)) count += item.value().numel();
  return count;
}

}  // namespace pointpng
