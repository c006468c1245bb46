#include "train/labelled.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include "model/rotation.h"
#include "model/tensor_checks.h"
#include "pointpng/error.h"
#include "train/probe.h"
#include "train/small_run.h"
#include "train/trainer.h"

namespace pointpng {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Two classes that differ in rotation invariants: balls and sticks.
ShapeSet balls_and_sticks(std::int64_t count, std::uint64_t seed) {
  ShapeSet set;
  set.class_names = {"ball", "stick"};
  for (std::int64_t i = 0; i < count; ++i) {
    Random random({seed, static_cast<std::uint64_t>(i)});
    Cloud points(160, 3);
    for (Eigen::Index row = 0; row < points.rows(); ++row) {
      const Eigen::Vector3f v = random.direction();
      const float thin = i % 2 == 0 ? 1.0F : 0.1F;
      points.row(row) << thin * v.x(), thin * v.y(), v.z();
    }
    set.shapes.push_back({points, static_cast<int>(i % 2), "shape " + std::to_string(i)});
  }
  return set;
}

template <class Action>
std::string complaint(Action action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

TEST(Classes, OnlyUsedOnesAreKept) {
  ShapeSet set = balls_and_sticks(4, 1);
  set.class_names = {"unused", "ball", "other", "stick"};
  for (Shape& shape : set.shapes) shape.label = shape.label == 0 ? 1 : 3;
  const ShapeSet used = with_used_classes(set, "a.h5");
  EXPECT_THAT(used.class_names, ElementsAre("ball", "stick"));
  EXPECT_EQ(used.shapes[0].label, 0);
  EXPECT_EQ(used.shapes[1].label, 1);
}

TEST(Classes, AreToldByTheirNames) {
  ShapeSet set = balls_and_sticks(2, 1);
  set.class_names = {"stick", "ball"};  // another file, another order
  const ShapeSet renamed = with_classes(set, {"ball", "stick"}, "b.h5");
  EXPECT_EQ(renamed.shapes[0].label, 1);
  EXPECT_EQ(renamed.shapes[1].label, 0);
}

TEST(Classes, WhatCanNotBeClassifiedIsRefusedWithASentence) {
  ShapeSet set = balls_and_sticks(4, 1);
  EXPECT_THAT(complaint([&] {
                with_classes(set, {"ball", "cup"}, "b.h5");
              }),
              HasSubstr("b.h5: has shapes of class 'stick', which the training data do not have"));
  set.shapes[3].label = -1;
  EXPECT_THAT(complaint([&] { with_used_classes(set, "a.h5"); }),
              HasSubstr("a.h5: 'shape 3' has no label"));
  EXPECT_THAT(complaint([&] {
                with_classes(set, {"ball", "stick"}, "a.h5");
              }),
              HasSubstr("has no label"));
  set = balls_and_sticks(4, 1);
  for (Shape& shape : set.shapes) shape.label = 1;
  EXPECT_THAT(complaint([&] { with_used_classes(set, "a.h5"); }),
              HasSubstr("a.h5: holds only 'stick'; at least two classes"));
  EXPECT_THAT(complaint([&] { with_used_classes({}, "a.h5"); }), HasSubstr("no shapes"));
}

TEST(RandomTurn, LeavesTheUpAxisWhereItIsUnlessAskedOtherwise) {
  ClassifyConfig config;
  config.rotations = "z";
  for (const auto& [up, axis] : {std::pair{"x", 0}, {"y", 1}, {"z", 2}}) {
    config.up = up;
    double farthest = 0.0;
    for (std::uint64_t i = 0; i < 20; ++i) {
      Random random({i});
      const Tensor matrix = rotation::to_matrix(random_turn(config, random));
      EXPECT_NEAR(matrix[axis][axis].item<double>(), 1.0, 1e-5);
      farthest = std::max(farthest, 1.0 - matrix[(axis + 1) % 3][(axis + 1) % 3].item<double>());
    }
    EXPECT_GT(farthest, 1.0);  // all the way round
  }
  Random random({1});
  config.rotations = "none";
  EXPECT_EQ(random_turn(config, random)[0].item<double>(), 1.0);
  config.rotations = "so3";
  EXPECT_LT(rotation::to_matrix(random_turn(config, random))[2][2].item<double>(), 0.99);
}

TEST(LabelledSource, BatchesFollowFromSeedAndStepAndVisitEveryShape) {
  TrainConfig train = short_training(1);
  const LabelledSource source(balls_and_sticks(8, 1), smallest_model(), train);
  EXPECT_EQ(source.steps_per_epoch(), 2.0);
  const PairBatch batch = source.make(3);
  EXPECT_EQ(batch.clouds.sizes(), (torch::IntArrayRef{4, smallest_model().points, 3}));
  EXPECT_TRUE(source.make(3).clouds.equal(batch.clouds));
  EXPECT_FALSE(source.make(4).clouds.equal(batch.clouds));
  const Tensor labels = torch::cat({source.make(0).labels, source.make(1).labels});
  EXPECT_EQ(labels.sum().item<int>(), 4);  // four balls and four sticks per epoch
}

TEST(LabelledSource, RefusesCloudsThatAreTooSmall) {
  ShapeSet set = balls_and_sticks(4, 1);
  set.shapes[2].points = set.shapes[2].points.topRows(3).eval();
  EXPECT_THAT(complaint([&] { LabelledSource(set, smallest_model(), short_training(1)); }),
              HasSubstr("shape 2"));
}

TEST(ClassificationLoss, IsTheCrossEntropyWithSmoothedAndWeightedLabels) {
  const Tensor scores = torch::tensor({{2.0F, 0.0F, 1.0F}, {0.0F, 1.0F, 0.0F}});
  const Tensor labels = torch::tensor({std::int64_t{0}, std::int64_t{2}});
  const Tensor weights = torch::tensor({1.0F, 1.0F, 3.0F});
  const auto log_share = [&](int row, int column) {
    double sum = 0.0;
    for (int i = 0; i < 3; ++i) sum += std::exp(scores[row][i].item<double>());
    return scores[row][column].item<double>() - std::log(sum);
  };
  const auto smoothed = [&](int row, int label) {
    double mean = 0.0;
    for (int i = 0; i < 3; ++i) mean += log_share(row, i) / 3.0;
    return -(0.9 * log_share(row, label) + 0.1 * mean);
  };
  EXPECT_NEAR(classification_loss(scores, labels, weights, 0.1).item<double>(),
              (smoothed(0, 0) + 3.0 * smoothed(1, 2)) / 2.0, 1e-6);
}

TEST(ClassWeights, BalanceMakesEveryClassCountAlike) {
  ShapeSet set = balls_and_sticks(8, 1);
  set.shapes.resize(7);
  set.shapes[1].label = set.shapes[3].label = 0;  // six balls and one stick
  EXPECT_EQ(difference(class_weights(set, 0.0), torch::ones({2})), 0.0);
  const Tensor weights = class_weights(set, 1.0);
  EXPECT_NEAR((6.0 * weights[0]).item<double>(), weights[1].item<double>(), 1e-5);
  EXPECT_NEAR((6.0 * weights[0] + weights[1]).item<double>(), 7.0, 1e-5);
}

std::shared_ptr<Classifier> small_classifier(const std::string& encoder) {
  at::manual_seed(3);
  ClassifierConfig config;
  config.encoder = encoder;
  config.model = smallest_model();
  config.classes = {"ball", "stick"};
  config.hidden = {16};
  return std::make_shared<Classifier>(config);
}

double accuracy_on(Classifier& classifier, const ShapeSet& shapes) {
  classifier.eval();
  std::vector<Tensor> clouds;
  for (const Shape& shape : shapes.shapes)
    clouds.push_back(prepare(shape.points, classifier.config().model));
  const Tensor named = classifier.forward(torch::stack(clouds)).argmax(1);
  return named.eq(labels_of(shapes)).to(torch::kFloat64).mean().item<double>();
}

TEST(Probe, LearnsWhatTheFrozenEncoderTellsApartAndLeavesItAlone) {
  const auto classifier = small_classifier("backbone");
  const auto before = named_state(*classifier);
  std::map<std::string, Tensor> encoder;
  for (const auto& [name, tensor] : before)
    if (name.starts_with("backbone.")) encoder[name] = tensor.clone();
  ProbeConfig config;
  config.epochs = 30;
  config.batch = 8;
  EXPECT_EQ(fit_probe(*classifier, balls_and_sticks(24, 1), {}, config), 90);
  EXPECT_GE(accuracy_on(*classifier, balls_and_sticks(20, 2)), 0.95);
  for (const auto& [name, tensor] : named_state(*classifier))
    if (name.starts_with("backbone.")) EXPECT_EQ(difference(tensor, encoder[name]), 0.0) << name;
}

TEST(Probe, TheSameSeedGivesTheSameHead) {
  ProbeConfig config;
  config.epochs = 2;
  config.seed = 4;
  const auto weights = [&](std::uint64_t seed) {
    config.seed = seed;
    const auto classifier = small_classifier("backbone");
    fit_probe(*classifier, balls_and_sticks(12, 1), {}, config);
    return named_state(*classifier).at("head.out.weight").clone();
  };
  const Tensor once = weights(4);
  EXPECT_EQ(difference(weights(4), once), 0.0);
  EXPECT_GT(difference(weights(5), once), 1e-6);
}

TEST(TrainingAClassifier, LearnsWithoutARunFolder) {
  for (const char* encoder : {"backbone", "pointnet"}) {
    const auto classifier = small_classifier(encoder);
    TrainConfig train = short_training(20);
    train.objective = "classify";
    train.learning_rate = 3e-3;
    const ShapeSet shapes = balls_and_sticks(16, 1);
    const auto objective = classifier_objective(classifier, class_weights(shapes, 0.0), 0.1);
    const LabelledSource source(shapes, smallest_model(), train);
    Trainer trainer(*objective, source, train, torch::kCPU);
    EXPECT_THROW(trainer.resume(), Error);
    const std::atomic<bool> never = false;
    EXPECT_EQ(trainer.run(never, {}), TrainEnd::kFinished);
    EXPECT_EQ(trainer.step(), 80);
    EXPECT_GE(accuracy_on(*classifier, balls_and_sticks(20, 2)), 0.9) << encoder;
  }
}

TEST(TrainingAClassifier, IsJudgedInBetweenAndSavedInItsFolder) {
  const TemporaryFolder scratch;
  const auto classifier = small_classifier("backbone");
  TrainConfig train = short_training(2);
  train.objective = "classify";
  const ShapeSet shapes = balls_and_sticks(8, 1);
  const auto objective = classifier_objective(classifier, class_weights(shapes, 0.0), 0.1);
  const LabelledSource source(shapes, smallest_model(), train);
  RunFolder folder = RunFolder::create(scratch / "run", config_of(train));
  Trainer trainer(*objective, source, train, folder, torch::kCPU);
  TrainCallbacks callbacks;
  bool was_training = true;
  callbacks.evaluate_other = [&]() -> nlohmann::json {
    was_training = classifier->is_training();
    return {{"accuracy", 0.75}};
  };
  const std::atomic<bool> never = false;
  trainer.run(never, callbacks);
  EXPECT_FALSE(was_training);
  EXPECT_EQ(load_classifier(scratch / "run" / "classifier.safetensors").card.metrics["accuracy"],
            0.75);
}

}  // namespace
}  // namespace pointpng
