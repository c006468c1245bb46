#pragma once

#include <filesystem>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace pointpng {

/// One self-contained HTML page of what `pointpng eval classify --json` prints: the accuracy beside
/// the yardstick's, every class, and which classes were taken for which.
std::string classification_page(const nlohmann::json& told);

/// Writes that page to a file, as a whole or not at all.
void write_classification_report(const std::filesystem::path& path, const nlohmann::json& result);

}  // namespace pointpng
