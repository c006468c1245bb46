#pragma once

#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/format.h"

namespace pointpng {

/// Builds a command line that can be copied to a shell.
class CommandLine {
 public:
  explicit CommandLine(const std::string& command) : text_("pointpng " + command) {}

  template <class Value>
  CommandLine& option(const std::string& name, const Value& value) {
    text_ += fmt::format(" --{} {}", name, shell_quoted(fmt::format("{}", value)));
    return *this;
  }
  /// An option with several numbers.
  CommandLine& numbers(const std::string& name, const std::vector<double>& values) {
    text_ += fmt::format(" --{} {}", name, fmt::join(values, " "));
    return *this;
  }
  CommandLine& flag(const std::string& name, bool given = true) {
    if (given) text_ += " --" + name;
    return *this;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace pointpng
