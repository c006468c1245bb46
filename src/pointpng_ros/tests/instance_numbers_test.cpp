#include "instance_numbers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pointpng_ros {
namespace {

using ::testing::ElementsAre;

const Eigen::Vector3d kLeft(-1, 0, 0), kMiddle(0, 0, 0), kRight(1, 0, 0), kStep(0.1, 0, 0);

TEST(InstanceNumbersTest, ACopyKeepsItsNumberWhateverTheOrder) {
  InstanceNumbers numbers(3, 0.3);
  EXPECT_THAT(numbers.assign({kLeft, kMiddle, kRight}), ElementsAre(0, 1, 2));
  EXPECT_THAT(numbers.assign({kRight + kStep, kLeft + kStep, kMiddle - kStep}),
              ElementsAre(2, 0, 1));
}

TEST(InstanceNumbersTest, ACopyThatWasHiddenGetsItsNumberBack) {
  InstanceNumbers numbers(3, 0.3);
  numbers.assign({kLeft, kRight});
  EXPECT_THAT(numbers.assign({kRight}), ElementsAre(1));
  EXPECT_THAT(numbers.assign({kRight, kLeft}), ElementsAre(1, 0));
}

TEST(InstanceNumbersTest, ANewCopyGetsAFreshNumberWhileThereAreSome) {
  InstanceNumbers numbers(3, 0.3);
  numbers.assign({kLeft});
  EXPECT_THAT(numbers.assign({kRight}), ElementsAre(1));
  EXPECT_THAT(numbers.assign({kMiddle}), ElementsAre(2));
  EXPECT_THAT(numbers.assign({5 * kRight, kMiddle}), ElementsAre(0, 2));
  numbers.forget();
  EXPECT_THAT(numbers.assign({kRight}), ElementsAre(0));
}

}  // namespace
}  // namespace pointpng_ros
