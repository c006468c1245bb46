#include "cli/app.h"

#include <algorithm>
#include <exception>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/suggest.h"
#include "pointpng/error.h"
#include "pointpng/runtime.h"

namespace pointpng::cli {

namespace {

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;

std::vector<std::string> command_names(Command parent) {
  std::vector<std::string> names;
  for (const CLI::App* command : parent.get().get_subcommands(nullptr)) {
    names.push_back(command->get_name());
  }
  return names;
}

std::vector<std::string> option_names(Command command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get().get_options(nullptr)) {
    for (const auto& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
  }
  return names;
}

/// LibTorch adds a backtrace to what it says; the sentence is the first line.
std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// The words that name a command at the start of a command line, followed down the tree.
struct Chosen {
  Command command;
  std::string path;  ///< "pointpng bag info"
};

// Done before CLI11 parses: it would call a mistyped command a missing or an unexpected one.
Chosen choose_command(Command root, std::span<char*> arguments) {
  Chosen chosen{root, root.get().get_name()};
  for (const std::string_view word : arguments) {
    const auto names = command_names(chosen.command);
    if (names.empty() || word.starts_with('-')) {
      break;
    }
    const std::optional<Command> next = chosen.command.find(word);
    if (!next) {
      throw InputError(fmt::format("'{}' is not a command of {}{} See '{} --help'.", word,
                                   chosen.path, did_you_mean(word, names), chosen.path));
    }
    chosen = {*next, chosen.path + " " + std::string(word)};
  }
  return chosen;
}

bool asks_for(std::span<char*> arguments, std::string_view flag) {
  return std::find(arguments.begin(), arguments.end(), flag) != arguments.end();
}

std::string usage_sentence(const CLI::ParseError& error, const Chosen& chosen) {
  std::string what = std::string(error.what()) + ".";
  const auto commands = command_names(chosen.command);
  const auto extras = chosen.command.get().remaining(true);
  if (!extras.empty()) {
    what = fmt::format("'{}' was not expected{}", extras.front(),
                       did_you_mean(extras.front(), option_names(chosen.command)));
  } else if (!commands.empty()) {
    what = fmt::format("a command is needed: {}.", fmt::join(commands, ", "));
  }
  return fmt::format("{} See '{} --help'.", what, chosen.path);
}

int fail(int status, const std::string& sentence, bool json) {
  complain(sentence);
  try {
    if (json && !json_printed()) {
      print_json({{"error", sentence}, {"status", status}});
    }
  } catch (const Error& unwritable) {
    complain(unwritable.what());
  }
  return status;
}

int parse_and_run(CLI::App& app, const Chosen& chosen, int argc, char** argv, bool json) {
  try {
    app.parse(argc, argv);
    return 0;
  } catch (const CLI::RuntimeError& error) {
    return error.get_exit_code();
  } catch (const CLI::Success& help_or_version) {
    return app.exit(help_or_version);
  } catch (const CLI::ParseError& error) {
    return fail(kWrongUsage, usage_sentence(error, chosen), json);
  }
}

}  // namespace

int run(int argc, char** argv, void (*add_commands)(Command root),
        void (*before)(int argc, char** argv)) {
  set_up_logging();
  const std::span<char*> arguments(argv + 1, static_cast<std::size_t>(std::max(0, argc - 1)));
  const bool json = asks_for(arguments, "--json");
  try {
    if (before != nullptr) before(argc, argv);
    CLI::App app("Point-PNG: global registration of point clouds without an initial guess.",
                 "pointpng");
    app.set_version_flag("--version", std::string("pointpng ").append(version()));
    app.require_subcommand(1);
    add_commands(Command(app));
    const Chosen chosen = choose_command(Command(app), arguments);
    return parse_and_run(app, chosen, argc, argv, json);
  } catch (const InputError& error) {
    return fail(kWrongUsage, error.what(), json);
  } catch (const std::bad_alloc&) {
    return fail(kFailed, "There is not enough memory; use fewer points or a smaller batch.", json);
  } catch (const Error& error) {
    return fail(kFailed, error.what(), json);
  } catch (const std::exception& error) {
    return fail(kFailed, first_line(error.what()), json);
  }
}

}  // namespace pointpng::cli
