#include "eval/retrieval.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <torch/types.h>

#include "eval/test_shapes.h"
#include "model/rotation.h"
#include "model/small_config.h"
#include "pointpng/error.h"

namespace pointpng {
namespace {

using torch::Tensor;

/// An untrained model that is exactly equivariant.
struct ExactModel {
  ExactModel() {
    at::manual_seed(1);
    model = std::make_shared<Model>(small_config());
    model->eval();
  }
  std::shared_ptr<Model> model;
};

/// Embeddings of the same points, rotated: only the rotation differs.
ViewEmbeddings exact_views(Model& model, std::int64_t shapes, std::int64_t views) {
  ViewEmbeddings all = embed_views(model, test_shapes(static_cast<int>(shapes), 256), shapes, views,
                                   Turns::kUniform, 3);
  const Tensor back = rotation::inverse(all.rotation.narrow(1, 0, 1));
  all.z = model.predictor().apply(rotation::multiply(all.rotation, back), all.z.narrow(1, 0, 1));
  return all;
}

TEST(RanksTest, CountFromOneAndShareAmongEquals) {
  const Tensor similarity =
      torch::tensor({{0.9, 0.1, 0.5}, {0.2, 0.2, 0.7}, {0.3, 0.3, 0.3}}, torch::kFloat64);
  const Tensor ranks = ranks_of(similarity, torch::tensor({2, 0, 1}));
  EXPECT_TRUE(ranks.equal(torch::tensor({2.0, 2.5, 2.0}, torch::kFloat64))) << ranks;
}

TEST(RetrievalTest, AnExactPredictorFindsEveryView) {
  ExactModel exact;
  const Retrieval result = measure_retrieval(*exact.model, exact_views(*exact.model, 4, 20));
  EXPECT_EQ(result.shapes, 4);
  EXPECT_EQ(result.queries, 4 * 19);
  EXPECT_EQ(result.hit_1, 1.0);
  EXPECT_EQ(result.mrr, 1.0);
}

TEST(RetrievalTest, AnotherSampleOfTheSurfaceIsFoundLessOften) {
  ExactModel exact;
  const auto measured = [&] {
    return measure_retrieval(
        *exact.model, embed_views(*exact.model, test_shapes(6, 256), 6, 20, Turns::kUniform, 3));
  };
  const Retrieval result = measured();
  EXPECT_GT(result.mrr, 2.0 * chance_of_mrr(20));
  EXPECT_LT(result.mrr, 1.0);
  EXPECT_LE(result.hit_1, result.mrr);
  EXPECT_GE(result.hit_5, result.hit_1);
  EXPECT_EQ(measured().mrr, result.mrr);
}

TEST(RetrievalTest, ACollapsedEmbeddingIsAtChance) {
  ExactModel exact;
  ViewEmbeddings views = exact_views(*exact.model, 3, 10);
  Model invariant(small_config("transformer", "identity"));
  views.z = torch::ones({3, 10, 24}) / std::sqrt(24.0F);
  const Retrieval result = measure_retrieval(invariant, views);
  EXPECT_EQ(result.hit_1, 0.0);
  EXPECT_NEAR(result.mrr, 1.0 / 5.5, 1e-6);  // all share the middle rank
}

TEST(RetrievalTest, APredictorThatMovesNothingFindsTheSourceInstead) {
  at::manual_seed(2);
  Model still(small_config("transformer", "identity"));
  ViewEmbeddings views{torch::randn({5, 8, 24}), rotation::uniform({5, 8})};
  views.z = views.z / views.z.norm(2, -1, true);
  EXPECT_EQ(measure_retrieval(still, views).hit_1, 0.0);
}

TEST(RetrievalTest, NeedsTwoViews) {
  ExactModel exact;
  ViewEmbeddings views = exact_views(*exact.model, 2, 2);
  views = {views.z.narrow(1, 0, 1), views.rotation.narrow(1, 0, 1)};
  EXPECT_THROW(measure_retrieval(*exact.model, views), InputError);
}

TEST(RetrievalTest, ChanceIsTheMeanOfAllReciprocalRanks) {
  EXPECT_DOUBLE_EQ(chance_of_mrr(4), (1.0 + 0.5 + 1.0 / 3.0 + 0.25) / 4.0);
}

TEST(ViewEmbeddingsTest, FollowTheSeedAndTheShapesAreNotMoreThanThereAre) {
  ExactModel exact;
  const ShapeSet shapes = test_shapes(3, 200);
  const ViewEmbeddings views = embed_views(*exact.model, shapes, 10, 4, Turns::kUniform, 5);
  EXPECT_EQ(views.z.sizes(), (torch::IntArrayRef{3, 4, embedding_length(exact.model->config())}));
  EXPECT_TRUE(views.z.equal(embed_views(*exact.model, shapes, 10, 4, Turns::kUniform, 5).z));
  EXPECT_FALSE(views.z.equal(embed_views(*exact.model, shapes, 10, 4, Turns::kUniform, 6).z));
  EXPECT_THROW(embed_views(*exact.model, {}, 1, 2, Turns::kUniform, 1), InputError);
}

TEST(ViewEmbeddingsTest, TurnsOf3DIEBenchStayNearTheShapesOwnFrame) {
  ExactModel exact;
  const auto largest = [&](Turns turns) {
    const Tensor q = embed_views(*exact.model, test_shapes(1, 100), 1, 200, turns, 5).rotation;
    return std::pair(
        q.select(-1, 0).min().item<double>(),
        rotation::angle(q, torch::tensor({1.0F, 0.0F, 0.0F, 0.0F})).max().item<double>());
  };
  const auto [smallest_w, near] = largest(Turns::kAs3DIEBench);
  EXPECT_GT(smallest_w, -1e-6);  // three rotations by at most 90°: the sign never flips
  EXPECT_LE(near, std::numbers::pi + 1e-5);
  EXPECT_GT(largest(Turns::kUniform).second, 0.97 * std::numbers::pi);
}

}  // namespace
}  // namespace pointpng
