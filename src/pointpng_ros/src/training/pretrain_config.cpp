#include "pretrain_config.h"

#include "cloud_subscription.h"
#include "pointpng/error.h"

namespace pointpng_ros {
namespace {

using pointpng::RunPlan;

std::vector<std::string> non_empty(const std::vector<std::string>& texts) {
  std::vector<std::string> result;
  for (const std::string& text : texts)
    if (!text.empty()) result.push_back(text);
  return result;
}

}  // namespace

std::vector<std::string> sources(const PretrainConfig& config) { return non_empty(config.data); }

RunPlan make_plan(const PretrainConfig& config, const std::vector<std::string>& data) {
  RunPlan plan = pointpng::pretraining_plan("pretrain", config.preset);
  plan.data = data;
  plan.init = config.init;
  plan.load.topic = config.topic;
  plan.load.seed = plan.train.seed = static_cast<std::uint64_t>(config.seed);
  if (config.epochs > 0.0) plan.train.epochs = config.epochs;
  if (config.minutes > 0.0) plan.train.minutes = config.minutes;
  if (config.batch > 0) plan.train.batch = config.batch;
  for (const std::string& setting : non_empty(config.settings))
    pointpng::override_setting(plan, setting);
  return plan;
}

void validate(const PretrainConfig& config) {
  if (config.out.empty())
    throw pointpng::InputError("out is empty: name the folder to write the run to");
  validate(config.compute);
  const RunPlan plan = make_plan(config, {});
  pointpng::validate(plan.model);
  pointpng::validate(plan.train);
}

Parameters<PretrainConfig> pretrain_parameters() {
  Parameters<PretrainConfig> set;
  set.add(
      "data", [](auto& c) -> auto& { return c.data; },
      "bags, folders or files to train on; one empty text: clouds of the topic 'cloud'", fixed());
  set.add(
      "topic", [](auto& c) -> auto& { return c.topic; },
      "PointCloud2 topic of bags that have several", fixed());
  set.add(
      "out", [](auto& c) -> auto& { return c.out; },
      "folder of the run; an existing run is resumed", fixed());
  set.add("preset", [](auto& c) -> auto& { return c.preset; }, "sizes and hyperparameters",
          {.choices = pointpng::preset_names(), .fixed = true});
  set.add(
      "epochs", [](auto& c) -> auto& { return c.epochs; },
      "passes over the data; 0: as in the preset", fixed(0));
  set.add(
      "minutes", [](auto& c) -> auto& { return c.minutes; },
      "training time instead of epochs; 0: by epochs", fixed(0));
  set.add(
      "batch", [](auto& c) -> auto& { return c.batch; }, "shapes per step; 0: as in the preset",
      fixed(0, 65536));
  set.add(
      "seed", [](auto& c) -> auto& { return c.seed; }, "the same seed and data give the same model",
      fixed(0));
  set.add(
      "init", [](auto& c) -> auto& { return c.init; },
      "encoder to start from, made by 'pointpng mae'; empty: none", fixed());
  set.add(
      "settings", [](auto& c) -> auto& { return c.settings; },
      "other settings by their names in config.json, such as train.loss.beta=0.5", fixed());
  set.add(
      "clouds", [](auto& c) -> auto& { return c.clouds; },
      "clouds to collect from the topic before training", fixed(2, 1'000'000));
  set.add("collect_interval", [](auto& c) -> auto& { return c.collect_interval; },
          "seconds between collected clouds", {.least = 0, .most = 3600});
  set.add("reliability", [](auto& c) -> auto& { return c.reliability; }, kReliabilityText,
          {.choices = reliability_names(), .fixed = true});
  set.add(
      "autostart", [](auto& c) -> auto& { return c.autostart; },
      "start at once; false: wait for ~/start", fixed());
  set.add("device", [](auto& c) -> auto& { return c.compute.device; },
          "where to compute; auto takes CUDA where it is usable",
          {.choices = pointpng::device_names(), .fixed = true});
  const pointpng::Range& threads = pointpng::range_of("threads");
  set.add(
      "threads", [](auto& c) -> auto& { return c.compute.threads; }, std::string(threads.meaning),
      limits_of(threads, true));
  return set;
}

}  // namespace pointpng_ros
