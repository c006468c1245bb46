#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "pointpng/runtime.h"

namespace pointpng {
namespace {

std::atomic<int> chosen_threads = 0;  // 0: every usable core
thread_local bool inside_loop = false;

/// One parallel loop: threads take the next item until none is left.
class Loop {
 public:
  Loop(std::int64_t begin, std::int64_t end, const std::function<void(std::int64_t)>& work)
      : next_(begin), end_(end), work_(work) {}

  void run() {
    inside_loop = true;
    try {
      for (std::int64_t i = next_++; i < end_; i = next_++) work_(i);
    } catch (...) {
      const std::scoped_lock lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      next_ = end_;
    }
    inside_loop = false;
  }

  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::atomic<std::int64_t> next_;
  std::int64_t end_;
  const std::function<void(std::int64_t)>& work_;
  std::mutex mutex_;
  std::exception_ptr failure_;
};

/// Threads that sleep until there is a loop to help with.
class Pool {
 public:
  Pool() = default;
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool() {
    {
      const std::scoped_lock lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  /// False if another caller uses the pool.
  bool run(Loop& loop, int helpers) {
    const std::unique_lock one_caller(caller_, std::try_to_lock);
    if (!one_caller) return false;
    {
      const std::scoped_lock lock(mutex_);
      while (static_cast<int>(threads_.size()) < helpers) threads_.emplace_back([this] { help(); });
      loop_ = &loop;
      wanted_ = helpers;
    }
    wake_.notify_all();
    loop.run();
    std::unique_lock lock(mutex_);
    wanted_ = 0;  // threads that have not woken up yet do not take part
    idle_.wait(lock, [this] { return working_ == 0; });
    loop_ = nullptr;
    return true;
  }

 private:
  void help() {
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [this] { return stopping_ || wanted_ > 0; });
      if (stopping_) return;
      --wanted_;
      ++working_;
      Loop& loop = *loop_;
      lock.unlock();
      loop.run();
      lock.lock();
      if (--working_ == 0) idle_.notify_all();
    }
  }

  std::mutex caller_, mutex_;
  std::condition_variable wake_, idle_;
  std::vector<std::thread> threads_;
  Loop* loop_ = nullptr;
  int wanted_ = 0, working_ = 0;
  bool stopping_ = false;
};

}  // namespace

void set_num_threads(int threads) { chosen_threads = std::max(0, threads); }

int num_threads() {
  static const int cores = usable_cores();
  const int chosen = chosen_threads;
  return chosen > 0 ? chosen : cores;
}

void parallel_for(std::int64_t begin, std::int64_t end,
                  const std::function<void(std::int64_t)>& work) {
  static Pool pool;
  const auto helpers = static_cast<int>(std::min<std::int64_t>(num_threads(), end - begin)) - 1;
  if (helpers > 0 && !inside_loop) {
    Loop loop(begin, end, work);
    if (pool.run(loop, helpers)) {
      loop.rethrow();
      return;
    }
  }
  for (std::int64_t i = begin; i < end; ++i) work(i);
}

}  // namespace pointpng
