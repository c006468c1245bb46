#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Core>
#include <Eigen/Geometry>

#include "embed/judge.h"
#include "embed/rotation_search.h"
#include "pointpng/cloud.h"
#include "pointpng/runtime.h"

namespace pointpng {

struct NamedCloud {
  const Cloud& cloud;
  std::string_view name;  ///< for messages
};

/// A trained model as registration sees it: clouds to embeddings, and what a rotation of the cloud
/// does to them. Every method is safe to call from several threads at once.
class Embedder {
 public:
  virtual ~Embedder() = default;

  /// z of one cloud in any frame and unit, on the unit sphere. Throws `InputError` for a cloud that
  /// can't be embedded; `name` is used in the message.
  virtual Eigen::VectorXf embed(const Cloud& cloud, std::string_view name) const = 0;

  /// The same of several clouds, computed together where the device is faster that way.
  virtual std::vector<Eigen::VectorXf> embed(std::span<const NamedCloud> clouds) const;

  /// The best distinct rotations by the bidirectional loss, best first.
  virtual std::vector<RotationHypothesis> search(const Eigen::VectorXf& source,
                                                 const Eigen::VectorXf& target,
                                                 const RotationSearchConfig& config) const = 0;

  /// Scores thousands of poses on the same device; null: the CPU does.
  virtual const Judge* judge() const { return nullptr; }

  /// Where it computes: "cpu" or "cuda:0".
  virtual std::string device() const { return "cpu"; }
};

/// Plain C++ for the models that robots use (equivariant backbone, Wigner predictor) unless CUDA is
/// asked for; LibTorch, loaded then, for everything else.
std::shared_ptr<const Embedder> load_embedder(const std::filesystem::path& file, Device device);

}  // namespace pointpng
