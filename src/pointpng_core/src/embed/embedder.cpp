#include "embed/embedder.h"

#include "base/nvidia.h"
#include "base/parallel.h"
#include "embed/equivariant_embedder.h"
#include "embed/fallback_embedder.h"
#include "embed/learning_plugin.h"
#include "embed/model_file.h"
#include "io/safetensors.h"

namespace pointpng {

std::vector<Eigen::VectorXf> Embedder::embed(std::span<const NamedCloud> clouds) const {
  std::vector<Eigen::VectorXf> embedded(clouds.size());
  parallel_for(0, std::ssize(clouds), [&](std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    embedded[at] = embed(clouds[at].cloud, clouds[at].name);
  });
  return embedded;
}

std::shared_ptr<const Embedder> load_embedder(const std::filesystem::path& file, Device device) {
  const Safetensors stored = read_safetensors_file(file);
  const ModelConfig config = check_header(stored.metadata, "model", file);
  const auto on_cpu = [file] { return load_embedder(file, Device::kCpu); };
  if (device == Device::kCuda)
    return make_fallback_embedder(learning_plugin().load_embedder(file, device), on_cpu);
  if (!is_equivariant_model(config)) return learning_plugin().load_embedder(file, device);
  if (device == Device::kAuto && has_nvidia_driver() && learning_info().cuda_usable)
    return faster_embedder(on_cpu(), load_embedder(file, Device::kCuda), config.points);
  std::int64_t elements = 0;
  for (const auto& [name, tensor] : stored.tensors) elements += tensor.count();
  require_room(config, elements, file.string());
  return make_equivariant_embedder(config, stored, file);
}

}  // namespace pointpng
