#include "base/parallel.h"

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "pointpng/runtime.h"

namespace pointpng {
namespace {

class ParallelForTest : public ::testing::TestWithParam<int> {
 protected:
  ParallelForTest() { set_num_threads(GetParam()); }
  ~ParallelForTest() override { set_num_threads(0); }
};

TEST_P(ParallelForTest, VisitsEveryItemOnce) {
  for (const int count : {0, 1, 2, 7, 1000}) {
    std::vector<std::atomic<int>> visits(static_cast<std::size_t>(count));
    parallel_for(0, count, [&](std::int64_t i) { ++visits[static_cast<std::size_t>(i)]; });
    for (const auto& visit : visits) EXPECT_EQ(visit, 1);
  }
}

TEST_P(ParallelForTest, LoopsInsideOfLoopsAndOfOtherThreadsAreComplete) {
  std::atomic<int> visits = 0;
  const auto nested = [&] {
    parallel_for(0, 20,
                 [&](std::int64_t) { parallel_for(0, 10, [&](std::int64_t) { ++visits; }); });
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(nested);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(visits, 800);
}

TEST_P(ParallelForTest, AnExceptionReachesTheCallerAndTheNextLoopRuns) {
  const auto fails = [] {
    parallel_for(0, 100, [](std::int64_t i) {
      if (i == 37) throw std::runtime_error("item 37");
    });
  };
  EXPECT_THROW(fails(), std::runtime_error);
  std::atomic<int> visits = 0;
  parallel_for(0, 50, [&](std::int64_t) { ++visits; });
  EXPECT_EQ(visits, 50);
}

INSTANTIATE_TEST_SUITE_P(Threads, ParallelForTest, ::testing::Values(1, 2, 5));

}  // namespace
}  // namespace pointpng
