#include "report/run_command.h"

#include <array>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/format.h"
#include "report/json_leaves.h"

namespace pointpng {
namespace {

/// The plain value at `key` of a group (or of the whole), "" where there is none.
std::string scalar_at(const Json& config, const std::string& group, const std::string& key) {
  const Json& place = group.empty() ? config : config.value(group, Json::object());
  if (!place.is_object() || !place.contains(key) || place[key].is_structured()) return "";
  return text_at(place, key);
}

std::string data_option(const Json& config) {
  std::string words;
  if (config.contains("data") && config["data"].is_array())
    for (const Json& entry : config["data"])
      if (const std::string source = text_at(entry, "source"); !source.empty())
        words += " " + shell_quoted(source);
  return words.empty() ? "" : " --data" + words;
}

}  // namespace

std::string run_command(const Json& config) {
  if (const std::string recorded = text_at(config, "command_line"); !recorded.empty())
    return recorded;
  struct Option {
    std::string_view group, key;
  };
  constexpr std::array kOptions = {Option{"", "preset"},         Option{"model", "backbone"},
                                   Option{"model", "predictor"}, Option{"train", "epochs"},
                                   Option{"train", "minutes"},   Option{"", "seed"},
                                   Option{"", "device"}};
  const std::string command = text_at(config, "command");
  const bool finetune = command.starts_with("finetune ");
  std::string line = "pointpng " + (command.empty() ? "pretrain"
                                    : finetune      ? "finetune " + shell_quoted(command.substr(9))
                                                    : shell_quoted(command));
  if (const std::string start = text_at(config, "finetuned"); finetune && !start.empty())
    line += " --model " + shell_quoted(start);
  line += data_option(config) + " --out RUN";
  for (const auto& [group, key] : kOptions) {
    // What is fine-tuned has its architecture already.
    if (finetune && (key == "preset" || group == "model")) continue;
    const std::string value = scalar_at(config, std::string(group), std::string(key));
    const bool unset = value.empty() || (group == "train" && value == "0");
    if (!unset) line += fmt::format(" --{} {}", key, shell_quoted(value));
  }
  return line;
}

}  // namespace pointpng
