#pragma once

#include <map>
#include <string>

/// A CUDA device that is none, for a LibTorch without CUDA: its operations are computed on the CPU
/// and counted. The host can't touch its memory, and tensors of host and device don't mix.
namespace counting {

struct Counts {
  std::map<std::string, long> operations;  ///< by name, one launch each
  long launches = 0;
  long copies_to_device = 0, copies_to_host = 0;  ///< single values that are read included
  long waits = 0;                                 ///< copies and reads for which the host waited
  long pinned = 0;                                ///< tensors that were put into pinned memory
  long own_stream = 0;                            ///< launches that were not on the default stream
};

Counts counts();  ///< so far
void reset();

/// Memory of the device that may be touched while it exists: what a kernel does.
class OpenMemory {
 public:
  OpenMemory();
  ~OpenMemory();
  OpenMemory(const OpenMemory&) = delete;
  OpenMemory& operator=(const OpenMemory&) = delete;
};

/// From now on every operation of the device fails after so many more; -1: none does.
void fail_after(long operations);

}  // namespace counting
