#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include <nlohmann/json.hpp>

#include "pointpng/model.h"

namespace pointpng {

/// The text fields of a model file.
using Metadata = std::map<std::string, std::string>;

/// Metadata that every file of ours carries: what it is and in which version of the format.
Metadata file_header(const std::string& kind, const ModelConfig& config);

/// Checks it and reads the configuration back; throws `InputError` for other files and versions.
ModelConfig check_header(const Metadata& metadata, const std::string& kind,
                         const std::filesystem::path& path);

/// A field that holds JSON; an empty object where it is missing or unreadable.
nlohmann::json metadata_json(const Metadata& metadata, const std::string& name);

/// Throws `InputError` where a file has fewer weights (`stored`) than such a model needs: a
/// configuration that lies must not make us build a model that no memory can hold.
void require_room(const ModelConfig& config, std::int64_t stored, const std::string& origin);

}  // namespace pointpng
