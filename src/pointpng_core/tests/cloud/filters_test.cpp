#include <limits>

#include <gtest/gtest.h>

#include "base/random.h"
#include "cloud/normals.h"
#include "pointpng/cloud.h"
#include "pointpng/error.h"

namespace pointpng {
namespace {

Cloud cloud_of(std::initializer_list<Eigen::RowVector3f> rows) {
  Cloud cloud(static_cast<Eigen::Index>(rows.size()), 3);
  Eigen::Index i = 0;
  for (const auto& row : rows) cloud.row(i++) = row;
  return cloud;
}

Cloud sphere(Eigen::Index count, const Eigen::RowVector3f& centre) {
  Random random({1});
  Cloud cloud(count, 3);
  for (Eigen::Index i = 0; i < count; ++i) cloud.row(i) = centre + random.direction().transpose();
  return cloud;
}

/// Mean cosine between normals and the directions from a centre.
float mean_cosine(const Cloud& cloud, const Cloud& normals, const Eigen::RowVector3f& centre) {
  float sum = 0.0F;
  for (Eigen::Index i = 0; i < cloud.rows(); ++i)
    sum += (cloud.row(i) - centre).normalized().dot(normals.row(i));
  return sum / static_cast<float>(cloud.rows());
}

TEST(VoxelFilterTest, GivesTheMeanOfEveryCubeInOrderOfFirstOccurrence) {
  const Cloud cloud = cloud_of({{1.5F, 0.5F, 0.5F},
                                {0.2F, 0.4F, 0.6F},
                                {1.9F, 0.1F, 0.5F},
                                {0.4F, 0.2F, 0.2F},
                                {-0.5F, 0.5F, 0.5F}});
  const Cloud expected = cloud_of({{1.7F, 0.3F, 0.5F}, {0.3F, 0.3F, 0.4F}, {-0.5F, 0.5F, 0.5F}});
  const Cloud filtered = voxel_filter(cloud, 1.0F);
  ASSERT_EQ(filtered.rows(), 3);
  EXPECT_LT((filtered - expected).cwiseAbs().maxCoeff(), 1e-6F);
}

TEST(VoxelFilterTest, NeverGivesTwoPointsInOneCube) {
  Random random({2});
  Cloud cloud(5000, 3);
  for (Eigen::Index i = 0; i < cloud.size(); ++i) cloud(i) = random.uniform(-1.0F, 1.0F);
  const Cloud filtered = voxel_filter(cloud, 0.25F);
  EXPECT_EQ(filtered.rows(), 8 * 8 * 8);  // 10 points per voxel: every one is occupied
  // The mean of a voxel lies in it, so filtering again changes nothing.
  EXPECT_EQ(voxel_filter(filtered, 0.25F), filtered);
}

TEST(VoxelFilterTest, SameCloudSameResult) {
  const Cloud cloud = sphere(2000, {0.0F, 0.0F, 0.0F});
  EXPECT_EQ(voxel_filter(cloud, 0.1F), voxel_filter(cloud, 0.1F));
}

TEST(VoxelFilterTest, SkipsPointsThatAreNotFinite) {
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const Cloud filtered =
      voxel_filter(cloud_of({{kNaN, 0, 0}, {0.5F, 0.5F, 0.5F}, {0, kInf, 0}, {0, 0, -kInf}}), 1.0F);
  ASSERT_EQ(filtered.rows(), 1);
  EXPECT_EQ(filtered(0, 0), 0.5F);
}

TEST(VoxelFilterTest, SizesThatAreNotPositiveAreInputErrors) {
  const Cloud cloud = sphere(10, {0.0F, 0.0F, 0.0F});
  for (const float size : {0.0F, -1.0F, std::numeric_limits<float>::quiet_NaN()})
    EXPECT_THROW(voxel_filter(cloud, size), InputError) << size;
}

TEST(VoxelFilterTest, AnEmptyCloudStaysEmpty) {
  EXPECT_EQ(voxel_filter(Cloud(0, 3), 1.0F).rows(), 0);
}

TEST(VoxelFilterTest, MeansKeepTheirDigitsFarFromTheOrigin) {
  Cloud cloud(1000, 3);
  for (Eigen::Index i = 0; i < cloud.rows(); ++i)
    cloud.row(i) = Eigen::RowVector3f(500'000.0F, 500'000.25F, 0.0F);
  EXPECT_EQ(voxel_filter(cloud, 10.0F).row(0), cloud.row(0));  // a float sum would have lost them
}

TEST(NormalsTest, OfAPlaneArePerpendicularToIt) {
  Random random({3});
  Cloud cloud(400, 3);
  for (Eigen::Index i = 0; i < cloud.rows(); ++i)
    cloud.row(i) << random.uniform(), random.uniform(), 2.0F;
  const Cloud normals = outward_normals(cloud);
  EXPECT_GT(normals.col(2).cwiseAbs().minCoeff(), 0.9999F);
}

TEST(NormalsTest, OfASpherePointOutwards) {
  const Cloud cloud = sphere(2000, {3.0F, -2.0F, 1.0F});
  EXPECT_GT(mean_cosine(cloud, outward_normals(cloud), {3.0F, -2.0F, 1.0F}), 0.99F);
}

TEST(NormalsTest, HaveLengthOne) {
  const Cloud normals = outward_normals(sphere(500, {0.0F, 0.0F, 0.0F}));
  EXPECT_LT((normals.rowwise().norm().array() - 1.0F).abs().maxCoeff(), 1e-5F);
}

TEST(NormalsTest, SurviveLargeCoordinates) {
  const Eigen::RowVector3f centre(4000.0F, 1000.0F, 0.0F);  // a map's coordinates, floats of 0.2 mm
  const Cloud cloud = sphere(2000, centre);
  EXPECT_GT(mean_cosine(cloud, outward_normals(cloud), centre), 0.97F);
}

TEST(NormalsTest, FewerPointsThanNeighboursAreUsedAll) {
  const Cloud cloud = cloud_of({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}});
  EXPECT_GT(outward_normals(cloud, 16).col(2).cwiseAbs().minCoeff(), 0.9999F);
}

TEST(NormalsTest, NoPlaneGoesThroughFewerThanThreePoints) {
  EXPECT_THROW(outward_normals(sphere(100, {0.0F, 0.0F, 0.0F}), 0), InputError);
  EXPECT_THROW(outward_normals(cloud_of({{0, 0, 0}, {1, 0, 0}})), InputError);
}

}  // namespace
}  // namespace pointpng
