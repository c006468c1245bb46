#pragma once

#include <string>
#include <vector>

#include "pointpng/study.h"

namespace pointpng::cli {

// The command lines that give a measurement again, as a person would type them.

/// "pointpng eval classify …"
std::string command_line(const EvaluationInput& input, const ClassificationConfig& config);

/// "pointpng eval WHAT …" of a study.
std::string command_line(const std::string& what, const StudyConfig& config);

/// Of any measurement for the paper's tables.
std::string command_line(const PaperMeasurement& measurement);

/// "pointpng eval paper …"
std::string command_line(const PaperConfig& config, const std::filesystem::path& out);

}  // namespace pointpng::cli
