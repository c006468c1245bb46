// Everything must run on whatever device LibTorch offers, without a look at the host inside a loop.
// The "meta" device shows it on any machine: its tensors have shapes and no numbers, so whoever
// reads one, or mixes in a tensor of the host's, fails; and as on a GPU, none of the kernels for
// the CPU is used.
#include <string>
#include <tuple>

#include <gtest/gtest.h>
#include <torch/types.h>

#include "model/small_config.h"
#include "pointpng/io/procedural.h"
#include "pointpng/train/objective.h"
#include "pointpng/train/optimiser.h"
#include "train/small_run.h"

namespace pointpng {
namespace {

class DeviceTest : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(DeviceTest, ATrainingStepNeedsNothingFromTheHost) {
  const auto& [backbone, predictor] = GetParam();
  const ModelConfig model = small_config(backbone, predictor);
  for (const char* name : {"pointpng", "mae", "point2vec"}) {
    TrainConfig train = short_training(1);
    train.objective = name;
    train.mask_ratio = 0.5;
    train.average = 0.9;
    const PairBatch batch = small_source(model, train).make(0).to(torch::kMeta);
    const auto objective = make_objective(model, train);
    objective->module().to(torch::kMeta);
    FlatAdamW optimiser(objective->module(), train);
    optimiser.clear_gradients();
    torch::Generator generator = at::globalContext().defaultGenerator(torch::kCPU).clone();
    const StepLoss loss = objective->loss(batch, generator);
    EXPECT_TRUE(loss.total.is_meta());
    loss.total.backward();
    EXPECT_TRUE(optimiser.step(1e-3).is_meta());
    objective->after_step(0.5);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, DeviceTest,
                         testing::Combine(testing::Values("transformer", "equivariant"),
                                          testing::Values("cope", "wigner", "sie")));

}  // namespace
}  // namespace pointpng
