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
