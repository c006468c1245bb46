#include <cmath>

#include "base/rows.h"
#include "io/subset.h"
#include "io/surface.h"
#include "io/test_files.h"
#include "pointpng/io.h"

namespace pointpng {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Cloud random_cloud(Eigen::Index count) {
  Random random({1});
  Cloud points(count, 3);
  for (Eigen::Index i = 0; i < count; ++i) points.row(i) = random.direction().transpose();
  return points;
}

TEST(CloudFile, WhatIsSavedIsLoadedBitForBit) {
  const TemporaryFolder folder;
  const Cloud points = random_cloud(100);
  for (const char* name : {"a.ply", "a.pcd", "a.xyz", "a.txt", "a.npy", "A.PLY"}) {
    save_cloud(folder / name, points);
    EXPECT_EQ(load_cloud(folder / name), points) << name;
  }
}

TEST(CloudFile, RefusesUnknownAndMissingFiles) {
  const TemporaryFolder folder;
  const auto las = folder.write("a.las", "LASF");
  expect_input_error([&] { load_cloud(las); }, "'.las' is no known extension");
  expect_input_error([&] { load_cloud(folder / "none.ply"); }, "can't read");
  expect_input_error([&] { save_cloud(folder / "a.las", random_cloud(3)); }, "not '.las'");
}

TEST(CloudFile, SaysWhatItDropped) {
  const TemporaryFolder folder;
  const auto path = folder.write("a.xyz", "nan 0 0\n1 2 3\n0 inf 0\n");
  std::vector<std::string> notes;
  EXPECT_EQ(load_cloud(path, {}, &notes), make_cloud({{1, 2, 3}}));
  EXPECT_THAT(notes, ElementsAre(HasSubstr("2 of 3 points are NaN or infinite")));
}

TEST(CloudFile, ThinsOutLargeCloudsRepeatably) {
  const TemporaryFolder folder;
  save_cloud(folder / "a.ply", random_cloud(1000));
  LoadOptions options;
  options.max_points = 100;
  std::vector<std::string> notes;
  const Cloud first = load_cloud(folder / "a.ply", options, &notes);
  EXPECT_EQ(first.rows(), 100);
  EXPECT_EQ(first, load_cloud(folder / "a.ply", options));
  EXPECT_THAT(notes, ElementsAre(HasSubstr("100 of 1000 points used")));
  options.seed = 1;
  EXPECT_NE(first, load_cloud(folder / "a.ply", options));
}

TEST(CloudFile, MeshesAreSampled) {
  const TemporaryFolder folder;
  const auto path = folder.write("a.off", "OFF\n4 1 0\n0 0 5\n2 0 5\n2 1 5\n0 1 5\n4 0 1 2 3\n");
  const Cloud points = load_cloud(path);
  EXPECT_EQ(points.rows(), LoadOptions{}.mesh_points);
  EXPECT_LT((points.col(2).array() - 5).abs().maxCoeff(), 1e-5F);
  EXPECT_NEAR(points.col(0).mean(), 1, 0.05);
  EXPECT_NEAR(points.col(1).mean(), 0.5, 0.03);
}

TEST(CloudFile, MeshesWithoutSurfaceAreRefused) {
  const TemporaryFolder folder;
  const auto line = folder.write("a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n2 0 0\n3 0 1 2\n");
  expect_input_error([&] { load_cloud(line); }, "has no surface");
  const auto nan = folder.write("b.obj", "v nan 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  expect_input_error([&] { load_cloud(nan); }, "every triangle has a corner that is NaN");
}

TEST(Surface, DensityFollowsArea) {
  Mesh mesh;
  mesh.vertices = make_cloud({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 9}, {3, 0, 9}, {0, 3, 9}});
  mesh.triangles.resize(2, 3);
  mesh.triangles << 0, 1, 2, 3, 4, 5;
  Random random({1});
  const Cloud points = sample_surface(mesh, 10000, random);
  EXPECT_NEAR((points.col(2).array() > 1).count(), 9000, 100);
}

TEST(Surface, DensityIsEvenInsideATriangle) {
  Mesh mesh;
  mesh.vertices = make_cloud({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}});
  mesh.triangles.resize(1, 3);
  mesh.triangles << 0, 1, 2;
  Random random({2});
  const Cloud points = sample_surface(mesh, 10000, random);
  // A corner piece of half the height has a quarter of the area, whichever corner it is.
  EXPECT_NEAR((points.col(0).array() > 0.5F).count(), 2500, 130);
  EXPECT_NEAR((points.col(1).array() > 0.5F).count(), 2500, 130);
  EXPECT_NEAR(((points.col(0) + points.col(1)).array() < 0.5F).count(), 2500, 130);
}

TEST(Subset, KeepsOrderAndHasNoRepetition) {
  Cloud points(1000, 3);
  for (Eigen::Index i = 0; i < 1000; ++i) points.row(i).setConstant(static_cast<float>(i));
  Random random({3});
  const Cloud chosen = random_subset(points, 300, random);
  for (Eigen::Index i = 1; i < chosen.rows(); ++i) EXPECT_GT(chosen(i, 0), chosen(i - 1, 0));
  EXPECT_NEAR(chosen.col(0).mean(), 500, 60);
}

TEST(Subset, OneRealPointAtTheOriginStays) {
  Cloud one = make_cloud({{0, 0, 0}, {1, 2, 3}});
  EXPECT_EQ(drop_missing_returns(one), 0U);
  EXPECT_EQ(one.rows(), 2);
  Cloud lidar = make_cloud({{0, 0, 0}, {1, 0, 0}, {0, 0, 0}, {4, 5, 6}});
  EXPECT_EQ(drop_missing_returns(lidar), 2U);
  EXPECT_EQ(lidar, make_cloud({{1, 0, 0}, {4, 5, 6}}));
}

TEST(Subset, CountsDifferentPoints) {
  const Cloud points = make_cloud({{1, 1, 1}, {1, 1, 1}, {2, 1, 1}});
  EXPECT_TRUE(has_distinct_points(points, 2));
  EXPECT_FALSE(has_distinct_points(points, 3));
}

}  // namespace
}  // namespace pointpng
