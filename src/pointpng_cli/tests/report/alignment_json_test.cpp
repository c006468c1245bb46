#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "pointpng/json.h"
#include "report/alignment_examples.h"

namespace pointpng {
namespace {

using nlohmann::json;

std::set<std::string> keys_of(const json& object) {
  std::set<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.insert(key);
  return keys;
}

TEST(AlignmentJson, HasTheKeysThatScriptsRead) {
  const json result = accepted_example(50).alignment;
  EXPECT_EQ(keys_of(result),
            (std::set<std::string>{"accepted", "reason", "target_from_source", "covariance",
                                   "confidence", "fitness", "residual", "embedding_loss", "margin",
                                   "evidence", "modes", "hypotheses", "notes", "ms"}));
  EXPECT_EQ(keys_of(result["ms"]),
            (std::set<std::string>{"prepare", "embed", "search", "parts", "refine", "total"}));
  EXPECT_EQ(result["fitness"], 0.942);
  EXPECT_EQ(result["margin"], result["evidence"]["margin"]);
  EXPECT_EQ(result["modes"], 1);
}

TEST(AlignmentJson, TransformsAndCovariancesAreRowByRow) {
  AlignmentPage page = accepted_example(50);
  page.alignment.covariance(0, 1) = 7.0;
  const json result = page.alignment;
  ASSERT_EQ(result["target_from_source"].size(), 16U);
  EXPECT_EQ(result["target_from_source"][3], page.alignment.target_from_source.translation().x());
  ASSERT_EQ(result["covariance"].size(), 36U);
  EXPECT_EQ(result["covariance"][1], 7.0);
}

TEST(AlignmentJson, OriginsAreWordsAndWhatWasNotMeasuredIsNull) {
  const json hypotheses = json(accepted_example(50).alignment)["hypotheses"];
  EXPECT_EQ(hypotheses[0]["origin"], "embedding");
  EXPECT_EQ(hypotheses[2]["origin"], "parts");
  EXPECT_EQ(hypotheses[3]["origin"], "guess");
  EXPECT_TRUE(hypotheses[3]["embedding_loss"].is_null());
  EXPECT_TRUE(hypotheses[0]["embedding_loss"].is_number());
}

TEST(AlignmentJson, SettingsHaveTheNamesOfTheOptions) {
  EXPECT_EQ(json(RegistrationConfig{}), json({{"refine", "plane"},
                                              {"hypotheses", 4},
                                              {"parts", true},
                                              {"points", 1024},
                                              {"confidence", 0.9},
                                              {"effort", "normal"}}));
}

}  // namespace
}  // namespace pointpng
