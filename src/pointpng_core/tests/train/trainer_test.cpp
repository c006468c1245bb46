#include "train/trainer.h"

#include <chrono>
#include <cmath>
#include <csignal>
#include <sys/resource.h>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include "base/refusal.h"
#include "pointpng/error.h"
#include "pointpng/io.h"
#include "train/small_run.h"

namespace pointpng {
namespace {

using testing::HasSubstr;

const ModelConfig kModel = smallest_model();

/// One run of an objective in a folder; the data do not matter.
struct SmallRun {
  TrainConfig config;
  RunFolder folder;
  PairSource source;
  std::atomic<bool> stop = false;

  SmallRun(const TrainConfig& train, const std::filesystem::path& path)
      : config(train),
        folder(std::filesystem::exists(path) ? RunFolder::open(path)
                                             : RunFolder::create(path, config_of(train))),
        source(small_source(kModel, train)) {}

  void go(Objective& objective, bool resume = false, const TrainCallbacks& callbacks = {}) {
    Trainer trainer(objective, source, config, folder, torch::kCPU);
    if (resume) trainer.resume();
    trainer.run(stop, callbacks);
  }
};

StepLoss sound(int, const Tensor& weight) { return {weight.square().sum(), {}}; }

StepLoss not_a_number(int, const Tensor& weight) {
  return {weight.square().sum() * std::nan(""), {}};
}

/// A step of a few milliseconds with made-up metrics.
FakeObjective::Maker with_figures(double pa, double ae) {
  return [=](int, const Tensor& weight) -> StepLoss {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return {weight.square().sum(), {{"pa", torch::tensor(pa)}, {"ae", torch::tensor(ae)}}};
  };
}

TrainConfig some_seconds() {
  TrainConfig config = short_training(1);
  config.minutes = 0.11;  // the trainer checks once per second, with a safety margin
  return config;
}

TEST(TrainerTest, NoticesInvariantCollapseWhileItHappens) {
  const TemporaryFolder scratch;
  SmallRun run(some_seconds(), scratch / "run");
  FakeObjective collapsed(with_figures(1.0, 0.0));
  std::vector<TrainEvent> events;
  TrainCallbacks callbacks;
  callbacks.on_event = [&](const TrainEvent& event) { events.push_back(event); };
  run.go(collapsed, false, callbacks);
  ASSERT_EQ(events.size(), 1U);  // reported once, not every second
  EXPECT_EQ(events[0].kind, "collapse");
  EXPECT_THAT(events[0].message, HasSubstr("AE is 0.000"));
  EXPECT_EQ(count_events(scratch / "run", "collapse"), 1);
}

TEST(TrainerTest, DoesNotCallAWorkingModelCollapsed) {
  const TemporaryFolder scratch;
  SmallRun run(some_seconds(), scratch / "run");
  FakeObjective healthy(with_figures(0.95, 0.4));
  int reports = 0;
  TrainCallbacks callbacks;
  callbacks.on_status = [&](const TrainStatus&) { ++reports; };
  run.go(healthy, false, callbacks);
  EXPECT_GE(reports, 5);
  EXPECT_EQ(count_events(scratch / "run", "collapse"), 0);
}

TEST(TrainerTest, EndsWhenNoGradientIsFiniteAndKeepsTheLastCheckpoint) {
  const TemporaryFolder scratch;
  TrainConfig config = short_training(10);
  {
    SmallRun run(config, scratch / "run");
    FakeObjective inner(sound);
    StoppingObjective objective(inner, 2, run.stop);
    run.go(objective);
  }
  const std::string before = read_file(scratch / "run/checkpoint.safetensors");
  SmallRun run(config, scratch / "run");
  FakeObjective broken(not_a_number);
  try {
    run.go(broken, true);
    FAIL() << "a run without a single finite gradient went on";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("diverged"));
  }
  EXPECT_EQ(count_events(scratch / "run", "nan"), 1);
  EXPECT_EQ(read_file(scratch / "run/checkpoint.safetensors"), before);
}

TEST(TrainerTest, AFewBadStepsAreReportedAndSurvived) {
  const TemporaryFolder scratch;
  SmallRun run(short_training(10), scratch / "run");
  FakeObjective objective([](int call, const Tensor& weight) {
    return call % 5 == 2 ? not_a_number(call, weight) : sound(call, weight);
  });
  run.go(objective);
  EXPECT_EQ(count_events(scratch / "run", "nan"), 1);
  EXPECT_EQ(count_events(scratch / "run", "done"), 1);
  const Tensor weight = read_safetensors(scratch / "run/model.safetensors").tensors.at("weight");
  EXPECT_TRUE(weight.isfinite().all().item<bool>());
}

TEST(TrainerTest, BadStepsBeforeAResumeAreNotCountedAgain) {
  const TemporaryFolder scratch;
  const TrainConfig config = short_training(10);
  {
    SmallRun run(config, scratch / "run");
    FakeObjective inner([](int call, const Tensor& weight) {
      return call % 2 == 0 ? not_a_number(call, weight) : sound(call, weight);
    });
    StoppingObjective objective(inner, 14, run.stop);
    run.go(objective);
  }
  SmallRun run(config, scratch / "run");
  FakeObjective healthy(sound);
  run.go(healthy, true);  // six steps are left, seven were bad before
  EXPECT_EQ(count_events(scratch / "run", "nan"), 1);
  EXPECT_EQ(count_events(scratch / "run", "done"), 1);
}

/// Files can't grow past the limit during its lifetime, as on a full disk.
class FullDisk {
 public:
  explicit FullDisk(rlim_t largest_file) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{largest_file, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST(TrainerTest, AFullDiskLeavesTheOldCheckpointWhole) {
  const TemporaryFolder scratch;
  const TrainConfig config = short_training(3);
  const auto train = [&](bool resume, int stop_in) {
    const auto inner = make_objective(kModel, config);
    SmallRun run(config, scratch / "run");
    StoppingObjective objective(*inner, stop_in, run.stop);
    run.go(objective, resume);
  };
  train(false, 2);
  const auto checkpoint = scratch / "run/checkpoint.safetensors";
  const std::string before = read_file(checkpoint);
  ASSERT_GT(before.size(), 20000U);
  {
    const FullDisk full(before.size() / 2);
    try {
      train(true, 2);
      FAIL() << "the checkpoint was written to a full disk";
    } catch (const InputError&) {
      FAIL() << "a full disk is no wrong input";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("checkpoint.safetensors"));
    }
  }
  EXPECT_EQ(read_file(checkpoint), before);
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(scratch / "run")) {
    EXPECT_THAT(entry.path().string(), testing::Not(HasSubstr(".partial")));
    ++files;
  }
  EXPECT_EQ(files, 4U);  // config, log, checkpoint, model
  train(true, 1000);     // and resumes when there is space again
  EXPECT_EQ(count_events(scratch / "run", "done"), 1);
}

TEST(TrainerTest, RefusesCheckpointsThatAreNotItsOwn) {
  const TemporaryFolder scratch;
  const TrainConfig config = short_training(1);
  const auto path = scratch / "run/checkpoint.safetensors";
  {
    SmallRun run(config, scratch / "run");
    const auto objective = make_objective(kModel, config);
    run.go(*objective);
  }
  const TensorFile good = read_safetensors(path);
  const auto resumed = [&](const ModelConfig& model) {
    SmallRun run(config, scratch / "run");
    const auto objective = make_objective(model, config);
    return refusal([&] { run.go(*objective, true); });
  };
  EXPECT_EQ(resumed(kModel), "");
  ModelConfig wider = kModel;
  wider.width = 64;
  EXPECT_THAT(resumed(wider), HasSubstr("another architecture"));

  TensorFile changed = good;
  changed.metadata["kind"] = "model";
  write_safetensors(path, changed);
  EXPECT_THAT(resumed(kModel), HasSubstr("no checkpoint"));

  changed = good;
  changed.metadata["format_version"] = "2";
  write_safetensors(path, changed);
  EXPECT_THAT(resumed(kModel), HasSubstr("version"));

  for (const char* step : {"", "many", "-3", "99999999999999999999"}) {
    changed = good;
    changed.metadata["step"] = step;
    write_safetensors(path, changed);
    EXPECT_THAT(resumed(kModel), HasSubstr("checkpoint.safetensors")) << step;
  }
  write_file_atomically(path, std::string_view("\x10\0\0\0\0\0\0\0{", 9));
  EXPECT_THAT(resumed(kModel), HasSubstr("cut off"));
}

TEST(TrainerTest, ReportsHowItGoes) {
  const TemporaryFolder scratch;
  SmallRun run(short_training(2), scratch / "run");
  const auto objective = make_objective(kModel, run.config);
  TrainStatus last;
  TrainCallbacks callbacks;
  callbacks.on_status = [&](const TrainStatus& status) { last = status; };
  run.go(*objective, false, callbacks);
  EXPECT_EQ(last.step, 4);
  EXPECT_DOUBLE_EQ(last.progress, 1.0);
  EXPECT_DOUBLE_EQ(last.epoch, 2.0);
  EXPECT_GT(last.clouds_per_s, 0.0);
  EXPECT_DOUBLE_EQ(last.left_s, 0.0);
  for (const char* name : {"loss", "align", "cope", "unif", "pa", "ae", "grad_norm"})
    EXPECT_TRUE(last.means.contains(name)) << name;
  const auto line = log_of(scratch / "run").at(0);
  for (const char* name : {"step", "epoch", "lr", "clouds_per_s", "data_wait_ms", "loss", "pa"})
    EXPECT_TRUE(line.contains(name)) << name;
}

TEST(TrainerTest, MinutesEndARunByTheClock) {
  const TemporaryFolder scratch;
  TrainConfig config = short_training(1000);
  config.minutes = 0.01;
  SmallRun run(config, scratch / "run");
  FakeObjective objective(with_figures(0.9, 0.4));
  const auto start = std::chrono::steady_clock::now();
  run.go(objective);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  EXPECT_GE(took.count(), 0.6);
  EXPECT_LT(took.count(), 3.0);
  EXPECT_EQ(count_events(scratch / "run", "done"), 1);
}

}  // namespace
}  // namespace pointpng
