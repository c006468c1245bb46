#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <torch/types.h>

#include "base/temporary_folder.h"
#include "embed/equivariant_embedder.h"
#include "io/safetensors.h"
#include "model/torch_embedder.h"
#include "pointpng/io.h"
#include "pointpng/training.h"

namespace pointpng {
namespace {

/// The same model, by LibTorch and in plain C++.
struct Both {
  std::shared_ptr<const Embedder> torch, plain;
};

Both both(const ModelConfig& config) {
  torch::manual_seed(5);
  const auto model = std::make_shared<Model>(config);
  {  // statistics of batch normalisations that are not those of a new model
    const torch::NoGradGuard no_grad;
    model->train();
    model->embed(torch::randn({4, config.points, 3}));
    model->eval();
  }
  const TemporaryFolder folder;
  save_model(folder / "model.safetensors", *model, {});
  return {make_embedder(model),
          make_equivariant_embedder(config, read_safetensors_file(folder / "model.safetensors"),
                                    "model")};
}

void expect_equal_embeddings(const ModelConfig& config) {
  const Both models = both(config);
  for (const Eigen::Index points : {40, 700, 5000}) {
    const Cloud cloud = 3.0F * procedural_shape(2, 1, points).points;
    const Eigen::VectorXf expected = models.torch->embed(cloud, "cloud"),
                          found = models.plain->embed(cloud, "cloud");
    ASSERT_EQ(found.size(), expected.size());
    EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 1e-5F) << points;
  }
}

TEST(PlainEmbedderTest, PlainEmbeddingsEqualLibTorchsForEveryPreset) {
  for (const std::string& name : preset_names()) {
    SCOPED_TRACE(name);
    ModelConfig config = preset(name).model;
    config.backbone = "equivariant";
    config.predictor = "wigner";
    expect_equal_embeddings(config);
  }
}

TEST(PlainEmbedderTest, PlainEmbeddingsEqualLibTorchsInOtherShapes) {
  ModelConfig config;
  config.patch_batch_norm = true;
  expect_equal_embeddings(config);
  config.patch_moments = false;
  config.channels = {3, 0, 5, 7};
  config.patch_widths = {20, 30, 50};
  expect_equal_embeddings(config);
}

TEST(PlainEmbedderTest, PlainSearchEqualsLibTorchs) {
  const Both models = both({});
  const Cloud cloud = procedural_shape(2, 0, 2000).points;
  const Eigen::VectorXf a = models.torch->embed(cloud.topRows(1000), "a"),
                        b = models.torch->embed(cloud.bottomRows(1000), "b");
  const auto expected = models.torch->search(a, b, {}), found = models.plain->search(a, b, {});
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < found.size(); ++k) {
    EXPECT_LT(found[k].target_from_source.angularDistance(expected[k].target_from_source), 1e-3);
    EXPECT_NEAR(found[k].loss, expected[k].loss, 1e-5);
  }
}

TEST(PlainEmbedderTest, EmbedsFromSeveralThreadsAtOnce) {
  const Both models = both({});
  const Cloud cloud = procedural_shape(2, 0, 1000).points;
  const Eigen::VectorXf alone = models.torch->embed(cloud, "cloud");
  std::vector<Eigen::VectorXf> found(4);
  std::vector<std::thread> threads;
  for (Eigen::VectorXf& z : found)
    threads.emplace_back([&] { z = models.torch->embed(cloud, "cloud"); });
  for (std::thread& thread : threads) thread.join();
  for (const Eigen::VectorXf& z : found) EXPECT_LT((z - alone).norm(), 1e-5F);
}

}  // namespace
}  // namespace pointpng
