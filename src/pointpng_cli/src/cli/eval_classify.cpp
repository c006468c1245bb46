#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <torch/types.h>

#include "cli/command.h"
#include "cli/commands.h"
#include "cli/models.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "eval/classification.h"
#include "pointpng/error.h"
#include "pointpng/io.h"
#include "report/classification_report.h"
#include "train/labelled.h"

namespace pointpng::cli {
namespace {

using nlohmann::json;

struct ClassifyOptions {
  OutputOptions output;
  ComputeOptions compute;
  std::vector<std::string> train, test;
  LoadOptions load;
  bool no_background = false;
  std::string model, protocol = "so3/so3", up = ClassifyTest{}.up, baseline;
  std::optional<std::string> head;
  std::optional<double> epochs, minutes, balance, baseline_minutes;
  std::optional<std::int64_t> batch, views, ways, shots, queries, episodes;
  std::int64_t votes = ClassifyTest{}.votes;
  std::uint64_t seed = 0;
  std::filesystem::path report;

  bool few_shot() const { return ways || shots || queries || episodes; }
};

std::string names_of(const std::vector<std::string>& sources) {
  return fmt::format("{}", fmt::join(sources, ", "));
}

ShapeSet load(const std::vector<std::string>& sources, const ClassifyOptions& options,
              std::vector<std::string>& notes) {
  LoadOptions how = options.load;
  how.background = !options.no_background;
  ShapeSet all;
  for (const std::string& source : sources) append_shapes(all, load_shapes(source, how, &notes));
  return all;
}

/// A live line; `what` is the part of the work that is under way.
class Watch {
 public:
  explicit Watch(bool quiet) : progress_({.quiet = quiet}) {}
  OnShare part(const std::string& what) {
    return [this, what](double share) {
      if (progress_.due())
        progress_.update(
            fmt::format("{} {:3.0f} %  {}", progress_bar(share, 16), 100.0 * share, what));
    };
  }

 private:
  Progress progress_;
};

FitConfig make_fit(const ClassifyOptions& options, const ClassifyProtocol& protocol) {
  FitConfig fit = default_fit(options.head.value_or("mlp"));
  fit.train.seed = options.seed;
  fit.train.classify.rotations = protocol.train;
  fit.train.classify.up = options.up;
  if (options.balance) fit.train.classify.balance = *options.balance;
  if (options.batch) fit.train.batch = fit.probe.batch = *options.batch;
  if (options.views) fit.probe.views = *options.views;
  if (options.minutes && fit.head != "finetune")
    throw InputError("--minutes is for --head finetune; a head alone takes --epochs");
  if (options.epochs)
    (fit.head == "finetune" ? fit.train.epochs : fit.probe.epochs) = *options.epochs;
  if (options.minutes) fit.train.minutes = *options.minutes;
  validate(fit.train);
  if (!(fit.probe.epochs > 0.0 && fit.probe.epochs < 1e6))
    throw InputError("give a positive number of epochs");
  return fit;
}

json cost_of(const FittedClassifier& fitted) {
  return {
      {"steps", fitted.steps}, {"seconds", fitted.seconds}, {"cpu_seconds", fitted.cpu_seconds}};
}

/// The yardstick gets the time by the clock that ours took, where nothing else is asked for.
json measure_baseline(double minutes, const ShapeSet& train, const ShapeSet& test, FitConfig fit,
                      const ClassifyTest& shown, torch::Device device, Watch& watch) {
  fit.train.minutes = minutes;
  const FittedClassifier pointnet = fit_pointnet(train, fit, device, watch.part("PointNet"));
  json result = confusion_of(class_shares(*pointnet.classifier, test, shown), test);
  result["name"] = "pointnet";
  result["training"] = cost_of(pointnet);
  return result;
}

/// What is the same whatever was measured.
json describe(const ClassifyOptions& options, const std::filesystem::path& model,
              const std::vector<std::string>& notes) {
  return {{"model", model.string()},
          {"protocol", options.protocol},
          {"up", options.up},
          {"votes", options.votes},
          {"seed", options.seed},
          {"test", options.test},
          {"background", !options.no_background},
          {"threads", at::get_num_threads()},
          {"notes", notes}};
}

std::string repeat_command(const ClassifyOptions& options) {
  std::string line = "pointpng eval classify";
  const auto add = [&](const char* name, const auto& value) {
    line += fmt::format(" --{} {}", name, value);
  };
  if (!options.train.empty()) add("train", fmt::format("{}", fmt::join(options.train, " ")));
  add("test", fmt::format("{}", fmt::join(options.test, " ")));
  if (!options.model.empty()) add("model", options.model);
  add("protocol", options.protocol);
  if (options.head) add("head", *options.head);
  if (options.epochs) add("epochs", *options.epochs);
  if (options.minutes) add("minutes", *options.minutes);
  if (options.balance) add("balance", *options.balance);
  if (options.batch) add("batch", *options.batch);
  if (options.views) add("views", *options.views);
  if (options.ways) add("ways", *options.ways);
  if (options.shots) add("shots", *options.shots);
  if (options.queries) add("queries", *options.queries);
  if (options.episodes) add("episodes", *options.episodes);
  if (options.up != ClassifyTest{}.up) add("up", options.up);
  if (options.votes != ClassifyTest{}.votes) add("votes", options.votes);
  if (options.no_background) line += " --no-background";
  if (!options.baseline.empty()) add("baseline", options.baseline);
  if (options.baseline_minutes) add("baseline-minutes", *options.baseline_minutes);
  add("seed", options.seed);
  return line;
}

/// A classifier that `finetune classify` trained.
json measure_trained(const ClassifyOptions& options, const std::filesystem::path& file,
                     const ClassifyTest& shown, torch::Device device,
                     std::vector<std::string>& notes, Watch& watch) {
  if (!options.train.empty() || options.head || options.few_shot() || !options.baseline.empty() ||
      options.epochs || options.minutes)
    throw InputError(fmt::format(
        "{} is a trained classifier: it is only tested, without --train and its options",
        file.string()));
  const auto classifier = load_classifier(file, device).classifier;
  const std::vector<std::string>& classes = classifier->config().classes;
  const ShapeSet test =
      with_classes(load(options.test, options, notes), classes, names_of(options.test));
  json result = confusion_of(class_shares(*classifier, test, shown, watch.part("testing")), test);
  result["head"] = "trained";
  result["classes"] = classes.size();
  return result;
}

json measure_few_shot(const ClassifyOptions& options, const Model& model, const ShapeSet& train,
                      const ShapeSet& test, const FitConfig& fit, const ClassifyTest& shown,
                      torch::Device device, Watch& watch) {
  if (!options.baseline.empty())
    throw InputError("--baseline has no few-shot episodes; leave one of them out");
  FewShotConfig config;
  if (options.ways) config.ways = *options.ways;
  if (options.shots) config.shots = *options.shots;
  if (options.queries) config.queries = *options.queries;
  if (options.episodes) config.episodes = *options.episodes;
  const FewShotResult found =
      few_shot(model, train, test, config, fit, shown, device, watch.part("episodes"));
  json result = found.confusion;
  result["few_shot"] = found;
  result["few_shot"]["ways"] = config.ways;
  result["few_shot"]["shots"] = config.shots;
  result["few_shot"]["queries"] = config.queries;
  result["accuracy"] = found.mean();
  return result;
}

json measure(const ClassifyOptions& options, const std::filesystem::path& file,
             const ClassifyProtocol& protocol, const ClassifyTest& shown, torch::Device device,
             std::vector<std::string>& notes, Watch& watch) {
  if (options.train.empty())
    throw InputError(
        "give the shapes to train on with --train, or a classifier that 'finetune classify' "
        "trained with --model");
  const FitConfig fit = make_fit(options, protocol);
  const auto model = load_model(file, device).model;
  const ShapeSet train =
      with_used_classes(load(options.train, options, notes), names_of(options.train));
  const ShapeSet test =
      with_classes(load(options.test, options, notes), train.class_names, names_of(options.test));
  json result;
  if (options.few_shot()) {
    result = measure_few_shot(options, *model, train, test, fit, shown, device, watch);
  } else {
    const FittedClassifier ours = fit_classifier(*model, train, fit, device, watch.part(fit.head));
    const Confusion confusion =
        confusion_of(class_shares(*ours.classifier, test, shown, watch.part("testing")), test);
    result = confusion;
    result["training"] = cost_of(ours);
    if (!options.baseline.empty())
      result["baseline"] = measure_baseline(options.baseline_minutes.value_or(ours.seconds / 60.0),
                                            train, test, fit, shown, device, watch);
  }
  result["head"] = fit.head;
  result["classes"] = train.class_names.size();
  result["train"] = options.train;
  result["train_shapes"] = train.shapes.size();
  return result;
}

Confusion confusion_in(const json& result) {
  Confusion confusion(result["confusion"]["classes"].get<std::vector<std::string>>());
  confusion.counts = result["confusion"]["counts"].get<decltype(confusion.counts)>();
  return confusion;
}

std::string text_of(const json& result) {
  std::string text = to_text(confusion_in(result));
  if (result.contains("few_shot"))
    text += fmt::format(
        "{} episodes of {} classes with {} shapes each: {:.1f} ± {:.1f} %\n",
        result["few_shot"]["accuracies"].size(), result["few_shot"]["ways"].get<int>(),
        result["few_shot"]["shots"].get<int>(), 100.0 * result["few_shot"]["mean"].get<double>(),
        100.0 * result["few_shot"]["deviation"].get<double>());
  if (result.contains("training"))
    text +=
        fmt::format("trained in {}\n", short_duration(result["training"]["seconds"].get<double>()));
  if (result.contains("baseline"))
    text += fmt::format("PointNet from scratch, trained in {}: accuracy {:.1f} %\n",
                        short_duration(result["baseline"]["training"]["seconds"].get<double>()),
                        100.0 * result["baseline"]["accuracy"].get<double>());
  return text;
}

Outcome evaluate(const ClassifyOptions& options) {
  apply(options.output);
  const torch::Device device = apply(options.compute);
  const ClassifyProtocol protocol = classify_protocol(options.protocol);
  const std::filesystem::path file = find_model(options.model);
  const ClassifyTest shown{protocol.test, options.up, options.votes, options.seed};
  std::vector<std::string> notes;
  json result;
  {
    Watch watch(options.output.quiet);
    result = is_classifier(file) ? measure_trained(options, file, shown, device, notes, watch)
                                 : measure(options, file, protocol, shown, device, notes, watch);
  }
  warn(notes);
  result.update(describe(options, file, notes));
  result["command"] = repeat_command(options);
  if (!options.report.empty()) write_classification_report(options.report, result);
  options.output.json ? print_json(result) : print_text(text_of(result));
  return Outcome::kDone;
}

void add_data_options(Command command, ClassifyOptions& options) {
  const char* sources =
      "F.h5, a .txt that lists such files, or a folder with one folder a class; may be several";
  command.add_option("--train", options.train, fmt::format("Shapes to train on: {}", sources))
      .group("Data");
  command.add_option("--test", options.test, fmt::format("Shapes to test on: {}", sources))
      .required()
      .group("Data");
  command.add_option("--up", options.up, "The axis that points up in the data: x, y or z")
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
      .add_option("--head", options.head,
                  "linear or mlp on the frozen encoder, or finetune for all of it [mlp]")
      .one_of({"linear", "mlp", "finetune"})
      .group(group);
  command.add_option("--epochs", options.epochs, "Passes over the data").group(group);
  command
      .add_option("--minutes", options.minutes,
                  "Fine-tune for this long instead; such a result can't be repeated exactly")
      .positive()
      .group(group);
  command.add_option("--batch", options.batch, "Shapes a step").range(2, 65536).group(group);
  command
      .add_option("--views", options.views,
                  "Samplings of each shape whose features a head on the frozen encoder sees")
      .range(1, 1000)
      .group(group);
  command
      .add_option("--balance", options.balance,
                  "Classes of different size: 0 every shape counts alike, 1 every class")
      .range(0.0, 1.0)
      .group(group);
  command
      .add_option("--baseline", options.baseline,
                  "pointnet: train one from scratch for as long, to compare with")
      .one_of({"pointnet"})
      .group(group);
  command
      .add_option("--baseline-minutes", options.baseline_minutes,
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
  Command command = add_command(
      command_group(parent, "eval", "Measure a model"), "classify",
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
  command.add_option("--model", options->model,
                     "A model, or a trained classifier, or the name of a shipped model [object]");
  command
      .add_option("--protocol", options->protocol,
                  "How clouds are turned in training / testing: z/z, z/so3 or so3/so3")
      .one_of(classify_protocols())
      .show_default();
  command
      .add_option("--votes", options->votes,
                  "Look at each shape so often, in other poses and samplings, and average")
      .range(1, 1000)
      .show_default();
  add_training_options(command, *options);
  add_few_shot_options(command, *options);
  command.add_option("--report", options->report, "Write a page with the confusion matrix");
  add_seed_option(command, options->seed);
  add_compute_options(command, options->compute);
  add_output_options(command, options->output);
  on_run(command, [options] { return evaluate(*options); });
}

}  // namespace pointpng::cli
