#pragma once

#include <array>
#include <string>
#include <string_view>

namespace pointpng::cli {

/// A command, or a group of commands, of `pointpng-learn`.
struct LearnCommand {
  std::string_view name, description;
};

/// The program `pointpng` lists them and hands them on; `pointpng-learn` runs them.
inline constexpr std::array kLearnCommands = {
    LearnCommand{"demo",
                 "Train a tiny model on procedural objects, then align others it never saw."},
    LearnCommand{"pretrain", "Pre-train an embedding with the Point-PNG objective."},
    LearnCommand{"mae", "Pre-train the encoder by masked autoencoding, to start 'pretrain' from."},
    LearnCommand{"finetune", "Train a model further for one purpose"},
    LearnCommand{"eval", "Measure a model"},
    LearnCommand{"bench", "Compare with others"},
    LearnCommand{"report", "Write a page about a training run: curves, settings, data, machine."}};

constexpr const LearnCommand* find_learn_command(std::string_view name) {
  for (const LearnCommand& command : kLearnCommands)
    if (command.name == name) return &command;
  return nullptr;
}

/// Of one of them, by its name.
inline std::string learn_description(std::string_view name) {
  return std::string(find_learn_command(name)->description);
}

}  // namespace pointpng::cli
