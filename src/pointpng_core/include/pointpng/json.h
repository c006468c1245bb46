#pragma once

#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "pointpng/alignment.h"
#include "pointpng/registration.h"

namespace pointpng {

/// Keeps the order of the keys. Discarded (`is_discarded`) where the text is not JSON, or nested so
/// deep (over 64) that walking through it could exhaust the stack.
nlohmann::ordered_json parse_json(std::string_view text);

// Results as `--json` prints them and scripts read them. What was not measured (NaN) is null.
void to_json(nlohmann::json& json, const StageTimes& times);
void to_json(nlohmann::json& json, const Evidence& evidence);
void to_json(nlohmann::json& json, const Hypothesis& hypothesis);
void to_json(nlohmann::json& json, const Alignment& alignment);

/// The names of the command line's options.
void to_json(nlohmann::json& json, const RegistrationConfig& config);

}  // namespace pointpng
