#pragma once

#include <cstdint>

/// Loops marked with it are compiled for plain x86-64 and for AVX2 + FMA; the choice is made when
/// the program starts. Elsewhere (ARM) the baseline instruction set has vectors.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define POINTPNG_SIMD __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define POINTPNG_SIMD
#endif

namespace pointpng::simd {

inline constexpr std::int64_t kLanes = 8;
using Floats = float __attribute__((vector_size(32)));
using Ints = std::int32_t __attribute__((vector_size(32)));
/// The same, unaligned.
using LooseFloats = float __attribute__((vector_size(32), aligned(4)));
using LooseInts = std::int32_t __attribute__((vector_size(32), aligned(4)));

/// `count` rounded up to whole vectors.
inline std::int64_t padded(std::int64_t count) { return (count + kLanes - 1) / kLanes * kLanes; }

}  // namespace pointpng::simd
