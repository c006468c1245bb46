#pragma once

#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>
#include <torch/types.h>

#include "base/temporary_folder.h"
#include "io/run_folder.h"
#include "model/small_config.h"
#include "pointpng/io.h"
#include "pointpng/training.h"
#include "train/objective.h"
#include "train/views.h"

namespace pointpng {

/// Smaller still, for whole runs: milliseconds per step.
inline ModelConfig smallest_model() {
  ModelConfig model = small_config();
  model.points = 64;
  model.patches = 8;
  model.patch_widths = {8, 8, 16};
  model.width = 16;
  model.depth = 1;
  model.embedding = 16;
  model.channels = {2, 4, 2};
  return model;
}

/// Four shapes per step, so that `shapes_of` 8 makes an epoch of two steps.
inline TrainConfig short_training(double epochs) {
  TrainConfig train;
  train.batch = 4;
  train.epochs = epochs;
  train.seed = 5;
  return train;
}

inline PairSource small_source(const ModelConfig& model, const TrainConfig& train,
                               std::int64_t shapes = 8) {
  return PairSource(procedural_shapes(shapes, 256, 1), model, train);
}

inline nlohmann::json config_of(const TrainConfig& train) { return {{"train", train}}; }

inline std::vector<nlohmann::json> log_of(const std::filesystem::path& run) {
  std::vector<nlohmann::json> lines;
  std::ifstream in(run / "log.jsonl");
  for (std::string line; std::getline(in, line);) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

inline int count_events(const std::filesystem::path& run, const std::string& kind) {
  int count = 0;
  for (const auto& line : log_of(run)) count += line.value("event", "") == kind ? 1 : 0;
  return count;
}

/// An objective whose loss the test makes up; it has one matrix to train.
class FakeObjective : public Objective {
 public:
  using Maker = std::function<StepLoss(int call, const Tensor& weight)>;
  explicit FakeObjective(Maker maker) : maker_(std::move(maker)) {}

  StepLoss loss(const PairBatch&, torch::Generator) override {
    return maker_(calls_++, module_.weight);
  }
  torch::nn::Module& module() override { return module_; }
  void save(const std::filesystem::path& path, const ModelCard&) override {
    write_safetensors(path, {{{"weight", module_.weight}}, {}});
  }

 private:
  struct OneMatrix : torch::nn::Module {
    Tensor weight = register_parameter("weight", torch::ones({2, 2}));
  };
  Maker maker_;
  OneMatrix module_;
  int calls_ = 0;
};

/// Forwards everything, and requests a stop during a chosen step, as Ctrl-C does.
class StoppingObjective : public Objective {
 public:
  StoppingObjective(Objective& inner, int stop_in, std::atomic<bool>& stop)
      : inner_(inner), steps_left_(stop_in), stop_(stop) {}

  StepLoss loss(const PairBatch& batch, torch::Generator generator) override {
    if (--steps_left_ == 0) stop_ = true;
    return inner_.loss(batch, generator);
  }
  torch::nn::Module& module() override { return inner_.module(); }
  void after_step(double progress) override { inner_.after_step(progress); }
  void save(const std::filesystem::path& path, const ModelCard& card) override {
    inner_.save(path, card);
  }
  std::shared_ptr<Model> model() override { return inner_.model(); }

 private:
  Objective& inner_;
  int steps_left_;
  std::atomic<bool>& stop_;
};

}  // namespace pointpng
