#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>

#include <Eigen/Core>

namespace pointpng {

/// Small, fast generator whose state is seeded by a few numbers: `Random({seed, step, item})`
/// is the same stream on every machine, in every thread and after every restart.
class Random {
 public:
  explicit Random(std::initializer_list<std::uint64_t> key);

  std::uint64_t next();                    ///< 64 uniform bits
  float uniform();                         ///< in [0, 1)
  float uniform(float low, float high);    ///< in [low, high)
  std::int64_t below(std::int64_t bound);  ///< in 0 … bound-1, without bias
  float normal();                          ///< standard normal
  Eigen::Vector3f direction();             ///< uniform on the unit sphere
  Eigen::Vector4f quaternion();            ///< uniform over SO(3): (w, x, y, z), w >= 0
  void shuffle(std::span<std::int64_t> items);

 private:
  std::uint64_t state_[4];
};

/// One number out of several, well mixed: for seeding other generators.
std::uint64_t mix_seed(std::initializer_list<std::uint64_t> key);

}  // namespace pointpng
