#include "train/objective.h"

#include <cmath>
#include <functional>
#include <string>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include "base/refusal.h"
#include "train/small_run.h"

namespace pointpng {
namespace {

using testing::HasSubstr;

TrainConfig masked(const std::string& objective) {
  TrainConfig train = short_training(1);
  train.objective = objective;
  train.mask_ratio = 0.5;
  return train;
}

class InitTest : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(InitTest, PretrainingStartsFromTheEncoderOfMaskedAutoencoding) {
  const auto& [method, backbone] = GetParam();
  const TemporaryFolder scratch;
  ModelConfig model = smallest_model();
  model.backbone = backbone;
  model.predictor = backbone == "transformer" ? "cope" : "wigner";
  torch::manual_seed(1);
  make_objective(model, masked(method))->save(scratch / "encoder.safetensors", {});
  const auto stored = read_safetensors(scratch / "encoder.safetensors").tensors;

  torch::manual_seed(2);
  const auto objective = make_objective(model, short_training(1));
  const int taken = initialise_encoder(*objective, model, scratch / "encoder.safetensors");
  EXPECT_EQ(taken, static_cast<int>(stored.size()));
  EXPECT_GT(taken, 10);
  const auto state = named_state(objective->module());
  for (const auto& [name, tensor] : stored) EXPECT_TRUE(torch::equal(state.at(name), tensor));
}

INSTANTIATE_TEST_SUITE_P(Methods, InitTest,
                         testing::Combine(testing::Values("mae", "point2vec"),
                                          testing::Values("transformer", "equivariant")));

TEST(InitialiseEncoderTest, RefusesWhatDoesNotFit) {
  const TemporaryFolder scratch;
  const ModelConfig model = smallest_model();
  const auto path = scratch / "encoder.safetensors";
  make_objective(model, masked("mae"))->save(path, {});
  const auto start_with = [&](const ModelConfig& config) {
    return refusal([&] {
      const auto objective = make_objective(config, short_training(1));
      initialise_encoder(*objective, config, path);
    });
  };
  EXPECT_EQ(start_with(model), "");
  ModelConfig other = model;
  other.backbone = "transformer";
  EXPECT_THAT(start_with(other), HasSubstr("'equivariant' backbone"));
  other = model;
  other.width = 64;
  EXPECT_THAT(start_with(other), HasSubstr("does not fit"));
}

TEST(ObjectiveTest, RefusesNumbersThatMakeNoSense) {
  const ModelConfig model = smallest_model();
  const auto why = [&](const std::function<void(TrainConfig&)>& change) {
    TrainConfig train = short_training(1);
    change(train);
    return refusal([&] { make_objective(model, train); });
  };
  EXPECT_EQ(why([](TrainConfig&) {}), "");
  EXPECT_THAT(why([](auto& c) { c.objective = "gan"; }),
              HasSubstr("pointpng, mae, point2vec, classify, simclr"));
  EXPECT_THAT(why([](auto& c) { c.batch = 0; }), HasSubstr("batch"));
  EXPECT_THAT(why([](auto& c) { c.epochs = 0.0; }), HasSubstr("epochs"));
  EXPECT_THAT(why([](auto& c) { c.epochs = INFINITY; }), HasSubstr("epochs"));
  EXPECT_THAT(why([](auto& c) { c.minutes = -1.0; }), HasSubstr("minutes"));
  EXPECT_THAT(why([](auto& c) { c.minutes = NAN; }), HasSubstr("minutes"));
  EXPECT_THAT(why([](auto& c) { c.learning_rate = NAN; }), HasSubstr("learning rate"));
  EXPECT_THAT(why([](auto& c) { c.clip = 0.0; }), HasSubstr("norm"));
  EXPECT_THAT(why([](auto& c) { c.mask_ratio = 1.0; }), HasSubstr("mask"));
  EXPECT_THAT(why([](auto& c) { c.objective = "mae"; }), HasSubstr("mask"));
  EXPECT_THAT(why([](auto& c) { c.loss.beta = 1.5; }), HasSubstr("beta"));
  EXPECT_THAT(why([](auto& c) { c.loss.temperature = 0.0; }), HasSubstr("temperature"));
  EXPECT_THAT(why([](auto& c) { c.loss.pseudo_negatives = c.loss.near_negatives = 0; }),
              HasSubstr("pseudo-negative"));
  EXPECT_THAT(why([](auto& c) { c.loss.near_smallest_deg = 90.0; }), HasSubstr("degrees"));
  EXPECT_THAT(why([](auto& c) { c.views.crop_probability = 2.0; }), HasSubstr("probabilities"));
}

TEST(PresetTest, HasThePapersNumbers) {
  const Preset paper = preset("paper");
  EXPECT_EQ(paper.model.backbone, "transformer");
  EXPECT_EQ(paper.model.predictor, "cope");
  EXPECT_EQ(paper.model.width, 384);
  EXPECT_EQ(paper.model.depth, 12);
  EXPECT_EQ(paper.train.loss.pseudo_negatives, 8);
  EXPECT_DOUBLE_EQ(paper.train.loss.beta, 0.3);
  for (const std::string& name : preset_names()) {
    EXPECT_NO_THROW(validate(preset(name).model)) << name;
    EXPECT_NO_THROW(validate(preset(name).train)) << name;
  }
  EXPECT_THAT(refusal([] { preset("huge"); }), HasSubstr("tiny, small, paper"));
}

}  // namespace
}  // namespace pointpng
