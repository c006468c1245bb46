#pragma once

#include <cstdint>
#include <string>

#include <torch/types.h>

#include "model/model.h"
#include "pointpng/cloud.h"

namespace pointpng {

/// Embeddings of several views of each of several shapes.
struct ViewEmbeddings {
  torch::Tensor z;         ///< [shapes, views, d]
  torch::Tensor rotation;  ///< [shapes, views, 4]: how the shape was rotated from its own frame

  std::int64_t shapes() const { return z.size(0); }
  std::int64_t views() const { return z.size(1); }
};

/// How views are rotated.
enum class Turns {
  kUniform,      ///< uniformly over SO(3)
  kAs3DIEBench,  ///< as in 3DIEBench: three Tait-Bryan angles, each uniform within ±90°
};

/// Views of the first `count` shapes (of all where there are fewer), in an order that follows from
/// the seed, as does everything else: each view is a different half of the shape's points, rotated.
/// Quaternions keep the sign that the angles give them: 3DIEBench's have no jump then.
ViewEmbeddings embed_views(Model& model, const ShapeSet& shapes, std::int64_t count,
                           std::int64_t views, Turns turns, std::uint64_t seed);

/// z of many prepared clouds [N, points, 3] → [N, d], batch by batch.
torch::Tensor embed_all(Model& model, const torch::Tensor& clouds);

}  // namespace pointpng
