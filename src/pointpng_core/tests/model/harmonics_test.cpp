#include "model/harmonics.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>
#include <torch/types.h>

#include "model/rotation.h"
#include "model/tensor_checks.h"

namespace pointpng {
namespace {

constexpr std::int64_t kDegree = 8;  // the largest that is offered

Tensor random_rotations(std::int64_t count) {
  return rotation::canonical(torch::randn({count, 4}, torch::kFloat64));
}

Tensor random_directions(std::int64_t count) {
  const Tensor v = torch::randn({count, 3}, torch::kFloat64);
  return v / v.norm(2, -1, true);
}

Tensor part_of(const Tensor& harmonics, std::int64_t l) {
  return harmonics.narrow(-1, l * l, 2 * l + 1);
}

class EveryDegree : public ::testing::TestWithParam<std::int64_t> {};
INSTANTIATE_TEST_SUITE_P(HarmonicsTest, EveryDegree,
                         ::testing::Range<std::int64_t>(0, kDegree + 1));

TEST_P(EveryDegree, HarmonicsHaveLengthOne) {
  at::manual_seed(1);
  const Tensor y = part_of(spherical_harmonics(random_directions(100), kDegree), GetParam());
  EXPECT_LT((y.norm(2, -1) - 1.0).abs().max().item<double>(), 1e-13);
}

TEST_P(EveryDegree, WignerMatricesTurnTheHarmonics) {
  at::manual_seed(2);
  const Tensor q = random_rotations(20), v = random_directions(20);
  const Tensor matrix = wigner_matrices(q, kDegree)[static_cast<std::size_t>(GetParam())];
  const Tensor turned = rotation::rotate(q, v.unsqueeze(1)).squeeze(1);
  const Tensor expected = part_of(spherical_harmonics(turned, kDegree), GetParam());
  const Tensor before = part_of(spherical_harmonics(v, kDegree), GetParam());
  EXPECT_LT(difference(matrix.matmul(before.unsqueeze(-1)).squeeze(-1), expected), 1e-12);
}

TEST_P(EveryDegree, WignerMatricesMultiplyAsRotationsDo) {
  at::manual_seed(3);
  const Tensor g = random_rotations(20), h = random_rotations(20);
  const auto l = static_cast<std::size_t>(GetParam());
  const Tensor product = wigner_matrices(g, kDegree)[l].matmul(wigner_matrices(h, kDegree)[l]);
  EXPECT_LT(difference(wigner_matrices(rotation::multiply(g, h), kDegree)[l], product), 1e-12);
}

TEST_P(EveryDegree, WignerMatricesAreOrthogonalAndTheInverseIsTheTranspose) {
  at::manual_seed(4);
  const Tensor g = random_rotations(20);
  const auto l = static_cast<std::size_t>(GetParam());
  const Tensor matrix = wigner_matrices(g, kDegree)[l];
  const Tensor identity = torch::eye(2 * GetParam() + 1, torch::kFloat64).expand_as(matrix);
  EXPECT_LT(difference(matrix.matmul(matrix.transpose(-1, -2)), identity), 1e-12);
  EXPECT_LT(difference(wigner_matrices(rotation::inverse(g), kDegree)[l], matrix.transpose(-1, -2)),
            1e-12);
}

TEST_P(EveryDegree, TheTraceIsTheCharacterOfTheRotation) {
  const auto l = GetParam();
  for (const double angle : {0.3, 1.2, 3.0}) {
    const Tensor g = rotation::exp(torch::tensor({0.0, 0.6 * angle, 0.8 * angle}, torch::kFloat64));
    const double trace =
        wigner_matrices(g, kDegree)[static_cast<std::size_t>(l)].trace().item<double>();
    EXPECT_NEAR(trace, std::sin((static_cast<double>(l) + 0.5) * angle) / std::sin(0.5 * angle),
                1e-12);
  }
}

TEST_P(EveryDegree, GeneratorsAreAntisymmetricAndExponentiateToTheMatrices) {
  at::manual_seed(5);
  const auto l = static_cast<std::size_t>(GetParam());
  const Tensor generators = wigner_generators(kDegree)[l];
  EXPECT_EQ(difference(generators, -generators.transpose(-1, -2)), 0.0);
  const Tensor w = 0.8 * torch::randn({3}, torch::kFloat64);
  const Tensor expected = torch::matrix_exp((w.view({3, 1, 1}) * generators).sum(0));
  // The generators come from central differences that are good to 1e-6 at degree 8.
  EXPECT_LT(difference(wigner_matrices(rotation::exp(w), kDegree)[l], expected), 2e-6);
}

TEST_P(EveryDegree, GeneratorsCommuteAsThoseOfRotationsDo) {
  const Tensor g = wigner_generators(kDegree)[static_cast<std::size_t>(GetParam())];
  const Tensor commutator = g[0].matmul(g[1]) - g[1].matmul(g[0]);
  EXPECT_LT(difference(commutator, g[2]), 1e-5);  // [L_x, L_y] = L_z
}

TEST_P(EveryDegree, GradientOfTheMatricesIsThatOfFiniteDifferences) {
  at::manual_seed(6);
  const auto l = static_cast<std::size_t>(GetParam());
  const std::int64_t order = 2 * GetParam() + 1;
  const Tensor weights = torch::randn({2, order, order}, torch::kFloat64);
  const auto weighted = [&](const Tensor& q) {
    return (wigner_matrices(q, kDegree)[l] * weights).sum();
  };
  const Tensor q = random_rotations(2);
  const Tensor numeric = numeric_gradient(weighted, q);
  EXPECT_LT(difference(exact_gradient(weighted, q), numeric),
            1e-7 * (1.0 + numeric.abs().max().item<double>()));
}

TEST(HarmonicsTest, AreOrthogonalOverTheSphere) {
  // Gauss-Legendre in z would be exact; a midpoint rule on 400 × 64 cells is good to 1e-4.
  constexpr std::int64_t kRows = 400, kColumns = 64;
  const Tensor z = -1.0 + (torch::arange(kRows, torch::kFloat64) + 0.5) * (2.0 / kRows);
  const Tensor turn =
      torch::arange(kColumns, torch::kFloat64) * (2.0 * std::numbers::pi / kColumns);
  const Tensor radius = (1.0 - z * z).sqrt().unsqueeze(1);
  const Tensor directions =
      torch::stack(
          {radius * turn.cos(), radius * turn.sin(), z.unsqueeze(1).expand({kRows, kColumns})}, -1)
          .flatten(0, 1);
  const Tensor y = spherical_harmonics(directions, 4);
  const Tensor gram = y.t().matmul(y) / static_cast<double>(kRows * kColumns);
  Tensor expected = torch::zeros({25, 25}, torch::kFloat64);
  for (std::int64_t l = 0; l <= 4; ++l)
    for (std::int64_t i = l * l; i < (l + 1) * (l + 1); ++i)
      expected[i][i] = 1.0 / static_cast<double>(2 * l + 1);  // |Y_l| = 1, shared by 2l+1 of them
  EXPECT_LT(difference(gram, expected), 2e-4);
}

TEST(HarmonicsTest, DegreeOneIsTheDirectionItself) {
  at::manual_seed(7);
  const Tensor v = random_directions(10);
  const Tensor y = part_of(spherical_harmonics(v, 1), 1);
  const Tensor as_directions = std::get<0>(y.sort(-1)), directions = std::get<0>(v.sort(-1));
  EXPECT_LT(difference(as_directions, directions), 1e-15);
}

TEST(HarmonicsTest, LowerDegreesDoNotDependOnTheHighest) {
  at::manual_seed(8);
  const Tensor v = random_directions(10), q = random_rotations(5);
  EXPECT_EQ(difference(spherical_harmonics(v, 2), spherical_harmonics(v, 6).narrow(-1, 0, 9)), 0.0);
  EXPECT_LT(difference(wigner_matrices(q, 2)[2], wigner_matrices(q, 6)[2]), 1e-12);
}

TEST(HarmonicsTest, FloatIsGoodToFloatPrecision) {
  at::manual_seed(9);
  const Tensor q = random_rotations(50);
  const auto exact = wigner_matrices(q, 4), rounded = wigner_matrices(q.to(torch::kFloat32), 4);
  for (std::size_t l = 0; l <= 4; ++l) {
    EXPECT_EQ(rounded[l].scalar_type(), torch::kFloat32);
    EXPECT_LT(difference(rounded[l], exact[l]), 5e-6) << l;
  }
}

TEST(HarmonicsTest, LeadingDimensionsAreKept) {
  const auto matrices = wigner_matrices(rotation::uniform({2, 3}), 2);
  EXPECT_EQ(matrices[2].sizes(), (torch::IntArrayRef{2, 3, 5, 5}));
  EXPECT_EQ(spherical_harmonics(torch::randn({2, 7, 3}), 3).sizes(),
            (torch::IntArrayRef{2, 7, 16}));
}

}  // namespace
}  // namespace pointpng
