#include "model/model.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <torch/types.h>

#include "cloud/normalise.h"
#include "model/batch.h"
#include "model/sampling.h"
#include "pointpng/error.h"

namespace pointpng {

Model::Model(const ModelConfig& config)
    : config_(config),
      backbone_(register_module("backbone", make_backbone(config))),
      predictor_(register_module("predictor", make_predictor(config))) {}

torch::Device Model::device() const { return parameters().front().device(); }

Tensor Model::embed(const Tensor& clouds) const {
  return backbone_->embed(cut_patches(clouds.to(device()), config_));
}

Tensor Model::embed(const Cloud& cloud, std::string_view name) const {
  const torch::NoGradGuard no_grad;
  return embed(prepare(cloud, config_, name).unsqueeze(0));
}

Tensor prepare(const Cloud& cloud, const ModelConfig& config, std::string_view name) {
  require_usable(cloud, name, config.patch_points);
  const Cloud unit = normalised(cloud);
  const std::int64_t count = unit.rows();
  const Tensor rows = as_batch(unit);
  const Tensor chosen =
      sampler_for(torch::kCPU)
          .farthest_points(rows, std::min(count, config.points), farthest_from_centroid(rows));
  const Tensor spread = gather_rows(rows, chosen).squeeze(0);
  // With fewer, the first ones are repeated; this order makes that choice equivariant too.
  return spread.index_select(0, torch::arange(config.points).remainder(spread.size(0)));
}

}  // namespace pointpng
