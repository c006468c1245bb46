#include "train/loader.h"

#include <atomic>
#include <chrono>
#include <thread>

#include <gtest/gtest.h>
#include <torch/types.h>

#include "pointpng/error.h"

namespace pointpng {
namespace {

using std::chrono::milliseconds;

/// A batch that says which step it is of.
PairBatch marked(std::int64_t step) {
  const Tensor mark = torch::full({1, 4}, static_cast<float>(step));
  return {{mark, mark}, mark};
}

float mark_of(const PairBatch& batch) { return batch.rotation[0][0].item<float>(); }

class LoaderTest : public testing::TestWithParam<int> {};

TEST_P(LoaderTest, HandsBatchesOutInOrder) {
  // Odd steps take longer, so that workers overtake each other.
  BatchLoader loader(
      [](std::int64_t step) {
        std::this_thread::sleep_for(milliseconds(step % 2 == 1 ? 6 : 1));
        return marked(step);
      },
      5, GetParam());
  for (std::int64_t step = 5; step < 30; ++step)
    ASSERT_EQ(mark_of(loader.next()), static_cast<float>(step));
}

TEST_P(LoaderTest, WorksAheadButNotWithoutBound) {
  std::atomic<std::int64_t> made = 0;
  BatchLoader loader(
      [&](std::int64_t step) {
        ++made;
        return marked(step);
      },
      0, GetParam());
  std::this_thread::sleep_for(milliseconds(100));
  EXPECT_EQ(made, 2 * GetParam());
  loader.next();
  std::this_thread::sleep_for(milliseconds(100));
  EXPECT_EQ(made, 2 * GetParam() + 1);
}

TEST_P(LoaderTest, PassesOnWhatAWorkerThrows) {
  BatchLoader loader(
      [](std::int64_t step) {
        if (step == 3) throw InputError("shape 3 is broken");
        return marked(step);
      },
      0, GetParam());
  const auto take_all = [&] {
    for (int i = 0; i < 4; ++i) loader.next();
  };
  EXPECT_THROW(take_all(), InputError);
}

TEST_P(LoaderTest, EndsWhileItsWorkersAreBusy) {
  const auto start = std::chrono::steady_clock::now();
  {
    BatchLoader loader(
        [](std::int64_t step) {
          std::this_thread::sleep_for(milliseconds(50));
          return marked(step);
        },
        0, GetParam());
    loader.next();
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
}

INSTANTIATE_TEST_SUITE_P(Workers, LoaderTest, testing::Values(1, 3));

TEST(LoaderWaitTest, TellsHowLongTheModelWaited) {
  BatchLoader slow(
      [](std::int64_t step) {
        std::this_thread::sleep_for(milliseconds(40));
        return marked(step);
      },
      0, 1);
  slow.next();
  EXPECT_GT(slow.waited_seconds(), 0.02);
}

}  // namespace
}  // namespace pointpng
