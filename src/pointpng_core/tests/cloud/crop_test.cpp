#include <gtest/gtest.h>

#include "base/random.h"
#include "pointpng/cloud.h"
#include "pointpng/error.h"

namespace pointpng {
namespace {

/// Points uniform in the box from `low` to `high`.
Cloud box(Eigen::Index points, const Eigen::Vector3f& low, const Eigen::Vector3f& high,
          std::uint64_t seed) {
  Random random({seed});
  Cloud cloud(points, 3);
  for (Eigen::Index i = 0; i < points; ++i)
    for (int axis = 0; axis < 3; ++axis) cloud(i, axis) = random.uniform(low[axis], high[axis]);
  return cloud;
}

TEST(Cropped, TheBoxIsInTheBaseFrame) {
  CropConfig config;
  config.crop = true;
  config.crop_min = {9.0, -2.0, -2.0};
  config.crop_max = {10.0, 2.0, 2.0};
  Eigen::Isometry3d base_from_cloud = Eigen::Isometry3d::Identity();
  base_from_cloud.translation().x() = 10.0;
  const Cloud kept = cropped(box(1000, {-1, -1, -1}, {1, 1, 1}, 1), config, base_from_cloud);
  EXPECT_GT(kept.rows(), 400);
  EXPECT_LE(kept.col(0).maxCoeff(), 0.0F);
}

TEST(Cropped, TheGroundIsRemovedAndTheObjectStays) {
  Cloud cloud(3000, 3);
  cloud << box(2000, {-2, -2, -0.005F}, {2, 2, 0.005F}, 2),
      box(1000, {-0.2F, -0.2F, 0.1F}, {0.2F, 0.2F, 0.5F}, 3);
  CropConfig config;
  config.remove_ground = true;
  const Cloud kept = cropped(cloud, config, Eigen::Isometry3d::Identity());
  EXPECT_NEAR(static_cast<double>(kept.rows()), 1000.0, 20.0);
  EXPECT_GT(kept.col(2).mean(), 0.25F);
}

TEST(Cropped, AWallIsNoGround) {
  CropConfig config;
  config.remove_ground = true;
  const Cloud wall = box(1000, {1, -2, -2}, {1, 2, 2}, 4);
  EXPECT_EQ(cropped(wall, config, Eigen::Isometry3d::Identity()).rows(), 1000);
}

TEST(Cropped, TheVoxelFilterComesLast) {
  CropConfig config;
  config.voxel_size = 10.0;
  const Cloud kept =
      cropped(box(1000, {1, 1, 1}, {2, 2, 2}, 5), config, Eigen::Isometry3d::Identity());
  EXPECT_EQ(kept.rows(), 1);
}

TEST(CropConfig, AnEmptyBoxIsRefused) {
  CropConfig config;
  config.crop_min = {0.0, 2.0, 0.0};
  EXPECT_THROW(validate(config), InputError);
}

}  // namespace
}  // namespace pointpng
