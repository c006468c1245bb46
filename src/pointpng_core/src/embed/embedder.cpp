#include "embed/embedder.h"

#include "embed/equivariant_embedder.h"
#include "embed/learning_plugin.h"
#include "embed/model_file.h"
#include "io/safetensors.h"

namespace pointpng {

std::shared_ptr<const Embedder> load_embedder(const std::filesystem::path& file, Device device) {
  const Safetensors stored = read_safetensors_file(file);
  const ModelConfig config = check_header(stored.metadata, "model", file);
  if (device == Device::kCuda || !is_equivariant_model(config))
    return learning_plugin().load_embedder(file, device);
  std::int64_t elements = 0;
  for (const auto& [name, tensor] : stored.tensors) elements += tensor.count();
  require_room(config, elements, file.string());
  return make_equivariant_embedder(config, stored, file);
}

}  // namespace pointpng
