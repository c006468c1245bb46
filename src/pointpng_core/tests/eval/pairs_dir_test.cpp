#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/temporary_folder.h"
#include "eval/test_shapes.h"
#include "pointpng/error.h"
#include "pointpng/evaluation.h"
#include "pointpng/io.h"

namespace pointpng {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

std::string complaint(const std::filesystem::path& folder) {
  try {
    load_pairs(folder);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no complaint";
}

/// A folder with two good pairs, whose list can be spoilt.
class PairsDirTest : public testing::Test {
 protected:
  PairsDirTest() : folder_(root_ / "pairs") {
    saved_ = make_pairs(test_shapes(2, 256, {"tall", "wide"}), "resampled", 2, 1);
    save_pairs(folder_, saved_);
  }

  json list() const { return json::parse(read_file(folder_ / "pairs.json")); }
  void write(const std::string& text) const { std::ofstream(folder_ / "pairs.json") << text; }
  std::string complaint_about(const json& list) const {
    write(list.dump());
    return complaint(folder_);
  }

  TemporaryFolder root_;
  std::filesystem::path folder_;
  std::vector<PosePair> saved_;
};

TEST_F(PairsDirTest, WhatIsSavedIsLoaded) {
  const std::vector<PosePair> loaded = load_pairs(folder_);
  ASSERT_EQ(loaded.size(), saved_.size());
  for (std::size_t i = 0; i < loaded.size(); ++i) {
    EXPECT_EQ(loaded[i].source, saved_[i].source);
    EXPECT_EQ(loaded[i].target, saved_[i].target);
    EXPECT_TRUE(loaded[i].target_from_source.isApprox(saved_[i].target_from_source, 1e-12));
    EXPECT_EQ(loaded[i].class_name, saved_[i].class_name);
    EXPECT_EQ(loaded[i].name, saved_[i].name);
  }
}

TEST_F(PairsDirTest, WhatIsKnownAboutAPairIsKept) {
  saved_[0].source_viewpoint = Eigen::Vector3d(1, 2, 3);
  saved_[0].target_up = Eigen::Vector3d(0, 0.6, 0.8);
  saved_[0].centre_tolerance = 0.1;
  saved_[1].present = false;
  save_pairs(root_ / "more", saved_);
  const std::vector<PosePair> loaded = load_pairs(root_ / "more");
  EXPECT_EQ(loaded[0].source_viewpoint, saved_[0].source_viewpoint);
  EXPECT_EQ(loaded[0].target_up, saved_[0].target_up);
  EXPECT_FALSE(loaded[0].target_viewpoint || loaded[0].source_up);
  EXPECT_EQ(loaded[0].centre_tolerance, 0.1);
  EXPECT_EQ(loaded[0].kind, "resampled");
  EXPECT_TRUE(loaded[0].present);
  EXPECT_FALSE(loaded[1].present);
  EXPECT_EQ(loaded[1].centre_tolerance, 0.05);
}

TEST_F(PairsDirTest, TheListIsAsContracted) {
  const json entry = list()[1];
  EXPECT_TRUE(std::filesystem::exists(folder_ / entry["source"].get<std::string>()));
  EXPECT_TRUE(std::filesystem::exists(folder_ / entry["target"].get<std::string>()));
  ASSERT_EQ(entry["target_from_source"].size(), 16U);
  EXPECT_DOUBLE_EQ(entry["target_from_source"][7].get<double>(),
                   saved_[1].target_from_source(1, 3));
  EXPECT_EQ(entry["class"], saved_[1].class_name);
}

TEST_F(PairsDirTest, AFolderThatExistsIsNotTouchedAndNothingIsLeftBehind) {
  const std::string before = read_file(folder_ / "pairs.json");
  EXPECT_THROW(save_pairs(folder_, {}), InputError);
  EXPECT_EQ(read_file(folder_ / "pairs.json"), before);
  EXPECT_THAT(root_.names(), ElementsAre("pairs"));
}

TEST_F(PairsDirTest, ClassAndNameMayBeMissing) {
  json pairs = list();
  pairs[0].erase("class");
  pairs[0].erase("name");
  write(pairs.dump());
  EXPECT_EQ(load_pairs(folder_)[0].class_name, "");
}

TEST_F(PairsDirTest, AMissingFolderOrListIsNamed) {
  EXPECT_THAT(complaint(root_ / "nothing"), HasSubstr("nothing"));
  std::filesystem::remove(folder_ / "pairs.json");
  EXPECT_THAT(complaint(folder_), HasSubstr("pairs.json"));
}

TEST_F(PairsDirTest, WhatIsNoListIsRefused) {
  write("[{\"source\": ");
  EXPECT_THAT(complaint(folder_), HasSubstr("not valid JSON"));
  EXPECT_THAT(complaint_about(json::object()), HasSubstr("list of pairs"));
  EXPECT_THAT(complaint_about(json::array()), HasSubstr("list of pairs"));
  EXPECT_THAT(complaint_about(json::array({1})), HasSubstr("entry 0 is no object"));
}

TEST_F(PairsDirTest, MissingOrWrongFieldsAreNamed) {
  json pairs = list();
  pairs[1].erase("target");
  EXPECT_THAT(complaint_about(pairs), HasSubstr("entry 1 names no \"target\""));
  pairs[1]["target"] = 5;
  EXPECT_THAT(complaint_about(pairs), HasSubstr("\"target\" that is no text"));
  pairs[1]["target"] = "gone.ply";
  EXPECT_THAT(complaint_about(pairs), HasSubstr("gone.ply"));
}

TEST_F(PairsDirTest, WrongViewpointsAndTolerancesAreNamed) {
  json wrong = list();
  wrong[1]["target_viewpoint"] = {1, 2};
  EXPECT_THAT(complaint_about(wrong), HasSubstr("entry 1 has a \"target_viewpoint\" that is not"));
  wrong = list();
  wrong[0]["centre_tolerance"] = -1;
  EXPECT_THAT(complaint_about(wrong), HasSubstr("entry 0 has a \"centre_tolerance\""));
}

TEST_F(PairsDirTest, TransformsThatAreNotRigidAreRefused) {
  const json good = list();
  const auto with = [&](const std::vector<double>& numbers) {
    json pairs = good;
    pairs[0]["target_from_source"] = numbers;
    return complaint_about(pairs);
  };
  EXPECT_THAT(with({1, 0, 0, 0}), HasSubstr("16 numbers"));
  EXPECT_THAT(with({2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1}), HasSubstr("no rigid motion"));
  EXPECT_THAT(with({1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1}), HasSubstr("no rigid motion"));
  EXPECT_THAT(with({-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}), HasSubstr("mirrors"));
  EXPECT_THAT(with({1, 0, 0, 9, 0, 1, 0, 9, 0, 0, 1, 9, 0, 0, 0, 1}), HasSubstr("no complaint"));
  json pairs = good;
  pairs[0]["target_from_source"][3] = "left";
  EXPECT_THAT(complaint_about(pairs), HasSubstr("no number"));
  pairs[0].erase("target_from_source");
  EXPECT_THAT(complaint_about(pairs), HasSubstr("16 numbers"));
}

}  // namespace
}  // namespace pointpng
