#pragma once

/// A kernel is written once, for a block of threads: on a GPU these are CUDA threads with CUB's
/// reductions, in the tests threads of this computer (tests/cuda/host_block.h). Kernels know
/// neither LibTorch nor the host's containers.

#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstring>

#if defined(__CUDACC__)
#define POINTPNG_DEVICE __device__ __forceinline__
#include <cub/block/block_reduce.cuh>
#else
#define POINTPNG_DEVICE inline
#endif

namespace pointpng::cuda {

/// A distance and an index in one number, ordered as (distance, index) pairs.
using Key = unsigned long long;

#if defined(__CUDACC__)
template <int kThreads>
class Block {
  template <class T>
  using Reduction = cub::BlockReduce<T, kThreads>;

 public:
  union Storage {
    typename Reduction<Key>::TempStorage keys;
    typename Reduction<float>::TempStorage floats;
    typename Reduction<double>::TempStorage doubles;
  };

  __device__ explicit Block(Storage& storage) : storage_(storage) {}

  __device__ std::int64_t number() const { return blockIdx.x; }
  __device__ int rank() const { return static_cast<int>(threadIdx.x); }
  __device__ static constexpr int size() { return kThreads; }

  /// All threads meet here; what they wrote before is visible to all after it.
  __device__ void sync() const { __syncthreads(); }

  // Reductions over the block. The result is known to thread 0 only, and a `sync` must come before
  // the next one.
  __device__ Key largest(Key mine) const {
    return Reduction<Key>(storage_.keys).Reduce(mine, [](Key a, Key b) { return a > b ? a : b; });
  }
  __device__ Key smallest(Key mine) const {
    return Reduction<Key>(storage_.keys).Reduce(mine, [](Key a, Key b) { return a < b ? a : b; });
  }
  __device__ float sum(float mine) const { return Reduction<float>(storage_.floats).Sum(mine); }
  __device__ double sum(double mine) const { return Reduction<double>(storage_.doubles).Sum(mine); }

 private:
  Storage& storage_;
};
#endif

/// The bits of a float, as a number: ordered as the floats are where they are not negative.
POINTPNG_DEVICE std::uint32_t bits_of(float value) {
  std::uint32_t bits = 0;
  memcpy(&bits, &value, sizeof(bits));
  return bits;
}

/// x² + y² + z², rounded after every operation as the CPU's kernels do: compilers would contract it
/// to fused multiply-adds, and other points would be chosen.
POINTPNG_DEVICE float squared_length(float x, float y, float z) {
#if defined(__CUDA_ARCH__)
  return __fadd_rn(__fadd_rn(__fmul_rn(x, x), __fmul_rn(y, y)), __fmul_rn(z, z));
#else
  return x * x + y * y + z * z;  // compiled with -ffp-contract=off
#endif
}

POINTPNG_DEVICE float squared_distance(const float* a, const float* b) {
  return squared_length(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/// This thread's number among all threads of all blocks: for kernels of one thread per number.
template <class Block>
POINTPNG_DEVICE std::int64_t thread_number(const Block& block) {
  return block.number() * Block::size() + block.rank();
}

}  // namespace pointpng::cuda
