#pragma once

#include <cstdint>
#include <vector>

#include <torch/types.h>

#include "base/random.h"
#include "model/patches.h"
#include "pointpng/cloud.h"
#include "pointpng/model.h"
#include "pointpng/training.h"

namespace pointpng {

/// B pairs of clouds with x⁺ = g x (up to sampling and augmentation), cut into patches; or, to
/// train a classifier, B labelled clouds.
struct PairBatch {
  Patches patches;  ///< of 2B clouds: first all x, then all x⁺
  Tensor rotation;  ///< g [B, 4]
  Tensor clouds;    ///< [B, points, 3], prepared; undefined for pairs, as are …
  Tensor labels;    ///< … their classes [B]

  PairBatch to(torch::Device device) const;
};

/// Which part of every batch is made here: one of `size` equal parts.
struct BatchShare {
  std::int64_t rank = 0;
  std::int64_t size = 1;
};

/// Makes the batches of a run. A batch depends on the step only, not on threads or restarts.
class BatchSource {
 public:
  virtual ~BatchSource() = default;
  virtual PairBatch make(std::int64_t step) const = 0;
  virtual double steps_per_epoch() const = 0;
  virtual std::int64_t clouds_per_step() const = 0;  ///< of the whole batch
};

/// Which of `count` items a step uses: all of them in every epoch, shuffled per epoch.
std::vector<std::int64_t> items_of_step(std::int64_t step, std::int64_t batch, std::int64_t count,
                                        std::uint64_t seed);

/// Degrades a view as sensors do: noise, a missing side, single-sided visibility, outliers.
Cloud augment(const Cloud& cloud, const ViewConfig& config, Random& random);

/// Pairs: shapes, points and rotations follow from the seed, the step and the place in the whole
/// batch.
class PairSource : public BatchSource {
 public:
  PairSource(ShapeSet shapes, ModelConfig model, TrainConfig train, BatchShare share = {});

  PairBatch make(std::int64_t step) const override;
  std::int64_t shapes() const { return static_cast<std::int64_t>(set_.shapes.size()); }
  double steps_per_epoch() const override;
  std::int64_t clouds_per_step() const override { return 2 * train_.batch; }

 private:
  ShapeSet set_;
  ModelConfig model_;
  TrainConfig train_;
  BatchShare share_;
};

}  // namespace pointpng
