#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace pointpng::cli {

/// How a command of this program went.
struct OwnResult {
  int status = 0;       ///< of the process, as a shell has it
  nlohmann::json json;  ///< what it printed; null where that was no JSON
  std::string error;    ///< one sentence where the status is not 0
};

/// Runs a command of this very program in a process of its own and reads the JSON object that it
/// prints. `line` starts with "pointpng " and is as a person would type it; what it says on stderr
/// is seen. Throws `Error` where it can't be started or the user stopped it.
OwnResult run_own_command(const std::string& line);

}  // namespace pointpng::cli
