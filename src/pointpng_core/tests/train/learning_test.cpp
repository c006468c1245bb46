// Training really learns: fixed numbers of steps on procedural shapes, measured on others.

#include <atomic>
#include <cmath>
#include <memory>

#include <gtest/gtest.h>
#include <torch/types.h>

#include "pointpng/io.h"
#include "train/equivariance.h"
#include "train/losses.h"
#include "train/small_run.h"
#include "train/trainer.h"

namespace pointpng {
namespace {

constexpr std::int64_t kTrainShapes = 240;
constexpr std::uint64_t kTrainSeed = 1, kTestSeed = 1001;

std::unique_ptr<Objective> untrained(const Preset& start) {
  torch::manual_seed(start.train.seed);
  auto objective = make_objective(start.model, start.train);
  objective->module().eval();
  return objective;
}

std::unique_ptr<Objective> trained(const Preset& start, const std::filesystem::path& run) {
  auto objective = untrained(start);
  RunFolder folder = RunFolder::create(run, config_of(start.train));
  const PairSource source(procedural_shapes(kTrainShapes, 2 * start.model.points, kTrainSeed),
                          start.model, start.train);
  Trainer trainer(*objective, source, start.train, folder, torch::kCPU);
  const std::atomic<bool> stop = false;
  trainer.run(stop, {});
  objective->module().eval();
  return objective;
}

TurnedPairs test_pairs(const ModelConfig& model) {
  return turned_pairs(procedural_shapes(100, 2 * model.points, kTestSeed), model, 100, 3);
}

/// The terms of the loss on shapes that training never draws.
PointPngLoss terms(Objective& objective, const Preset& start) {
  const torch::NoGradGuard no_grad;
  TrainConfig large = start.train;
  large.batch = 100;
  const PairBatch batch =
      PairSource(procedural_shapes(100, 2 * start.model.points, kTestSeed), start.model, large)
          .make(0);
  torch::Generator generator = at::globalContext().defaultGenerator(torch::kCPU).clone();
  generator.set_current_seed(1);
  const auto z = objective.model()->backbone().embed(batch.patches).chunk(2);
  return point_png_loss(objective.model()->predictor(), z[0], z[1], batch.rotation,
                        start.train.loss, generator);
}

// Seeds 0, 1, 2 gave, untrained and trained: mean 52, 55, 56 → 31, 30, 30 degrees, median 9.1,
// 10.4, 9.6 → 5.2, 5.2, 4.9, within 15 degrees 0.63, 0.59, 0.59 → 0.82, 0.82, 0.81.
TEST(LearningTest, ThePoseErrorFallsWellBelowThatOfTheUntrainedModel) {
  const TemporaryFolder scratch;
  Preset start = preset("tiny");
  start.train.epochs = 20;
  const TurnedPairs pairs = test_pairs(start.model);
  const Equivariance before = measure_equivariance(*untrained(start)->model(), pairs);
  const Equivariance after = measure_equivariance(*trained(start, scratch / "run")->model(), pairs);
  EXPECT_LT(after.search.mean_deg, 0.75 * before.search.mean_deg);
  EXPECT_LT(after.search.median_deg, 0.75 * before.search.median_deg);
  EXPECT_GT(after.search.within_15deg, before.search.within_15deg + 0.1);
  EXPECT_GT(after.ae, 0.7);
  EXPECT_EQ(count_events(scratch / "run", "collapse"), 0);
}

// Seeds 0, 1, 2 gave, untrained and trained: align 2.0, 1.9, 1.5 → 0.34, 0.16, 0.18, uniformity
// about 0 → -1.9, -1.4, -1.5, PA → 0.83, 0.92, 0.91, COPE 3.68, 3.65, 3.67 of 3.71 at collapse. AE
// is still about 0 by then: it rises later, so it is not tested here.
TEST(LearningTest, TheLossTermsOfThePlainTransformerMoveAsTheyShould) {
  const TemporaryFolder scratch;
  Preset start = preset("tiny");
  start.model.backbone = "transformer";
  start.model.predictor = "cope";
  start.train.epochs = 20;
  const PointPngLoss before = terms(*untrained(start), start);
  const PointPngLoss after = terms(*trained(start, scratch / "run"), start);
  const auto value = [](const Tensor& term) { return term.item<double>(); };
  const LossConfig& loss = start.train.loss;
  const double at_collapse =
      std::log(static_cast<double>(loss.pseudo_negatives + loss.near_negatives) + 1.0);
  EXPECT_LT(value(after.align), 0.5 * value(before.align));
  EXPECT_LT(value(after.uniformity), value(before.uniformity) - 0.7);
  EXPECT_LT(value(after.total), value(before.total) - 1.0);
  EXPECT_LT(value(after.cope), at_collapse - 0.01);
  EXPECT_GT(value(after.pa), 0.5);
}

}  // namespace
}  // namespace pointpng
