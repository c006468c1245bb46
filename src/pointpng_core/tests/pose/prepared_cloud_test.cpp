#include "pose/prepared_cloud.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pointpng/error.h"
#include "pose/parameters.h"
#include "pose/test_objects.h"

namespace pointpng {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(PreparedCloudTest, IsCentredWithTheRadiusOfMostPoints) {
  const auto cloud = prepare_cloud(chair_pair(1).source.array() + 7.0F, 1024, "chair");
  EXPECT_LT(cloud->points.colwise().mean().norm(), 1e-5F);
  EXPECT_NEAR(cloud->centre.mean(), 7.0, 0.5);
  const Eigen::VectorXf distances = cloud->points.rowwise().norm();
  const auto within = (distances.array() <= cloud->radius).count();
  EXPECT_NEAR(static_cast<double>(within) / static_cast<double>(distances.size()), 0.95, 0.01);
}

TEST(PreparedCloudTest, DownsamplesEvenlyAndSaysSo) {
  const Cloud dense = chair_pair(1, 20000).source;
  const auto cloud = prepare_cloud(dense, 500, "chair");
  EXPECT_EQ(cloud->points.rows(), 500);
  EXPECT_THAT(cloud->notes, ElementsAre("chair: downsampled from 20000 to 500 points"));
  // Evenly spaced: nearest neighbours are nearly equally far everywhere.
  float nearest = std::numeric_limits<float>::infinity();
  for (Eigen::Index i = 0; i < 500; ++i)
    nearest = std::min(nearest,
                       (cloud->points.row(cloud->neighbours(i, 0)) - cloud->points.row(i)).norm());
  EXPECT_GT(nearest, 0.4F * cloud->spacing);
}

TEST(PreparedCloudTest, RemovesOutliersAndNonFinitePoints) {
  Cloud cloud = chair_pair(2).source;
  cloud.row(10) << 30.0F, 0.0F, 0.0F;
  cloud(20, 1) = std::nanf("");
  cloud(21, 2) = -std::numeric_limits<float>::infinity();
  const auto prepared = prepare_cloud(cloud, 1024, "chair");
  EXPECT_LT(prepared->points.rowwise().norm().maxCoeff(), 3.0F);
  EXPECT_THAT(prepared->notes, ElementsAre("chair: 2 points are not finite, ignored"));
}

TEST(PreparedCloudTest, NormalsAreUnitAndAcrossThePlane) {
  const auto plane = prepare_cloud(flat_square(800, 1), 1024, "plane");
  EXPECT_LT((plane->normals.rowwise().norm().array() - 1.0F).abs().maxCoeff(), 1e-4F);
  EXPECT_GT(plane->normals.col(2).cwiseAbs().minCoeff(), 0.999F);
}

TEST(PreparedCloudTest, AFinerLevelHasMorePointsOfTheSameSurface) {
  const auto cloud = prepare_cloud(chair_pair(1, 20000).source, 1024, "chair");
  const PreparedCloudData& fine = cloud->at_spacing(0.5F * cloud->spacing);
  EXPECT_GT(fine.points.rows(), 2 * cloud->points.rows());
  EXPECT_NEAR(fine.spacing / cloud->spacing, 0.5F, 0.15F);
  EXPECT_EQ(fine.centre, cloud->centre);
  for (Eigen::Index i = 0; i < fine.points.rows(); i += 50) {
    const int nearest = nearest_row(*cloud, fine.points.row(i).transpose());
    ASSERT_GE(nearest, 0);
    EXPECT_LT((cloud->points.row(nearest) - fine.points.row(i)).norm(), 2.0F * cloud->spacing);
  }
  EXPECT_EQ(&cloud->at_spacing(0.5F * cloud->spacing), &fine) << "it is computed once";
}

TEST(PreparedCloudTest, ALevelIsTheCloudItselfWhereThereIsNoMoreDetail) {
  const auto dense = prepare_cloud(chair_pair(1, 20000).source, 1024, "dense"),
             sparse = prepare_cloud(chair_pair(1, 1500).source, 1024, "sparse");
  EXPECT_EQ(&dense->at_spacing(dense->spacing), dense.get());
  EXPECT_EQ(&dense->at_spacing(4.0F * dense->spacing), dense.get());
  EXPECT_EQ(&sparse->at_spacing(0.3F * sparse->spacing), sparse.get());
}

TEST(PreparedCloudTest, AFinerLevelLeavesOutFarPoints) {
  Cloud cloud = chair_pair(1, 20000).source;
  cloud.row(7) << 1e4F, -1e4F, 1e4F;
  const auto prepared = prepare_cloud(cloud, 1024, "chair");
  const PreparedCloudData& fine = prepared->at_spacing(0.5F * prepared->spacing);
  EXPECT_LT(fine.points.rowwise().norm().maxCoeff(), 3.0F);
  EXPECT_LT((fine.normals.rowwise().norm().array() - 1.0F).abs().maxCoeff(), 1e-4F);
}

TEST(NearestFieldTest, HoldsEqualPointsAndPointsFarApart) {
  const NearestField equal(Cloud::Ones(20, 3), 0.0F, 0.0F);
  EXPECT_LT(equal.nearest(Eigen::Vector3f(1.5F, 1.0F, 1.0F)), 20);
  Cloud far = Cloud::Zero(2, 3);
  far.row(1) << 1e30F, 1e30F, -1e30F;
  const NearestField field(far, 1.0F, 4.0F);
  EXPECT_LT(field.nearest(Eigen::Vector3f::Zero()), 2);
}

TEST(PreparedCloudTest, SpacingFollowsTheDensity) {
  const auto sparse = prepare_cloud(flat_square(200, 1), 1024, "sparse"),
             dense = prepare_cloud(flat_square(800, 1), 1024, "dense");
  EXPECT_NEAR(sparse->spacing / dense->spacing, 2.0F, 0.3F);
}

TEST(PreparedCloudTest, TheSameCloudIsPreparedTheSame) {
  const Cloud cloud = chair_pair(3, 9000).source;
  EXPECT_EQ(prepare_cloud(cloud, 700, "a")->points, prepare_cloud(cloud, 700, "b")->points);
}

TEST(PreparedCloudTest, TheNearestRowIsNearlyAlwaysTheNearest) {
  const auto cloud = prepare_cloud(chair_pair(1).source, 1024, "chair");
  Random random({6});
  constexpr int kPlaces = 2000;
  int exact = 0;
  for (int i = 0; i < kPlaces; ++i) {
    const Eigen::Vector3f place =
        cloud->points.row(random.below(cloud->points.rows())).transpose() +
        0.7F * cloud->spacing * random.direction();
    Eigen::Index nearest = 0;
    (cloud->points.rowwise() - place.transpose()).rowwise().squaredNorm().minCoeff(&nearest);
    exact += nearest_row(*cloud, place) == nearest ? 1 : 0;
  }
  EXPECT_GE(exact, 0.98 * kPlaces);
  EXPECT_EQ(nearest_row(*cloud, Eigen::Vector3f::Constant(1e6F)), -1);
}

TEST(PreparedCloudTest, CloudsWithoutAPoseAreRefusedByName) {
  const auto refusal = [](const Cloud& cloud) -> std::string {
    try {
      prepare_cloud(cloud, 1024, "scan.ply");
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(refusal(Cloud(0, 3)), "scan.ply has no points");
  EXPECT_EQ(refusal(flat_square(5, 1)), "scan.ply has 5 points; at least 8 are needed");
  EXPECT_EQ(refusal(Cloud::Constant(50, 3, 2.0F)), "all points of scan.ply are in one place");
  EXPECT_EQ(refusal(Cloud::Constant(50, 3, std::nanf(""))), "scan.ply has no points");
  EXPECT_EQ(refusal(flat_square(50, 1)), "accepted");
}

}  // namespace
}  // namespace pointpng
