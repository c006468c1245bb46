#include "cloud/voxel_index.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "base/random.h"

namespace pointpng {
namespace {

Cloud random_cloud(Eigen::Index count, float extent) {
  Random random({5});
  Cloud cloud(count, 3);
  for (float& number : cloud.reshaped()) number = random.uniform(-extent, extent);
  return cloud;
}

TEST(VoxelIndexTest, FindsWhatASearchOfAllPointsFinds) {
  const Cloud cloud = random_cloud(800, 2.0F);
  const VoxelIndex index(cloud, 0.5F);
  for (Eigen::Index i = 0; i < 60; ++i) {
    const Eigen::Vector3f place = 1.1F * cloud.row(i).transpose();
    std::set<Eigen::Index> expected, found;
    for (Eigen::Index k = 0; k < cloud.rows(); ++k)
      if ((cloud.row(k).transpose() - place).norm() <= 0.4F) expected.insert(k);
    index.for_each_within(place, 0.4F, [&](Eigen::Index row, float square) {
      EXPECT_TRUE(found.insert(row).second) << "twice";
      EXPECT_NEAR(square, (cloud.row(row).transpose() - place).squaredNorm(), 1e-5F);
    });
    EXPECT_EQ(found, expected);
  }
}

TEST(VoxelIndexTest, TakesPointsFarOutside) {
  Cloud cloud = random_cloud(10, 1.0F);
  cloud.row(3) << 1e30F, -1e30F, 3e38F;
  const VoxelIndex index(cloud, 0.01F);
  int found = 0;
  index.for_each_within(cloud.row(0).transpose(), 0.001F, [&](Eigen::Index, float) { ++found; });
  EXPECT_EQ(found, 1);
}

TEST(VoxelRowsTest, TakesTheFirstPointOfEachCell) {
  Cloud cloud(5, 3);
  cloud << 0.1F, 0.1F, 0.1F, 0.2F, 0.2F, 0.2F, 1.5F, 0.0F, 0.0F, -0.1F, 0.0F, 0.0F, 1.1F, 0.5F,
      0.5F;
  EXPECT_EQ(voxel_rows(cloud, 1.0F), (std::vector<std::int64_t>{0, 2, 3}));
}

}  // namespace
}  // namespace pointpng
