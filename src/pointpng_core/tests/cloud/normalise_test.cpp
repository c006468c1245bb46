#include "cloud/normalise.h"

#include <cmath>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "pointpng/error.h"

namespace pointpng {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

Cloud box(Eigen::Index count, float size) {
  Random random({1});
  Cloud cloud(count, 3);
  for (Eigen::Index i = 0; i < cloud.size(); ++i) cloud(i) = random.uniform(0.0F, size);
  return cloud;
}

std::string complaint(const Cloud& cloud, std::int64_t smallest = 4) {
  try {
    require_usable(cloud, "scan.ply", smallest);
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

TEST(NormaliseTest, CentresAndScalesIntoTheUnitSphere) {
  const Cloud unit = normalised(box(500, 7.0F));
  EXPECT_LT(unit.colwise().mean().norm(), 1e-5F);
  EXPECT_NEAR(unit.rowwise().norm().maxCoeff(), 1.0F, 1e-6F);
}

TEST(NormaliseTest, MeasureSaysHowToUndoIt) {
  const Cloud cloud = box(500, 7.0F);
  const Normalisation found = measure(cloud);
  const Cloud back = (normalised(cloud) * found.scale).rowwise() + found.centre.transpose();
  EXPECT_LT((back - cloud).cwiseAbs().maxCoeff(), 2e-6F);
}

TEST(NormaliseTest, PlaceAndUnitDoNotMatter) {
  const Cloud cloud = box(500, 1.0F);
  const Cloud moved = (1000.0F * cloud).rowwise() + Eigen::RowVector3f(10.0F, -20.0F, 30.0F);
  EXPECT_LT((normalised(moved) - normalised(cloud)).cwiseAbs().maxCoeff(), 2e-6F);
}

// At 5e6 floats are half a metre apart: that precision is lost before; no more may be lost here.
TEST(NormaliseTest, MapCoordinatesLoseNoMoreThanTheirFloatsHaveLost) {
  constexpr float kSize = 200.0F;
  const Eigen::RowVector3f offset(500'000.0F, 5'000'000.0F, 100.0F);
  const Cloud far = box(2000, kSize).rowwise() + offset;
  const Cloud near = far.rowwise() - offset;  // exact: the same rounded points beside the origin
  const Cloud difference = normalised(far) - normalised(near);
  EXPECT_LT(difference.cwiseAbs().maxCoeff(), 1e-6F);
  EXPECT_LT(std::abs(measure(far).scale - measure(near).scale) / kSize, 1e-6F);
}

TEST(NormaliseTest, FinitePointsKeepsTheirOrder) {
  Cloud cloud(4, 3);
  cloud << 1, 2, 3, kNaN, 0, 0, 4, 5, 6, 0, 0, -kInf;
  Cloud expected(2, 3);
  expected << 1, 2, 3, 4, 5, 6;
  EXPECT_EQ(finite_points(cloud), expected);
  EXPECT_EQ(finite_points(Cloud(0, 3)).rows(), 0);
}

TEST(RequireUsableTest, AcceptsOrdinaryClouds) {
  EXPECT_EQ(complaint(box(100, 1.0F)), "none");
  EXPECT_EQ(complaint(box(4, 1e-6F)), "none");
  EXPECT_EQ(complaint(box(4, 1e6F)), "none");
}

TEST(RequireUsableTest, SaysThatACloudIsEmpty) {
  EXPECT_THAT(complaint(Cloud(0, 3)), AllOf(HasSubstr("scan.ply"), HasSubstr("no points")));
}

TEST(RequireUsableTest, SaysHowManyPointsThereAreAndHowManyAreNeeded) {
  EXPECT_THAT(complaint(box(1, 1.0F)), AllOf(HasSubstr("1 point;"), HasSubstr("at least 4")));
  EXPECT_THAT(complaint(box(31, 1.0F), 32), AllOf(HasSubstr("31 points"), HasSubstr("32")));
  EXPECT_EQ(complaint(box(32, 1.0F), 32), "none");
}

TEST(RequireUsableTest, SaysThatCoordinatesAreNotFinite) {
  for (const float wrong : {kNaN, kInf, -kInf}) {
    Cloud cloud = box(100, 1.0F);
    cloud(57, 1) = wrong;
    EXPECT_THAT(complaint(cloud), HasSubstr("NaN or infinite"));
  }
}

TEST(RequireUsableTest, SaysThatAllPointsAreInOnePlace) {
  for (const float place : {0.0F, 1.0F, 123456.78F}) {
    const Cloud cloud = Cloud::Constant(100, 3, place);
    EXPECT_THAT(complaint(cloud), HasSubstr("one place")) << place;
  }
}

TEST(NormaliseTest, CoordinatesWhoseSquaresOverflowAreNormalised) {
  EXPECT_NEAR(normalised(box(100, 1e38F)).rowwise().norm().maxCoeff(), 1.0F, 1e-5F);
}

TEST(RequireUsableTest, RefusesASizeThatIsNoFloat) {
  Cloud cloud(4, 3);
  cloud << 3e38F, 3e38F, 3e38F, -3e38F, -3e38F, -3e38F, 3e38F, -3e38F, 3e38F, -3e38F, 3e38F, -3e38F;
  EXPECT_THAT(complaint(cloud), HasSubstr("too large"));
}

}  // namespace
}  // namespace pointpng
