#pragma once

#include <bit>
#include <cstdint>

// Functions of one float that vectorise: without branches, and compiled with -fno-trapping-math,
// without which the compiler keeps a comparison from being computed for values that might not need
// it.

namespace pointpng::fast {

/// Cephes' expf for x <= 0; error below 2 units in the last place.
inline __attribute__((always_inline)) float exp_negative(float x) {
  x = x < -87.0F ? -87.0F : x;
  const float whole = static_cast<float>(static_cast<std::int32_t>(x * 1.44269504F - 0.5F));
  const float rest = (x - whole * 0.693359375F) + whole * 2.12194440e-4F;
  float p = 1.9875691500e-4F;
  p = p * rest + 1.3981999507e-3F;
  p = p * rest + 8.3334519073e-3F;
  p = p * rest + 4.1665795894e-2F;
  p = p * rest + 1.6666665459e-1F;
  p = p * rest + 5.0000001201e-1F;
  p = p * rest * rest + rest + 1.0F;
  const std::int32_t bits = (static_cast<std::int32_t>(whole) + 127) << 23;
  return p * std::bit_cast<float>(bits);
}

/// The standard normal distribution at x: its density φ and the probability Φ of a smaller value.
struct Normal {
  float density, below;
};

/// Φ by Abramowitz and Stegun, 7.1.26: error below 1e-7.
inline __attribute__((always_inline)) Normal normal(float x) {
  const float falling = exp_negative(-0.5F * x * x);
  const float t = 1.0F / (1.0F + 0.231641888F * (x < 0.0F ? -x : x));
  float p = 0.5307027145F;
  p = p * t - 0.7265760135F;
  p = p * t + 0.7107068705F;
  p = p * t - 0.142248368F;
  p = p * t + 0.127414796F;
  const float tail = p * t * falling;
  return {0.39894228F * falling, x < 0.0F ? tail : 1.0F - tail};
}

}  // namespace pointpng::fast
