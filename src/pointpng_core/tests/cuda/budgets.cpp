// How many launches and copies the counting device sees. A launch takes some 4 to 6 µs of a
// desktop's time and more of a Jetson's: these budgets are what makes a GPU worth its while.

#include <algorithm>

#include <gtest/gtest.h>
#include <torch/types.h>

#include "cuda/counting_device.h"
#include "model/graph.h"
#include "model/operators.h"
#include "model/torch_embedder.h"
#include "pointpng/io.h"
#include "pointpng/registration.h"
#include "pose/problem.h"
#include "pose/propose.h"
#include "train/model_objective.h"
#include "train/optimiser.h"
#include "train/trainer.h"
#include "train/views.h"

namespace pointpng {
namespace {

const torch::Device kGpu(torch::kCUDA, 0);

Cloud shape(std::int64_t number) { return procedural_shape(3, number, 2000).points; }

std::shared_ptr<const Embedder> object_embedder() {
  static const auto made = make_embedder(load_model(find_model(""), kGpu).model);
  return made;
}

std::string told(const counting::Counts& counts) {
  std::string text;
  for (const auto& [name, count] : counts.operations)
    text += name + " " + std::to_string(count) + ", ";
  return text;
}

/// What was counted since the last reset; the test's report tells it (--gtest_output=json).
counting::Counts seen_so_far() {
  const counting::Counts seen = counting::counts();
  ::testing::Test::RecordProperty("launches", std::to_string(seen.launches));
  ::testing::Test::RecordProperty("copies_to_device", std::to_string(seen.copies_to_device));
  ::testing::Test::RecordProperty("copies_to_host", std::to_string(seen.copies_to_host));
  return seen;
}

TEST(GpuBudgetTest, ModelIsMovedInOneCopy) {
  counting::reset();
  load_model(find_model(""), kGpu);
  EXPECT_EQ(counting::counts().copies_to_device, 1);
  EXPECT_EQ(counting::counts().launches, 0) << told(counting::counts());
}

TEST(GpuBudgetTest, EmbeddingACloud) {
  const auto embedder = object_embedder();
  counting::reset();
  embedder->embed(shape(0), "a chair");
  const counting::Counts seen = seen_so_far();
  EXPECT_LE(seen.launches, 60) << told(seen);
  EXPECT_EQ(seen.copies_to_device, 1);
  EXPECT_EQ(seen.copies_to_host, 1);  // z itself
  EXPECT_EQ(seen.own_stream, seen.launches);
}

TEST(GpuBudgetTest, ManyCloudsCostAsManyLaunchesAsOne) {
  const auto embedder = object_embedder();
  std::vector<Cloud> clouds;
  std::vector<NamedCloud> named;
  for (std::int64_t i = 0; i < 8; ++i) clouds.push_back(shape(i));
  for (const Cloud& cloud : clouds) named.push_back({cloud, "a shape"});
  counting::reset();
  const auto together = embedder->embed(named);
  const counting::Counts seen = seen_so_far();
  EXPECT_LE(seen.launches, 60) << told(seen);
  EXPECT_EQ(seen.copies_to_device, 1);
  for (std::size_t i = 0; i < clouds.size(); ++i)
    EXPECT_LT((together[i] - embedder->embed(clouds[i], "a shape")).norm(), 1e-5F);
}

TEST(GpuBudgetTest, SearchingARotation) {
  const auto embedder = object_embedder();
  const Eigen::VectorXf source = embedder->embed(shape(0), "one"),
                        target = embedder->embed(shape(1), "other");
  counting::reset();
  embedder->search(source, target, {});
  const counting::Counts seen = seen_so_far();
  EXPECT_LE(seen.launches, 20);
  EXPECT_EQ(seen.copies_to_device + seen.copies_to_host, 0);
}

/// The points of a shape on one side of a plane: registration has to look at parts.
Cloud side(std::int64_t number, const Eigen::Vector3f& normal) {
  const Cloud whole = shape(number);
  const Eigen::VectorXf heights = whole * normal;
  std::vector<float> sorted(heights.begin(), heights.end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<Eigen::Index> kept;
  for (Eigen::Index i = 0; i < whole.rows(); ++i)
    if (heights[i] < sorted[sorted.size() * 6 / 10]) kept.push_back(i);
  return whole(kept, Eigen::all);
}

TEST(GpuBudgetTest, RegisteringWithParts) {
  // Parts of two shapes: nothing fits, and every round of hypotheses is looked at.
  const Cloud part = side(2, {1, 0, 0}), other = side(5, {0, 0.5F, 1});
  counting::reset();
  const Registration registration(make_embedder(load_model(find_model(""), kGpu).model),
                                  {.effort = Effort::kThorough});
  const Alignment found = registration.align(part, other);
  const counting::Counts seen = seen_so_far();
  EXPECT_GT(found.times_ms.parts, 0.0) << "no parts were looked at";
  EXPECT_GT(seen.operations.at("pointpng::quick_scores"), 0);
  EXPECT_LE(seen.launches, 250) << told(seen);
  EXPECT_LE(seen.copies_to_device + seen.copies_to_host, 20);
}

TEST(GpuBudgetTest, JudgesPosesAsTheCpu) {
  const Cloud part = side(2, {1, 0, 0}), other = side(2, {0, 0.5F, 1});
  const auto proposed = [&](const Registration& by) {
    const PreparedCloud source = by.prepare(part), target = by.prepare(other);
    const RegistrationProblem problem(source.data(), target.data());
    return PointPairProposer().propose(problem);
  };
  counting::reset();
  const Candidates there = proposed(Registration(object_embedder(), {}));
  EXPECT_EQ(counting::counts().operations.at("pointpng::quick_scores"), 2);
  const Candidates here = proposed(Registration::load("", {}, {.device = Device::kCpu}));
  ASSERT_EQ(there.size(), here.size());
  // A point on the border of a cell may be rounded to the other side, and two poses change places.
  const auto shared = std::ranges::count_if(there, [&](const Candidate& one) {
    return std::ranges::any_of(here, [&](const Candidate& other_one) {
      return (one.pose.rotation - other_one.pose.rotation).norm() < 1e-5F;
    });
  });
  EXPECT_GE(shared, std::ssize(here) * 9 / 10);
}

TEST(GpuBudgetTest, ManyPairsAreEmbeddedInOneBatch) {
  const Registration registration(object_embedder(), {});
  const PreparedCloud scene = registration.prepare(shape(0), "the scene");
  std::vector<PreparedPair> pairs;
  for (std::int64_t i = 0; i < 3; ++i)
    pairs.push_back({registration.prepare(shape(i), "a reference"), scene});
  counting::reset();
  const std::vector<Alignment> found = registration.align_many(pairs);
  const counting::Counts seen = counting::counts();
  EXPECT_EQ(seen.operations.at("pointpng::farthest_points"), 1) << told(seen);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_TRUE(found[0].accepted);
}

TEST(GpuBudgetTest, EmbeddingIsRecordedOncePerBatchSize) {
  const auto embedder = make_embedder(load_model(find_model(""), kGpu).model);
  const Cloud cloud = shape(0);
  const std::vector<NamedCloud> one{{cloud, "a chair"}}, two{{cloud, "a chair"}, {cloud, "again"}};
  const Eigen::VectorXf wanted = object_embedder()->embed(cloud, "a chair");
  std::vector<std::int64_t> recorded;
  long replayed = 0;
  graph_recorder() = [&](const Computation& compute, const Tensor& like) -> Computation {
    recorded.push_back(like.size(0));
    return [&replayed, compute](const Tensor& input) {
      ++replayed;
      return compute(input);
    };
  };
  for (int i = 0; i < 3; ++i)
    for (const auto& clouds : {one, two})
      for (const Eigen::VectorXf& z : embedder->embed(clouds))
        EXPECT_LT((z - wanted).norm(), 1e-5F);
  graph_recorder() = nullptr;
  EXPECT_EQ(recorded, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(replayed, 4);
}

TEST(GpuBudgetTest, TrainingStep) {
  constexpr long kBefore = 1407;  // with tensor operations only
  Preset tiny = preset("tiny");
  const PairSource source(procedural_shapes(16, 1024, 1), tiny.model, tiny.train);
  const auto objective = make_objective(tiny.model, tiny.train);
  objective->module().to(kGpu);
  FlatAdamW optimiser(objective->module(), tiny.train);
  const PairBatch batch = source.make(0).pinned();
  const auto step = [&] {
    torch::Generator generator = at::globalContext().defaultGenerator(kGpu).clone();
    generator.set_current_seed(1);
    optimiser.clear_gradients();
    objective->loss(batch.to(kGpu), generator).total.backward();
    optimiser.step(1e-4);
  };
  step();  // fills what is computed once
  counting::reset();
  step();
  const counting::Counts seen = seen_so_far();
  EXPECT_LE(seen.launches, kBefore / 2) << told(seen);
  EXPECT_LE(seen.copies_to_device, 3);
  EXPECT_EQ(seen.copies_to_host, 0);
  EXPECT_EQ(seen.waits, 0) << "the host waits for a copy";
}

TEST(CountingDeviceDeathTest, HostCantTouchItsMemory) {
  const Tensor there = torch::ones({4}).to(kGpu);
  EXPECT_DEATH(static_cast<void>(std::printf("%f", static_cast<double>(*there.data_ptr<float>()))),
               "");
}

TEST(CountingDeviceTest, RefusesTensorsOfHostAndDeviceTogether) {
  EXPECT_THROW(torch::ones({4}).to(kGpu) + torch::ones({4}), c10::Error);
}

}  // namespace
}  // namespace pointpng
