#include <cmath>
#include <numbers>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/random.h"
#include "eval/test_shapes.h"
#include "pointpng/error.h"
#include "pointpng/evaluation.h"

namespace pointpng {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// An answer that is wrong by an angle and a distance.
Alignment off_by(const PosePair& pair, double degrees, double distance, bool accepted = true) {
  Alignment alignment;
  alignment.accepted = accepted;
  if (!accepted) alignment.rejection_reason = "it looked odd";
  const Eigen::AngleAxisd turn(degrees * std::numbers::pi / 180.0,
                               Eigen::Vector3d(0.48, 0.6, 0.64));
  alignment.target_from_source = pair.target_from_source;
  alignment.target_from_source.linear() =
      (turn * Eigen::Quaterniond(pair.target_from_source.linear())).toRotationMatrix();
  alignment.target_from_source.translation() += Eigen::Vector3d(0, distance, 0);
  return alignment;
}

std::vector<PosePair> pairs_of(std::int64_t count) {
  return make_pairs(test_shapes(3, 512, {"first", "second", "third"}), "resampled", count, 1);
}

/// Returns the answers in order, whatever the pair (the first also for the warm-up).
struct Scripted {
  struct Answer {
    double degrees, distance;
    bool accepted;
  };
  std::vector<Answer> answers;

  PoseEvaluation evaluate() const {
    const auto pairs = pairs_of(static_cast<std::int64_t>(answers.size()));
    return evaluate_pose(pairs, [&](const PosePair& pair) {
      const auto index = static_cast<std::size_t>(&pair - pairs.data());
      const Answer& answer = answers.at(index);
      return off_by(pair, answer.degrees, answer.distance, answer.accepted);
    });
  }
};

TEST(PoseEvaluationTest, SumsUpHandMadeAnswers) {
  const PoseEvaluation result =
      Scripted{{{1, 0.01, true}, {3, 0.02, true}, {10, 0.03, true}, {90, 0.5, true}}}.evaluate();
  EXPECT_EQ(result.rejected, 0);
  EXPECT_NEAR(result.figures.rotation.mean_deg, 26.0, 1e-6);
  EXPECT_NEAR(result.figures.rotation.median_deg, 6.5, 1e-6);
  EXPECT_NEAR(result.figures.rotation.max_deg, 90.0, 1e-6);
  EXPECT_NEAR(result.figures.rotation.within_5deg, 0.5, 1e-12);
  EXPECT_NEAR(result.figures.rotation.within_15deg, 0.75, 1e-12);
  EXPECT_NEAR(result.figures.translation_mean, 0.14, 1e-9);
  EXPECT_NEAR(result.figures.translation_median, 0.025, 1e-9);
}

TEST(PoseEvaluationTest, ARejectedPairIsAFailureInEveryFigure) {
  const PoseEvaluation result = Scripted{{{0, 0, true}, {0, 0, false}}}.evaluate();
  EXPECT_EQ(result.rejected, 1);
  EXPECT_NEAR(result.figures.rotation.mean_deg, 90.0, 1e-4);
  EXPECT_NEAR(result.figures.rotation.max_deg, 180.0, 1e-4);
  EXPECT_NEAR(result.figures.rotation.within_5deg, 0.5, 1e-12);
  EXPECT_NEAR(result.figures.rotation.within_15deg, 0.5, 1e-12);
  EXPECT_NEAR(result.figures.surface_ok, 0.5, 1e-12);
  EXPECT_GT(result.figures.translation_mean, 0.5);
  EXPECT_NEAR(result.if_all_accepted.rotation.max_deg, 0.0, 1e-4);
  EXPECT_NEAR(result.if_all_accepted.surface_ok, 1.0, 1e-12);
  EXPECT_NEAR(result.if_all_accepted.translation_mean, 0.0, 1e-9);
  EXPECT_NEAR(result.accepted_right, 1.0, 1e-12);
}

TEST(PoseEvaluationTest, PrecisionCountsOnlyWhatWasAccepted) {
  const PoseEvaluation result =
      Scripted{{{0, 0, true}, {1, 0, true}, {120, 0.4, true}, {120, 0, false}}}.evaluate();
  EXPECT_NEAR(result.accepted_right, 2.0 / 3.0, 1e-12);
  const PoseEvaluation none = Scripted{{{120, 0, false}}}.evaluate();
  EXPECT_NEAR(none.accepted_right, 1.0, 1e-12);
}

TEST(PoseEvaluationTest, ARefusalIsARejection) {
  const PoseEvaluation result = evaluate_pose(
      pairs_of(2), [](const PosePair&) -> Alignment { throw InputError("it is a sphere"); });
  EXPECT_EQ(result.rejected, 2);
  EXPECT_EQ(result.rows[0].reason, "it is a sphere");
  EXPECT_THROW(evaluate_pose(pairs_of(1), [](const PosePair&) -> Alignment { throw Error("!"); }),
               Error);
}

/// A cylinder about z: rotating it about its axis changes nothing visible.
PosePair cylinder_pair() {
  Random random({3});
  PosePair pair;
  pair.source.resize(1024, 3);
  for (Eigen::Index i = 0; i < pair.source.rows(); ++i) {
    const float angle = random.uniform(0, 2.0F * std::numbers::pi_v<float>);
    pair.source.row(i) << 0.5F * std::cos(angle), 0.5F * std::sin(angle), random.uniform(-1, 1);
  }
  pair.target = pair.source;
  return pair;
}

TEST(PoseEvaluationTest, RightUpToSymmetryIsOnTheSurface) {
  const PosePair pair = cylinder_pair();
  Alignment about_axis;
  about_axis.accepted = true;
  about_axis.target_from_source.rotate(Eigen::AngleAxisd(2.0, Eigen::Vector3d::UnitZ()));
  const PairResult right = judge(pair, about_axis);
  EXPECT_GT(right.rotation_deg, 100.0);
  EXPECT_TRUE(right.surface_ok) << right.surface_distance;
  Alignment tipped = about_axis;
  tipped.target_from_source.rotate(Eigen::AngleAxisd(0.4, Eigen::Vector3d::UnitX()));
  EXPECT_FALSE(judge(pair, tipped).surface_ok);
  EXPECT_NEAR(summarise({right, judge(pair, tipped)}).accepted_right, 0.5, 1e-12);
}

/// A straight corridor along x, 20 m long, without ends: every place in it looks the same.
PosePair corridor_pair() {
  Random random({4});
  PosePair pair;
  pair.source.resize(4096, 3);
  for (Eigen::Index i = 0; i < pair.source.rows(); ++i) {
    const float x = random.uniform(-10, 10), across = random.uniform(-1, 1);
    const bool wall = random.uniform() < 0.5F, high = random.uniform() < 0.5F;
    pair.source.row(i) << x, wall ? (high ? 1.0F : -1.0F) : across,
        wall ? across : (high ? 1.0F : -1.0F);
  }
  pair.target = pair.source;
  pair.kind = "corridor";
  return pair;
}

TEST(PoseEvaluationTest, AWrongPlaceAlongACorridorIsWrong) {
  const PosePair pair = corridor_pair();
  const auto shifted = [&](double metres) {
    Alignment alignment;
    alignment.accepted = true;
    alignment.target_from_source.translation().x() = metres;
    return judge(pair, alignment);
  };
  EXPECT_TRUE(shifted(0.4).right);
  const PairResult wrong = shifted(1.6);
  EXPECT_EQ(wrong.rotation_deg, 0.0);
  EXPECT_TRUE(wrong.surface_ok) << "nearly all of it is on the surface, and still";
  EXPECT_FALSE(wrong.right) << wrong.centre_offset << " " << wrong.mssd;
  const PoseEvaluation result = summarise({shifted(0.0), wrong});
  EXPECT_EQ(result.verdicts.accepted_wrong, 1);
  EXPECT_NEAR(result.accepted_right, 0.5, 1e-12);
}

TEST(PoseEvaluationTest, TheCentreMayBeOffByThePairsTolerance) {
  PosePair pair = pairs_of(1).front();
  EXPECT_TRUE(judge(pair, off_by(pair, 0, 0.03)).right);
  EXPECT_FALSE(judge(pair, off_by(pair, 0, 0.08)).right);
  pair.centre_tolerance = 0.1;
  EXPECT_TRUE(judge(pair, off_by(pair, 0, 0.08)).right);
  EXPECT_FALSE(judge(pair, off_by(pair, 6, 0.0)).right);
}

TEST(PoseEvaluationTest, ASymmetryOfTheWholeObjectIsRightAndOfAPartIsNot) {
  PosePair pair = cylinder_pair();
  Alignment about_axis;
  about_axis.target_from_source.rotate(Eigen::AngleAxisd(2.0, Eigen::Vector3d::UnitZ()));
  EXPECT_TRUE(judge(pair, about_axis).right);
  // The same cylinder is what is seen of a mug: the handle tells the angle.
  pair.object = pair.source;
  for (Eigen::Index i = 0; i < 40; ++i)
    pair.object.row(i) << 0.6F + 0.01F * static_cast<float>(i % 20), 0.0F,
        -0.2F + 0.01F * static_cast<float>(i);
  const PairResult mug = judge(pair, about_axis);
  EXPECT_FALSE(mug.right) << mug.mssd;
  EXPECT_TRUE(mug.surface_ok) << "the mean distance does not notice a handle";
}

TEST(PoseEvaluationTest, WhereTheSourceIsNotInTheTargetOnlyARejectionWillDo) {
  PosePair pair = pairs_of(1).front();
  pair.present = false;
  const PoseEvaluation result =
      summarise({judge(pair, off_by(pair, 0, 0)), judge(pair, off_by(pair, 0, 0, false))});
  EXPECT_EQ(result.verdicts.accepted_wrong, 1);
  EXPECT_EQ(result.verdicts.wrong_rejected, 1);
  EXPECT_EQ(result.figures.rotation.within_15deg, 0.0);
}

TEST(PoseEvaluationTest, VerdictsAreCountedByKind) {
  std::vector<PosePair> pairs = pairs_of(4);
  pairs[3].kind = "view";
  const json result =
      summarise({judge(pairs[0], off_by(pairs[0], 1, 0)), judge(pairs[1], off_by(pairs[1], 90, 0)),
                 judge(pairs[2], off_by(pairs[2], 1, 0, false)),
                 judge(pairs[3], off_by(pairs[3], 90, 0, false))});
  const json all = {{"pairs", 4},
                    {"accepted_right", 1},
                    {"accepted_wrong", 1},
                    {"right_rejected", 1},
                    {"wrong_rejected", 1}};
  EXPECT_EQ(result["verdicts"], all);
  EXPECT_EQ(result["kinds"]["resampled"]["pairs"], 3);
  EXPECT_EQ(result["kinds"]["view"]["wrong_rejected"], 1);
}

/// Answers whose errors have the given standard deviations, with a covariance that claims them to
/// be `claim` times as large.
PoseEvaluation with_covariance(double claim) {
  constexpr double kShift = 0.002, kTurn = 0.004;
  const PosePair pair = pairs_of(1).front();
  Random random({5});
  std::vector<PairResult> rows;
  for (int i = 0; i < 200; ++i) {
    const auto drawn = [&](double sigma) -> Eigen::Vector3d {
      return sigma * Eigen::Vector3d(random.normal(), random.normal(), random.normal());
    };
    Alignment alignment;
    const Eigen::Vector3d turn = drawn(kTurn);
    alignment.target_from_source = pair.target_from_source;
    alignment.target_from_source.linear() =
        Eigen::AngleAxisd(turn.norm(), turn.normalized()) * pair.target_from_source.linear();
    alignment.target_from_source.translation() += drawn(kShift);
    alignment.covariance.diagonal().head<3>().setConstant(std::pow(claim * kShift, 2));
    alignment.covariance.diagonal().tail<3>().setConstant(std::pow(claim * kTurn, 2));
    rows.push_back(judge(pair, alignment));
  }
  return summarise(rows);
}

TEST(PoseEvaluationTest, ATrueCovarianceIsConsistentAndOthersAreNot) {
  const auto true_one = with_covariance(1.0).consistency;
  ASSERT_TRUE(true_one.has_value());
  EXPECT_EQ(true_one->pairs, 200);
  EXPECT_GT(true_one->mean_nees, true_one->low);
  EXPECT_LT(true_one->mean_nees, true_one->high);
  EXPECT_NEAR(true_one->low, 5.53, 0.02);  // 1107.9 / 200: quantiles of chi-square with 1200
  EXPECT_NEAR(true_one->high, 6.49, 0.02);
  EXPECT_GT(with_covariance(0.7).consistency->mean_nees, true_one->high);
  EXPECT_LT(with_covariance(1.4).consistency->mean_nees, true_one->low);
  const PoseEvaluation without = Scripted{{{1, 0, true}}}.evaluate();
  EXPECT_FALSE(without.consistency.has_value()) << "there is no covariance";
}

TEST(PoseEvaluationTest, TheUnitDoesNotMatterForTheSurface) {
  PosePair pair = cylinder_pair();
  Alignment tipped;
  tipped.target_from_source.rotate(Eigen::AngleAxisd(0.4, Eigen::Vector3d::UnitX()));
  pair.source *= 1000.0F;
  EXPECT_TRUE(judge(pair, Alignment{}).surface_ok);
  EXPECT_FALSE(judge(pair, tipped).surface_ok);
}

TEST(PoseEvaluationTest, ClassesAreSummedUpApart) {
  std::vector<PairResult> rows;
  for (const PosePair& pair : pairs_of(6))
    rows.push_back(judge(pair, off_by(pair, pair.class_name == "second" ? 50.0 : 1.0, 0.0)));
  const PoseEvaluation result = summarise(rows);
  ASSERT_EQ(result.classes.size(), 3U);
  EXPECT_NEAR(result.classes.at("second").rotation.within_5deg, 0.0, 1e-12);
  EXPECT_NEAR(result.classes.at("third").rotation.within_5deg, 1.0, 1e-12);
  EXPECT_EQ(result.class_sizes.at("first"), 2);
}

TEST(PoseEvaluationTest, TheSearchAloneIsGivenWhereItIsMeasured) {
  const auto pairs = pairs_of(3);
  const auto answer = [](const PosePair& pair) { return off_by(pair, 0, 0); };
  const auto searched = [](const PosePair& pair) {
    return Eigen::Quaterniond(off_by(pair, 8.0, 0).target_from_source.linear());
  };
  EXPECT_FALSE(evaluate_pose(pairs, answer).search_only.has_value());
  const PoseEvaluation result = evaluate_pose(pairs, answer, searched);
  ASSERT_TRUE(result.search_only.has_value());
  EXPECT_NEAR(result.search_only->mean_deg, 8.0, 1e-6);
  EXPECT_NEAR(json(result)["search_only"]["rotation_deg"]["mean"].get<double>(), 8.0, 1e-6);
}

TEST(PoseEvaluationTest, NothingToSumUpIsRefused) { EXPECT_THROW(summarise({}), InputError); }

TEST(PoseEvaluationTest, PrintsTheContractOfTheCommandLine) {
  const json result = Scripted{{{1, 0, true}, {2, 0, false}}}.evaluate();
  EXPECT_EQ(result["pairs"], 2);
  EXPECT_EQ(result["rejected"], 1);
  for (const char* name : {"mean", "median", "max"})
    EXPECT_TRUE(result["rotation_deg"][name].is_number());
  for (const char* name : {"5deg", "15deg"}) EXPECT_TRUE(result["success"][name].is_number());
  for (const char* name : {"total", "embed", "search", "refine"})
    EXPECT_TRUE(result["ms_per_pair"][name].is_number());
  EXPECT_TRUE(result["surface_ok"].is_number());
  EXPECT_NEAR(result["accepted"].get<double>(), 0.5, 1e-12);
  EXPECT_NEAR(result["if_all_accepted"]["success"]["5deg"].get<double>(), 1.0, 1e-12);
}

TEST(PoseEvaluationTest, RowsAreOneObjectALineWithoutNaN) {
  PoseEvaluation result = Scripted{{{1, 0, true}, {2, 0, false}}}.evaluate();
  result.rows[0].evidence.margin = std::nan("");
  std::istringstream lines(rows_as_lines(result.rows));
  std::vector<json> rows;
  for (std::string line; std::getline(lines, line);) rows.push_back(json::parse(line));
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_TRUE(rows[0]["evidence"]["margin"].is_null());
  EXPECT_NEAR(rows[0]["rotation_deg"].get<double>(), 1.0, 1e-6);
  EXPECT_EQ(rows[1]["accepted"], false);
  EXPECT_EQ(rows[1]["reason"], "it looked odd");
}

TEST(PoseEvaluationTest, TheTextHasTheFiguresAndTheWorstClassFirst) {
  std::vector<PairResult> rows;
  for (const PosePair& pair : pairs_of(3))
    rows.push_back(judge(pair, off_by(pair, pair.class_name == "second" ? 50.0 : 1.0, 0.0)));
  const std::string text = to_text(summarise(rows));
  EXPECT_THAT(text, HasSubstr("3 pairs, 3 accepted"));
  EXPECT_THAT(text, HasSubstr("ms per pair"));
  EXPECT_LT(text.find("second"), text.find("third"));
}

}  // namespace
}  // namespace pointpng
