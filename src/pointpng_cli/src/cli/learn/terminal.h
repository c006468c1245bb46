#pragma once

#include <atomic>
#include <memory>

#include "cli/options.h"
#include "pointpng/evaluation.h"
#include "pointpng/training.h"

namespace pointpng::cli {

/// Shows runs and evaluations of the library on the terminal: a live line for what goes on, remarks
/// and warnings above it. While a run trains, the first Ctrl-C asks it to stop after its step; the
/// second one kills.
class Terminal {
 public:
  explicit Terminal(const OutputOptions& output);
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  /// The hooks refer to this object.
  RunHooks run_hooks();
  EvaluationHooks evaluation_hooks();

  /// What was warned of so far.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  class LiveRun;

  void show(std::string_view what, double share);
  OnMessage on_message();

  bool quiet_;
  std::vector<std::string> warnings_;
  std::unique_ptr<LiveRun> live_;
};

}  // namespace pointpng::cli
