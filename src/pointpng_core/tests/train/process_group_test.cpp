// Several processes give what one gives. The processes are threads here: the group doesn't know the
// difference; tests/cli/test_processes.py has real ones.

#include "train/process_group.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include "base/refusal.h"
#include "model/batch_norm.h"
#include "model/tensor_checks.h"
#include "train/labelled.h"
#include "train/small_run.h"
#include "train/trainer.h"

namespace pointpng {
namespace {

using testing::HasSubstr;
using Body = std::function<void(ProcessGroup&)>;

ProcessPlace place_of(int rank, int size, int port) {
  ProcessPlace place;
  place.rank = rank;
  place.size = size;
  place.port = port;
  return place;
}

bool built_with_gloo() {
  static const bool found = refusal([] { ProcessGroup(place_of(0, 2, 0)); }).empty();
  return found;
}

#define NEEDS_GLOO() \
  if (!built_with_gloo()) GTEST_SKIP() << "built without Gloo: training runs in one process"

/// Runs `body` in each of `size` processes; rethrows what the first of them to fail threw.
void together(int size, const Body& body) {
  std::mutex mutex;
  std::exception_ptr failure;
  const auto take_part = [&](const ProcessPlace& place) {
    try {
      ProcessGroup group(place);
      group.join(torch::kCPU);
      body(group);
      group.leave();
    } catch (...) {
      const std::scoped_lock lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  ProcessPlace first = place_of(0, size, 0);
  first.on_listening = [&](int port) {
    for (int rank = 1; rank < size; ++rank)
      others.emplace_back([&, rank, port] { take_part(place_of(rank, size, port)); });
  };
  take_part(first);
  for (std::thread& other : others) other.join();
  if (failure) std::rethrow_exception(failure);
}

TEST(ProcessGroupTest, OneProcessGetsWhatItGives) {
  const ProcessGroup& alone = ProcessGroup::alone();
  Tensor rows = torch::randn({4, 2});
  EXPECT_TRUE(alone.gather(rows).is_same(rows));
  EXPECT_TRUE(alone.own_pairs(rows).is_same(rows));
  const Tensor before = rows.clone();
  alone.average(rows);
  alone.copy_from_first(rows);
  EXPECT_TRUE(rows.equal(before));
  EXPECT_EQ(alone.exchanged_bytes(), 0);
}

// L = Σ_ranks ⟨w_rank, gathered⟩: the gradient of a row is the sum of all ranks' weights for it.
TEST(ProcessGroupTest, GatheredRowsHaveTheGradientOfAllProcesses) {
  NEEDS_GLOO();
  torch::manual_seed(1);
  const Tensor rows = torch::randn({3, 2, 5}), weights = torch::randn({3, 6, 5});
  together(3, [&](ProcessGroup& group) {
    const Tensor own = rows[group.rank()].clone().requires_grad_();
    const Tensor all = group.gather(own);
    EXPECT_TRUE(all.detach().equal(rows.flatten(0, 1)));
    (all * weights[group.rank()]).sum().backward();
    EXPECT_LT(difference(own.grad(), weights.sum(0).narrow(0, 2 * group.rank(), 2)), 1e-6);
  });
}

TEST(ProcessGroupTest, AveragesSumsAndCopies) {
  NEEDS_GLOO();
  together(2, [](ProcessGroup& group) {
    const double mine = group.rank() == 0 ? 1.0 : 4.0;
    Tensor mean = torch::full({3}, mine), sum = mean.clone(), first = mean.clone();
    Tensor count = torch::tensor(static_cast<std::int64_t>(mine));
    group.average(mean);
    group.sum(sum);
    group.copy_from_first(first);
    group.copy_from_first(count);
    EXPECT_TRUE(mean.equal(torch::full({3}, 2.5)));
    EXPECT_TRUE(sum.equal(torch::full({3}, 5.0)));
    EXPECT_TRUE(first.equal(torch::full({3}, 1.0)));
    EXPECT_EQ(count.item<std::int64_t>(), 1);
    EXPECT_EQ(group.exchanged_bytes(), 3 * 12 + 8);
  });
}

TEST(ProcessGroupTest, OwnPairsAreThoseOfBothViews) {
  NEEDS_GLOO();
  together(2, [](ProcessGroup& group) {
    const Tensor own = group.own_pairs(torch::arange(8));  // x 0 1 2 3, x⁺ 4 5 6 7
    EXPECT_TRUE(
        own.equal(group.rank() == 0 ? torch::tensor({0, 1, 4, 5}) : torch::tensor({2, 3, 6, 7})));
  });
}

TEST(ProcessGroupTest, BatchNormIsThatOfTheWholeBatch) {
  NEEDS_GLOO();
  torch::manual_seed(2);
  const Tensor x = 3.0 * torch::randn({12, 4}) + torch::arange(12).unsqueeze(1);  // halves differ
  const Tensor wanted = torch::randn({12, 4});
  BatchNorm whole(4);
  const Tensor given = x.clone().requires_grad_();
  const Tensor out = whole(given);
  (out * wanted).sum().backward();
  together(2, [&](ProcessGroup& group) {
    BatchNorm half(4);
    half->share_statistics([&](const Tensor& rows) { return group.gather(rows); });
    const std::int64_t first = 6 * group.rank();
    const Tensor own = x.narrow(0, first, 6).clone().requires_grad_();
    const Tensor normal = half(own);
    (normal * wanted.narrow(0, first, 6)).sum().backward();
    EXPECT_LT(difference(normal, out.narrow(0, first, 6)), 1e-5);
    EXPECT_LT(difference(own.grad(), given.grad().narrow(0, first, 6)), 1e-5);
    Tensor gain = half->weight.grad().clone();
    group.sum(gain);
    EXPECT_LT(difference(gain, whole->weight.grad()), 1e-4);
    EXPECT_LT(difference(half->running_mean, whole->running_mean), 1e-5);
    EXPECT_LT(difference(half->running_var, whole->running_var), 1e-5);
    EXPECT_EQ(half->num_batches_tracked.item<std::int64_t>(), 1);
  });
}

TEST(BatchShareTest, SharesMakeUpTheWholeBatch) {
  const ModelConfig model = smallest_model();
  TrainConfig train = short_training(1);
  train.views.jitter = 0.02;
  train.views.crop_probability = 0.5;
  const ShapeSet shapes = procedural_shapes(8, 256, 1);
  const PairBatch whole = PairSource(shapes, model, train).make(3);
  for (std::int64_t rank = 0; rank < 2; ++rank) {
    const PairBatch part = PairSource(shapes, model, train, {rank, 2}).make(3);
    const Tensor rows = torch::tensor({0, 1, 4, 5}) + 2 * rank;
    EXPECT_TRUE(part.patches.centres.equal(whole.patches.centres.index_select(0, rows)));
    EXPECT_TRUE(part.patches.points.equal(whole.patches.points.index_select(0, rows)));
    EXPECT_TRUE(part.rotation.equal(whole.rotation.narrow(0, 2 * rank, 2)));
  }
}

// ---- Runs

struct Case {
  std::string name;
  ModelConfig model = smallest_model();
  TrainConfig train = short_training(1);
};

Case equivariant() {
  Case made{"EquivariantWigner"};
  made.train.steps = 50;
  made.train.learning_rate = 1e-3;
  return made;
}

Case transformer(const std::string& name, const std::string& objective) {
  Case made = equivariant();
  made.name = name;
  made.model.backbone = "transformer";
  made.model.predictor = objective == "sie" ? "sie" : "cope";
  made.model.patch_batch_norm = true;
  made.train.mask_ratio = 0.5;
  made.train.objective = objective;
  return made;
}

std::vector<Case> all_cases() {
  return {equivariant(),
          transformer("TransformerCope", "pointpng"),
          transformer("Mae", "mae"),
          transformer("Point2Vec", "point2vec"),
          transformer("Sie", "sie"),
          transformer("Classifier", "classify")};
}

/// Shapes of two classes.
ShapeSet labelled_shapes() {
  ShapeSet set = procedural_shapes(8, 256, 1);
  set.class_names = {"even", "odd"};
  for (std::size_t i = 0; i < set.shapes.size(); ++i) set.shapes[i].label = static_cast<int>(i % 2);
  return set;
}

std::unique_ptr<Objective> objective_of(const Case& given) {
  if (given.train.objective != "classify") return make_objective(given.model, given.train);
  const ShapeSet shapes = labelled_shapes();
  const auto classifier = std::make_shared<Classifier>(
      classifier_config(given.model, shapes.class_names, given.train.classify));
  return classifier_objective(classifier, class_weights(shapes, 0.0), 0.1);
}

std::unique_ptr<BatchSource> source_of(const Case& given, BatchShare share) {
  if (given.train.objective == "classify")
    return std::make_unique<LabelledSource>(labelled_shapes(), given.model, given.train, share);
  return std::make_unique<PairSource>(procedural_shapes(8, 256, 1), given.model, given.train,
                                      share);
}

/// Forwards everything and keeps the losses; may ask for a stop, as Ctrl-C does.
class Recorded : public Objective {
 public:
  Recorded(Objective& inner, const ProcessGroup& group) : inner_(inner) {
    inner.share_batches(group);
  }
  StepLoss loss(const PairBatch& batch, torch::Generator generator) override {
    const StepLoss step = inner_.loss(batch, generator);
    losses.push_back(step.total.item<double>());
    if (static_cast<int>(losses.size()) == stop_in) stop = true;
    return step;
  }
  torch::nn::Module& module() override { return inner_.module(); }
  void after_step(double progress) override { inner_.after_step(progress); }
  void save(const std::filesystem::path& path, const ModelCard& card) override {
    inner_.save(path, card);
  }
  std::shared_ptr<Model> model() override { return inner_.model(); }

  std::vector<double> losses;
  int stop_in = 0;
  std::atomic<bool> stop = false;

 private:
  Objective& inner_;
};

struct Trained {
  std::vector<double> losses;
  std::map<std::string, Tensor> state;  ///< weights and buffers
};

std::mutex seeding;

/// Fresh weights; those of other processes than the first must not matter.
std::unique_ptr<Objective> fresh(const Case& given, const ProcessGroup& group) {
  const std::scoped_lock lock(seeding);
  torch::manual_seed(7 + group.rank());
  return objective_of(given);
}

Trained train(const Case& given, const ProcessGroup& group, RunFolder* folder = nullptr,
              bool resume = false, int stop_in = 0) {
  const auto objective = fresh(given, group);
  Recorded recorded(*objective, group);
  recorded.stop_in = stop_in;
  const auto source = source_of(given, {group.rank(), group.size()});
  Trainer trainer(recorded, *source, given.train, folder, torch::kCPU, group);
  if (resume && folder != nullptr) trainer.resume();
  trainer.run(recorded.stop, {});
  Trained trained{recorded.losses, {}};
  for (const auto& [name, tensor] : named_state(objective->module()))
    trained.state[name] = tensor.detach().clone();
  return trained;
}

/// What each of several processes ends with.
std::vector<Trained> train_together(const Case& given, int size) {
  std::vector<Trained> all(static_cast<std::size_t>(size));
  together(size, [&](ProcessGroup& group) {
    all[static_cast<std::size_t>(group.rank())] = train(given, group);
  });
  return all;
}

/// The largest difference between weights of two runs.
double difference_of(const std::map<std::string, Tensor>& one,
                     const std::map<std::string, Tensor>& other) {
  double largest = 0.0;
  for (const auto& [name, tensor] : one)
    largest = std::max(largest,
                       difference(tensor.to(torch::kFloat64), other.at(name).to(torch::kFloat64)));
  return largest;
}

class ProcessesTest : public testing::TestWithParam<Case> {};

TEST_P(ProcessesTest, TwoWithHalfTheBatchEachAreOneWithTheWhole) {
  NEEDS_GLOO();
  const Trained one = train(GetParam(), ProcessGroup::alone());
  const std::vector<Trained> two = train_together(GetParam(), 2);
  ASSERT_EQ(one.losses.size(), 50U);
  EXPECT_GT(std::abs(one.losses.back() - one.losses.front()), 1e-2);  // it did learn
  for (const Trained& each : two) {
    ASSERT_EQ(each.losses.size(), one.losses.size());
    double largest = 0.0;
    for (std::size_t i = 0; i < one.losses.size(); ++i)
      largest = std::max(largest, std::abs(each.losses[i] - one.losses[i]));
    EXPECT_LT(largest, 1e-4);
    const double weights = difference_of(one.state, each.state);
    RecordProperty("loss", fmt::format("{:.2e}", largest));
    RecordProperty("weights", fmt::format("{:.2e}", weights));
    EXPECT_LT(weights, 1e-4);
  }
  EXPECT_EQ(difference_of(two[0].state, two[1].state), 0.0);  // to the bit
  EXPECT_EQ(two[0].losses, two[1].losses);
}

INSTANTIATE_TEST_SUITE_P(Objectives, ProcessesTest, testing::ValuesIn(all_cases()),
                         [](const auto& given) { return given.param.name; });

/// A run of `size` processes in a folder; the last of them asks for a stop in a step.
void run_in_folder(const Case& given, const std::filesystem::path& path, int size, bool resume,
                   int stop_in = 0) {
  const Body body = [&](ProcessGroup& group) {
    std::optional<RunFolder> folder;
    if (group.is_first())
      folder = resume ? RunFolder::open(path) : RunFolder::create(path, config_of(given.train));
    const int stop = group.rank() == size - 1 ? stop_in : 0;
    train(given, group, folder ? &*folder : nullptr, resume, stop);
  };
  if (size > 1) return together(size, body);
  ProcessGroup alone;
  body(alone);
}

std::map<std::string, Tensor> checkpoint_of(const std::filesystem::path& run) {
  return read_safetensors(run / "checkpoint.safetensors").tensors;
}

class ResumeProcessesTest : public testing::TestWithParam<Case> {};

TEST_P(ResumeProcessesTest, ToTheBitWithAsManyAndToFloatPrecisionWithOthers) {
  NEEDS_GLOO();
  const TemporaryFolder scratch;
  Case given = GetParam();
  given.train.steps = 12;
  given.train.average = 0.9;
  run_in_folder(given, scratch / "straight", 2, false);
  const auto straight = checkpoint_of(scratch / "straight");
  for (const auto& [first, then] : {std::pair{2, 2}, {2, 1}, {1, 2}}) {
    const auto path = scratch / fmt::format("{}_{}", first, then);
    run_in_folder(given, path, first, false, 5);
    EXPECT_EQ(read_safetensors(path / "checkpoint.safetensors").metadata.at("step"), "5");
    run_in_folder(given, path, then, true);
    const double off = difference_of(straight, checkpoint_of(path));
    if (first == then)
      EXPECT_EQ(off, 0.0);
    else
      EXPECT_LT(off, 1e-4);
    EXPECT_EQ(count_events(path, "stop"), 1);
    EXPECT_EQ(count_events(path, "resume"), 1);
    EXPECT_EQ(count_events(path, "done"), 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Objectives, ResumeProcessesTest,
                         testing::Values(equivariant(), transformer("Mae", "mae")),
                         [](const auto& given) { return given.param.name; });

TEST(ProcessesLogTest, TellsWhatIsExchanged) {
  NEEDS_GLOO();
  const TemporaryFolder scratch;
  Case given = equivariant();
  given.train.steps = 4;
  run_in_folder(given, scratch / "run", 2, false);
  const auto lines = log_of(scratch / "run");
  const auto weights = checkpoint_of(scratch / "run").at("optimiser.mean").numel();
  const std::int64_t z = embedding_length(given.model), batch = given.train.batch;
  // Gradients; z and z⁺ forward and backward, g; the clock, once more than there are steps.
  EXPECT_EQ(lines.at(0)["exchanged_bytes"],
            4 * (weights + 4 * batch * z + 4 * batch) + 16 * 5 / 4);
  EXPECT_GT(lines.at(0)["exchange_ms"].get<double>(), 0.0);
}

// ---- What can go wrong

TEST(LostProcessTest, TheOthersEndWithASentence) {
  NEEDS_GLOO();
  ProcessPlace first = place_of(0, 2, 0);
  std::thread other;
  first.on_listening = [&](int port) {
    other = std::thread([port] {
      ProcessGroup group(place_of(1, 2, port));
      group.join(torch::kCPU);
    });
  };
  ProcessGroup group(first);
  group.join(torch::kCPU);
  other.join();
  Tensor value = torch::ones({1});
  const Tensor rows = torch::ones({1, 2}).requires_grad_();
  const auto message = [](const std::function<void()>& action) -> std::string {
    try {
      action();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message([&] { group.sum(value); }),
              HasSubstr("another of the 2 processes has ended"));
  EXPECT_THAT(message([&] { group.gather(rows); }), HasSubstr("go on with --resume"));
}

TEST(ProcessPlaceTest, TwoOfTheSameRankOrOfOtherSizesAreRefused) {
  NEEDS_GLOO();
  ProcessPlace first = place_of(0, 2, 0);
  std::string same, other_size;
  first.on_listening = [&](int port) {
    other_size = refusal([&] { ProcessGroup(place_of(1, 3, port)); });
    same = refusal([&] { ProcessGroup(place_of(1, 2, port)); });
    throw Error("enough");
  };
  ProcessGroup group(first);
  EXPECT_THROW(group.join(torch::kCPU), Error);
  EXPECT_THAT(other_size, HasSubstr("WORLD_SIZE is 3 here and 2 in the first process"));
  EXPECT_THAT(same, HasSubstr("two processes have RANK 1"));
}

TEST(ProcessPlaceTest, APortInUseIsRefused) {
  NEEDS_GLOO();
  ProcessPlace first = place_of(0, 2, 0);
  int port = 0;
  first.on_listening = [&](int taken) {
    port = taken;
    throw Error("enough");
  };
  ProcessGroup group(first);
  EXPECT_THROW(group.join(torch::kCPU), Error);
  EXPECT_THAT(refusal([&] { ProcessGroup(place_of(0, 2, port)); }),
              HasSubstr("can't listen on port " + std::to_string(port)));
}

/// Variables of the environment for one test.
class Environment {
 public:
  explicit Environment(std::map<std::string, std::string> values) : values_(std::move(values)) {
    for (const auto& [name, value] : values_) ::setenv(name.c_str(), value.c_str(), 1);
  }
  ~Environment() {
    for (const auto& [name, value] : values_) ::unsetenv(name.c_str());
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  std::map<std::string, std::string> values_;
};

TEST(ProcessPlaceTest, IsReadFromTorchrunsVariables) {
  EXPECT_EQ(place_from_environment().size, 1);
  const Environment set({{"RANK", "3"},
                         {"WORLD_SIZE", "4"},
                         {"LOCAL_RANK", "1"},
                         {"LOCAL_WORLD_SIZE", "2"},
                         {"MASTER_ADDR", "gpu0"},
                         {"MASTER_PORT", "29500"}});
  const ProcessPlace place = place_from_environment();
  EXPECT_EQ(place.rank, 3);
  EXPECT_EQ(place.size, 4);
  EXPECT_EQ(place.local_rank, 1);
  EXPECT_EQ(place.local_size, 2);
  EXPECT_EQ(place.address, "gpu0");
  EXPECT_EQ(place.port, 29500);
  EXPECT_EQ(place.agent, "");
}

TEST(ProcessPlaceTest, WrongVariablesAreRefusedWithASentence) {
  const auto told = [](const std::map<std::string, std::string>& changed) {
    std::map<std::string, std::string> values = {
        {"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "gpu0"}, {"MASTER_PORT", "29500"}};
    for (const auto& [name, value] : changed) values[name] = value;
    const Environment set(values);
    return refusal([] { place_from_environment(); });
  };
  EXPECT_EQ(told({}), "");
  EXPECT_EQ(told({{"RANK", "2"}}), "RANK must be a number in [0, 1], got '2'");
  EXPECT_EQ(told({{"RANK", "-1"}}), "RANK must be a number in [0, 1], got '-1'");
  EXPECT_EQ(told({{"RANK", "one"}}), "RANK must be a number in [0, 1], got 'one'");
  EXPECT_THAT(told({{"RANK", ""}}), HasSubstr("RANK is not set"));
  EXPECT_THAT(told({{"WORLD_SIZE", "0"}}), HasSubstr("WORLD_SIZE must be a number"));
  EXPECT_THAT(told({{"WORLD_SIZE", ""}}), HasSubstr("WORLD_SIZE is not set"));
  EXPECT_THAT(told({{"MASTER_ADDR", ""}}), HasSubstr("MASTER_ADDR is not set"));
  EXPECT_THAT(told({{"MASTER_PORT", "65536"}}), HasSubstr("MASTER_PORT must be a number"));
}

}  // namespace
}  // namespace pointpng
