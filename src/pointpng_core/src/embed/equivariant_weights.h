#pragma once

#include <filesystem>
#include <string>

#include <Eigen/Core>

#include "io/safetensors.h"
#include "pointpng/model.h"

namespace pointpng {

/// The weights of the equivariant backbone in a file.
class EquivariantWeights {
 public:
  using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  /// Throws `InputError` where weights that such a model needs are missing or misshapen. `file`
  /// must outlive it.
  EquivariantWeights(const ModelConfig& config, const Safetensors& file,
                     const std::filesystem::path& origin);

  Matrix matrix(const std::string& name) const;
  Eigen::VectorXf vector(const std::string& name) const;

 private:
  const StoredTensor& tensor(const std::string& name) const;

  const Safetensors& file_;
};

}  // namespace pointpng
