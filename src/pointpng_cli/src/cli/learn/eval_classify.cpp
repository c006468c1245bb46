#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/learn/command_lines.h"
#include "cli/learn/commands.h"
#include "cli/learn/eval_options.h"
#include "cli/learn/terminal.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "report/classification_report.h"

namespace pointpng::cli {
namespace {

using nlohmann::json;

struct ClassifyOptions : EvalOptions {
  ClassificationConfig config;
  bool no_background = false;
  std::string baseline;
  std::optional<std::int64_t> ways, shots, queries, episodes;
  std::filesystem::path report;
};

/// What the options say beside the members that they set by themselves.
void complete(ClassifyOptions& options) {
  options.input.load.background = !options.no_background;
  options.config.baseline = !options.baseline.empty();
  if (!options.ways && !options.shots && !options.queries && !options.episodes) return;
  FewShotConfig& episodes = options.config.few_shot.emplace();
  if (options.ways) episodes.ways = *options.ways;
  if (options.shots) episodes.shots = *options.shots;
  if (options.queries) episodes.queries = *options.queries;
  if (options.episodes) episodes.episodes = *options.episodes;
}

std::string text_of(const ClassificationResult& result) {
  std::string text = to_text(result.confusion);
  if (result.few_shot)
    text +=
        fmt::format("{} episodes of {} classes with {} shapes each: {:.1f} ± {:.1f} %\n",
                    result.few_shot->accuracies.size(), result.episodes.ways, result.episodes.shots,
                    100.0 * result.few_shot->mean(), 100.0 * result.few_shot->deviation());
  if (result.training)
    text += fmt::format("trained in {}\n", short_duration(result.training->seconds));
  if (result.baseline)
    text += fmt::format("PointNet from scratch, trained in {}: accuracy {:.1f} %\n",
                        short_duration(result.baseline->training.seconds),
                        100.0 * result.baseline->confusion.accuracy());
  return text;
}

json to_json(const ClassifyOptions& options, const ClassificationResult& result,
             const std::vector<std::string>& notes) {
  json all = result;
  all.update({{"protocol", options.config.protocol},
              {"up", options.config.up},
              {"votes", options.config.votes},
              {"seed", options.input.seed},
              {"test", options.input.data},
              {"background", options.input.load.background},
              {"threads",
               options.input.compute.threads > 0 ? options.input.compute.threads : usable_cores()},
              {"notes", notes},
              {"command", command_line(options.input, options.config)}});
  if (!options.config.train.empty()) all["train"] = options.config.train;
  return all;
}

Outcome evaluate(ClassifyOptions& options) {
  apply(options.output);
  complete(options);
  auto terminal = std::make_unique<Terminal>(options.output);
  const ClassificationResult result =
      evaluate_classification(options.input, options.config, terminal->evaluation_hooks());
  const json all = to_json(options, result, terminal->warnings());
  terminal.reset();
  if (!options.report.empty()) write_classification_report(options.report, all);
  options.output.json ? print_json(all) : print_text(text_of(result));
  return Outcome::kDone;
}

void add_data_options(Command command, ClassifyOptions& options) {
  const char* sources =
      "F.h5, a .txt that lists such files, or a folder with one folder per class; may be several";
  command
      .add_option("--train", options.config.train, fmt::format("Shapes to train on: {}", sources))
      .group("Data");
  command.add_option("--test", options.input.data, fmt::format("Shapes to test on: {}", sources))
      .required()
      .group("Data");
  command.add_option("--up", options.config.up, "The axis that points up in the data: x, y or z")
      .one_of({"x", "y", "z"})
      .show_default()
      .group("Data");
  command
      .add_flag("--no-background", options.no_background,
                "Leave out what the files' mask calls background (ScanObjectNN)")
      .group("Data");
}

void add_training_options(Command command, ClassifyOptions& options) {
  const std::string group = "Training";
  command
      .add_option("--head", options.config.head,
                  "linear or mlp on the frozen encoder, or finetune for all of it [mlp]")
      .one_of({"linear", "mlp", "finetune"})
      .group(group);
  command.add_option("--epochs", options.config.epochs, "Passes over the data").group(group);
  command
      .add_option("--minutes", options.config.minutes,
                  "Fine-tune for this long instead; such a result can't be repeated exactly")
      .positive()
      .group(group);
  command.add_option("--batch", options.config.batch, "Shapes per step")
      .range(2, 65536)
      .group(group);
  command
      .add_option("--views", options.config.views,
                  "Samplings of each shape whose features a head on the frozen encoder sees")
      .range(1, 1000)
      .group(group);
  command
      .add_option("--balance", options.config.balance,
                  "Classes of different size: 0 every shape counts alike, 1 every class")
      .range(0.0, 1.0)
      .group(group);
  command
      .add_option("--baseline", options.baseline,
                  "pointnet: train one from scratch for as long, to compare with")
      .one_of({"pointnet"})
      .group(group);
  command
      .add_option("--baseline-minutes", options.config.baseline_minutes,
                  "Give it this long instead of the time that ours took")
      .positive()
      .group(group);
}

void add_few_shot_options(Command command, ClassifyOptions& options) {
  const std::string group = "Few-shot episodes";
  const auto count = [&](const char* name, std::optional<std::int64_t>& value, const char* about) {
    command.add_option(name, value, about).range(1, 1000000).group(group);
  };
  count("--ways", options.ways, "Classes of an episode [5]");
  count("--shots", options.shots, "Shapes of each class to learn from [10]");
  count("--queries", options.queries, "Shapes of each class to be tested on [20]");
  count("--episodes", options.episodes, "How many episodes [10]");
}

}  // namespace

void add_eval_classify(Command parent) {
  const auto options = std::make_shared<ClassifyOptions>();
  Command command = add_eval_command(
      parent, "classify",
      "Does the encoder know shapes? Trains a head on it, or all of it, and names unseen shapes.",
      {{"eval classify --train train.h5 --test test.h5 --protocol z/so3",
        "an MLP on the frozen encoder; trained upright, tested in any pose"},
       {"eval classify --train train_files.txt --test test_files.txt --up y --head finetune "
        "--baseline pointnet --report page.html",
        "ModelNet40's own lists, fine-tuned, beside PointNet"},
       {"eval classify --train train.h5 --test test.h5 --ways 5 --shots 10 --json",
        "few-shot episodes"},
       {"eval classify --model runs/classes/classifier.safetensors --test test.h5 --votes 10",
        "a classifier that 'finetune classify' trained"}});
  add_data_options(command, *options);
  command.add_option("--model", options->input.model,
                     "A model, or a trained classifier, or the name of a shipped model [object]");
  command
      .add_option("--protocol", options->config.protocol,
                  "How clouds are rotated in training / testing: z/z, z/so3 or so3/so3")
      .one_of(classify_protocols())
      .show_default();
  command
      .add_option("--votes", options->config.votes,
                  "Views of each shape, in other poses and samplings, that are averaged")
      .range(1, 1000)
      .show_default();
  add_training_options(command, *options);
  add_few_shot_options(command, *options);
  command.add_option("--report", options->report, "Write a page with the confusion matrix");
  add_common_options(command, *options);
  on_run(command, [options] { return evaluate(*options); });
}

}  // namespace pointpng::cli
