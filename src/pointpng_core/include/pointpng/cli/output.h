#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace pointpng::cli {

/// Sends spdlog's messages to stderr, past a progress line if there is one.
void set_up_logging();

/// The result of a command with `--json`: the only thing that it writes to stdout.
/// Throws `Error` where stdout can't be written.
void print_json(const nlohmann::json& result);

/// Whether `print_json` has been called: an error after it must not add a second object.
bool json_printed();

/// Text for people on stdout.
void print_text(const std::string& text);

}  // namespace pointpng::cli
