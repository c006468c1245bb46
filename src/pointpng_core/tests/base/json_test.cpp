#include "pointpng/json.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace pointpng {
namespace {

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(ParseJsonTest, KeepsTheOrderOfTheKeys) {
  EXPECT_EQ(parse_json(R"({"z": 1, "a": [2, 3]})").dump(), R"({"z":1,"a":[2,3]})");
}

TEST(ParseJsonTest, WhatIsNotJsonIsDiscarded) {
  for (const char* text : {"", "{", "nan", "{\"a\": 1} x"})
    EXPECT_TRUE(parse_json(text).is_discarded()) << text;
}

TEST(ParseJsonTest, DeepNestingIsDiscardedButBracketsInStringsAreText) {
  EXPECT_FALSE(parse_json(nested(64)).is_discarded());
  EXPECT_TRUE(parse_json(nested(65)).is_discarded());
  EXPECT_TRUE(parse_json(std::string(200'000, '[')).is_discarded());
  EXPECT_FALSE(parse_json("\"\\\"" + std::string(65, '[') + "\"").is_discarded());
}

}  // namespace
}  // namespace pointpng
