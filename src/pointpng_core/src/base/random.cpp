#include "base/random.h"

#include <bit>
#include <cmath>
#include <numbers>
#include <utility>

namespace pointpng {
namespace {

std::uint64_t splitmix(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9E3779B97F4A7C15ULL);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

}  // namespace

std::uint64_t mix_seed(std::initializer_list<std::uint64_t> key) {
  std::uint64_t mixed = 0;
  for (const std::uint64_t part : key) {
    std::uint64_t state = mixed ^ part;
    mixed = splitmix(state) + std::rotl(mixed, 23);
  }
  return mixed;
}

Random::Random(std::initializer_list<std::uint64_t> key) {
  std::uint64_t state = mix_seed(key);
  for (auto& word : state_) word = splitmix(state);
}

// xoshiro256++
std::uint64_t Random::next() {
  const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

float Random::uniform() { return static_cast<float>(next() >> 40) * 0x1.0p-24F; }

float Random::uniform(float low, float high) { return low + (high - low) * uniform(); }

std::int64_t Random::below(std::int64_t bound) {
  const auto range = static_cast<std::uint64_t>(bound);
  const std::uint64_t limit = -range % range;  // values below it would bias the result
  while (true) {
    const std::uint64_t bits = next();
    if (bits >= limit) return static_cast<std::int64_t>(bits % range);
  }
}

float Random::normal() {
  const float radius = std::sqrt(-2.0F * std::log(1.0F - uniform()));
  return radius * std::cos(2.0F * std::numbers::pi_v<float> * uniform());
}

Eigen::Vector3f Random::direction() {
  while (true) {
    const Eigen::Vector3f v(normal(), normal(), normal());
    if (v.squaredNorm() > 1e-12F) return v.normalized();
  }
}

Eigen::Vector4f Random::quaternion() {
  while (true) {
    const Eigen::Vector4f v(normal(), normal(), normal(), normal());
    if (v.squaredNorm() < 1e-12F) continue;
    return v.normalized() * (v[0] < 0 ? -1.0F : 1.0F);
  }
}

void Random::shuffle(std::span<std::int64_t> items) {
  for (auto i = static_cast<std::int64_t>(items.size()) - 1; i > 0; --i)
    std::swap(items[static_cast<std::size_t>(i)], items[static_cast<std::size_t>(below(i + 1))]);
}

}  // namespace pointpng
