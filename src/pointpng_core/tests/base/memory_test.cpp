#include "base/memory.h"

#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <sys/resource.h>

#include <gtest/gtest.h>

namespace pointpng {
namespace {

long page_faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

// Allocates, touches and frees the same large block, as a training step does with its temporaries.
long faults_of_repeated_use(int repetitions) {
  constexpr std::size_t kSize = 40u << 20;
  const long before = page_faults();
  for (int i = 0; i < repetitions; ++i) {
    void* block = std::malloc(kSize);
    std::memset(block, i + 1, kSize);
    asm volatile("" : : "r"(block) : "memory");  // keeps the compiler from removing the block
    std::free(block);
  }
  return page_faults() - before;
}

TEST(MemoryTest, LargeTemporariesAreNotFetchedAnewFromTheKernel) {
  const long untuned = faults_of_repeated_use(20);
  tune_allocator();
  faults_of_repeated_use(1);
  const long tuned = faults_of_repeated_use(20);
  EXPECT_LT(tuned, untuned / 10 + 10);
}

}  // namespace
}  // namespace pointpng
