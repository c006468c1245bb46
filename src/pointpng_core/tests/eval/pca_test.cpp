#include "eval/pca.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "pointpng/error.h"

namespace pointpng {
namespace {

Rows random_rows(Eigen::Index n, Eigen::Index d, std::uint64_t seed) {
  Random random({seed});
  Rows rows(n, d);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index k = 0; k < d; ++k) rows(i, k) = random.normal() / static_cast<double>(1 + k);
  return rows;
}

TEST(PrincipalComponentsTest, ALineIsSeenAlongItself) {
  const Eigen::RowVector3d direction = Eigen::RowVector3d(1, -2, 2) / 3.0;
  Rows items(5, 3);
  for (Eigen::Index i = 0; i < 5; ++i)
    items.row(i) = Eigen::RowVector3d(4, 5, 6) + static_cast<double>(i * i) * direction;
  const PrincipalComponents found = principal_components(items, 2);
  EXPECT_NEAR(found.explained[0], 1.0, 1e-9);
  EXPECT_NEAR(found.explained[1], 0.0, 1e-9);
  EXPECT_NEAR(std::abs(found.axes.row(0).dot(direction)), 1.0, 1e-9);
  EXPECT_NEAR(std::abs(found.coordinates(4, 0) - found.coordinates(0, 0)), 16.0, 1e-9);
  EXPECT_EQ(found.coordinates.col(1).cwiseAbs().maxCoeff(), 0.0);
}

// With fewer items than dimensions a different formula must give the same result.
TEST(PrincipalComponentsTest, FewItemsAndManyGiveTheSameAxes) {
  const Rows few = random_rows(6, 9, 1);
  Rows twice(12, 9);
  twice << few, few;
  const PrincipalComponents a = principal_components(few, 3), b = principal_components(twice, 3);
  EXPECT_LT((a.axes - b.axes).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((a.explained - b.explained).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((a.coordinates - b.coordinates.topRows(6)).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(PrincipalComponentsTest, CoordinatesAreUncorrelatedAndHaveTheVarianceThatIsClaimed) {
  const Rows items = random_rows(200, 7, 2);
  const PrincipalComponents found = principal_components(items, 7);
  const Rows square = found.coordinates.transpose() * found.coordinates;
  const double total = (items.rowwise() - items.colwise().mean()).squaredNorm();
  for (Eigen::Index i = 0; i < 7; ++i)
    for (Eigen::Index j = 0; j < 7; ++j)
      EXPECT_NEAR(square(i, j), i == j ? found.explained[i] * total : 0.0, 1e-8 * total);
  for (Eigen::Index i = 1; i < 7; ++i) EXPECT_LE(found.explained[i], found.explained[i - 1]);
  EXPECT_NEAR(found.explained.sum(), 1.0, 1e-9);
}

TEST(PrincipalComponentsTest, OtherItemsAreProjectedOntoTheSameAxes) {
  const Rows items = random_rows(40, 5, 3);
  const PrincipalComponents found = principal_components(items, 5);
  const Rows other = random_rows(3, 5, 4);
  const Rows back = (found.project(other) * found.axes).rowwise() + found.mean;
  EXPECT_LT((back - other).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(PrincipalComponentsTest, ItemsThatAreAllTheSameLieInOnePlace) {
  const PrincipalComponents found = principal_components(Rows::Ones(4, 3), 2);
  EXPECT_EQ(found.coordinates.cwiseAbs().maxCoeff(), 0.0);
  EXPECT_EQ(found.explained.sum(), 0.0);
}

TEST(PrincipalComponentsTest, OneItemIsAnInputError) {
  EXPECT_THROW(principal_components(Rows::Ones(1, 3), 2), InputError);
}

}  // namespace
}  // namespace pointpng
