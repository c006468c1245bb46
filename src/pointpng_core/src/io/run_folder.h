#pragma once

#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "pointpng/training.h"

namespace pointpng {

/// The files of a training run:
///   config.json             the plan: model, data, settings, machine
///   log.jsonl               metrics, events and evaluations, one per line
///   checkpoint.safetensors  to resume from, bit-exact
///   model.safetensors       the result (encoder.safetensors of masked autoencoding,
///                           classifier.safetensors of a classifier)
class RunFolder {
 public:
  /// A new run; refuses a folder that has one already.
  static RunFolder create(const std::filesystem::path& path, const nlohmann::json& config);
  /// A run to resume; throws `InputError` where there is none.
  static RunFolder open(const std::filesystem::path& path);

  /// The plan of the run in a folder, without opening it for writing; throws as `open` does.
  static nlohmann::json read_config(const std::filesystem::path& path);

  const nlohmann::json& config() const { return config_; }
  std::filesystem::path path() const { return path_; }
  std::filesystem::path checkpoint() const { return path_ / "checkpoint.safetensors"; }
  std::filesystem::path result() const;

  /// Appends one line to the log and flushes it.
  void log(const nlohmann::json& line);

 private:
  RunFolder(std::filesystem::path path, nlohmann::json config);

  std::filesystem::path path_;
  nlohmann::json config_;
  std::ofstream log_;
};

}  // namespace pointpng
