#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "pointpng/training.h"
#include "report/page.h"

namespace pointpng {

/// How a run went, in one or two sentences.
std::string run_summary(const nlohmann::ordered_json& config, const RunLog& log);

/// The most important figures of those that were measured.
std::vector<Tile> run_tiles(const nlohmann::ordered_json& config, const RunLog& log,
                            std::optional<std::uint64_t> model_bytes);

/// Warnings and notes: what a reader must know before trusting the figures.
void add_run_callouts(Section& section, const RunLog& log);

}  // namespace pointpng
