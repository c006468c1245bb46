#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/types.h>

#include "eval/classification.h"
#include "eval/input.h"
#include "model/device.h"
#include "pointpng/error.h"
#include "train/labelled.h"
#include "train/run_data.h"

namespace pointpng {
namespace {

using nlohmann::json;

std::string names_of(const std::vector<std::string>& sources) {
  return fmt::format("{}", fmt::join(sources, ", "));
}

OnShare part(const EvaluationHooks& hooks, const std::string& what) {
  if (!hooks.on_progress) return nullptr;
  return [&hooks, what](double share) { hooks.on_progress(what, share); };
}

FitConfig make_fit(const ClassificationConfig& config, std::uint64_t seed) {
  FitConfig fit = default_fit(config.head.value_or("mlp"));
  fit.train.seed = seed;
  fit.train.classify.rotations = classify_protocol(config.protocol).train;
  fit.train.classify.up = config.up;
  if (config.balance) fit.train.classify.balance = *config.balance;
  if (config.batch) fit.train.batch = fit.probe.batch = *config.batch;
  if (config.views) fit.probe.views = *config.views;
  if (config.minutes && fit.head != "finetune")
    throw InputError("--minutes is for --head finetune; a head alone takes --epochs");
  if (config.epochs)
    (fit.head == "finetune" ? fit.train.epochs : fit.probe.epochs) = *config.epochs;
  if (config.minutes) fit.train.minutes = *config.minutes;
  validate(fit.train);
  if (!(fit.probe.epochs > 0.0 && fit.probe.epochs < 1e6))
    throw InputError("give a positive number of epochs");
  return fit;
}

/// A classifier that `finetune classify` trained.
void test_trained(ClassificationResult& result, const EvaluationInput& input,
                  const ClassificationConfig& config, const ClassifyTest& shown,
                  torch::Device device, const EvaluationHooks& hooks) {
  if (!config.train.empty() || config.head || config.few_shot || config.baseline || config.epochs ||
      config.minutes)
    throw InputError(fmt::format(
        "{} is a trained classifier: it is only tested, without --train and its options",
        result.model.string()));
  const auto classifier = load_classifier(result.model, device).classifier;
  const std::vector<std::string>& classes = classifier->config().classes;
  const ShapeSet test = with_classes(load_sources(input.data, input.load, hooks.on_message),
                                     classes, names_of(input.data));
  result.confusion =
      confusion_of(class_shares(*classifier, test, shown, part(hooks, "testing")), test);
  result.head = "trained";
  result.classes = classes.size();
}

void train_and_test(ClassificationResult& result, const EvaluationInput& input,
                    const ClassificationConfig& config, const ClassifyTest& shown,
                    torch::Device device, const EvaluationHooks& hooks) {
  if (config.train.empty())
    throw InputError(
        "give the shapes to train on with --train, or a classifier that 'finetune classify' "
        "trained with --model");
  FitConfig fit = make_fit(config, input.seed);
  const auto model = load_model(result.model, device).model;
  const ShapeSet train = with_used_classes(load_sources(config.train, input.load, hooks.on_message),
                                           names_of(config.train));
  const ShapeSet test = with_classes(load_sources(input.data, input.load, hooks.on_message),
                                     train.class_names, names_of(input.data));
  result.head = fit.head;
  result.classes = train.class_names.size();
  result.train_shapes = train.shapes.size();
  if (config.few_shot) {
    if (config.baseline)
      throw InputError("--baseline has no few-shot episodes; leave one of them out");
    result.episodes = *config.few_shot;
    result.few_shot = few_shot(*model, train, test, *config.few_shot, fit, shown, device,
                               part(hooks, "episodes"));
    result.confusion = result.few_shot->confusion;
    return;
  }
  const FittedClassifier ours = fit_classifier(*model, train, fit, device, part(hooks, fit.head));
  result.confusion =
      confusion_of(class_shares(*ours.classifier, test, shown, part(hooks, "testing")), test);
  result.training = ours.cost;
  if (!config.baseline) return;
  // By default it gets the time that ours took.
  fit.train.minutes = config.baseline_minutes.value_or(ours.cost.seconds / 60.0);
  const FittedClassifier pointnet = fit_pointnet(train, fit, device, part(hooks, "PointNet"));
  result.baseline = {confusion_of(class_shares(*pointnet.classifier, test, shown), test),
                     pointnet.cost};
}

json as_json(const TrainingCost& cost) {
  return {{"steps", cost.steps}, {"seconds", cost.seconds}, {"cpu_seconds", cost.cpu_seconds}};
}

}  // namespace

ClassificationResult evaluate_classification(const EvaluationInput& input,
                                             const ClassificationConfig& config,
                                             const EvaluationHooks& hooks) {
  const torch::Device device = use(input.compute);
  const ClassifyTest shown{classify_protocol(config.protocol).test, config.up, config.votes,
                           input.seed};
  ClassificationResult result;
  result.model = find_model(input.model);
  (is_classifier(result.model) ? test_trained : train_and_test)(result, input, config, shown,
                                                                device, hooks);
  return result;
}

void to_json(json& json, const ClassificationResult& result) {
  json = result.confusion;
  json["accuracy"] = result.accuracy();
  json["model"] = result.model.string();
  json["head"] = result.head;
  json["classes"] = result.classes;
  if (result.train_shapes) json["train_shapes"] = *result.train_shapes;
  if (result.training) json["training"] = as_json(*result.training);
  if (result.few_shot) {
    json["few_shot"] = *result.few_shot;
    json["few_shot"]["ways"] = result.episodes.ways;
    json["few_shot"]["shots"] = result.episodes.shots;
    json["few_shot"]["queries"] = result.episodes.queries;
  }
  if (result.baseline) {
    json["baseline"] = result.baseline->confusion;
    json["baseline"]["name"] = "pointnet";
    json["baseline"]["training"] = as_json(result.baseline->training);
  }
}

}  // namespace pointpng
