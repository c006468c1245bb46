#pragma once

#include <torch/types.h>

#include "pointpng/cloud.h"

namespace pointpng {

/// A view of the points as a batch of one cloud [1, N, 3]; the cloud must outlive it.
inline torch::Tensor as_batch(const Cloud& cloud) {
  return torch::from_blob(const_cast<float*>(cloud.data()), {1, cloud.rows(), 3}, torch::kFloat32);
}

}  // namespace pointpng
