#include "model/patches.h"

#include <algorithm>
#include <cmath>

#include <torch/types.h>

#include "model/rotation.h"
#include "model/sampling.h"

namespace pointpng {

Patches Patches::select(const Tensor& indices) const {
  const Tensor flat = gather_rows(points.flatten(2), indices);
  return {gather_rows(centres, indices), flat.unflatten(-1, {points.size(2), 3})};
}

Patches Patches::rotated(const Tensor& q) const {
  const Tensor turned = rotation::rotate(q, points.flatten(1, 2));
  return {rotation::rotate(q, centres), turned.view_as(points)};
}

Patches Patches::to(torch::Device device) const { return {centres.to(device), points.to(device)}; }

Patches cut_patches(const Tensor& clouds, const ModelConfig& config,
                    const std::optional<Tensor>& start) {
  const torch::NoGradGuard no_grad;
  const Sampler& sampler = sampler_for(clouds.device());
  const Tensor first = start ? *start : farthest_from_centroid(clouds);
  const Tensor centres =
      gather_rows(clouds, sampler.farthest_points(clouds, config.patches, first));
  return {centres, group(clouds, centres, sampler.nearest(clouds, centres, config.patch_points))};
}

Mask random_mask(std::int64_t batch, std::int64_t count, double ratio,
                 std::optional<torch::Generator> generator, torch::Device device) {
  const std::int64_t kept = std::clamp<std::int64_t>(
      static_cast<std::int64_t>(std::lround(static_cast<double>(count) * (1.0 - ratio))), 1, count);
  const auto options = torch::TensorOptions().device(device);
  const Tensor order = (generator ? torch::rand({batch, count}, *generator, options)
                                  : torch::rand({batch, count}, options))
                           .argsort(1, false);
  return {order.narrow(1, 0, kept), order.narrow(1, kept, count - kept)};
}

}  // namespace pointpng
