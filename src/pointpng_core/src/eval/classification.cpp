#include "eval/classification.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <torch/types.h>

#include "base/random.h"
#include "base/stopwatch.h"
#include "cloud/normalise.h"
#include "model/rotation.h"
#include "pointpng/error.h"
#include "train/labelled.h"
#include "train/run_plan.h"
#include "train/trainer.h"

namespace pointpng {
namespace {

constexpr std::uint64_t kEpisode = 25;  // id of this random stream
constexpr double kProbeShare = 0.1;     // rough share of the time of fine-tuning

void require_usable_all(const ShapeSet& shapes, const ModelConfig& model) {
  for (const Shape& shape : shapes.shapes)
    require_usable(shape.points, shape.name, model.patch_points);
}

/// Trains all weights that require a gradient; returns the number of steps.
std::int64_t train_all(const std::shared_ptr<Classifier>& classifier, const ShapeSet& shapes,
                       const TrainConfig& config, torch::Device device, const OnShare& on_share) {
  const auto objective = classifier_objective(
      classifier, class_weights(shapes, config.classify.balance), config.classify.label_smoothing);
  const LabelledSource source(shapes, classifier->config().model, config);
  Trainer trainer(*objective, source, config, device);
  TrainCallbacks callbacks;
  if (on_share) callbacks.on_status = [&](const TrainStatus& status) { on_share(status.progress); };
  const std::atomic<bool> never = false;
  trainer.run(never, callbacks);
  classifier->eval();
  return trainer.step();
}

/// Rows of the shapes of each class, in the order of the set.
std::vector<std::vector<std::int64_t>> rows_by_class(const ShapeSet& shapes) {
  std::vector<std::vector<std::int64_t>> rows(shapes.class_names.size());
  for (std::size_t i = 0; i < shapes.shapes.size(); ++i)
    rows[static_cast<std::size_t>(shapes.shapes[i].label)].push_back(static_cast<std::int64_t>(i));
  return rows;
}

/// `count` shapes of every chosen class, drawn at random, with labels 0, 1, … in the order chosen.
ShapeSet draw(const ShapeSet& shapes, const std::vector<std::vector<std::int64_t>>& by_class,
              const std::vector<std::int64_t>& chosen, std::int64_t count, Random& random) {
  ShapeSet drawn;
  for (const std::int64_t number : chosen) {
    std::vector<std::int64_t> rows = by_class[static_cast<std::size_t>(number)];
    random.shuffle(rows);
    rows.resize(std::min(rows.size(), static_cast<std::size_t>(count)));
    for (const std::int64_t row : rows) {
      drawn.shapes.push_back(shapes.shapes[static_cast<std::size_t>(row)]);
      drawn.shapes.back().label = static_cast<int>(drawn.class_names.size());
    }
    drawn.class_names.push_back(shapes.class_names[static_cast<std::size_t>(number)]);
  }
  return drawn;
}

/// The classes that can take part in an episode.
std::vector<std::int64_t> eligible_classes(const ShapeSet& train,
                                           const std::vector<std::vector<std::int64_t>>& to_learn,
                                           const std::vector<std::vector<std::int64_t>>& to_test,
                                           const FewShotConfig& config) {
  std::vector<std::int64_t> classes;
  for (std::size_t i = 0; i < train.class_names.size(); ++i)
    if (std::cmp_greater_equal(to_learn[i].size(), config.shots) && !to_test[i].empty())
      classes.push_back(static_cast<std::int64_t>(i));
  if (std::cmp_less(classes.size(), config.ways))
    throw InputError(fmt::format(
        "{} classes have {} shapes to learn from and one to be tested on, {}-way episodes need {}",
        classes.size(), config.shots, config.ways, config.ways));
  return classes;
}

}  // namespace

std::vector<std::string> classify_protocols() { return {"z/z", "z/so3", "so3/so3"}; }

ClassifyProtocol classify_protocol(const std::string& name) {
  const auto known = classify_protocols();
  if (std::find(known.begin(), known.end(), name) == known.end())
    throw InputError(
        fmt::format("there is no protocol '{}'; there are: {}", name, fmt::join(known, ", ")));
  const auto slash = name.find('/');
  return {name.substr(0, slash), name.substr(slash + 1)};
}

FitConfig default_fit(const std::string& head) {
  if (head != "linear" && head != "mlp" && head != "finetune")
    throw InputError(fmt::format("there is no head '{}'; there are: linear, mlp, finetune", head));
  FitConfig config;
  config.head = head;
  config.train = classifier_training();
  if (head == "finetune") {  // its head is only a start
    config.probe.views = 3;
    config.probe.epochs = 40;
  }
  if (head == "linear") config.train.classify.feature_dropout = 0.0;
  return config;
}

FittedClassifier fit_classifier(const Model& model, const ShapeSet& train, const FitConfig& config,
                                torch::Device device, const OnShare& on_share) {
  validate(config.train);
  const Stopwatch watch;
  ClassifierConfig wanted =
      classifier_config(model.config(), train.class_names, config.train.classify);
  if (config.head == "linear") wanted.hidden.clear();
  require_usable_all(train, wanted.model);
  torch::manual_seed(config.train.seed);
  FittedClassifier fitted{std::make_shared<Classifier>(wanted), {}};
  fitted.classifier->take_encoder(model);
  fitted.classifier->to(device);
  ProbeConfig probe = config.probe;
  probe.seed = config.train.seed;
  const bool finetune = config.head == "finetune";
  const auto part = [&](double from, double to) -> OnShare {
    if (!on_share) return nullptr;
    return [&on_share, from, to](double share) { on_share(from + (to - from) * share); };
  };
  fitted.cost.steps = fit_probe(*fitted.classifier, train, config.train.classify, probe,
                                part(0.0, finetune ? kProbeShare : 1.0));
  if (finetune)
    fitted.cost.steps =
        train_all(fitted.classifier, train, config.train, device, part(kProbeShare, 1.0));
  fitted.cost.seconds = watch.seconds();
  fitted.cost.cpu_seconds = watch.cpu_seconds();
  return fitted;
}

FittedClassifier fit_pointnet(const ShapeSet& train, const FitConfig& config, torch::Device device,
                              const OnShare& on_share) {
  validate(config.train);
  const Stopwatch watch;
  ClassifierConfig wanted = classifier_config({}, train.class_names, config.train.classify);
  wanted.encoder = "pointnet";
  wanted.hidden = {512, 256};  // as published
  wanted.dropout = 0.3;
  wanted.feature_dropout = 0.0;
  torch::manual_seed(config.train.seed);
  FittedClassifier fitted{std::make_shared<Classifier>(wanted), {}};
  TrainConfig schedule = config.train;
  schedule.learning_rate = 1e-3;
  schedule.batch = 32;
  schedule.average = 0.0;  // statistics of batch normalisation are not averaged with the weights
  fitted.cost.steps = train_all(fitted.classifier, train, schedule, device, on_share);
  fitted.cost.seconds = watch.seconds();
  fitted.cost.cpu_seconds = watch.cpu_seconds();
  return fitted;
}

double FewShotResult::mean() const {
  return std::accumulate(accuracies.begin(), accuracies.end(), 0.0) /
         static_cast<double>(accuracies.size());
}

double FewShotResult::deviation() const {
  if (accuracies.size() < 2) return 0.0;
  double sum = 0.0;
  for (const double accuracy : accuracies) sum += (accuracy - mean()) * (accuracy - mean());
  return std::sqrt(sum / static_cast<double>(accuracies.size() - 1));
}

void to_json(nlohmann::json& json, const FewShotResult& result) {
  json = {{"mean", result.mean()},
          {"deviation", result.deviation()},
          {"accuracies", result.accuracies}};
}

FewShotResult few_shot(const Model& model, const ShapeSet& train, const ShapeSet& test,
                       const FewShotConfig& episodes, const FitConfig& fit,
                       const ClassifyTest& shown, torch::Device device, const OnShare& on_share) {
  if (episodes.ways < 2 || episodes.shots < 1 || episodes.queries < 1 || episodes.episodes < 1)
    throw InputError("few-shot episodes need two classes, a shape to learn from and one to test");
  const auto to_learn = rows_by_class(train), to_test = rows_by_class(test);
  const auto eligible = eligible_classes(train, to_learn, to_test, episodes);
  FewShotResult result{{}, Confusion(train.class_names)};
  for (std::int64_t i = 0; i < episodes.episodes; ++i) {
    Random random({fit.train.seed, kEpisode, static_cast<std::uint64_t>(i)});
    std::vector<std::int64_t> chosen = eligible;
    random.shuffle(chosen);
    chosen.resize(static_cast<std::size_t>(episodes.ways));
    const ShapeSet support = draw(train, to_learn, chosen, episodes.shots, random);
    const ShapeSet queries = draw(test, to_test, chosen, episodes.queries, random);
    const FittedClassifier fitted = fit_classifier(model, support, fit, device);
    const Confusion episode =
        confusion_of(class_shares(*fitted.classifier, queries, shown), queries);
    result.accuracies.push_back(episode.accuracy());
    for (std::size_t row = 0; row < chosen.size(); ++row)
      for (std::size_t column = 0; column < chosen.size(); ++column)
        result.confusion.counts[static_cast<std::size_t>(chosen[row])]
                               [static_cast<std::size_t>(chosen[column])] +=
            episode.counts[row][column];
    if (on_share) on_share(static_cast<double>(i + 1) / static_cast<double>(episodes.episodes));
  }
  return result;
}

}  // namespace pointpng
