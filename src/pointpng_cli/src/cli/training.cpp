#include "cli/training.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>
#include <ctime>
#include <memory>
#include <optional>
#include <string_view>

#include <ATen/Parallel.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/types.h>
#include <torch/version.h>

#include "base/random.h"
#include "cli/machine.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "eval/classification.h"
#include "eval/equivariance.h"
#include "pointpng/error.h"
#include "pointpng/io.h"
#include "pointpng/runtime.h"
#include "train/labelled.h"
#include "train/probe.h"

namespace pointpng::cli {
namespace {

using nlohmann::json;

constexpr std::int64_t kMostHeldOut = 64;
constexpr std::int64_t kMostHeldOutClassified = 512;  // naming a class is cheaper than a pose
constexpr const char* kClassify = "classify";
constexpr std::int64_t kFewestToHoldOut = 20;

std::atomic<bool> stop_requested = false;

/// While it lives, the first Ctrl-C asks the run to stop after its step; the second one kills.
class StopOnSignal {
 public:
  StopOnSignal() {
    stop_requested = false;
    struct sigaction action {};
    action.sa_handler = [](int) { stop_requested = true; };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, &interrupt_);
    sigaction(SIGTERM, &action, &terminate_);
  }
  ~StopOnSignal() {
    sigaction(SIGINT, &interrupt_, nullptr);
    sigaction(SIGTERM, &terminate_, nullptr);
  }
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;

 private:
  struct sigaction interrupt_ {
  }, terminate_{};
};

struct Data {
  ShapeSet train, held_out;
  json sources = json::array();
};

Data load_data(const RunPlan& plan) {
  Data data;
  ShapeSet all = load_sources(plan.data, plan.load, &data.sources);
  take_every(all, plan.left_out);
  const bool classify = plan.train.objective == kClassify;
  if (classify) all = with_used_classes(all, fmt::format("{}", fmt::join(plan.data, ", ")));
  data.train.class_names = data.held_out.class_names = all.class_names;
  const auto count = static_cast<std::int64_t>(all.shapes.size());
  std::vector<std::int64_t> order(all.shapes.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i);
  Random({plan.train.seed, 7}).shuffle(order);
  const std::int64_t kept_back =
      count < kFewestToHoldOut
          ? 0
          : std::min<std::int64_t>(classify ? kMostHeldOutClassified : kMostHeldOut,
                                   std::llround(plan.held_out * static_cast<double>(count)));
  for (std::int64_t i = 0; i < count; ++i) {
    Shape& shape = all.shapes[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])];
    (i < kept_back ? data.held_out : data.train).shapes.push_back(std::move(shape));
  }
  return data;
}

/// Throws `InputError` where a source is not what it was when the run started: with other data it
/// would be another run. What the run did not note, as those of older versions, is not asked for.
void require_same_data(const json& then, const json& now, const std::filesystem::path& run) {
  for (std::size_t i = 0; i < std::min(then.size(), now.size()); ++i)
    for (const char* name : {"source", "shapes", "points", "checksum"})
      if (then[i].contains(name) && then[i][name] != now[i][name])
        throw InputError(
            fmt::format("{} has changed since the run in {} started: {} was {} and is {} now; put "
                        "the old data back, or "
                        "start a new run",
                        now[i]["source"].get<std::string>(), run.string(), name,
                        then[i][name].dump(), now[i][name].dump()));
}

RunPlan plan_from_json(const json& stored, const std::filesystem::path& folder) {
  try {
    RunPlan plan;
    plan.command = stored.at("command");
    plan.preset = stored.at("preset");
    plan.model = stored.at("model").get<ModelConfig>();
    plan.train = stored.at("train").get<TrainConfig>();
    plan.data = stored.at("data_sources").get<std::vector<std::string>>();
    const json& load = stored.at("load");
    plan.load = {load.at("mesh_points"), load.at("max_points"), load.at("topic"), load.at("seed"),
                 load.value("background", true)};
    plan.held_out = stored.at("held_out");
    plan.left_out = stored.value("left_out", plan.left_out);
    plan.init = stored.at("init").get<std::string>();
    plan.finetuned = stored.value("finetuned", "");
    return plan;
  } catch (const json::exception& error) {
    throw InputError(fmt::format("{}/config.json is not that of a run of this version: {}",
                                 folder.string(), error.what()));
  }
}

std::string iso_time() { return fmt::format("{:%FT%TZ}", fmt::gmtime(std::time(nullptr))); }

json describe_machine() {
  return {{"cores", usable_cores()},
          {"memory_gib", static_cast<double>(machine_memory().total) / (1U << 30U)},
          {"torch", TORCH_VERSION},
          {"blas", to_string(loaded_blas().kind)},
          {"threads", at::get_num_threads()}};
}

std::string status_text(const TrainStatus& status) {
  std::string text = fmt::format("{} {:3.0f} %  step {}", progress_bar(status.progress, 16),
                                 100.0 * status.progress, status.step);
  const auto add = [&](const char* label, const char* name, int digits) {
    const auto found = status.means.find(name);
    if (found != status.means.end())
      text += fmt::format("  {} {:.{}f}", label, found->second, digits);
  };
  add("loss", "loss", 3);
  add("align", "align", 3);
  add("cope", "cope", 3);
  add("unif", "unif", 3);
  add("reconstruction", "reconstruction", 4);
  add("prediction", "prediction", 4);
  add("PA", "pa", 3);
  add("AE", "ae", 3);
  add("accuracy", "accuracy", 3);
  return text + fmt::format("  {:.0f} clouds/s  {} left", status.clouds_per_s,
                            short_duration(status.left_s));
}

/// What a run trains, on which batches, and how it is judged in between.
struct Parts {
  std::unique_ptr<Objective> objective;
  std::unique_ptr<BatchSource> source;
  std::shared_ptr<Classifier> classifier;  ///< where the run trains one …
  ShapeSet classified;                     ///< … on these shapes
  std::function<json(Model&)> evaluate;
  std::function<json()> evaluate_other;
};

RunResult run_plan(const RunPlan& plan, const Parts& parts, RunFolder& folder, torch::Device device,
                   bool resume, bool quiet, const RunHooks& hooks) {
  Trainer trainer(*parts.objective, *parts.source, plan.train, folder, device);
  if (resume && std::filesystem::exists(folder.checkpoint()))
    trainer.resume();
  else if (resume)
    warn(fmt::format("{} has no checkpoint yet; the run starts at the beginning",
                     folder.path().string()));

  RunResult result;
  Progress progress({.quiet = quiet});
  TrainCallbacks callbacks;
  callbacks.on_status = [&](const TrainStatus& status) {
    result.elapsed_s = status.elapsed_s;
    if (progress.due()) progress.update(status_text(status));
    if (hooks.on_status) hooks.on_status(status);
  };
  callbacks.on_event = [&](const TrainEvent& event) {
    warn(event.message);
    if (hooks.on_event) hooks.on_event(event);
  };
  if (parts.evaluate)
    callbacks.evaluate = [&](Model& model) { return result.metrics = parts.evaluate(model); };
  if (parts.evaluate_other)
    callbacks.evaluate_other = [&] { return result.metrics = parts.evaluate_other(); };
  std::optional<StopOnSignal> signals;
  if (hooks.stop == nullptr) signals.emplace();
  result.end = trainer.run(hooks.stop != nullptr ? *hooks.stop : stop_requested, callbacks);
  result.steps = trainer.step();
  result.result = folder.result();
  progress.finish(fmt::format("{} steps in {}", result.steps, short_duration(result.elapsed_s)));
  return result;
}

/// Refuses shapes that can't be trained on, before anything is written.
Parts make_pair_parts(const RunPlan& plan, Data data) {
  Parts parts;
  parts.objective = make_objective(plan.model, plan.train);
  parts.source = std::make_unique<PairSource>(std::move(data.train), plan.model, plan.train);
  if (data.held_out.shapes.empty()) return parts;
  parts.evaluate = [pairs = turned_pairs(data.held_out, plan.model, kMostHeldOut, plan.train.seed)](
                       Model& model) -> json { return measure_equivariance(model, pairs); };
  return parts;
}

Parts make_classifier_parts(const RunPlan& plan, Data data) {
  const ClassifyConfig& classify = plan.train.classify;
  Parts parts;
  parts.classifier =
      std::make_shared<Classifier>(classifier_config(plan.model, data.train.class_names, classify));
  parts.objective = classifier_objective(
      parts.classifier, class_weights(data.train, classify.balance), classify.label_smoothing);
  parts.source = std::make_unique<LabelledSource>(data.train, plan.model, plan.train);
  parts.classified = std::move(data.train);
  if (data.held_out.shapes.empty()) return parts;
  ClassifyTest test{classify.rotations, classify.up};
  test.seed = plan.train.seed;
  parts.evaluate_other = [classifier = parts.classifier, shapes = std::move(data.held_out),
                          test]() -> json {
    const Confusion confusion = confusion_of(class_shares(*classifier, shapes, test), shapes);
    return {{"accuracy", confusion.accuracy()},
            {"mean_class_accuracy", confusion.mean_class_accuracy()}};
  };
  return parts;
}

Parts make_parts(const RunPlan& plan, Data data) {
  torch::manual_seed(plan.train.seed);
  return plan.train.objective == kClassify ? make_classifier_parts(plan, std::move(data))
                                           : make_pair_parts(plan, std::move(data));
}

/// The encoder of the model that is fine-tuned, and a head that fits it.
void start_classifier(const RunPlan& plan, Parts& parts, torch::Device device, bool quiet) {
  if (!plan.finetuned.empty()) parts.classifier->take_encoder(*load_model(plan.finetuned).model);
  parts.classifier->to(device);
  Progress progress({.quiet = quiet});
  ProbeConfig probe;
  probe.seed = plan.train.seed;
  fit_probe(*parts.classifier, parts.classified, plan.train.classify, probe, [&](double share) {
    if (progress.due())
      progress.update(
          fmt::format("{} the head alone, on the encoder as it is", progress_bar(share, 16)));
  });
}

/// Weights that the run starts from, where it names any.
void take_weights(const RunPlan& plan, Objective& objective) {
  if (!plan.finetuned.empty()) load_weights(objective, plan.finetuned);
  if (plan.init.empty()) return;
  const int taken = initialise_encoder(objective, plan.model, plan.init);
  remark(fmt::format("took {} tensors of the encoder from {}", taken, plan.init.string()));
}

/// All numbers that a user may name, as one JSON object.
json settings(const RunPlan& plan) { return {{"model", plan.model}, {"train", plan.train}}; }

}  // namespace

ShapeSet load_sources(const std::vector<std::string>& data, const LoadOptions& load,
                      json* sources) {
  if (data.empty()) throw InputError("give the data to train on: --data F.h5|FOLDER|BAG");
  ShapeSet all;
  for (const std::string& source : data) {
    std::vector<std::string> notes;
    ShapeSet set = load_shapes(source, load, &notes);
    warn(notes);
    Eigen::Index points = 0;
    for (const Shape& shape : set.shapes) points = std::max(points, shape.points.rows());
    if (sources != nullptr)
      sources->push_back({{"source", source},
                          {"shapes", set.shapes.size()},
                          {"points", points},
                          {"checksum", fmt::format("{:08x}", checksum_of(set))}});
    append_shapes(all, std::move(set));
  }
  return all;
}

ShapeSet take_every(ShapeSet& shapes, std::int64_t n) {
  ShapeSet taken, left;
  taken.class_names = shapes.class_names;
  if (n <= 0) return taken;
  for (std::size_t i = 0; i < shapes.shapes.size(); ++i)
    (static_cast<std::int64_t>(i) % n == n - 1 ? taken : left)
        .shapes.push_back(std::move(shapes.shapes[i]));
  shapes.shapes = std::move(left.shapes);
  return taken;
}

json plan_as_json(const RunPlan& plan) {
  return {{"command", plan.command},
          {"preset", plan.preset},
          {"model", plan.model},
          {"train", plan.train},
          {"data_sources", plan.data},
          {"load",
           {{"mesh_points", plan.load.mesh_points},
            {"max_points", plan.load.max_points},
            {"topic", plan.load.topic},
            {"seed", plan.load.seed},
            {"background", plan.load.background}}},
          {"held_out", plan.held_out},
          {"left_out", plan.left_out},
          {"init", plan.init.string()},
          {"finetuned", plan.finetuned.string()}};
}

std::int64_t count_weights(const torch::nn::Module& module, const std::string& prefix) {
  std::int64_t count = 0;
  for (const auto& item : module.named_parameters())
    if (item.key().starts_with(prefix)) count += item.value().numel();
  return count;
}

RunResult start_run(const RunPlan& plan, const std::filesystem::path& out,
                    const ComputeOptions& compute, bool quiet, const RunHooks& hooks) {
  const torch::Device device = apply(compute);
  validate(plan.model);
  validate(plan.train);
  Data data = load_data(plan);
  json sources = std::move(data.sources);
  const json shapes = {{"train", data.train.shapes.size()},
                       {"held_out", data.held_out.shapes.size()}};
  Parts parts = make_parts(plan, std::move(data));
  if (!parts.classifier) take_weights(plan, *parts.objective);
  json config = plan_as_json(plan);
  config["version"] = version();
  config["seed"] = plan.train.seed;
  config["device"] = device.str();
  config["data"] = std::move(sources);
  config["shapes"] = shapes;
  config["machine"] = describe_machine();
  config["started"] = iso_time();
  for (const char* part : {"backbone", "predictor", "head"})
    if (const auto count = count_weights(parts.objective->module(), fmt::format("{}.", part));
        count > 0 || std::string_view(part) == "predictor")
      config["parameters"][part] = count;
  RunFolder folder = RunFolder::create(out, config);
  if (parts.classifier) start_classifier(plan, parts, device, quiet);
  return run_plan(plan, parts, folder, device, /*resume=*/false, quiet, hooks);
}

RunResult resume_run(const std::string& command, const std::filesystem::path& out,
                     const ComputeOptions& compute, bool quiet, const RunHooks& hooks) {
  const torch::Device device = apply(compute);
  RunFolder folder = RunFolder::open(out);
  const RunPlan plan = plan_from_json(folder.config(), out);
  if (plan.command != command)
    throw InputError(fmt::format("{} holds a run of 'pointpng {}'; resume it with that",
                                 out.string(), plan.command));
  validate(plan.model);
  validate(plan.train);
  Data data = load_data(plan);
  require_same_data(folder.config().value("data", json::array()), data.sources, out);
  Parts parts = make_parts(plan, std::move(data));
  if (!std::filesystem::exists(folder.checkpoint())) {
    if (parts.classifier)
      start_classifier(plan, parts, device, quiet);
    else
      take_weights(plan, *parts.objective);
  }
  return run_plan(plan, parts, folder, device, /*resume=*/true, quiet, hooks);
}

void override_setting(RunPlan& plan, const std::string& assignment) {
  const auto equals = assignment.find('=');
  if (equals == std::string::npos)
    throw InputError(fmt::format("--set takes NAME=VALUE, not '{}'", assignment));
  std::string name = assignment.substr(0, equals), pointer_text = "/" + name;
  std::replace(pointer_text.begin(), pointer_text.end(), '.', '/');
  json all = settings(plan);
  // '~' would be an escape in a pointer; no setting has it in its name.
  const bool plain = name.find('~') == std::string::npos;
  const json::json_pointer pointer(plain ? pointer_text : "");
  if (!all.contains(pointer) || all[pointer].is_object())
    throw InputError(
        fmt::format("there is no setting '{}'; 'pointpng model info' and a run's "
                    "config.json show them all",
                    name));
  const std::string text = assignment.substr(equals + 1);
  json value = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (value.is_discarded()) value = text;
  const json& old = all[pointer];
  const bool same_kind = (old.is_number() && value.is_number()) || old.type() == value.type();
  if (!same_kind || (old.is_number_integer() && value.is_number_float()))
    throw InputError(fmt::format("'{}' is not a value for {} (now {})", text, name, old.dump()));
  all[pointer] = value;
  try {
    plan.model = all["model"].get<ModelConfig>();
    plan.train = all["train"].get<TrainConfig>();
  } catch (const json::exception&) {  // a list of something else
    throw InputError(fmt::format("'{}' is not a value for {}", text, name));
  }
}

}  // namespace pointpng::cli
