#pragma once

#include <cstdlib>
#include <string>

#include "model/device.h"

/// The same conditions as the command line's; POINTPNG_BENCH_THREADS instead of every core.
inline void set_up_benchmark() {
  const char* threads = std::getenv("POINTPNG_BENCH_THREADS");
  pointpng::use({threads != nullptr ? std::stoi(threads) : 0, pointpng::Device::kCpu});
}
