#include "train/run_plan.h"

#include <algorithm>

#include <fmt/format.h>
#include <torch/types.h>

#include "model/model.h"
#include "pointpng/error.h"

namespace pointpng {
namespace {

using nlohmann::json;

constexpr double kMaeMaskRatio = 0.6;  // Point-MAE's
constexpr double kFinetuneRate = 0.2;  // of the learning rate of pre-training

}  // namespace

TrainConfig classifier_training() {
  TrainConfig train;
  train.objective = "classify";
  train.batch = 32;
  train.epochs = 20;
  train.learning_rate = 7e-4;
  train.average = 0.99;
  return train;
}

RunPlan pretraining_plan(const std::string& command, const std::string& name) {
  const Preset start = preset(name);
  RunPlan plan;
  plan.command = command;
  plan.preset = name;
  plan.model = start.model;
  plan.train = start.train;
  if (command == "mae") {
    plan.train.objective = "mae";
    if (plan.train.mask_ratio <= 0.0) plan.train.mask_ratio = kMaeMaskRatio;
  }
  return plan;
}

RunPlan finetuning_plan(const std::string& command, const std::string& model) {
  RunPlan plan = pretraining_plan(command, "small");
  plan.finetuned = find_model(model);
  plan.model = load_model(plan.finetuned).model->config();
  if (command == "finetune classify") {
    plan.train = classifier_training();
  } else {
    plan.train.loss.uniformity = false;  // L_align* and L_cope alone, as the paper does
    plan.train.learning_rate *= kFinetuneRate;
  }
  return plan;
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

void override_setting(RunPlan& plan, const std::string& assignment) {
  const auto equals = assignment.find('=');
  if (equals == std::string::npos)
    throw InputError(fmt::format("--set takes NAME=VALUE, not '{}'", assignment));
  const std::string name = assignment.substr(0, equals);
  std::string pointer_text = "/" + name;
  std::replace(pointer_text.begin(), pointer_text.end(), '.', '/');
  json all = {{"model", plan.model}, {"train", plan.train}};
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

}  // namespace pointpng
