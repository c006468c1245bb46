#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <torch/types.h>

#include "pointpng/training.h"

namespace pointpng {

using torch::Tensor;

/// The processes that train together, data-parallel. Each computes z of its share of the batch;
/// z of the whole batch is gathered, so that each computes the loss of the whole batch, and the
/// average of their gradients is that of one process with the whole batch. With one process
/// every member returns what it is given.
///
/// All processes call the members in the same order. `Error` where another process is gone.
class ProcessGroup {
 public:
  /// One process.
  ProcessGroup();
  /// Connects to the first process, or listens for the others. Throws `InputError` for a place that
  /// can't be taken and where this LibTorch has no Gloo.
  explicit ProcessGroup(const ProcessPlace& place);
  ~ProcessGroup();
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;

  static const ProcessGroup& alone();

  int rank() const { return place_.rank; }
  int size() const { return place_.size; }
  bool is_first() const { return place_.rank == 0; }

  /// Waits for all others; nothing below works before. `device` is the one that is trained on.
  void join(torch::Device device);
  /// Waits until all have come here: nobody is missed afterwards.
  void leave();

  /// Rows [n, …] of all processes, as many in each, in the order of ranks: [size n, …]. The
  /// gradient of a row is the sum of what all processes find for it.
  Tensor gather(const Tensor& rows) const;
  /// The rows of this process out of those of a whole batch of pairs [2B, …], all x before all x⁺.
  Tensor own_pairs(const Tensor& rows) const;

  void sum(Tensor& values) const;      ///< over all processes, in place
  void average(Tensor& values) const;  ///< the same, divided by their number
  void copy_from_first(Tensor& values) const;

  /// Bytes of the tensors that were exchanged so far, and the time that took: most of it is waiting
  /// for the slowest process.
  std::int64_t exchanged_bytes() const;
  double exchange_seconds() const;

 private:
  class Connection;
  ProcessPlace place_;
  std::unique_ptr<Connection> connection_;  // null: one process
};

}  // namespace pointpng
