#include "pose/normal_weights.h"

#include <limits>
#include <numeric>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include "base/random.h"

namespace pointpng {
namespace {

/// Normals of a floor, and of a tenth as many points all around.
Cloud floor_and_clutter(Eigen::Index floor = 1000, Eigen::Index clutter = 100) {
  Random random({7});
  Cloud normals(floor + clutter, 3);
  for (Eigen::Index i = 0; i < floor; ++i) normals.row(i) << 0.0F, 0.0F, i % 2 == 0 ? 1.0F : -1.0F;
  for (Eigen::Index i = floor; i < normals.rows(); ++i)
    normals.row(i) = random.direction().transpose();
  return normals;
}

double share_of_clutter(const std::vector<float>& weights) {
  const double clutter = std::accumulate(weights.begin() + 1000, weights.end(), 0.0);
  return clutter / std::accumulate(weights.begin(), weights.end(), 0.0);
}

TEST(NormalWeights, AFloorDoesNotOutvoteWhatStandsOnIt) {
  const std::vector<float> weights = normal_weights(floor_and_clutter());
  EXPECT_GT(share_of_clutter(weights), 0.7);
  EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0) / 1100.0, 1.0, 1e-3);
}

TEST(NormalWeights, SignsMeanNothing) {
  Cloud normals = floor_and_clutter();
  const std::vector<float> before = normal_weights(normals);
  for (Eigen::Index i = 0; i < normals.rows(); i += 3) normals.row(i) *= -1.0F;
  EXPECT_EQ(normal_weights(normals), before);
}

TEST(NormalWeights, HardlyDependOnTheFrame) {
  Random random({3});
  for (int trial = 0; trial < 20; ++trial) {
    const Eigen::Vector4f q = random.quaternion();
    const Eigen::Matrix3f turn = Eigen::Quaternionf(q[0], q[1], q[2], q[3]).toRotationMatrix();
    const Cloud turned = floor_and_clutter() * turn.transpose();
    EXPECT_NEAR(share_of_clutter(normal_weights(turned)),
                share_of_clutter(normal_weights(floor_and_clutter())), 0.08);
  }
}

TEST(NormalWeights, SurvivesNormalsThatAreNone) {
  Cloud normals = floor_and_clutter();
  normals.row(5).setConstant(std::numeric_limits<float>::quiet_NaN());
  normals.row(6).setZero();
  for (const float weight : normal_weights(normals)) EXPECT_TRUE(std::isfinite(weight));
  EXPECT_TRUE(normal_weights(Cloud(0, 3)).empty());
}

TEST(NormalWeights, HeavierRowsAreDrawnMoreOften) {
  std::vector<std::int64_t> rows(1000);
  std::iota(rows.begin(), rows.end(), 0);
  std::vector<float> weights(1000, 1.0F);
  std::fill(weights.begin() + 900, weights.end(), 9.0F);  // half of the weight
  const auto heavy = [](auto begin, auto end) {
    return std::count_if(begin, end, [](std::int64_t row) { return row >= 900; });
  };
  const std::vector<std::int64_t> drawn = draw_by_weight(rows, weights, 100, 1);
  ASSERT_EQ(drawn.size(), 100U);
  EXPECT_TRUE(std::is_sorted(drawn.begin(), drawn.end()));
  EXPECT_EQ(std::adjacent_find(drawn.begin(), drawn.end()), drawn.end());
  EXPECT_NEAR(heavy(drawn.begin(), drawn.end()), 45, 15);
  EXPECT_EQ(draw_by_weight(rows, weights, 100, 1), drawn);
  EXPECT_NE(draw_by_weight(rows, weights, 100, 2), drawn);
  EXPECT_EQ(draw_by_weight(rows, weights, 2000, 1), rows);

  std::vector<std::int64_t> order = order_by_weight(weights);
  EXPECT_NEAR(heavy(order.begin(), order.begin() + 100), 45, 15);
  std::sort(order.begin(), order.end());
  EXPECT_EQ(order, rows);
}

}  // namespace
}  // namespace pointpng
