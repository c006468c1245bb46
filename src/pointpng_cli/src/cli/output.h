#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace pointpng::cli {

/// Sends what the functions below say to stderr, past a progress line if there is one.
void set_up_logging();

/// From now on only warnings and errors.
void silence_remarks();

void remark(const std::string& sentence);
void warn(const std::string& sentence);
void warn(const std::vector<std::string>& sentences);
void complain(const std::string& sentence);

/// The result of a command with `--json`: the only thing that it writes to stdout.
/// Throws `Error` where stdout can't be written.
void print_json(const nlohmann::json& result);

/// Whether `print_json` has been called: an error after it must not add a second object.
bool json_printed();

/// Text for people on stdout.
void print_text(const std::string& text);

}  // namespace pointpng::cli
