#include <algorithm>

#include <gtest/gtest.h>

#include "base/random.h"
#include "pointpng/cloud.h"

namespace pointpng {
namespace {

Cloud sphere(Eigen::Index points) {
  Random random({1});
  Cloud cloud(points, 3);
  for (Eigen::Index i = 0; i < points; ++i) cloud.row(i) = random.direction().transpose();
  return cloud;
}

TEST(VisibleFromTest, KeepsTheNearSideOfASphere) {
  const Cloud cloud = sphere(4000);
  const Eigen::Vector3f towards = Eigen::Vector3f(1.0F, -2.0F, 0.5F).normalized();
  const Cloud seen = visible_from(cloud, 3.0F * towards);
  const auto between = [&](const Cloud& points, float low, float high) {
    const Eigen::ArrayXf cosine = (points * towards).array();
    return static_cast<double>(((cosine >= low) && (cosine < high)).count());
  };
  EXPECT_GT(between(seen, 0.5F, 1.1F), 0.97 * between(cloud, 0.5F, 1.1F));
  EXPECT_LT(between(seen, -1.1F, 0.0F), 0.03 * between(cloud, -1.1F, 0.0F));
}

TEST(SeenPointsTest, AreThePointsThatVisibleFromKeeps) {
  const Cloud cloud = sphere(500);
  const Eigen::Vector3f viewpoint(0.0F, 3.0F, 1.0F);
  const std::vector<bool> seen = seen_points(cloud, viewpoint);
  const Cloud visible = visible_from(cloud, viewpoint);
  ASSERT_EQ(static_cast<Eigen::Index>(seen.size()), cloud.rows());
  ASSERT_EQ(std::count(seen.begin(), seen.end(), true), visible.rows());
  Eigen::Index next = 0;
  for (Eigen::Index i = 0; i < cloud.rows(); ++i) {
    if (seen[static_cast<std::size_t>(i)]) EXPECT_EQ(cloud.row(i), visible.row(next++));
  }
}

}  // namespace
}  // namespace pointpng
