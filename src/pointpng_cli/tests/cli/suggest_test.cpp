#include "cli/suggest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pointpng::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::vector<std::string> kCommands = {"bag", "doctor", "eval", "pose", "pretrain", "report"};

TEST(SuggestTest, FindsMistypedWords) {
  EXPECT_THAT(near_words("docter", kCommands), ElementsAre("doctor"));
  EXPECT_THAT(near_words("pretrian", kCommands), ElementsAre("pretrain"));
  EXPECT_THAT(near_words("psoe", kCommands), IsEmpty());  // two of four letters: could be anything
}

TEST(SuggestTest, FindsUnfinishedWords) {
  EXPECT_THAT(near_words("pre", kCommands), ElementsAre("pretrain"));
}

TEST(SuggestTest, PutsTheNearestFirst) {
  EXPECT_THAT(near_words("repost", {"pose", "deport", "report"}), ElementsAre("report", "deport"));
}

TEST(SuggestTest, IsSilentAboutOtherWords) {
  EXPECT_THAT(near_words("xyzzy", kCommands), IsEmpty());
}

TEST(SuggestTest, EndsTheSentence) {
  EXPECT_EQ(did_you_mean("evil", kCommands), "; did you mean 'eval'?");
  EXPECT_EQ(did_you_mean("xyzzy", kCommands), ".");
}

}  // namespace
}  // namespace pointpng::cli
