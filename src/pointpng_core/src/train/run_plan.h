#pragma once

#include <filesystem>

#include <nlohmann/json.hpp>

#include "pointpng/training.h"

namespace pointpng {

/// A plan as stored in config.json.
nlohmann::json plan_as_json(const RunPlan& plan);

/// Reads it back; `folder` is named in the message if that fails.
RunPlan plan_from_json(const nlohmann::json& stored, const std::filesystem::path& folder);

/// Settings for fine-tuning a classifier that work on two cores.
TrainConfig classifier_training();

}  // namespace pointpng
