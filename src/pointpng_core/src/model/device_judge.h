#pragma once

#include <memory>

#include <c10/core/Device.h>
#include <c10/core/Stream.h>

#include "embed/judge.h"

namespace pointpng {

/// Judges poses on a device; null where it has no kernels for it.
std::unique_ptr<const Judge> make_judge(c10::Device device, c10::Stream stream);

}  // namespace pointpng
