#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "pointpng/training.h"

namespace pointpng {

/// All shapes of several sources, one after the other. Each source is described in `sources` where
/// that is given: name, number of shapes and points, checksum.
ShapeSet load_sources(const std::vector<std::string>& data, const LoadOptions& load,
                      const OnMessage& on_message, nlohmann::json* sources = nullptr);

/// The shapes of a run.
struct RunData {
  ShapeSet train, held_out;
  nlohmann::json sources = nlohmann::json::array();
};

/// Loads what a plan names and splits it by the plan's seed.
RunData load_run_data(const RunPlan& plan, const OnMessage& on_message);

/// Throws `InputError` where a source is not what it was when the run started: with other data it
/// would be another run. What the run did not note, as those of older versions, is not asked for.
void require_same_data(const nlohmann::json& then, const nlohmann::json& now,
                       const std::filesystem::path& run);

/// How many shapes a run is evaluated on at most, while it goes on.
inline constexpr std::int64_t kMostHeldOut = 64;

}  // namespace pointpng
