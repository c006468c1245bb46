#include "train/losses.h"

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <torch/types.h>

#include "model/predictor.h"
#include "model/rotation.h"

namespace pointpng {
namespace {

using Vector = std::vector<double>;
using Matrix = std::vector<Vector>;

// Eq. 1, 3 and 4 of the paper, sample by sample, with the norms of differences written out.

double squared_distance(const Vector& a, const Vector& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

double plain_align(const Matrix& anchors, const Matrix& positives) {
  double sum = 0.0;
  for (std::size_t i = 0; i < anchors.size(); ++i)
    sum += squared_distance(anchors[i], positives[i]);
  return sum / static_cast<double>(anchors.size());
}

double plain_cope(const Matrix& anchors, const Matrix& positives,
                  const std::vector<Matrix>& negatives, double temperature) {
  double sum = 0.0;
  for (std::size_t i = 0; i < anchors.size(); ++i) {
    double potential = std::exp(-squared_distance(anchors[i], positives[i]) / temperature);
    for (const Vector& negative : negatives[i])
      potential += std::exp(-squared_distance(anchors[i], negative) / temperature);
    sum += std::log(potential);
  }
  return sum / static_cast<double>(anchors.size());
}

double plain_uniformity(const Matrix& z, const std::vector<int>& objects, double temperature) {
  double sum = 0.0;
  int pairs = 0;
  for (std::size_t i = 0; i < z.size(); ++i)
    for (std::size_t k = 0; k < z.size(); ++k) {
      if (objects[i] == objects[k]) continue;
      sum += std::exp(-squared_distance(z[i], z[k]) / temperature);
      ++pairs;
    }
  return std::log(sum / pairs);
}

Vector to_vector(const Tensor& row) {
  const Tensor values = row.detach().to(torch::kFloat64).contiguous();
  return {values.data_ptr<double>(), values.data_ptr<double>() + values.numel()};
}

Matrix to_rows(const Tensor& matrix) {
  Matrix rows;
  for (std::int64_t i = 0; i < matrix.size(0); ++i) rows.push_back(to_vector(matrix[i]));
  return rows;
}

Tensor unit_rows(const Tensor& x) { return x / x.norm(2, -1, true); }

Tensor random_doubles(torch::IntArrayRef shape, std::int64_t seed) {
  torch::manual_seed(seed);
  return torch::randn(shape, torch::kFloat64);
}

/// Θ_g = Σ_c h_c(g) A_c for fixed A, and a record of the rotations that it was asked about.
class LinearPredictor : public Predictor {
 public:
  explicit LinearPredictor(std::int64_t length) : bases_(random_doubles({4, length, length}, 5)) {}

  Tensor apply(const Tensor& g, const Tensor& z) override {
    const Tensor theta = torch::tensordot(g.to(torch::kFloat64), bases_, {-1}, {0});
    return unit_rows(theta.matmul(z.unsqueeze(-1)).squeeze(-1));
  }
  Tensor similarity(const Tensor& g, const Tensor& source, const Tensor& target) override {
    asked.push_back(g);
    return Predictor::similarity(g, source, target);
  }

  std::vector<Tensor> asked;

 private:
  Tensor bases_;
};

/// u_g(z) = z: the shortcut that COPE is there to prevent.
class CollapsedPredictor : public Predictor {
 public:
  Tensor apply(const Tensor& g, const Tensor& z) override {
    const Tensor by_rotation = torch::zeros_like(g.narrow(-1, 0, 1)).to(z.scalar_type());
    return z + by_rotation;
  }
};

torch::Generator generator(std::uint64_t seed) {
  torch::Generator made = at::globalContext().defaultGenerator(torch::kCPU).clone();
  made.set_current_seed(seed);
  return made;
}

LossConfig small_config() {
  LossConfig config;
  config.temperature = 0.7;
  config.beta = 0.3;
  config.pseudo_negatives = 5;
  config.near_negatives = 3;
  return config;
}

/// One call of `point_png_loss` on random unit vectors, and what the plain version needs.
struct Example {
  LinearPredictor predictor{6};
  Tensor z = unit_rows(random_doubles({4, 6}, 1));
  Tensor z_plus = unit_rows(random_doubles({4, 6}, 2));
  Tensor g = rotation::uniform({4}, generator(3));

  PointPngLoss loss(const LossConfig& config) {
    predictor.asked.clear();
    return point_png_loss(predictor, z, z_plus, g, config, generator(9));
  }
  Matrix anchors() { return to_rows(predictor.apply(g, z)); }
  /// z̃_i^{g_r} for the rotations that the last call drew.
  std::vector<Matrix> negatives() {
    std::vector<Matrix> all(static_cast<std::size_t>(z.size(0)));
    for (const Tensor& asked : predictor.asked)
      for (std::int64_t i = 0; i < z.size(0); ++i) {
        const Tensor mine = asked.dim() == 3 ? asked[i] : asked;
        for (std::int64_t r = 0; r < mine.size(0); ++r)
          all[static_cast<std::size_t>(i)].push_back(to_vector(predictor.apply(mine[r], z[i])));
      }
    return all;
  }
};

TEST(LossesTest, EveryTermIsThatOfThePaper) {
  Example example;
  const LossConfig config = small_config();
  const PointPngLoss loss = example.loss(config);
  const Matrix anchors = example.anchors(), positives = to_rows(example.z_plus);
  const auto negatives = example.negatives();
  ASSERT_EQ(negatives[0].size(), 8U);  // M uniform ones and the near ones

  const double align = plain_align(anchors, positives);
  const double cope = plain_cope(anchors, positives, negatives, config.temperature);
  const double unif = plain_uniformity(to_rows(torch::cat({example.z, example.z_plus})),
                                       {0, 1, 2, 3, 0, 1, 2, 3}, config.temperature);
  EXPECT_NEAR(loss.align.item<double>(), align, 1e-12);
  EXPECT_NEAR(loss.cope.item<double>(), cope, 1e-12);
  EXPECT_NEAR(loss.uniformity.item<double>(), unif, 1e-12);
  EXPECT_NEAR(loss.total.item<double>(), align + 0.3 * cope + 0.7 * unif, 1e-12);
}

TEST(LossesTest, WatchesPredictorAccuracyAndAbsoluteEquivariance) {
  Example example;
  const PointPngLoss loss = example.loss(small_config());
  const Matrix anchors = example.anchors(), z = to_rows(example.z),
               positives = to_rows(example.z_plus);
  double pa = 0.0, still = 0.0;
  for (std::size_t i = 0; i < z.size(); ++i)
    for (std::size_t c = 0; c < z[i].size(); ++c) {
      pa += anchors[i][c] * positives[i][c] / 4.0;
      still += z[i][c] * positives[i][c] / 4.0;
    }
  EXPECT_NEAR(loss.pa.item<double>(), pa, 1e-12);
  EXPECT_NEAR(loss.ae.item<double>(), pa - still, 1e-12);
}

TEST(LossesTest, GradientsAreThoseOfFiniteDifferences) {
  Example example;
  const LossConfig config = small_config();
  // Unconstrained vectors, normalised as in a backbone.
  const Tensor free = random_doubles({8, 6}, 4).set_requires_grad(true);
  const auto value = [&](const Tensor& x) {
    const auto halves = unit_rows(x).chunk(2);
    example.z = halves[0];
    example.z_plus = halves[1];
    return example.loss(config).total;
  };
  value(free).backward();
  const torch::NoGradGuard no_grad;
  constexpr double kStep = 1e-6;
  for (std::int64_t i = 0; i < free.numel(); ++i) {
    Tensor up = free.detach().clone(), down = free.detach().clone();
    up.view(-1)[i] += kStep;
    down.view(-1)[i] -= kStep;
    const double slope = (value(up) - value(down)).item<double>() / (2.0 * kStep);
    EXPECT_NEAR(free.grad().view(-1)[i].item<double>(), slope, 1e-7);
  }
}

class PredictorGradientTest : public testing::TestWithParam<std::string> {};

/// Gradients of ⟨u_g(z), target⟩ for rotations that all pairs share, in one precision.
std::vector<Tensor> similarity_gradients(Predictor& predictor, torch::ScalarType type) {
  predictor.to(type);
  predictor.zero_grad();
  torch::manual_seed(2);
  const std::int64_t length = embedding_length(ModelConfig());
  const Tensor g = rotation::uniform({32}).to(type);
  const Tensor z = unit_rows(torch::randn({4, length})).to(type).set_requires_grad(true);
  const Tensor target = unit_rows(torch::randn({4, length})).to(type);
  const Tensor weights = torch::randn({4, 32}).to(type);
  const Tensor similarity = predictor.similarity(g, z, target);
  // What `empty` may hand out next: a gradient that is never written would show it.
  for (int i = 0; i < 50; ++i) torch::full({32, length, 16 * (1 + i % 16)}, 1e30F);
  (similarity * weights).sum().backward();
  std::vector<Tensor> gradients{z.grad()};
  for (const Tensor& parameter : predictor.parameters()) gradients.push_back(parameter.grad());
  for (Tensor& gradient : gradients) gradient = gradient.to(torch::kFloat64).clone();
  return gradients;
}

TEST_P(PredictorGradientTest, IsTheSameInFloatAndInDouble) {
  ModelConfig config;
  config.predictor = GetParam();
  config.embedding = embedding_length(ModelConfig());
  torch::manual_seed(1);
  const auto predictor = make_predictor(config);
  const auto exact = similarity_gradients(*predictor, torch::kFloat64);
  const auto single = similarity_gradients(*predictor, torch::kFloat32);
  ASSERT_EQ(exact.size(), single.size());
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const double largest = exact[i].abs().max().item<double>();
    EXPECT_LT((exact[i] - single[i]).abs().max().item<double>(), 1e-4 * (largest + 1.0)) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Predictors, PredictorGradientTest,
                         testing::Values("cope", "wigner", "sie"),
                         [](const auto& given) { return given.param; });

TEST(LossesTest, AtCollapseCopeIsLargestAndAlignmentIsBlind) {
  CollapsedPredictor predictor;
  const Tensor z = unit_rows(random_doubles({4, 6}, 1));
  LossConfig config = small_config();
  const PointPngLoss collapsed =
      point_png_loss(predictor, z, z, rotation::uniform({4}, generator(3)), config, generator(9));
  const double largest = std::log(8.0 + 1.0);
  EXPECT_NEAR(collapsed.cope.item<double>(), largest, 1e-12);
  EXPECT_NEAR(collapsed.align.item<double>(), 0.0, 1e-12);  // SIE's only term against it
  EXPECT_NEAR(collapsed.ae.item<double>(), 0.0, 1e-12);

  for (std::int64_t seed = 0; seed < 50; ++seed) {
    torch::manual_seed(seed);
    const Tensor positive = 2.0 * torch::rand({4}, torch::kFloat64) - 1.0;
    const Tensor negative = 2.0 * torch::rand({4, 8}, torch::kFloat64) - 1.0;
    EXPECT_LT(cope_loss(positive, negative, config.temperature).item<double>(), largest);
  }
}

TEST(LossesTest, NearNegativesLieInTheirRangeOfAngles) {
  Example example;
  LossConfig config = small_config();
  config.pseudo_negatives = 0;
  config.near_negatives = 500;
  config.near_smallest_deg = 7.0;
  config.near_largest_deg = 40.0;
  example.loss(config);
  ASSERT_EQ(example.predictor.asked.size(), 1U);
  const Tensor degrees =
      rotation::angle(example.predictor.asked[0], example.g.unsqueeze(1)) * 180 / std::numbers::pi;
  EXPECT_GE(degrees.min().item<double>(), 7.0 - 1e-3);
  EXPECT_LE(degrees.max().item<double>(), 40.0 + 1e-3);
  EXPECT_LT(degrees.min().item<double>(), 8.0);
  EXPECT_GT(degrees.max().item<double>(), 38.0);
}

TEST(LossesTest, PseudoNegativesFollowFromTheGenerator) {
  Example example;
  const double once = example.loss(small_config()).cope.item<double>();
  EXPECT_EQ(example.loss(small_config()).cope.item<double>(), once);
  const PointPngLoss other = point_png_loss(example.predictor, example.z, example.z_plus, example.g,
                                            small_config(), generator(10));
  EXPECT_NE(other.cope.item<double>(), once);
}

TEST(LossesTest, UniformityLooksAtDifferentObjectsOnly) {
  const Tensor z = unit_rows(random_doubles({6, 4}, 7));
  const Tensor objects = torch::tensor({0, 1, 1, 2, 0, 2}, torch::kInt64);
  EXPECT_NEAR(uniformity_loss(z, objects, 0.5).item<double>(),
              plain_uniformity(to_rows(z), {0, 1, 1, 2, 0, 2}, 0.5), 1e-12);
}

TEST(LossesTest, OneObjectAloneHasNoUniformity) {
  Tensor z = unit_rows(random_doubles({2, 4}, 7)).set_requires_grad(true);
  const Tensor loss = uniformity_loss(z, torch::zeros({2}, torch::kInt64), 0.5);
  EXPECT_EQ(loss.item<double>(), 0.0);
  loss.backward();
  EXPECT_EQ(z.grad().abs().max().item<double>(), 0.0);
}

}  // namespace
}  // namespace pointpng
