#include "eval/tsne.h"

#include <cmath>
#include <omp.h>

#include <gtest/gtest.h>

#include "base/random.h"
#include "pointpng/error.h"

namespace pointpng {
namespace {

/// `groups` clusters in 8 dimensions, `each` items in every one.
Rows clusters(int groups, int each, std::uint64_t seed) {
  Random random({seed});
  Rows items(groups * each, 8);
  for (int g = 0; g < groups; ++g) {
    Eigen::RowVectorXd middle(8);
    for (double& value : middle) value = 4.0 * random.normal();
    for (int i = 0; i < each; ++i)
      for (Eigen::Index k = 0; k < 8; ++k)
        items(g * each + i, k) = middle[k] + 0.5 * random.normal();
  }
  return items;
}

Rows random_map(Eigen::Index n, double spread, std::uint64_t seed) {
  Random random({seed});
  Rows map(n, 2);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index k = 0; k < 2; ++k) map(i, k) = spread * random.normal();
  return map;
}

TEST(AffinitiesTest, AreSymmetricAndSumUpToOne) {
  const Affinities joint = joint_affinities(clusters(3, 12, 1), 6.0, 19);
  ASSERT_EQ(joint.first.size(), 37U);
  double sum = 0.0;
  Rows dense = Rows::Zero(36, 36);
  for (std::size_t i = 0; i < 36; ++i)
    for (std::int64_t k = joint.first[i]; k < joint.first[i + 1]; ++k) {
      const auto at = static_cast<std::size_t>(k);
      dense(static_cast<Eigen::Index>(i), joint.column[at]) = joint.value[at];
      sum += joint.value[at];
    }
  EXPECT_NEAR(sum, 1.0, 1e-9);
  EXPECT_LT((dense - dense.transpose()).cwiseAbs().maxCoeff(), 1e-15);
  EXPECT_EQ(dense.diagonal().maxCoeff(), 0.0);
}

// The perplexity is 2 to the entropy: on a ring all items are alike, so the
// joint probabilities of one item are its conditional ones.
TEST(AffinitiesTest, HaveThePerplexityThatWasAskedFor) {
  constexpr int kCount = 60;
  Rows ring(kCount, 2);
  for (int i = 0; i < kCount; ++i) {
    const double angle = 2.0 * M_PI * i / kCount;
    ring.row(i) << std::cos(angle), std::sin(angle);
  }
  const Affinities joint = joint_affinities(ring, 10.0, kCount - 1);
  double entropy = 0.0;
  for (std::int64_t k = joint.first[0]; k < joint.first[1]; ++k) {
    const double p = kCount * joint.value[static_cast<std::size_t>(k)];
    entropy -= p > 0.0 ? p * std::log(p) : 0.0;
  }
  EXPECT_NEAR(std::exp(entropy), 10.0, 0.01);
}

TEST(MapGradientTest, IsTheDerivativeOfTheDivergence) {
  const Affinities joint = joint_affinities(clusters(3, 8, 2), 5.0, 23);
  const Rows map = random_map(24, 1.0, 3);
  const MapGradient here = map_gradient(joint, map, 0.0);
  constexpr double kStep = 1e-5;
  for (Eigen::Index i = 0; i < 24; i += 5)
    for (Eigen::Index k = 0; k < 2; ++k) {
      Rows forward = map, backward = map;
      forward(i, k) += kStep;
      backward(i, k) -= kStep;
      const double expected = (map_gradient(joint, forward, 0.0).divergence -
                               map_gradient(joint, backward, 0.0).divergence) /
                              (2.0 * kStep);
      EXPECT_NEAR(here.gradient(i, k), expected, 1e-7);
    }
}

class TreeAgainstAllPairs : public testing::TestWithParam<double> {};

TEST_P(TreeAgainstAllPairs, DiffersLittle) {
  const Rows items = clusters(4, 100, 4);
  const Affinities joint = joint_affinities(items, 20.0, 61);
  const Rows map = random_map(400, GetParam(), 5);
  const MapGradient all = map_gradient(joint, map, 0.0), tree = map_gradient(joint, map, 0.5);
  EXPECT_LT((tree.gradient - all.gradient).norm(), 0.03 * all.gradient.norm());
  EXPECT_NEAR(tree.divergence, all.divergence, 0.01 * all.divergence);
  // The smaller theta, the more exact; with 0 it is the sum over all pairs.
  const MapGradient narrow = map_gradient(joint, map, 0.1), none = map_gradient(joint, map, 1e-9);
  EXPECT_LT((narrow.gradient - all.gradient).norm(), (tree.gradient - all.gradient).norm());
  EXPECT_LT((none.gradient - all.gradient).norm(), 1e-9 * all.gradient.norm());
}

INSTANTIATE_TEST_SUITE_P(Spreads, TreeAgainstAllPairs, testing::Values(0.01, 1.0, 30.0));

TEST(MapGradientTest, PlacesThatCoincideDoNotHarmTheTree) {
  const Rows items = clusters(2, 30, 6);
  const Affinities joint = joint_affinities(items, 8.0, 25);
  Rows map = random_map(60, 1.0, 7);
  map.topRows(40).rowwise() = Eigen::RowVector2d(0.3, -0.2);
  const MapGradient all = map_gradient(joint, map, 0.0), tree = map_gradient(joint, map, 1e-9);
  EXPECT_TRUE(tree.gradient.allFinite());
  EXPECT_LT((tree.gradient - all.gradient).norm(), 1e-9 * all.gradient.norm());
  EXPECT_NEAR(map_gradient(joint, Rows::Zero(60, 2), 0.5).divergence,
              map_gradient(joint, Rows::Zero(60, 2), 0.0).divergence, 1e-9);
}

class BothSolvers : public testing::TestWithParam<const char*> {};

TEST_P(BothSolvers, ClustersStayTogether) {
  const Rows items = clusters(4, 40, 8);
  TsneConfig config;
  config.method = GetParam();
  config.perplexity = 15.0;
  config.iterations = 400;
  const TsneMap map = tsne(items, config);
  EXPECT_EQ(map.exact, std::string(GetParam()) == "exact");
  for (Eigen::Index i = 0; i < items.rows(); ++i) {
    Eigen::Index nearest = 0;
    Eigen::VectorXd distance =
        (map.coordinates.rowwise() - map.coordinates.row(i)).rowwise().norm();
    distance[i] = 1e9;
    distance.minCoeff(&nearest);
    EXPECT_EQ(nearest / 40, i / 40);
  }
  EXPECT_GT(trustworthiness(items, map.coordinates), 0.9);
}

// Threads share out the work, not the result.
TEST_P(BothSolvers, TheMapDoesNotDependOnTheThreads) {
  const Rows items = clusters(3, 50, 9);
  TsneConfig config;
  config.method = GetParam();
  config.perplexity = 12.0;
  config.iterations = 120;
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  const TsneMap one = tsne(items, config);
  omp_set_num_threads(3);
  const TsneMap three = tsne(items, config);
  omp_set_num_threads(threads);
  EXPECT_EQ(one.coordinates, three.coordinates);
  EXPECT_EQ(one.divergence, three.divergence);
}

INSTANTIATE_TEST_SUITE_P(Solvers, BothSolvers, testing::Values("exact", "barnes-hut"));

TEST(TsneTest, ARandomStartFollowsItsSeed) {
  const Rows items = clusters(2, 12, 10);
  TsneConfig config{.perplexity = 5.0, .iterations = 30, .start = "random", .seed = 1};
  const Rows first = tsne(items, config).coordinates;
  EXPECT_EQ(tsne(items, config).coordinates, first);
  config.seed = 2;
  EXPECT_NE(tsne(items, config).coordinates, first);
}

TEST(TsneTest, AutoTakesTheTreeForLargeSets) {
  TsneConfig config{.perplexity = 5.0, .iterations = 2, .exact_up_to = 30};
  EXPECT_TRUE(tsne(clusters(3, 10, 11), config).exact);
  EXPECT_FALSE(tsne(clusters(3, 11, 11), config).exact);
}

TEST(TsneTest, ItemsThatAreAllTheSameGiveAFiniteMap) {
  const TsneMap map = tsne(Rows::Ones(20, 5), {.perplexity = 4.0, .iterations = 50});
  EXPECT_TRUE(map.coordinates.allFinite());
  EXPECT_TRUE(std::isfinite(map.divergence));
}

TEST(TsneTest, WhatCanNotWorkIsAnInputError) {
  EXPECT_THROW(tsne(Rows::Ones(3, 5)), InputError);
  EXPECT_THROW(tsne(clusters(2, 10, 1), {.perplexity = 20.0}), InputError);
  EXPECT_THROW(tsne(clusters(2, 10, 1), {.perplexity = 0.5}), InputError);
  EXPECT_THROW(tsne(clusters(2, 10, 1), {.perplexity = 4.0, .method = "fast"}), InputError);
  EXPECT_THROW(tsne(clusters(2, 10, 1), {.perplexity = 4.0, .theta = 2.0}), InputError);
}

TEST(TrustworthinessTest, IsOneForTheItemsThemselvesAndLowForNoise) {
  const Rows items = random_map(80, 1.0, 12);
  EXPECT_EQ(trustworthiness(items, items), 1.0);
  EXPECT_LT(trustworthiness(items, random_map(80, 1.0, 13)), 0.7);
}

}  // namespace
}  // namespace pointpng
