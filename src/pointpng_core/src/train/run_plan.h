#pragma once

#include <filesystem>

#include <nlohmann/json.hpp>

#include "pointpng/training.h"

namespace pointpng {

/// What config.json holds of a plan.
nlohmann::json plan_as_json(const RunPlan& plan);

/// The plan back from it; `folder` is named where it can't be read.
RunPlan plan_from_json(const nlohmann::json& stored, const std::filesystem::path& folder);

/// How a classifier is fine-tuned: what works on two cores.
TrainConfig classifier_training();

}  // namespace pointpng
