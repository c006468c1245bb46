#include "train/loader.h"

#include <omp.h>
#include <utility>

#include "base/stopwatch.h"

namespace pointpng {

BatchLoader::BatchLoader(Maker maker, std::int64_t first_step, std::int64_t workers)
    : maker_(std::move(maker)),
      ahead_(2 * workers),
      to_make_(first_step),
      to_hand_out_(first_step) {
  for (std::int64_t i = 0; i < workers; ++i) threads_.emplace_back([this] { work(); });
}

BatchLoader::~BatchLoader() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void BatchLoader::work() {
  omp_set_num_threads(1);  // one core per worker, so as not to compete with the model's threads
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return stopping_ || to_make_ < to_hand_out_ + ahead_; });
    if (stopping_) return;
    const std::int64_t step = to_make_++;
    lock.unlock();
    PairBatch made;
    std::exception_ptr failure;
    try {
      made = maker_(step);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    if (failure) failure_ = failure;
    ready_.emplace(step, std::move(made));
    changed_.notify_all();
  }
}

PairBatch BatchLoader::next() {
  const Stopwatch asked;
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return failure_ || ready_.contains(to_hand_out_); });
  if (failure_) std::rethrow_exception(failure_);
  PairBatch batch = std::move(ready_.extract(to_hand_out_).mapped());
  ++to_hand_out_;
  lock.unlock();
  changed_.notify_all();
  waited_seconds_ += asked.seconds();
  return batch;
}

}  // namespace pointpng
