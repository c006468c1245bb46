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
#include <c10/util/Exception.h>
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/suggest.h"
#include "pointpng/error.h"
#include "pointpng/runtime.h"

namespace pointpng::cli {

namespace {

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;

void add_commands(Command app) {
  add_demo(app);
  add_pose(app);
  add_track(app);
  add_pretrain(app);
  add_mae(app);
  add_finetune_pose(app);
  add_finetune_classify(app);
  add_eval_equivariance(app);
  add_eval_pose(app);
  add_eval_classify(app);
  add_eval_retrieval(app);
  add_eval_compare(app);
  add_eval_ablate(app);
  add_eval_tsne(app);
  add_eval_trajectory(app);
  add_eval_landscape(app);
  add_eval_paper(app);
  add_bench_pose(app);
  add_report(app);
  add_model_info(app);
  add_bag_info(app);
  add_doctor(app);
}

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

int run(int argc, char** argv) {
  set_up_logging();
  const std::span<char*> arguments(argv + 1, static_cast<std::size_t>(std::max(0, argc - 1)));
  const bool json = asks_for(arguments, "--json");
  try {
    CLI::App app("Point-PNG: rotation-aware embeddings of point clouds, and poses from them.",
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
  } catch (const c10::Error& error) {
    return fail(kFailed, std::string("LibTorch: ") + error.what_without_backtrace(), json);
  } catch (const std::exception& error) {
    return fail(kFailed, error.what(), json);
  }
}

}  // namespace pointpng::cli
