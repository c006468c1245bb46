#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <torch/types.h>

#include "base/file.h"
#include "cli/command.h"
#include "cli/commands.h"
#include "cli/models.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/pose_options.h"
#include "cli/progress.h"
#include "eval/estimators.h"
#include "eval/pairs_dir.h"
#include "eval/pose_evaluation.h"
#include "eval/scene_pairs.h"
#include "pointpng/error.h"
#include "pointpng/io.h"

namespace pointpng::cli {
namespace {

using nlohmann::json;

struct EvalPoseOptions {
  OutputOptions output;
  ComputeOptions compute;
  std::string data, protocol;
  LoadOptions load;
  std::int64_t pairs = 100;
  std::uint64_t seed = 0;
  std::optional<double> guess;
  std::filesystem::path pairs_dir, save_pairs, rows;
  PoseOptions pose;
};

std::vector<PosePair> make(const EvalPoseOptions& options, std::vector<std::string>& notes) {
  if (options.protocol == "scene")
    return make_scene_pairs(options.data, options.pairs, options.seed, &notes);
  const ShapeSet shapes = load_shapes(options.data, options.load, &notes);
  return make_pairs(shapes, options.protocol, options.pairs, options.seed, &notes);
}

std::vector<PosePair> load_or_make(const EvalPoseOptions& options,
                                   std::vector<std::string>& notes) {
  const bool from_files = !options.pairs_dir.empty();
  if (from_files == !options.data.empty() || from_files == !options.protocol.empty())
    throw InputError(
        "give either --pairs-dir, or --data with --protocol; see 'pointpng eval pose --help'");
  return from_files ? load_pairs(options.pairs_dir, &notes) : make(options, notes);
}

PoseEvaluation measure(const EvalPoseOptions& options, const std::shared_ptr<Model>& model,
                       const std::vector<PosePair>& pairs) {
  const auto estimator = std::make_shared<PoseEstimator>(model, options.pose.config);
  Progress progress({.quiet = options.output.quiet});
  const auto on_pair = [&](std::int64_t done) {
    if (!progress.due()) return;
    const auto share = static_cast<double>(done) / static_cast<double>(pairs.size());
    progress.update(fmt::format("{} {} of {} pairs", progress_bar(share), done, pairs.size()));
  };
  if (options.guess)
    return evaluate_pose(pairs, follower_of(estimator, *options.guess, options.seed), nullptr,
                         on_pair);
  return evaluate_pose(pairs, aligner_of(estimator), search_only_of(estimator), on_pair);
}

Outcome evaluate(const EvalPoseOptions& options) {
  apply(options.output);
  const torch::Device device = apply(options.compute);
  validate(options.pose.config);
  const std::filesystem::path model_file = find_model(options.pose.model);
  const std::shared_ptr<Model> model = load_model(model_file, device).model;
  std::vector<std::string> notes;
  const std::vector<PosePair> pairs = load_or_make(options, notes);
  warn(notes);
  if (!options.save_pairs.empty()) save_pairs(options.save_pairs, pairs);

  const PoseEvaluation evaluation = measure(options, model, pairs);
  if (!options.rows.empty()) write_file_atomically(options.rows, rows_as_lines(evaluation.rows));
  if (!options.output.json) {
    print_text(to_text(evaluation));
    return Outcome::kDone;
  }
  json result = evaluation;
  result["model"] = model_file.string();
  result["pose"] = options.pose.config;
  if (options.guess) result["guess"] = *options.guess;
  result["threads"] = at::get_num_threads();
  result["notes"] = notes;
  if (options.pairs_dir.empty()) {
    result["data"] = options.data;
    result["protocol"] = options.protocol;
    result["seed"] = options.seed;
  } else {
    result["pairs_dir"] = options.pairs_dir.string();
  }
  print_json(result);
  return Outcome::kDone;
}

std::vector<std::string> all_protocols() {
  std::vector<std::string> names = protocol_names();
  names.emplace_back("scene");
  return names;
}

void add_pair_options(Command command, EvalPoseOptions& options) {
  command.add_option("--data", options.data,
                     "Shapes as for 'pretrain'; a folder of depth frames for 'scene'");
  command.add_option("--protocol", options.protocol, "How pairs are made of them")
      .one_of(all_protocols());
  command.add_option("--pairs", options.pairs, "How many pairs").range(1, 1000000).show_default();
  add_seed_option(command, options.seed);
  command.add_option("--topic", options.load.topic, "PointCloud2 topic of a bag that has several");
  command.add_option("--pairs-dir", options.pairs_dir, "A folder with pairs.json instead");
  command.add_option("--save-pairs", options.save_pairs, "Write the pairs to this new folder");
}

}  // namespace

void add_eval_pose(Command parent) {
  const auto options = std::make_shared<EvalPoseOptions>();
  Command command = add_command(
      command_group(parent, "eval", "Measure a model"), "pose",
      "How well are relative poses found? Every pair counts, rejected ones as failures.",
      {{"eval pose --data test.h5 --protocol resampled --pairs 200", "on held-out shapes"},
       {"eval pose --data depth_frames --protocol scene --json", "on depth frames, for scripts"},
       {"eval pose --data test.h5 --protocol view --save-pairs pairs --rows rows.jsonl",
        "keep the pairs and what became of each"},
       {"eval pose --pairs-dir pairs --model object", "on pairs of your own"}});
  add_pair_options(command, *options);
  add_pose_options(command, options->pose);
  command
      .add_option("--guess", options->guess,
                  "No search: start from guesses off by up to so many degrees, as tracking does")
      .range(0.0, 180.0);
  command.add_option("--rows", options->rows, "Write one JSON object a pair to this file");
  add_compute_options(command, options->compute);
  add_output_options(command, options->output);
  on_run(command, [options] { return evaluate(*options); });
}

}  // namespace pointpng::cli
