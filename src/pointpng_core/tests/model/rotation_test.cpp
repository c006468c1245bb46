#include "model/rotation.h"

#include <cmath>
#include <numbers>

#include <Eigen/Geometry>
#include <gtest/gtest.h>
#include <torch/types.h>

#include "model/tensor_checks.h"

namespace pointpng {
namespace {

using torch::Tensor;

constexpr double kPi = std::numbers::pi;

Tensor doubles(torch::IntArrayRef shape) { return torch::randn(shape, torch::kFloat64); }

Tensor random_rotations(std::int64_t count) { return rotation::canonical(doubles({count, 4})); }

Eigen::Quaterniond eigen(const Tensor& q) {
  return {q[0].item<double>(), q[1].item<double>(), q[2].item<double>(), q[3].item<double>()};
}

Tensor tensor(const Eigen::Quaterniond& q) {
  return torch::tensor({q.w(), q.x(), q.y(), q.z()}, torch::kFloat64);
}

Tensor tensor(const Eigen::Matrix3d& m) {
  const Eigen::Matrix<double, 3, 3, Eigen::RowMajor> rows = m;
  return torch::from_blob(const_cast<double*>(rows.data()), {3, 3}, torch::kFloat64).clone();
}

/// q and -q are the same rotation.
double quaternion_difference(const Tensor& a, const Tensor& b) {
  return std::min(difference(a, b), difference(a, -b));
}

/// Covering radius of a set, estimated with random rotations.
double covering_radius(const Tensor& set) {
  at::manual_seed(99);
  const Tensor cosine = rotation::uniform({4000}).matmul(set.t()).abs();
  return 2.0 * std::acos(std::get<0>(cosine.max(1)).min().item<double>());
}

TEST(RotationTest, MultipliesAsEigenDoes) {
  at::manual_seed(1);
  const Tensor a = random_rotations(50), b = random_rotations(50);
  const Tensor product = rotation::multiply(a, b);
  for (std::int64_t i = 0; i < 50; ++i)
    EXPECT_LT(quaternion_difference(product[i], tensor(eigen(a[i]) * eigen(b[i]))), 1e-14);
}

TEST(RotationTest, MatricesAreEigens) {
  at::manual_seed(2);
  const Tensor q = random_rotations(50);
  const Tensor matrices = rotation::to_matrix(q);
  for (std::int64_t i = 0; i < 50; ++i)
    EXPECT_LT(difference(matrices[i], tensor(eigen(q[i]).toRotationMatrix())), 1e-14);
}

TEST(RotationTest, RotatesPointsAsEigenDoes) {
  at::manual_seed(3);
  const Tensor q = random_rotations(20), points = doubles({20, 7, 3});
  const Tensor turned = rotation::rotate(q, points);
  for (std::int64_t i = 0; i < 20; ++i)
    for (std::int64_t j = 0; j < 7; ++j) {
      const Tensor p = points[i][j];
      const Eigen::Vector3d expected =
          eigen(q[i]) *
          Eigen::Vector3d(p[0].item<double>(), p[1].item<double>(), p[2].item<double>());
      const Tensor expected_row =
          torch::tensor({expected.x(), expected.y(), expected.z()}, torch::kFloat64);
      EXPECT_LT(difference(turned[i][j], expected_row), 1e-13);
    }
}

TEST(RotationTest, OneRotationTurnsAWholeBatch) {
  at::manual_seed(4);
  const Tensor q = random_rotations(1)[0], points = doubles({5, 6, 3});
  EXPECT_LT(difference(rotation::rotate(q, points)[3], rotation::rotate(q, points[3])), 1e-15);
}

TEST(RotationTest, MultiplyTurnsByTheSecondFirst) {
  at::manual_seed(5);
  const Tensor a = random_rotations(1)[0], b = random_rotations(1)[0], points = doubles({9, 3});
  EXPECT_LT(difference(rotation::rotate(rotation::multiply(a, b), points),
                       rotation::rotate(a, rotation::rotate(b, points))),
            1e-14);
}

TEST(RotationTest, LeadingDimensionsBroadcast) {
  at::manual_seed(6);
  const Tensor a = random_rotations(4).unsqueeze(1), b = random_rotations(3).unsqueeze(0);
  const Tensor product = rotation::multiply(a, b);
  ASSERT_EQ(product.sizes(), (torch::IntArrayRef{4, 3, 4}));
  EXPECT_EQ(difference(product[2][1], rotation::multiply(a[2][0], b[0][1])), 0.0);
}

TEST(RotationTest, InverseUndoes) {
  at::manual_seed(7);
  const Tensor q = random_rotations(50);
  const Tensor identity = torch::tensor({1.0, 0.0, 0.0, 0.0}, torch::kFloat64).expand({50, 4});
  EXPECT_LT(difference(rotation::multiply(q, rotation::inverse(q)), identity), 1e-14);
}

TEST(RotationTest, CanonicalHasLengthOneAndNoNegativeW) {
  at::manual_seed(8);
  const Tensor raw = 7.0 * doubles({1000, 4});
  const Tensor q = rotation::canonical(raw);
  EXPECT_LT((q.norm(2, -1) - 1.0).abs().max().item<double>(), 1e-14);
  EXPECT_GE(q.select(-1, 0).min().item<double>(), 0.0);
  EXPECT_LT(difference(q, rotation::canonical(-raw)), 1e-15);
}

TEST(RotationTest, FromMatrixInvertsToMatrix) {
  at::manual_seed(9);
  const Tensor q = random_rotations(1000);
  EXPECT_LT(difference(rotation::from_matrix(rotation::to_matrix(q)), q), 1e-12);
}

// Every branch of the textbook formula: the largest of w, x, y, z in turn, and 180° about axes and
// diagonals, where the trace is -1 and w is 0.
TEST(RotationTest, FromMatrixHoldsForHalfTurns) {
  for (const Eigen::Vector3d& axis :
       {Eigen::Vector3d(1, 0, 0), Eigen::Vector3d(0, 1, 0), Eigen::Vector3d(0, 0, 1),
        Eigen::Vector3d(1, 1, 0), Eigen::Vector3d(0, 1, -1), Eigen::Vector3d(1, -1, 1)})
    for (const double angle : {0.0, 1.0, kPi - 1e-7, kPi}) {
      const Eigen::Quaterniond expected(Eigen::AngleAxisd(angle, axis.normalized()));
      const Tensor found = rotation::from_matrix(tensor(expected.toRotationMatrix()));
      EXPECT_LT(quaternion_difference(found, tensor(expected)), 1e-12)
          << angle << " about " << axis.transpose();
    }
}

TEST(RotationTest, ExpIsEigensAngleAxis) {
  at::manual_seed(10);
  const Tensor vectors = doubles({50, 3});
  const Tensor q = rotation::exp(vectors);
  for (std::int64_t i = 0; i < 50; ++i) {
    const Eigen::Vector3d v(vectors[i][0].item<double>(), vectors[i][1].item<double>(),
                            vectors[i][2].item<double>());
    const Eigen::Quaterniond expected(Eigen::AngleAxisd(v.norm(), v.normalized()));
    EXPECT_LT(quaternion_difference(q[i], tensor(expected)), 1e-14);
  }
}

TEST(RotationTest, LogInvertsExpFromTinyToHalfTurns) {
  at::manual_seed(11);
  const Tensor axes = rotation::canonical(doubles({20, 4})).narrow(-1, 1, 3);
  const Tensor directions = axes / axes.norm(2, -1, true);
  for (const double angle :
       {0.0, 1e-12, 1e-9, 1e-7, 1e-6, 1e-5, 1e-4, 1e-2, 1.0, 3.0, kPi - 1e-6}) {
    const Tensor vectors = angle * directions;
    EXPECT_LT(difference(rotation::log(rotation::exp(vectors)), vectors), 1e-12 + 1e-9 * angle)
        << angle;
  }
}

TEST(RotationTest, LogIsAtMostPiLong) {
  at::manual_seed(12);
  EXPECT_LE(rotation::log(doubles({1000, 4})).norm(2, -1).max().item<double>(), kPi + 1e-12);
  const Tensor beyond = rotation::log(rotation::exp(torch::tensor({0.0, 0.0, kPi + 0.5})));
  EXPECT_NEAR(beyond[2].item<double>(), -(kPi - 0.5), 1e-6);
}

TEST(RotationTest, ExpAndLogHaveFiniteGradientsAtTheIdentity) {
  const auto sum_of_exp = [](const Tensor& v) { return rotation::exp(v).sum(); };
  const Tensor zero = torch::zeros({3}, torch::kFloat64);
  EXPECT_LT(difference(exact_gradient(sum_of_exp, zero), torch::full({3}, 0.5, torch::kFloat64)),
            1e-12);
  const auto sum_of_log = [](const Tensor& q) { return rotation::log(q).sum(); };
  const Tensor identity = torch::tensor({1.0, 0.0, 0.0, 0.0}, torch::kFloat64);
  EXPECT_TRUE(exact_gradient(sum_of_log, identity).isfinite().all().item<bool>());
}

TEST(RotationTest, GradientsOfExpAndLogAreThoseOfFiniteDifferences) {
  at::manual_seed(13);
  const Tensor weights = doubles({4});
  const auto of_exp = [&](const Tensor& v) { return (rotation::exp(v) * weights).sum(); };
  const auto of_log = [&](const Tensor& q) { return (rotation::log(q) * weights[0]).sum(); };
  const Tensor v = 0.7 * doubles({3}), q = random_rotations(1)[0];
  EXPECT_LT(difference(exact_gradient(of_exp, v), numeric_gradient(of_exp, v)), 1e-8);
  EXPECT_LT(difference(exact_gradient(of_log, q), numeric_gradient(of_log, q)), 1e-8);
}

TEST(RotationTest, TinyAnglesAreExactInDouble) {
  at::manual_seed(14);
  const Tensor q = random_rotations(100);
  for (const double angle : {1e-9, 1e-6, 1e-3, 1.0, kPi - 1e-6}) {
    const Tensor turn = rotation::exp(torch::tensor({0.0, angle, 0.0}, torch::kFloat64));
    const Tensor found = rotation::angle(q, rotation::multiply(turn, q));
    EXPECT_LT((found - angle).abs().max().item<double>(), 5e-15) << angle;
  }
}

// An arccos of the inner product is wrong by 5e-4 rad here.
TEST(RotationTest, TinyAnglesAreGoodInFloat) {
  at::manual_seed(15);
  const Tensor q = random_rotations(1000);
  for (const double angle : {0.0, 1e-6, 1e-4, 1e-2}) {
    const Tensor turn = rotation::exp(torch::tensor({0.0, angle, 0.0}, torch::kFloat64));
    const Tensor turned = rotation::multiply(turn, q).to(torch::kFloat32);
    const Tensor found = rotation::angle(q.to(torch::kFloat32), turned);
    EXPECT_LT((found - angle).abs().max().item<double>(), 5e-7) << angle;
  }
}

TEST(RotationTest, TheAngleDoesNotCareForTheSignOfAQuaternion) {
  at::manual_seed(16);
  const Tensor a = random_rotations(100), b = random_rotations(100);
  EXPECT_LT(difference(rotation::angle(a, b), rotation::angle(-a, b)), 1e-14);
}

TEST(RotationTest, UniformHasNoPreferredDirection) {
  at::manual_seed(17);
  const Tensor mean = rotation::to_matrix(rotation::uniform({100'000})).mean(0);
  // Each element has variance 1/3: five standard errors.
  EXPECT_LT(mean.abs().max().item<double>(), 5.0 * std::sqrt(1.0 / 3.0 / 100'000));
}

TEST(RotationTest, UniformAnglesFollowTheHaarMeasure) {
  constexpr std::int64_t kCount = 50'000;
  at::manual_seed(18);
  const Tensor q = rotation::uniform({kCount}).to(torch::kFloat64);
  const Tensor identity = torch::tensor({1.0, 0.0, 0.0, 0.0}, torch::kFloat64);
  const Tensor angles = std::get<0>(rotation::angle(q, identity).sort());
  // Kolmogorov-Smirnov test against the density (1 - cos θ) / π.
  const Tensor expected = (angles - angles.sin()) / kPi;
  const Tensor share = (torch::arange(kCount, torch::kFloat64) + 0.5) / kCount;
  EXPECT_LT(difference(expected, share), 1.95 / std::sqrt(kCount));  // p = 0.001
}

TEST(RotationTest, UniformFollowsItsGenerator) {
  torch::Generator generator = at::globalContext().defaultGenerator(torch::kCPU).clone();
  generator.set_current_seed(5);
  const Tensor first = rotation::uniform({2, 3}, generator);
  const Tensor second = rotation::uniform({2, 3}, generator);
  generator.set_current_seed(5);
  EXPECT_EQ(first.sizes(), (torch::IntArrayRef{2, 3, 4}));
  EXPECT_TRUE(first.equal(rotation::uniform({2, 3}, generator)));
  EXPECT_FALSE(first.equal(second));
}

TEST(RotationTest, GridIsTheSameAtEveryCallAndCanonical) {
  const Tensor grid = rotation::grid(1000);
  EXPECT_TRUE(grid.equal(rotation::grid(1000)));
  EXPECT_LT((grid.norm(2, -1) - 1.0).abs().max().item<double>(), 1e-6);
  EXPECT_GE(grid.select(-1, 0).min().item<double>(), 0.0);
}

TEST(RotationTest, GridCoversTwiceAsFineWithEightTimesTheRotations) {
  const double coarse = covering_radius(rotation::grid(512));
  const double fine = covering_radius(rotation::grid(4096));
  EXPECT_GT(coarse / fine, 1.8);
  EXPECT_LT(coarse / fine, 2.2);
}

TEST(RotationTest, GridCoversBetterThanChance) {
  at::manual_seed(19);
  EXPECT_LT(covering_radius(rotation::grid(2048)),
            0.75 * covering_radius(rotation::uniform({2048})));
}

TEST(RotationTest, NearbyKeepsItsBoundsAndSpreadsAnglesLogUniformly) {
  at::manual_seed(20);
  constexpr double kSmallest = 0.01, kLargest = 1.0;
  const Tensor q = rotation::nearby({20'000}, kSmallest, kLargest).to(torch::kFloat64);
  const Tensor angles = rotation::log(q).norm(2, -1);
  EXPECT_GE(angles.min().item<double>(), kSmallest * (1.0 - 1e-4));
  EXPECT_LE(angles.max().item<double>(), kLargest * (1.0 + 1e-4));
  EXPECT_NEAR((angles < 0.1).to(torch::kFloat64).mean().item<double>(), 0.5, 0.018);
  const Tensor mean_axis = (rotation::log(q) / angles.unsqueeze(-1)).mean(0);
  EXPECT_LT(mean_axis.norm().item<double>(), 0.03);
}

}  // namespace
}  // namespace pointpng
