#include "cli/own_command.h"

#include <array>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <sys/wait.h>

#include <fmt/format.h>

#include "pointpng/error.h"
#include "report/format.h"

namespace pointpng::cli {
namespace {

constexpr std::string_view kName = "pointpng ";

std::string own_program() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

}  // namespace

OwnResult run_own_command(const std::string& line) {
  const std::string command =
      shell_quoted(own_program()) + " " + line.substr(kName.size()) + " --json --quiet";
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) throw Error(fmt::format("can't start '{}'", line));
  std::string printed;
  std::array<char, 4096> buffer{};
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe))
    printed.append(buffer.data(), count);
  const int status = ::pclose(pipe);
  OwnResult result;
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (result.status == 128 + SIGINT || result.status == 128 + SIGTERM)
    throw Error(fmt::format("'{}' was stopped", line));
  result.json = nlohmann::json::parse(printed, nullptr, false);
  if (result.json.is_discarded()) result.json = nullptr;
  if (result.status != 0)
    result.error = result.json.is_object() && result.json.contains("error")
                       ? result.json["error"].get<std::string>()
                       : fmt::format("it ended with status {}", result.status);
  return result;
}

}  // namespace pointpng::cli
