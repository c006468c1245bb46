#include "embed/fallback_embedder.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "base/random.h"
#include "base/stopwatch.h"
#include "embed/host_judge.h"
#include "pointpng/error.h"

namespace pointpng {
namespace {

/// Passes everything on to another embedder.
class Forwarding : public Embedder {
 public:
  Eigen::VectorXf embed(const Cloud& cloud, std::string_view name) const override {
    const NamedCloud one{cloud, name};
    return embed(std::span(&one, 1)).front();
  }
  std::vector<Eigen::VectorXf> embed(std::span<const NamedCloud> clouds) const override = 0;
};

class FallbackEmbedder : public Forwarding, public Judge {
 public:
  FallbackEmbedder(std::shared_ptr<const Embedder> first,
                   std::function<std::shared_ptr<const Embedder>()> make_spare)
      : first_(std::move(first)), make_spare_(std::move(make_spare)) {}

  std::vector<Eigen::VectorXf> embed(std::span<const NamedCloud> clouds) const override {
    return attempt([&](const Embedder& by) { return by.embed(clouds); });
  }

  std::vector<RotationHypothesis> search(const Eigen::VectorXf& source,
                                         const Eigen::VectorXf& target,
                                         const RotationSearchConfig& config) const override {
    return attempt([&](const Embedder& by) { return by.search(source, target, config); });
  }

  const Judge* judge() const override {
    return !failed_ && first_->judge() != nullptr ? this : nullptr;
  }

  std::vector<float> quick_scores(const cuda::QuickScore::Arguments& with) const override {
    return attempt([&](const Embedder& by) {
      return by.judge() == nullptr ? quick_scores_on_host(with) : by.judge()->quick_scores(with);
    });
  }

  std::string device() const override {
    if (!failed_) return first_->device();
    const std::scoped_lock lock(mutex_);
    return fmt::format("{} ({} failed: {})", spare_->device(), first_->device(), reason_);
  }

 private:
  template <class Use>
  std::invoke_result_t<Use, const Embedder&> attempt(const Use& use) const {
    if (!failed_) {
      try {
        return use(*first_);
      } catch (const InputError&) {
        throw;
      } catch (const std::exception& failure) {
        give_up(failure.what());
      }
    }
    return use(*spare_);
  }

  void give_up(std::string_view why) const {
    const std::scoped_lock lock(mutex_);
    if (failed_) return;  // another thread was first
    reason_ = why.substr(0, why.find('\n'));
    spare_ = make_spare_();
    failed_ = true;
  }

  std::shared_ptr<const Embedder> first_;
  std::function<std::shared_ptr<const Embedder>()> make_spare_;
  mutable std::mutex mutex_;
  mutable std::atomic<bool> failed_ = false;
  mutable std::shared_ptr<const Embedder> spare_;  // written once, before `failed_`
  mutable std::string reason_;
};

/// Another text for the device.
class DescribedEmbedder : public Forwarding {
 public:
  DescribedEmbedder(std::shared_ptr<const Embedder> embedder, std::string why)
      : embedder_(std::move(embedder)), why_(std::move(why)) {}

  std::vector<Eigen::VectorXf> embed(std::span<const NamedCloud> clouds) const override {
    return embedder_->embed(clouds);
  }
  std::vector<RotationHypothesis> search(const Eigen::VectorXf& source,
                                         const Eigen::VectorXf& target,
                                         const RotationSearchConfig& config) const override {
    return embedder_->search(source, target, config);
  }
  const Judge* judge() const override { return embedder_->judge(); }
  std::string device() const override { return fmt::format("{} ({})", embedder_->device(), why_); }

 private:
  std::shared_ptr<const Embedder> embedder_;
  std::string why_;
};

/// The fastest of a few embeddings in milliseconds, after one that loads whatever is loaded late.
double embed_ms(const Embedder& embedder, const Cloud& cloud) {
  constexpr int kRepetitions = 5;
  embedder.embed(cloud, "a cloud to measure with");
  double fastest = std::numeric_limits<double>::max();
  for (int i = 0; i < kRepetitions; ++i) {
    Stopwatch watch;
    embedder.embed(cloud, "a cloud to measure with");
    fastest = std::min(fastest, watch.lap_ms());
  }
  return fastest;
}

}  // namespace

std::shared_ptr<const Embedder> make_fallback_embedder(
    std::shared_ptr<const Embedder> first, std::function<std::shared_ptr<const Embedder>()> spare) {
  return std::make_shared<FallbackEmbedder>(std::move(first), std::move(spare));
}

std::shared_ptr<const Embedder> faster_embedder(std::shared_ptr<const Embedder> cpu,
                                                std::shared_ptr<const Embedder> gpu,
                                                std::int64_t points) {
  Random random({0x5eed});
  Cloud cloud(points, 3);
  for (Eigen::Index i = 0; i < cloud.rows(); ++i) cloud.row(i) = random.direction().transpose();
  const std::string name = gpu->device();
  const double on_gpu = embed_ms(*gpu, cloud), on_cpu = embed_ms(*cpu, cloud);
  if (gpu->device() != name) return gpu;  // it failed, and says so
  const std::string measured =
      fmt::format("measured at start: {:.1f} ms per cloud on {}, {:.1f} ms on {}", on_gpu, name,
                  on_cpu, cpu->device());
  return std::make_shared<DescribedEmbedder>(on_gpu < on_cpu ? gpu : cpu, measured);
}

}  // namespace pointpng
