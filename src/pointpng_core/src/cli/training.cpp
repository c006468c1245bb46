#include "pointpng/cli/training.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>
#include <ctime>
#include <optional>

#include <ATen/Parallel.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <torch/types.h>
#include <torch/version.h>

#include "pointpng/base/error.h"
#include "pointpng/base/random.h"
#include "pointpng/base/version.h"
#include "pointpng/cli/machine.h"
#include "pointpng/cli/progress.h"
#include "pointpng/eval/equivariance.h"
#include "pointpng/io/shapes.h"

namespace pointpng::cli {
namespace {

using nlohmann::json;

constexpr std::int64_t kMostHeldOut = 64;
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
  if (plan.data.empty()) throw InputError("give the data to train on: --data F.h5|FOLDER|BAG");
  ShapeSet all;
  Data data;
  for (const std::string& source : plan.data) {
    std::vector<std::string> notes;
    ShapeSet set = load_shapes(source, plan.load, &notes);
    for (const std::string& note : notes) spdlog::warn("{}", note);
    Eigen::Index points = 0;
    for (const Shape& shape : set.shapes) points = std::max(points, shape.points.rows());
    data.sources.push_back({{"source", source},
                            {"shapes", set.shapes.size()},
                            {"points", points},
                            {"checksum", fmt::format("{:08x}", checksum_of(set))}});
    std::move(set.shapes.begin(), set.shapes.end(), std::back_inserter(all.shapes));
  }
  const auto count = static_cast<std::int64_t>(all.shapes.size());
  std::vector<std::int64_t> order(all.shapes.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i);
  Random({plan.train.seed, 7}).shuffle(order);
  const std::int64_t kept_back =
      count < kFewestToHoldOut
          ? 0
          : std::min<std::int64_t>(kMostHeldOut,
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

json to_json(const RunPlan& plan) {
  return {{"command", plan.command},
          {"preset", plan.preset},
          {"model", plan.model},
          {"train", plan.train},
          {"data_sources", plan.data},
          {"load",
           {{"mesh_points", plan.load.mesh_points},
            {"max_points", plan.load.max_points},
            {"topic", plan.load.topic},
            {"seed", plan.load.seed}}},
          {"held_out", plan.held_out},
          {"init", plan.init.string()},
          {"finetuned", plan.finetuned.string()}};
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
    plan.load = {load.at("mesh_points"), load.at("max_points"), load.at("topic"), load.at("seed")};
    plan.held_out = stored.at("held_out");
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
  return text + fmt::format("  {:.0f} clouds/s  {} left", status.clouds_per_s,
                            short_duration(status.left_s));
}

RunResult run_plan(const RunPlan& plan, const PairSource& source, const TurnedPairs& held_out,
                   RunFolder& folder, Objective& objective, torch::Device device, bool resume,
                   bool quiet, const RunHooks& hooks) {
  Trainer trainer(objective, source, plan.train, folder, device);
  if (resume && std::filesystem::exists(folder.checkpoint()))
    trainer.resume();
  else if (resume)
    spdlog::warn("{} has no checkpoint yet; the run starts at the beginning",
                 folder.path().string());

  RunResult result;
  Progress progress({.quiet = quiet});
  TrainCallbacks callbacks;
  callbacks.on_status = [&](const TrainStatus& status) {
    result.elapsed_s = status.elapsed_s;
    if (progress.due()) progress.update(status_text(status));
    if (hooks.on_status) hooks.on_status(status);
  };
  callbacks.on_event = [&](const TrainEvent& event) {
    spdlog::warn("{}", event.message);
    if (hooks.on_event) hooks.on_event(event);
  };
  if (!held_out.names.empty()) {
    callbacks.evaluate = [&](Model& model) {
      result.metrics = measure_equivariance(model, held_out);
      return result.metrics;
    };
  }
  std::optional<StopOnSignal> signals;
  if (hooks.stop == nullptr) signals.emplace();
  result.end = trainer.run(hooks.stop != nullptr ? *hooks.stop : stop_requested, callbacks);
  result.steps = trainer.step();
  result.result = folder.result();
  progress.finish(fmt::format("{} steps in {}", result.steps, short_duration(result.elapsed_s)));
  return result;
}

TurnedPairs evaluation_pairs(const ShapeSet& held_out, const RunPlan& plan) {
  if (held_out.shapes.empty()) return {};
  return turned_pairs(held_out, plan.model, kMostHeldOut, plan.train.seed);
}

/// Weights that the run starts from, where it names any.
void take_weights(const RunPlan& plan, Objective& objective) {
  if (!plan.finetuned.empty()) load_weights(objective, plan.finetuned);
  if (plan.init.empty()) return;
  const int taken = initialise_encoder(objective, plan.model, plan.init);
  spdlog::info("took {} tensors of the encoder from {}", taken, plan.init.string());
}

/// All numbers that a user may name, as one JSON object.
json settings(const RunPlan& plan) { return {{"model", plan.model}, {"train", plan.train}}; }

}  // namespace

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
  torch::manual_seed(plan.train.seed);
  const auto objective = make_objective(plan.model, plan.train);
  take_weights(plan, *objective);
  json config = to_json(plan);
  config["version"] = version();
  config["seed"] = plan.train.seed;
  config["device"] = device.str();
  config["data"] = data.sources;
  config["shapes"] = {{"train", data.train.shapes.size()},
                      {"held_out", data.held_out.shapes.size()}};
  config["machine"] = describe_machine();
  config["started"] = iso_time();
  config["parameters"] = {{"backbone", count_weights(objective->module(), "backbone.")},
                          {"predictor", count_weights(objective->module(), "predictor.")}};
  // Refuses shapes that can't be trained on before anything is written.
  const PairSource source(std::move(data.train), plan.model, plan.train);
  const TurnedPairs held_out = evaluation_pairs(data.held_out, plan);
  RunFolder folder = RunFolder::create(out, config);
  return run_plan(plan, source, held_out, folder, *objective, device, /*resume=*/false, quiet,
                  hooks);
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
  torch::manual_seed(plan.train.seed);
  const auto objective = make_objective(plan.model, plan.train);
  if (!std::filesystem::exists(folder.checkpoint())) take_weights(plan, *objective);
  const PairSource source(std::move(data.train), plan.model, plan.train);
  const TurnedPairs held_out = evaluation_pairs(data.held_out, plan);
  return run_plan(plan, source, held_out, folder, *objective, device, /*resume=*/true, quiet,
                  hooks);
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
