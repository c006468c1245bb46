#include <atomic>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/refusal.h"
#include "pointpng/training.h"
#include "train/run_plan.h"
#include "train/small_run.h"

namespace pointpng {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

RunPlan small_plan() {
  RunPlan plan = pretraining_plan("pretrain", "tiny");
  plan.model = smallest_model();
  plan.train.batch = 4;
  plan.train.steps = 6;
  plan.data = {"procedural:30:1"};
  plan.load.mesh_points = 256;
  return plan;
}

const ComputeOptions kOneThread{.threads = 1, .device = Device::kCpu};

TEST(RunPlanTest, IsTheSameAfterItsJson) {
  RunPlan plan = small_plan();
  plan.init = "encoder.safetensors";
  plan.left_out = 5;
  plan.load.background = false;
  EXPECT_EQ(plan_as_json(plan_from_json(plan_as_json(plan), "run")), plan_as_json(plan));
  EXPECT_THAT(refusal([] {
                plan_from_json({{"command", "pretrain"}}, "some/run");
              }),
              HasSubstr("some/run"));
}

TEST(RunPlanTest, SettingsAreFoundByTheirDottedNames) {
  RunPlan plan = small_plan();
  override_setting(plan, "train.loss.beta=0.5");
  override_setting(plan, "model.channels=[1,2]");
  EXPECT_EQ(plan.train.loss.beta, 0.5);
  EXPECT_THAT(plan.model.channels, ElementsAre(1, 2));
  for (const char* wrong : {"train.loss.gamma=1", "train.batch=many", "train.batch=1.5",
                            "train.loss=1", "~=1", "model.channels=[\"a\"]", "beta"})
    EXPECT_THROW(override_setting(plan, wrong), InputError) << wrong;
}

TEST(RunPlanTest, MaskedAutoencodingMasks) {
  EXPECT_EQ(pretraining_plan("mae", "tiny").train.objective, "mae");
  EXPECT_GT(pretraining_plan("mae", "tiny").train.mask_ratio, 0.0);
}

TEST(RunTest, TellsItsStoryToTheHooksAndToItsFolder) {
  const TemporaryFolder scratch;
  std::vector<std::string> story;
  RunHooks hooks;
  hooks.on_start = [&] { story.emplace_back("start"); };
  hooks.on_status = [&](const TrainStatus& status) {
    if (status.step == 6) story.emplace_back("last step");
  };
  hooks.on_end = [&](const RunResult&) { story.emplace_back("end"); };
  const RunResult result = start_run(small_plan(), scratch / "run", kOneThread, hooks);
  EXPECT_THAT(story, ElementsAre("start", "last step", "end"));
  EXPECT_EQ(result.end, TrainEnd::kFinished);
  EXPECT_EQ(result.steps, 6);
  EXPECT_TRUE(result.metrics.contains("pa"));  // two of the thirty shapes are held out

  const RunRecord run = read_run(scratch / "run");
  EXPECT_EQ(run.result, result.result);
  EXPECT_EQ(run.log.last_step, 6);
  EXPECT_EQ(run.log.events.back().kind, "done");
  EXPECT_EQ(run.config["shapes"]["held_out"], 2);
  EXPECT_EQ(run.config["data"][0]["shapes"], 30);
}

TEST(RunTest, IsStoppedByItsCallerAndResumedToTheSameWeights) {
  const TemporaryFolder scratch;
  std::atomic<bool> stop = true;  // before the first step
  RunHooks hooks;
  hooks.stop = &stop;
  EXPECT_EQ(start_run(small_plan(), scratch / "cut", kOneThread, hooks).end, TrainEnd::kStopped);
  EXPECT_THAT(refusal([&] { resume_run("mae", scratch / "cut", kOneThread); }),
              HasSubstr("pretrain"));
  const RunResult resumed = resume_run("pretrain", scratch / "cut", kOneThread);
  const RunResult whole = start_run(small_plan(), scratch / "whole", kOneThread);
  EXPECT_EQ(resumed.end, TrainEnd::kFinished);
  const TensorFile one = read_safetensors(resumed.result), other = read_safetensors(whole.result);
  ASSERT_FALSE(one.tensors.empty());
  for (const auto& [name, tensor] : one.tensors)
    EXPECT_TRUE(tensor.equal(other.tensors.at(name))) << name;
}

TEST(RunTest, OtherDataWouldBeAnotherRun) {
  const TemporaryFolder scratch;
  const auto write_shapes = [&](int count) {
    for (int i = 0; i < count; ++i)
      save_cloud(scratch.write("shapes/" + std::to_string(i) + ".npy", ""),
                 procedural_shape(1, static_cast<std::uint64_t>(i), 128).points);
  };
  write_shapes(4);
  RunPlan plan = small_plan();
  plan.data = {scratch / "shapes"};
  start_run(plan, scratch / "run", kOneThread);
  write_shapes(5);
  EXPECT_THAT(refusal([&] { resume_run("pretrain", scratch / "run", kOneThread); }),
              HasSubstr("changed"));
}

TEST(RunTest, WhatCantBeTrainedLeavesNoFolder) {
  const TemporaryFolder scratch;
  RunPlan plan = small_plan();
  plan.data = {};
  EXPECT_THROW(start_run(plan, scratch / "run", kOneThread), InputError);
  plan = small_plan();
  plan.train.batch = 0;
  EXPECT_THROW(start_run(plan, scratch / "run", kOneThread), InputError);
  EXPECT_TRUE(scratch.names().empty());
}

}  // namespace
}  // namespace pointpng
