#include <algorithm>
#include <ctime>
#include <memory>
#include <optional>
#include <string_view>

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <torch/cuda.h>
#include <torch/types.h>
#include <torch/version.h>

#include "io/run_folder.h"
#include "model/device.h"
#include "pointpng/error.h"
#include "pointpng/evaluation.h"
#include "pointpng/training.h"
#include "train/class_shares.h"
#include "train/equivariance.h"
#include "train/labelled.h"
#include "train/probe.h"
#include "train/process_group.h"
#include "train/run_data.h"
#include "train/run_plan.h"
#include "train/trainer.h"
#include "train/weights.h"

namespace pointpng {
namespace {

using nlohmann::json;

std::string iso_time() { return fmt::format("{:%FT%TZ}", fmt::gmtime(std::time(nullptr))); }

json describe_machine() {
  return {{"cores", usable_cores()},
          {"memory_gib", static_cast<double>(machine_memory().total) / (1U << 30U)},
          {"torch", TORCH_VERSION},
          {"blas", to_string(loaded_blas(at::Context::hasMKL()).kind)},
          {"threads", at::get_num_threads()}};
}

/// What a run trains, on which batches, and how it is evaluated meanwhile.
struct Parts {
  std::unique_ptr<Objective> objective;
  std::unique_ptr<BatchSource> source;
  std::shared_ptr<Classifier> classifier;  ///< where the run trains one …
  ShapeSet classified;                     ///< … on these shapes
  std::function<json(Model&)> evaluate;
  std::function<json()> evaluate_other;
};

/// The folder, which only the first of several processes has, and the group of these processes.
struct Setting {
  ProcessGroup& group;
  std::optional<RunFolder> folder;
  torch::Device device;
};

RunResult run_plan(const RunPlan& plan, const Parts& parts, Setting& setting, bool resume,
                   const RunHooks& hooks) {
  RunFolder* folder = setting.folder ? &*setting.folder : nullptr;
  setting.group.join(setting.device);
  Trainer trainer(*parts.objective, *parts.source, plan.train, folder, setting.device,
                  setting.group);
  if (resume && folder != nullptr && std::filesystem::exists(folder->checkpoint()))
    trainer.resume();
  else if (resume && folder != nullptr && hooks.on_message)
    hooks.on_message(Severity::kWarning,
                     fmt::format("{} has no checkpoint yet; the run starts at the beginning",
                                 folder->path().string()));
  RunResult result;
  TrainCallbacks callbacks;
  callbacks.on_status = [&](const TrainStatus& status) {
    result.elapsed_s = status.elapsed_s;
    if (hooks.on_status) hooks.on_status(status);
  };
  callbacks.on_event = hooks.on_event;
  if (parts.evaluate)
    callbacks.evaluate = [&](Model& model) { return result.metrics = parts.evaluate(model); };
  if (parts.evaluate_other)
    callbacks.evaluate_other = [&] { return result.metrics = parts.evaluate_other(); };
  const std::atomic<bool> never = false;
  if (hooks.on_start) hooks.on_start();
  result.end = trainer.run(hooks.stop != nullptr ? *hooks.stop : never, callbacks);
  result.steps = trainer.step();
  if (folder != nullptr) result.result = folder->result();
  setting.group.leave();
  if (hooks.on_end) hooks.on_end(result);
  return result;
}

Parts make_pair_parts(const RunPlan& plan, RunData data, BatchShare share) {
  Parts parts;
  parts.objective = make_objective(plan.model, plan.train);
  parts.source = std::make_unique<PairSource>(std::move(data.train), plan.model, plan.train, share);
  if (data.held_out.shapes.empty()) return parts;
  parts.evaluate = [pairs = turned_pairs(data.held_out, plan.model, kMostHeldOut, plan.train.seed)](
                       Model& model) -> json { return measure_equivariance(model, pairs); };
  return parts;
}

Parts make_classifier_parts(const RunPlan& plan, RunData data, BatchShare share) {
  const ClassifyConfig& classify = plan.train.classify;
  Parts parts;
  parts.classifier =
      std::make_shared<Classifier>(classifier_config(plan.model, data.train.class_names, classify));
  parts.objective = classifier_objective(
      parts.classifier, class_weights(data.train, classify.balance), classify.label_smoothing);
  parts.source = std::make_unique<LabelledSource>(data.train, plan.model, plan.train, share);
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

/// Rejects shapes that can't be trained on, before anything is written.
Parts make_parts(const RunPlan& plan, RunData data, BatchShare share) {
  torch::manual_seed(plan.train.seed);
  return plan.train.objective == "classify" ? make_classifier_parts(plan, std::move(data), share)
                                            : make_pair_parts(plan, std::move(data), share);
}

/// Throws `InputError` for a plan that these processes can't run.
void require_valid(const RunPlan& plan, const ProcessPlace& place) {
  validate(plan.model);
  validate(plan.train);
  if (plan.train.batch % place.size != 0)
    throw InputError(fmt::format(
        "a batch of {} shapes can't be shared by {} processes; take a multiple with --batch",
        plan.train.batch, place.size));
}

/// The device of this process; processes of one machine share its cores.
torch::Device use(ComputeOptions compute, const ProcessPlace& place) {
  if (compute.threads == 0 && place.local_size > 1)
    compute.threads = std::max(1, usable_cores() / place.local_size);
  const torch::Device device = use(compute);
  if (!device.is_cuda() || place.size == 1) return device;
  const auto count = static_cast<int>(torch::cuda::device_count());
  if (place.local_rank >= count)
    throw InputError(fmt::format(
        "LOCAL_RANK is {}, but this machine has {} GPUs; start as many processes, or --device cpu",
        place.local_rank, count));
  return {torch::kCUDA, static_cast<c10::DeviceIndex>(place.local_rank)};
}

/// The encoder of the model that is fine-tuned, and a head that fits it.
void start_classifier(const RunPlan& plan, Parts& parts, torch::Device device,
                      const RunHooks& hooks) {
  if (!plan.finetuned.empty()) parts.classifier->take_encoder(*load_model(plan.finetuned).model);
  parts.classifier->to(device);
  ProbeConfig probe;
  probe.seed = plan.train.seed;
  fit_probe(*parts.classifier, parts.classified, plan.train.classify, probe, [&](double share) {
    if (hooks.on_preparation) hooks.on_preparation("the head alone, on the frozen encoder", share);
  });
}

/// Weights that the run starts from, where it names any.
void take_weights(const RunPlan& plan, Objective& objective, const RunHooks& hooks) {
  if (!plan.finetuned.empty()) load_weights(objective, plan.finetuned);
  if (plan.init.empty()) return;
  const int taken = initialise_encoder(objective, plan.model, plan.init);
  if (hooks.on_message)
    hooks.on_message(Severity::kRemark, fmt::format("took {} tensors of the encoder from {}", taken,
                                                    plan.init.string()));
}

/// What config.json holds: the plan, and where it came from.
json provenance(const RunPlan& plan, const RunData& data, torch::Device device, int processes) {
  json config = plan_as_json(plan);
  config["version"] = version();
  config["seed"] = plan.train.seed;
  config["device"] = device.str();
  config["data"] = data.sources;
  config["shapes"] = {{"train", data.train.shapes.size()},
                      {"held_out", data.held_out.shapes.size()}};
  config["machine"] = describe_machine();
  config["machine"]["processes"] = processes;
  config["started"] = iso_time();
  return config;
}

}  // namespace

RunResult start_run(const RunPlan& plan, const std::filesystem::path& out,
                    const ComputeOptions& compute, const RunHooks& hooks,
                    const ProcessPlace& place) {
  const torch::Device device = use(compute, place);
  require_valid(plan, place);
  ProcessGroup group(place);
  Setting setting{group, std::nullopt, device};
  RunData data = load_run_data(plan, hooks.on_message);
  json config = provenance(plan, data, device, place.size);
  Parts parts = make_parts(plan, std::move(data), {place.rank, place.size});
  if (!group.is_first()) return run_plan(plan, parts, setting, /*resume=*/false, hooks);
  if (!parts.classifier) take_weights(plan, *parts.objective, hooks);
  for (const char* part : {"backbone", "predictor", "head"})
    if (const auto count = count_weights(parts.objective->module(), fmt::format("{}.", part));
        count > 0 || std::string_view(part) == "predictor")
      config["parameters"][part] = count;
  setting.folder = RunFolder::create(out, config);
  if (parts.classifier) start_classifier(plan, parts, device, hooks);
  return run_plan(plan, parts, setting, /*resume=*/false, hooks);
}

RunResult resume_run(const std::string& command, const std::filesystem::path& out,
                     const ComputeOptions& compute, const RunHooks& hooks,
                     const ProcessPlace& place) {
  const torch::Device device = use(compute, place);
  const json config = RunFolder::read_config(out);
  const RunPlan plan = plan_from_json(config, out);
  if (plan.command != command)
    throw InputError(fmt::format("{} holds a run of 'pointpng {}'; resume it with that",
                                 out.string(), plan.command));
  require_valid(plan, place);
  ProcessGroup group(place);
  Setting setting{group, std::nullopt, device};
  RunData data = load_run_data(plan, hooks.on_message);
  require_same_data(config.value("data", json::array()), data.sources, out);
  Parts parts = make_parts(plan, std::move(data), {place.rank, place.size});
  if (!group.is_first()) return run_plan(plan, parts, setting, /*resume=*/true, hooks);
  setting.folder = RunFolder::open(out);
  if (!std::filesystem::exists(setting.folder->checkpoint())) {
    if (parts.classifier)
      start_classifier(plan, parts, device, hooks);
    else
      take_weights(plan, *parts.objective, hooks);
  }
  return run_plan(plan, parts, setting, /*resume=*/true, hooks);
}

}  // namespace pointpng
