#include "pose/estimator.h"

#include <fstream>
#include <string>

#include <ATen/Parallel.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "pointpng/error.h"
#include "pose/test_objects.h"

namespace pointpng {
namespace {

using ::testing::HasSubstr;

class EstimatorTest : public ::testing::Test {
 protected:
  static Alignment align(const Cloud& source, const Cloud& target, const PoseConfig& config = {}) {
    return PoseEstimator(untrained_model(), config).align(source, target);
  }
};

TEST_F(EstimatorTest, FindsAnyMotionBetweenTwoSamplesOfASurface) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const TestPair pair = chair_pair(seed);
    const Alignment found = align(pair.source, pair.target);
    EXPECT_TRUE(found.accepted) << found.reason;
    EXPECT_LT(turn_between(found.target_from_source, pair.target_from_source), 2.0);
    EXPECT_LT(
        (found.target_from_source.translation() - pair.target_from_source.translation()).norm(),
        0.03);
  }
}

TEST_F(EstimatorTest, IsExactForTheSamePointsTurned) {
  const TestPair pair = chair_pair(1);
  const Cloud turned = transformed(pair.source, pair.target_from_source);
  const Alignment found = align(pair.source, turned.colwise().reverse());
  EXPECT_TRUE(found.accepted) << found.reason;
  EXPECT_LT(turn_between(found.target_from_source, pair.target_from_source), 0.05);
}

TEST_F(EstimatorTest, FindsIdentityForIdenticalClouds) {
  const Cloud cloud = chair_pair(2).source;
  const Alignment found = align(cloud, cloud);
  EXPECT_TRUE(found.accepted) << found.reason;
  EXPECT_LT(turn_between(found.target_from_source, Eigen::Isometry3d::Identity()), 0.1);
}

TEST_F(EstimatorTest, DoesNotDependOnTheUnit) {
  const TestPair pair = chair_pair(3);
  const Alignment metres = align(pair.source, pair.target);
  for (const float factor : {1000.0F, 1e-3F}) {
    const Alignment scaled = align(pair.source * factor, pair.target * factor);
    EXPECT_EQ(scaled.accepted, metres.accepted);
    EXPECT_LT(turn_between(scaled.target_from_source, metres.target_from_source), 0.1);
    EXPECT_NEAR(scaled.fitness, metres.fitness, 0.01);
    EXPECT_NEAR(scaled.residual / factor, metres.residual, 0.05 * metres.residual);
  }
}

TEST_F(EstimatorTest, KeepsPrecisionFarFromTheOrigin) {
  TestPair pair = chair_pair(4);
  pair.source *= 50.0F;  // metres, somewhere in UTM coordinates
  const Eigen::RowVector3f far(4.5e5F, 5.4e6F, 300.0F);
  const Cloud target = transformed(pair.source, pair.target_from_source).rowwise() + far;
  const Alignment found = align(pair.source, target);
  EXPECT_TRUE(found.accepted) << found.reason;
  EXPECT_LT(turn_between(found.target_from_source, pair.target_from_source), 1.0);
}

TEST_F(EstimatorTest, GivesTheSameAnswerForAnyNumberOfThreads) {
  const TestPair pair = chair_pair(5);
  const PoseEstimator estimator(untrained_model());
  const int before = at::get_num_threads();
  at::set_num_threads(1);
  const Alignment one = estimator.align(pair.source, pair.target);
  at::set_num_threads(4);
  const Alignment four = estimator.align(pair.source, pair.target);
  at::set_num_threads(before);
  EXPECT_EQ(one.target_from_source.matrix(), four.target_from_source.matrix());
  EXPECT_EQ(one.confidence, four.confidence);
}

TEST_F(EstimatorTest, AlignsAPartToTheWhole) {
  int right = 0;
  for (std::uint64_t seed = 10; seed < 16; ++seed) {
    const TestPair pair = chair_pair(seed);
    Cloud part(0, 3);
    const Eigen::Vector3f side = Random({seed, 1}).direction();
    const Eigen::VectorXf height = pair.target * side;
    for (Eigen::Index i = 0; i < height.size(); ++i)
      if (height[i] < height.mean() + 0.1F) {
        part.conservativeResize(part.rows() + 1, 3);
        part.row(part.rows() - 1) = pair.target.row(i);
      }
    const Alignment found = align(pair.source, part);
    right += turn_between(found.target_from_source, pair.target_from_source) < 5.0 ? 1 : 0;
  }
  EXPECT_GE(right, 5);
}

TEST_F(EstimatorTest, IgnoresStrayAndNonFinitePoints) {
  TestPair pair = chair_pair(6);
  Random random({9});
  for (int i = 0; i < 50; ++i)
    pair.target.row(random.below(pair.target.rows())) = 3.0F * random.direction().transpose();
  pair.target.row(3).setConstant(std::nanf(""));
  pair.target(7, 1) = std::numeric_limits<float>::infinity();
  const Alignment found = align(pair.source, pair.target);
  EXPECT_TRUE(found.accepted) << found.reason;
  EXPECT_LT(turn_between(found.target_from_source, pair.target_from_source), 3.0);
  EXPECT_THAT(found.notes, ::testing::Contains(HasSubstr("2 points that are not finite")));
}

TEST_F(EstimatorTest, RefusesCloudsOfDifferentUnits) {
  const TestPair pair = chair_pair(7);
  const Alignment found = align(pair.source * 1000.0F, pair.target);
  EXPECT_FALSE(found.accepted);
  EXPECT_THAT(found.reason, HasSubstr("same unit"));
}

TEST_F(EstimatorTest, RejectsASphereAndAPlaneBecauseTheySlide) {
  for (const auto& [source, target] : {std::pair(sphere(1000, 1), sphere(1000, 2)),
                                       std::pair(flat_square(1000, 1), flat_square(1000, 2))}) {
    const Alignment found = align(source, target);
    EXPECT_FALSE(found.accepted);
    EXPECT_THAT(found.reason, HasSubstr("slide"));
  }
}

TEST_F(EstimatorTest, RejectsUnrelatedClouds) {
  int rejected = 0;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Cloud chair = procedural_shape(seed, 0, 1000).points,
                other = procedural_shape(seed, 2 + static_cast<int>(seed), 1000).points;
    const Alignment found = align(chair, other);
    rejected += found.accepted ? 0 : 1;
    if (!found.accepted) EXPECT_FALSE(found.reason.empty());
  }
  EXPECT_GE(rejected, 4);
}

TEST_F(EstimatorTest, TooFewPointsAreAClearSentence) {
  const Cloud three = chair_pair(1).source.topRows(3);
  try {
    align(three, chair_pair(1).target);
    FAIL() << "3 points were aligned";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("the source"));
  }
}

TEST_F(EstimatorTest, ThinsOutALargeCloudAndSaysSo) {
  const TestPair pair = chair_pair(8, 60000);
  const Alignment found = align(pair.source, pair.target);
  EXPECT_TRUE(found.accepted) << found.reason;
  EXPECT_LT(turn_between(found.target_from_source, pair.target_from_source), 1.5);
  EXPECT_THAT(found.notes, ::testing::Contains(HasSubstr("1024 of 60000 points")));
}

/// Most memory that the process has held since it was asked to forget (Linux).
std::int64_t peak_bytes(bool forget) {
  if (forget) std::ofstream("/proc/self/clear_refs") << "5";
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word)
    if (word == "VmHWM:") {
      std::int64_t kilobytes = 0;
      status >> kilobytes;
      return 1024 * kilobytes;
    }
  return 0;
}

TEST_F(EstimatorTest, TakesTenMillionPointsInBoundedMemory) {
  constexpr Eigen::Index kMany = 10'000'000;
  const TestPair pair = chair_pair(8, 100000);
  Cloud many(kMany, 3);
  for (Eigen::Index i = 0; i < kMany; ++i) many.row(i) = pair.target.row(i % pair.target.rows());
  const std::int64_t before = peak_bytes(true);
  ASSERT_GT(before, 0);
  const Alignment found = align(pair.source, many);
  const std::int64_t own = kMany * 3 * static_cast<std::int64_t>(sizeof(float));
  EXPECT_LT(peak_bytes(false) - before, 2 * own);
  EXPECT_TRUE(found.accepted) << found.reason;
  EXPECT_LT(turn_between(found.target_from_source, pair.target_from_source), 1.5);
  EXPECT_THAT(found.notes, ::testing::Contains(HasSubstr("of 10000000 points")));
}

TEST_F(EstimatorTest, TheCovarianceGrowsWithTheNoise) {
  TestPair pair = chair_pair(9);
  const Alignment clean = align(pair.source, pair.target);
  Random random({4});
  for (Eigen::Index i = 0; i < pair.target.size(); ++i)
    pair.target.data()[i] += 0.02F * random.normal();
  const Alignment noisy = align(pair.source, pair.target);
  EXPECT_GT(noisy.covariance.trace(), 1.5 * clean.covariance.trace());
  EXPECT_GT(clean.covariance.diagonal().minCoeff(), 0.0);
  EXPECT_TRUE(clean.covariance.isApprox(clean.covariance.transpose(), 1e-6));
}

TEST_F(EstimatorTest, ThePlainPaperIsOneHypothesisOfTheWholeWithoutRefinement) {
  const TestPair pair = chair_pair(2);
  PoseConfig plain;
  plain.refine = "none";
  plain.hypotheses = 1;
  plain.parts = false;
  plain.confidence = 0.0;
  const Alignment found =
      align(pair.source, transformed(pair.source, pair.target_from_source), plain);
  ASSERT_EQ(found.hypotheses.size(), 1U);
  EXPECT_EQ(found.hypotheses.front().origin, "embedding");
  EXPECT_EQ(found.times_ms.parts, 0.0);
  EXPECT_LT(turn_between(found.target_from_source, pair.target_from_source), 1.0);
}

TEST_F(EstimatorTest, WrongSettingsAreRefused) {
  for (const auto& change : std::vector<std::function<void(PoseConfig&)>>{
           [](PoseConfig& c) { c.refine = "magic"; }, [](PoseConfig& c) { c.hypotheses = 0; },
           [](PoseConfig& c) { c.points = 3; }, [](PoseConfig& c) { c.confidence = 1.5; }}) {
    PoseConfig config;
    change(config);
    EXPECT_THROW(PoseEstimator(untrained_model(), config), InputError);
  }
}

TEST_F(EstimatorTest, IsWrittenAsJsonWithoutNaN) {
  const TestPair pair = chair_pair(3);
  const nlohmann::json json = align(pair.source, pair.target);
  EXPECT_EQ(json["target_from_source"].size(), 16U);
  EXPECT_EQ(json["covariance"].size(), 36U);
  EXPECT_EQ(json.dump().find("nan"), std::string::npos);
  EXPECT_TRUE(nlohmann::json(Alignment{})["embedding_loss"].is_null());
}

}  // namespace
}  // namespace pointpng
