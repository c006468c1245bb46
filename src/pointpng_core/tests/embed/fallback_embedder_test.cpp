#include "embed/fallback_embedder.h"

#include <chrono>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pointpng/error.h"

namespace pointpng {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Embeds every cloud to one number, after a while; fails after some clouds.
class FakeEmbedder : public Embedder {
 public:
  FakeEmbedder(std::string name, float answer, int delay_ms = 0, int good = 1000)
      : name_(std::move(name)), answer_(answer), delay_ms_(delay_ms), left_(good) {}

  Eigen::VectorXf embed(const Cloud& cloud, std::string_view /*name*/) const override {
    if (cloud.rows() == 0) throw InputError("the cloud is empty");
    if (left_-- <= 0) throw std::runtime_error("CUDA out of memory\nat some line");
    std::this_thread::sleep_for(std::chrono::milliseconds(delay_ms_));
    return Eigen::VectorXf::Constant(1, answer_);
  }
  std::vector<RotationHypothesis> search(const Eigen::VectorXf&, const Eigen::VectorXf&,
                                         const RotationSearchConfig&) const override {
    return {};
  }
  std::string device() const override { return name_; }

 private:
  std::string name_;
  float answer_;
  int delay_ms_;
  mutable int left_;
};

const Cloud kCloud = Cloud::Random(10, 3);

TEST(FallbackEmbedderTest, GoesOnOnTheCpuAndSaysWhy) {
  const auto embedder =
      make_fallback_embedder(std::make_shared<FakeEmbedder>("cuda:0", 1.0F, 0, 2),
                             [] { return std::make_shared<FakeEmbedder>("cpu", 2.0F); });
  EXPECT_EQ(embedder->embed(kCloud, "a cloud")[0], 1.0F);
  EXPECT_EQ(embedder->device(), "cuda:0");
  EXPECT_EQ(embedder->embed(kCloud, "a cloud")[0], 1.0F);
  EXPECT_EQ(embedder->embed(kCloud, "a cloud")[0], 2.0F);
  EXPECT_EQ(embedder->embed(kCloud, "a cloud")[0], 2.0F);
  EXPECT_EQ(embedder->device(), "cpu (cuda:0 failed: CUDA out of memory)");
}

TEST(FallbackEmbedderTest, AWrongCloudIsNoFailureOfTheDevice) {
  const auto embedder = make_fallback_embedder(std::make_shared<FakeEmbedder>("cuda:0", 1.0F), [] {
    return std::make_shared<FakeEmbedder>("cpu", 2.0F);
  });
  EXPECT_THROW(embedder->embed(Cloud(0, 3), "nothing"), InputError);
  EXPECT_EQ(embedder->device(), "cuda:0");
}

TEST(FasterEmbedderTest, TakesTheFasterAndTellsBothTimes) {
  for (const bool gpu_wins : {true, false}) {
    const auto chosen =
        faster_embedder(std::make_shared<FakeEmbedder>("cpu", 1.0F, gpu_wins ? 20 : 0),
                        std::make_shared<FakeEmbedder>("cuda:0", 2.0F, gpu_wins ? 0 : 20), 64);
    EXPECT_EQ(chosen->embed(kCloud, "a cloud")[0], gpu_wins ? 2.0F : 1.0F);
    EXPECT_THAT(chosen->device(), StartsWith(gpu_wins ? "cuda:0 (measured" : "cpu (measured"));
    EXPECT_THAT(chosen->device(), HasSubstr("ms on cpu"));
  }
}

TEST(FasterEmbedderTest, AGpuThatFailsIsReplaced) {
  const auto cpu = std::make_shared<FakeEmbedder>("cpu", 1.0F);
  const auto gpu = make_fallback_embedder(std::make_shared<FakeEmbedder>("cuda:0", 2.0F, 0, 1),
                                          [&] { return cpu; });
  const auto chosen = faster_embedder(cpu, gpu, 64);
  EXPECT_EQ(chosen->embed(kCloud, "a cloud")[0], 1.0F);
  EXPECT_EQ(chosen->device(), "cpu (cuda:0 failed: CUDA out of memory)");
}

}  // namespace
}  // namespace pointpng
