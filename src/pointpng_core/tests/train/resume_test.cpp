// A run that was stopped and resumed ends bit-identical to one that was not.

#include <atomic>
#include <map>
#include <string>

#include <gtest/gtest.h>
#include <torch/types.h>

#include "train/small_run.h"
#include "train/trainer.h"

namespace pointpng {
namespace {

constexpr double kEpochs = 3.0;  // six steps
constexpr int kNever = 1000;

struct Case {
  std::string name;
  ModelConfig model = smallest_model();
  TrainConfig train = short_training(kEpochs);
};

Case equivariant() { return {"EquivariantWigner"}; }

Case transformer() {
  Case made{"TransformerCope"};
  made.model.backbone = "transformer";
  made.model.predictor = "cope";
  made.model.patch_batch_norm = true;
  made.train.mask_ratio = 0.5;
  made.train.average = 0.9;
  return made;
}

Case masked(const std::string& objective) {
  Case made = transformer();
  made.name = objective;
  made.train.objective = objective;
  return made;
}

using Tensors = std::map<std::string, Tensor>;

/// Everything that a run leaves behind.
struct Left {
  Tensors checkpoint, result;
};

/// Starts or resumes a run in the folder; stops during step number `stop_in`, counted from here.
Left train(const Case& given, const std::filesystem::path& path, bool resume, int stop_in,
           const TrainCallbacks& callbacks = {}) {
  torch::manual_seed(resume ? 99 : 7);  // fresh weights must not affect a resumed run
  const auto objective = make_objective(given.model, given.train);
  std::atomic<bool> stop = false;
  StoppingObjective stopping(*objective, stop_in, stop);
  const PairSource source = small_source(given.model, given.train);
  RunFolder folder =
      resume ? RunFolder::open(path) : RunFolder::create(path, config_of(given.train));
  Trainer trainer(stopping, source, given.train, folder, torch::kCPU);
  if (resume) trainer.resume();
  const TrainEnd end = trainer.run(stop, callbacks);
  EXPECT_EQ(end, stop ? TrainEnd::kStopped : TrainEnd::kFinished);
  return {read_safetensors(folder.checkpoint()).tensors, read_safetensors(folder.result()).tensors};
}

void expect_same(const Tensors& one, const Tensors& other) {
  ASSERT_FALSE(one.empty());
  ASSERT_EQ(one.size(), other.size());
  for (const auto& [name, tensor] : one) {
    ASSERT_TRUE(other.contains(name)) << name;
    EXPECT_TRUE(torch::equal(tensor, other.at(name))) << name;
  }
}

class ResumeTest : public testing::TestWithParam<Case> {};

TEST_P(ResumeTest, EndsWithTheSameWeightsToTheBit) {
  const TemporaryFolder scratch;
  const Left straight = train(GetParam(), scratch / "straight", false, kNever);
  const Left early = train(GetParam(), scratch / "stopped", false, 2);
  EXPECT_FALSE(torch::equal(straight.checkpoint.at("optimiser.mean"),
                            early.checkpoint.at("optimiser.mean")));
  train(GetParam(), scratch / "stopped", true, 3);
  const Left resumed = train(GetParam(), scratch / "stopped", true, kNever);
  expect_same(straight.checkpoint, resumed.checkpoint);
  expect_same(straight.result, resumed.result);
  EXPECT_EQ(count_events(scratch / "stopped", "stop"), 2);
  EXPECT_EQ(count_events(scratch / "stopped", "resume"), 2);
  EXPECT_EQ(count_events(scratch / "stopped", "done"), 1);
}

INSTANTIATE_TEST_SUITE_P(Objectives, ResumeTest,
                         testing::Values(equivariant(), transformer(), masked("mae"),
                                         masked("point2vec")),
                         [](const auto& given) { return given.param.name; });

TEST(RunTest, WorkersDoNotChangeTheResult) {
  const TemporaryFolder scratch;
  Case given = equivariant();
  const Left one = train(given, scratch / "one", false, kNever);
  given.train.workers = 3;
  expect_same(one.checkpoint, train(given, scratch / "three", false, kNever).checkpoint);
}

TEST(RunTest, LookingAtTheModelDoesNotChangeIt) {
  const TemporaryFolder scratch;
  Case given = transformer();
  given.train.evaluate_every = 0.3;
  const Left blind = train(given, scratch / "blind", false, kNever);
  TrainCallbacks callbacks;
  int looks = 0;
  callbacks.evaluate = [&](Model& model) -> nlohmann::json {
    EXPECT_FALSE(model.is_training());
    torch::randn({3});  // whatever an evaluation draws
    model.embed(procedural_shape(1, 1, 100).points);
    return {{"looks", ++looks}};
  };
  const Left seen = train(given, scratch / "seen", false, kNever, callbacks);
  EXPECT_EQ(looks, 3);  // after a third and two thirds of the run, and at its end
  expect_same(blind.checkpoint, seen.checkpoint);
  const auto metadata = read_safetensors(scratch / "seen/model.safetensors").metadata;
  EXPECT_EQ(nlohmann::json::parse(metadata.at("metrics")), (nlohmann::json{{"looks", 3}}));
}

TEST(RunTest, TheResultHasTheAveragedWeights) {
  const TemporaryFolder scratch;
  const Left left = train(transformer(), scratch / "run", false, kNever);
  int compared = 0;
  for (const auto& [key, averaged] : left.result) {
    const auto last = left.checkpoint.find("module." + key);
    ASSERT_NE(last, left.checkpoint.end()) << key;
    compared += averaged.dim() >= 2 && !torch::equal(averaged, last->second) ? 1 : 0;
  }
  EXPECT_GT(compared, 5);
}

TEST(RunTest, TheFirstStepLearnsInspiteOfTheWarmUp) {
  const TemporaryFolder scratch;
  Case given = equivariant();
  given.train.warmup = 0.5;
  given.train.weight_decay = 0.0;
  torch::manual_seed(7);
  const auto fresh = named_state(make_objective(given.model, given.train)->module(), "module.");
  const Left left = train(given, scratch / "run", false, 1);
  int changed = 0;
  for (const auto& [name, tensor] : fresh)
    changed += torch::equal(tensor, left.checkpoint.at(name)) ? 0 : 1;
  EXPECT_GT(changed, 5);
}

}  // namespace
}  // namespace pointpng
