#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace pointpng {

/// The similarity Σ_l ⟨C_l, D^l(g)⟩ of one pair as a function of the rotation g, climbed to its
/// peak by Newton steps in plain loops: some tens of microseconds where tensor operations on
/// matrices this small take milliseconds.
class SimilarityPeak {
 public:
  /// `generators[l]` holds the three generators of D^l; see rotation_search.cpp.
  using Generators = std::vector<std::array<Eigen::MatrixXd, 3>>;

  SimilarityPeak(const Generators& generators, const float* correlation);

  struct Place {
    Eigen::Quaterniond rotation;
    double similarity = 0.0;
  };

  /// From a rotation with its Wigner matrices one after the other, each row by row.
  Place climb(const Eigen::Quaterniond& start, const Eigen::VectorXf& wigner,
              std::int64_t steps) const;

 private:
  using Matrices = std::vector<Eigen::MatrixXd>;
  struct Expansion {
    double value = 0.0;
    Eigen::Vector3d gradient = Eigen::Vector3d::Zero();
    Eigen::Matrix3d hessian = Eigen::Matrix3d::Zero();
  };
  Expansion expand(const Matrices& wigner) const;

  const Generators& generators_;
  Matrices correlation_;
};

}  // namespace pointpng
