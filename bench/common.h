#pragma once

#include <cstdlib>
#include <string>

#include "model/device.h"

/// The command line's conditions; POINTPNG_BENCH_THREADS limits the threads, default: all cores.
inline void set_up_benchmark() {
  const char* threads = std::getenv("POINTPNG_BENCH_THREADS");
  pointpng::use({threads != nullptr ? std::stoi(threads) : 0, pointpng::Device::kCpu});
}
