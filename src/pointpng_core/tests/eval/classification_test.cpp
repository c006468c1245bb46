#include "eval/classification.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <torch/types.h>

#include "eval/test_shapes.h"
#include "model/small_config.h"
#include "model/tensor_checks.h"
#include "pointpng/error.h"

namespace pointpng {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ConfusionTest, CountsAndShares) {
  Confusion confusion({"a", "b", "never"});
  for (int i = 0; i < 3; ++i) confusion.add(0, 0);
  confusion.add(0, 1);
  confusion.add(1, 1);
  EXPECT_EQ(confusion.total(), 5);
  EXPECT_DOUBLE_EQ(confusion.accuracy(), 0.8);
  EXPECT_DOUBLE_EQ(confusion.accuracy_of(0), 0.75);
  EXPECT_DOUBLE_EQ(confusion.mean_class_accuracy(), 0.875);  // of the two that have shapes
  const nlohmann::json json = confusion;
  EXPECT_EQ(json["accuracy"], 0.8);
  EXPECT_EQ(json["per_class"], (nlohmann::json{{"a", 0.75}, {"b", 1.0}}));
  EXPECT_EQ(json["confusion"]["counts"][0][1], 1);
  EXPECT_THAT(to_text(confusion), HasSubstr("1 as b"));
}

TEST(ClassifyProtocolTest, NamesHowCloudsAreTurned) {
  EXPECT_THAT(classify_protocols(), ElementsAre("z/z", "z/so3", "so3/so3"));
  EXPECT_EQ(classify_protocol("z/so3").train, "z");
  EXPECT_EQ(classify_protocol("z/so3").test, "so3");
  EXPECT_THROW(classify_protocol("so3/z"), InputError);
}

/// Procedural objects by their family, as `with_used_classes` would give them.
ShapeSet families(std::int64_t count, std::uint64_t seed) {
  return procedural_shapes(count, 200, seed);
}

FitConfig quick_fit(const std::string& head) {
  FitConfig fit = default_fit(head);
  fit.probe.epochs = 6;
  fit.probe.views = 2;
  fit.train.epochs = 1;
  fit.train.batch = 8;
  fit.train.seed = 3;
  return fit;
}

class Fitting : public ::testing::Test {
 protected:
  Fitting() : model_((at::manual_seed(1), small_config())) { model_.eval(); }
  Tensor shares(const std::string& head, std::int64_t votes = 1, std::uint64_t seed = 0) {
    const FittedClassifier fitted = fit_classifier(model_, train_, quick_fit(head), torch::kCPU);
    return class_shares(*fitted.classifier, test_, {"so3", "z", votes, seed});
  }
  Model model_;
  ShapeSet train_ = families(48, 1), test_ = families(16, 2);
};

TEST_F(Fitting, GivesSharesThatSumToOneForEveryHead) {
  for (const char* head : {"linear", "mlp", "finetune"}) {
    const Tensor found = shares(head);
    EXPECT_EQ(found.size(0), 16) << head;
    EXPECT_LT(difference(found.sum(1), torch::ones({16})), 1e-4) << head;
    const Confusion confusion = confusion_of(found, test_);
    EXPECT_EQ(confusion.total(), 16);
  }
}

TEST_F(Fitting, TheSameSeedGivesTheSameTableTwice) {
  for (const char* head : {"mlp", "finetune"})
    EXPECT_EQ(difference(shares(head, 2), shares(head, 2)), 0.0) << head;
}

TEST_F(Fitting, AFrozenEncoderStaysAndFineTuningChangesIt) {
  const auto changed = [&](const std::string& head) {
    const FittedClassifier fitted = fit_classifier(model_, train_, quick_fit(head), torch::kCPU);
    const auto state = named_state(*fitted.classifier);
    double largest = 0.0;
    for (const auto& [name, tensor] : named_state(model_))
      if (name.starts_with("backbone."))
        largest = std::max(largest, difference(state.at(name), tensor));
    return largest;
  };
  EXPECT_EQ(changed("mlp"), 0.0);
  EXPECT_GT(changed("finetune"), 0.0);
}

TEST_F(Fitting, AnEquivariantEncoderDoesNotCareHowAShapeIsTurned) {
  const FittedClassifier fitted = fit_classifier(model_, train_, quick_fit("mlp"), torch::kCPU);
  const Tensor upright = class_shares(*fitted.classifier, test_, {"none", "z", 1, 0});
  const Tensor turned = class_shares(*fitted.classifier, test_, {"so3", "z", 1, 7});
  EXPECT_LT(difference(upright, turned), 0.02);
}

TEST_F(Fitting, VotesAverageOverOtherSamplings) {
  const FittedClassifier fitted = fit_classifier(model_, train_, quick_fit("mlp"), torch::kCPU);
  const auto voted = [&](std::int64_t votes) {
    return class_shares(*fitted.classifier, test_, {"so3", "z", votes, 0});
  };
  EXPECT_GT(difference(voted(4), voted(1)), 1e-4);
  EXPECT_LT(difference(voted(4).sum(1), torch::ones({16})), 1e-4);
}

TEST_F(Fitting, ThePointNetOfTheYardstickTakesItsEpochs) {
  FitConfig fit = quick_fit("mlp");
  fit.train.epochs = 0.5;
  train_.shapes.resize(32);
  const FittedClassifier fitted = fit_pointnet(train_, fit, torch::kCPU);
  EXPECT_EQ(fitted.classifier->config().encoder, "pointnet");
  EXPECT_GE(fitted.cost.steps, 1);
  EXPECT_GT(fitted.cost.seconds, 0.0);
}

TEST_F(Fitting, CloudsThatAreTooSmallAreRefused) {
  test_.shapes[5].points = test_.shapes[5].points.topRows(5).eval();
  const FittedClassifier fitted = fit_classifier(model_, train_, quick_fit("linear"), torch::kCPU);
  EXPECT_THROW(class_shares(*fitted.classifier, test_, {}), InputError);
  train_.shapes[5].points = train_.shapes[5].points.topRows(5).eval();
  EXPECT_THROW(fit_classifier(model_, train_, quick_fit("linear"), torch::kCPU), InputError);
}

TEST_F(Fitting, FewShotEpisodesDrawTheirClassesAndShapes) {
  FewShotConfig episodes;
  episodes.ways = 3;
  episodes.shots = 2;
  episodes.queries = 1;
  episodes.episodes = 4;
  FitConfig fit = quick_fit("linear");
  const FewShotResult result =
      few_shot(model_, train_, test_, episodes, fit, {"so3", "z", 1, 0}, torch::kCPU);
  EXPECT_EQ(result.accuracies.size(), 4U);
  EXPECT_EQ(result.confusion.total(), 4 * 3 * 1);
  EXPECT_NEAR(result.mean(), result.confusion.accuracy(), 1e-9);
  const FewShotResult again =
      few_shot(model_, train_, test_, episodes, fit, {"so3", "z", 1, 0}, torch::kCPU);
  EXPECT_EQ(again.accuracies, result.accuracies);
  episodes.ways = 40;
  EXPECT_THROW(few_shot(model_, train_, test_, episodes, fit, {}, torch::kCPU), InputError);
}

TEST(FewShotResultTest, MeanAndDeviationOfEpisodes) {
  FewShotResult result{{0.5, 0.7, 0.9}, Confusion({"a", "b"})};
  EXPECT_NEAR(result.mean(), 0.7, 1e-12);
  EXPECT_NEAR(result.deviation(), 0.2, 1e-12);
  result.accuracies = {0.5};
  EXPECT_EQ(result.deviation(), 0.0);
}

TEST(DefaultFit, KnowsItsHeads) { EXPECT_THROW(default_fit("svm"), InputError); }

}  // namespace
}  // namespace pointpng
