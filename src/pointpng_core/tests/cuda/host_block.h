#pragma once

#include <barrier>
#include <functional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "cuda/launch.h"

/// Kernels on threads of this computer, so that they can be tested, and looked at by
/// ThreadSanitizer and its like, where there is no GPU.
namespace pointpng::cuda {

/// The barriers that were met, as "file:line", and the one that is left out: a mutation that the
/// tests must notice.
struct Barriers {
  std::set<std::string> met;
  std::string left_out;
};
Barriers& barriers();

/// One of `size` threads. It keeps CUB's rules: what it reduces is known to thread 0 only, and its
/// storage may be used again only after a `sync`.
template <int kThreads>
class HostBlock {
 public:
  struct Storage {
    Key keys[kThreads];
    float floats[kThreads];
    double doubles[kThreads];
  };

  HostBlock(Storage& storage, std::barrier<>& barrier, std::int64_t number, int rank)
      : storage_(storage), barrier_(barrier), number_(number), rank_(rank) {}

  std::int64_t number() const { return number_; }
  int rank() const { return rank_; }
  static constexpr int size() { return kThreads; }

  void sync(const char* file = __builtin_FILE(), int line = __builtin_LINE()) const {
    const std::string here =
        std::string(file).substr(std::string(file).rfind('/') + 1) + ":" + std::to_string(line);
    if (number_ == 0 && rank_ == 0) barriers().met.insert(here);
    if (here != barriers().left_out) barrier_.arrive_and_wait();
  }

  Key largest(Key mine) const {
    return reduce(storage_.keys, mine, [](Key a, Key b) { return a > b ? a : b; });
  }
  Key smallest(Key mine) const {
    return reduce(storage_.keys, mine, [](Key a, Key b) { return a < b ? a : b; });
  }
  float sum(float mine) const { return reduce(storage_.floats, mine, std::plus<>()); }
  double sum(double mine) const { return reduce(storage_.doubles, mine, std::plus<>()); }

 private:
  template <class T, class Operation>
  T reduce(T (&storage)[kThreads], T mine, Operation operation) const {
    storage[rank_] = mine;
    barrier_.arrive_and_wait();
    if (rank_ == 0)
      for (int i = 1; i < kThreads; ++i) mine = operation(mine, storage[i]);
    return mine;
  }

  Storage& storage_;
  std::barrier<>& barrier_;
  std::int64_t number_;
  int rank_;
};

/// Runs a kernel, block after block, with `kThreads` threads each (a GPU has more).
template <class Kernel, int kThreads>
void run_on_host(const typename Kernel::Arguments& with, std::int64_t blocks) {
  for (std::int64_t number = 0; number < blocks; ++number) {
    typename Kernel::Shared shared{};
    typename HostBlock<kThreads>::Storage storage;
    std::barrier<> barrier(kThreads);
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < kThreads; ++rank)
      threads.emplace_back([&, number, rank] {
        Kernel::run(HostBlock<kThreads>(storage, barrier, number, rank), shared, with);
        barrier.arrive_and_drop();  // threads that returned early are not waited for
      });
  }
}

}  // namespace pointpng::cuda
