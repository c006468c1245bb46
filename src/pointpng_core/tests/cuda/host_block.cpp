#include "cuda/host_block.h"

#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

namespace pointpng::cuda {

Barriers& barriers() {
  static Barriers all = [] {
    const char* left_out = std::getenv("POINTPNG_LEAVE_OUT");
    return Barriers{{}, left_out == nullptr ? "" : left_out};
  }();
  return all;
}

namespace {

/// Tells tests/cuda/test_kernels.py which barriers there are.
class BarrierList : public ::testing::Environment {
  void TearDown() override {
    const char* file = std::getenv("POINTPNG_BARRIERS");
    if (file == nullptr) return;
    std::ofstream out(file);
    for (const std::string& barrier : barriers().met) out << barrier << "\n";
  }
};

const auto* const registered = ::testing::AddGlobalTestEnvironment(new BarrierList);

}  // namespace
}  // namespace pointpng::cuda
