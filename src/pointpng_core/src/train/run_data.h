#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "pointpng/training.h"

namespace pointpng {

/// The concatenated shapes of several sources. Each source is described in `sources` if that is
/// given: name, number of shapes and points, checksum.
ShapeSet load_sources(const std::vector<std::string>& data, const LoadOptions& load,
                      const OnMessage& on_message, nlohmann::json* sources = nullptr);

/// The shapes of a run.
struct RunData {
  ShapeSet train, held_out;
  nlohmann::json sources = nlohmann::json::array();
};

/// Loads what a plan names and splits it by the plan's seed.
RunData load_run_data(const RunPlan& plan, const OnMessage& on_message);

/// Throws `InputError` if a source has changed since the run started: with other data it would be
/// a different run. What the run did not record, such as older versions, is not checked.
void require_same_data(const nlohmann::json& then, const nlohmann::json& now,
                       const std::filesystem::path& run);

/// Maximum number of shapes for evaluation during a run.
inline constexpr std::int64_t kMostHeldOut = 64;

}  // namespace pointpng
