#pragma once

#include <cstdlib>
#include <string>
#include <thread>

#include <ATen/Parallel.h>

#include "base/memory.h"
#include "base/threads.h"

/// The command line's conditions; POINTPNG_BENCH_THREADS limits the threads, default: all cores.
inline void set_up_benchmark(char** argv) {
  pointpng::wait_without_spinning(argv);
  pointpng::tune_allocator();
  const char* threads = std::getenv("POINTPNG_BENCH_THREADS");
  at::set_num_threads(threads != nullptr ? std::stoi(threads)
                                         : static_cast<int>(std::thread::hardware_concurrency()));
}
