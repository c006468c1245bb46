#include "train/trainer.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>
#include <torch/types.h>

#include "base/random.h"
#include "base/stopwatch.h"
#include "pointpng/error.h"
#include "train/loader.h"

namespace pointpng {
namespace {

/// Metrics are read from the device at most this often.
constexpr double kReportSeconds = 1.0;
/// Absolute equivariance below it, with accurate prediction, is an invariant embedding.
constexpr double kCollapseAe = 0.02;
constexpr double kCollapsePa = 0.9;
constexpr int kCollapseReports = 5;
/// A larger share of steps without a finite gradient between two reports ends the run.
constexpr double kHopelessShare = 0.9;
constexpr const char* kCheckpointVersion = "1";

torch::Generator generator_for(std::uint64_t seed, std::int64_t step, torch::Device device) {
  torch::Generator generator = at::globalContext().defaultGenerator(device).clone();
  generator.set_current_seed(mix_seed({seed, 3, static_cast<std::uint64_t>(step)}));
  return generator;
}

/// State of a run at a checkpoint.
struct Standing {
  std::int64_t step = 0;
  double elapsed_s = 0.0;
};

Standing read_standing(const TensorFile& file, const std::filesystem::path& path) {
  const auto field = [&](const char* name) {
    const auto found = file.metadata.find(name);
    return found == file.metadata.end() ? std::string() : found->second;
  };
  if (field("format") != "pointpng" || field("kind") != "checkpoint")
    throw InputError(fmt::format("{} is no checkpoint of a run", path.string()));
  if (field("format_version") != kCheckpointVersion)
    throw InputError(
        fmt::format("{} has version '{}' of the format, this pointpng reads version {}",
                    path.string(), field("format_version"), kCheckpointVersion));
  Standing standing;
  try {
    standing = {std::stoll(field("step")), std::stod(field("elapsed_s"))};
  } catch (const std::logic_error&) {
    standing.step = -1;
  }
  if (standing.step < 0 || !(standing.elapsed_s >= 0.0))
    throw InputError(fmt::format("{} does not say how far the run had come", path.string()));
  return standing;
}

}  // namespace

/// Sums on the device since the last report.
struct Trainer::Watch {
  std::vector<std::pair<std::string, Tensor>> sums;
  std::int64_t steps = 0;
  Stopwatch since;
  double waited_s = 0.0;
  std::int64_t exchanged = 0;  // bytes, as the group counts them
  double exchange_s = 0.0;

  void add(const StepLoss& loss) {
    auto all = loss.watched;
    all.emplace_back("loss", loss.total);
    if (sums.empty()) {
      for (const auto& [name, value] : all) sums.emplace_back(name, value.detach().clone());
    } else {
      for (std::size_t i = 0; i < all.size(); ++i) sums[i].second.add_(all[i].second.detach());
    }
    ++steps;
  }
};

Trainer::Trainer(Objective& objective, const BatchSource& source, const TrainConfig& config,
                 RunFolder& folder, torch::Device device)
    : Trainer(objective, source, config, &folder, device, ProcessGroup::alone()) {}

Trainer::Trainer(Objective& objective, const BatchSource& source, const TrainConfig& config,
                 torch::Device device)
    : Trainer(objective, source, config, nullptr, device, ProcessGroup::alone()) {}

Trainer::Trainer(Objective& objective, const BatchSource& source, const TrainConfig& config,
                 RunFolder* folder, torch::Device device, const ProcessGroup& group)
    : objective_(objective),
      source_(source),
      config_(config),
      folder_(folder),
      device_(device),
      group_(group),
      optimiser_((objective.module().to(device), objective.module()), config) {
  objective_.share_batches(group_);
  if (config_.steps > 0)
    total_steps_ = config_.steps;
  else if (config_.minutes <= 0.0)
    total_steps_ =
        std::max<std::int64_t>(1, std::llround(config_.epochs * source.steps_per_epoch()));
}

double Trainer::progress_at(std::int64_t step) const {
  if (total_steps_ > 0) return static_cast<double>(step) / static_cast<double>(total_steps_);
  return std::min(1.0, elapsed_s_ / (60.0 * config_.minutes));
}

StepLoss Trainer::train_step(const PairBatch& batch, double progress) {
  optimiser_.clear_gradients();
  const StepLoss loss =
      objective_.loss(batch.to(device_), generator_for(config_.seed, step_, device_));
  loss.total.backward();
  group_.average(optimiser_.gradients());
  // The first step of the warm-up has a rate above zero as well.
  last_norm_ =
      optimiser_.step(learning_rate_at(std::max(progress, progress_at(step_ + 1) * 0.5), config_));
  objective_.after_step(progress);
  return loss;
}

void Trainer::copy_state_from_first() {
  const torch::NoGradGuard no_grad;
  for (auto& [name, tensor] : named_state(objective_.module())) group_.copy_from_first(tensor);
  auto state = optimiser_.state();
  for (auto& [name, tensor] : state) group_.copy_from_first(tensor);
  optimiser_.load(state);
  Tensor counters = torch::tensor({static_cast<double>(step_), elapsed_s_}, torch::kFloat64);
  group_.copy_from_first(counters);
  step_ = std::llround(counters[0].item<double>());
  elapsed_s_ = counters[1].item<double>();
}

/// Whether another step follows. All processes find the same: the first has the clock, and any of
/// them may have been asked to stop.
bool Trainer::goes_on(const std::atomic<bool>& stop) {
  Tensor told =
      torch::tensor({stop ? 1.0 : 0.0, group_.is_first() ? elapsed_s_ : 0.0}, torch::kFloat64);
  group_.sum(told);
  elapsed_s_ = told[1].item<double>();
  return progress_at(step_) < 1.0 && told[0].item<double>() == 0.0;
}

TrainEnd Trainer::run(const std::atomic<bool>& stop, const TrainCallbacks& callbacks) {
  if (group_.size() > 1) copy_state_from_first();
  objective_.module().train();
  BatchLoader loader([&](std::int64_t step) { return source_.make(step); }, step_, config_.workers);
  Watch watch;
  watch.exchanged = group_.exchanged_bytes();
  watch.exchange_s = group_.exchange_seconds();
  const double elapsed_before = elapsed_s_;
  const Stopwatch started;
  Stopwatch saved;
  double evaluate_at = progress_at(step_) + config_.evaluate_every;
  while (goes_on(stop)) {
    watch.add(train_step(loader.next(), progress_at(step_)));
    ++step_;
    elapsed_s_ = elapsed_before + started.seconds();
    if (!group_.is_first()) continue;  // only the first reports, evaluates and writes
    if (watch.since.seconds() >= kReportSeconds) report(watch, loader.waited_seconds(), callbacks);
    if (progress_at(step_) >= evaluate_at && progress_at(step_) < 1.0) {
      evaluate(callbacks);
      evaluate_at += config_.evaluate_every;
    }
    if (saved.seconds() > 60.0 * config_.checkpoint_minutes) {
      save_checkpoint();
      saved.restart();
    }
  }
  const bool finished = progress_at(step_) >= 1.0;
  if (group_.is_first() && watch.steps > 0) report(watch, loader.waited_seconds(), callbacks);
  if (group_.is_first() && finished) evaluate(callbacks);
  save_checkpoint();
  save_result();
  log({{"step", step_},
       {"event", finished ? "done" : "stop"},
       {"message", finished ? "the run is complete" : "stopped before the end"}});
  return finished ? TrainEnd::kFinished : TrainEnd::kStopped;
}

void Trainer::report(Watch& watch, double waited_s, const TrainCallbacks& callbacks) {
  TrainStatus status;
  status.step = step_;
  status.progress = progress_at(step_);
  status.epoch = static_cast<double>(step_) / source_.steps_per_epoch();
  status.elapsed_s = elapsed_s_;
  status.left_s = status.progress > 0.0 ? elapsed_s_ * (1.0 / status.progress - 1.0) : 0.0;
  status.clouds_per_s =
      static_cast<double>(source_.clouds_per_step() * watch.steps) / watch.since.seconds();
  status.learning_rate = learning_rate_at(status.progress, config_);
  for (const auto& [name, sum] : watch.sums)
    status.means[name] = sum.item<double>() / static_cast<double>(watch.steps);
  status.means["grad_norm"] = last_norm_.item<double>();

  nlohmann::json line = {
      {"step", status.step},
      {"epoch", status.epoch},
      {"elapsed_s", status.elapsed_s},
      {"lr", status.learning_rate},
      {"clouds_per_s", status.clouds_per_s},
      {"data_wait_ms", 1e3 * (waited_s - watch.waited_s) / static_cast<double>(watch.steps)}};
  for (const auto& [name, value] : status.means) line[name] = value;
  if (group_.size() > 1) {
    line["exchanged_bytes"] = (group_.exchanged_bytes() - watch.exchanged) / watch.steps;
    line["exchange_ms"] =
        1e3 * (group_.exchange_seconds() - watch.exchange_s) / static_cast<double>(watch.steps);
  }
  log(line);
  if (callbacks.on_status) callbacks.on_status(status);
  const auto steps = static_cast<double>(watch.steps);
  watch = Watch{{}, 0, {}, waited_s, group_.exchanged_bytes(), group_.exchange_seconds()};

  const double skipped = optimiser_.skipped().item<double>() - skipped_before_;
  skipped_before_ += skipped;
  if (skipped > 0.0)
    announce({"nan", fmt::format("{} of the last {} steps had no finite gradient and were left out",
                                 skipped, steps)},
             callbacks);
  if (skipped > kHopelessShare * steps && steps > 3) {
    throw Error(
        "training diverged: no step has a finite gradient any more; start again with a lower "
        "learning rate (the last checkpoint is kept)");
  }
  check_health(status, callbacks);
}

/// Invariant collapse as the paper measures it: the prediction is accurate only because rotations
/// do not change the embedding.
void Trainer::check_health(const TrainStatus& status, const TrainCallbacks& callbacks) {
  const auto ae = status.means.find("ae"), pa = status.means.find("pa");
  if (ae == status.means.end() || pa == status.means.end()) return;
  const bool collapsed = ae->second < kCollapseAe && pa->second > kCollapsePa;
  collapsed_reports_ = collapsed ? collapsed_reports_ + 1 : 0;
  if (!collapsed) collapse_announced_ = false;
  if (collapsed_reports_ < kCollapseReports || collapse_announced_) return;
  collapse_announced_ = true;
  announce({"collapse", fmt::format("invariant collapse: AE is {:.3f}, the embedding hardly moves "
                                    "when the cloud turns; raise beta or add pseudo-negatives",
                                    ae->second)},
           callbacks);
}

void Trainer::announce(const TrainEvent& event, const TrainCallbacks& callbacks) {
  log({{"step", step_}, {"event", event.kind}, {"message", event.message}});
  if (callbacks.on_event) callbacks.on_event(event);
}

void Trainer::evaluate(const TrainCallbacks& callbacks) {
  const auto model = objective_.model();
  if (model ? !callbacks.evaluate : !callbacks.evaluate_other) return;
  if (optimiser_.has_average()) optimiser_.swap_average();
  objective_.module().eval();
  last_evaluation_ = model ? callbacks.evaluate(*model) : callbacks.evaluate_other();
  objective_.module().train();
  if (optimiser_.has_average()) optimiser_.swap_average();
  log({{"step", step_}, {"eval", last_evaluation_}});
}

void Trainer::log(const nlohmann::json& line) {
  if (folder_ != nullptr) folder_->log(line);
}

void Trainer::save_checkpoint() {
  if (folder_ == nullptr) return;
  TensorFile file{named_state(objective_.module(), "module."),
                  {{"format", "pointpng"},
                   {"format_version", kCheckpointVersion},
                   {"kind", "checkpoint"},
                   {"step", std::to_string(step_)},
                   {"elapsed_s", fmt::format("{}", elapsed_s_)}}};
  file.tensors.merge(optimiser_.state());
  write_safetensors(folder_->checkpoint(), file);
}

void Trainer::resume() {
  if (folder_ == nullptr) throw Error("a run without a folder can't be resumed");
  const TensorFile file = read_safetensors(folder_->checkpoint());
  const Standing standing = read_standing(file, folder_->checkpoint());
  load_state(objective_.module(), file.tensors, "module.", folder_->checkpoint().string());
  optimiser_.load(file.tensors);
  skipped_before_ = optimiser_.skipped().item<double>();
  step_ = standing.step;
  elapsed_s_ = standing.elapsed_s;
  log({{"step", step_},
       {"event", "resume"},
       {"message", group_.size() == 1
                       ? fmt::format("went on at step {}", step_)
                       : fmt::format("went on at step {} in {} processes", step_, group_.size())}});
}

void Trainer::save_result() {
  if (folder_ == nullptr) {  // the weights themselves are the result
    if (optimiser_.has_average()) optimiser_.swap_average();
    return;
  }
  ModelCard card;
  card.training = folder_->config();
  card.training["steps"] = step_;
  card.training["elapsed_s"] = elapsed_s_;
  card.training["clouds_seen"] = source_.clouds_per_step() * step_;
  card.metrics = last_evaluation_;
  if (optimiser_.has_average()) optimiser_.swap_average();
  objective_.save(folder_->result(), card);
  if (optimiser_.has_average()) optimiser_.swap_average();
}

}  // namespace pointpng
