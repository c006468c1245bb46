#pragma once

#include <memory>

#include "embed/embedder.h"
#include "model/model.h"

namespace pointpng {

/// Any model, on the device it is on; it must stay in evaluation mode.
std::shared_ptr<const Embedder> make_embedder(std::shared_ptr<Model> model);

}  // namespace pointpng
