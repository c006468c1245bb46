#pragma once

#include "cuda/judge_kernels.h"
#include "cuda/patch_kernels.h"
#include "cuda/sampling_kernels.h"
#include "cuda/token_kernels.h"

namespace pointpng::cuda {

/// Starts a kernel on a stream (a `cudaStream_t`) of the current device; no blocks, no kernel.
/// Returns what is wrong, or null. On the host, where the tests define it, threads run it.
template <class Kernel>
const char* launch(const typename Kernel::Arguments& with, std::int64_t blocks, void* stream);

/// Blocks for one thread per number.
template <class Kernel>
std::int64_t blocks_for(std::int64_t numbers) {
  return (numbers + Kernel::kThreads - 1) / Kernel::kThreads;
}

}  // namespace pointpng::cuda

/// Calls X(kernel) for every kernel.
// clang-format off
#define POINTPNG_FOR_EACH_KERNEL(X) \
  X(FarthestFromCentroid) X(FarthestPoints) X(Nearest) X(Group) \
  X(Harmonics) X(Wigner) X(DescribePatches) X(Relations) \
  X(MaxOverPoints) X(MaxBackward) X(Attention) X(AttentionBackward) \
  X(AddNorm) X(UnitRows) X(Pool) X(PoolBackward) \
  X(QuickScore) X(MeasureFit)
// clang-format on
