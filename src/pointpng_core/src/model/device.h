#pragma once

#include <string>

#include <c10/core/Device.h>

#include "pointpng/runtime.h"

namespace pointpng {

/// Why LibTorch can't use CUDA here, as a sentence; empty if it can.
std::string cuda_problem();

/// The device to compute on: `kAuto` takes CUDA where it is usable, `kCuda` throws `InputError`
/// with the reason where it is not.
c10::Device torch_device(Device device);

/// The same; also sets the threads of LibTorch and of this library, and tunes the allocator for
/// LibTorch.
c10::Device use(const ComputeOptions& options);

}  // namespace pointpng
