#pragma once

#include <cstdint>

#include <torch/types.h>

#include "pointpng/base/cloud.h"
#include "pointpng/base/random.h"
#include "pointpng/model/config.h"
#include "pointpng/model/patches.h"
#include "pointpng/train/config.h"

namespace pointpng {

/// B pairs of clouds with x⁺ = g x (up to sampling and augmentation), cut into patches.
struct PairBatch {
  Patches patches;  ///< of 2B clouds: first all x, then all x⁺
  Tensor rotation;  ///< g [B, 4]

  PairBatch to(torch::Device device) const;
};

/// Damages a view as sensors do: noise, a missing side, one-sided visibility, stray points.
Cloud augment(const Cloud& cloud, const ViewConfig& config, Random& random);

/// Makes batch number `step` of a run: which shapes, which points and which rotations follow from
/// the seed, the step and nothing else, so threads and restarts change nothing.
class PairSource {
 public:
  PairSource(ShapeSet shapes, ModelConfig model, TrainConfig train);

  PairBatch make(std::int64_t step) const;
  std::int64_t shapes() const { return static_cast<std::int64_t>(set_.shapes.size()); }
  double steps_per_epoch() const;

 private:
  std::vector<std::int64_t> chosen_shapes(std::int64_t step) const;

  ShapeSet set_;
  ModelConfig model_;
  TrainConfig train_;
};

}  // namespace pointpng
