#pragma once

#include <cstdint>
#include <functional>

namespace pointpng {

/// Calls `work(i)` for every i in [begin, end) on `num_threads()` threads of a pool that is started
/// when first needed. Items are handed out one by one, so their cost may differ. Called from inside
/// another parallel loop, or while another thread uses the pool, it runs in the calling thread. An
/// exception of `work` reaches the caller after all threads have stopped.
void parallel_for(std::int64_t begin, std::int64_t end,
                  const std::function<void(std::int64_t)>& work);

}  // namespace pointpng
