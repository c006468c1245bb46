#include "cli/command.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "pointpng/error.h"
#include "pointpng/registration.h"

namespace pointpng::cli {

namespace {

std::string examples_footer(std::initializer_list<Example> examples) {
  std::string text = "Examples:";
  for (const auto& example : examples) {
    text += "\n  # " + example.purpose + "\n  pointpng " + example.arguments;
  }
  return text;
}

/// "hypotheses" of --hypotheses, as the library's own messages name it.
std::string name_of(const CLI::Option& option) {
  const auto& names = option.get_lnames();
  return names.empty() ? option.get_name() : names.front();
}

/// Refuses a value with the sentence that the library has for it.
template <typename Number>
void require_range(CLI::Option& option, const char* kind, Number least, Number most) {
  const auto check = [&option, kind, least, most](const std::string& text) -> std::string {
    Number value{};
    if (!CLI::detail::lexical_cast(text, value))
      throw InputError(fmt::format("{} must be {}, got '{}'", name_of(option), kind, text));
    const std::string name = name_of(option);
    require_in_range({name, static_cast<double>(least), static_cast<double>(most), ""},
                     static_cast<double>(value));
    return "";
  };
  option.check(check, fmt::format("in [{}, {}]", least, most));
}

}  // namespace

Option& Option::required() {
  option_->required();
  return *this;
}

Option& Option::one_of(const std::vector<std::string>& words) {
  option_->check(CLI::IsMember(words));
  return *this;
}

Option& Option::range(std::int64_t least, std::int64_t most) {
  require_range(*option_, "a whole number", least, most);
  return *this;
}

Option& Option::range(double least, double most) {
  require_range(*option_, "a number", least, most);
  return *this;
}

Option& Option::positive() {
  option_->check(CLI::PositiveNumber);
  return *this;
}

Option& Option::excludes(const Option& other) {
  option_->excludes(other.option_);
  return *this;
}

Option& Option::numbers(int count) {
  option_->expected(count);
  return *this;
}

Option& Option::separated_by(char mark) {
  option_->delimiter(mark);
  return *this;
}

Option& Option::show_default() {
  option_->capture_default_str();
  return *this;
}

Option& Option::group(const std::string& heading) {
  option_->group(heading);
  return *this;
}

template <typename T>
Option Command::add_option(const std::string& name, T& value, const std::string& meaning) {
  return Option(*app_->add_option(name, value, meaning));
}

Option Command::add_flag(const std::string& name, bool& value, const std::string& meaning) {
  return Option(*app_->add_flag(name, value, meaning));
}

Option Command::add_word(const std::string& name, std::function<void(const std::string&)> set,
                         const std::string& initial, const std::string& meaning) {
  return Option(
      *app_->add_option_function<std::string>(name, std::move(set), meaning)->default_str(initial));
}

void Command::only_with(const Option& option, std::initializer_list<std::string> companions) {
  for (CLI::Option* other : app_->get_options()) {
    const bool welcome =
        other == &option.get() || other == app_->get_help_ptr() ||
        std::any_of(companions.begin(), companions.end(),
                    [other](const std::string& name) { return other->check_name(name); });
    if (!welcome) option.get().excludes(other);
  }
}

std::optional<Command> Command::find(std::string_view name) const {
  const auto found = app_->get_subcommands(
      [name](const CLI::App* command) { return command->get_name() == name; });
  if (found.empty()) return std::nullopt;
  return Command(*found.front());
}

Command add_command(Command parent, const std::string& name, const std::string& description,
                    std::initializer_list<Example> examples) {
  CLI::App& command = *parent.get().add_subcommand(name, description);
  command.footer(examples_footer(examples));
  return Command(command);
}

void list_command(Command parent, const std::string& name, const std::string& description) {
  parent.get().add_subcommand(name, description);
}

Command command_group(Command parent, const std::string& name, const std::string& description) {
  if (const auto existing = parent.find(name)) return *existing;
  return Command(*parent.get().add_subcommand(name, description)->require_subcommand(1));
}

void on_run(Command command, std::function<Outcome()> body) {
  command.get().callback([body = std::move(body)] {
    if (const Outcome outcome = body(); outcome != Outcome::kDone) {
      throw CLI::RuntimeError(static_cast<int>(outcome));
    }
  });
}

// The types that an option may have.
#define POINTPNG_OPTION(...) \
  template Option Command::add_option(const std::string&, __VA_ARGS__&, const std::string&)
POINTPNG_OPTION(int);
POINTPNG_OPTION(std::int64_t);
POINTPNG_OPTION(std::uint64_t);
POINTPNG_OPTION(double);
POINTPNG_OPTION(std::string);
POINTPNG_OPTION(std::filesystem::path);
POINTPNG_OPTION(std::optional<std::int64_t>);
POINTPNG_OPTION(std::optional<double>);
POINTPNG_OPTION(std::optional<std::string>);
POINTPNG_OPTION(std::optional<std::filesystem::path>);
POINTPNG_OPTION(std::vector<std::string>);
POINTPNG_OPTION(std::vector<double>);
#undef POINTPNG_OPTION

}  // namespace pointpng::cli
