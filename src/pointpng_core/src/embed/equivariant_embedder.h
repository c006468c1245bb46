#pragma once

#include <filesystem>
#include <memory>

#include "embed/embedder.h"
#include "io/safetensors.h"
#include "pointpng/model.h"

namespace pointpng {

/// True for the models that `make_equivariant_embedder` runs.
bool is_equivariant_model(const ModelConfig& config);

/// The equivariant backbone with the Wigner predictor in plain C++: the same numbers as LibTorch's
/// to 1e-5. One thread per cloud. Throws `InputError` where weights are missing or misshapen.
std::shared_ptr<const Embedder> make_equivariant_embedder(const ModelConfig& config,
                                                          const Safetensors& file,
                                                          const std::filesystem::path& origin);

}  // namespace pointpng
