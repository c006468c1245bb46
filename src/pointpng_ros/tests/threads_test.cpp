#include <atomic>
#include <memory>
#include <thread>

#include <gtest/gtest.h>

#include "job_thread.h"
#include "newest.h"

namespace pointpng_ros {
namespace {

TEST(Newest, KeepsTheLastThingAndCountsTheOthers) {
  Newest<int> place;
  place.put(1);
  place.put(2);
  place.put(3);
  EXPECT_EQ(place.take(), 3);
  EXPECT_EQ(place.dropped(), 2U);
}

TEST(Newest, TakeWaitsForAThing) {
  Newest<int> place;
  std::thread later([&] { place.put(7); });
  EXPECT_EQ(place.take(), 7);
  later.join();
  EXPECT_EQ(place.dropped(), 0U);
}

TEST(Newest, CloseEndsTheWaiting) {
  Newest<int> place;
  std::thread later([&] { place.close(); });
  EXPECT_FALSE(place.take().has_value());
  later.join();
}

TEST(JobThread, DoesJobsInOrder) {
  std::vector<int> done;
  std::atomic<int> count = 0;
  JobThread jobs;
  for (int i = 0; i < 10; ++i)
    jobs.add([&, i] {
      done.push_back(i);
      ++count;
    });
  while (count < 10) std::this_thread::yield();
  for (int i = 0; i < 10; ++i) EXPECT_EQ(done[static_cast<std::size_t>(i)], i);
}

}  // namespace
}  // namespace pointpng_ros
