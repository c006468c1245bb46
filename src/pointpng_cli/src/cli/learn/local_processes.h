#pragma once

#include <sys/types.h>
#include <vector>

#include "pointpng/training.h"

namespace pointpng::cli {

/// The other processes of `--processes`: this program again, with the same command line and the
/// environment that torchrun would give.
class LocalProcesses {
 public:
  LocalProcesses() = default;
  /// Waits for those that end by themselves; kills the others, which have nothing to write.
  ~LocalProcesses();
  LocalProcesses(const LocalProcesses&) = delete;
  LocalProcesses& operator=(const LocalProcesses&) = delete;

  /// The place of this process: the first of `count`, which starts the others when it listens.
  ProcessPlace place(int count);

 private:
  void start(int count, int port);

  std::vector<pid_t> started_;
};

}  // namespace pointpng::cli
