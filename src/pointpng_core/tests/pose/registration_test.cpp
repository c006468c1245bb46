#include "pointpng/registration.h"

#include <cmath>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <Eigen/Cholesky>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pointpng/error.h"
#include "pose/test_objects.h"

namespace pointpng {
namespace {

using ::testing::HasSubstr;

class RegistrationTest : public ::testing::Test {
 protected:
  static Alignment align(const Cloud& source, const Cloud& target,
                         const RegistrationConfig& config = {}) {
    return untrained_registration(config).align(source, target);
  }
};

TEST_F(RegistrationTest, FindsAnyMotionBetweenTwoSamplesOfASurface) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const TestPair pair = chair_pair(seed);
    const Alignment found = align(pair.source, pair.target);
    EXPECT_TRUE(found.accepted) << found.rejection_reason;
    EXPECT_LT(turn_between(found.target_from_source, pair.target_from_source), 2.0);
    EXPECT_LT(
        (found.target_from_source.translation() - pair.target_from_source.translation()).norm(),
        0.03);
  }
}

TEST_F(RegistrationTest, IsExactForTheSamePointsTurned) {
  const TestPair pair = chair_pair(1);
  const Cloud turned = transformed(pair.source, pair.target_from_source);
  const Alignment found = align(pair.source, turned.colwise().reverse());
  EXPECT_TRUE(found.accepted) << found.rejection_reason;
  EXPECT_LT(turn_between(found.target_from_source, pair.target_from_source), 0.05);
}

TEST_F(RegistrationTest, FindsIdentityForIdenticalClouds) {
  const Cloud cloud = chair_pair(2).source;
  const Alignment found = align(cloud, cloud);
  EXPECT_TRUE(found.accepted) << found.rejection_reason;
  EXPECT_LT(turn_between(found.target_from_source, Eigen::Isometry3d::Identity()), 0.1);
}

TEST_F(RegistrationTest, DoesNotDependOnTheUnit) {
  const TestPair pair = chair_pair(3);
  const Alignment metres = align(pair.source, pair.target);
  for (const float factor : {1000.0F, 1e-3F}) {
    const Alignment scaled = align(pair.source * factor, pair.target * factor);
    EXPECT_EQ(scaled.accepted, metres.accepted);
    EXPECT_LT(turn_between(scaled.target_from_source, metres.target_from_source), 0.1);
    EXPECT_NEAR(scaled.score, metres.score, 0.01);
    EXPECT_NEAR(scaled.residual / factor, metres.residual, 0.05 * metres.residual);
  }
}

TEST_F(RegistrationTest, KeepsPrecisionFarFromTheOrigin) {
  TestPair pair = chair_pair(4);
  pair.source *= 50.0F;  // metres, somewhere in UTM coordinates
  const Eigen::RowVector3f far(4.5e5F, 5.4e6F, 300.0F);
  const Cloud target = transformed(pair.source, pair.target_from_source).rowwise() + far;
  const Alignment found = align(pair.source, target);
  EXPECT_TRUE(found.accepted) << found.rejection_reason;
  EXPECT_LT(turn_between(found.target_from_source, pair.target_from_source), 1.0);
}

TEST_F(RegistrationTest, GivesTheSameAnswerForAnyNumberOfThreads) {
  const TestPair pair = chair_pair(5);
  const Registration registration = untrained_registration();
  set_num_threads(1);
  const Alignment one = registration.align(pair.source, pair.target);
  set_num_threads(4);
  const Alignment four = registration.align(pair.source, pair.target);
  set_num_threads(0);
  EXPECT_EQ(one.target_from_source.matrix(), four.target_from_source.matrix());
  EXPECT_EQ(one.confidence, four.confidence);
}

TEST_F(RegistrationTest, AlignsAPartToTheWhole) {
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

TEST_F(RegistrationTest, IgnoresStrayAndNonFinitePoints) {
  TestPair pair = chair_pair(6);
  Random random({9});
  for (int i = 0; i < 50; ++i)
    pair.target.row(random.below(pair.target.rows())) = 3.0F * random.direction().transpose();
  pair.target.row(3).setConstant(std::nanf(""));
  pair.target(7, 1) = std::numeric_limits<float>::infinity();
  const Alignment found = align(pair.source, pair.target);
  EXPECT_TRUE(found.accepted) << found.rejection_reason;
  EXPECT_LT(turn_between(found.target_from_source, pair.target_from_source), 3.0);
  EXPECT_THAT(found.notes, ::testing::Contains(HasSubstr("2 points are not finite")));
}

TEST_F(RegistrationTest, RefusesCloudsOfDifferentUnits) {
  const TestPair pair = chair_pair(7);
  const Alignment found = align(pair.source * 1000.0F, pair.target);
  EXPECT_FALSE(found.accepted);
  EXPECT_THAT(found.rejection_reason, HasSubstr("same unit"));
}

TEST_F(RegistrationTest, RejectsASphereAndAPlaneBecauseTheySlide) {
  for (const auto& [source, target] : {std::pair(sphere(1000, 1), sphere(1000, 2)),
                                       std::pair(flat_square(1000, 1), flat_square(1000, 2))}) {
    const Alignment found = align(source, target);
    EXPECT_FALSE(found.accepted);
    EXPECT_THAT(found.rejection_reason, HasSubstr("slide"));
  }
}

TEST_F(RegistrationTest, RejectsUnrelatedClouds) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const Cloud chair = procedural_shape(seed, 0, 1000).points,
                other = procedural_shape(seed, 1 + seed % 7, 1000).points;
    const Alignment found = align(chair, other);
    EXPECT_FALSE(found.accepted) << seed;
    EXPECT_FALSE(found.rejection_reason.empty());
  }
}

TEST_F(RegistrationTest, TooFewPointsAreAClearSentence) {
  const Cloud three = chair_pair(1).source.topRows(3);
  try {
    align(three, chair_pair(1).target);
    FAIL() << "3 points were aligned";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("the source"));
  }
}

TEST_F(RegistrationTest, ThinsOutALargeCloudAndSaysSo) {
  const TestPair pair = chair_pair(8, 60000);
  const Alignment found = align(pair.source, pair.target);
  EXPECT_TRUE(found.accepted) << found.rejection_reason;
  EXPECT_LT(turn_between(found.target_from_source, pair.target_from_source), 1.5);
  EXPECT_THAT(found.notes, ::testing::Contains(HasSubstr("from 60000 to 1024 points")));
}

/// Peak memory of the process since the last reset (Linux).
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

TEST_F(RegistrationTest, TakesTenMillionPointsInBoundedMemory) {
  constexpr Eigen::Index kMany = 10'000'000;
  const TestPair pair = chair_pair(8, 100000);
  Cloud many(kMany, 3);
  for (Eigen::Index i = 0; i < kMany; ++i) many.row(i) = pair.target.row(i % pair.target.rows());
  const std::int64_t before = peak_bytes(true);
  ASSERT_GT(before, 0);
  const Alignment found = align(pair.source, many);
  const std::int64_t own = kMany * 3 * static_cast<std::int64_t>(sizeof(float));
  EXPECT_LT(peak_bytes(false) - before, 2 * own);
  EXPECT_TRUE(found.accepted) << found.rejection_reason;
  EXPECT_LT(turn_between(found.target_from_source, pair.target_from_source), 1.5);
  EXPECT_THAT(found.notes, ::testing::Contains(HasSubstr("from 10000000 to 1024 points")));
}

TEST_F(RegistrationTest, TheCovarianceGrowsWithTheNoise) {
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

/// Normalised estimation error squared of noisy pairs: 6 on average where the covariance is right.
TEST_F(RegistrationTest, TheCovarianceIsConsistentForWholeObjects) {
  constexpr int kPairs = 40;
  const Registration registration = untrained_registration();
  double sum = 0.0;
  for (std::uint64_t seed = 0; seed < kPairs; ++seed) {
    TestPair pair = chair_pair(seed + 100);
    Random random({seed, 5});
    for (Cloud* cloud : {&pair.source, &pair.target})
      for (Eigen::Index i = 0; i < cloud->size(); ++i) cloud->data()[i] += 0.01F * random.normal();
    const Alignment found =
        registration.align_from(registration.prepare(pair.source),
                                registration.prepare(pair.target), pair.target_from_source);
    const Eigen::AngleAxisd turn(found.target_from_source.linear() *
                                 pair.target_from_source.linear().transpose());
    Eigen::Matrix<double, 6, 1> error;
    error << found.target_from_source.translation() - pair.target_from_source.translation(),
        turn.angle() * turn.axis();
    sum += error.dot(found.covariance.ldlt().solve(error));
  }
  EXPECT_GT(sum / kPairs, 3.0);
  EXPECT_LT(sum / kPairs, 9.0);
}

TEST_F(RegistrationTest, ThePlainPaperIsOneHypothesisOfTheWholeWithoutRefinement) {
  const TestPair pair = chair_pair(2);
  RegistrationConfig plain;
  plain.refinement = Refinement::kNone;
  plain.num_hypotheses = 1;
  plain.partial_overlap = false;
  plain.min_confidence = 0.0;
  const Alignment found =
      align(pair.source, transformed(pair.source, pair.target_from_source), plain);
  ASSERT_EQ(found.hypotheses.size(), 1U);
  EXPECT_EQ(found.hypotheses.front().origin, Origin::kEmbedding);
  EXPECT_EQ(found.times_ms.parts, 0.0);
  EXPECT_LT(turn_between(found.target_from_source, pair.target_from_source), 1.0);
}

TEST_F(RegistrationTest, WrongSettingsAreRefusedWithTheirRange) {
  const auto message = [](const RegistrationConfig& config) -> std::string {
    try {
      untrained_registration(config);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(message({.num_hypotheses = 70}), "hypotheses must be in [1, 64], got 70");
  EXPECT_EQ(message({.num_points = 3}), "points must be in [64, 16384], got 3");
  EXPECT_EQ(message({.min_confidence = 1.5}), "confidence must be in [0, 1], got 1.5");
  EXPECT_EQ(message({.min_confidence = std::nan("")}), "confidence must be in [0, 1], got nan");
  EXPECT_EQ(message({}), "accepted");
  EXPECT_THROW(parse_refinement("magic"), InputError);
}

TEST_F(RegistrationTest, TheDefaultsLieInTheirRanges) {
  EXPECT_NO_THROW(validate(RegistrationConfig{}));
}

TEST_F(RegistrationTest, APreparedCloudReportsItsPreparationOnce) {
  const TestPair pair = chair_pair(3);
  const Registration registration = untrained_registration();
  const PreparedCloud source = registration.prepare(pair.source),
                      target = registration.prepare(pair.target);
  const Alignment first = registration.align(source, target),
                  second = registration.align(source, target);
  EXPECT_GT(first.times_ms.prepare, 0.0);
  EXPECT_EQ(second.times_ms.prepare, 0.0);
  EXPECT_LT(second.times_ms.embed, 0.5 * first.times_ms.embed);
  EXPECT_EQ(first.target_from_source.matrix(), second.target_from_source.matrix());
}

TEST_F(RegistrationTest, ManyPairsInOneCallAreAnsweredAsOneByOne) {
  const Registration registration = untrained_registration();
  const TestPair pair = chair_pair(3);
  const PreparedCloud source = registration.prepare(pair.source),
                      target = registration.prepare(pair.target),
                      ball = registration.prepare(sphere(2000, 1));
  const std::vector<PreparedPair> pairs{{source, target}, {target, source}, {ball, target}};
  const std::vector<Alignment> found = registration.align_many(pairs);
  ASSERT_EQ(found.size(), pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const Alignment alone = registration.align(pairs[i].source, pairs[i].target);
    EXPECT_EQ(found[i].accepted, alone.accepted);
    EXPECT_EQ(found[i].target_from_source.matrix(), alone.target_from_source.matrix());
    EXPECT_GT(found[i].times_ms.embed, 0.0);
  }
  EXPECT_TRUE(registration.align_many({}).empty());
}

TEST_F(RegistrationTest, LocalRegistrationKeepsTheNotesAndRefusesOtherUnits) {
  const TestPair pair = chair_pair(8, 5000);
  const Registration registration = untrained_registration();
  const PreparedCloud source = registration.prepare(pair.source, "part"),
                      target = registration.prepare(pair.target, "scan");
  const Alignment found = registration.align_from(source, target, pair.target_from_source);
  EXPECT_TRUE(found.accepted) << found.rejection_reason;
  EXPECT_THAT(found.notes, ::testing::ElementsAre(HasSubstr("part: downsampled"),
                                                  HasSubstr("scan: downsampled")));
  const PreparedCloud huge = registration.prepare(pair.source * 1000.0F);
  EXPECT_THAT(registration.align_from(huge, target, pair.target_from_source).rejection_reason,
              HasSubstr("same unit"));
}

TEST_F(RegistrationTest, AnInitialGuessIsOneMoreHypothesis) {
  const TestPair pair = chair_pair(5);
  const Registration registration = untrained_registration();
  const PreparedCloud source = registration.prepare(pair.source),
                      target = registration.prepare(pair.target);
  Random random({8});
  const Alignment misled = registration.align(source, target, random_motion(random));
  EXPECT_LT(turn_between(misled.target_from_source, pair.target_from_source), 2.0);
}

TEST_F(RegistrationTest, OneCloudMayBeUsedByManyThreads) {
  const TestPair pair = chair_pair(5);
  const Registration registration = untrained_registration();
  const PreparedCloud target = registration.prepare(pair.target);
  const Alignment alone = registration.align(registration.prepare(pair.source), target);
  std::vector<Alignment> found(4);
  std::vector<std::thread> threads;
  for (Alignment& one : found)
    threads.emplace_back(
        [&] { one = registration.align(registration.prepare(pair.source), target); });
  for (std::thread& thread : threads) thread.join();
  for (const Alignment& one : found)
    EXPECT_EQ(one.target_from_source.matrix(), alone.target_from_source.matrix());
}

}  // namespace
}  // namespace pointpng
