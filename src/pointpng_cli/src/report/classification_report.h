#pragma once

#include <filesystem>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace pointpng {

/// One self-contained HTML page of what `pointpng eval classify --json` prints: the accuracy beside
/// the baseline's, the accuracy per class and the confusion matrix.
std::string classification_page(const nlohmann::json& result);

/// Writes that page to a file.
void write_classification_report(const std::filesystem::path& path, const nlohmann::json& result);

}  // namespace pointpng
