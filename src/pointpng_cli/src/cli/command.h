#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// CLI11's header is kept to command.cpp and app.cpp: its templates take seconds in every file that
// declares an option with them.
namespace CLI {  // NOLINT(readability-identifier-naming): theirs
class App;
class Option;
}  // namespace CLI

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

/// What may be said of an option after it was added. A handle: copies mean the same option.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(&option) {}

  Option& required();
  Option& one_of(const std::vector<std::string>& words);
  Option& range(int least, int most) { return range(std::int64_t{least}, std::int64_t{most}); }
  Option& range(std::int64_t least, std::int64_t most);
  Option& range(double least, double most);
  Option& positive();
  Option& excludes(const Option& other);
  Option& numbers(int count);       ///< takes exactly this many values
  Option& separated_by(char mark);  ///< several values may come in one word
  Option& show_default();           ///< in the help: what the variable holds now
  Option& group(const std::string& heading);

  CLI::Option& get() const { return *option_; }

 private:
  CLI::Option* option_;
};

/// A command, or a group of them as "bag" in `bag info`. A handle: copies mean the same command.
class Command {
 public:
  explicit Command(CLI::App& app) : app_(&app) {}

  /// `value` is written when the option is given; it must live until the command has run. The
  /// types that there are stand at the end of command.cpp.
  template <typename T>
  Option add_option(const std::string& name, T& value, const std::string& meaning);
  Option add_flag(const std::string& name, bool& value, const std::string& meaning);
  /// `set` is called with the word that is given; `initial` is shown as the default.
  Option add_word(const std::string& name, std::function<void(const std::string&)> set,
                  const std::string& initial, const std::string& meaning);

  /// Refuses `option` beside every option added so far, except `companions` (as "--out").
  void only_with(const Option& option, std::initializer_list<std::string> companions);

  /// The command of that name directly under this one.
  std::optional<Command> find(std::string_view name) const;

  CLI::App& get() const { return *app_; }

 private:
  CLI::App* app_;
};

/// Adds a command with examples in its help. Give it options, then a body with `on_run`.
Command add_command(Command parent, const std::string& name, const std::string& description,
                    std::initializer_list<Example> examples);

/// Lists a command of another program in the help, with no options of its own.
void list_command(Command parent, const std::string& name, const std::string& description);

/// Finds the group of commands `name` (as "bag" in `bag info`) under `parent`, or adds it.
Command command_group(Command parent, const std::string& name, const std::string& description);

/// What the command does once the whole command line has been accepted. The body throws
/// `InputError` for what the user gave (status 2), any other exception for a failure (status 1).
void on_run(Command command, std::function<Outcome()> body);

}  // namespace pointpng::cli
