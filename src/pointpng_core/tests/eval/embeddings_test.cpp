#include "eval/embeddings.h"

#include <set>

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "eval/test_shapes.h"
#include "model/small_config.h"
#include "pointpng/error.h"

namespace pointpng {
namespace {

Model small_model(const std::string& backbone = "equivariant",
                  const std::string& predictor = "wigner") {
  at::manual_seed(1);
  Model model(small_config(backbone, predictor));
  model.eval();
  return model;
}

TEST(EmbedPreparedTest, DoesNotDependOnTheThreads) {
  Model model = small_model();
  const PosedShapes posed = posed_shapes(test_shapes(40, 300), model.config(), {});
  const int threads = at::get_num_threads();
  at::set_num_threads(1);
  const Rows one = embed_prepared(model, posed.clouds);
  at::set_num_threads(3);
  const Rows three = embed_prepared(model, posed.clouds);
  at::set_num_threads(threads);
  EXPECT_EQ(one, three);
  ASSERT_EQ(one.rows(), 40);
  for (Eigen::Index i = 0; i < one.rows(); ++i) EXPECT_NEAR(one.row(i).norm(), 1.0, 1e-5);
}

TEST(EmbedPreparedTest, IsWhatTheModelSays) {
  Model model = small_model("transformer", "sie");
  const PosedShapes posed = posed_shapes(test_shapes(3, 300), model.config(), {});
  const torch::NoGradGuard no_grad;
  const torch::Tensor expected = model.embed(posed.clouds);
  const Rows found = embed_prepared(model, posed.clouds);
  for (Eigen::Index i = 0; i < found.rows(); ++i)
    for (Eigen::Index k = 0; k < found.cols(); ++k)
      EXPECT_NEAR(found(i, k), expected[i][k].item<double>(), 1e-5);
}

TEST(PosedShapesTest, ClassesAreTakenInTurn) {
  const ShapeSet set = test_shapes(30, 200, {"a", "b", "c"});
  PosedShapesConfig config;
  config.shapes = 7;
  const PosedShapes posed = posed_shapes(set, small_config(), config);
  std::map<int, int> counts;
  for (const std::size_t i : posed.shape) ++counts[set.shapes[i].label];
  EXPECT_EQ(counts, (std::map<int, int>{{0, 3}, {1, 2}, {2, 2}}));
  EXPECT_EQ(posed_shapes(set, small_config(), config).shape, posed.shape);
  config.seed = 1;
  EXPECT_NE(posed_shapes(set, small_config(), config).shape, posed.shape);
}

TEST(PosedShapesTest, OnlyTheClassesThatWereAskedFor) {
  const ShapeSet set = test_shapes(12, 200, {"a", "b", "c"});
  const PosedShapes posed = posed_shapes(set, small_config(), {.classes = {"b"}});
  EXPECT_EQ(posed.shape.size(), 4U);
  for (const std::size_t i : posed.shape) EXPECT_EQ(set.shapes[i].label, 1);
  EXPECT_THROW(posed_shapes(set, small_config(), {.classes = {"d"}}), InputError);
  EXPECT_THROW(posed_shapes({}, small_config(), {}), InputError);
}

TEST(PosedShapesTest, EveryPoseIsTheSameCloudTurned) {
  const ShapeSet set = test_shapes(2, 300);
  const PosedShapes as_is = posed_shapes(set, small_config(), {});
  const PosedShapes random = posed_shapes(set, small_config(), {.poses = Poses::kRandom});
  const PosedShapes steps = posed_shapes(set, small_config(), {.poses = Poses::kSteps});
  ASSERT_EQ(random.clouds.size(0), 4);
  ASSERT_EQ(steps.clouds.size(0), 14);
  EXPECT_TRUE(random.clouds[0].equal(as_is.clouds[0]));
  EXPECT_EQ(steps.pose_names.back(), "180°");
  const auto radii = [](const torch::Tensor& cloud) { return cloud.norm(2, -1); };
  EXPECT_LT((radii(random.clouds[1]) - radii(as_is.clouds[0])).abs().max().item<double>(), 1e-5);
  EXPECT_GT((random.clouds[1] - as_is.clouds[0]).abs().max().item<double>(), 0.1);
  // 180° about z: x and y change their sign.
  const torch::Tensor half = steps.clouds[6];
  EXPECT_LT((half.select(1, 0) + as_is.clouds[0].select(1, 0)).abs().max().item<double>(), 1e-5);
  EXPECT_LT((half.select(1, 2) - as_is.clouds[0].select(1, 2)).abs().max().item<double>(), 1e-5);
}

}  // namespace
}  // namespace pointpng
