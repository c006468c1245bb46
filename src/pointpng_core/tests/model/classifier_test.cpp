#include "model/classifier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include "base/temporary_folder.h"
#include "model/rotation.h"
#include "model/small_config.h"
#include "model/tensor_checks.h"
#include "pointpng/error.h"

namespace pointpng {
namespace {

using ::testing::HasSubstr;

ClassifierConfig config_of(const std::string& encoder, const std::string& backbone) {
  ClassifierConfig config;
  config.encoder = encoder;
  config.model = small_config(backbone);
  config.classes = {"cup", "chair", "bed"};
  config.hidden = {16};
  return config;
}

Tensor some_clouds(const ModelConfig& config, std::int64_t count) {
  std::vector<Tensor> clouds;
  for (std::int64_t i = 0; i < count; ++i)
    clouds.push_back(prepare(random_cloud(400, static_cast<std::uint64_t>(i)), config));
  return torch::stack(clouds);
}

class ClassifierTest : public ::testing::TestWithParam<std::pair<std::string, std::string>> {
 protected:
  ClassifierTest() { at::manual_seed(1); }
  ClassifierConfig config() const { return config_of(GetParam().first, GetParam().second); }
  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "classifier.safetensors";
};
INSTANTIATE_TEST_SUITE_P(Encoders, ClassifierTest,
                         ::testing::Values(std::pair{"backbone", "equivariant"},
                                           std::pair{"backbone", "transformer"},
                                           std::pair{"pointnet", "equivariant"}),
                         [](const auto& tested) {
                           return tested.param.first + "_" + tested.param.second;
                         });

TEST_P(ClassifierTest, ScoresEveryClassOfEveryCloud) {
  Classifier classifier(config());
  const Tensor scores = classifier.forward(some_clouds(config().model, 4));
  EXPECT_EQ(scores.sizes(), (torch::IntArrayRef{4, 3}));
  EXPECT_TRUE(scores.isfinite().all().item<bool>());
}

TEST_P(ClassifierTest, SurvivesItsFileWithItsClassesAndItsCard) {
  Classifier classifier(config());
  const Tensor clouds = some_clouds(config().model, 4);
  classifier.head().standardise(classifier.features(clouds).detach());
  classifier.forward(clouds);  // moves the statistics of batch norm
  save_classifier(path_, classifier, {{{"seed", 3}}, {{"accuracy", 0.5}}});
  EXPECT_TRUE(is_classifier(path_));
  const LoadedClassifier loaded = load_classifier(path_);
  EXPECT_EQ(loaded.classifier->config().classes, config().classes);
  EXPECT_EQ(loaded.card.metrics["accuracy"], 0.5);
  classifier.eval();
  EXPECT_EQ(difference(loaded.classifier->forward(clouds), classifier.forward(clouds)), 0.0);
}

TEST_P(ClassifierTest, EveryWeightTakesPart) {
  Classifier classifier(config());
  classifier.forward(some_clouds(config().model, 4)).square().sum().backward();
  const bool pointnet = config().encoder == "pointnet";
  for (const auto& item : classifier.named_parameters()) {
    // The transformer's last layer makes z of [CLS], which a classifier reads before that.
    if (!pointnet && item.key().starts_with("backbone.head_out")) continue;
    ASSERT_TRUE(item.value().grad().defined()) << item.key();
  }
}

TEST(ClassifierFeatures, NoRotationChangesThoseOfTheEquivariantBackbone) {
  at::manual_seed(2);
  Classifier classifier(config_of("backbone", "equivariant"));
  classifier.eval();
  const Tensor clouds = some_clouds(classifier.config().model, 3);
  const Tensor turned = rotation::rotate(rotation::uniform({3}), clouds);
  const Tensor features = classifier.features(clouds);
  EXPECT_LT(difference(classifier.features(turned), features), 1e-4);
  EXPECT_GT(difference(features[0], features[1]), 1e-2);  // but shapes are told apart
}

TEST(ClassifierFeatures, ARotationChangesPointNets) {
  at::manual_seed(3);
  Classifier classifier(config_of("pointnet", "equivariant"));
  classifier.eval();
  const Tensor clouds = some_clouds(classifier.config().model, 2);
  const Tensor turned = rotation::rotate(rotation::uniform({2}), clouds);
  EXPECT_GT(difference(classifier.features(turned), classifier.features(clouds)), 1e-3);
}

TEST(ClassifierEncoder, IsTakenFromAModelAndCanBeFrozen) {
  at::manual_seed(4);
  const ClassifierConfig config = config_of("backbone", "equivariant");
  Model model(config.model);
  Classifier classifier(config);
  classifier.take_encoder(model);
  const auto taken = named_state(classifier);
  for (const auto& [name, tensor] : named_state(model))
    if (name.starts_with("backbone.")) EXPECT_EQ(difference(taken.at(name), tensor), 0.0) << name;
  classifier.train_encoder(false);
  for (const auto& item : classifier.named_parameters())
    EXPECT_EQ(item.value().requires_grad(), item.key().starts_with("head.")) << item.key();
}

TEST(ClassifierHeadTest, StandardisesAndDropsOnlyInTraining) {
  at::manual_seed(5);
  ClassifierConfig config = config_of("backbone", "equivariant");
  config.hidden = {};
  config.feature_dropout = 0.5;
  ClassifierHead head(6, config);
  const Tensor features = 3.0 + 2.0 * torch::randn({200, 6});
  head.standardise(features);
  head.eval();
  const Tensor scores = head.forward(features);
  // Standardised features have mean 0, so a linear head's scores have its bias as their mean.
  EXPECT_LT(difference(scores.mean(0), head.named_parameters()["out.bias"]), 1e-4);
  head.train();
  EXPECT_GT(difference(head.forward(features), scores), 0.01);
}

TEST(ClassifierFile, RefusesWhatIsNone) {
  const TemporaryFolder folder;
  const auto path = folder / "a.safetensors";
  const auto complaint = [&](const TensorFile& file) -> std::string {
    write_safetensors(path, file);
    try {
      load_classifier(path);
    } catch (const InputError& error) {
      return error.what();
    }
    return "none";
  };
  save_model(path, Model(small_config()), {});
  EXPECT_FALSE(is_classifier(path));
  EXPECT_THAT(complaint(read_safetensors(path)), HasSubstr("holds a model, not a classifier"));

  save_classifier(path, Classifier(config_of("backbone", "equivariant")), {});
  const TensorFile good = read_safetensors(path);
  EXPECT_EQ(complaint(good), "none");
  TensorFile file = good;
  file.metadata["classifier"] = R"({"classes": ["only one"]})";
  EXPECT_THAT(complaint(file), HasSubstr("at least two classes"));
  file.metadata["classifier"] = R"({"classes": 7})";
  EXPECT_THAT(complaint(file), HasSubstr("does not say what it classifies"));
  file = good;
  file.tensors.erase("head.out.weight");
  EXPECT_THAT(complaint(file), HasSubstr("head.out.weight"));
}

}  // namespace
}  // namespace pointpng
