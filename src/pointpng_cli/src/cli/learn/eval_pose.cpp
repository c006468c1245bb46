#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/learn/commands.h"
#include "cli/learn/eval_options.h"
#include "cli/learn/terminal.h"
#include "cli/output.h"
#include "cli/pose_options.h"
#include "pointpng/evaluation.h"
#include "pointpng/io.h"

namespace pointpng::cli {
namespace {

struct EvalPoseOptions : EvalOptions {
  std::string data;
  PosePairs pairs;
  std::optional<double> guess;
  std::filesystem::path save_pairs, rows;
  bool viewpoint = false, up = false;
  PoseOptions pose;
};

/// Pairs that were saved keep all that is known of them.
void forget_what_was_not_asked_for(const EvalPoseOptions& options, std::vector<PosePair>& pairs) {
  for (PosePair& pair : pairs) {
    if (!options.viewpoint) pair.source_viewpoint = pair.target_viewpoint = std::nullopt;
    if (!options.up) pair.source_up = pair.target_up = std::nullopt;
  }
}

Outcome evaluate(EvalPoseOptions& options) {
  apply(options.output);
  validate(options.pose.config);
  options.input.model = options.pose.model;
  if (!options.data.empty()) options.input.data = {options.data};
  find_model(options.input.model);  // complains before the pairs are made
  auto terminal = std::make_unique<Terminal>(options.output);
  const EvaluationHooks hooks = terminal->evaluation_hooks();
  std::vector<PosePair> pairs = load_or_make_pairs(options.input, options.pairs, hooks.on_message);
  if (!options.save_pairs.empty()) save_pairs(options.save_pairs, pairs);
  forget_what_was_not_asked_for(options, pairs);
  const PoseEvaluation evaluation =
      evaluate_pose(options.input, options.pose.config, pairs, options.guess, hooks);
  const std::vector<std::string> notes = terminal->warnings();
  terminal.reset();
  if (!options.rows.empty()) write_file_atomically(options.rows, rows_as_lines(evaluation.rows));
  if (options.output.json) {
    nlohmann::json result = pose_evaluation_json(evaluation, options.input, options.pairs,
                                                 options.pose.config, options.guess, notes);
    result["viewpoint"] = options.viewpoint;
    result["up"] = options.up;
    print_json(result);
  } else {
    print_text(to_text(evaluation));
  }
  return Outcome::kDone;
}

std::vector<std::string> all_protocols() {
  std::vector<std::string> names = pose_protocols();
  names.emplace_back("scene");
  return names;
}

void add_pair_options(Command command, EvalPoseOptions& options) {
  command.add_option("--data", options.data,
                     "Shapes as for 'pretrain'; a folder of depth frames for 'scene'");
  command.add_option("--protocol", options.pairs.protocol, "How pairs are made of them")
      .one_of(all_protocols());
  command.add_option("--pairs", options.pairs.pairs, "How many pairs")
      .range(1, 1000000)
      .show_default();
  command.add_option("--topic", options.input.load.topic, kTopicHelp);
  command.add_option("--pairs-dir", options.pairs.folder, "A folder with pairs.json instead");
  command.add_flag("--viewpoint", options.viewpoint,
                   "Registration is told where the sensors were, where the pairs know it");
  command.add_flag("--up", options.up,
                   "Registration is told which way is up, where the pairs know it");
  command.add_option("--save-pairs", options.save_pairs, "Write the pairs to this new folder");
}

}  // namespace

void add_eval_pose(Command parent) {
  const auto options = std::make_shared<EvalPoseOptions>();
  Command command = add_eval_command(
      parent, "pose",
      "How well are relative poses found? Every pair counts, rejected ones as failures.",
      {{"eval pose --data test.h5 --protocol resampled --pairs 200", "on held-out shapes"},
       {"eval pose --data depth_frames --protocol scene --json", "on depth frames, for scripts"},
       {"eval pose --data test.h5 --protocol view --save-pairs pairs --rows rows.jsonl",
        "keep the pairs and the result of each"},
       {"eval pose --data test.h5 --protocol view --viewpoint", "with the sensor's place known"},
       {"eval pose --pairs-dir pairs --model object", "on pairs of your own"}});
  add_pair_options(command, *options);
  add_pose_options(command, options->pose);
  command
      .add_option("--guess", options->guess,
                  "No search: start from guesses off by up to this many degrees, as tracking does")
      .range(0.0, 180.0);
  command.add_option("--rows", options->rows, "Write one JSON object per pair to this file");
  add_common_options(command, *options);
  on_run(command, [options] { return evaluate(*options); });
}

}  // namespace pointpng::cli
