#pragma once

#include <c10/core/Device.h>

#include "pointpng/runtime.h"

namespace pointpng {

/// Sets LibTorch's threads, tunes the allocator for it, and returns the device to compute on.
/// `kAuto` takes CUDA where it is usable; `kCuda` throws `InputError` with the reason where it is
/// not.
c10::Device use(const ComputeOptions& options);

/// Why LibTorch can't compute with CUDA here; empty where it can.
std::string cuda_problem();

}  // namespace pointpng
