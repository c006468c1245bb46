#include <map>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rows.h"
#include "cloud/normalise.h"
#include "eval/distances.h"
#include "eval/test_shapes.h"
#include "pointpng/error.h"
#include "pointpng/evaluation.h"

namespace pointpng {
namespace {

using testing::HasSubstr;

PosePair one_pair(const std::string& protocol, int points = 2048, std::uint64_t seed = 1) {
  return make_pairs(test_shapes(1, points), protocol, 1, seed).front();
}

/// Share of the points of `cloud` that have one of `other` within `reach`.
double share_near(const Cloud& cloud, const Cloud& other, double reach) {
  const Eigen::VectorXf distances = nearest_distances(cloud, other);
  return static_cast<double>((distances.array() < static_cast<float>(reach)).count()) /
         static_cast<double>(cloud.rows());
}

/// Share of the target that lies on the source in its true pose.
double target_on_source(const PosePair& pair, double reach) {
  return share_near(transformed(pair.target, pair.target_from_source.inverse()), pair.source,
                    reach);
}

class EveryProtocol : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Protocols, EveryProtocol,
                         testing::Values("same", "resampled", "noisy", "partial", "view", "plane"));

TEST_P(EveryProtocol, TheTruthPutsTheSourceOntoTheTarget) {
  for (const PosePair& pair : make_pairs(test_shapes(6, 2048), GetParam(), 6, 3)) {
    const double reach = 4.0 * mean_spacing(pair.source) + 0.02;
    const double by_truth = target_on_source(pair, reach);
    EXPECT_GT(by_truth, GetParam() == "plane" ? 0.45 : GetParam() == "partial" ? 0.5 : 0.9);
    PosePair wrong = pair;
    wrong.target_from_source.translation().x() += 0.5;
    EXPECT_LT(target_on_source(wrong, reach), by_truth);
  }
}

TEST_P(EveryProtocol, ASeedGivesTheSamePairsHoweverManyThereAre) {
  const ShapeSet shapes = test_shapes(5, 512, {"a", "b"});
  const auto few = make_pairs(shapes, GetParam(), 3, 11),
             many = make_pairs(shapes, GetParam(), 8, 11);
  const auto others = make_pairs(shapes, GetParam(), 3, 12);
  for (std::size_t i = 0; i < few.size(); ++i) {
    EXPECT_EQ(few[i].source, many[i].source);
    EXPECT_EQ(few[i].target, many[i].target);
    EXPECT_TRUE(few[i].target_from_source.isApprox(many[i].target_from_source, 0.0));
    EXPECT_EQ(few[i].name, many[i].name);
    EXPECT_FALSE(few[i].target_from_source.isApprox(others[i].target_from_source, 1e-3));
  }
}

TEST_P(EveryProtocol, MotionsAreRigidAndReachAllRotations) {
  const auto pairs = make_pairs(test_shapes(2, 256), GetParam(), 200, 5);
  double turned = 0.0;
  Eigen::Vector3d largest = Eigen::Vector3d::Zero();
  for (const PosePair& pair : pairs) {
    const Eigen::Matrix3d rotation = pair.target_from_source.linear();
    EXPECT_NEAR(rotation.determinant(), 1.0, 1e-9);
    EXPECT_LT((rotation * rotation.transpose() - Eigen::Matrix3d::Identity()).norm(), 1e-9);
    turned += Eigen::AngleAxisd(rotation).angle() / static_cast<double>(pairs.size());
    largest = largest.cwiseMax(pair.target_from_source.translation().cwiseAbs());
  }
  // Uniform over SO(3) the mean angle is π/2 + 2/π, 126.5°.
  EXPECT_NEAR(turned * 180.0 / std::numbers::pi, 126.5, 9.0);
  EXPECT_LE(largest.maxCoeff(), 0.5);
  EXPECT_GT(largest.minCoeff(), 0.4);
}

TEST_P(EveryProtocol, ShapesOfAnySizeComeInTheUnitSphere) {
  ShapeSet shapes = test_shapes(1, 1024);
  shapes.shapes[0].points = (shapes.shapes[0].points * 250.0F).array() + 1000.0F;
  const PosePair pair = make_pairs(shapes, GetParam(), 1, 1).front();
  EXPECT_LT(pair.source.rowwise().norm().maxCoeff(), 1.1F);
  EXPECT_GT(pair.source.rowwise().norm().maxCoeff(), 0.5F);
}

TEST(ProtocolsTest, SameIsTheSamePointsShuffled) {
  const PosePair pair = one_pair("same");
  EXPECT_EQ(pair.source.rows(), 1024);
  EXPECT_EQ(pair.target.rows(), 1024);
  EXPECT_LT(
      nearest_distances(transformed(pair.source, pair.target_from_source), pair.target).maxCoeff(),
      1e-5F);
  EXPECT_GT((transformed(pair.source, pair.target_from_source) - pair.target).norm(), 1.0F);
}

TEST(ProtocolsTest, ResampledSharesNoPoint) {
  const PosePair pair = one_pair("resampled");
  EXPECT_EQ(pair.source.rows(), 1024);
  EXPECT_EQ(pair.target.rows(), 1024);
  EXPECT_LT(target_on_source(pair, 1e-5), 0.01);
}

TEST(ProtocolsTest, ResampledHalvesShapesWithFewPointsAndSaysSo) {
  std::vector<std::string> notes;
  const auto pairs = make_pairs(test_shapes(2, 1024), "resampled", 4, 1, &notes);
  EXPECT_EQ(pairs[0].source.rows(), 512);
  EXPECT_EQ(pairs[0].target.rows(), 512);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_THAT(notes[0], HasSubstr("4 of 4 pairs"));
}

TEST(ProtocolsTest, NoisyHasNoiseOnBothAndStraysInTheTarget) {
  const PosePair pair = one_pair("noisy"), clean = one_pair("resampled");
  EXPECT_EQ(pair.target.rows(), clean.target.rows());
  // 5 % outliers, some of which are near the surface by chance.
  const double astray = 1.0 - target_on_source(pair, 0.15);
  EXPECT_GT(astray, 0.005);
  EXPECT_LE(astray, 0.05 + 1e-6);
  EXPECT_GT(mean_spacing(pair.source), mean_spacing(clean.source));
}

TEST(ProtocolsTest, PartialKeepsSevenTenthsOfEach) {
  const PosePair pair = one_pair("partial");
  EXPECT_EQ(pair.source.rows(), 717);
  EXPECT_EQ(pair.target.rows(), 717);
  EXPECT_LT(target_on_source(pair, 0.1), 1.0);
}

TEST(ProtocolsTest, ViewShowsOneSide) {
  for (const PosePair& pair : make_pairs(test_shapes(8, 2048), "view", 8, 2)) {
    EXPECT_EQ(pair.source.rows(), 1024);
    EXPECT_LT(pair.target.rows(), 1000) << pair.name;
    EXPECT_GT(pair.target.rows(), 100) << pair.name;
    EXPECT_LT(target_on_source(pair, 1e-5), 0.01) << "the target is another sample";
  }
}

TEST(ProtocolsTest, OnAPlaneHalfOfTheTargetIsTheTable) {
  for (const PosePair& pair : make_pairs(test_shapes(8, 2048), "plane", 8, 2)) {
    EXPECT_LE(pair.target.rows(), 1024);
    // The table is the plane that most of the target is near: found by trying planes of its points.
    const Cloud& cloud = pair.target;
    Eigen::Index most = 0;
    for (Eigen::Index i = 0; i + 2 < 600 && i + 2 < cloud.rows(); i += 3) {
      const Eigen::Vector3f a = cloud.row(i), b = cloud.row(i + 1), c = cloud.row(i + 2);
      const Eigen::Vector3f normal = (b - a).cross(c - a).normalized();
      const Eigen::VectorXf heights = (cloud.rowwise() - a.transpose()) * normal;
      most = std::max<Eigen::Index>(most, (heights.array().abs() < 0.03F).count());
    }
    const double share = static_cast<double>(most) / static_cast<double>(cloud.rows());
    EXPECT_GT(share, 0.4);
    EXPECT_NEAR(target_on_source(pair, 0.12), 0.5, 0.2);
  }
}

TEST(ProtocolsTest, ClassesAreVisitedEvenly) {
  std::map<std::string, int> visits;
  ShapeSet shapes = test_shapes(10, 128, {"common", "rare"});
  for (std::size_t i = 1; i < 9; ++i) shapes.shapes[i].label = 0;  // nine of one, one of the other
  for (const PosePair& pair : make_pairs(shapes, "same", 20, 1)) ++visits[pair.class_name];
  EXPECT_EQ(visits["common"], 10);
  EXPECT_EQ(visits["rare"], 10);
}

TEST(ProtocolsTest, AllShapesOfAClassAreVisited) {
  std::map<std::string, int> visits;
  for (const PosePair& pair : make_pairs(test_shapes(5, 128), "same", 10, 1)) ++visits[pair.name];
  EXPECT_EQ(visits.size(), 5U);
  for (const auto& [name, count] : visits) EXPECT_EQ(count, 2) << name;
}

TEST(ProtocolsTest, AnUnknownProtocolIsRefusedWithTheKnownOnes) {
  try {
    make_pairs(test_shapes(1, 128), "upside-down", 1, 1);
    FAIL() << "it was taken";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("upside-down"));
    EXPECT_THAT(error.what(), HasSubstr("resampled"));
  }
  EXPECT_THROW(make_pairs(test_shapes(1, 128), "scene", 1, 1), InputError);
  EXPECT_THROW(make_pairs(ShapeSet{}, "same", 1, 1), InputError);
  EXPECT_THROW(make_pairs(test_shapes(1, 16), "same", 1, 1), InputError);
}

}  // namespace
}  // namespace pointpng
