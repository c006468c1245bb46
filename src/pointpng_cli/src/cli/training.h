#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include <torch/nn/module.h>

#include "cli/options.h"
#include "pointpng/cloud.h"
#include "pointpng/io.h"
#include "train/config.h"
#include "train/trainer.h"

namespace pointpng::cli {

/// Everything that determines a run; what config.json holds.
struct RunPlan {
  std::string command;  ///< pretrain | mae | finetune pose | finetune classify | demo
  std::string preset;
  ModelConfig model;
  TrainConfig train;
  std::vector<std::string> data;
  LoadOptions load;
  double held_out = 0.05;           ///< share of the shapes kept back to evaluate on
  std::int64_t left_out = 0;        ///< every so-manieth shape takes no part at all; 0: none
  std::filesystem::path init;       ///< encoder to start from; empty: none
  std::filesystem::path finetuned;  ///< model to start from with all its weights; empty: none
};

/// How a run ended.
struct RunResult {
  TrainEnd end = TrainEnd::kFinished;
  std::int64_t steps = 0;
  double elapsed_s = 0.0;
  std::filesystem::path result;  ///< the weights
  nlohmann::json metrics = nlohmann::json::object();
};

/// For callers other than a terminal: how they watch a run and stop it.
struct RunHooks {
  std::function<void(const TrainStatus&)> on_status;
  std::function<void(const TrainEvent&)> on_event;
  const std::atomic<bool>* stop = nullptr;  ///< null: SIGINT and SIGTERM stop the run
};

/// All shapes of several sources, one after the other; what a user should know is logged. Each
/// source is described in `sources` where that is given.
ShapeSet load_sources(const std::vector<std::string>& data, const LoadOptions& load,
                      nlohmann::json* sources = nullptr);

/// Takes every n-th shape out of a set, to be measured on: what `left_out` leaves out of a run.
ShapeSet take_every(ShapeSet& shapes, std::int64_t n);

/// What config.json holds of a plan.
nlohmann::json plan_as_json(const RunPlan& plan);

/// Starts the run in a new folder.
RunResult start_run(const RunPlan& plan, const std::filesystem::path& out,
                    const ComputeOptions& compute, bool quiet, const RunHooks& hooks = {});

/// Goes on with the run in a folder, exactly as it was started.
RunResult resume_run(const std::string& command, const std::filesystem::path& out,
                     const ComputeOptions& compute, bool quiet, const RunHooks& hooks = {});

/// How many numbers are trained in a module, or in its parts whose names start with `prefix`.
std::int64_t count_weights(const torch::nn::Module& module, const std::string& prefix = "");

/// Sets a member by its dotted name ("model.width=96", "train.loss.beta=0"); throws `InputError`
/// for unknown names and values of another type.
void override_setting(RunPlan& plan, const std::string& assignment);

}  // namespace pointpng::cli
