#include "model/mae.h"

#include <algorithm>
#include <limits>
#include <vector>

#include <gtest/gtest.h>
#include <torch/optim/adam.h>
#include <torch/types.h>

#include "model/model.h"
#include "model/small_config.h"
#include "model/tensor_checks.h"

namespace pointpng {
namespace {

Patches some_patches(const ModelConfig& config, std::int64_t batch) {
  std::vector<Tensor> clouds;
  for (std::int64_t i = 0; i < batch; ++i)
    clouds.push_back(prepare(random_cloud(400, static_cast<std::uint64_t>(i)), config));
  return cut_patches(torch::stack(clouds), config);
}

torch::Generator seeded(std::uint64_t seed) {
  torch::Generator generator = at::globalContext().defaultGenerator(torch::kCPU).clone();
  generator.set_current_seed(seed);
  return generator;
}

Mask mask_of(const Patches& patches, std::uint64_t seed) {
  return random_mask(patches.batch(), patches.count(), 0.6, seeded(seed), torch::kCPU);
}

std::vector<Tensor> copies(const std::vector<Tensor>& tensors) {
  std::vector<Tensor> copied;
  for (const Tensor& tensor : tensors) copied.push_back(tensor.detach().clone());
  return copied;
}

double plain_chamfer(const Tensor& a, const Tensor& b) {
  const auto one_way = [](const Tensor& from, const Tensor& to) {
    double sum = 0.0;
    for (std::int64_t i = 0; i < from.size(0); ++i) {
      double nearest = std::numeric_limits<double>::infinity();
      for (std::int64_t j = 0; j < to.size(0); ++j)
        nearest = std::min(nearest, (from[i] - to[j]).square().sum().item<double>());
      sum += nearest;
    }
    return sum / static_cast<double>(from.size(0));
  };
  double total = 0.0;
  for (std::int64_t p = 0; p < a.size(0); ++p) total += one_way(a[p], b[p]) + one_way(b[p], a[p]);
  return total / static_cast<double>(a.size(0));
}

TEST(ChamferTest, IsThatOfTheDefinition) {
  at::manual_seed(1);
  const Tensor a = torch::randn({4, 6, 3}), b = torch::randn({4, 9, 3});
  EXPECT_NEAR(chamfer_distance(a, b).item<double>(), plain_chamfer(a, b), 1e-5);
  EXPECT_NEAR(chamfer_distance(b, a).item<double>(), plain_chamfer(a, b), 1e-5);
}

TEST(ChamferTest, IsZeroForTheSamePointsInAnotherOrder) {
  at::manual_seed(2);
  const Tensor a = torch::randn({3, 7, 3});
  EXPECT_EQ(chamfer_distance(a, a.flip(1)).item<double>(), 0.0);
}

TEST(ChamferTest, GradientIsThatOfFiniteDifferences) {
  at::manual_seed(3);
  const Tensor a = torch::randn({2, 4, 3}, torch::kFloat64),
               b = torch::randn({2, 5, 3}, torch::kFloat64);
  const auto distance = [&](const Tensor& x) { return chamfer_distance(x, b); };
  EXPECT_LT(difference(exact_gradient(distance, a), numeric_gradient(distance, a)), 1e-8);
}

class EveryBackbone : public ::testing::TestWithParam<std::string> {
 protected:
  EveryBackbone() { at::manual_seed(4); }
  ModelConfig config_ = small_config(GetParam());
};
INSTANTIATE_TEST_SUITE_P(MaeTest, EveryBackbone, ::testing::Values("transformer", "equivariant"));

TEST_P(EveryBackbone, MaskedAutoencodingLearnsOneBatchByHeart) {
  MaskedAutoencoder mae(config_);
  const Patches patches = some_patches(config_, 4);
  torch::optim::Adam optimiser(mae.parameters(), 3e-3);
  double first = 0.0, last = 0.0;
  for (int step = 0; step < 60; ++step) {
    const Tensor loss = mae.reconstruct(patches, mask_of(patches, 9));
    optimiser.zero_grad();
    loss.backward();
    optimiser.step();
    (step == 0 ? first : last) = loss.item<double>();
  }
  EXPECT_LT(last, 0.5 * first);
}

TEST_P(EveryBackbone, MaskedAutoencodingTrainsTheWholeEncoder) {
  MaskedAutoencoder mae(config_);
  const Patches patches = some_patches(config_, 4);
  mae.reconstruct(patches, mask_of(patches, 9)).backward();
  for (const auto& parameter : mae.named_parameters()) {
    const Tensor gradient = parameter.value().grad();
    if (parameter.key().rfind("backbone.head_", 0) == 0) {
      EXPECT_FALSE(gradient.defined()) << parameter.key();  // the head is not used
      continue;
    }
    ASSERT_TRUE(gradient.defined()) << parameter.key();
    EXPECT_TRUE(gradient.isfinite().all().item<bool>()) << parameter.key();
    EXPECT_GT(gradient.abs().max().item<double>(), 0.0) << parameter.key();
  }
}

TEST_P(EveryBackbone, TheLossDependsOnTheMask) {
  MaskedAutoencoder mae(config_);
  const Patches patches = some_patches(config_, 2);
  const double first = mae.reconstruct(patches, mask_of(patches, 1)).item<double>();
  EXPECT_EQ(mae.reconstruct(patches, mask_of(patches, 1)).item<double>(), first);
  EXPECT_NE(mae.reconstruct(patches, mask_of(patches, 2)).item<double>(), first);
}

// The decoder knows the positions of hidden patches. Their points may only affect the target:
// mirrored at their centroid, they keep their position.
TEST_P(EveryBackbone, TheDecoderDoesNotSeeThePointsOfHiddenPatches) {
  const auto backbone = make_backbone(config_);
  backbone->to(torch::kFloat64);
  MaskedDecoder decoder(config_);
  decoder->to(torch::kFloat64);
  const Patches patches = some_patches(config_, 2);
  const Mask mask = random_mask(2, patches.count(), 0.5, seeded(3), torch::kCPU);
  const auto in_double = [](const Patches& p) {
    return Patches{p.centres.to(torch::kFloat64), p.points.to(torch::kFloat64)};
  };
  const Patches visible = in_double(patches.select(mask.visible));
  const Patches hidden = in_double(patches.select(mask.hidden));
  const Patches mirrored{hidden.centres, 2.0 * hidden.points.mean(2, true) - hidden.points};
  const Tensor tokens = backbone->encode(visible);
  EXPECT_GT(difference(hidden.points, mirrored.points), 0.01);
  EXPECT_LT(difference(decoder(*backbone, tokens, visible, mirrored),
                       decoder(*backbone, tokens, visible, hidden)),
            1e-10);
}

TEST_P(EveryBackbone, TheDecoderKnowsWhereHiddenPatchesAre) {
  const auto backbone = make_backbone(config_);
  MaskedDecoder decoder(config_);
  const Patches patches = some_patches(config_, 2);
  const Mask mask = random_mask(2, patches.count(), 0.5, seeded(3), torch::kCPU);
  const Patches visible = patches.select(mask.visible), hidden = patches.select(mask.hidden);
  const Patches elsewhere{0.5 * hidden.centres, hidden.points};
  const Tensor tokens = backbone->encode(visible);
  EXPECT_GT(difference(decoder(*backbone, tokens, visible, elsewhere),
                       decoder(*backbone, tokens, visible, hidden)),
            1e-3);
}

TEST(TransformerMaeTest, PlacesAreTheCentresAndNothingElse) {
  const ModelConfig config = small_config("transformer");
  const auto backbone = make_backbone(config);
  const Patches patches = some_patches(config, 2);
  const Patches others{patches.centres, torch::randn_like(patches.points)};
  EXPECT_TRUE(backbone->place_tokens(others).equal(backbone->place_tokens(patches)));
  EXPECT_FALSE(backbone->place_bias(patches).defined());
}

// ---- point2vec

TEST_P(EveryBackbone, TheTeacherStartsAsTheStudent) {
  Point2Vec point2vec(config_);
  const auto student = point2vec.backbone().parameters(),
             teacher = point2vec.teacher().parameters();
  ASSERT_EQ(student.size(), teacher.size());
  for (std::size_t i = 0; i < student.size(); ++i) EXPECT_TRUE(student[i].equal(teacher[i]));
}

TEST_P(EveryBackbone, OnlyTheStudentGetsAGradient) {
  Point2Vec point2vec(config_);
  const Patches patches = some_patches(config_, 4);
  point2vec.predict(patches, mask_of(patches, 9)).backward();
  for (const Tensor& parameter : point2vec.teacher().parameters())
    EXPECT_FALSE(parameter.grad().defined());
  for (const auto& parameter : point2vec.backbone().named_parameters())
    if (parameter.key().rfind("head_", 0) != 0)
      EXPECT_TRUE(parameter.value().grad().defined()) << parameter.key();
}

TEST_P(EveryBackbone, TheTeacherFollowsByItsMomentum) {
  Point2Vec point2vec(config_);
  {
    const torch::NoGradGuard no_grad;
    for (Tensor& parameter : point2vec.backbone().parameters()) parameter.add_(1.0);
  }
  const auto before = copies(point2vec.teacher().parameters());
  point2vec.follow(0.9);
  const auto student = point2vec.backbone().parameters(),
             teacher = point2vec.teacher().parameters();
  for (std::size_t i = 0; i < teacher.size(); ++i)
    EXPECT_LT(difference(teacher[i], 0.9 * before[i] + 0.1 * student[i]), 1e-6);
}

TEST_P(EveryBackbone, Point2VecLearnsOneBatchByHeart) {
  Point2Vec point2vec(config_);
  const Patches patches = some_patches(config_, 4);
  std::vector<Tensor> trained;
  for (const Tensor& parameter : point2vec.parameters())
    if (parameter.requires_grad()) trained.push_back(parameter);
  torch::optim::Adam optimiser(trained, 3e-3);
  double first = 0.0, last = 0.0;
  for (int step = 0; step < 60; ++step) {
    const Tensor loss = point2vec.predict(patches, mask_of(patches, 9));
    optimiser.zero_grad();
    loss.backward();
    optimiser.step();
    point2vec.follow(0.999);
    (step == 0 ? first : last) = loss.item<double>();
  }
  EXPECT_LT(last, 0.7 * first);
}

}  // namespace
}  // namespace pointpng
