#pragma once

#include <functional>
#include <memory>

#include "embed/embedder.h"

namespace pointpng {

/// `first` until it fails with anything but an `InputError`; from then on what `spare` makes, and
/// `device` says why. A GPU that runs out of memory must not stop a robot.
std::shared_ptr<const Embedder> make_fallback_embedder(
    std::shared_ptr<const Embedder> first, std::function<std::shared_ptr<const Embedder>()> spare);

/// Of two embedders of the same model the one that is faster, measured with a cloud of so many
/// points; its `device` says what was measured. The other's failure is an answer too.
std::shared_ptr<const Embedder> faster_embedder(std::shared_ptr<const Embedder> cpu,
                                                std::shared_ptr<const Embedder> gpu,
                                                std::int64_t points);

}  // namespace pointpng
