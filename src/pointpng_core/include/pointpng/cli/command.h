#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

namespace pointpng::cli {

/// How a command ended; the value is the exit status of the process.
enum class Outcome {
  kDone = 0,
  kNoResult = 1,  ///< it ran, but there is nothing acceptable to give
};

/// One line under "Examples" in a command's help.
struct Example {
  std::string arguments;  ///< what follows "pointpng "
  std::string purpose;
};

/// Adds a command with examples in its help. Give it options, then a body with `on_run`.
CLI::App& add_command(CLI::App& parent, const std::string& name, const std::string& description,
                      std::initializer_list<Example> examples);

/// Finds the group of commands `name` (as "bag" in `bag info`) under `parent`, or adds it.
CLI::App& command_group(CLI::App& parent, const std::string& name, const std::string& description);

/// The command of that name directly under `parent`, or null.
CLI::App* find_command(CLI::App& parent, std::string_view name);

/// What the command does once the whole command line has been accepted. The body throws
/// `InputError` for what the user gave (status 2), any other exception for a failure (status 1).
void on_run(CLI::App& command, std::function<Outcome()> body);

}  // namespace pointpng::cli
