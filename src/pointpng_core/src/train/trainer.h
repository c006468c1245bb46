#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "io/run_folder.h"
#include "pointpng/training.h"
#include "train/objective.h"
#include "train/optimiser.h"
#include "train/views.h"

namespace pointpng {

struct TrainCallbacks {
  std::function<void(const TrainStatus&)> on_status;
  std::function<void(const TrainEvent&)> on_event;
  /// Metrics of the model on held-out data; null for none.
  std::function<nlohmann::json(Model&)> evaluate;
  /// The same for an objective that trains no `Model`, such as a classifier.
  std::function<nlohmann::json()> evaluate_other;
};

/// Runs an objective on batches: steps, schedule, log, checkpoints. What a batch holds and which
/// random numbers a step uses follow from the seed and the step, so a run that was stopped and
/// resumed ends with the same weights, to the bit, as one that was not (with epochs; minutes depend
/// on the clock).
class Trainer {
 public:
  Trainer(Objective& objective, const BatchSource& source, const TrainConfig& config,
          RunFolder& folder, torch::Device device);
  /// Without a folder: nothing is written, and there is nothing to resume.
  Trainer(Objective& objective, const BatchSource& source, const TrainConfig& config,
          torch::Device device);
  /// One of several processes; all but the first have no folder (null) and batches that are their
  /// shares. Weights, moments and counters are those of the first when the run starts.
  Trainer(Objective& objective, const BatchSource& source, const TrainConfig& config,
          RunFolder* folder, torch::Device device, const ProcessGroup& group);

  /// Restores weights, moments and counters from the folder's checkpoint.
  void resume();

  /// Trains to the end or until `stop` is set; then finishes the step and saves.
  TrainEnd run(const std::atomic<bool>& stop, const TrainCallbacks& callbacks);

  std::int64_t step() const { return step_; }
  double elapsed_s() const { return elapsed_s_; }

 private:
  struct Watch;
  void copy_state_from_first();
  bool goes_on(const std::atomic<bool>& stop);
  void log(const nlohmann::json& line);
  double progress_at(std::int64_t step) const;
  StepLoss train_step(const PairBatch& batch, double progress);
  void report(Watch& watch, double waited_s, const TrainCallbacks& callbacks);
  void check_health(const TrainStatus& status, const TrainCallbacks& callbacks);
  void announce(const TrainEvent& event, const TrainCallbacks& callbacks);
  void evaluate(const TrainCallbacks& callbacks);
  void save_checkpoint();
  void save_result();

  Objective& objective_;
  const BatchSource& source_;
  TrainConfig config_;
  RunFolder* folder_;  // null: nothing is written
  torch::Device device_;
  const ProcessGroup& group_;
  FlatAdamW optimiser_;
  std::int64_t step_ = 0;
  std::int64_t total_steps_ = 0;  // 0: the run ends after a wall time
  double elapsed_s_ = 0.0;
  double skipped_before_ = 0.0;
  int collapsed_reports_ = 0;
  bool collapse_announced_ = false;
  Tensor last_norm_;
  nlohmann::json last_evaluation_ = nlohmann::json::object();
};

}  // namespace pointpng
