#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace pointpng {

/// The command line that repeats a run, quoted for a shell: the one that the configuration recorded
/// as "command_line", otherwise put together from its parts.
std::string run_command(const nlohmann::ordered_json& config);

}  // namespace pointpng
