#include "pointpng/cli/command.h"

#include <utility>

namespace pointpng::cli {

namespace {

std::string examples_footer(std::initializer_list<Example> examples) {
  std::string text = "Examples:";
  for (const auto& example : examples) {
    text += "\n  # " + example.purpose + "\n  pointpng " + example.arguments;
  }
  return text;
}

}  // namespace

CLI::App& add_command(CLI::App& parent, const std::string& name, const std::string& description,
                      std::initializer_list<Example> examples) {
  CLI::App& command = *parent.add_subcommand(name, description);
  command.footer(examples_footer(examples));
  return command;
}

CLI::App& command_group(CLI::App& parent, const std::string& name, const std::string& description) {
  if (CLI::App* existing = find_command(parent, name)) {
    return *existing;
  }
  return *parent.add_subcommand(name, description)->require_subcommand(1);
}

CLI::App* find_command(CLI::App& parent, std::string_view name) {
  const auto found = parent.get_subcommands(
      [name](const CLI::App* command) { return command->get_name() == name; });
  return found.empty() ? nullptr : found.front();
}

void on_run(CLI::App& command, std::function<Outcome()> body) {
  command.callback([body = std::move(body)] {
    if (const Outcome outcome = body(); outcome != Outcome::kDone) {
      throw CLI::RuntimeError(static_cast<int>(outcome));
    }
  });
}

}  // namespace pointpng::cli
