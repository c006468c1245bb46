#include "answer_once.h"

#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "stamped.h"

namespace pointpng_ros {
namespace {

/// The answers and errors that one cloud leads to.
struct Served {
  std::vector<StampedAlignment> answers;
  std::vector<std::string> errors;
};

/// Serves a cloud; `align` and `after`, which follows the answer, may throw.
template <class Align, class After>
Served serve(Align align, After after) {
  Served served;
  answer_once(
      align,
      [](const std::exception& reason) {
        StampedAlignment rejected;
        rejected.alignment.rejection_reason = reason.what();
        return rejected;
      },
      [&](const StampedAlignment& answer) {
        served.answers.push_back(answer);
        after();
      },
      [&](const std::exception& error) { served.errors.emplace_back(error.what()); });
  return served;
}

StampedAlignment accepted() {
  StampedAlignment result;
  result.alignment.accepted = true;
  return result;
}

StampedAlignment fail() { throw std::runtime_error("the cloud is empty"); }

TEST(AnswerOnce, AnAlignmentIsTheAnswer) {
  const Served served = serve(accepted, [] {});
  ASSERT_EQ(served.answers.size(), 1U);
  EXPECT_TRUE(served.answers[0].alignment.accepted);
  EXPECT_TRUE(served.errors.empty());
}

TEST(AnswerOnce, AnUnusableCloudIsRejectedWithTheReason) {
  const Served served = serve(fail, [] {});
  ASSERT_EQ(served.answers.size(), 1U);
  EXPECT_FALSE(served.answers[0].alignment.accepted);
  EXPECT_EQ(served.answers[0].alignment.rejection_reason, "the cloud is empty");
  EXPECT_TRUE(served.errors.empty());
}

TEST(AnswerOnce, AFailureAfterTheAnswerIsNoSecondAnswer) {
  const auto break_down = [] { throw std::runtime_error("the second look failed"); };
  const Served served = serve(accepted, break_down);
  ASSERT_EQ(served.answers.size(), 1U);
  EXPECT_TRUE(served.answers[0].alignment.accepted);
  EXPECT_EQ(served.errors, std::vector<std::string>{"the second look failed"});
  const Served rejected = serve(fail, break_down);
  EXPECT_EQ(rejected.answers.size(), 1U);
  EXPECT_EQ(rejected.errors.size(), 1U);
}

}  // namespace
}  // namespace pointpng_ros
