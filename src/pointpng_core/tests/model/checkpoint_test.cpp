#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include "base/temporary_folder.h"
#include "model/model.h"
#include "model/small_config.h"
#include "model/tensor_checks.h"
#include "pointpng/error.h"

namespace pointpng {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class CheckpointTest : public ::testing::Test {
 protected:
  CheckpointTest() { at::manual_seed(1); }

  TensorFile saved(const ModelConfig& config = small_config()) {
    save_model(path_, Model(config), {});
    return read_safetensors(path_);
  }
  /// The error message for a file with these contents; "none" if it loads.
  std::string complaint(const TensorFile& file) {
    write_safetensors(path_, file);
    try {
      load_model(path_);
    } catch (const InputError& error) {
      return error.what();
    }
    return "none";
  }
  std::string complaint_about_config(const std::function<void(ModelConfig&)>& change) {
    TensorFile file = saved();
    ModelConfig config = small_config();
    change(config);
    file.metadata["config"] = nlohmann::json(config).dump();
    return complaint(file);
  }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "model.safetensors";
};

TEST_F(CheckpointTest, AModelSurvivesWithItsCard) {
  for (const char* backbone : {"equivariant", "transformer"})
    for (const char* predictor : {"wigner", "cope", "sie"}) {
      ModelConfig config = small_config(backbone, predictor);
      config.patch_batch_norm = true;
      Model model(config);
      model.embed(torch::randn({2, config.points, 3}));  // moves the statistics of batch norm
      model.eval();
      const ModelCard card{{{"data", "shapes.h5"}, {"steps", 12}}, {{"pa", 0.5}}};
      save_model(path_, model, card);
      const LoadedModel loaded = load_model(path_);
      EXPECT_EQ(nlohmann::json(loaded.model->config()), nlohmann::json(config));
      EXPECT_EQ(loaded.card.training, card.training);
      EXPECT_EQ(loaded.card.metrics, card.metrics);
      EXPECT_FALSE(loaded.model->is_training());
      const Cloud cloud = random_cloud(300, 1);
      EXPECT_TRUE(loaded.model->embed(cloud).equal(model.embed(cloud))) << backbone << predictor;
    }
}

TEST_F(CheckpointTest, SavingLeavesOneFile) {
  saved();
  saved();
  EXPECT_THAT(folder_.names(), ElementsAre("model.safetensors"));
}

TEST_F(CheckpointTest, FilesOfOthersAreRefused) {
  EXPECT_THAT(complaint({{{"weight", torch::ones({2})}}, {{"format", "pt"}}}),
              AllOf(HasSubstr("model.safetensors"), HasSubstr("not written by pointpng")));
}

TEST_F(CheckpointTest, OtherVersionsAreRefused) {
  TensorFile file = saved();
  file.metadata["format_version"] = "2";
  EXPECT_THAT(complaint(file), AllOf(HasSubstr("version '2'"), HasSubstr("reads version 1")));
}

TEST_F(CheckpointTest, OtherKindsAreRefused) {
  TensorFile file = saved();
  file.metadata["kind"] = "mae";
  EXPECT_THAT(complaint(file), HasSubstr("holds a mae, not a model"));
}

TEST_F(CheckpointTest, OtherArchitecturesAreRefused) {
  EXPECT_THAT(complaint_about_config([](ModelConfig& c) { c.width = 64; }),
              HasSubstr("another architecture"));
  EXPECT_THAT(complaint_about_config([](ModelConfig& c) { c.depth = 3; }),
              HasSubstr("another architecture"));
  EXPECT_THAT(complaint_about_config([](ModelConfig& c) { c.predictor = "cope"; }),
              HasSubstr("another architecture"));
  EXPECT_NE(complaint_about_config([](ModelConfig& c) { c.backbone = "magic"; }), "none");
}

TEST_F(CheckpointTest, MissingWeightsAreNamed) {
  TensorFile file = saved();
  file.tensors.erase("backbone.encoder_norm.weight");
  EXPECT_THAT(complaint(file), HasSubstr("'backbone.encoder_norm.weight'"));
}

TEST_F(CheckpointTest, UnreadableConfigurationsAreRefused) {
  TensorFile file = saved();
  for (const char* wrong : {"not json", "7", "[]", R"({"width": "wide"})", R"({"channels": 4})"}) {
    file.metadata["config"] = wrong;
    EXPECT_THAT(complaint(file), HasSubstr("unreadable model configuration")) << wrong;
  }
}

// These would take terabytes if they were built before they are checked.
TEST_F(CheckpointTest, ConfigurationsOfModelsFarLargerThanTheFileAreRefused) {
  constexpr std::int64_t kHuge = 1 << 20;
  EXPECT_NE(complaint_about_config([](ModelConfig& c) { c.width = kHuge; }), "none");
  EXPECT_NE(complaint_about_config([](ModelConfig& c) { c.depth = kHuge; }), "none");
  EXPECT_NE(complaint_about_config([](ModelConfig& c) { c.mlp_ratio = kHuge; }), "none");
  EXPECT_NE(complaint_about_config([](ModelConfig& c) {
              c.patch_widths = {65536, 65536, 65536};
            }),
            "none");
  EXPECT_NE(complaint_about_config([](ModelConfig& c) {
              c.predictor = "sie";
              c.embedding = kHuge;
            }),
            "none");
  EXPECT_NE(complaint_about_config([](ModelConfig& c) {
              c.predictor = "cope";
              c.cope_mlp = kHuge;
            }),
            "none");
}

TEST_F(CheckpointTest, PrefixesKeepModulesApart) {
  const Model a(small_config()), b(small_config());
  auto state = named_state(a, "a.");
  state.merge(named_state(b, "b."));
  Model target(small_config());
  load_state(target, state, "b.", "a test");
  const auto expected = named_state(b), found = named_state(target);
  for (const auto& [name, tensor] : expected) EXPECT_TRUE(found.at(name).equal(tensor)) << name;
  EXPECT_THROW(load_state(target, state, "c.", "a test"), InputError);
}

}  // namespace
}  // namespace pointpng
