#include "base/rows.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pointpng {
namespace {

using testing::UnorderedElementsAre;

Cloud numbered(Eigen::Index count) {
  Cloud cloud(count, 3);
  for (Eigen::Index i = 0; i < count; ++i) cloud.row(i).setConstant(static_cast<float>(i));
  return cloud;
}

TEST(RowsTest, ShufflingKeepsEveryRow) {
  Random random({1});
  EXPECT_THAT(shuffled_rows(4, random), UnorderedElementsAre(0, 1, 2, 3));
  EXPECT_TRUE(shuffled_rows(0, random).empty());
}

TEST(RowsTest, DisjointSamplesShareNoPoint) {
  Random random({2});
  const auto [one, other] = disjoint_samples(numbered(21), 10, random);
  ASSERT_EQ(one.rows(), 10);
  ASSERT_EQ(other.rows(), 10);
  std::set<float> seen;
  for (const Cloud* sample : {&one, &other})
    for (Eigen::Index i = 0; i < 10; ++i)
      EXPECT_TRUE(seen.insert((*sample)(i, 0)).second) << (*sample)(i, 0);
}

}  // namespace
}  // namespace pointpng
