#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "train/views.h"

namespace pointpng {

/// Makes batches in worker threads, some steps ahead, and returns them in order: the model waits
/// for data only if the machine is too slow.
class BatchLoader {
 public:
  using Maker = std::function<PairBatch(std::int64_t step)>;

  BatchLoader(Maker maker, std::int64_t first_step, std::int64_t workers);
  ~BatchLoader();
  BatchLoader(const BatchLoader&) = delete;
  BatchLoader& operator=(const BatchLoader&) = delete;

  /// The next batch; rethrows what a worker threw.
  PairBatch next();

  /// Seconds that `next` has waited so far: zero when loading is hidden.
  double waited_seconds() const { return waited_seconds_; }

 private:
  void work();

  Maker maker_;
  std::int64_t ahead_;        // how many batches may be waiting
  std::int64_t to_make_;      // step that the next idle worker takes
  std::int64_t to_hand_out_;  // step that `next` returns
  double waited_seconds_ = 0.0;
  bool stopping_ = false;
  std::exception_ptr failure_;
  std::map<std::int64_t, PairBatch> ready_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::thread> threads_;
};

}  // namespace pointpng
