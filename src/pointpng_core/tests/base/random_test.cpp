#include "base/random.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace pointpng {
namespace {

constexpr int kDraws = 100'000;

TEST(RandomTest, SameKeyGivesTheSameStream) {
  Random a({7, 1, 2}), b({7, 1, 2});
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(a.next(), b.next());
}

// Training must see the same augmentation on every machine, so the stream itself is fixed.
TEST(RandomTest, StreamDoesNotDependOnTheOrderOfCallsToOthers) {
  Random alone({3});
  const std::uint64_t first = alone.next(), second = alone.next();
  Random again({3}), other({4});
  EXPECT_EQ(again.next(), first);
  other.next();
  EXPECT_EQ(again.next(), second);
}

TEST(RandomTest, EveryPartOfTheKeyAndItsPlaceMatter) {
  const std::vector<std::uint64_t> firsts = {
      Random({0}).next(),    Random({1}).next(),    Random({0, 0}).next(),   Random({0, 1}).next(),
      Random({1, 0}).next(), Random({1, 1}).next(), Random({1, 2, 3}).next()};
  for (std::size_t i = 0; i < firsts.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(firsts[i], firsts[j]) << i << " and " << j;
}

TEST(RandomTest, SeedsOfNeighbouringKeysShareNoBitsOnAverage) {
  double differing = 0.0;
  for (std::uint64_t i = 0; i < 1000; ++i)
    differing += __builtin_popcountll(mix_seed({5, i}) ^ mix_seed({5, i + 1}));
  EXPECT_NEAR(differing / 1000.0, 32.0, 0.7);  // standard error 4 / √1000 = 0.13
}

TEST(RandomTest, UniformHasItsRangeMeanAndVariance) {
  Random random({1});
  double sum = 0.0, squares = 0.0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = random.uniform();
    ASSERT_GE(x, 0.0);
    ASSERT_LT(x, 1.0);
    sum += x;
    squares += x * x;
  }
  const double mean = sum / kDraws;
  EXPECT_NEAR(mean, 0.5, 0.005);  // five standard errors
  EXPECT_NEAR(squares / kDraws - mean * mean, 1.0 / 12.0, 0.002);
}

TEST(RandomTest, UniformStaysBetweenItsBounds) {
  Random random({2});
  for (int i = 0; i < 10'000; ++i) {
    const float x = random.uniform(-3.0F, -2.0F);
    ASSERT_GE(x, -3.0F);
    ASSERT_LE(x, -2.0F);
  }
}

TEST(RandomTest, NormalHasItsFirstFourMoments) {
  Random random({3});
  double moments[5] = {};
  for (int i = 0; i < kDraws; ++i) {
    const double x = random.normal();
    ASSERT_TRUE(std::isfinite(x));
    for (int power = 1; power <= 4; ++power) moments[power] += std::pow(x, power) / kDraws;
  }
  EXPECT_NEAR(moments[1], 0.0, 0.016);  // five standard errors each: 1, √2, √15, √96 over √n
  EXPECT_NEAR(moments[2], 1.0, 0.023);
  EXPECT_NEAR(moments[3], 0.0, 0.062);
  EXPECT_NEAR(moments[4], 3.0, 0.16);
}

TEST(RandomTest, BelowReachesEveryValueEquallyOften) {
  Random random({4});
  std::vector<int> hits(7);
  for (int i = 0; i < kDraws; ++i) {
    const std::int64_t x = random.below(7);
    ASSERT_GE(x, 0);
    ASSERT_LT(x, 7);
    ++hits[static_cast<std::size_t>(x)];
  }
  for (const int count : hits) EXPECT_NEAR(count, kDraws / 7.0, 560);  // five standard deviations
}

// bits % range would draw from the lower two thirds of this range 1.5 times as often as above.
TEST(RandomTest, BelowHasNoBiasForHugeBounds) {
  Random random({5});
  constexpr std::int64_t kBound = (std::int64_t{1} << 62) + (std::int64_t{1} << 61);
  int low = 0;
  for (int i = 0; i < kDraws; ++i) low += random.below(kBound) < kBound / 2;
  EXPECT_NEAR(low, kDraws / 2.0, 800);
}

TEST(RandomTest, DirectionsAreUniformOnTheUnitSphere) {
  Random random({6});
  Eigen::Vector3d mean = Eigen::Vector3d::Zero();
  Eigen::Matrix3d scatter = Eigen::Matrix3d::Zero();
  for (int i = 0; i < kDraws; ++i) {
    const Eigen::Vector3d v = random.direction().cast<double>();
    ASSERT_NEAR(v.norm(), 1.0, 1e-6);
    mean += v / kDraws;
    scatter += v * v.transpose() / kDraws;
  }
  EXPECT_LT(mean.norm(), 0.012);
  EXPECT_LT((scatter - Eigen::Matrix3d::Identity() / 3.0).norm(), 0.012);
}

TEST(RandomTest, QuaternionsAreUniformOnTheirHalfSphere) {
  Random random({7});
  Eigen::Matrix4d scatter = Eigen::Matrix4d::Zero();
  for (int i = 0; i < kDraws; ++i) {
    const Eigen::Vector4d q = random.quaternion().cast<double>();
    ASSERT_NEAR(q.norm(), 1.0, 1e-6);
    ASSERT_GE(q[0], 0.0);
    scatter += q * q.transpose() / kDraws;
  }
  // q qᵀ is the same for q and -q: on the whole sphere its mean is I / 4.
  EXPECT_LT((scatter - Eigen::Matrix4d::Identity() / 4.0).norm(), 0.012);
}

TEST(RandomTest, ShuffleIsAPermutationAndMovesEveryItemEverywhere) {
  constexpr std::size_t kItems = 5;
  int placed[kItems][kItems] = {};
  Random random({8});
  for (int i = 0; i < 20'000; ++i) {
    std::vector<std::int64_t> items(kItems);
    std::iota(items.begin(), items.end(), 0);
    random.shuffle(items);
    for (std::size_t place = 0; place < kItems; ++place)
      ++placed[place][static_cast<std::size_t>(items[place])];
    std::sort(items.begin(), items.end());
    for (std::size_t item = 0; item < kItems; ++item)
      ASSERT_EQ(items[item], static_cast<std::int64_t>(item));
  }
  for (const auto& row : placed)
    for (const int count : row) EXPECT_NEAR(count, 4000, 290);  // five standard deviations
}

}  // namespace
}  // namespace pointpng
